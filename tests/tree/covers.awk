# SPDX-License-Identifier: BSD-3-Clause
# Reads the files named in the file "list": a suite names in lines "Covers: FILE..." which sources it is about, by the ends
# of their paths. The file "excepted" has the sources that no suite names yet. See covers.sh.

function complain(text)
{
    print text
    failures++
}

# cover(FILE, WORDS): the sources that a line of a suite names.
function cover(suite, words, n, i, parts, f, found)
{
    n = split(words, parts, /[ ,;]+/)
    for (i = 1; i <= n; i++) {
        sub(/\.$/, "", parts[i])
        if (parts[i] !~ /\.(c|h|def|awk|py)$/)
            continue
        found = 0
        for (f = 1; f <= count; f++) {
            if (files[f] == parts[i] || substr(files[f], length(files[f]) - length(parts[i])) == "/" parts[i]) {
                covered[files[f]] = 1
                found = 1
            }
        }
        if (!found)
            complain(suite ": covers " parts[i] ", which is not there")
    }
}

BEGIN {
    failures = count = 0
    while ((getline line < excepted) > 0)
        if (line !~ /^#/ && line != "")
            except[line] = 1
    while ((getline line < list) > 0)
        files[++count] = line
    for (f = 1; f <= count; f++) {
        if (files[f] !~ /(^|\/)tests\//)
            continue
        more = 0
        while ((getline line < files[f]) > 0) {
            if (line ~ /Covers: /) {
                sub(/.*Covers: /, "", line)
                more = 1
            } else if (more && line !~ /^[ *#]*[A-Za-z0-9_\/.-]+\.(c|h|def)[ ,.]/ && line !~ /^[ *#]*[A-Za-z0-9_\/.-]+\.(c|h|def)$/) {
                more = 0
            }
            if (more)
                cover(files[f], line)
        }
        close(files[f])
    }
    for (f = 1; f <= count; f++) {
        file = files[f]
        if (file !~ /\.c$/ || file !~ /^(ni|dnp|hfm|driver|record|presto\/core|presto\/fortran|btl_apelink|mtl_match|pml_match|ompi_match|ompi_glue|pml_hooks)\//)
            continue
        if (!(file in covered) && !(file in except))
            complain(file ": no suite names it; begin one with \"Covers: " file "\"")
        if (file in covered && file in except)
            complain(excepted ": " file " is named by a suite now: strike it")
        delete except[file]
    }
    for (file in except)
        complain(excepted ": " file " is not there: strike it")
    print failures
}
