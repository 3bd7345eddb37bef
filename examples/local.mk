# SPDX-License-Identifier: BSD-3-Clause
# MPI programs, each from one source: NAME is built with Open MPI, if there is one, NAME_presto with Presto.

mpi_examples = \
    examples/bfs_rmat \
    examples/cg_lattice \
    examples/jacobi_heat \
    examples/spiking \
    examples/spin_glass

EXTRA_DIST += examples/README.md examples/check.sh
TESTS += examples/check.sh

if HAVE_MPI
check_PROGRAMS += $(mpi_examples)
endif

EXAMPLE_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
EXAMPLE_LIBS = $(MPI_LIBS) -lm

examples_bfs_rmat_SOURCES = examples/bfs_rmat.c
examples_bfs_rmat_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
examples_bfs_rmat_LDADD = $(EXAMPLE_LIBS)
examples_cg_lattice_SOURCES = examples/cg_lattice.c
examples_cg_lattice_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
examples_cg_lattice_LDADD = $(EXAMPLE_LIBS)
examples_jacobi_heat_SOURCES = examples/jacobi_heat.c
examples_jacobi_heat_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
examples_jacobi_heat_LDADD = $(EXAMPLE_LIBS)
examples_spiking_SOURCES = examples/spiking.c
examples_spiking_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
examples_spiking_LDADD = $(EXAMPLE_LIBS)
examples_spin_glass_SOURCES = examples/spin_glass.c
examples_spin_glass_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
examples_spin_glass_LDADD = $(EXAMPLE_LIBS)
