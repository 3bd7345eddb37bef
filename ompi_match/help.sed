# SPDX-License-Identifier: BSD-3-Clause
# A help file without its comments as lines of a string of C.
/^#/d
s/\\/\\\\/g
s/"/\\"/g
s/^/    "/
s/$/\\n"/
