# SPDX-License-Identifier: BSD-3-Clause
# Makes renames: the symbols of objects that prestofc compiles. What gfortran calls mpi_send_ is presto_mpi_send_ there; a
# function that is missing has a symbol which no library has. With list.awk in front.

function rename(lower, symbol) {
    print "mpi_" lower "_ " symbol "mpi_" lower "_"
    print "pmpi_" lower "_ " symbol "pmpi_" lower "_"
}

function generate(    n, i, more) {
    print "# SPDX-License-Identifier: BSD-3-Clause"
    print "# Made by symbols.awk from functions.list, which say what this is."
    for (n = 1; n <= functions; n++) if (how[name[n]] !~ /^(C|f08.*)$/) rename(tolower(name[n]), "presto_")
    n = split("null_copy_fn null_delete_fn dup_fn comm_null_copy_fn comm_null_delete_fn type_null_copy_fn type_null_delete_fn win_null_copy_fn win_null_delete_fn conversion_fn_null conversion_fn_null_c sizeof", more, " ")
    for (i = 1; i <= n; i++) rename(more[i], "presto_")
    for (n = 1; n <= missing; n++) if (lacks[n] !~ /_c$/) rename(tolower(lacks[n]), "presto_missing_")
}
