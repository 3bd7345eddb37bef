#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared objects export their own prefix and nothing else, and all that they need from others is there.
. "$(dirname "$0")/files.sh"

build=${APELINK_BUILDDIR:-.}
case ${APELINK_SANITIZER-} in
?*) skip "a sanitizer adds symbols of its own" ;;
esac

count=0
while read -r library prefix; do
    object=$build/$library
    [ -e "$object" ] || continue
    count=$((count + 1))
    names=$(${NM:-nm} -D --defined-only "$object" | awk '{ sub(/@.*/, "", $NF); print $NF }')
    [ -n "$names" ] || fail "$library exports nothing"
    for name in $names; do
        case $name in
        "$prefix"* | NI_[0-9]* | _init | _fini | __bss_start | _edata | _end) ;;
        *) fail "$library exports $name, which does not begin with $prefix" ;;
        esac
    done
    # An undefined function in a component shows only when some program comes to call it.
    missing=$(LC_ALL=C ldd -r "$object" 2>&1 | grep 'undefined symbol')
    [ -z "$missing" ] || fail "$library: $missing"
done <<EOF
ni/.libs/libapeni.so ni_
btl_apelink/.libs/mca_btl_apelink.so mca_btl_apelink_
mtl_match/.libs/mca_mtl_match.so mca_mtl_match_
EOF
[ $count -gt 0 ] || skip "no shared object has been built"
finish $count "shared objects"
