dnl SPDX-License-Identifier: BSD-3-Clause
dnl The last words of configure: what is on, and why the rest is off.

dnl APELINK_SUMMARY_LINE(WHAT, yes|no, DETAIL IF YES, REASON IF NO)
AC_DEFUN([APELINK_SUMMARY_LINE], [
    AS_IF([test "x$2" = xyes],
        [printf '  %-28s on   %s\n' "$1" "$3"],
        [printf '  %-28s off  %s\n' "$1" "$4"])
])

AC_DEFUN([APELINK_SUMMARY], [
    echo
    echo "$PACKAGE_NAME $PACKAGE_VERSION"
    echo
    APELINK_SUMMARY_LINE([core library (libapeni)], [yes], [$CC $CFLAGS], [])
    APELINK_SUMMARY_LINE([Open MPI components], [$have_ompi], [Open MPI $ompi_version], [$why_ompi])
    APELINK_SUMMARY_LINE([MPI programs and tests], [$have_mpi], [$MPICC], [$why_ompi])
    APELINK_SUMMARY_LINE([link between hosts (UCX)], [$have_ucx], [], [$why_ucx])
    APELINK_SUMMARY_LINE([placement (hwloc)], [$have_hwloc], [], [$why_hwloc])
    APELINK_SUMMARY_LINE([Presto wire-up (PMIx)], [$have_pmix], [], [$why_pmix])
    APELINK_SUMMARY_LINE([fault manager (libevent)], [$have_libevent], [], [$why_libevent])
    APELINK_SUMMARY_LINE([unit tests (cmocka)], [$have_cmocka], [], [$why_cmocka])
    apelink_san=no
    AS_IF([test "x$enable_sanitizer" != xno], [apelink_san=yes])
    APELINK_SUMMARY_LINE([sanitizers], [$apelink_san], [$enable_sanitizer], [choose with --enable-sanitizer])
    APELINK_SUMMARY_LINE([assertions], [$enable_debug], [], [choose with --enable-debug])
    APELINK_SUMMARY_LINE([warnings are errors], [$enable_werror], [], [choose with --enable-werror])
    echo
    echo "  prefix                       $prefix"
    AS_IF([test "x$have_ompi" = xyes], [echo "  components go into           $OMPI_COMPONENT_DIR"])
    echo
])
