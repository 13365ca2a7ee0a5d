#!/usr/bin/env bash
# Runs `go test` quietly but not silently: gotest.sh GO-TEST-ARGUMENT...
#
# Plain `go test` hides skipped tests, `go test -v` drowns them. This prints the
# closing line of every package, then every skipped test with its reason, then
# the totals; when something fails, also the whole output but for the tests that
# passed.
set -euo pipefail

log=$(mktemp)
trap 'rm -f -- "$log"' EXIT

status=0
go test -v "$@" 2>&1 | tee "$log" | grep --line-buffered -E '^(ok|FAIL|panic:)[[:space:]]' || status=${PIPESTATUS[0]}

if ((status != 0)); then
    echo "--- the output of what failed:"
    grep -vE '^(=== (RUN|PAUSE|CONT)|ok[[:space:]]|PASS$)|^ *--- (PASS|SKIP)' "$log" || true
fi

# A test's log lines follow the === line that names it, whichever tests run at
# the same time, so they are kept by name. Names are per package; a closing line
# of a package ends them.
awk '
    /^=== / { current = $3; next }
    /^ *--- PASS: / { passed++; next }
    /^ *--- FAIL: / { failed++; next }
    /^ *--- SKIP: / { skipped++; skips = skips "skipped: " $3 "\n" said[$3]; next }
    /^(ok|FAIL)[ \t]/ {
        if ($1 == "FAIL") broken++
        delete said
        next
    }
    { said[current] = said[current] $0 "\n" }
    END {
        printf "%s", skips
        # A package that does not compile has no failed test, yet has failed.
        if (broken > 0 && failed == 0) failed = broken
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    }' "$log"
exit "$status"
