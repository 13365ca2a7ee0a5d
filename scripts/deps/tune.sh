# shellcheck shell=bash
# Builds that are tuned to the work: profile-guided optimisation. Sourced by
# build-deps.sh.
#
# An engine is compiled twice in one folder, since the compiler finds what was
# counted by the path of the object: first with counters, which the engine's own
# benchmark then fills, and again with what they say about the ways that the
# work takes. Everything here is in the stamp: changing it makes a new build.
# The arrays are read in build-deps.sh and engines.sh.
# shellcheck disable=SC2034

# In both passes. By -fPIC alone a global function could be replaced when the
# program starts, so the compiler would not inline it into its neighbours.
TUNED_FLAGS=(-fno-semantic-interposition)

# The first pass. Compactions and flushes count on threads of their own.
COUNT_FLAGS=(-fprofile-generate -fprofile-update=prefer-atomic)

# The second. What the training never ran stays as it is in a stock build,
# instead of being made small and slow; and files of which nothing ran are none
# to warn of.
USE_FLAGS=(-fprofile-use -fprofile-correction -fprofile-partial-training -Wno-missing-profile)

# What all runs of the training are told: entries as in the benchmarks, options
# near those of lsmkit, and a write buffer that is small enough for flushes and
# compactions.
TRAINING=(--num=300000 --value_size=100 --compression_ratio=0.5 --threads=1
    --write_buffer_size=8388608 --cache_size=33554432 --block_size=4096 --bloom_bits=-1)

# One run a line: the arguments of the engine's benchmark. The reads run both
# before and after the compaction, when they find all entries in one place.
LEVELDB_TRAINING=(
    "--open_files=50000 --max_file_size=8388608 --benchmarks=fillseq,readseq,readreverse,readrandom,fillrandom,overwrite,readrandom,seekrandom,compact,readrandom,seekrandom,readseq,readreverse,fillsync"
)
ROCKSDB_TRAINING=(
    "--open_files=-1 --target_file_size_base=8388608 --seed=1000 --compression_type=snappy --statistics=false --enable_pipelined_write=false --cache_high_pri_pool_ratio=0.5 --table_cache_numshardbits=6 --benchmarks=fillseq,readseq,readreverse,readrandom,fillrandom,overwrite,readrandom,seekrandom,compact,readrandom,seekrandom,readseq,readreverse"
    "--open_files=-1 --seed=1000 --use_existing_db=true --batch_size=64 --multiread_batched=true --benchmarks=multireadrandom"
    "--open_files=-1 --seed=1000 --compression_type=snappy --enable_pipelined_write=false --batch_size=100 --benchmarks=fillseq,fillsync"
)

# can_tune: whether the compiler is one that takes the flags above. Clang keeps
# its counts in another form, which needs a tool of its own.
can_tune() {
    printf '%s\n' '#if defined(__clang__) || __GNUC__ < 10' '#error' '#endif' |
        "$CXX" -x c++ -E -o /dev/null - 2>/dev/null
}

# training_text: what of the above makes the build what it is.
training_text() {
    printf 'tuned %s\n' "${COUNT_FLAGS[*]}" "${USE_FLAGS[*]}" "${TRAINING[*]}" \
        "${LEVELDB_TRAINING[@]}" "${ROCKSDB_TRAINING[@]}"
}

# train ENGINE SOURCE BUILD JOBS: leaves what was counted beside the objects.
train() {
    local engine=$1 source=$2 build=$3 jobs=$4 arguments
    local -n extra=${1^^}_EXTRA runs=${1^^}_TRAINING
    say "compiling $engine with counters ($jobs jobs)"
    "compile_$engine" "$source" "$build" "$jobs" "${extra[@]}" "${COUNT_FLAGS[@]}"
    say "training $engine"
    # These would send the counts elsewhere.
    unset GCOV_PREFIX GCOV_PREFIX_STRIP
    for arguments in "${runs[@]}"; do
        # shellcheck disable=SC2086 # A list of words.
        run "$build/db_bench" "--db=$build/training" "${TRAINING[@]}" $arguments
    done
    remove "$build/training"
    # Without counts the second pass would quietly make a stock build.
    [[ -n $(find "$build" -name '*.gcda' -print -quit) ]] || die "the training of $engine counted nothing"
}
