# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the scripts of this folder. Defines here, skip, needs and checks; skips the test without python3.
here=$(dirname "$0")
export PYTHONDONTWRITEBYTECODE=1

skip() {
    echo "skipped: $*"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"

# needs PROGRAM: of this folder, and pml_hooks to record it.
needs() {
    [ -x "${APELINK_BUILDDIR:-.}/tests/hooks/$1" ] || skip "configure found no Open MPI"
    [ -e "${APELINK_BUILDDIR:-.}/pml_hooks/.libs/mca_hook_apelink.so" ] || skip "configure found no headers for components"
}

# checks PROGRAM "ALL" "SANITIZED": those that it knows, and those of them that it makes with a sanitizer; status is 1 if one fails.
# shellcheck disable=SC2034 # status is the script's
checks() {
    case ${APELINK_SANITIZER-} in
    *thread*) skip "Open MPI itself is full of what the thread sanitizer reports" ;;
    esac
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
    export ASAN_OPTIONS
    status=0
    chosen=$2
    [ -z "${APELINK_SANITIZER-}" ] || chosen=$3
    for check in $chosen; do
        python3 "$here/$1" "$check" || status=1
    done
}
