# Gives gflags to RocksDB's db_bench alone.
#
# RocksDB's own switch, WITH_GFLAGS, defines GFLAGS for every file and lists
# gflags among the library's own dependencies: every Go program would have to
# link a command-line parser. So the switch stays off, and this file, which
# CMake includes at the project() line (CMAKE_PROJECT_rocksdb_INCLUDE), asks for
# a call at the end of the project's CMakeLists.txt, when the target exists.
# The unity build is for the library; db_bench's few files stay apart.

function(lsmkit_gflags_for_db_bench)
  find_path(LSMKIT_GFLAGS_INCLUDE NAMES gflags/gflags.h REQUIRED)
  find_library(LSMKIT_GFLAGS_LIBRARY NAMES gflags REQUIRED)
  target_compile_definitions(db_bench PRIVATE GFLAGS=1)
  target_include_directories(db_bench SYSTEM PRIVATE "${LSMKIT_GFLAGS_INCLUDE}")
  target_link_libraries(db_bench "${LSMKIT_GFLAGS_LIBRARY}")
  set_target_properties(db_bench PROPERTIES UNITY_BUILD OFF)
endfunction()

cmake_language(DEFER CALL lsmkit_gflags_for_db_bench)
