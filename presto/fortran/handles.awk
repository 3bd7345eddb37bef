# SPDX-License-Identifier: BSD-3-Clause
# Makes predefined.h from types.h: the predefined handles with their kinds, in the order of their numbers in Fortran.

BEGIN {
    print "/* SPDX-License-Identifier: BSD-3-Clause */"
    print "/* Made by handles.awk from types.h, which say what this is. */"
}
$1 == "#define" && $3 ~ /^\(&presto_/ {
    symbol = substr($3, 3, length($3) - 3)
    print "PRESTO_PREDEFINED(" kind_of[symbol] ", " symbol ")"
}
