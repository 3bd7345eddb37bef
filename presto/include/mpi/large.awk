# SPDX-License-Identifier: BSD-3-Clause
# Makes what says something of the functions with large counts: awk -v make=WHAT -f list.awk -f large.awk functions.list
#   large      mpi/large.h: their declarations
#   as_large   mpi/as_large.h: in sources that are compiled once more for them, each function's name is that of its large form

function handle_type(k) {
    k = base(k)
    return k == "type" ? "MPI_Datatype" : "MPI_" toupper(substr(k, 1, 1)) substr(k, 2)
}

# The type of one: what a value, an element of an array or a result is.
function c_type(k) {
    k = base(k)
    if (k in c_of) return c_of[k]
    return is_handle(k) ? handle_type(k) : "int"
}

# An argument in C. An array of numbers is one by its kind or by its number of elements.
function declared(f, i, k,    a, w, many) {
    a = arg[f, i]; w = way[f, i]
    many = k ~ /\[/ || kind[f, i] ~ /^(ints|addresses)$/
    if (k == "data") return "const void *" a
    if (k ~ /^(buffer|memory|pointer)$/) return "void *" a
    if (k == "string") return "const char *" a
    if (k == "status") return w == "" ? "const MPI_Status *" a : "MPI_Status *" a
    if (many) return (w == "" ? "const " : "") c_type(k) " " a "[]"
    return c_type(k) (w == "" ? " " : " *") a
}

function prototype(large, f,    i, text) {
    for (i = 1; i <= args[f]; i++) text = text (i > 1 ? ", " : "") declared(f, i, large_kind(large, f, i))
    print "PRESTO_FN(int, " large ", (" text "));"
}

function generate(    n, f, guard) {
    if (make !~ /^(large|as_large)$/) give_up("set make to large or as_large")
    split("address MPI_Aint addresses MPI_Aint count MPI_Count offset MPI_Offset", pair, " ")
    for (n = 1; n in pair; n += 2) c_of[pair[n]] = pair[n + 1]
    guard = make == "large" ? "PRESTO_MPI_LARGE_H" : "PRI_MPI_AS_LARGE_H"
    print "/* SPDX-License-Identifier: BSD-3-Clause */"
    print "/* Made by large.awk from functions.list, which say what this is. */"
    print "#ifndef " guard
    print "#define " guard
    for (n = 1; n <= larges; n++) {
        f = substr(large_name[n], 1, length(large_name[n]) - 2)
        if (!(f in args)) give_up(large_name[n] " is the large form of no function")
        if (make == "large") {
            prototype(large_name[n], f)
        } else {
            print "#undef MPI_" f
            print "#define MPI_" f " presto_MPI_" large_name[n]
        }
    }
    print "#endif"
}
