// The little of googletest that LevelDB's util/testutil.h needs to compile.
//
// LevelDB's release tarball comes without its googletest submodule, and its
// db_bench includes testutil.h for the random text only: no assertion and no
// matcher is ever run. GoogleTest's seed is 0 unless a test run sets it.
#ifndef LSMKIT_GTEST_STANDIN_H_
#define LSMKIT_GTEST_STANDIN_H_

namespace testing {
struct UnitTest {
  static UnitTest* GetInstance() {
    static UnitTest instance;
    return &instance;
  }
  int random_seed() const { return 0; }
};
}  // namespace testing

#endif  // LSMKIT_GTEST_STANDIN_H_
