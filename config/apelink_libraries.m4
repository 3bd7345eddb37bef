dnl SPDX-License-Identifier: BSD-3-Clause
dnl The optional libraries, all found through pkg-config.

dnl APELINK_LIBRARY(NAME, VARIABLE, MODULE, DEBIAN PACKAGE, WHAT FOR)
dnl Adds --with-NAME; sets HAVE_VARIABLE (shell have_NAME, Automake conditional, macro NI_HAVE_VARIABLE),
dnl VARIABLE_CFLAGS, VARIABLE_LIBS, version_NAME and, if it is off, why_NAME.
AC_DEFUN([APELINK_LIBRARY], [
    AC_ARG_WITH([$1],
        [AS_HELP_STRING([--with-$1], [$5 (default: auto)])],
        [], [with_$1=auto])
    have_$1=no
    why_$1=
    version_$1=
    AS_CASE([$with_$1],
        [no], [why_$1="--without-$1 was given"],
        [yes|auto], [
            PKG_CHECK_MODULES([$2], [$3],
                [have_$1=yes
                 version_$1=`$PKG_CONFIG --modversion m4_bpatsubst([$3], [ .*], [])`],
                [why_$1="pkg-config does not find $3; Debian: $4"
                 AS_IF([test "x$with_$1" = xyes], [AC_MSG_ERROR([--with-$1: $why_$1])])])],
        [AC_MSG_ERROR([--with-$1=$with_$1: give yes, no or auto, and PKG_CONFIG_PATH for a private installation])])
    AS_IF([test "x$have_$1" = xyes],
        [AC_DEFINE([NI_HAVE_$2], [1], [Define to 1 if $1 is used.])])
    AM_CONDITIONAL([HAVE_$2], [test "x$have_$1" = xyes])
])

AC_DEFUN([APELINK_LIBRARIES], [
    APELINK_LIBRARY([ucx], [UCX], [ucx >= 1.10], [libucx-dev], [the link between hosts])
    APELINK_LIBRARY([hwloc], [HWLOC], [hwloc >= 2.0], [libhwloc-dev], [placement on cores and memory nodes])
    APELINK_LIBRARY([pmix], [PMIX], [pmix >= 3.0], [libpmix-dev], [the wire-up of Presto])
    dnl It is loaded when a program is started by PMIx, not linked.
    PMIX_LIBRARY=libpmix.so.2
    AS_IF([test "x$have_pmix" = xyes], [PMIX_LIBRARY="`$PKG_CONFIG --variable=libdir pmix`/libpmix.so.2"])
    AC_SUBST([PMIX_LIBRARY])
    APELINK_LIBRARY([libevent], [LIBEVENT], [libevent_core >= 2.0], [libevent-dev], [the card as a program])
    APELINK_LIBRARY([cmocka], [CMOCKA], [cmocka >= 1.1], [libcmocka-dev], [the unit tests])
])
