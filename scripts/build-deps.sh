#!/usr/bin/env bash
# Builds LevelDB and RocksDB for lsmkit, once, and tells Go where they are.
#
#     eval "$(scripts/build-deps.sh --print-env)" && go build ./...
#
# Read from the bottom: main decides, the files in deps/ do the work.
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

# What the static libraries themselves need. -lstdc++ comes after the group.
COMPANION_LIBS=(-lsnappy -llz4 -lzstd -lz -lstdc++ -lm -ldl -lpthread)

PREFIX="" TARBALLS="" FROM_SOURCE=0 NO_INSTALL=0 PRINT_ENV=0
CXX=${CXX:-g++}

usage() {
    cat <<'TEXT'
usage: build-deps.sh [--prefix DIR] [--tarballs DIR] [--from-source] [--no-install] [--print-env] [--help]

Builds the static libraries of LevelDB and RocksDB and both upstream db_bench
programs, unless that is done already.

  --prefix DIR     build into DIR (implies --from-source); by default into
                   ${XDG_CACHE_HOME:-~/.cache}/lsmkit/deps/KEY
  --tarballs DIR   look here for the release tarballs before the network
  --from-source    do not use the distribution's libraries, however recent
  --no-install     never call the package manager; say what is missing instead
  --print-env      print the shell commands that export CGO_CFLAGS and CGO_LDFLAGS
  --help           this text
TEXT
}

say() { printf 'build-deps: %s\n' "$*" >&2; }
warn() { printf 'build-deps: warning: %s\n' "$*" >&2; }
die() {
    printf 'build-deps: %s\n' "$*" >&2
    exit 1
}
bad_usage() {
    printf 'build-deps: %s\n' "$1" >&2
    usage | head -n 1 >&2
    exit 2
}

