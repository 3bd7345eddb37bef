# SPDX-License-Identifier: BSD-3-Clause

EXTRA_DIST += tests/legacy/README tests/legacy/fftw.sh tests/legacy/hpcc.sh tests/legacy/hypre.sh \
    tests/legacy/netpipe.sh tests/legacy/pnetcdf.sh
