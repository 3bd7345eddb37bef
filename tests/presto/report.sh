#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: presto/core/recorder.c presto/core/recorder_count.c presto/core/recorder_wait.c record/output.c record/start.c
# Presto's record, of the programs that pml_hooks is tested with: see tests/hooks/hookscheck.py.
here=$(dirname "$0")
. "$here/mpi_common.sh"

command -v python3 >/dev/null 2>&1 || {
    echo "skipped: there is no python3 (Debian: python3)"
    exit 77
}
status=0
for program in hooks_count hooks_inter hooks_queues hooks_stall; do
    compile "$src/tests/hooks/$program.c" "$work/$program" || exit 1
done
PRESTO_PROGRAMS=$work
PRESTORUN=$prestorun
export PRESTO_PROGRAMS PRESTORUN
checks="count inter queues overlap late killed kept peers stale healthy stalls"
[ -z "${APELINK_SANITIZER-}" ] || checks="count inter queues late killed kept"
for check in $checks; do
    python3 "$src/tests/hooks/hookscheck.py" "$check" || status=1
done
exit $status
