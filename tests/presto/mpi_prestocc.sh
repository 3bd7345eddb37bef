#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# prestocc and its header: what it prints, what it compiles and refuses, in C and C++; each function that the header declares is in
# the library under both names, and none is both there and missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=mpi_common.sh
. "$here/mpi_common.sh"
status=0

failed() {
    echo "FAIL: $*"
    status=1
}

# has WORD COMMAND...: the command ends well and prints the word.
has() {
    word=$1
    shift
    "$@" >"$work/out" 2>&1 || failed "$*: exit status $?"
    grep -qe "$word" "$work/out" || failed "$*: does not print $word"
}

# Compilers beside the one of this build.
others=
for other in gcc clang; do
    [ "$other" = "${CC:-cc}" ] || ! $other --version >/dev/null 2>&1 || others="$others $other"
done
cxx=${CXX:-c++}

has 'showme:WHAT' "$prestocc" --help
has '^prestocc: Presto [0-9]' "$prestocc" --version
has "-I$PRESTO_INCLUDEDIR x.c.*-lpresto" "$prestocc" --show x.c
has '-lpresto' "$prestocc" -showme:link
has "-I$PRESTO_INCLUDEDIR" "$prestocc" --showme:compile
"$prestocc" --show -c x.c | grep -q lpresto && failed "-c links"
"$prestocc" --showme:nonsense >"$work/out" 2>&1 && failed "--showme:nonsense is taken"
"$prestocc" >"$work/out" 2>&1 && failed "no argument at all is taken"

cat >"$work/good.c" <<'END'
#include <mpi.h>
/* MPI_Session_init(in a comment) */
const char *text = "MPI_Psend_init(in a string)";
MPI_Datatype type = MPI_DOUBLE;
int main(int argc, char **argv)
{
    int (*wait)(MPI_Request *, MPI_Status *) = MPI_Wait;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    wait(&request, MPI_STATUS_IGNORE);
    return PMPI_Finalize();
}
END
cat >"$work/bad.c" <<'END'
#include <mpi.h>
int main(void)
{
    MPI_Session s = MPI_SESSION_NULL; MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
    return MPI_Nonsense(1);
}
END
has 'nothing is missing' "$prestocc" --check "$work/good.c"

# A missing function in a branch: compiled on request, and an error where it is called.
cat >"$work/branch.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int code = 0, class = 0;
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    if (argc > 2 || (argc == 1 && argv[0] == NULL)) {
        code = MPI_Session_finalize(&session);
        MPI_Error_class(code, &class);
    }
    printf("class %d\n", class == MPI_ERR_UNSUPPORTED_OPERATION);
    return MPI_Finalize();
}
END
"$prestocc" -c "$work/branch.c" -o "$work/branch.o" 2>/dev/null && failed "a missing function compiles without being asked for"
# shellcheck disable=SC2086 # no option, or one
"$prestocc" --defer-missing $sanitizer -Wall -Wextra -Werror "$work/branch.c" -o "$work/branch" || failed "--defer-missing does not compile"
has '^class 0$' "$work/branch"
has '^class 1$' "$work/branch" return call
"$prestocc" --check "$work/bad.c" >"$work/out" && failed "--check does not say that something is missing"
grep -q 'bad.c:4: MPI_Session_init is not in Presto: use MPI_Init' "$work/out" || failed "--check does not name MPI_Session_init"
grep -q 'bad.c:5: MPI_Nonsense is no function' "$work/out" || failed "--check does not name MPI_Nonsense"
"$prestocc" --check "$work/absent.c" 2>/dev/null && failed "--check takes a file that is not there"
"$prestocc" --check "$work" >"$work/out" 2>&1 && failed "--check takes a folder"
grep -qx "prestocc: cannot read $work" "$work/out" || failed "--check does not name a folder"

compile "$work/good.c" "$work/good" || failed "a program does not compile"
"$work/good" || failed "a program does not run alone"
for compiler in "${CC:-cc}" $others; do
    PRESTO_CC=$compiler "$prestocc" -c "$work/bad.c" -o "$work/bad.o" 2>"$work/out" && failed "$compiler compiles bad.c"
    grep -q 'MPI_Session_init is not in Presto' "$work/out" || failed "$compiler does not name MPI_Session_init"
done
printf '#include <mpi.h>\n#include <mpi.h>\nint main() { return MPI_Init(0, 0) + (MPI_INT == MPI_BYTE); }\n' >"$work/one.cc"
if $cxx --version >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # a compiler may come with options of its own
    $cxx -std=c++17 -Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only -I"$PRESTO_INCLUDEDIR" "$work/one.cc" ||
        failed "mpi.h is no C++"
