#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: fortran/mpi.c fortran/pmpi.c fortran/plain_mpi.c fortran/plain_null.c fortran/plain_pmpi.c fortran/section.c fortran/support.c
# Covers: mpi/fortran.c mpi/fortran_attr.c
# MPI in Fortran, compiled with prestofc: programs at 1, 2 and 4 ranks, half in C; all functions of the list are there, under
# symbols of their own; what is missing has a name.
set -u
# The strings of Fortran end without a 0, also those that its library hands to strndup.
ASAN_OPTIONS=${ASAN_OPTIONS-}:strict_string_checks=0
export ASAN_OPTIONS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
status=0
runs=0
if [ ! -e "$PRESTO_LIBDIR/libpresto_fortran.so" ]; then
    echo "SKIP: this build has no Fortran; configure says why"
    exit 77
fi
prestofc=$work/prestofc
ln -s "$prestocc" "$prestofc"
cd "$work" || exit 1

failed() {
    echo "FAIL: $*"
    status=1
}

# compile_fortran PROGRAM ARGUMENT...
compile_fortran() {
    program=$1
    shift
    # shellcheck disable=SC2086 # no option, or one
    "$prestofc" $sanitizer -g -w -ffree-line-length-none "$@" -o "$work/$program" >"$work/out" 2>&1 || {
        failed "$program does not compile: $(cat "$work/out")"
        return 1
    }
}

# run N PROGRAM [ARGUMENT]
run() {
    n=$1
    program=$2
    shift 2
    runs=$((runs + 1))
    timeout 300 "$prestorun" -n "$n" "$work/$program" "$@" >"$work/out" 2>&1 </dev/null
    rc=$?
    if [ $rc -ne 0 ] || ! grep -q 'MT-OK .*checks=[1-9]' "$work/out"; then
        failed "$n ranks of $program (exit status $rc): $(cat "$work/out")"
    fi
}

compile_fortran calls "$here/fortran/calls.F90"
compile_fortran calls_by_module -DUSE_MPI "$here/fortran/calls.F90"
compile_fortran old "$here/fortran/old.f"
compile_fortran new "$here/fortran/new.f90"
compile_fortran large "$here/fortran/large.f90"
"$prestocc" ${sanitizer:+"$sanitizer"} -g -Wall -Wextra -Werror -c "$here/fortran/mixed_half.c" -o "$work/mixed_half.o" || failed "mixed_half.c does not compile"
compile_fortran later "$here/fortran/later.F90"
compile_fortran later_by_module -DUSE_MPI "$here/fortran/later.F90"
compile_fortran later_by_new_module -DUSE_MPI_F08 "$here/fortran/later.F90"
compile_fortran datarep "$here/fortran/datarep.F90"
compile_fortran datarep_by_module -DUSE_MPI "$here/fortran/datarep.F90"
compile_fortran datarep_by_new_module -DUSE_MPI_F08 "$here/fortran/datarep.F90"
compile_fortran mixed "$here/fortran/mixed.f90" "$work/mixed_half.o"
for n in 1 2 4; do
    run $n calls "$work/file-$n"
    run $n calls_by_module "$work/file-by-module-$n"
    run $n old
    run $n new
    run $n large
    run $n mixed
done
run 3 later
run 1 later_by_module
run 2 later_by_new_module
run 1 datarep "$work/file-d1"
run 2 datarep_by_module "$work/file-d2"
run 3 datarep_by_new_module "$work/file-d3"

# The benchmark, which has all three interfaces in one program, and C.
"$prestocc" ${sanitizer:+"$sanitizer"} -O2 -Wall -Wextra -Werror -c "$src/osu_bench/fortran_latency_c.c" -o "$work/latency_c.o" || failed "fortran_latency_c.c does not compile"
# shellcheck disable=SC2086
"$prestofc" $sanitizer -O2 -Wall -Werror "$src/osu_bench/fortran_latency.f90" "$work/latency_c.o" -o "$work/latency" >"$work/out" 2>&1 ||
    failed "fortran_latency.f90 does not compile: $(head -20 "$work/out")"
