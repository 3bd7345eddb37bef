#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compare --hosts over real hosts: each transport that goes between hosts gives its rows. Times are not looked at.
here=$(cd "$(dirname "$0")" && pwd)

skip() {
    echo "skipped: $*"
    exit 77
}

[ -z "${APELINK_SANITIZER-}" ] || skip "apelink-hosts is not built with sanitizers"
command -v python3 >/dev/null 2>&1 || skip "no python3 (Debian: python3), which osu_bench/compare is written in"
sh "$here/../../tests/hosts/possible.sh" || exit 77
build=$(cd "${APELINK_BUILDDIR:-.}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset APELINK_HOSTS APELINK_HOST APELINK_HOSTS_TOOL
APELINK_HOSTS_DIR=$work/state # apart from the hosts of others
export APELINK_HOSTS_DIR

# Ours go there by UCX; pml ucx is Open MPI's, where it has one.
transports=tcp
if grep -q 'define NI_HAVE_UCX' "$build/apelink_config.h"; then
    [ ! -e "$build/btl_apelink/.libs/mca_btl_apelink.so" ] || transports=$transports,apelink
    [ ! -e "$build/mtl_match/.libs/mca_mtl_match.so" ] || transports=$transports,match
    ! grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h" || transports=$transports,native
fi
! ompi_info --parsable 2>/dev/null | grep -q '^mca:pml:ucx:' || transports=$transports,ucx

cd "$build" || exit 1
"$here/../compare" --hosts 2 --transports "$transports" --bench latency,bw,mbw_mr --sizes 8,64K --reps 1 \
    --bench-args '-i 20 -x 2' --csv "$work/rows.csv" >"$work/out" 2>"$work/err" </dev/null
status=$?
count=$(tail -n +2 "$work/rows.csv" | wc -l)
wanted=$(($(echo "$transports" | tr , '\n' | wc -l) * 3 * 2))
if [ $status -ne 0 ] || [ "$count" -ne $wanted ]; then
    echo "FAIL: compare --hosts 2 over $transports: exit status $status, $count rows instead of $wanted"
    cat "$work/out" "$work/err"
    exit 1
fi
if [ -n "$(ls "$work/state" 2>/dev/null)" ]; then
    echo "FAIL: hosts are left: $(ls "$work/state")"
    exit 1
fi
echo "$count rows between hosts over $transports"
