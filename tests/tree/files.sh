# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the tests of the tree. Goes to the top source folder; defines tree_files, skip and finish.

src=${APELINK_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$src" || exit 1

skip() {
    echo "skipped: $*"
    exit 77
}

failures=0

[ -e .git ] || [ -e MANIFEST ] || skip "neither a git checkout nor a tarball: there is no list of the files"

# tree_files PATTERN...: the files of the source tree, one a line; patterns are those of "case".
# In a git checkout these are the tracked files, in a tarball those that it names, so that what a build or an editor
# left behind does not count.
tree_files() {
    if [ -e .git ] && command -v git >/dev/null 2>&1; then
        # Another user may own the checkout (a container's bind mount, for one); we only read it.
        git -c safe.directory="$src" ls-files
    else
        cat MANIFEST
    fi | LC_ALL=C sort | while IFS= read -r file; do
        [ -f "$file" ] || continue
        for pattern in "$@"; do
            # shellcheck disable=SC2254 # a pattern is wanted here
            case $file in
            $pattern) echo "$file" && break ;;
            esac
        done
    done
}

# fail MESSAGE: note a failure and go on looking.
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# finish COUNT WHAT: the verdict over COUNT things.
finish() {
    echo "$1 $2 checked, $failures failures"
    [ "$failures" -eq 0 ]
    exit
}
