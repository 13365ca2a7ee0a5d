#!/usr/bin/env bash
# Runs the tests of the C boundary under the address sanitizer:
# asan.sh GO-TEST-ARGUMENT...
#
# The engines themselves are not instrumented; their allocations are, so use
# after free, double free, overruns of C's heap and leaks of C's memory are seen.
# An overrun of a Go slice by C is not: lengths are checked in Go and C.
set -euo pipefail

export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=0:${ASAN_OPTIONS:-}"
# The house rules read source text: no C there.
internal=$(go list ./internal/... | grep -v '/internal/tidy$')
# shellcheck disable=SC2086 # a list of words
exec bash "$(dirname -- "$0")/gotest.sh" -asan -tags asan "$@" ./leveldb/... ./rocksdb/... ./store/engines/... $internal
