# SPDX-License-Identifier: BSD-3-Clause
# MPI programs, each from one source: NAME is built with Open MPI, if there is one, NAME_presto with Presto.

mpi_examples = \
    examples/bfs_rmat \
    examples/cg_lattice \
    examples/jacobi_heat \
    examples/spiking \
    examples/spin_glass

presto_examples = \
    examples/bfs_rmat_presto \
    examples/cg_lattice_presto \
    examples/jacobi_heat_presto \
    examples/spiking_presto \
    examples/spin_glass_presto

check_PROGRAMS += $(presto_examples)

EXTRA_DIST += examples/README.md examples/check.sh examples/jacobi_survive.c
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

# What prestocc says to the compiler, before it is installed.
PRESTO_EXAMPLE_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CPPFLAGS)
PRESTO_EXAMPLE_LIBS = presto/libpresto.la -lm

examples_bfs_rmat_presto_SOURCES = examples/bfs_rmat.c
examples_bfs_rmat_presto_CPPFLAGS = $(PRESTO_EXAMPLE_CPPFLAGS)
examples_bfs_rmat_presto_LDADD = $(PRESTO_EXAMPLE_LIBS)
examples_cg_lattice_presto_SOURCES = examples/cg_lattice.c
examples_cg_lattice_presto_CPPFLAGS = $(PRESTO_EXAMPLE_CPPFLAGS)
examples_cg_lattice_presto_LDADD = $(PRESTO_EXAMPLE_LIBS)
examples_jacobi_heat_presto_SOURCES = examples/jacobi_heat.c
examples_jacobi_heat_presto_CPPFLAGS = $(PRESTO_EXAMPLE_CPPFLAGS)
examples_jacobi_heat_presto_LDADD = $(PRESTO_EXAMPLE_LIBS)
examples_spiking_presto_SOURCES = examples/spiking.c
examples_spiking_presto_CPPFLAGS = $(PRESTO_EXAMPLE_CPPFLAGS)
examples_spiking_presto_LDADD = $(PRESTO_EXAMPLE_LIBS)
examples_spin_glass_presto_SOURCES = examples/spin_glass.c
examples_spin_glass_presto_CPPFLAGS = $(PRESTO_EXAMPLE_CPPFLAGS)
examples_spin_glass_presto_LDADD = $(PRESTO_EXAMPLE_LIBS)
