// See ../gtest/gtest.h. MATCHER(name, text) { ... } becomes a plain function
// template, so that the definition in testutil.h compiles.
#ifndef LSMKIT_GMOCK_STANDIN_H_
#define LSMKIT_GMOCK_STANDIN_H_

#define MATCHER(name, description) \
  template <typename T>            \
  inline bool name(const T& arg)

#endif  // LSMKIT_GMOCK_STANDIN_H_
