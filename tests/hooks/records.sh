#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The report of records that are old, cut off or damaged, see recordscheck.py.
. "$(dirname "$0")/common.sh"

exec python3 "$here/recordscheck.py"
