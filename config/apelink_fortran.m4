dnl SPDX-License-Identifier: BSD-3-Clause
dnl Fortran for programs on Presto: gfortran, whose names, strings and descriptors the subroutines have.

AC_DEFUN([APELINK_FORTRAN], [
    AC_ARG_VAR([FC], [gfortran, for MPI in Fortran with Presto])
    AC_ARG_WITH([fortran],
        [AS_HELP_STRING([--with-fortran], [MPI in Fortran with Presto (default: auto)])],
        [], [with_fortran=auto])
    have_fortran=no
    why_fortran="--without-fortran was given"
    AS_IF([test "x$with_fortran" != xno], [
        AC_CHECK_PROGS([FC], [gfortran])
        why_fortran="there is no gfortran; Debian: gfortran"
        AS_IF([test -n "$FC"], [
            why_fortran="$FC is not gfortran 9 or later"
            AC_MSG_CHECKING([whether $FC is a gfortran that knows arguments of any type])
            rm -rf conftest.dir && mkdir conftest.dir
            cat >conftest.dir/one.f90 <<'END'
module one
  interface
    subroutine any_type(x, y) bind(C, name="any_type")
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: x
      type(*), dimension(*) :: x
      type(*), dimension(..) :: y
    end subroutine
  end interface
end module
subroutine two(text)
  use one
  character(len=*) :: text
  call any_type(text, 1.0)
end subroutine
END
            AS_IF([(cd conftest.dir && $FC -fno-openmp -w -c one.f90) >&AS_MESSAGE_LOG_FD 2>&1 && "$FC" --version 2>/dev/null | grep -q 'GNU Fortran'],
                [AC_MSG_RESULT([yes]); have_fortran=yes], [AC_MSG_RESULT([no])])
            rm -rf conftest.dir])
        AS_IF([test "x$with_fortran$have_fortran" = xyesno], [AC_MSG_ERROR([--with-fortran: $why_fortran])])])
    dnl Descriptors of arguments are those of gfortran, whatever compiles C: its header comes after all others.
    FORTRAN_CPPFLAGS=
    AS_IF([test "x$have_fortran" = xyes], [
        apelink_header=$("$FC" -print-file-name=include/ISO_Fortran_binding.h)
        FORTRAN_CPPFLAGS="-idirafter ${apelink_header%/*}"])
    AC_SUBST([FORTRAN_CPPFLAGS])
    AM_CONDITIONAL([HAVE_FORTRAN], [test "x$have_fortran" = xyes])
    AC_SUBST([have_fortran])
])
