#!/usr/bin/env bash
# Runs `go test` quietly but not silently:
# gotest.sh [--also FOLDER]... GO-TEST-ARGUMENT...
# The tests are those of the module here, and of those in the other folders.
#
# Plain `go test` hides skipped tests, `go test -v` drowns them. This prints the
# closing line of every package and what failing tests said, then every skipped
# test with its reason, then the totals.
set -euo pipefail

# A test's log lines follow the === line that names it, whichever tests run at
# the same time, so they are kept by name and dropped when it passes. What was
# said outside a test that ended (a panic, a compiler's error, a leak found at
# exit) is still there when its package fails. The race detector writes to
# whichever test is current, so its reports outlive that one's success.
# shellcheck disable=SC2016 # awk's dollars, not the shell's.
filter='
    /^=== / { current = $3; next }
    /^ *--- PASS: / { passed++; if (said[$3] ~ /DATA RACE/) races = races said[$3]; delete said[$3]; next }
    /^ *--- SKIP: / { skipped++; skips = skips "skipped: " $3 "\n" said[$3]; delete said[$3]; next }
    /^ *--- FAIL: / { failed++; printf "%s\n%s", $0, said[$3]; delete said[$3]; next }
    /^\?/ || /^PASS$/ || /^FAIL$/ { next }
    /^(ok|FAIL)[ \t]/ {
        if ($1 == "FAIL") {
            broken++
            printf "%s", races
            for (name in said) printf "%s", said[name]
        }
        print
        fflush()
        split("", said)
        races = ""
        next
    }
    { said[current] = said[current] $0 "\n" }
    END {
        # What the go command itself had to say.
        for (name in said) printf "%s", said[name]
        printf "%s", skips
        # A package that does not compile has no failed test, yet has failed.
        if (broken > failed) failed = broken
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    }'

also=()
while [[ ${1-} == --also ]]; do
    also+=("$2")
    shift 2
done

# tests runs them in all modules, and returns the first status that is not 0.
tests() {
    local dir status=0
    go test -v "$@" || status=$?
    for dir in "${also[@]}"; do
        go -C "$dir" test -v "$@" || ((status)) || status=1
    done
    return "$status"
}

status=0
tests "$@" 2>&1 | awk "$filter" || status=${PIPESTATUS[0]}
exit "$status"
