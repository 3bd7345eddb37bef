dnl SPDX-License-Identifier: BSD-3-Clause
dnl The last words of configure: what is on, and why the rest is off.

dnl APELINK_SUMMARY_LINE(WHAT, yes|no, DETAIL IF YES, REASON IF NO)
AC_DEFUN([APELINK_SUMMARY_LINE], [
    AS_IF([test "x$2" = xyes],
        [printf '  %-28s on   %s\n' "$1" "$3"],
        [printf '  %-28s off  %s\n' "$1" "$4"])
])

dnl APELINK_SUMMARY_PART(FILE, WHAT, LIBRARY): a part that needs LIBRARY. While FILE is not in the tree, nothing uses the
dnl library yet, and a line of its own would promise too much.
AC_DEFUN([APELINK_SUMMARY_PART], [
    AS_IF([test -e "$srcdir/$1"],
        [APELINK_SUMMARY_LINE([$2], [$have_$3], [$version_$3], [$why_$3])],
        [test "x$have_$3" = xyes],
        [apelink_later="$apelink_later $3"])
])

AC_DEFUN([APELINK_SUMMARY], [
    echo
    echo "$PACKAGE_NAME $PACKAGE_VERSION"
    echo
    APELINK_SUMMARY_LINE([core library (libapeni)], [yes], [$CC $CFLAGS], [])
    APELINK_SUMMARY_LINE([Open MPI components], [$have_ompi], [Open MPI $ompi_version], [$why_ompi])
    APELINK_SUMMARY_LINE([MPI programs and tests], [$have_mpi], [$MPICC], [$why_ompi])
    APELINK_SUMMARY_LINE([benchmarks for MPICH], [$have_mpich], [$MPICH_CC (MPICH $version_mpich)], [$why_mpich])
    apelink_later=
    APELINK_SUMMARY_PART([ni/link/ucx], [link between hosts (UCX)], [ucx])
    APELINK_SUMMARY_PART([ni/base/topology.c], [placement (hwloc)], [hwloc])
    APELINK_SUMMARY_PART([presto], [Presto under mpirun (PMIx)], [pmix])
    APELINK_SUMMARY_LINE([Presto for Fortran], [$have_fortran], [$FC], [$why_fortran])
    APELINK_SUMMARY_PART([dnp/board], [apelink-board (libevent)], [libevent])
    APELINK_SUMMARY_LINE([unit tests (cmocka)], [$have_cmocka], [$version_cmocka], [$why_cmocka])
    apelink_san=no
    AS_IF([test "x$enable_sanitizer" != xno], [apelink_san=yes])
    APELINK_SUMMARY_LINE([sanitizers], [$apelink_san], [$enable_sanitizer], [choose with --enable-sanitizer])
    APELINK_SUMMARY_LINE([fuzzers (libFuzzer)], [$enable_fuzz], [$FUZZ_LDFLAGS], [choose with --enable-fuzz CC=clang])
    APELINK_SUMMARY_LINE([assertions], [$enable_debug], [], [choose with --enable-debug])
    APELINK_SUMMARY_LINE([warnings are errors], [$enable_werror], [], [choose with --enable-werror])
    AS_IF([test -n "$apelink_later"], [echo "  for parts to come            found$apelink_later"])
    echo
    dnl libdir holds ${exec_prefix}, which holds ${prefix}, which is still NONE if nobody set it.
    apelink_dir=$OMPI_COMPONENT_DIR
    AS_IF([test "x$prefix" = xNONE], [prefix=$ac_default_prefix])
    AS_IF([test "x$exec_prefix" = xNONE], [exec_prefix=$prefix])
    eval "apelink_dir=\"$apelink_dir\""
    eval "apelink_dir=\"$apelink_dir\""
    eval "apelink_dir=\"$apelink_dir\""
    echo "  prefix                       $prefix"
    AS_IF([test "x$have_ompi" = xyes], [echo "  components go into           $apelink_dir"])
    echo
])
