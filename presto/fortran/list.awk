# SPDX-License-Identifier: BSD-3-Clause
# Reads functions.list for the generators of this folder: awk -f list.awk -f GENERATOR.awk functions.list. Fills in
#   name[1..functions], how[NAME] (hand, callback, C, f08, double, address or nothing), args[NAME] (how many),
#   arg[NAME, i], kind[NAME, i], way[NAME, i] (">": a result, "+": both, or nothing), lacks[1..missing]
# and calls generate() at the end.
# Kinds: int, logical, address, count, offset (by value or, as results, by address), ints, logicals, addresses, counts, ranges (arrays
# that Fortran and C share); comm, group, type, op, request, message, errhandler, info, win, file (handles), status, either with
# [HOW MANY] in arrays; data (of any type, which is only read), buffer (the same, which may be written), memory (the same, but no MPI_BOTTOM or MPI_IN_PLACE), weights, pointer (a
# place for an address), string, string[MPI_MAX_...]>, key (blanks in front do not count either), keys[HOW MANY], argv (keys up to an
# empty one), argvs[HOW MANY] (such lists side by side), errcodes (integers, or nothing is to be said), place and place[HOW MANY]
# (counted from 1 in Fortran), cut and cuts[HOW MANY] (an address in a plain integer, as in MPI 1), function.

function give_up(why) {
    print FILENAME ":" FNR ": " why >"/dev/stderr"
    failed = 1
    exit 1
}

function read_argument(function_name, i, word,    colon) {
    way[function_name, i] = ""
    if (word ~ /[>+]$/) {
        way[function_name, i] = substr(word, length(word))
        word = substr(word, 1, length(word) - 1)
    }
    colon = index(word, ":")
    if (colon > 0) {
        kind[function_name, i] = substr(word, colon + 1)
        word = substr(word, 1, colon - 1)
    } else {
        kind[function_name, i] = word in kind_of_name ? kind_of_name[word] : "int"
    }
    if (word !~ /^[a-z][a-z0-9_]*$/) give_up("'" word "' is no name of an argument")
    arg[function_name, i] = word
}

# The parts of a kind: type[3] -> base "type", count "3".
function base(k) { sub(/\[.*/, "", k); return k }
function count_of(k) { return k ~ /\[/ ? substr(k, index(k, "[") + 1, length(k) - index(k, "[") - 1) : "" }
function is_handle(k) { return base(k) ~ /^(comm|group|type|op|request|message|errhandler|info|win|file)$/ }
function is_string(k) { return base(k) ~ /^(string|keys?|argvs?)$/ }
function has_string(f,    i) {
    for (i = 1; i <= args[f]; i++) if (is_string(kind[f, i])) return 1
    return 0
}

# The kind of an argument of the form with large counts, as C has it.
function large_kind(large, f, i,    a) {
    a = arg[f, i]
    if ((large, a) in kind_in) return kind_in[large, a]
    return a in wide_of_name ? wide_of_name[a] : kind[f, i]
}

# Makes functions of the forms with large counts: those behind the first `plain_functions`, and large_of[NAME] for each that has one.
function add_large_forms(    n, f, large, i, k) {
    plain_functions = functions
    for (n = 1; n <= functions; n++) if (how[name[n]] == "f08") large_of[substr(name[n], 1, length(name[n]) - 2)] = name[n]
    for (n = 1; n <= larges; n++) {
        large = large_name[n]
        f = substr(large, 1, length(large) - 2)
        name[++functions] = large
        large_of[f] = large
        how[large] = how[f]
        args[large] = args[f]
        for (i = 1; i <= args[f]; i++) {
            k = large_kind(large, f, i)
            arg[large, i] = arg[f, i]
            way[large, i] = way[f, i]
            kind[large, i] = kind[f, i] ~ /^(ints|addresses)$/ && k ~ /^(count|address)$/ ? (k == "count" ? "counts" : "addresses") : k
        }
    }
}

# Whether a function goes on behind its call with data that a count and a type describe: there a part of an array that does not
# lie in one piece is described, because a copy would be gone.
function goes_on(f,    i, later) {
    for (i = 1; i <= args[f]; i++) {
        if (kind[f, i] == "request" && way[f, i] == ">") later = 1
        if (kind[f, i] ~ /^(data|buffer)$/ && !(kind[f, i + 1] ~ /^(int|count)$/ && kind[f, i + 2] == "type")) return 0
    }
    return later && how[f] == "" && has_data(f)
}
function has_data(f,    i) {
    for (i = 1; i <= args[f]; i++) if (kind[f, i] ~ /^(data|buffer)$/) return 1
    return 0
}

/^#/ { next }
$1 == "argument" { for (i = 3; i <= NF; i++) kind_of_name[$i] = $2; next }
$1 == "wide" { for (i = 3; i <= NF; i++) wide_of_name[$i] = $2; next }
$1 == "large" && $2 ~ /_c$/ {
    large_name[++larges] = $2
    for (i = 3; i <= NF; i++) {
        split($i, part, ":")
        kind_in[$2, part[1]] = part[2]
    }
    next
}
$1 == "missing" { lacks[++missing] = $2; next }
$1 == "have" {
    name[++functions] = $2
    first = 3
    how[$2] = ""
    if ($3 ~ /^\(/) {
        how[$2] = substr($3, 2, length($3) - 2)
        first = 4
    }
    for (i = first; i <= NF; i++) read_argument($2, i - first + 1, $i)
    args[$2] = NF - first + 1
    next
}
{ give_up("begin with argument, wide, have, large or missing") }
END { if (!failed) generate() }
