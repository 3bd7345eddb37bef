#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the report says of programs that lose time in a known way, see costscheck.py.
. "$(dirname "$0")/common.sh"

needs hooks_costs
[ -z "${APELINK_SANITIZER-}" ] || skip "a sanitizer takes time that is not the program's"
exec python3 "$here/costscheck.py"
