/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic over an intercommunicator, the same from both sides; for the programs that join jobs. */
#ifndef TESTS_MPI_DYN_H
#define TESTS_MPI_DYN_H

#include "mt.h"

/* Every rank to every remote rank, both ways, small to several MiB; posted and unexpected. */
void dyn_traffic(MPI_Comm inter, int salt);

/* Merges both sides and works on the result: reductions, ring, messages of all sizes. */
void dyn_merged(MPI_Comm inter, bool high, int salt);

/* Collectives over the intercommunicator itself. `first` is true on one of the two sides. */
void dyn_collectives(MPI_Comm inter, bool first);

#endif