fi

"$prestocc" "$work/one.cc" -o "$work/one" 2>"$work/out" && failed "a C compiler takes C++"
grep -q 'one.cc is C++, and .*: use prestocxx' "$work/out" || failed "C++ is refused without a remedy"
"$prestocc" -c solver.f90 2>"$work/out" && failed "Fortran is taken"
grep -q 'solver.f90 is Fortran' "$work/out" || failed "Fortran is refused without its name"
if $cxx --version >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # no option, or one
    PRESTO_CC=$cxx "$prestocc" $sanitizer "$work/one.cc" -o "$work/one" || failed "PRESTO_CC=$cxx does not compile C++"
    "$prestocc" -x c++ -c "$work/one.cc" -o "$work/one.o" || failed "-x c++ is refused"
fi
# An option that ends like a file in another language is none.
"$prestocc" -DSOURCE=solver.f90 -c "$work/good.c" -o "$work/good.o" || failed "-DSOURCE=solver.f90 is taken for a file"
# An object made of others has no libraries, and -v alone links nothing.
"$prestocc" -r "$work/good.o" -o "$work/more.o" || failed "-r does not make an object"
"$prestocc" -v 2>"$work/out" || failed "-v links: $(cat "$work/out")"
"$prestocc" -static "$work/good.c" -o "$work/static" 2>"$work/out" && failed "-static is taken"
grep -q -- '-static.*: Presto is a shared library' "$work/out" || failed "-static is refused without a reason"
has 'presto_MPI_Init' "$prestocc" -E "$work/good.c"
grep -q 'lpresto' "$work/out" && failed "-E has libraries"
has '-Wl,-rpath,' "$prestocc" -show "$work/good.c" -o x
has 'presto_plain presto' "$prestocc" --showme:libs

# Without prestocc only a few functions have plain names.
printf 'char MPI_Init();\nint main(void) { return MPI_Init(); }\n' >"$work/plain.c"
link=$("$prestocc" --showme:link)
# shellcheck disable=SC2086
${CC:-cc} $sanitizer -w "$work/plain.c" -o "$work/plain" $link || failed "MPI_Init has no plain name"
sed -i 's/MPI_Init/MPI_Send/' "$work/plain.c"
# shellcheck disable=SC2086
${CC:-cc} $sanitizer -w "$work/plain.c" -o "$work/plain" $link 2>/dev/null && failed "MPI_Send has a plain name"

# Names: two lists of the header, and the library.
sed -n 's/^#define \(P\{0,1\}MPI_[A-Za-z_0-9]*\) *presto_.*/\1/p' "$PRESTO_INCLUDEDIR/mpi/names.h" | sort >"$work/names"
[ "$(wc -l <"$work/names")" -gt 400 ] || failed "names.h has few names"
${NM:-nm} -D --defined-only "$PRESTO_LIBDIR/libpresto.so" | sed -n 's/.* presto_\(P\{0,1\}MPI_[A-Za-z_0-9]*\)$/\1/p' |
    sort >"$work/library"
cmp -s "$work/names" "$work/library" || {
    failed "header and library differ:"
    diff "$work/names" "$work/library"
}
sed -n 's/^#define \(MPI_[A-Za-z_0-9]*\)(.*/\1/p' "$PRESTO_INCLUDEDIR/mpi/missing.h" | sort >"$work/missing"
# Each function of the standard is there, or refused by its name and that of the profiling interface.
grep -v '^#' "$here/mpi_standard" | tr ' ' '\n' | sed 's/^/MPI_/' | sort >"$work/standard"
comm -23 "$work/standard" "$work/names" >"$work/refused"
neither=$(comm -23 "$work/refused" "$work/missing")
[ -z "$neither" ] || failed "neither there nor missing: $neither"
{
    echo '#include <mpi.h>'
    while read -r name; do
        printf 'void call_%s(int x) { (void)%s(x); }\nvoid call_P%s(int x) { (void)P%s(x); }\n' "$name" "$name" "$name" "$name"
    done <"$work/missing"
} >"$work/missing.c"
all= # of the errors, from clang, too
"$prestocc" --version | grep -q clang && all=-ferror-limit=0
# shellcheck disable=SC2086 # no option, or one
"$prestocc" $all -c "$work/missing.c" -o "$work/missing.o" 2>"$work/out" && failed "functions that are missing compile"
sed -n 's/.* error: \(.*: \)\{0,1\}\(MPI_[A-Za-z_0-9]*\) is not in Presto: .*/\2/p' "$work/out" | sort | uniq -c |
    sed -n 's/^ *2 //p' >"$work/told"
