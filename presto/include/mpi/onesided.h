/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: one-sided communication. */
#ifndef PRESTO_MPI_ONESIDED_H
#define PRESTO_MPI_ONESIDED_H

#endif
