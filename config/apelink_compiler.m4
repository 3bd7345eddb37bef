dnl SPDX-License-Identifier: BSD-3-Clause
dnl Where the result goes, and what the compiler is asked for: the language, warnings, debugging, sanitizers, coverage, fuzzing.

dnl APELINK_FOLDERS: libtool installs nothing into a folder with a blank in its name, and says so only after all is built.
AC_DEFUN([APELINK_FOLDERS], [
    for apelink_folder in "$prefix" "$exec_prefix" "$bindir" "$libdir" "$libexecdir" "$includedir" "$datarootdir" "$mandir"; do
        AS_CASE([$apelink_folder],
            [*' '*], [AC_MSG_ERROR([make install cannot put anything into "$apelink_folder", for the blank in its name; choose another folder, as with --prefix=/usr/local])])
    done
])

dnl APELINK_TRY_FLAG(FLAG, VARIABLE): append FLAG to VARIABLE if the compiler takes it without a warning.
AC_DEFUN([APELINK_TRY_FLAG], [
    AC_MSG_CHECKING([whether $CC takes $1])
    apelink_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [AC_MSG_RESULT([yes]); $2="$$2 $1"],
        [AC_MSG_RESULT([no])])
    CFLAGS=$apelink_saved_CFLAGS
])

AC_DEFUN([APELINK_COMPILER], [
    AC_LANG_PUSH([C])

    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [make warnings errors (default: in a git checkout only)])],
        [], [AS_IF([test -e "$srcdir/.git"], [enable_werror=yes], [enable_werror=no])])
    AC_ARG_ENABLE([debug],
        [AS_HELP_STRING([--enable-debug], [keep assertions and internal checks])],
        [], [enable_debug=no])
    AC_ARG_ENABLE([sanitizer],
        [AS_HELP_STRING([--enable-sanitizer=LIST],
            [build with sanitizers: address,undefined or thread])],
        [], [enable_sanitizer=no])
    AC_ARG_ENABLE([coverage],
        [AS_HELP_STRING([--enable-coverage], [build with gcov counters, without optimisation])],
        [], [enable_coverage=no])
    AC_ARG_ENABLE([fuzz],
        [AS_HELP_STRING([--enable-fuzz], [build the fuzzers with libFuzzer (needs CC=clang)])],
        [], [enable_fuzz=no])

    WARN_CFLAGS="-Wall -Wextra"
    for apelink_flag in -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla; do
        APELINK_TRY_FLAG([$apelink_flag], [WARN_CFLAGS])
    done
    AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])

    LANG_CFLAGS="-std=gnu11"
    APELINK_TRY_FLAG([-fvisibility=hidden], [LANG_CFLAGS])
    APELINK_TRY_FLAG([-fno-common], [LANG_CFLAGS])

    dnl A component holds all of the core; what it does not use need not be loaded by each process.
    COMPONENT_LDFLAGS=
    apelink_saved_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS -Wl,--gc-sections"
    AC_MSG_CHECKING([whether the linker leaves out what is not used])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [
        AC_MSG_RESULT([yes])
        COMPONENT_LDFLAGS="-Wl,--gc-sections"
        APELINK_TRY_FLAG([-ffunction-sections], [LANG_CFLAGS])
        APELINK_TRY_FLAG([-fdata-sections], [LANG_CFLAGS])], [AC_MSG_RESULT([no])])
    LDFLAGS=$apelink_saved_LDFLAGS
    AC_SUBST([COMPONENT_LDFLAGS])

    APELINK_SANITIZER

    dnl Not NDEBUG: the tests use assert(). The core's own checks are switched by this macro.
    DEBUG_CPPFLAGS="-DAPELINK_DEBUG=0"
    AS_IF([test "x$enable_debug" = xyes], [DEBUG_CPPFLAGS="-DAPELINK_DEBUG=1"])

    COVERAGE_CFLAGS=
    AS_IF([test "x$enable_coverage" = xyes], [COVERAGE_CFLAGS="--coverage -O0"])

    FUZZ_CFLAGS=
    FUZZ_LDFLAGS=
    AS_IF([test "x$enable_fuzz" = xyes], [
        APELINK_TRY_FLAG([-fsanitize=fuzzer-no-link], [FUZZ_CFLAGS])
        AS_IF([test -z "$FUZZ_CFLAGS"],
            [AC_MSG_ERROR([--enable-fuzz: $CC has no libFuzzer; run configure with CC=clang (Debian: clang, libclang-rt-dev)])])
        FUZZ_LDFLAGS="-fsanitize=fuzzer"])

    AC_SUBST([WARN_CFLAGS])
    AC_SUBST([LANG_CFLAGS])
    AC_SUBST([DEBUG_CPPFLAGS])
    AC_SUBST([COVERAGE_CFLAGS])
    AC_SUBST([FUZZ_CFLAGS])
    AC_SUBST([FUZZ_LDFLAGS])
    AM_CONDITIONAL([ENABLE_DEBUG], [test "x$enable_debug" = xyes])
    AM_CONDITIONAL([HAVE_LIBFUZZER], [test -n "$FUZZ_LDFLAGS"])
    AC_LANG_POP([C])
])

dnl The compiler flags for --enable-sanitizer, which are also needed when linking.
AC_DEFUN([APELINK_SANITIZER], [
    SAN_CFLAGS=
    SAN_NAMES=
    AS_CASE([",$enable_sanitizer,"],
        [,no,], [],
        [,yes,], [enable_sanitizer=address,undefined])
    AS_IF([test "x$enable_sanitizer" != xno], [
        SAN_NAMES=$enable_sanitizer
        SAN_CFLAGS="-fsanitize=$enable_sanitizer -fno-omit-frame-pointer"
        AS_CASE([",$enable_sanitizer,"],
            [*,undefined,*], [SAN_CFLAGS="$SAN_CFLAGS -fno-sanitize-recover=undefined"])
        apelink_saved_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS $SAN_CFLAGS"
        AC_MSG_CHECKING([whether $CC links with -fsanitize=$enable_sanitizer])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR([--enable-sanitizer=$enable_sanitizer: not supported by $CC; try address,undefined or thread])])
        CFLAGS=$apelink_saved_CFLAGS])
    AC_SUBST([SAN_CFLAGS])
    AC_SUBST([SAN_NAMES])
    AM_CONDITIONAL([ENABLE_ASAN], [AS_CASE([",$enable_sanitizer,"], [*,address,*], [true], [false])])
    AM_CONDITIONAL([ENABLE_UBSAN], [AS_CASE([",$enable_sanitizer,"], [*,undefined,*], [true], [false])])
    AM_CONDITIONAL([ENABLE_TSAN], [AS_CASE([",$enable_sanitizer,"], [*,thread,*], [true], [false])])
])