timeout 300 "$prestorun" -n 2 "$work/latency" 20 3 >"$work/out" 2>&1 </dev/null || failed "fortran_latency: $(cat "$work/out")"
[ "$(grep -cE '[0-9] +[0-9]+\.[0-9]+$' "$work/out")" -eq 4 ] || failed "fortran_latency does not print four figures: $(cat "$work/out")"

# Objects of a compiler that knows no more than where the headers are.
if "$("$prestofc" --showme:command)" -w -I"$PRESTO_INCLUDEDIR" -c "$here/fortran/old.f" -o "$work/bare.o" 2>"$work/out"; then
    compile_fortran bare "$work/bare.o"
    run 2 bare
else
    failed "old.f does not compile without prestofc: $(cat "$work/out")"
fi

# A module's interfaces find mistakes, and call Presto.
cat >"$work/wrong.f90" <<'END'
use mpi_f08
call MPI_Send(1, 1, MPI_COMM_WORLD, 0, 0, MPI_COMM_WORLD)
call MPI_Comm_rank(MPI_INTEGER, 1)
end
END
"$prestofc" -c "$work/wrong.f90" -o "$work/wrong.o" 2>"$work/out" && failed "a communicator is taken for a datatype"
grep -q 'no specific subroutine.*mpi_send' "$work/out" || failed "a mistake of types is refused without the name of the function: $(cat "$work/out")"
grep -q "argument.*comm" "$work/out" || failed "a mistake of types is refused without the name of the argument: $(cat "$work/out")"

# What prestofc compiles does not ask for the symbols of another MPI.
"$prestofc" -w -c "$here/fortran/old.f" -o "$work/old.o"
names=$(${NM:-nm} "$work/old.o" | grep -E ' U p?mpi_')
[ -z "$names" ] || failed "old.o wants $names"

# Another MPI in the same program. What it leaves behind a sanitizer need not see.
their_fortran=$(dirname "${MPICC:-/nowhere/mpicc}")/mpifort
if [ -x "$their_fortran" ] && [ -z "${APELINK_SANITIZER-}" ]; then
    # shellcheck disable=SC2046 # words
    if "$their_fortran" -c "$here/fortran/both_theirs.f90" -o "$work/both_theirs.o" >"$work/out" 2>&1 &&
        "$prestofc" -w -c "$here/fortran/both.f90" -o "$work/both_ours.o" >"$work/out" 2>&1 &&
        "$prestofc" "$work/both_ours.o" "$work/both_theirs.o" $("$their_fortran" --showme:link) -o "$work/both" >"$work/out" 2>&1; then
        timeout 120 "$work/both" >"$work/out" 2>&1 </dev/null || failed "two MPIs in one program"
        grep -q 'MT-OK both' "$work/out" || failed "two MPIs in one program: $(cat "$work/out")"
    else
        failed "two MPIs do not link: $(cat "$work/out")"
    fi
else
    echo "not with another MPI, for which there is no mpifort beside MPICC, or a sanitizer"
fi

# A shared library asks for what it calls, and for nothing else: other compilers link what uses it.
printf "subroutine sub\n  include 'mpif.h'\n  call MPI_Init(i)\n  call MPI_Finalize(i)\nend subroutine\n" >"$work/sub.f90"
printf "call sub\nprint '(a)', 'MT-OK sub checks=1'\nend\n" >"$work/uses.f90"
compile_fortran libsub.so -shared -fPIC "$work/sub.f90"
names=$(${NM:-nm} -D "$work/libsub.so" | grep 'presto_missing_\|presto_mpi_send_')
[ -z "$names" ] || failed "a shared library wants $names"
# shellcheck disable=SC2086 # no option, or one
"$("$prestofc" --showme:command)" $sanitizer "$work/uses.f90" -L"$work" -lsub -Wl,-rpath,"$work" -Wl,-rpath,"$PRESTO_LIBDIR" -o "$work/uses" >"$work/out" 2>&1 ||
    failed "a shared library made by prestofc does not link: $(cat "$work/out")"
