#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No key of btl apelink's interface is on a command line or in an environment while a job runs.
. "$(dirname "$0")/component.sh"
component btl_apelink
case ${APELINK_SANITIZER-} in
*thread*)
    echo "btl_keys: skipped, Open MPI itself is full of what the thread sanitizer reports"
    exit 77
    ;;
esac
start -n 2 --mca pml ob1 --mca btl apelink,self --mca btl_apelink_links both "$build/tests/unit/btl_keys"
[ "$status" -eq 0 ] || fail "exit status $status"
finish
