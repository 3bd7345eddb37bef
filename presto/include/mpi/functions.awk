# SPDX-License-Identifier: BSD-3-Clause
# Makes from functions.list what says something of each function of MPI: awk -v make=WHAT -f functions.awk functions.list
#   names              mpi/names.h: the symbol of each function
#   missing            mpi/missing.h: functions that Presto does not have
#   missing_profiling  mpi/missing_profiling.h: these by the names of the profiling interface
#   symbols            mpi/symbols.h, which prestocc includes before each source: what a source declares under the name of
#                      a function of MPI, without mpi.h, gets the symbol that the header would give it. A configure script
#                      that asks for one so is answered by Presto alone: a function that is missing has a symbol which no
#                      library has.

function guard() { return "PRESTO_MPI_" toupper(make) "_H" }
function define(name, value) { print "#define " name " " value }
function symbol(name, value) { print "#pragma redefine_extname " name " " value }

function give_up(why) {
    print FILENAME ":" FNR ": " why >"/dev/stderr"
    failed = 1
    exit 1
}

# A missing function is declared, with any arguments, so that a call of it is an error that says what to do, and its address that of a symbol which no library has: no
# macro, as that would answer yes where a configure script looks whether there is one. Only where calls are to fail when they are made it is one.
function begin_missing() {
    print "#ifdef PRESTO_DEFER_MISSING"
    print "#define PRESTO_MISSING(name, hint) \\"
    print "    static inline int presto_missing_MPI_##name(void) \\"
    print "    { \\"
    print "        return presto_missing(\"MPI_\" #name, hint); \\"
    print "    } \\"
    print "    int presto_given(int none, ...)"
    print "/* Variables that are only given to missing functions count as used, so that there is no other message. */"
    print "int presto_given(int none, ...); /* is nowhere, and never called */"
    print "#define PRESTO_USED(...) ((void)sizeof(presto_given(0, __VA_ARGS__)))"
    print "#else"
    print "#if defined(__clang__) && !defined(__cplusplus) /* where it looks at no call without a prototype */"
    print "#define PRESTO_REFUSED(text) __attribute__((diagnose_if(1, text, \"error\")))"
    print "#elif defined(__has_attribute)"
    print "#if __has_attribute(error)"
    print "#define PRESTO_REFUSED(text) __attribute__((error(text)))"
    print "#endif"
    print "#endif"
    print "#ifndef PRESTO_REFUSED"
    print "#define PRESTO_REFUSED(text) /* found by the linker */"
    print "#endif"
    print "#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)"
    print "#define PRESTO_ANY ..."
    print "#else"
    print "#define PRESTO_ANY"
    print "#endif"
    print "#ifndef __cplusplus"
    print "#pragma GCC diagnostic push"
    print "#pragma GCC diagnostic ignored \"-Wstrict-prototypes\""
    print "#endif"
    print "#define PRESTO_REFUSE(call, name, hint) \\"
    print "    int call(PRESTO_ANY) __asm__(\"presto_missing_MPI_\" #name) \\"
    print "        PRESTO_REFUSED(\"MPI_\" #name \" is not in Presto: \" hint)"
    print "#define PRESTO_MISSING(name, hint) \\"
    print "    PRESTO_REFUSE(MPI_##name, name, hint); \\"
    print "    PRESTO_REFUSE(PMPI_##name, name, hint)"
    print "#endif"
}

function end_missing(    n) {
    print "#ifdef PRESTO_DEFER_MISSING"
    for (n = 1; n <= refused; n++)
        define("MPI_" refused_name[n] "(...)", "(PRESTO_USED(__VA_ARGS__), presto_missing_MPI_" refused_name[n] "())")
    print "#elif !defined(__cplusplus)"
    print "#pragma GCC diagnostic pop"
    print "#endif"
}

function have(name) {
    if (make == "names") {
        define("MPI_" name, "presto_MPI_" name)
        define("PMPI_" name, "presto_PMPI_" name)
    } else if (make == "symbols") {
        symbol("MPI_" name, "presto_MPI_" name)
        symbol("PMPI_" name, "presto_PMPI_" name)
    }
}

function missing(name, hint) {
    if (make == "missing") {
        print "PRESTO_MISSING(" name ", \"" hint "\");"
        refused_name[++refused] = name
    } else if (make == "missing_profiling") {
        define("PMPI_" name, "MPI_" name)
    } else if (make == "symbols") {
        symbol("MPI_" name, "presto_missing_MPI_" name)
        symbol("PMPI_" name, "presto_missing_MPI_" name)
    }
}

BEGIN {
    if (make !~ /^(names|missing|missing_profiling|symbols)$/) {
        print "functions.awk: set make to names, missing, missing_profiling or symbols" >"/dev/stderr"
        failed = 1
        exit 1
    }
    print "/* SPDX-License-Identifier: BSD-3-Clause */"
    print "/* Made by functions.awk from functions.list, which say what this is. */"
    print "#if !defined(__ASSEMBLER__) && !defined(" guard() ")"
    print "#define " guard()
    if (make == "missing") begin_missing()
    if (make == "missing_profiling") print "#ifdef PRESTO_DEFER_MISSING"
}

/^#/ || $1 == "argument" || $1 == "wide" { next } # list.awk
$2 !~ /^[A-Z][A-Za-z0-9_]*$/ { give_up("'" $2 "' is no name of a function") }
$2 <= last { give_up($2 " is not behind " last ", as it is in the order of the names") }
{ last = $2 }
$1 == "have" || $1 == "large" { have($2); next }
$1 == "missing" && NF > 2 {
    hint = $0
    sub(/^missing [^ ]* /, "", hint)
    missing($2, hint)
    next
}
{ give_up("begin with 'have NAME', 'large NAME_c' or 'missing NAME HINT'") }

END {
    if (failed) exit 1
    if (make == "missing") end_missing()
    if (make == "missing_profiling") print "#endif"
    print "#endif"
}
