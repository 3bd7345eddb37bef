#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pml_hooks over each transport of this build, see hookscheck.py.
. "$(dirname "$0")/common.sh"

needs hooks_count
checks hookscheck.py "count inter switch queues device overlap ucx chained late pvars hosts killed stale damaged healthy stalls" \
    "count inter switch late"
[ -n "${APELINK_SANITIZER-}" ] || python3 "$here/windowscheck.py" || status=1
exit $status
