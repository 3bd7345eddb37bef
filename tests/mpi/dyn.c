/* SPDX-License-Identifier: BSD-3-Clause */
#include "dyn.h"

enum { TAG = 300 };

static const size_t sizes[] = {0, 1, 64, 1000, 4096, 5000, 65537, 300000, (size_t)3 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Both sides know the sum of the two ranks and the difference of nothing else, so the content names
 * sender and receiver by their ranks in their own groups. */
static uint64_t seed_of(int from, int to, size_t n, int salt)
{
    return mt_seed((uint64_t)from, (uint64_t)to, n, (uint64_t)salt);
}

static void one_size(MPI_Comm inter, size_t n, bool late, int salt)
{
    int me, there;
    MPI_Request *rq;
    unsigned char *out, *in;

    MPI_Comm_rank(inter, &me);
    MPI_Comm_remote_size(inter, &there);
    rq = malloc((size_t)there * sizeof *rq);
    out = mt_alloc(n * (size_t)there);
    in = mt_alloc(n);
    if (!rq) {
        mt_fail("no memory");
    }
    for (int r = 0; r < there; ++r) {
        unsigned char *p = out + (size_t)r * n;
        mt_fill(p, n, seed_of(me, r, n, salt));
        MPI_Isend(p, (int)n, MPI_BYTE, r, TAG, inter, &rq[r]);
    }
    if (late) {
        MPI_Barrier(inter);
    }
    for (int k = 0; k < there; ++k) {
        int r = (me + k) % there, count;
        MPI_Status st;
        MPI_Recv(in, (int)n, MPI_BYTE, r, TAG, inter, &st);
        MPI_Get_count(&st, MPI_BYTE, &count);
        mt_equal(count, (long long)n, "size of a message of another job");
        mt_verify(in, n, seed_of(r, me, n, salt), "%zu bytes from rank %d of another job", n, r);
    }
    MPI_Waitall(there, rq, MPI_STATUSES_IGNORE);
    free(rq);
    mt_free(out);
    mt_free(in);
}

void dyn_traffic(MPI_Comm inter, int salt)
{
    for (int i = 0; i < SIZES; ++i) {
        one_size(inter, sizes[i], false, salt);
        one_size(inter, sizes[i], true, salt + 1);
    }
}

void dyn_merged(MPI_Comm inter, bool high, int salt)
{
    MPI_Comm all;
    int rank, size, sum = 0, *v = mt_alloc(100000 * sizeof *v);

    MPI_Intercomm_merge(inter, high, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    mt_equal(sum, size * (size - 1) / 2, "sum of ranks of merged jobs");
    for (int root = 0; root < size; ++root) {
        for (int i = 0; i < 100000; ++i) {
            v[i] = rank == root ? root + i + salt : -1;
        }
        MPI_Bcast(v, 100000, MPI_INT, root, all);
        for (int i = 0; i < 100000; ++i) {
            if (v[i] != root + i + salt) {
                mt_fail("Bcast in merged jobs: int %d from %d is %d", i, root, v[i]);
            }
        }
        mt_check(true, "Bcast");
    }
    for (int i = 0; i < SIZES - 1; ++i) {
        int to = (rank + 1) % size, from = (rank + size - 1) % size;
        mt_fill(v, sizes[i], seed_of(rank, to, sizes[i], salt));
        MPI_Sendrecv_replace(v, (int)sizes[i], MPI_BYTE, to, TAG, from, TAG, all,
                             MPI_STATUS_IGNORE);
        mt_verify(v, sizes[i], seed_of(from, rank, sizes[i], salt), "ring of merged jobs");
    }
    MPI_Comm_free(&all);
    mt_free(v);
}

void dyn_collectives(MPI_Comm inter, bool first)
{
    int me, there, v, sum = 0;

    MPI_Comm_rank(inter, &me);
    MPI_Comm_remote_size(inter, &there);
    v = 10 + me;
    MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, inter);
    mt_equal(sum, 10 * there + there * (there - 1) / 2, "Allreduce of the other job");
    v = first ? 4711 : 0;
    MPI_Bcast(&v, 1, MPI_INT, !first ? 0 : 0 == me ? MPI_ROOT : MPI_PROC_NULL, inter);
    mt_equal(v, 4711, "Bcast from the other job");
    MPI_Barrier(inter);
}
