#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples do the same over shared memory and, where there is UCX, over the link to other hosts. (make check runs each by
# itself as well: some then use the link inproc.)
set -u

examples=${APELINK_BUILDDIR:-.}/examples/ni
links=shm
runs=0
failures=0

# What a sanitizer sees in UCX the suites of tests/links show.
grep -q '^#define NI_HAVE_UCX 1' "${APELINK_BUILDDIR:-.}/apelink_config.h" && [ -z "${APELINK_SANITIZER-}" ] && links="shm ucx"

run() { # LINK EXAMPLE [ARGUMENT]
    runs=$((runs + 1))
    link=$1
    shift
    APENI_LINKS=$link timeout -k 10 120 "$@" </dev/null && return
    echo "FAIL: over $link: $*: exit status $?"
    failures=$((failures + 1))
}

for link in $links; do
    for example in commands halo notify placement tasks; do
        run "$link" "$examples/$example"
    done
    for example in queue_pair session; do
        run "$link" "$examples/$example" "$link"
    done
done
runs=$((runs + 1))
for steps in many 0 -1 3x; do
    timeout -k 10 120 "$examples/halo" $steps 2>&1 | grep -q "^halo: $steps: wants a number of steps" && continue
    echo "FAIL: halo $steps does not say what it wants"
    failures=$((failures + 1))
done
echo "$runs runs, $failures failures"
[ $failures -eq 0 ]
