# SPDX-License-Identifier: BSD-3-Clause
# Makes the constants of Fortran from those of C: awk -v make=WHAT -f constants.awk types.h constants.h files.h, types.h first.
#   mpif      mpif.h: fixed and free form, at most 72 columns
#   mpi       the declarations of module mpi
#   mpi_f08   those of module mpi_f08, where handles have types
# Handles are numbers: their place in types.h, 0 where they are null.

function declare(name, type, value, column) {
    if (make == "mpif") {
        print "      " type " " name
        print "      PARAMETER (" name "=" value ")"
    } else {
        print "  " type ", parameter :: " name " = " value
    }
}
function integer(name, value) { declare(name, "INTEGER", value) }
function wide(name, value) { declare(name, "INTEGER(KIND=8)", value) }
function handle(name, type, value) {
    if (make == "mpi_f08") print "  type(" type "), parameter :: " name " = " type "(" value ")"
    else integer(name, value)
}
function c_type(kind) {
    if (kind == "type") return "MPI_Datatype"
    return "MPI_" toupper(substr(kind, 1, 1)) substr(kind, 2)
}
function comment(text) { print (make == "mpif" ? "!     " : "! ") text }

function places(    status, i) {
    status = make == "mpi_f08" ? "type(MPI_Status)" : "INTEGER"
    print "      INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_UNWEIGHTED(1)"
    print "      INTEGER MPI_WEIGHTS_EMPTY(1), MPI_ERRCODES_IGNORE(1)"
    if (make == "mpi_f08") {
        print "      type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)"
    } else {
        print "      INTEGER MPI_STATUS_IGNORE(6), MPI_STATUSES_IGNORE(6,1)"
    }
    print "      COMMON /PRESTO_FORTRAN_PLACES/ MPI_BOTTOM, MPI_IN_PLACE"
    print "      COMMON /PRESTO_FORTRAN_PLACES/ MPI_UNWEIGHTED"
    print "      COMMON /PRESTO_FORTRAN_PLACES/ MPI_WEIGHTS_EMPTY"
    print "      COMMON /PRESTO_FORTRAN_PLACES/ MPI_ERRCODES_IGNORE"
    print "      COMMON /PRESTO_FORTRAN_PLACES/ MPI_STATUS_IGNORE"
    print "      COMMON /PRESTO_FORTRAN_PLACES/ MPI_STATUSES_IGNORE"
    print "      CHARACTER MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)"
    print "      COMMON /PRESTO_FORTRAN_TEXTS/ MPI_ARGV_NULL, MPI_ARGVS_NULL"
    if (make != "mpif") {
        print "      SAVE /PRESTO_FORTRAN_PLACES/, /PRESTO_FORTRAN_TEXTS/"
        return
    }
    print "      SAVE /PRESTO_FORTRAN_PLACES/, /PRESTO_FORTRAN_TEXTS/"
    split("MPI MPI_COMM MPI_TYPE MPI_WIN", of, " ")
    for (i = 1; i <= 4; i++) {
        print "      EXTERNAL " of[i] "_NULL_COPY_FN, " of[i] "_DUP_FN"
        print "      EXTERNAL " of[i] "_NULL_DELETE_FN"
    }
    print "      EXTERNAL MPI_CONVERSION_FN_NULL"
    print "      DOUBLE PRECISION MPI_WTIME, MPI_WTICK"
    print "      DOUBLE PRECISION PMPI_WTIME, PMPI_WTICK"
    print "      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK"
    print "      INTEGER(KIND=8) MPI_AINT_ADD, MPI_AINT_DIFF"
    print "      INTEGER(KIND=8) PMPI_AINT_ADD, PMPI_AINT_DIFF"
    print "      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF"
    print "      EXTERNAL PMPI_AINT_ADD, PMPI_AINT_DIFF"
}

BEGIN {
    comment("SPDX-License-Identifier: BSD-3-Clause")
    comment("Made by constants.awk from mpi.h's constants.")
    integer("MPI_STATUS_SIZE", 6)
    integer("MPI_SOURCE", 1)
    integer("MPI_TAG", 2)
    integer("MPI_ERROR", 3)
    integer("MPI_ADDRESS_KIND", 8)
    integer("MPI_OFFSET_KIND", 8)
    integer("MPI_COUNT_KIND", 8)
    integer("MPI_INTEGER_KIND", 4)
    declare("MPI_SUBARRAYS_SUPPORTED", "LOGICAL", ".FALSE.")
    declare("MPI_ASYNC_PROTECTS_NONBLOCKING", "LOGICAL", ".FALSE.")
}
$1 != "#define" || $2 !~ /^MPI_[A-Z0-9_]+$/ { next }
{ value = $0; sub(/^#define +[A-Z0-9_]+ +/, "", value) }
value ~ /^\(&presto_/ {
    symbol = substr(value, 3, length(value) - 3)
    type_of[$2] = c_type(kind_of[symbol])
    handle($2, type_of[$2], number_of[$2] = ++numbers)
    next
}
value in number_of { handle($2, type_of[value], number_of[value]); next }
value ~ /^\(\(MPI_[A-Z][a-z]*\)0\)$/ {
    sub(/^\(\(/, "", value)
    sub(/\).*/, "", value)
    handle($2, value, 0)
    next
}
{ gsub(/[()]/, "", value) }
value !~ /^-?[0-9]+$/ { next }
$2 ~ /^MPI_MAX_/ { value -= 1 } # C counts the byte behind a string
$2 == "MPI_DISPLACEMENT_CURRENT" { wide($2, value); next }
{ integer($2, value) }
END { places() }
