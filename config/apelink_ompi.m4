dnl SPDX-License-Identifier: BSD-3-Clause
dnl Open MPI: the compiler wrapper for MPI programs, and the development headers for the components.

AC_DEFUN([APELINK_OMPI], [
    AC_ARG_WITH([ompi],
        [AS_HELP_STRING([--with-ompi=DIR], [Open MPI installed under DIR (default: auto; no: the core only)])],
        [], [with_ompi=auto])
    AC_ARG_WITH([ompi-components],
        [AS_HELP_STRING([--with-ompi-components=DIR],
            [install the Open MPI components into DIR (default: LIBDIR/openmpi)])],
        [], [with_ompi_components=])

    have_ompi=no
    have_mpi=no
    why_ompi=
    MPICC=
    MPIRUN=
    AS_CASE(["$with_ompi,$enable_sanitizer,"],
        [no,*], [why_ompi="--with-ompi=no was given"],
        [auto,*thread,*], [why_ompi="the thread sanitizer does not know the fences in Open MPI's headers"], [
        APELINK_OMPI_WRAPPER
        AS_IF([test "x$have_mpi" = xyes], [APELINK_OMPI_HEADERS])
        AS_IF([test "x$have_ompi" = xno && test "x$with_ompi" != xauto],
            [AC_MSG_ERROR([--with-ompi=$with_ompi: $why_ompi])])])

    OMPI_COMPONENT_DIR=$with_ompi_components
    AS_CASE([$with_ompi_components],
        [yes|no], [AC_MSG_ERROR([--with-ompi-components=$with_ompi_components: give an absolute directory])],
        [''], [OMPI_COMPONENT_DIR='${libdir}/openmpi'],
        [*' '*], [AC_MSG_ERROR([--with-ompi-components=$with_ompi_components: make install cannot put anything there, for the blank in the name])],
        [/*], [],
        [AC_MSG_ERROR([--with-ompi-components=$with_ompi_components: not an absolute directory])])

    AC_SUBST([have_ompi])
    AC_SUBST([why_ompi])
    AC_SUBST([MPICC])
    AC_SUBST([MPIRUN])
    AC_SUBST([MPI_CPPFLAGS])
    AC_SUBST([MPI_LIBS])
    AC_SUBST([OMPI_CPPFLAGS])
    AC_SUBST([OMPI_LIBS])
    AC_SUBST([OMPI_VERSION], [$ompi_version])
    AC_SUBST([OMPI_COMPONENT_DIR])
    AM_CONDITIONAL([HAVE_MPI], [test "x$have_mpi" = xyes])
    AM_CONDITIONAL([HAVE_OMPI], [test "x$have_ompi" = xyes])
])

dnl The wrapper compiler of Open MPI. Another MPI's mpicc may come first in PATH, so each candidate is asked who it is.
AC_DEFUN([APELINK_OMPI_WRAPPER], [
    AC_MSG_CHECKING([for the wrapper compiler of Open MPI])
    AS_CASE([$with_ompi],
        [auto|yes], [
            apelink_dir=`$PKG_CONFIG --variable=exec_prefix ompi-c 2>/dev/null`
            apelink_wrappers="mpicc.openmpi mpicc${apelink_dir:+ $apelink_dir/bin/mpicc}"],
        [apelink_wrappers="$with_ompi/bin/mpicc.openmpi $with_ompi/bin/mpicc"])
    for apelink_wrapper in $apelink_wrappers; do
        apelink_path=`command -v $apelink_wrapper 2>/dev/null` || continue
        AS_CASE([`$apelink_path --showme:version 2>/dev/null`],
            [*"Open MPI"*], [MPICC=$apelink_path; break])
    done
    AS_IF([test -z "$MPICC"], [
        AC_MSG_RESULT([none])
        why_ompi="no mpicc of Open MPI found (looked for: $apelink_wrappers); Debian: libopenmpi-dev"
    ], [
        have_mpi=yes
        ompi_version=`$MPICC --showme:version | sed -n 's/.*Open MPI \(@<:@0-9.@:>@*@<:@0-9a-z@:>@*\).*/\1/p'`
        AC_MSG_RESULT([$MPICC (Open MPI $ompi_version)])
        APELINK_AS_SYSTEM([MPI_CPPFLAGS], [`$MPICC --showme:compile`])
        MPI_LIBS=`$MPICC --showme:link`
        apelink_dir=`AS_DIRNAME(["$MPICC"])`
        for apelink_run in mpirun.openmpi mpirun; do
            AS_IF([test -x "$apelink_dir/$apelink_run"], [MPIRUN=$apelink_dir/$apelink_run; break])
        done
    ])
])

