/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many nonblocking collectives in flight at once, on one communicator and on several, finished in
 * scrambled order, with point-to-point traffic going on between them.
 */
#include "coll.h"

enum { DEPTH = 24, TAG = 4 };

static const MPI_Datatype LL = MPI_LONG_LONG;

/* One pending operation. */
struct pending {
    MPI_Request rq;
    long long *in;
    long long *out;
    int kind;
    int n;
};

static int length_of(int k)
{
    static const int n[] = {1, 10, 600, 5000};

    return n[k % 4];
}

static void start(struct coll *c, struct pending *p, int k)
{
    int root = k % c->size;

    p->kind = k % 6;
    p->n = length_of(k / 6 + k);
    coll_put(c, p->in, c->rank, k, p->n);
    switch (p->kind) {
    case 0:
        coll_put(c, p->out, root, k, p->n);
        MPI_Ibcast(p->out, p->n, LL, root, c->comm, &p->rq);
        break;
    case 1:
        MPI_Iallreduce(p->in, p->out, p->n, LL, MPI_MAX, c->comm, &p->rq);
        break;
    case 2:
        MPI_Iallgather(p->in, p->n, LL, p->out, p->n, LL, c->comm, &p->rq);
        break;
    case 3:
        MPI_Ibarrier(c->comm, &p->rq);
        break;
    case 4:
        MPI_Igather(p->in, p->n, LL, p->out, p->n, LL, root, c->comm, &p->rq);
        break;
    default:
        MPI_Ireduce(p->in, p->out, p->n, LL, MPI_MIN, root, c->comm, &p->rq);
    }
}

static void check(struct coll *c, const struct pending *p, int k)
{
    int root = k % c->size;

    switch (p->kind) {
    case 0:
        coll_expect(c, p->out, root, k, p->n, "overlapped Ibcast");
        break;
    case 1:
        coll_expect(c, p->out, c->size - 1, k, p->n, "overlapped Iallreduce");
        break;
    case 2:
    case 4:
        for (int r = 0; r < c->size && (2 == p->kind || c->rank == root); ++r) {
            coll_expect(c, p->out + (size_t)r * (size_t)p->n, r, k, p->n, "overlapped gather");
        }
        break;
    case 5:
        if (c->rank == root) {
            coll_expect(c, p->out, 0, k, p->n, "overlapped Ireduce");
        }
    }
}

/* A small ring message between the collectives: must neither hinder nor be hindered. */
static void ring(struct coll *c, int k)
{
    int to = (c->rank + 1) % c->size, from = (c->rank + c->size - 1) % c->size,
        v = 100 * c->rank + k;

    MPI_Sendrecv_replace(&v, 1, MPI_INT, to, TAG, from, TAG, c->comm, MPI_STATUS_IGNORE);
    mt_equal(v, 100 * from + k, "ring message among collectives");
}

static void overlapped(struct coll *c)
{
    struct pending p[DEPTH];
    MPI_Comm dup;
    struct coll other = *c;

    if (!c->nb) {
        return;
    }
    MPI_Comm_dup(c->comm, &dup);
    other.comm = dup;
    for (int k = 0; k < DEPTH; ++k) {
        p[k].in = coll_room(5000);
        p[k].out = coll_room((size_t)c->size * 5000);
    }
    for (int round = 0; round < 3; ++round) {
        for (int k = 0; k < DEPTH; ++k) {
            start(k % 2 ? c : &other, &p[k], k);
            if (0 == k % 5) {
                ring(c, k);
            }
        }
        for (int i = 0; i < DEPTH; ++i) {
            int k = (i * 7 + c->rank) % DEPTH;
            MPI_Wait(&p[k].rq, MPI_STATUS_IGNORE);
            check(c, &p[k], k);
        }
    }
    for (int k = 0; k < DEPTH; ++k) {
        mt_free(p[k].in);
        mt_free(p[k].out);
    }
    MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    coll_each(overlapped);
    return mt_finish();
}
