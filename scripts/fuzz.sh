#!/usr/bin/env bash
# Runs every fuzz target of the module for a while: fuzz.sh FUZZTIME
#
# `go test -fuzz` takes one target of one package at a time, so they are looked
# up first.
set -euo pipefail

fuzztime=${1:?usage: fuzz.sh FUZZTIME}
count=0
for package in $(go list ./...); do
    # -list also prints the closing line of the package.
    for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
        echo "fuzzing $package $target for $fuzztime"
        go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" "$package"
        count=$((count + 1))
    done
done
echo "$count fuzz targets passed"
