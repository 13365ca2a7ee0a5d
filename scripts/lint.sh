#!/usr/bin/env bash
# All checks that need no test to run, in the order of their cost. Every check
# runs, and the script fails at the end if one of them did.
set -euo pipefail

failed=0
check() {
    local name=$1
    shift
    if "$@"; then
        echo "lint: $name: ok"
    else
        echo "lint: $name: failed"
        failed=1
    fi
}

# shellcheck disable=SC2317 # check calls it.
formatted() {
    local files
    files=$(gofmt -l .)
    [[ -z $files ]] || {
        printf 'not formatted (gofmt -w FILE):\n%s\n' "$files"
        return 1
    }
}

# install_shellcheck: best effort; a developer's machine may not allow it.
install_shellcheck() {
    command -v shellcheck >/dev/null && return 0
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    timeout 60 apt-get -qq update >/dev/null 2>&1 || true
    timeout 120 env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
        install shellcheck >/dev/null 2>&1
}

check gofmt formatted
if install_shellcheck; then
    check shellcheck shellcheck --check-sourced scripts/*.sh .ci/run
else
    echo "lint: shellcheck: not installed, skipped"
fi
check "go mod tidy" go mod tidy -diff
check "go mod tidy (tools)" go -C tools mod tidy -diff
check "go mod tidy (metrics)" go -C metrics/prometheus mod tidy -diff
check "go vet" go vet ./...
check "go vet (metrics)" go -C metrics/prometheus vet ./...
check staticcheck go tool -modfile=tools/go.mod staticcheck ./...
check "staticcheck (metrics)" env -C metrics/prometheus go tool -modfile=../../tools/go.mod staticcheck ./...
if [[ -d internal/tidy ]]; then
    check "house rules" go test ./internal/tidy
fi
exit "$failed"