cmp -s "$work/missing" "$work/told" || failed "missing, and not refused by both names: $(comm -3 "$work/missing" "$work/told")"
# With the header, too, a configure script hears no: by Autoconf's AC_CHECK_FUNCS with it, CMake's check_symbol_exists, #ifdef.
for compiler in "${CC:-cc}" $others "$cxx"; do
    $compiler --version >/dev/null 2>&1 || continue
    for name in MPI_Session_init PMPI_Remove_error_class MPI_Comm_rank; do
        want=no
        [ $name != MPI_Comm_rank ] || want=yes
        printf '#include <mpi.h>\nint main(int c, char **v) {\n(void)v;\n#ifndef %s\nreturn ((int *)(&%s))[c];\n#else\nreturn 0;\n#endif\n}\n' "$name" "$name" >"$work/ask.c"
        said=no
        # shellcheck disable=SC2086 # no option, or one
        ! PRESTO_CC=$compiler "$prestocc" $sanitizer -w "$work/ask.c" -o "$work/ask" 2>/dev/null || said=yes
        [ $said = $want ] || failed "$compiler, with the header: whether there is $name is answered with $said"
    done
done
"$prestocc" --check "$work/missing.c" | grep -q 'missing.c:[0-9]*: PMPI_Session_init is not in Presto: use MPI_Init' ||
    failed "--check does not name PMPI_Session_init"

# What a configure script asks without the header, as it is installed: Autoconf's two ways and CMake's, of all names that are
# there, and each of some that are missing, with another MPI's library, too, if there is one.
ask() { # COMPILER WAY NAMES: a program that calls them
    {
        for name in $3; do
            case $2 in
            func) printf '#define %s innocuous_%s\n#undef %s\n#ifdef __cplusplus\nextern "C"\n#endif\nchar %s();\n' "$name" "$name" "$name" "$name" ;;
            lib) printf '#ifdef __cplusplus\nextern "C"\n#endif\nchar %s();\n' "$name" ;;
            cmake) printf '#ifdef __cplusplus\nextern "C"\n#endif\nchar\nCHECK_FUNCTION_EXISTS();\n' ;;
            esac
        done
        echo 'int main(int c, char **v) { (void)v; return c > 1000'
        for name in $3; do
            [ "$2" = cmake ] && name=CHECK_FUNCTION_EXISTS
            printf ' && %s()\n' "$name"
        done
        echo '; }'
    } >"$work/ask.c"
    define=
    [ "$2" = cmake ] && define=-DCHECK_FUNCTION_EXISTS=$3
    # shellcheck disable=SC2086 # no option, or one
    PRESTO_CC=$1 "$prestocc" $sanitizer -w $define -x "$language" "$work/ask.c" -x none -o "$work/ask" $other 2>"$work/out"
}
other=
theirs=
[ -z "${MPICC-}" ] || theirs=$($MPICC --showme:link 2>/dev/null)
# What runs has to have the sanitizer of the library's compiler.
[ -z "$sanitizer" ] || others=
for compiler in "${CC:-cc}" $others "$cxx"; do
    $compiler --version >/dev/null 2>&1 || continue
    language=c
    [ "$compiler" != "$cxx" ] || language=c++
    for way in func lib; do
        ask "$compiler" $way "$(cat "$work/names")" || failed "$compiler, $way: not all names are found: $(cat "$work/out")"
        "$work/ask" || failed "$compiler, $way: what is found does not run"
    done
    ask "$compiler" cmake MPI_Comm_rank || failed "$compiler: CMake does not find MPI_Comm_rank: $(cat "$work/out")"
    for other in '' "$theirs"; do
        for name in MPI_Remove_error_class PMPI_Session_init MPI_Psend_init; do
            for way in func lib cmake; do
                ask "$compiler" $way "$name" && failed "$compiler, $way, '$other': $name is found"
                grep -q 'presto_missing_MPI_' "$work/out" || failed "$compiler, $way: $name is refused because of $(cat "$work/out")"
            done
        done
    done
    other=
done

both=$(comm -12 "$work/names" "$work/missing")
[ -z "$both" ] || failed "there and missing: $both"

if ${PKG_CONFIG:-pkg-config} --version >/dev/null 2>&1; then
    has '-lpresto' env PKG_CONFIG_PATH="$build/presto/tools" "${PKG_CONFIG:-pkg-config}" --libs presto
fi
exit $status