run 2 uses

# A subroutine of the program by a name of MPI's is called, by way of mpif.h and of modules; ways to compile.
printf 'subroutine MPI_Barrier(comm, ierror)\n  integer :: comm, ierror, i\n  call PMPI_Comm_rank(comm, i, ierror)\n  call PMPI_Barrier(comm, ierror)
  if (i == 0) print "(a)", "MT-OK profile checks=1"\nend subroutine\n' >"$work/profile.f90"
printf "subroutine old\n  include 'mpif.h'\n  call MPI_Barrier(MPI_COMM_WORLD, i)\nend subroutine\n" >"$work/calls_old.f90"
printf 'use mpi\ncall MPI_Init(i)\ncall MPI_Barrier(MPI_COMM_WORLD, i)\ncall old\ncall new\ncall MPI_Finalize(i)\nend\n' >"$work/calls_new.f90"
printf 'subroutine new\n  use mpi_f08\n  logical :: flag\n  call MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
  if (flag) call MPI_Abort(MPI_COMM_WORLD, 1)\nend subroutine\n' >>"$work/calls_new.f90"
for option in -pipe -std=f2008 -O3 -flto -save-temps=obj; do
    compile_fortran profile $option "$work/calls_new.f90" "$work/calls_old.f90" "$work/profile.f90"
    run 2 profile
    # The link-time optimizer knows no other names than gfortran's.
    [ $option = -flto ] || [ "$(grep -c MT-OK "$work/out")" -eq 2 ] || failed "$option: of two calls of MPI_Barrier the program's own gets $(grep -c MT-OK "$work/out")"
done

# Missing functions have names, also where a program has another MPI.
# shellcheck disable=SC2086
if "$prestofc" $sanitizer "$here/fortran/missing.f90" -o "$work/missing" >"$work/out" 2>&1; then
    failed "missing.f90 links"
fi
grep -q 'undefined reference to .presto_missing_mpi_session_init_' "$work/out" || failed "missing.f90 is refused without the name of the function: $(cat "$work/out")"

# Each function of the list, by both names.
awk '$1 == "have" && $3 != "(C)" { name = tolower($2); print "presto_mpi_" name "_"; print "presto_pmpi_" name "_" }' \
    "$src/presto/include/mpi/functions.list" | sort >"$work/want"
${NM:-nm} -D --defined-only "$PRESTO_LIBDIR/libpresto_fortran.so" | awk '{ print $NF }' | sort >"$work/have"
[ "$(wc -l <"$work/want")" -gt 600 ] || failed "the list has only $(wc -l <"$work/want") names"
lacks=$(comm -23 "$work/want" "$work/have")
[ -z "$lacks" ] || failed "libpresto_fortran.so lacks $lacks"

"$prestofc" -fdefault-integer-8 -c "$here/fortran/old.f" -o "$work/old.o" 2>"$work/out" && failed "-fdefault-integer-8 is taken"
grep -q 'INTEGER\*4' "$work/out" || failed "-fdefault-integer-8 is refused without a reason"
for option in -fsecond-underscore -fno-underscoring; do
    "$prestofc" $option -w -c "$here/fortran/old.f" -o "$work/old.o" 2>"$work/out" && failed "$option is taken"
    grep -qe "$option: .*names" "$work/out" || failed "$option is refused without a reason"
done
# A common block of wide vectors, beside that of the library.
compile_fortran wide -Wl,--fatal-warnings -O3 -mavx2 "$here/fortran/old.f"
"$prestofc" --showme:libs | grep -q 'presto_fortran presto_plain presto' || failed "--showme:libs: $("$prestofc" --showme:libs)"

echo "$runs runs"
exit $status
