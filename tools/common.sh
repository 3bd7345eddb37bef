# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # variables go to and fro between this file and its users
# Sourced by tools/quickstart and tools/test: packages, progress lines, building.
# They set: me (the command's name), steps (how many there are), log (where output goes).

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)
step=0
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
# What configure finds its shell to be also runs each line of the Makefile, and libtool: the smallest is twice as fast.
export CONFIG_SHELL=${CONFIG_SHELL-/bin/sh}

# mpirun refuses to run as root unless told twice; in a container there is often no one else.
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# give_up MESSAGE...: end with a sentence (one per argument), and with where the rest can be read.
give_up() {
    printf '\n%s: %s\n' "$me" "$1" >&2
    shift
    [ $# -eq 0 ] || printf '    %s\n' "$@" >&2
    [ -z "${log-}" ] || [ ! -s "$log" ] || printf 'The whole log: %s\n' "$log" >&2
    exit 1
}

# run_step TEXT COMMAND...: one numbered step, its output in the log; the end of the log is shown if it fails.
run_step() {
    local text=$1 begin=$SECONDS
    shift
    step=$((step + 1))
    printf '[%d/%d] %s ... ' "$step" "$steps" "$text"
    {
        echo
        echo "==== [$step/$steps] $text: $*"
    } >>"$log"
    if "$@" >>"$log" 2>&1; then
        echo "done ($((SECONDS - begin)) s)"
    else
        echo "FAILED"
        tail -n 25 "$log" | sed 's/^/    /' >&2
        give_up "the step '$text' failed; the lines above are the end of its output"
    fi
}

# package_names GROUP...: the packages of these groups in tools/packages.
package_names() {
    local group
    for group in "$@"; do
        sed -n "s/^\([a-z0-9][^ ]*\) *# $group: .*/\1/p" "$top/tools/packages"
    done
}

# packages_missing GROUP...: those of them that are not installed.
packages_missing() {
    local name
    for name in $(package_names "$@"); do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
    done
}

# packages_get NAME...: install packages, as root or through sudo.
packages_get() {
    local -a as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            echo "neither root nor sudo here"
            return 1
        }
        as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
    fi
    # The lists of a fresh container are empty or old: look first, then refresh them and look again.
    "${as_root[@]}" apt-get install -y --no-install-recommends "$@" && return
    "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends "$@"
}

# get_packages GROUP...: the step that installs what is missing. Sets got_packages to yes if there was anything.
# Only the group "build" has to succeed; what needs another group is skipped, with the reason, when it is not there.
get_packages() {
    local missing needed
    got_packages=no
    if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
        step=$((step + 1))
        echo "[$step/$steps] Packages ... this is not Debian: going on with what is there (see tools/packages)"
        return
    fi
    missing=$(packages_missing "$@" | tr '\n' ' ')
    if [ -z "$missing" ]; then
        step=$((step + 1))
        echo "[$step/$steps] Packages ... nothing is missing"
        return
    fi
    step=$((step + 1))
    echo "[$step/$steps] Packages ... installing (this can take minutes): $missing"
    if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null 2>&1; then
        sudo -v || true # asks for the password here, where the question can be seen
    fi
    # shellcheck disable=SC2086 # a list of words
    if packages_get $missing >>"$log" 2>&1; then
        got_packages=yes
        return
    fi
    needed=$(packages_missing build | tr '\n' ' ')
    if [ -n "$needed" ]; then
        tail -n 8 "$log" | sed 's/^/    /' >&2
        give_up "these packages could not be installed: $needed" \
            "Ask someone who may to run: apt-get install $needed" "and start $me again."
    fi
    got_packages=yes
    echo "      could not install all of them; what needs the others is skipped"
}

# choose_source FOLDER: sets source to the tree to build from. A tree that was configured in place cannot serve builds
# elsewhere, nor can one that we may not write to: then it is a copy in FOLDER/source.
choose_source() {
    source=$top
    [ -e "$top/config.status" ] || [ ! -w "$top" ] || return 0
    git -c safe.directory="$top" -C "$top" rev-parse --show-toplevel >/dev/null 2>&1 ||
        give_up "the source folder itself is configured, so that nothing else can be built from it" \
            "Run 'make distclean' in $top and start $me again."
    source=$1/source
    mkdir -p "$source"
    (cd "$top" && git -c safe.directory="$top" ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
        tar -c --null -T -) | tar -x -C "$source" || give_up "could not copy the sources to $source"
    # The copy is no git checkout; like a tarball it names its files for the tests that read them all.
    git -c safe.directory="$top" -C "$top" ls-files >"$source/MANIFEST"
}

# make_configure: run autogen.sh where there is no configure yet; make looks after it from then on.
make_configure() {
    [ -x "$source/configure" ] && [ -e "$source/build-aux/ltmain.sh" ] && return
    "$source/autogen.sh"
}

# configure_in FOLDER ARGUMENT...: run configure there, unless it was run with the same arguments before, and with what
# packages there are now.
configure_in() {
    local folder=$1
    shift
    mkdir -p "$folder"
    if [ -e "$folder/Makefile" ] && [ "$(cat "$folder/configured-with" 2>/dev/null)" = "$source $*" ] &&
        { [ "${got_packages-no}" = no ] || [ "$(stat -c %Y "$folder/configured-with")" -ge "${got_packages_at:-$(date +%s)}" ]; }; then
        # The sources may have changed since: the Makefile knows how to run configure again.
        make -C "$folder" Makefile || return
    else
        (cd "$folder" && "$source/configure" "$@") || return
        echo "$source $*" >"$folder/configured-with"
    fi
    # Make knows nothing of flags: what was compiled with others has to go.
    cksum <"$folder/config.status" >"$folder/config.sum.new"
    if [ -e "$folder/config.sum" ] && ! cmp -s "$folder/config.sum" "$folder/config.sum.new"; then
        make -C "$folder" clean >/dev/null
    fi
    mv "$folder/config.sum.new" "$folder/config.sum"
}

# configure_first FOLDER: as the first build is, which other stages install and run.
configure_first() {
    CFLAGS="-O2 -g1" configure_in "$1" --enable-werror --prefix="$1/prefix"
}
