#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Covers: dnp/registers.def, dnp/registers_print.c, dnp/registers_table.c. The document of the registers is made from the table of today.
src=${APELINK_SRCDIR:?}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"${APELINK_BUILDDIR:?}/dnp/registers-table" >"$work/out" || exit 1
if ! diff "$src/docs/registers.md" "$work/out"; then
    echo "docs/registers.md is not up to date with dnp/registers.def: run make registers and commit it"
    exit 1
fi
[ "$(grep -c '^| `' "$work/out")" -eq "$(grep -c '^DNP_REGISTER(' "$src/dnp/registers.def")" ] ||
    { echo "docs/registers.md does not have as many registers as dnp/registers.def"; exit 1; }
