#!/usr/bin/env bash
# Builds LevelDB and RocksDB for lsmkit, once, and tells Go where they are.
#
#     eval "$(scripts/build-deps.sh --print-env)" && go build ./...
#
# Read from the bottom: main decides, build and the files in deps/ do the work.
# Nothing is written beside the script, which may lie in a read-only module cache.
set -euo pipefail

HELPERS=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/deps
# shellcheck source=deps/pins.sh
source "$HELPERS/pins.sh"
# shellcheck source=deps/engines.sh
source "$HELPERS/engines.sh"
# shellcheck source=deps/fetch.sh
source "$HELPERS/fetch.sh"
# shellcheck source=deps/install.sh
source "$HELPERS/install.sh"
# shellcheck source=deps/system.sh
source "$HELPERS/system.sh"
# shellcheck source=deps/tune.sh
source "$HELPERS/tune.sh"

# What the static libraries themselves need, behind their link group.
COMPANION_LIBS=(-lsnappy -llz4 -lzstd -lz -lstdc++ -lm -ldl -lpthread)

usage() {
    cat <<'TEXT'
usage: build-deps.sh [--prefix DIR] [--tarballs DIR] [--from-source] [--tuned] [--no-install] [--print-env] [--help]

Builds the static libraries of LevelDB and RocksDB and both upstream db_bench
programs, unless that is done already.

  --prefix DIR     build into DIR (implies --from-source); by default into
                   ${XDG_CACHE_HOME:-~/.cache}/lsmkit/deps/KEY
  --tarballs DIR   look here for the release tarballs before the network
  --from-source    do not use the distribution's libraries, however recent
  --tuned          build libraries that are optimised for what the benchmarks do,
                   by a profile of them (implies --from-source; GCC only; takes
                   three times as long; kept beside the others)
  --no-install     never call the package manager; say what is missing instead
  --print-env      print the shell commands that export CGO_CFLAGS, CGO_LDFLAGS
                   and LSMKIT_DEPS (the prefix; empty with the distribution's
                   libraries, which come without the db_bench programs)
  --help           this text

CC and CXX name the compilers, one word each.
TEXT
}

say() { printf 'build-deps: %s\n' "$*" >&2; }
warn() { say "warning: $*"; }
die() {
    say "$*"
    exit 1
}
bad_usage() {
    say "$1"
    usage | head -n 1 >&2
    exit 2
}

# run COMMAND ARG...: a step of the build, its output in the log. Descriptor 9,
# the lock, is not passed on: a compiler that outlives a killed script must not
# hold up the next one.
run() {
    printf '+ %s\n' "$*" >>"$LOG"
    "$@" >>"$LOG" 2>&1 9>&- || {
        tail -n 30 "$LOG" >&2
        die "failed: $1 (the whole log: $LOG)"
    }
}

# run_bounded SECONDS COMMAND ARG...
run_bounded() {
    timeout --kill-after=5 "$@" 9>&-
}

parse_flags() {
    PREFIX='' TARBALLS='' FROM_SOURCE=0 NO_INSTALL=0 PRINT_ENV=0 KIND=stock
    while (($# > 0)); do
        case $1 in
        --prefix | --tarballs)
            if (($# < 2)) || [[ -z $2 ]]; then bad_usage "$1 needs a directory"; fi
            if [[ $1 == --prefix ]]; then PREFIX=$2; else TARBALLS=$2; fi
            shift
            ;;
        --from-source) FROM_SOURCE=1 ;;
        --tuned) KIND=tuned ;;
        --no-install) NO_INSTALL=1 ;;
        --print-env) PRINT_ENV=1 ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) bad_usage "unknown flag: $1" ;;
        esac
        shift
    done
    [[ -z $TARBALLS || -d $TARBALLS ]] || bad_usage "--tarballs: no directory $TARBALLS"
}

