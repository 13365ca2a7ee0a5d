# shellcheck shell=bash
# How the engines are compiled. Sourced by build-deps.sh.
#
# Every option that the two CMake projects would otherwise detect is pinned, so
# that two machines with the same compiler make the same libraries. The arrays
# below go into the stamp word by word: changing one makes a new build.

# Optimisation as upstream releases have it, written out so that CFLAGS and
# CXXFLAGS of the environment have no say: LevelDB has only CMake's Release type,
# RocksDB's own release build (its Makefile) is -O2, which also compiles a fifth
# faster than CMake's -O3 and measures the same.
LEVELDB_OPT="-O3 -DNDEBUG"
ROCKSDB_OPT="-O2 -DNDEBUG"

# RocksDB picks its CRC32C when compiled, not when run. On x86-64 the two
# instruction sets below are in every server since 2010; without them checksums
# cost several times as much. LevelDB 1.23 has no such code.
rocksdb_cpu_flags() {
    case "$(uname -m)" in
    x86_64 | amd64) printf '%s\n' -msse4.2 -mpclmul ;;
    esac
}

# set_engine_options: fills LEVELDB_OPTIONS, ROCKSDB_OPTIONS and what both engines
# add to their flags, LEVELDB_EXTRA and ROCKSDB_EXTRA. What is left to detection
# (-momit-leaf-frame-pointer, atomics without a library) follows from the
# compiler, and the compiler is in the stamp.
set_engine_options() {
    local common=(
        -DCMAKE_BUILD_TYPE=Release
        -DCMAKE_C_FLAGS=
        -DCMAKE_EXE_LINKER_FLAGS=
        -DCMAKE_POSITION_INDEPENDENT_CODE=ON
        -DBUILD_SHARED_LIBS=OFF
    )
    LEVELDB_OPTIONS=(
        "${common[@]}"
        "-DCMAKE_C_FLAGS_RELEASE=$LEVELDB_OPT" "-DCMAKE_CXX_FLAGS_RELEASE=$LEVELDB_OPT"
        -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF
        -DHAVE_SNAPPY=1 -DHAVE_CRC32C=0 -DHAVE_TCMALLOC=0
        -DHAVE_CLANG_THREAD_SAFETY=0
    )
    ROCKSDB_OPTIONS=(
        "${common[@]}"
        "-DCMAKE_C_FLAGS_RELEASE=$ROCKSDB_OPT" "-DCMAKE_CXX_FLAGS_RELEASE=$ROCKSDB_OPT"
        -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=32
        -DPORTABLE=1
        -DUSE_RTTI=AUTO
        -DFAIL_ON_WARNINGS=OFF
        -DWITH_SNAPPY=ON -DWITH_LZ4=ON -DWITH_ZSTD=ON -DWITH_ZLIB=ON -DWITH_BZ2=OFF
        -DWITH_GFLAGS=OFF
        -DWITH_JEMALLOC=OFF -DWITH_LIBURING=OFF -DWITH_NUMA=OFF -DWITH_TBB=OFF
        -DWITH_FALLOCATE=ON
        -DWITH_IOSTATS_CONTEXT=ON -DWITH_PERF_CONTEXT=ON
        -DWITH_DYNAMIC_EXTENSION=OFF -DWITH_JNI=OFF
        -DROCKSDB_BUILD_SHARED=OFF
        -DWITH_TESTS=OFF -DWITH_TOOLS=OFF -DWITH_CORE_TOOLS=OFF -DWITH_TRACE_TOOLS=OFF
        -DWITH_BENCHMARK_TOOLS=ON
        -DCCACHE_FOUND=OFF
    )
    LEVELDB_EXTRA=()
    mapfile -t ROCKSDB_EXTRA < <(rocksdb_cpu_flags)
    if [[ $KIND == tuned ]]; then
        LEVELDB_EXTRA+=("${TUNED_FLAGS[@]}")
        ROCKSDB_EXTRA+=("${TUNED_FLAGS[@]}")
    fi
    # Facts of Linux with the GNU C library. Elsewhere CMake finds them out.
    getconf GNU_LIBC_VERSION >/dev/null 2>&1 || return 0
    LEVELDB_OPTIONS+=(-DHAVE_FDATASYNC=1 -DHAVE_FULLFSYNC=0 -DHAVE_O_CLOEXEC=1)
    ROCKSDB_OPTIONS+=(
        -DHAVE_FALLOCATE=1 -DHAVE_SYNC_FILE_RANGE_WRITE=1 -DHAVE_PTHREAD_MUTEX_ADAPTIVE_NP=1
        -DHAVE_MALLOC_USABLE_SIZE=1 -DHAVE_SCHED_GETCPU=1 -DHAVE_AUXV_GETAUXVAL=1
        -DHAVE_FULLFSYNC=0
    )
}