# run COMMAND ARG...: a step of the build, its output in the log. Descriptor 9,
# the lock, is not passed on: a compiler that survives a killed script must not
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
    while (($# > 0)); do
        case $1 in
        --prefix | --tarballs)
            (($# >= 2)) && [[ -n $2 ]] || bad_usage "$1 needs a directory"
            if [[ $1 == --prefix ]]; then PREFIX=$2; else TARBALLS=$2; fi
            shift
            ;;
        --from-source) FROM_SOURCE=1 ;;
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

# recipe: everything that decides what the libraries are. It is the stamp's
# text, and its hash is the key.
recipe() {
    printf 'leveldb %s %s\nrocksdb %s %s\n' \
        "$LEVELDB_VERSION" "$LEVELDB_SHA256" "$ROCKSDB_VERSION" "$ROCKSDB_SHA256"
    printf 'compiler %s %s %s\n' "$CXX" "$("$CXX" -dumpmachine)" "$("$CXX" -dumpfullversion 2>/dev/null || "$CXX" -dumpversion)"
    printf 'leveldb-option %s\n' "${LEVELDB_OPTIONS[@]}"
    printf 'rocksdb-option %s\n' "${ROCKSDB_OPTIONS[@]}"
}

# is_complete PREFIX RECIPE: the stamp is the last file written before the swap.
is_complete() {
    [[ -f $1/stamp && -f $1/lib/libleveldb.a && -f $1/lib/librocksdb.a &&
        -x $1/bin/leveldb_db_bench && -x $1/bin/rocksdb_db_bench &&
        $(<"$1/stamp") == "$2" ]]
}

# build PREFIX RECIPE: builds into a staging directory beside PREFIX, then swaps.
build() {
    local prefix=$1 want=$2 jobs started=$SECONDS
    say "building LevelDB $LEVELDB_VERSION and RocksDB $ROCKSDB_VERSION into $prefix"
    STAGING=$(mktemp -d "$prefix.staging.XXXXXX")
    WORK=$STAGING/work
    LOG=$prefix.log
    mkdir -p "$WORK" "$STAGING/out/"{bin,include,lib}
    : >"$LOG"
    jobs=$(build_jobs)

    fetch_tarball leveldb "$LEVELDB_VERSION" "$LEVELDB_SHA256" "$LEVELDB_URL"
    run tar -xzf "$TARBALL" -C "$WORK"
    fetch_tarball rocksdb "$ROCKSDB_VERSION" "$ROCKSDB_SHA256" "$ROCKSDB_URL"
    run tar -xzf "$TARBALL" -C "$WORK"

    say "compiling LevelDB ($jobs jobs)"
    build_leveldb "$WORK/leveldb-$LEVELDB_VERSION" "$WORK/leveldb" "$STAGING/out" "$jobs"
    say "compiling RocksDB ($jobs jobs, a few minutes)"
    build_rocksdb "$WORK/rocksdb-$ROCKSDB_VERSION" "$WORK/rocksdb" "$STAGING/out" "$jobs"

    printf '%s\n' "$want" >"$STAGING/out/stamp"
    swap "$STAGING/out" "$prefix"
    rm -rf -- "$STAGING"
    STAGING=
    say "done in $((SECONDS - started)) s"
}

# swap NEW PREFIX: two renames. Killed between them, PREFIX is absent, not half.
swap() {
    local old=$2.old.$$
    [[ ! -e $2 ]] || mv -T -- "$2" "$old"
    mv -T -- "$1" "$2"
    rm -rf -- "$old"
}

cleanup() {
    [[ -z ${STAGING:-} ]] || rm -rf -- "$STAGING"
}

# locked_build PREFIX: one build of a prefix at a time.
locked_build() {
    local prefix=$1 want
    mkdir -p -- "$(dirname -- "$prefix")"
    exec 9>"$prefix.lock"
    if ! flock -n 9; then
        say "another build of $prefix is running: waiting for it"
        flock 9
    fi
    want=$(recipe)
    ! is_complete "$prefix" "$want" || return 0
    # What a killed build left.
    rm -rf -- "$prefix".staging.* "$prefix".old.*
    if [[ -e $prefix && ! -f $prefix/stamp && -n $(ls -A -- "$prefix") ]]; then
        die "$prefix is not empty and was not made by this script: it is left alone"
    fi
    build "$prefix" "$want"
}

# quote_go ARG: one argument as Go reads it in CGO_CFLAGS: quotes only around a
# whole argument, and no escapes.
quote_go() {
    case $1 in
    *[[:space:]]*)
        if [[ $1 != *\"* ]]; then
            printf '"%s"' "$1"
        elif [[ $1 != *\'* ]]; then
            printf "'%s'" "$1"
        else
            die "cannot be quoted for Go: $1"
        fi
        ;;
    *) printf '%s' "$1" ;;
    esac
}

# export_line NAME ARG...: a line that any POSIX shell reads back.
export_line() {
    local name=$1 value='' arg
    shift
    for arg in "$@"; do
        value+=${value:+ }$(quote_go "$arg")
    done
    printf "export %s='%s'\n" "$name" "${value//\'/\'\\\'\'}"
}

print_env() {
    # -O2 -g is Go's own default, which setting CGO_CFLAGS drops.
    export_line CGO_CFLAGS -O2 -g "${CGO_INCLUDE[@]}"
    export_line CGO_LDFLAGS "${CGO_LIBS[@]}"
    export_line LSMKIT_DEPS "$PREFIX"
}

main() {
    parse_flags "$@"
    if [[ $FROM_SOURCE == 0 && -z $PREFIX ]] && use_system; then
        say "using the system's LevelDB and RocksDB"
        [[ $PRINT_ENV == 0 ]] || print_env
        return 0
    fi
    STAGING=
    trap cleanup EXIT
    local root want
    root=$(cache_root)
    TARBALL_CACHE=$root/tarballs
    set_engine_options
    command -v "$CXX" >/dev/null || require_tools
    want=$(recipe)
    if [[ -z $PREFIX ]]; then
        PREFIX=$root/deps/leveldb-$LEVELDB_VERSION-rocksdb-$ROCKSDB_VERSION-$(sha256sum <<<"$want" | cut -c1-12)
    elif [[ $PREFIX != /* ]]; then
        PREFIX=$PWD/$PREFIX
    fi
    if ! is_complete "$PREFIX" "$want"; then
        require_tools
        locked_build "$PREFIX"
    fi
    CGO_INCLUDE=("-I$PREFIX/include")
    CGO_LIBS=("-L$PREFIX/lib" -Wl,--start-group -lleveldb -lrocksdb -Wl,--end-group "${COMPANION_LIBS[@]}")
    [[ $PRINT_ENV == 0 ]] || print_env
}

main "$@"
