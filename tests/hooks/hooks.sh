#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pml_hooks over each transport of this build, see hookscheck.py, variablescheck.py, slowcheck.py and windowscheck.py.
. "$(dirname "$0")/common.sh"

needs hooks_count
checks hookscheck.py "count inter switch queues device overlap ucx chained late hosts killed stale damaged healthy stalls" \
    "count inter switch late"
[ -n "${APELINK_SANITIZER-}" ] || for check in variables slow windows; do
    python3 "$here/${check}check.py" || status=1
done
exit $status