# cache_root: the directory of everything that this script keeps.
cache_root() {
    # The specification says that a relative XDG_CACHE_HOME is to be ignored.
    if [[ ${XDG_CACHE_HOME:-} == /* ]]; then
        echo "$XDG_CACHE_HOME/lsmkit"
    elif [[ -n ${HOME:-} ]]; then
        echo "$HOME/.cache/lsmkit"
    else
        die "neither XDG_CACHE_HOME nor HOME is set"
    fi
}

compiler_version() {
    "$CXX" -dumpfullversion 2>/dev/null || "$CXX" -dumpversion
}

# recipe: everything that decides what the libraries are. It is the text of the
# stamp, and its hash is the key of the prefix.
recipe() {
    printf 'build %s\n' "$KIND"
    printf 'leveldb %s %s\n' "$LEVELDB_VERSION" "$LEVELDB_SHA256"
    printf 'rocksdb %s %s\n' "$ROCKSDB_VERSION" "$ROCKSDB_SHA256"
    printf 'compiler %s %s %s\n' "$CXX" "$("$CXX" -dumpmachine)" "$(compiler_version)"
    printf 'leveldb-option %s\n' "${LEVELDB_OPTIONS[@]}"
    printf 'rocksdb-option %s\n' "${ROCKSDB_OPTIONS[@]}"
    printf 'leveldb-flags %s\n' "${LEVELDB_EXTRA[*]}"
    printf 'rocksdb-flags %s\n' "${ROCKSDB_EXTRA[*]}"
    [[ $KIND != tuned ]] || training_text
    printf 'helpers %s\n' "$(cat "$HELPERS"/*.cmake "$HELPERS"/gtest-standin/*/*.h | sha256sum | cut -c1-16)"
}

# prefix_of RECIPE ROOT: the directory to build into, absolute.
prefix_of() {
    local prefix
    if [[ -z $PREFIX ]]; then
        prefix=$2/deps/leveldb-$LEVELDB_VERSION-rocksdb-$ROCKSDB_VERSION
        [[ $KIND == stock ]] || prefix+=-$KIND
        prefix+=-$(sha256sum <<<"$1" | cut -c1-12)
    else
        prefix=$(realpath -m -- "$PREFIX")
    fi
    # Go reads CGO_CFLAGS with quotes around arguments but without escapes.
    case $prefix in
    *[\"\'$'\n']*) die "a prefix with a quote or a newline in its name cannot be told to Go: $prefix" ;;
    esac
    echo "$prefix"
}

# is_complete PREFIX RECIPE: the stamp is the last file written before the swap.
is_complete() {
    [[ -f $1/stamp && -f $1/lib/libleveldb.a && -f $1/lib/librocksdb.a &&
        -x $1/bin/leveldb_db_bench && -x $1/bin/rocksdb_db_bench &&
        $(<"$1/stamp") == "$2" ]]
}

# locked_build PREFIX RECIPE: one build of a prefix at a time; the second of two
# waits and finds the work done.
locked_build() {
    local prefix=$1 want=$2
    mkdir -p -- "$(dirname -- "$prefix")"
    exec 9>"$prefix.lock"
    if ! flock --nonblock 9; then
        say "another build of $prefix is running: waiting for it"
        flock 9
    fi
    if is_complete "$prefix" "$want"; then
        return 0
    fi
    remove "$prefix".staging.* "$prefix".old.*
    if [[ -e $prefix && ! -f $prefix/stamp ]] && ! rmdir -- "$prefix" 2>/dev/null; then
        die "$prefix is neither empty nor made by this script: it is left alone"
    fi
    build "$prefix" "$want"
}

# build PREFIX RECIPE: builds into a staging directory beside PREFIX, then swaps.
build() {
    local prefix=$1 jobs out started=$SECONDS
    say "building $KIND LevelDB $LEVELDB_VERSION and RocksDB $ROCKSDB_VERSION into $prefix"
    STAGING=$(mktemp -d "$prefix.staging.XXXXXX")
    WORK=$STAGING/work
    LOG=$prefix.log
    out=$STAGING/out
    mkdir -p "$WORK" "$out"/{bin,include,lib}
    : >"$LOG"
    jobs=$(build_jobs)

    fetch_tarball leveldb "$LEVELDB_VERSION" "$LEVELDB_SHA256" "$LEVELDB_URL"
    run tar -xzf "$TARBALL" -C "$WORK"
    fetch_tarball rocksdb "$ROCKSDB_VERSION" "$ROCKSDB_SHA256" "$ROCKSDB_URL"
    run tar -xzf "$TARBALL" -C "$WORK"

    build_engine leveldb "$WORK/leveldb-$LEVELDB_VERSION" "$WORK/leveldb" "$out" "$jobs"
    build_engine rocksdb "$WORK/rocksdb-$ROCKSDB_VERSION" "$WORK/rocksdb" "$out" "$jobs"

    printf '%s\n' "$2" >"$out/stamp"
    swap "$out" "$prefix"
    say "done in $((SECONDS - started)) s"
}

# swap NEW PREFIX: two renames. Killed between them, PREFIX is absent, not half.
swap() {
    local old=$2.old.$$
    [[ ! -e $2 ]] || mv -T -- "$2" "$old"
    mv -T -- "$1" "$2"
    remove "$old"
}

# remove DIR...: a compiler that outlived its script may still write into what
# is deleted here, which makes rm fail: a second pass, and no more. Whatever is
# left, the next build removes.
remove() {
    rm -rf -- "$@" 2>/dev/null || rm -rf -- "$@" || true
}

cleanup() {
    [[ -z ${STAGING:-} ]] || remove "$STAGING"
}

# quote_go ARG: one argument as Go reads it in CGO_CFLAGS.
quote_go() {
    case $1 in
    *[[:space:]]*) printf '"%s"' "$1" ;;
    *) printf '%s' "$1" ;;
    esac
}

