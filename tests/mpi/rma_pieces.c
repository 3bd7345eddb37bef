/* SPDX-License-Identifier: BSD-3-Clause */
/* One put and one get of very many separate words. osc/rdma makes a put or get of each of them, and
 * starts all before it waits for any: what the transport does for one of those that are under way
 * must not depend on their number. */
#include "rma.h"

/* Every other int of a part is in a transfer; the others stay as they are. */
enum { LEFT_ALONE = -7 };

static int pieces;

static int value(int rank, int i)
{
    return rank * 1000003 + i;
}

static void fill(int *words, int mine)
{
    for (int i = 0; i < pieces; ++i) {
        words[2 * i] = mine < 0 ? LEFT_ALONE : value(mine, i);
        words[2 * i + 1] = LEFT_ALONE;
    }
}

static void check(const int *words, int from, const char *what)
{
    for (int i = 0; i < pieces; ++i) {
        mt_equal(words[2 * i], value(from, i), "%s: piece %d", what, i);
        mt_equal(words[2 * i + 1], LEFT_ALONE, "%s: gap behind piece %d", what, i);
    }
}

int main(int argc, char **argv)
{
    struct rma w;
    MPI_Datatype apart;
    int *mine;

    mt_init(&argc, &argv);
    mt_need(2);
    pieces = (int)mt_option(argc, argv, "-pieces", 200000);
    size_t bytes = (size_t)pieces * 2 * sizeof(int);
    int right = (mt_rank + 1) % mt_size, left = (mt_rank + mt_size - 1) % mt_size;

    MPI_Type_vector(pieces, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    mine = mt_alloc(bytes);
    rma_open(&w, RMA_CREATE, bytes);

    fill(mine, mt_rank);
    fill((int *)w.base, -1);
    rma_begin(&w, RMA_FENCE);
    MPI_Put(mine, 1, apart, right, rma_at(&w, right, 0), 1, apart, w.win);
    rma_end(&w, RMA_FENCE);
    check((int *)w.base, left, "Put");

    fill(mine, -1);
    rma_begin(&w, RMA_FENCE);
    MPI_Get(mine, 1, apart, right, rma_at(&w, right, 0), 1, apart, w.win);
    rma_end(&w, RMA_FENCE);
    check(mine, mt_rank, "Get");

    rma_close(&w);
    mt_free(mine);
    MPI_Type_free(&apart);
    return mt_finish();
}
