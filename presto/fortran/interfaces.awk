# SPDX-License-Identifier: BSD-3-Clause
# Makes the interfaces of the modules: awk -v make=WHAT -f list.awk -f interfaces.awk functions.list
#   mpi      module mpi, whose handles are integers
#   mpi_f08  module mpi_f08: handles and statuses of types of their own, ierror may be left out
# There a function that has a form with large counts is both of them, told apart by the kinds of their integers.
# Both call the subroutines of calls.h by their C names, with few exceptions, so that no assembler has to rename them.

function handle_type(k) {
    k = base(k)
    return k == "type" ? "MPI_Datatype" : "MPI_" toupper(substr(k, 1, 1)) substr(k, 2)
}

# The name of the interface of what the application gives to MPI.
function function_type(f, a,    kind) {
    kind = f ~ /^(Comm|Keyval|Errhandler)/ ? "Comm" : f ~ /^Type/ ? "Type" : f ~ /^Win/ ? "Win" : "File"
    if (a ~ /errhandler/) return "MPI_" kind "_errhandler_function"
    if (a ~ /copy/) return "MPI_" kind "_copy_attr_function"
    if (a ~ /delete/) return "MPI_" kind "_delete_attr_function"
    if (a == "user_fn") return "MPI_User_function" (f ~ /_c$/ ? "_c" : "")
    if (a ~ /conversion/) return "MPI_Datarep_conversion_function" (f ~ /_c$/ ? "_c" : "")
    if (a ~ /extent/) return "MPI_Datarep_extent_function"
    sub(/_fn$/, "", a)
    return "MPI_Grequest_" a "_function"
}