# export_line NAME ARG...: a line that any POSIX shell reads back. No argument
# has a single quote in it: prefix_of saw to that.
export_line() {
    local name=$1 value='' arg
    shift
    for arg in "$@"; do
        value+=${value:+ }$(quote_go "$arg")
    done
    printf "export %s='%s'\n" "$name" "$value"
}

# print_env [PREFIX]
print_env() {
    # -O2 -g is Go's own default, which setting CGO_CFLAGS drops.
    export_line CGO_CFLAGS -O2 -g "${CGO_INCLUDE[@]}"
    export_line CGO_LDFLAGS "${CGO_LIBS[@]}"
    printf "export LSMKIT_DEPS='%s'\n" "${1:-}"
}

main() {
    parse_flags "$@"
    local root want prefix
    root=$(cache_root)
    TARBALL_CACHE=$root/tarballs
    INSTALL_LOG=$root/install.log
    mkdir -p -- "$root"
    # CMake reads the compiler from here too.
    export CXX=${CXX:-g++}
    if [[ $FROM_SOURCE == 0 && -z $PREFIX && $KIND == stock ]] && use_system /usr /usr/local; then
        say "using the system's LevelDB and RocksDB (--from-source builds the pinned ones, with db_bench)"
        [[ $PRINT_ENV == 0 ]] || print_env
        return 0
    fi

    trap cleanup EXIT
    set_engine_options
    # The recipe names the compiler, so that must be there first.
    command -v "$CXX" >/dev/null || require missing_tools "$INSTALL_LOG"
    if [[ $KIND == tuned ]]; then
        can_tune || die "--tuned takes g++ 10 or newer, which $CXX is not"
    fi
    want=$(recipe)
    prefix=$(prefix_of "$want" "$root")
    if ! is_complete "$prefix" "$want"; then
        require missing_tools "$INSTALL_LOG"
        locked_build "$prefix" "$want"
    fi

    CGO_INCLUDE=("-I$prefix/include")
    # levigo and grocksdb name the libraries themselves, and find ours by -L; the
    # group makes the order of the two in the final command line irrelevant.
    CGO_LIBS=("-L$prefix/lib" "-Wl,--start-group" -lleveldb -lrocksdb "-Wl,--end-group" "${COMPANION_LIBS[@]}")
    [[ $PRINT_ENV == 0 ]] || print_env "$prefix"
}

main "$@"
