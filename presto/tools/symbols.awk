# SPDX-License-Identifier: BSD-3-Clause
# The header that prestocc includes before each source, from mpi/names.h and mpi/missing.h: what a source declares under
# the name of a function of MPI, without mpi.h, gets the symbol that the header would give it. A configure script that asks
# for one so is answered by Presto alone: a function that is missing has a symbol which no library has.

function symbol(name, is) { print "#pragma redefine_extname " name " " is }

BEGIN {
    print "/* Made by symbols.awk from names.h and missing.h. */"
    print "#if !defined(__ASSEMBLER__) && !defined(PRESTO_MPI_SYMBOLS_H)"
    print "#define PRESTO_MPI_SYMBOLS_H"
}

$1 == "#define" && $2 ~ /^P?MPI_/ && $3 ~ /^presto_P?MPI_/ { symbol($2, $3) }

/^PRESTO_MISSING\(/ {
    name = $0
    sub(/^PRESTO_MISSING\(/, "", name)
    sub(/,.*/, "", name)
    symbol("MPI_" name, "presto_missing_MPI_" name)
    symbol("PMPI_" name, "presto_missing_MPI_" name)
}

END { print "#endif" }
