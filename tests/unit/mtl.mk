# SPDX-License-Identifier: BSD-3-Clause
# Tests of mtl_match; the script needs mpirun, and the program of btl.mk.

if HAVE_OMPI
unit_scripts += tests/unit/mtl_asked.sh
endif
