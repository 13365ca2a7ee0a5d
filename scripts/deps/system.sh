# shellcheck shell=bash
# The libraries of the distribution, when they will do. Sourced by build-deps.sh.

# RocksDB must be of the pinned minor version: its C API changes signatures
# between minors, and grocksdb is written for one of them. LevelDB's C API has
# been stable since 1.23.

# system_include: prints the include directory that holds both engines'
# headers in the wanted versions, or fails. LSMKIT_SYSTEM_ROOT moves the search
# for tests.
system_include() {
    local dir
    for dir in "${LSMKIT_SYSTEM_ROOT:-}"/usr/include "${LSMKIT_SYSTEM_ROOT:-}"/usr/local/include; do
        if system_rocksdb_ok "$dir" && system_leveldb_ok "$dir"; then
            echo "$dir"
            return 0
        fi
    done
    return 1
}

# header_number FILE REGEX: the first number captured by REGEX in FILE.
header_number() {
    sed -nE "s/$2/\\1/p" "$1" 2>/dev/null | head -n 1
}

system_rocksdb_ok() {
    local header=$1/rocksdb/version.h major minor
    [[ -f $1/rocksdb/c.h && -f $header ]] || return 1
    major=$(header_number "$header" '^#define ROCKSDB_MAJOR ([0-9]+).*')
    minor=$(header_number "$header" '^#define ROCKSDB_MINOR ([0-9]+).*')
    [[ $major.$minor == "${ROCKSDB_VERSION%.*}" ]]
}

system_leveldb_ok() {
    local header=$1/leveldb/db.h major minor
    [[ -f $1/leveldb/c.h && -f $header ]] || return 1
    major=$(header_number "$header" '.*kMajorVersion = ([0-9]+).*')
    minor=$(header_number "$header" '.*kMinorVersion = ([0-9]+).*')
    [[ $major == "${LEVELDB_VERSION%%.*}" ]] && ((${minor:-0} >= ${LEVELDB_VERSION#*.}))
}

# use_system: sets CGO_INCLUDE and CGO_LIBS when the system's libraries are
# recent enough and link.
use_system() {
    local include
    include=$(system_include) || return 1
    CGO_INCLUDE=()
    CGO_LIBS=(-lleveldb -lrocksdb "${COMPANION_LIBS[@]}")
    # Headers alone prove nothing about the libraries.
    printf '%s\n' '#include <leveldb/c.h>' '#include <rocksdb/c.h>' \
        'int main(void) { return leveldb_major_version() + !rocksdb_options_create(); }' |
        "${CC:-cc}" -x c - -o /dev/null "-I$include" "${CGO_LIBS[@]}" 2>/dev/null || return 1
    [[ $include == /usr/include ]] || CGO_INCLUDE=("-I$include")
}
