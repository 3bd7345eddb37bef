dnl SPDX-License-Identifier: BSD-3-Clause
dnl MPICH, for which the benchmark programs are compiled as well, so that osu_bench/compare can show its figures.

AC_DEFUN([APELINK_MPICH], [
    AC_ARG_WITH([mpich],
        [AS_HELP_STRING([--with-mpich=DIR], [MPICH installed under DIR, for comparisons (default: auto)])],
        [], [with_mpich=auto])
    have_mpich=no
    why_mpich=
    version_mpich=
    MPICH_CC=
    AS_IF([test "x$with_mpich" = xno],
        [why_mpich="--without-mpich was given"; MPICH_CC=no],
        [test "x$have_mpi" = xno],
        [why_mpich="the benchmark programs need Open MPI"],
        [APELINK_MPICH_WRAPPER
         AS_IF([test "x$have_mpich" = xno && test "x$with_mpich" != xauto],
             [AC_MSG_ERROR([--with-mpich=$with_mpich: $why_mpich])])])
    AC_SUBST([MPICH_CC])
])

dnl The wrapper compiler of MPICH. Another MPI's mpicc may come first in PATH, so each candidate is asked who it is.
AC_DEFUN([APELINK_MPICH_WRAPPER], [
    AC_MSG_CHECKING([for the wrapper compiler of MPICH])
    AS_CASE([$with_mpich],
        [auto|yes], [apelink_wrappers="mpicc.mpich mpicc"],
        [apelink_wrappers="$with_mpich/bin/mpicc.mpich $with_mpich/bin/mpicc"])
    for apelink_wrapper in $apelink_wrappers; do
        apelink_path=`command -v $apelink_wrapper 2>/dev/null` || continue
        version_mpich=`printf '#include <mpi.h>\nMPICH_VERSION\n' | $apelink_path -E - 2>/dev/null |
            sed -n '$s/^"\(.*\)"$/\1/p'`
        AS_IF([test -n "$version_mpich"], [MPICH_CC=$apelink_path; have_mpich=yes; break])
    done
    AS_IF([test "x$have_mpich" = xyes],
        [AC_MSG_RESULT([$MPICH_CC (MPICH $version_mpich)])],
        [AC_MSG_RESULT([none])
         why_mpich="no mpicc of MPICH found (looked for: $apelink_wrappers); Debian: libmpich-dev"])
])
