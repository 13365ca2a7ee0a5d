# shellcheck shell=bash
# The build tools and compression libraries. Sourced by build-deps.sh.

# Debian's names; install_packages has those of others.
DEBIAN_PACKAGES=(g++ cmake ninja-build libsnappy-dev liblz4-dev libzstd-dev zlib1g-dev libgflags-dev)

# missing_tools: prints what a build needs and cannot find, one word each.
missing_tools() {
    local tool
    for tool in cmake ninja; do
        command -v "$tool" >/dev/null || echo "$tool"
    done
    missing_libraries
    ! command -v "$CXX" >/dev/null || links gflags/gflags.h gflags || echo gflags
}

# missing_libraries: what every Go program with the engines needs to link, even
# where the distribution has the engines.
missing_libraries() {
    local pair
    if ! command -v "$CXX" >/dev/null; then
        echo "$CXX"
        return 0
    fi
    for pair in snappy.h:snappy lz4.h:lz4 zstd.h:zstd zlib.h:z; do
        links "${pair%%:*}" "${pair##*:}" || echo "${pair##*:}"
    done
}

# links HEADER LIBRARY: whether the compiler finds both.
links() {
    printf '#include <%s>\nint main() { return 0; }\n' "$1" |
        "$CXX" -x c++ - -o /dev/null "-l$2" 2>/dev/null
}

# require WHAT LOG: installs what the function WHAT finds missing, or says exactly
# what to install.
require() {
    local missing
    missing=$("$1" | tr '\n' ' ')
    [[ -n $missing ]] || return 0
    if [[ $NO_INSTALL == 1 ]]; then
        die "missing: ${missing% }, and --no-install forbids to install it. $(install_hint)"
    fi
    say "installing tools and libraries (missing: ${missing% })"
    if ! install_packages >"$2" 2>&1; then
        tail -n 15 "$2" >&2
        die "could not install: ${missing% }. $(install_hint)"
    fi
    missing=$("$1" | tr '\n' ' ')
    [[ -z $missing ]] || die "still missing after the installation: ${missing% }. $(install_hint)"
}

# install_packages: by the platform's package manager, as root or through sudo.
install_packages() {
    local as_root=()
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || { warn "not root, and no sudo"; return 1; }
        # -n: a question for a password would hang a script.
        as_root=(sudo -n)
    fi
    if command -v apt-get >/dev/null; then
        # The lists of a fresh container are empty. A failed update may concern
        # some other source of the machine; the installation tells.
        run_bounded 120 "${as_root[@]}" apt-get -qq update || true
        run_bounded 600 "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
            -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 \
            --no-install-recommends install "${DEBIAN_PACKAGES[@]}"
    elif command -v dnf >/dev/null; then
        run_bounded 600 "${as_root[@]}" dnf -q -y install gcc-c++ cmake ninja-build \
            snappy-devel lz4-devel libzstd-devel zlib-devel gflags-devel
    elif command -v pacman >/dev/null; then
        run_bounded 600 "${as_root[@]}" pacman -S --noconfirm --needed gcc cmake ninja \
            snappy lz4 zstd zlib gflags
    elif command -v apk >/dev/null; then
        run_bounded 600 "${as_root[@]}" apk add g++ cmake samurai snappy-dev lz4-dev \
            zstd-dev zlib-dev gflags-dev linux-headers
    else
        warn "no package manager that this script knows"
        return 1
    fi
}

install_hint() {
    echo "On Debian or Ubuntu:  apt-get install ${DEBIAN_PACKAGES[*]}"
}
