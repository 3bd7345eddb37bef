# SPDX-License-Identifier: BSD-3-Clause
# Reads the source files named in the file "list" and finds functions of one file's own that have the name of another file's.
# The file "excepted" has lines of a file and a name that may stay. See statics.sh.

# see(FILE, LINE, HEAD): a head of a definition that begins with "static", or with what stands for it.
function see(file, line, head, name)
{
    gsub(/\/\*[^*]*\*\//, "", head)
    gsub(/__attribute__\(\(([^()]|\([^()]*\))*\)\)/, "", head)
    if (head !~ /\(/)
        return
    name = head
    sub(/\(.*/, "", name)
    sub(/ +$/, "", name)
    sub(/.*[^a-zA-Z0-9_]/, "", name)
    if (!(name in first)) {
        first[name] = file
        place[name] = file ":" line
    } else if (first[name] != file) {
        if ((file, name) in except) {
            delete except[file, name]
            return
        }
        print file ":" line ": " name "() is a function of " place[name] " too: have the name say of what it is"
        failures++
    }
}

BEGIN {
    failures = 0
    while ((getline line < excepted) > 0) {
        split(line, parts, " ")
        if (line !~ /^#/ && line != "")
            except[parts[1], parts[2]] = 1
    }
    while ((getline file < list) > 0) {
        n = 0
        head = ""
        while ((getline line < file) > 0) {
            n++
            if (line ~ /^(static|NI_ALWAYS_INLINE) /) {
                head = line
                at = n
            } else if (head != "" && line ~ /^\{/) {
                see(file, at, head)
                head = ""
            } else if (head != "" && line ~ /^[ \ta-z]/ && head !~ /[;={]/) {
                head = head " " line
            } else {
                head = ""
            }
        }
        close(file)
    }
    for (key in except) {
        split(key, parts, SUBSEP)
        print excepted ": " parts[1] " shares no " parts[2] "() any more: strike it"
        failures++
    }
    print failures
}
