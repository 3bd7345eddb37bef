# SPDX-License-Identifier: BSD-3-Clause
# Unit tests, with cmocka. Each folder of the core, and prestorun, has a fragment here, BASE.mk, which adds to unit_tests and gives its
# programs UNIT_CPPFLAGS and UNIT_LIBS.

UNIT_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS) -I$(top_srcdir)/tests/unit $(CMOCKA_CFLAGS)
UNIT_LIBS = ni/libapeni_core.la $(CMOCKA_LIBS)

unit_tests =
unit_scripts =
include tests/unit/base.mk
include tests/unit/engine.mk
include tests/unit/link.mk
include tests/unit/btl.mk
include tests/unit/mtl.mk
include tests/unit/pml.mk
include tests/unit/record.mk
include tests/unit/dnp.mk
include tests/unit/hfm.mk
include tests/unit/match.mk
include tests/unit/table.mk
include tests/unit/topology.mk
include tests/unit/prestorun.mk

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
else
TESTS += tests/unit/no_cmocka.sh
endif

TESTS += $(unit_scripts)
EXTRA_DIST += $(unit_scripts) tests/unit/asked.sh tests/unit/bench.sh tests/unit/component.sh tests/unit/no_cmocka.sh
