# SPDX-License-Identifier: BSD-3-Clause
# Reads the C sources named in the file "list" and looks in them for the words that docs/glossary.md, the file "glossary",
# has struck. The file "excepted" has lines of a file and a word that is in it still. See words.sh.

# read_rules(): the rows of the glossary's last table: | `word` `word` | identifiers, comments, functions | folder folder | instead |
function read_rules(line, parts, n, m, i, words, folders)
{
    while ((getline line < glossary) > 0) {
        if (line ~ /^## /)
            rules = (line ~ /not used/)
        if (!rules || split(line, parts, /[ ]*\|[ ]*/) < 5 || parts[2] !~ /^`/)
            continue
        gsub(/`/, "", parts[2])
        n = split(parts[2], words, " ")
        for (i = 1; i <= n; i++) {
            in_names[words[i]] = (parts[3] ~ /identifiers/)
            in_comments[words[i]] = (parts[3] ~ /comments/)
            in_functions[words[i]] = (parts[3] ~ /functions/)
            where[words[i]] = " " parts[4] " "
            instead[words[i]] = parts[5]
            count_rules++
        }
    }
    close(glossary)
}

# applies(WORD, FILE): whether the word is struck in this file, a path.
function applies(word, file, n, i, folders)
{
    n = split(where[word], folders, " ")
    for (i = 1; i <= n; i++)
        if (index(file, folders[i] "/") == 1)
            return 1
    return 0
}

function complain(file, at, word, kind)
{
    if (!applies(word, file))
        return
    found[file, word] = 1
    if (((file, word) in except) || ((file, word) in told))
        return
    told[file, word] = 1
    print file ":" at ": the " kind " has \"" word "\"; say " instead[word]
    failures++
}

# names(FILE, LINE NUMBER, TEXT, KIND): the parts of each identifier.
function names(file, at, text, kind, n, i, words)
{
    n = split(tolower(text), words, /[^a-z0-9]+/)
    for (i = 1; i <= n; i++)
        if (in_names[words[i]])
            complain(file, at, words[i], kind)
}

# functions(FILE, LINE NUMBER, TEXT): functions whose whole name is a word.
function functions(file, at, text, name)
{
    while (match(text, /[A-Za-z0-9_.>]+\(/)) {
        name = substr(text, RSTART, RLENGTH - 1)
        if (in_functions[name])
            complain(file, at, name, "function")
        text = substr(text, RSTART + RLENGTH)
    }
}

# comment(FILE, LINE NUMBER, TEXT): its words, and the identifiers that it names.
function comment(file, at, text, n, i, words)
{
    n = split(tolower(text), words, /[^a-z0-9_]+/)
    for (i = 1; i <= n; i++) {
        if (index(words[i], "_") > 0)
            names(file, at, words[i], "comment")
        else if (in_comments[words[i]])
            complain(file, at, words[i], "comment")
    }
}

# check(FILE): each line is split in what is code and what is comment.
function check(file, base, line, at, n, from, inside, code)
{
    base = file
    sub(/.*\//, "", base)
    names(file, 0, base, "name")
    n = inside = 0
    while ((getline line < file) > 0) {
        n++
        code = ""
        gsub(/\\./, "", line)
        if (!inside)
            gsub(/"[^"]*"/, "", line)
        while (line != "") {
            at = index(line, inside ? "*/" : "/*")
            from = at == 0 ? line : substr(line, 1, at - 1)
            if (inside)
                comment(file, n, from)
            else
                code = code " " from
            line = at == 0 ? "" : substr(line, at + 2)
            if (at != 0)
                inside = !inside
        }
        if (code !~ /^ *#[ ]*include/) {
            names(file, n, code, "name")
            functions(file, n, code)
        }
    }
    close(file)
}

BEGIN {
    failures = count_rules = 0
    read_rules()
    if (count_rules == 0) {
        print glossary ": no words in its table of those that are not used"
        failures++
    }
    while ((getline line < excepted) > 0) {
        split(line, parts, " ")
        if (line !~ /^#/ && line != "")
            except[parts[1], parts[2]] = 1
    }
    while ((getline file < list) > 0)
        check(file)
    for (key in except) {
        split(key, parts, SUBSEP)
        if (key in found)
            continue
        print excepted ": " parts[1] " has no \"" parts[2] "\" any more: strike it"
        failures++
    }
    print failures
}
