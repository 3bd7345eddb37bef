# SPDX-License-Identifier: BSD-3-Clause
# Reads the source files named in the file "list" and checks who uses whose functions, with the layers of layers.awk.
# The file "excepted" has lines of a file and a function that may stay. See calls.sh.

# read_file(FILE): its lines of code into text[1..n].
function read_file(file, n, line)
{
    n = in_comment = 0
    while ((getline line < file) > 0)
        text[++n] = code(line)
    close(file)
    return n
}

# find_definitions(FILE): functions that others can see. The brace that begins a body stands alone.
function find_definitions(file, n, i, head, name)
{
    n = read_file(file)
    head = ""
    for (i = 1; i <= n; i++) {
        if (text[i] ~ /^\{/) {
            name = head
            if (file ~ /\.h$/ || head !~ /^static/) {
                sub(/\(.*/, "", name)
                sub(/.*[^a-zA-Z0-9_]/, "", name)
                if (name ~ /^(ni|dnp|hfm|pr|pri|presto|record|btl|mtl|pml|ompi)_/ && head ~ /\(/)
                    defined[name] = defined[name] " " layer(file)
            }
            head = ""
        } else if (text[i] ~ /^[a-zA-Z]/) {
            head = text[i]
        } else if (text[i] ~ /^[ \t]/ && head != "") {
            head = head text[i]
        } else {
            head = ""
        }
    }
}

# allowed(LAYER, NAME): whether a function of this name is one that the layer may call.
function allowed(from, name, n, parts, i)
{
    if (name in public && from in user)
        return 1
    n = split(defined[name], parts, " ")
    for (i = 1; i <= n; i++)
        if ((from, parts[i]) in may || !(parts[i] in known))
            return 1
    return 0
}

# find_public(FILE): the functions that a public header declares.
function find_public(file, n, i, m, j, words)
{
    n = read_file(file)
    for (i = 1; i <= n; i++) {
        m = split(text[i], words, /[^a-zA-Z0-9_]+/)
        for (j = 1; j <= m; j++)
            public[words[j]] = 1
    }
}

function find_uses(file, from, n, i, words, m, j, seen)
{
    from = layer(file)
    if (!(from in known) || from == "ni/include")
        return
    n = read_file(file)
    for (i = 1; i <= n; i++) {
        m = split(text[i], words, /[^a-zA-Z0-9_]+/)
        for (j = 1; j <= m; j++) {
            # The tag of a type is no function.
            if (j > 1 && words[j - 1] ~ /^(enum|struct|union)$/)
                continue
            if (!(words[j] in defined) || (file, words[j]) in seen || allowed(from, words[j]))
                continue
            seen[file, words[j]] = 1
            if ((file, words[j]) in except)
                delete except[file, words[j]]
            else {
                print file ":" i ": " from " may not use " words[j] "() of" defined[words[j]]
                failures++
            }
        }
    }
}

BEGIN {
    layers()
    failures = count = 0
    while ((getline line < excepted) > 0) {
        split(line, parts, " ")
        if (line !~ /^#/ && line != "")
            except[parts[1], parts[2]] = 1
    }
    while ((getline file < list) > 0)
        files[++count] = file
    for (f = 1; f <= count; f++)
        if (layer(files[f]) == "ni/include")
            find_public(files[f])
        else
            find_definitions(files[f])
    for (f = 1; f <= count; f++)
        find_uses(files[f])
    for (key in except) {
        split(key, parts, SUBSEP)
        print excepted ": " parts[1] " does not use " parts[2] "() any more: strike it"
        failures++
    }
    print failures
}
