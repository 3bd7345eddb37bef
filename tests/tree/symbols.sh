#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared objects export their own prefix and nothing else, and all that they need from others is there. They call
# nothing that goes by the locale of the program that loads them. The library exports each function that its headers declare.
. "$(dirname "$0")/files.sh"

build=${APELINK_BUILDDIR:-.}
case ${APELINK_SANITIZER-} in
?*) skip "a sanitizer adds symbols of its own" ;;
esac

# declared HEADER...: the functions that they declare and do not define.
declared() {
    for header in "$@"; do
        awk '
            /^#ifdef __cplusplus/ { skip = 1 }
            !skip && !/^#/ { text = text " " $0 }
            /^#endif/ { skip = 0 }
            END {
                while ((start = index(text, "/*")) > 0)
                    text = substr(text, 1, start - 1) substr(text, start + index(substr(text, start), "*/") + 1)
                gsub(/}/, "};", text) # an inline function ends without a semicolon
                depth = 0
                n = split(text, part, ";")
                for (i = 1; i <= n; i++) {
                    outside = depth == 0
                    depth += gsub(/{/, "{", part[i]) - gsub(/}/, "}", part[i])
                    if (outside && depth == 0 && part[i] !~ /typedef|static/ && match(part[i], /ni_[a-z0-9_]+\(/))
                        print substr(part[i], RSTART, RLENGTH - 1)
                }
            }' "$header"
    done
}

count=0
while read -r library prefix; do
    object=$build/$library
    [ -e "$object" ] || continue
    count=$((count + 1))
    names=$(${NM:-nm} -D --defined-only "$object" | awk '{ sub(/@.*/, "", $NF); print $NF }')
    [ -n "$names" ] || fail "$library exports nothing"
    for name in $names; do
        case $name in
        "$prefix"* | NI_[0-9]* | _init | _fini | __bss_start | _edata | _end) ;;
        *) fail "$library exports $name, which does not begin with $prefix" ;;
        esac
    done
    if [ "$prefix" = ni_ ]; then
        functions=$(declared ni/include/apeni/*.h)
        [ -n "$functions" ] || fail "no function was found in the headers"
        for name in $functions; do
            case "
$names
" in
            *"
$name
"*) ;;
            *) fail "$library does not export $name, which ni/include/apeni declares" ;;
            esac
        done
    fi
    locale=$(${NM:-nm} -D --undefined-only "$object" | awk '{ sub(/@.*/, "", $NF); print $NF }' |
        grep -Ex '__ctype_.*|to(upper|lower)|strn?case.*|strto(d|f|ld)|atof|strcoll|strxfrm|wcs.*|mb.*|localeconv' | tr '\n' ' ')
    [ -z "$locale" ] || fail "$library calls what goes by the program's locale: $locale"
    # An undefined function in a component shows only when some program comes to call it.
    missing=$(LC_ALL=C ldd -r "$object" 2>&1 | grep 'undefined symbol')
    [ -z "$missing" ] || fail "$library: $missing"
done <<EOF
ni/.libs/libapeni.so ni_
btl_apelink/.libs/mca_btl_apelink.so mca_btl_apelink_
mtl_match/.libs/mca_mtl_match.so mca_mtl_match_
pml_match/.libs/mca_pml_match.so mca_pml_match_
presto/.libs/libpresto.so pr
presto/.libs/libpresto_fortran.so presto_
EOF
[ $count -gt 0 ] || skip "no shared object has been built"
finish $count "shared objects"
