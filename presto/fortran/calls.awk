# SPDX-License-Identifier: BSD-3-Clause
# Makes calls.h, the subroutines of Fortran in C: what each argument is before and behind the call of MPI's function. Included by
# those that say what they are called (calls.c). With list.awk in front.

function c_type(k) {
    if (base(k) ~ /^(data|buffer|memory|pointer)$/) return "void *"
    if (is_string(k)) return "char *"
    if (k == "function") return "prf_function "
    if (base(k) ~ /^address(es)?$/) return "MPI_Aint *"
    if (k ~ /^counts?$/) return "MPI_Count *"
    if (k == "offset") return "MPI_Offset *"
    return "MPI_Fint *"
}

function handle_type(k) {
    k = base(k)
    return k == "type" ? "MPI_Datatype" : "MPI_" toupper(substr(k, 1, 1)) substr(k, 2)
}
function converter(k) {
    k = base(k)
    return toupper(substr(k, 1, 1)) substr(k, 2)
}

# How many there are in an array, in C.
function many(f, k,    n) {
    n = count_of(k)
    if (n ~ /^(peers|sources|dests)$/) return n "_of(comm_in(comm))"
    return f ~ /^Comm_spawn/ ? "ROOTS(*" n ")" : "*" n # what others have there means nothing
}

