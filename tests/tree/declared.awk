# SPDX-License-Identifier: BSD-3-Clause
# Reads the source files named in the file "list" and finds functions that are declared and nowhere defined, and those that
# others may call and nobody names. See declared.sh.

# name_of(HEAD): the function that a head names; "" if it is none, or one of a macro's, the compiler's or Fortran's.
function name_of(head)
{
    gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "", head)
    if (head !~ /[a-zA-Z0-9_]+[ *]+[a-zA-Z0-9_]+\(/ || head ~ /^typedef / || head ~ /^[^(]*(=|\(\*)/)
        return ""
    sub(/\(.*/, "", head)
    sub(/.*[^a-zA-Z0-9_]/, "", head)
    return head ~ /^_[A-Z_]|_$|^[A-Z0-9_]*$/ ? "" : head
}

# end(FILE, LINE, HEAD, MARK): a head at the left margin ends with a brace, or with a semicolon.
function end(file, line, head, mark, name)
{
    name = name_of(head)
    if (name == "")
        return
    own[name]++
    if (mark == "{") {
        defined[name] = 1
        if ((file ~ /\.h$/ || head !~ /(^|[^a-zA-Z0-9_])static /) && file !~ /^presto\/fortran\// && !(name in place))
            place[name] = file ":" line
    } else if (!(name in declared)) {
        declared[name] = file ":" line
    }
    if (file ~ /\/include\//)
        public[name] = 1
}

function read_file(file, line, text, rest, head, at, n, m, i, words)
{
    n = in_comment = 0
    head = ""
    while ((getline line < file) > 0) {
        n++
        # A string that is a name is looked for in a library.
        for (rest = line; match(rest, /"[a-zA-Z0-9_]+"/); rest = substr(rest, RSTART + RLENGTH))
            said[substr(rest, RSTART + 1, RLENGTH - 2)]++
        text = code(line)
        m = split(text, words, /[^a-zA-Z0-9_]+/)
        for (i = 1; i <= m; i++)
            said[words[i]]++
        if (file !~ /\.[ch]$/)
            continue
        if (text ~ /^[a-zA-Z_]/ && text !~ /:[ \t]*$/ && (head == "" || head ~ /[a-z0-9_]\([^(]/)) {
            head = text
            at = n
        } else if (text ~ /^[a-zA-Z_]/ && head != "") {
            head = head " " text
        } else if (head != "" && text ~ /^[ \t{]/) {
            head = head " " text
        } else {
            head = ""
        }
        if (head ~ /\{/) {
            end(file, at, head, "{")
            head = ""
        } else if (head ~ /;/) {
            end(file, at, head, ";")
            head = ""
        }
    }
    close(file)
}

BEGIN {
    failures = 0
    while ((getline file < list) > 0)
        read_file(file)
    for (name in declared)
        if (!(name in defined)) {
            print declared[name] ": " name "() is defined nowhere: strike it"
            failures++
        }
    # Macros of presto/fortran make names of pieces.
    for (name in place)
        if (said[name] <= own[name] && !(name in public) && name !~ /^(main$|presto_fortran_|P?MPI_|LLVMFuzzer)/) {
            print place[name] ": nobody calls " name "(): strike it"
            failures++
        }
    print failures
}
