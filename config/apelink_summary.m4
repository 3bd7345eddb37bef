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
    dnl What a library would be for may not be written yet: then its line would promise too much.
    AS_IF([test -d "$srcdir/ni/link/ucx"],
        [APELINK_SUMMARY_LINE([link between hosts (UCX)], [$have_ucx], [$version_ucx], [$why_ucx])])
    APELINK_SUMMARY_LINE([placement (hwloc)], [$have_hwloc], [$version_hwloc], [$why_hwloc])
    AS_IF([test -d "$srcdir/presto"],
        [APELINK_SUMMARY_LINE([Presto wire-up (PMIx)], [$have_pmix], [$version_pmix], [$why_pmix])])
    AS_IF([test -d "$srcdir/hfm"],
        [APELINK_SUMMARY_LINE([fault manager (libevent)], [$have_libevent], [$version_libevent], [$why_libevent])])
    APELINK_SUMMARY_LINE([unit tests (cmocka)], [$have_cmocka], [$version_cmocka], [$why_cmocka])
    apelink_san=no
    AS_IF([test "x$enable_sanitizer" != xno], [apelink_san=yes])
    APELINK_SUMMARY_LINE([sanitizers], [$apelink_san], [$enable_sanitizer], [choose with --enable-sanitizer])
    APELINK_SUMMARY_LINE([fuzzers (libFuzzer)], [$enable_fuzz], [$FUZZ_LDFLAGS], [choose with --enable-fuzz CC=clang])
    APELINK_SUMMARY_LINE([assertions], [$enable_debug], [], [choose with --enable-debug])
    APELINK_SUMMARY_LINE([warnings are errors], [$enable_werror], [], [choose with --enable-werror])
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