# Sets before, value, after and done: statements around the call, the argument itself, and what is freed.
function convert(f, i,    a, k, w) {
    a = arg[f, i]; k = kind[f, i]; w = way[f, i]
    before = after = done = ""
    value = a
    if (is_handle(k) && k ~ /\[/) {
        before = "    ARRAY_OF(" handle_type(k) ", " a ", " (a == "sendtypes" ? "is_in_place(sendbuf) ? 0 : " : "") many(f, k) ");\n"
        if (w != ">") before = before "    HANDLES_IN(" base(k) ", " a ");\n"
        if (w == "+") after = "    HANDLES_CHANGED(" a ");\n"
        if (w == ">") before = before "    memset(" a "_c, 0, (size_t)" a "_count * sizeof(*" a "_c));\n"
        if (w == ">") after = "    HANDLES_OUT(" converter(k) ", " a ");\n"
        value = a "_c"
        done = "    ARRAY_END(" a ");\n"
    } else if (is_handle(k) && w == "") {
        value = base(k) "_in(" a ")"
    } else if (is_handle(k)) {
        before = "    " handle_type(k) " " a "_c = " (w == "+" ? base(k) "_in(" a ")" : "NULL") ";\n"
        value = "&" a "_c"
        after = w == "+" ? "    HANDLE_CHANGED(" converter(k) ", " a ");\n" : "    HANDLE_OUT(" converter(k) ", " a ");\n"
    } else if (base(k) == "status" && k ~ /\[/) {
        before = "    STATUSES_IN(" a ", " many(f, k) ");\n"
        value = a "_c"
        after = "    STATUSES_OUT(" a ");\n"
        done = "    STATUSES_END(" a ");\n"
    } else if (k == "status") {
        before = "    STATUS_IN(" a ");\n"
        value = a "_at"
        if (w != "") after = "    STATUS_OUT(" a ");\n"
    } else if (k == "data" || k == "buffer") {
        value = "place_of(" a ")"
    } else if (k == "weights") {
        value = "weights_of(" a ")"
    } else if (k == "place") {
        after = "    PLACE_OUT(" a ");\n"
    } else if (base(k) == "place") {
        after = "    PLACES_OUT(" a ", " many(f, k) ");\n"
    } else if (k == "cut") {
        before = "    MPI_Aint " a "_wide = 0;\n"
        value = "&" a "_wide"
        after = "    CUT_OUT(" a ");\n"
    } else if (base(k) == "cuts") {
        before = "    ARRAY_OF(MPI_Aint, " a ", " many(f, k) ");\n    CUTS_IN(" a ");\n"
        value = a "_c"
        done = "    ARRAY_END(" a ");\n"
    } else if (k == "errcodes") {
        value = "errcodes_of(" a ")"
    } else if (base(k) ~ /^(keys|argvs?)$/) {
        before = "    char *" (base(k) == "argvs" ? "**" : "*") a "_c = " base(k) "_in(" a ", " a "_length" ", " (k ~ /\[/ ? many(f, k) : "ROOTS(-1)") ");\n"
        value = a "_c"
        done = "    prf_" (base(k) == "argvs" ? "argvs" : "strings") "_end(" a "_c);\n"
    } else if (is_string(k) && w == "") {
        before = "    char *" a "_c = " base(k) "_in(" a ", " a "_length);\n"
        value = a "_c"
        done = "    free(" a "_c);\n"
    } else if (is_string(k)) {
        before = "    char " a "_out[" count_of(k) "] = \"\";\n"
        value = a "_out"
        after = "    STRING_OUT(" a ");\n"
    } else if (k == "ranges") {
        value = "(int(*)[3])" a
    } else if (w == "" && k ~ /^(int|logical|address|count|offset)$/) {
        value = "*" a
    } else if (w != "" && k == "logical") {
        after = "    LOGICAL_OUT(" a ");\n"
    } else if (k == "pointer") {
        value = a
    }
}

function parameters(f, descriptors,    i, text, lengths) {
    for (i = 1; i <= args[f]; i++) {
        if (is_string(kind[f, i]) && descriptors) text = text "CFI_cdesc_t *" arg[f, i] ", "
        else text = text c_type(kind[f, i]) arg[f, i] ", "
        if (is_string(kind[f, i])) lengths = lengths ", size_t " arg[f, i] "_length"
    }
    return text "MPI_Fint *ierror" (descriptors ? "" : lengths)
}

function call(f,    i, lower, first, values, last, ends) {
    lower = tolower(f)
    for (i = 1; i <= args[f]; i++) {
        convert(f, i)
        first = first before
        values = values (i > 1 ? ", " : "") value
        last = last after
        ends = ends done
    }
    print "void NAME(" lower ")(" parameters(f, 0) ");"
    print "void NAME(" lower ")(" parameters(f, 0) ")"
    print "{"
    printf "%s", first
    print "    int code = CALL(" f ")(" values ");"
    printf "%s%s", last, ends
    print "    END(code);"
    print "}"
}

# For modules, where a string is a descriptor.
function described(f,    i, lower, values, lengths) {
    lower = tolower(f)
    for (i = 1; i <= args[f]; i++) {
        if (is_string(kind[f, i])) {
            values = values arg[f, i] "->base_addr, "
            lengths = lengths ", " arg[f, i] "->elem_len"
        } else {
            values = values arg[f, i] ", "
        }
    }
    print "void NAME_D(" lower ")(" parameters(f, 1) ");"
    print "void NAME_D(" lower ")(" parameters(f, 1) ")"
    print "{"
    print "    NAME(" lower ")(" values "ierror" lengths ");"
    print "}"
}

# For data that may lie in pieces.
function section(f,    i, a, lower, text, values, codes, ends) {
    lower = tolower(f)
    for (i = 1; i <= args[f]; i++) {
        a = arg[f, i]
        if (kind[f, i] ~ /^(data|buffer)$/) {
            text = text "CFI_cdesc_t *" a ", "
            codes = codes "    struct prf_section " a "_s;\n    int " a "_code = prf_section(&" a "_s, " a ", *" arg[f, i + 1] ", " arg[f, i + 2] ");\n"
            bad = bad (bad == "" ? "" : " || ") a "_code != MPI_SUCCESS"
            first = first == "" ? a : first
            values = values a "_s.base, &" a (kind[f, i + 1] == "count" ? "_s.count, &" : "_s.short_count, &") a "_s.type, "
            ends = ends "    prf_section_end(&" a "_s);\n"
            text = text c_type(kind[f, i + 1]) arg[f, i + 1] ", MPI_Fint *" arg[f, i + 2] ", "
            i += 2
        } else {
            text = text c_type(kind[f, i]) a ", "
            values = values a ", "
        }
    }
    print "void NAME_S(" lower ")(" text "MPI_Fint *ierror);"
    print "void NAME_S(" lower ")(" text "MPI_Fint *ierror)"
    print "{"
    printf "%s", codes
    print "    if (" bad ") {"
    print "        int code = CALL(Comm_call_errhandler)(MPI_COMM_WORLD, MPI_ERR_TYPE);"
    print "        END(code == MPI_SUCCESS ? MPI_ERR_TYPE : code);"
    print "    } else {"
    print "        NAME(" lower ")(" values "ierror);"
    print "    }"
    printf "%s", ends
    print "}"
    bad = first = ""
}

function other(f) { print "OTHER_NAME(" tolower(f) ")" (has_string(f) || f ~ /^Buffer_detach/ ? " OTHER_NAME_D(" tolower(f) ")" : "") }

function subroutines(first, last,    n, f) {
    for (n = first; n <= last; n++) {
        f = name[n]
        if (how[f] ~ /^(f08)?$/) call(f)
        if (how[f] ~ /^((f08,)?hand)?$/ && has_string(f)) {
            if (how[f] ~ /hand/) print "void NAME(" tolower(f) ")(" parameters(f, 0) ");"
            described(f)
        }
        if (goes_on(f)) section(f)
    }
}

# What has large counts is called by the module alone.
function generate(    n) {
    add_large_forms()
    print "/* SPDX-License-Identifier: BSD-3-Clause */"
    print "/* Made by calls.awk from functions.list, which say what this is. */"
    print "#ifndef OTHER_NAME"
    subroutines(1, plain_functions)
    print "#ifndef PRF_PLAIN"
    subroutines(plain_functions + 1, functions)
    print "#endif"
    print "#else"
    for (n = 1; n <= functions; n++) if (how[name[n]] !~ /^(C|callback)$/) other(name[n])
    print "#endif"
}
