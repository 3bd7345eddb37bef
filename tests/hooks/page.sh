#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The report as a page, in a browser, see pagecheck.py.
. "$(dirname "$0")/common.sh"

exec python3 "$here/pagecheck.py"
