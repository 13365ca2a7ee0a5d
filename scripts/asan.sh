#!/usr/bin/env bash
# Runs the tests of the C boundary under the address sanitizer:
# asan.sh GO-TEST-ARGUMENT...
#
# The engines themselves are not instrumented; their allocations are, so use
# after free, double free, overruns of C's heap and leaks of C's memory are seen.
# An overrun of a Go slice by C is not: lengths are checked in Go and C. What has no C
# beneath it is left out: there is nothing to find, and Go itself allocates more.
set -euo pipefail

here=$(dirname -- "$0")
binaries=$(mktemp -d)
trap 'rm -rf -- "$binaries"' EXIT

export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
# -o: `go test` strips the binaries that it does not keep, and a leak without the
# names of functions cannot be traced.
bash "$here/gotest.sh" -asan -tags asan -o "$binaries/" "$@" \
    ./leveldb/... ./rocksdb/... ./store/engines/... ./internal/malloc ./internal/overhead ./internal/plain
