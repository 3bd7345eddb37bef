# SPDX-License-Identifier: BSD-3-Clause
# Reads the source files named in the file "list" and checks who includes whom, with the layers of
# layers.awk. See includes.sh.

# normal(PATH): PATH without "." and "..".
function normal(path, parts, out, n, i, depth, kept)
{
    n = split(path, parts, "/")
    depth = 0
    for (i = 1; i <= n; i++) {
        if (parts[i] == ".." && depth > 0)
            depth--
        else if (parts[i] != "." && parts[i] != "")
            kept[++depth] = parts[i]
    }
    out = ""
    for (i = 1; i <= depth; i++)
        out = out (i > 1 ? "/" : "") kept[i]
    return out
}

# resolve(FILE, NAME, QUOTED): the file of the tree which FILE means by NAME, or "" for a system header.
function resolve(file, name, quoted, dir, i, candidate)
{
    if (!quoted)
        return ("ni/include/" name) in exists ? "ni/include/" name : ""
    dir = file
    sub(/\/?[^\/]*$/, "", dir)
    for (i = 0; i <= roots; i++) {
        candidate = normal((i == 0 ? dir : root[i]) "/" name)
        if (candidate in exists)
            return candidate
    }
    return ""
}

function complain(file, line, text)
{
    print file ":" line ": " text
    failures++
}

# foreign(NAME): a header of Open MPI that is no part of MPI's own interface.
function foreign(name)
{
    return name ~ /^(opal|ompi|orte)\// || name ~ /^(opal|ompi|orte)_config\.h$/
}

function check_include(file, line, name, quoted, from, to, target)
{
    from = layer(file)
    target = resolve(file, name, quoted)
    to = target == "" ? "" : layer(target)

    if (to != "" && from in known && !((from, to) in may)) {
        if ((file, target) in except)
            used[file, target] = 1
        else
            complain(file, line, from " may not include " target)
    }
    if (foreign(name) && !(from in component))
        complain(file, line, "only the components and ompi_glue include Open MPI's own headers (" name ")")
    if ((name == "mpi.h") && target == "" && (from ~ /^ni/ || from == "hfm" || from == "presto"))
        complain(file, line, from " may not include mpi.h")
    if (from == "ni/link" && target ~ /apeni\/(region|match|portal|counter|queue)[^\/]*\.h$/)
        complain(file, line, "a link knows nothing of regions or matching (" target ")")
    # What is inline for those who compose packets in place is engine/send/fast.h.
    if (target == "ni/engine/engine.h" && from !~ /^(ni|tests)/)
        complain(file, line, from " includes what it uses of the engine, not all of it (" target ")")
}

BEGIN {
    layers()
    split("ompi_glue ompi_match btl_apelink mtl_match pml_match pml_hooks", parts, " ")
    for (i in parts)
        component[parts[i]] = 1

    # The folders that are on an include path.
    roots = split("ni/include ni . presto btl_apelink ompi_match mtl_match pml_match pml_hooks hfm osu_bench tests tests/unit", root, " ")

    failures = 0
    while ((getline text < excepted) > 0) {
        split(text, parts, " ")
        if (text !~ /^#/ && text != "")
            except[parts[1], parts[2]] = 1
    }
    while ((getline file < list) > 0)
        exists[file] = 1
    close(list)

    for (file in exists) {
        line = 0
        while ((getline text < file) > 0) {
            line++
            if (text ~ /^[ \t]*#[ \t]*include[ \t]*[<"]/) {
                name = text
                quoted = text ~ /^[^<"]*"/
                sub(/^[^<"]*[<"]/, "", name)
                sub(/[>"].*$/, "", name)
                check_include(file, line, name, quoted)
            } else if (text ~ /^[ \t]*#[ \t]*(el)?if.*(OMPI_M[A-Z]*_VERSION|OPAL_M[A-Z]*_VERSION|BTL_VERSION)/ &&
                       layer(file) != "ompi_glue") {
                complain(file, line, "only ompi_glue asks for the version of Open MPI")
            }
        }
        close(file)
    }
    for (key in except) {
        if (!(key in used)) {
            split(key, parts, SUBSEP)
            complain(excepted, 1, parts[1] " does not include " parts[2] " any more: strike it")
        }
    }
    print failures
}
