# shellcheck shell=bash
# Where the two tarballs come from. Sourced by build-deps.sh.
#
# Every source is only a way to get bytes; the SHA-256 decides. Each attempt is
# bounded three times: the client's own short timeouts, no retries in the
# client, and `timeout` around it, because a server that drips one byte now and
# then never trips a client's timeout.

# fetch_tarball NAME VERSION SHA256 URL: leaves the verified tarball in
# $TARBALL_CACHE and sets TARBALL to its path.
fetch_tarball() {
    local name=$1 version=$2 sha=$3 url=$4
    local file=$name-$version.tar.gz
    TARBALL=$TARBALL_CACHE/$file
    mkdir -p "$TARBALL_CACHE"

    if [[ -e $TARBALL ]]; then
        verify "$TARBALL" "$sha" "the cache" && return 0
        rm -f -- "$TARBALL"
    fi
    # What a killed run left.
    find "$TARBALL_CACHE" -name '.*.tar.gz.*' -mmin +60 -delete
    local part
    part=$(mktemp "$TARBALL_CACHE/.$file.XXXXXX")
    if from_directory "$name" "$version" "$part" "$sha" ||
        from_upstream "$url" "$part" "$sha" ||
        from_debian "$name" "$part" "$sha"; then
        mv -f -- "$part" "$TARBALL"
        return 0
    fi
    rm -f -- "$part"
    die "no source has the tarball of $name $version. Do this by hand:
  1. on a machine with network, get  $url
     (Debian's ${name}_$version.orig.tar.gz is the same file);
  2. check that its SHA-256 is      $sha
  3. save it as                     $TARBALL
     or put it as $file into a directory of your choice and pass --tarballs DIR;
  4. run this script again."
}

# verify FILE SHA256 ORIGIN: says what is wrong when the checksum differs.
verify() {
    local got
    got=$(sha256sum <"$1") || return 1
    got=${got%% *}
    [[ $got == "$2" ]] && return 0
    warn "the tarball from $3 is refused: its SHA-256 is $got, wanted $2"
    return 1
}

# from_directory NAME VERSION PART SHA256: the directory of --tarballs, under
# the name of this script, of the upstream download, or of Debian. The file
# there is the user's: a wrong one is refused but not deleted.
from_directory() {
    local candidate
    [[ -n $TARBALLS ]] || return 1
    for candidate in "$1-$2.tar.gz" "${1}_$2.orig.tar.gz" "$2.tar.gz" "v$2.tar.gz"; do
        candidate=$TARBALLS/$candidate
        [[ -f $candidate ]] || continue
        if verify "$candidate" "$4" "$candidate"; then
            cp -- "$candidate" "$3"
            return 0
        fi
    done
    warn "no usable tarball of $1 $2 in $TARBALLS"
    return 1
}

# from_upstream URL PART SHA256
from_upstream() {
    if command -v curl >/dev/null; then
        say "downloading $1"
        run_bounded 180 curl --fail --silent --show-error --location --retry 0 \
            --connect-timeout 5 --max-time 170 --speed-limit 20000 --speed-time 10 \
            --output "$2" "$1" || return 1
    elif command -v wget >/dev/null; then
        say "downloading $1"
        run_bounded 180 wget --quiet --tries=1 --timeout=10 --output-document="$2" "$1" || return 1
    else
        say "neither curl nor wget is installed: upstream is not asked"
        return 1
    fi
    verify "$2" "$3" "upstream" && return 0
    rm -f -- "$2"
    return 1
}

# from_debian NAME PART SHA256: the original tarball of Debian's source package,
# from the mirror that this machine is configured with. The machine's own lists
# are left alone: everything of apt's lives in a directory of ours, so that this
# works without root.
from_debian() {
    local name=$1 part=$2 sha=$3 version
    command -v apt-get >/dev/null || return 1
    debian_lists || return 1
    # The revision (1.23-5 today) is whichever one carries our tarball.
    version=$(apt_private apt-cache showsrc "$name" 2>/dev/null |
        awk -v sha="$sha" '/^Version:/ {version = $2} $1 == sha {print version; exit}')
    if [[ -z $version ]]; then
        warn "Debian $DEBIAN_SUITE has no $name with the wanted tarball"
        return 1
    fi
    say "taking the tarball of $name from Debian's source package $version"
    (cd "$APT_PRIVATE/download" &&
        apt_private apt-get -qq source --download-only --tar-only "$name=$version") >&2 || return 1
    set -- "$APT_PRIVATE/download/$name"_*.orig.tar.gz
    [[ -f $1 ]] || return 1
    if verify "$1" "$sha" "Debian"; then
        mv -f -- "$1" "$part"
        return 0
    fi
    rm -f -- "$1"
    return 1
}

# apt_private COMMAND ARG...: apt with its own sources, lists, state and cache.
apt_private() {
    local program=$1
    shift
    run_bounded 90 "$program" \
        -o Dir::Etc::SourceList=/dev/null \
        -o Dir::Etc::SourceParts="$APT_PRIVATE/sources" \
        -o Dir::State="$APT_PRIVATE/state" \
        -o Dir::State::Lists="$APT_PRIVATE/lists" \
        -o Dir::Cache="$APT_PRIVATE/cache" \
        -o APT::Sandbox::User=root \
        -o Acquire::Languages=none \
        -o Acquire::Retries=0 \
        -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 \
        "$@"
}

# debian_lists: fetches the source index of $DEBIAN_SUITE, once per run, from
# the first configured mirror that has it.
debian_lists() {
    [[ -z ${DEBIAN_LISTS:-} ]] || { [[ $DEBIAN_LISTS == ok ]]; return; }
    DEBIAN_LISTS=failed
    APT_PRIVATE=$WORK/apt
    local uri entry
    while IFS='|' read -r uri entry; do
        rm -rf -- "$APT_PRIVATE"
        mkdir -p "$APT_PRIVATE"/{sources,state,lists/partial,cache/archives/partial,download}
        debian_source "$uri" "$entry" >"$APT_PRIVATE/sources/lsmkit.sources"
        say "reading the source index of Debian $DEBIAN_SUITE"
        # Error-Mode=any: without it a failed index is only a warning.
        if apt_private apt-get -qq -o APT::Update::Error-Mode=any update >&2; then
            DEBIAN_LISTS=ok
            return 0
        fi
    done < <(debian_mirrors)
    warn "no configured mirror has Debian $DEBIAN_SUITE"
    return 1
}

# debian_mirrors: the address and the file:line of every configured Debian main
# archive. apt itself reads its sources, whatever their format; updates and
# security archives (a dash in the release's name) carry no full index.
debian_mirrors() {
    # shellcheck disable=SC2016 # apt fills these in, not the shell.
    apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)|$(CREATED_BY)|$(SOURCESENTRY)' 2>/dev/null |
        awk -F'|' '
            # The origin is unknown (the name comes back) before the first update.
            ($4 == "Debian" || $4 !~ /^[A-Z]/) && $2 !~ /[-\/]/ && $3 == "main" &&
            $5 == "Packages" && !seen[$1]++ {print $1 "|" $6}'
}

# debian_source URI FILE:LINE: a source list of one entry. The key is the one
# that the machine already trusts this mirror with: a mirror may be signed anew.
debian_source() {
    local key file=${2%:*}
    key=$(sed -nE 's/^[[:space:]]*[Ss]igned-[Bb]y:[[:space:]]*(\/[^[:space:]]+).*/\1/p
        s/^[^#]*\[[^]]*signed-by=(\/[^] ]+).*/\1/p' "$file" 2>/dev/null | head -n 1)
    if [[ -z $key ]]; then
        for key in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg} ""; do
            [[ -f $key ]] && break
        done
    fi
    printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "$DEBIAN_SUITE"
    [[ -z $key ]] || printf 'Signed-By: %s\n' "$key"
}
