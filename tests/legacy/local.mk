# SPDX-License-Identifier: BSD-3-Clause

EXTRA_DIST += tests/legacy/README tests/legacy/arpack.sh tests/legacy/fftw.sh tests/legacy/hdf5.sh tests/legacy/hpcc.sh tests/legacy/hypre.sh \
    tests/legacy/lammps.sh tests/legacy/mpi4py.sh tests/legacy/mumps.sh tests/legacy/netpipe.sh tests/legacy/pnetcdf.sh tests/legacy/scalapack.sh