# build_jobs: as many compilers as there are cores, but never more than fit in
# memory: a unity file of RocksDB takes up to 1.7 GB.
build_jobs() {
    local cores kib limit by_memory
    cores=$(nproc 2>/dev/null || echo 1)
    kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)
    # A container's limit is not in /proc/meminfo.
    limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
    if [[ $limit =~ ^[0-9]+$ ]] && { [[ -z $kib ]] || ((limit / 1024 < kib)); }; then
        kib=$((limit / 1024))
    fi
    by_memory=$((${kib:-0} / 1740000))
    ((by_memory >= 1)) || by_memory=1
    echo $((by_memory < cores ? by_memory : cores))
}

# sign FILE ENGINE FLAG...: adds a constant to the source of an engine's C API,
# which every program with the engine has in it: how the library was compiled.
# So a program can tell what it runs on (leveldb.Build and rocksdb.Build), which
# the paths that it was built with can't.
sign() {
    local file=$1 name=lsmkit_$2_build
    shift 2
    printf '\nextern "C" {\nextern const char %s[];\nconst char %s[] = "%s";\n}\n' \
        "$name" "$name" "$KIND ${CXX##*/} $(compiler_version) $*" >>"$file"
}

# build_engine ENGINE SOURCE BUILD OUT JOBS
build_engine() {
    local engine=$1 source=$2 build=$3 out=$4 jobs=$5 optimisation=${1^^}_OPT
    local -n extra=${1^^}_EXTRA
    # The options are lists of words.
    # shellcheck disable=SC2086
    set -- ${!optimisation} "${extra[@]}"
    if [[ $KIND == tuned ]]; then
        sign "$source/db/c.cc" "$engine" "$@" "${USE_FLAGS[@]}"
        train "$engine" "$source" "$build" "$jobs"
        say "compiling $engine with what was counted"
        "compile_$engine" "$source" "$build" "$jobs" "${extra[@]}" "${USE_FLAGS[@]}"
    else
        sign "$source/db/c.cc" "$engine" "$@"
        say "compiling $engine ($jobs jobs)"
        "compile_$engine" "$source" "$build" "$jobs" "${extra[@]}"
    fi
    cp "$build/lib$engine.a" "$out/lib/"
    cp "$build/db_bench" "$out/bin/${engine}_db_bench"
    cp -R "$source/include/$engine" "$out/include/"
}

# compile_leveldb SOURCE BUILD JOBS FLAG...: makes libleveldb.a and db_bench in
# BUILD, with the flags besides those of the options.
compile_leveldb() {
    local source=$1 build=$2 jobs=$3
    shift 3
    run cmake -G Ninja -S "$source" -B "$build" "${LEVELDB_OPTIONS[@]}" "-DCMAKE_CXX_FLAGS=$*"
    run cmake --build "$build" --parallel "$jobs" --target leveldb
    # The tarball lacks googletest, so CMake cannot make the benchmark: three
    # files, with the flags that CMake gives the library.
    # shellcheck disable=SC2086 # LEVELDB_OPT is a list of words.
    run "$CXX" -std=c++11 $LEVELDB_OPT "$@" -fno-exceptions -fno-rtti -DLEVELDB_PLATFORM_POSIX=1 \
        -I"$build/include" -I"$source" -I"$source/include" -I"$HELPERS/gtest-standin" \
        "$source/benchmarks/db_bench.cc" "$source/util/histogram.cc" "$source/util/testutil.cc" \
        "$build/libleveldb.a" -lsnappy -pthread -o "$build/db_bench"
}

# compile_rocksdb SOURCE BUILD JOBS FLAG...: likewise.
compile_rocksdb() {
    local source=$1 build=$2 jobs=$3
    shift 3
    run cmake -G Ninja -S "$source" -B "$build" "${ROCKSDB_OPTIONS[@]}" "-DCMAKE_CXX_FLAGS=$*" \
        "-DCMAKE_PROJECT_rocksdb_INCLUDE=$HELPERS/rocksdb_db_bench.cmake"
    run cmake --build "$build" --parallel "$jobs" --target rocksdb db_bench
}
