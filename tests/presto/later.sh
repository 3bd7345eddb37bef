#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that come later, and jobs that meet: what works, what is refused with which words, how it ends.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
status=0
compile "$here/mpi_later.c" "$work/mpi_later" "$here/mpi_later_wrong.c" || exit 1

# expect CODE TEXT COMMAND...: ends with CODE, having said the text.
expect() {
    code=$1
    text=$2
    shift 2
    timeout -k 10 200 "$@" >"$work/out" 2>&1 </dev/null
    rc=$?
    if [ $rc -ne "$code" ] || ! grep -q "$text" "$work/out"; then
        echo "FAIL: $* (exit status $rc, not $code; '$text')"
        head -n 20 "$work/out"
        status=1
    fi
}

for run in '1 some' '3 some' '2 several' '2 where' '1 names' '2 errors' '2 rush' '2 early' '3 join' '1 nest' '2 nest' '2 late' '2 keep'; do
    expect 0 "^mpi_later ${run#* }: done" "$prestorun" -n "${run% *}" "$work/mpi_later" "${run#* }"
done

# Numbers are used again: there are more ranks than numbers.
expect 0 '^mpi_later again: done' env PRESTO_NUMBERS=8 "$prestorun" -n 2 "$work/mpi_later" again

# So are those of ranks that were killed.
expect 137 '^mpi_later killed: done' env PRESTO_NUMBERS=8 "$prestorun" --keep-going -n 2 "$work/mpi_later" killed

# A context that such a rank led and that was revoked is not revoked in the next rank of its number.
expect 137 '^mpi_later revoked: done' env PRESTO_NUMBERS=2 "$prestorun" --keep-going -n 1 "$work/mpi_later" revoked

# Of two groups that meet one has lost a rank: no rank of either has a communicator, and all go on.
expect 137 '^mpi_later gone: done' "$prestorun" --keep-going -n 2 "$work/mpi_later" gone

# A folder on a file system that does not answer holds up nobody else.
if [ -z "${APELINK_SANITIZER-}" ]; then
    cat >"$work/hang.c" <<'END'
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int chdir(const char *folder)
{
    while (strcmp(folder, "/folder-that-hangs") == 0) {
        pause();
    }
    return (int)syscall(SYS_chdir, folder);
}
END
    ${CC:-cc} -shared -fPIC "$work/hang.c" -o "$work/hang.so" || exit 1
    expect 7 'rank 1 (pid [0-9]*) aborts the job with code 7' env LD_PRELOAD="$work/hang.so" "$prestorun" -n 2 "$work/mpi_later" slow
fi

# The death of one ends all, whichever job it is of; so does MPI_Abort.
expect 137 'rank 2 (pid [0-9]*) was ended by signal 9' "$prestorun" -n 2 "$work/mpi_later" die
expect 7 'rank 1 (pid [0-9]*) aborts the job with code 7' "$prestorun" -n 1 "$work/mpi_later" abort

# So does what ends before it is a rank, unless who has started it goes on (early).
expect 50 '/bin/sh ended with code 5 before it called MPI_Init' "$prestorun" -n 2 "$work/mpi_later" fatal

# What cannot be is refused with the remedy.
expect 50 'started alone: start it with prestorun' "$work/mpi_later" alone

exit $status
