# shellcheck shell=bash
# The libraries of the distribution, when they will do. Sourced by build-deps.sh.

# RocksDB must be of the pinned minor version: its C API changes signatures
# between minors, and grocksdb is written for one of them. LevelDB's C API has
# been stable since 1.23.

# system_root ROOT...: prints the first ROOT whose include directory holds both
# engines' headers in the wanted versions, or fails.
system_root() {
    local root
    for root in "$@"; do
        if system_rocksdb_ok "$root/include" && system_leveldb_ok "$root/include"; then
            echo "$root"
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

# use_system ROOT...: sets CGO_INCLUDE and CGO_LIBS when the engines under one of
# the roots are recent enough and link. The compression libraries that Go programs
# name may be missing even then: a distribution's RocksDB is a shared library.
use_system() {
    local root
    root=$(system_root "$@") || return 1
    CGO_INCLUDE=()
    CGO_LIBS=(-lleveldb -lrocksdb "${COMPANION_LIBS[@]}")
    # The compiler looks into /usr by itself, and in the right order.
    if [[ $root != /usr ]]; then
        CGO_INCLUDE=("-I$root/include")
        CGO_LIBS=("-L$root/lib" "${CGO_LIBS[@]}")
    fi
    if ! system_links; then
        require missing_libraries "$INSTALL_LOG"
        # Headers alone prove nothing about the libraries.
        system_links
    fi
}

# system_links: whether a C program with both engines links.
system_links() {
    printf '%s\n' '#include <leveldb/c.h>' '#include <rocksdb/c.h>' \
        'int main(void) { return leveldb_major_version() + !rocksdb_options_create(); }' |
        "${CC:-cc}" -x c - -x none -o /dev/null "${CGO_INCLUDE[@]}" "${CGO_LIBS[@]}" 2>/dev/null
}
