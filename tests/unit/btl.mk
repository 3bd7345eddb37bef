# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of btl_apelink and ompi_glue: with Open MPI's base library, without MPI. The script needs mpirun.

BTL_UNIT_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir) $(OMPI_CPPFLAGS)
BTL_UNIT_LIBS = btl_apelink/libbtl_apelink.la $(UNIT_LIBS) $(OMPI_LIBS)

if HAVE_OMPI
unit_tests += \
    tests/unit/test_btl_help \
    tests/unit/test_btl_nomem \
    tests/unit/test_btl_params \
    tests/unit/test_btl_parts

check_PROGRAMS += tests/unit/btl_inside tests/unit/btl_sum tests/unit/btl_yields
if HAVE_UCX
check_PROGRAMS += tests/unit/btl_keys
unit_scripts += tests/unit/btl_keys.sh
endif
unit_scripts += tests/unit/btl_asked.sh tests/unit/btl_inside.sh tests/unit/btl_yields.sh
endif

EXTRA_DIST += tests/unit/btl_asked.sh tests/unit/btl_inside.sh tests/unit/btl_keys.sh tests/unit/btl_yields.sh

tests_unit_test_btl_help_SOURCES = tests/unit/test_btl_help.c tests/unit/said.h
tests_unit_test_btl_help_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_btl_help_LDADD = $(BTL_UNIT_LIBS)

tests_unit_test_btl_nomem_SOURCES = tests/unit/test_btl_nomem.c tests/unit/engine_pair.h tests/unit/said.h
tests_unit_test_btl_nomem_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_btl_nomem_LDADD = $(BTL_UNIT_LIBS)

tests_unit_test_btl_params_SOURCES = tests/unit/test_btl_params.c
tests_unit_test_btl_params_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_btl_params_LDADD = $(BTL_UNIT_LIBS)

tests_unit_test_btl_parts_SOURCES = tests/unit/test_btl_parts.c
tests_unit_test_btl_parts_CPPFLAGS = $(BTL_UNIT_CPPFLAGS)
tests_unit_test_btl_parts_LDADD = $(BTL_UNIT_LIBS)

tests_unit_btl_inside_SOURCES = tests/unit/btl_inside.c
tests_unit_btl_inside_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(OMPI_CPPFLAGS) $(MPI_CPPFLAGS)
tests_unit_btl_inside_LDADD = $(OMPI_LIBS) $(MPI_LIBS)

tests_unit_btl_sum_SOURCES = tests/unit/btl_sum.c
tests_unit_btl_sum_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
tests_unit_btl_sum_LDADD = $(MPI_LIBS)

tests_unit_btl_yields_SOURCES = tests/unit/btl_yields.c
tests_unit_btl_yields_CPPFLAGS = $(BTL_UNIT_CPPFLAGS) $(MPI_CPPFLAGS)
tests_unit_btl_yields_LDADD = $(OMPI_LIBS) $(MPI_LIBS)

tests_unit_btl_keys_SOURCES = tests/unit/btl_keys.c tests/unit/key_scan.h
tests_unit_btl_keys_CPPFLAGS = $(BTL_UNIT_CPPFLAGS) $(MPI_CPPFLAGS) $(UCX_CFLAGS)
tests_unit_btl_keys_LDADD = ni/libapeni_core.la $(OMPI_LIBS) $(MPI_LIBS)
