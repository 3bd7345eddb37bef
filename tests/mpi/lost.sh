#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# When mtjob.py takes a rank for one whose end mpirun has missed: by what mpirun prints of one that leaves without
# MPI_Finalize, beside the files of those that came out of it.
. "$(dirname "$0")/common.sh"
needs_python
needs bad_leave
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# leave ARGUMENT...: three ranks; their output, exit status and files.
leave() {
    rm -rf "$work/ends"
    mkdir "$work/ends"
    APELINK_MT_ENDS=$work/ends timeout -k 10 120 "${MPIRUN:-mpirun}" --oversubscribe --bind-to none -n 3 --mca btl vader,self --mca pml ob1 \
        "$builddir/tests/mpi/bad_leave" "$@" >"$work/out" 2>&1 </dev/null
    code=$?
}

# takes YES TAGS WHAT: whether that is taken for an end that was missed.
takes() {
    got=$(PYTHONPATH=$here python3 -B -c '
import pathlib, sys, types, mtjob
work, code, tag = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
lost = mtjob.lost_at_the_end(types.SimpleNamespace(tags={tag}), code, (work / "out").read_text(errors="replace"), work / "ends")
print("yes" if lost else "no")' "$work" "$code" "$2")
    [ "$got" = "$1" ] && return
    echo "FAIL: $3: $got (mpirun ended with $code), and it said:"
    cat "$work/out"
    failures=$((failures + 1))
}

leave
takes no long "all ended well"
marks=$(cd "$work/ends" && echo *)
if [ "$code" != 0 ] || [ "$marks" != "0 1 2" ]; then
    echo "FAIL: exit status $code, and who has come out of MPI_Finalize: $marks"
    failures=$((failures + 1))
fi
leave -status 0
takes no long "a rank that left"
: >"$work/ends/2" # as if it had come out of it
takes yes long "a rank whose end was missed"
takes no smoke "the same in a test that is not long"
cp "$work/out" "$work/once"
echo "rank 1 exited on signal 11" >>"$work/out"
takes no long "another that has crashed"
cat "$work/once" "$work/once" >"$work/out"
takes no long "two that are lost"
leave -status 1
takes no long "a rank that left with status 1"
leave -status 3
: >"$work/ends/2"
takes no long "a status that is not mpirun's own"

echo "lost: $failures failures"
[ "$failures" -eq 0 ]
