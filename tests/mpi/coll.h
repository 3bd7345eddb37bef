/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs for collectives share: sizes of communicators, counts, and known values. */
#ifndef TESTS_MPI_COLL_H
#define TESTS_MPI_COLL_H

#include "mt.h"

/* A communicator under test; `nb` asks for the nonblocking form. */
struct coll {
    MPI_Comm comm;
    int rank;
    int size;
    bool nb;
    int round; /* changes the values */
};

typedef void coll_fn(struct coll *c);

/* Runs `fn` on communicators of every size from 1 to that of the world: for each k the first k
 * ranks and the rest work at the same time, blocking and nonblocking. */
void coll_each(coll_fn *fn);

/* Counts of elements that make Open MPI's algorithms change. */
enum { COLL_COUNTS = 5, COLL_MOST = 20000 };
extern const int coll_counts[COLL_COUNTS];

/* What rank r contributes at place i. */
long long coll_value(const struct coll *c, int r, int i);

/* Room for n long longs. */
long long *coll_room(size_t n);

/* Fills p[0..n) with the values of rank r from place `first` on. */
void coll_put(const struct coll *c, long long *p, int r, int first, int n);

/* Fails unless p[0..n) holds those values. */
void coll_expect(const struct coll *c, const long long *p, int r, int first, int n,
                 const char *what);

/* Completes a request if the round is a nonblocking one. */
void coll_wait(const struct coll *c, MPI_Request *rq);

#endif