dnl The headers with which components are built: opal/mca/btl/btl.h and friends.
AC_DEFUN([APELINK_OMPI_HEADERS], [
    AC_MSG_CHECKING([for the development headers of Open MPI 4.1 or later])
    OMPI_CPPFLAGS=$MPI_CPPFLAGS
    for apelink_dir in `$MPICC --showme:incdirs`; do
        AS_IF([test -e "$apelink_dir/openmpi/opal/mca/btl/btl.h"], [
            AS_CASE(["$OMPI_CPPFLAGS "],
                [*" $apelink_dir/openmpi "*], [],
                [OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem $apelink_dir/openmpi"])])
    done
    apelink_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $OMPI_CPPFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #include "opal_config.h"
        #include "opal/mca/btl/btl.h"
        #include "opal/mca/btl/base/base.h"
        #include "ompi/mca/mtl/mtl.h"]], [[return BTL_VERSION;]])],
        [have_ompi=yes
         AS_CASE([$ompi_version],
             [4.0.*|@<:@0-3@:>@.*], [have_ompi=no
                 AC_MSG_RESULT([no])
                 why_ompi="Open MPI $ompi_version is too old; 4.1 or later is needed"],
             [AC_MSG_RESULT([yes])])],
        [AC_MSG_RESULT([no])
         why_ompi="Open MPI $ompi_version has no usable opal/mca/btl/btl.h (build it with --with-devel-headers; Debian: libopenmpi-dev, libhwloc-dev, libevent-dev); see config.log"])
    OMPI_LIBS="$MPI_LIBS -lopen-pal"
    dnl Open MPI's events are those of a libevent of its own, in libopen-pal, or of the system's.
    AC_CHECK_LIB([event_core], [event_assign], [OMPI_LIBS="$OMPI_LIBS -levent_core"])
    AS_IF([test "x$have_ompi" = xyes], [APELINK_OMPI_CAS128])
    CPPFLAGS=$apelink_saved_CPPFLAGS
])

dnl The inline functions of those headers may swap 16 bytes at once; without the flag for it, gcc calls a function that
dnl does not exist, which shows only when a program loads the component.
AC_DEFUN([APELINK_OMPI_CAS128], [
    AC_MSG_CHECKING([what the free lists of Open MPI need])
    apelink_saved_LIBS=$LIBS
    LIBS="$LIBS $OMPI_LIBS"
    AC_LANG_CONFTEST([AC_LANG_PROGRAM([[
        #include "opal_config.h"
        #include "opal/class/opal_lifo.h"]],
        [[static opal_lifo_t list; return 0 != opal_lifo_pop_atomic(&list);]])])
    AC_LINK_IFELSE([], [AC_MSG_RESULT([nothing])], [
        CPPFLAGS="$CPPFLAGS -mcx16"
        AC_LINK_IFELSE([],
            [AC_MSG_RESULT([-mcx16])
             OMPI_CPPFLAGS="$OMPI_CPPFLAGS -mcx16"],
            [AC_MSG_RESULT([unknown])
             have_ompi=no
             why_ompi="a program with a free list of Open MPI $ompi_version does not link; see config.log"])])
    LIBS=$apelink_saved_LIBS
])

dnl APELINK_AS_SYSTEM(VARIABLE, FLAGS): put FLAGS into VARIABLE with -I turned into -isystem, so that other
dnl people's headers do not raise our warnings.
AC_DEFUN([APELINK_AS_SYSTEM], [
    $1=
    for apelink_flag in $2; do
        AS_CASE([$apelink_flag],
            [-I/usr/include], [],
            [-I*], [$1="$$1 -isystem `echo $apelink_flag | sed s/^-I//`"],
            [$1="$$1 $apelink_flag"])
    done
])