function declaration(f, i,    a, k, b, array, type) {
    a = arg[f, i]; k = kind[f, i]; b = base(k)
    if (b ~ /^(data|buffer|memory)$/ || (b == "pointer" && make == "mpi")) {
        if (f ~ /^Buffer_detach/ && make == "mpi_f08") return "type(c_ptr), intent(out) :: " a
        if (make == "mpi_f08" && goes_on(f))
            return "type(*), dimension(..), asynchronous" (b == "data" ? ", intent(in)" : "") " :: " a
        return "!GCC$ ATTRIBUTES NO_ARG_CHECK :: " a "\n    type(*), dimension(*)" (b == "data" ? ", intent(in)" : "") " :: " a
    }
    if (b == "function") return make == "mpi" ? "external :: " a : "procedure(" function_type(f, a) ") :: " a
    type = "integer"
    array = k ~ /\[/ || b ~ /^(ints|addresses|counts|logicals|weights|cuts|argv|errcodes)$/ ? "(*)" : ""
    if (b ~ /^(address|addresses|count|counts|offset)$/) type = "integer(kind=8)"
    if (b ~ /^logical/) type = "logical"
    if (b == "pointer") type = "type(c_ptr)"
    if (b == "ranges") array = "(3,*)"
    if (is_string(k)) type = "character(len=*)"
    if (is_string(k) && way[f, i] == ">") array = ""
    if (b == "argvs") array = "(" count_of(k) ",*)"
    if (b == "status" && make == "mpi") array = array == "" ? "(6)" : "(6,*)"
    if (make == "mpi_f08" && (is_handle(k) || b == "status"))
        type = "type(" (b == "status" ? "MPI_Status" : handle_type(k)) ")"
    return type intent(way[f, i]) " :: " a array
}

function intent(w) {
    if (w == "") return ", intent(in)"
    if (make == "mpi") return ""
    return w == ">" ? ", intent(out)" : ", intent(inout)"
}

function signature(f,    i, text) {
    for (i = 1; i <= args[f]; i++) {
        text = text arg[f, i] ", "
        if (i % 4 == 0) text = text "&\n      "
    }
    return text
}

# Functions of the application are Fortran's, and so are logicals where a program keeps to a standard: what takes them has to
# be Fortran's, too. In module mpi its name is then for the assembler, and in mpi_f08 that of a generic one.
function is_of_fortran(f,    i) {
    for (i = 1; i <= args[f]; i++) if (kind[f, i] ~ /^(function|logicals?)$/) return 1
    return 0
}

# Whether the form with large counts is another one to Fortran, where addresses and counts are of the same kind.
function is_told_apart(f,    i) {
    for (i = 1; i <= args[f]; i++) if (declaration(f, i) != declaration(large_of[f], i)) return 1
    return 0
}

function procedure(prefix, f, generic,    i, lower, end) {
    lower = tolower(f)
    end = make == "mpi" ? (has_string(f) ? "_d" : "_") : goes_on(f) ? "_s" : has_string(f) || f ~ /^Buffer_detach/ ? "_f08_d" : "_f08"
    print "  subroutine " (generic ? "presto_" prefix "MPI_" f "_f08" : prefix "MPI_" f) "( &"
    print "      " signature(f) "ierror)" (is_of_fortran(f) ? "" : " bind(C, name=\"presto_" tolower(prefix) "mpi_" lower end "\")")
    if (make == "mpi_f08") print "    import"
    for (i = 1; i <= args[f]; i++) print "    " declaration(f, i)
    print "    integer, " (make == "mpi" ? "" : "optional, ") "intent(out) :: ierror"
    print "  end subroutine"
}

function body(prefix, f,    two, generic) {
    two = make == "mpi_f08" && f in large_of && is_told_apart(f)
    generic = make == "mpi_f08" && (two || is_of_fortran(f))
    if (generic) print "end interface\ninterface " prefix "MPI_" f
    procedure(prefix, f, generic)
    if (two) procedure(prefix, large_of[f], 1)
    if (generic) print "end interface\ninterface"
}

function value(prefix, f,    i, list) {
    for (i = 1; i <= args[f]; i++) list = list (i > 1 ? ", " : "") arg[f, i]
    print "  function " prefix "MPI_" f "(" list ") bind(C, name=\"presto_" tolower(prefix) "mpi_" tolower(f) (make == "mpi" ? "_" : "_f08") "\") result(r)"
    for (i = 1; i <= args[f]; i++) print "    integer(kind=8), intent(in) :: " arg[f, i]
    print "    " (how[f] == "double" ? "double precision" : "integer(kind=8)") " :: r"
    print "  end function"
}

function sizeof(prefix) {
    print "  subroutine " prefix "MPI_Sizeof(x, size, ierror) bind(C, name=\"presto_" tolower(prefix) "mpi_sizeof" (make == "mpi" ? "" : "_f08") "_d\")"
    print "    type(*), dimension(..), intent(in) :: x"
    print "    integer, intent(out) :: size"
    print "    integer, " (make == "mpi" ? "" : "optional, ") "intent(out) :: ierror"
    print "  end subroutine"
}

# What MPI 3 has taken away is not in the new module.
function is_old(f,    i) {
    if (f ~ /^(Attr|Keyval)_/ || f ~ /^Errhandler_(create|get|set)$/ || f ~ /^Type_(hvector|hindexed|struct)$/) return 1
    for (i = 1; i <= args[f]; i++) if (kind[f, i] ~ /^cut/) return 1
    return 0
}

function generate(    n, f, p, prefix) {
    add_large_forms()
    print "! SPDX-License-Identifier: BSD-3-Clause"
    print "! Made by interfaces.awk from functions.list, which say what this is."
    print "interface"
    for (p = 1; p <= 2; p++) {
        prefix = p == 1 ? "" : "P"
        sizeof(prefix)
        for (n = 1; n <= plain_functions; n++) {
            f = name[n]
            if (how[f] ~ /^(C|callback|f08)$/ || (make == "mpi" && how[f] ~ /^f08/) || (make == "mpi_f08" && is_old(f))) continue
            if (how[f] ~ /^(double|address)$/) value(prefix, f)
            else body(prefix, f)
        }
    }
    print "end interface"
}
