# SPDX-License-Identifier: BSD-3-Clause
# For the programs that read source files: a line without what is no code. in_comment is kept from line to line; 0 before a file.

# code(LINE): it without comments, strings and character constants.
function code(text, at, rest)
{
    gsub(/\\./, "", text)
    gsub(/"[^"]*"/, "", text)
    gsub(/'[^']*'/, "", text)
    if (in_comment) {
        at = index(text, "*/")
        if (at == 0)
            return ""
        text = substr(text, at + 2)
        in_comment = 0
    }
    while ((at = index(text, "/*")) > 0) {
        rest = substr(text, at + 2)
        text = substr(text, 1, at - 1)
        if (index(rest, "*/") > 0)
            text = text " " substr(rest, index(rest, "*/") + 2)
        else
            in_comment = 1
    }
    return text
}
