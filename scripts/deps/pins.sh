# shellcheck shell=bash
# What is built: the one place to change for an upgrade of an engine.
#
# The checksums are those of the release's tag archive. Debian's original
# tarballs are the same bytes, so one checksum serves every source.
# Sourced by build-deps.sh; the variables are read there and in its helpers.
# shellcheck disable=SC2034

LEVELDB_VERSION=1.23
LEVELDB_SHA256=9a37f8a6174f09bd622bc723b55881dc541cd50747cbd08831c2a82d620f6d76
LEVELDB_URL=https://github.com/google/leveldb/archive/refs/tags/${LEVELDB_VERSION}.tar.gz

ROCKSDB_VERSION=9.10.0
ROCKSDB_SHA256=fdccab16133c9d927a183c2648bcea8d956fb41eb1df2aacaa73eb0b95e43724
ROCKSDB_URL=https://github.com/facebook/rocksdb/archive/refs/tags/v${ROCKSDB_VERSION}.tar.gz

# The Debian suite whose source packages are made of exactly these tarballs.
DEBIAN_SUITE=trixie
