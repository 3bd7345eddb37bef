# SPDX-License-Identifier: BSD-3-Clause
# kind_of[SYMBOL]: the kinds of the predefined handles, from their declarations in types.h.

/^extern struct pri_/ {
    kind = $3
    sub(/^pri_(mpi_)?/, "", kind)
    for (i = 4; i <= NF; i++) {
        symbol = $i
        gsub(/[,;]/, "", symbol)
        kind_of[symbol] = kind
    }
}
