/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective functions and groups of the native interface, against what can be said of their
 * results at once. The algorithms have tests of their own; here it is about arguments, names and
 * groups. */
#include "job.h"

enum { MOST = 300 };

static void broadcasts(pr_mgr_t m, int rank, int size)
{
    pr_word_t words[MOST];
    char byte = 0;

    for (int root = 0; root < size; root++) {
        for (int i = 0; i < MOST; i++) {
            words[i] = rank == root ? (pr_word_t)(root * 1000 + i) : 0;
        }
        CHECK_EQUAL(pr_bcst(m, root, words, MOST), PR_OK);
        CHECK_EQUAL(words[0], root * 1000);
        CHECK_EQUAL(words[MOST - 1], root * 1000 + MOST - 1);
        byte = rank == root ? (char)(root + 1) : 0;
        CHECK_EQUAL(pr_bcast_bytes(m, root, &byte, 1), PR_OK);
        CHECK_EQUAL(byte, root + 1);
    }
}

static void reductions(pr_mgr_t m, int rank, int size)
{
    int64_t in[MOST], out[MOST];
    double least = rank, all;
    uint8_t bits = (uint8_t)(1 << rank % 8);

    for (int i = 0; i < MOST; i++) {
        in[i] = rank + i;
    }
    CHECK_EQUAL(pr_allreduce(m, in, out, MOST, PR_INT64, PR_SUM), PR_OK);
    CHECK_EQUAL(out[7], size * (size - 1) / 2 + 7 * size);
    CHECK_EQUAL(pr_reduce(m, size - 1, in, rank == size - 1 ? in : NULL, 3, PR_INT64, PR_MAX),
                PR_OK);
    CHECK_EQUAL(in[2], rank == size - 1 ? size - 1 + 2 : rank + 2);
    CHECK_EQUAL(pr_allreduce(m, &least, &all, 1, PR_DOUBLE, PR_MIN), PR_OK);
    CHECK(all == 0);
    CHECK_EQUAL(pr_allreduce(m, &bits, &bits, 1, PR_UINT8, PR_BOR), PR_OK);
    CHECK_EQUAL(bits, size >= 8 ? 0xff : (1 << size) - 1);
}

static void blocks(pr_mgr_t m, int rank, int size)
{
    int mine[2] = {rank, -rank}, *all = calloc((size_t)size * 2, sizeof(int)),
        *other = calloc((size_t)size * 2, sizeof(int));

    CHECK(all != NULL && other != NULL);
    CHECK_EQUAL(pr_gather(m, 0, mine, sizeof(mine), rank == 0 ? all : NULL), PR_OK);
    for (int i = 0; i < size && rank == 0; i++) {
        CHECK_EQUAL(all[2 * i], i);
        CHECK_EQUAL(all[2 * i + 1], -i);
    }
    CHECK_EQUAL(pr_scatter(m, 0, rank == 0 ? all : NULL, mine, sizeof(mine)), PR_OK);
    CHECK_EQUAL(mine[1], -rank);
    CHECK_EQUAL(pr_allgather(m, mine, sizeof(mine), all), PR_OK);
    CHECK_EQUAL(all[2 * (size - 1)], size - 1);
    for (int i = 0; i < 2 * size; i++) {
        all[i] = rank * 1000 + i;
    }
    CHECK_EQUAL(pr_alltoall(m, all, 2 * sizeof(int), other), PR_OK);
    for (int i = 0; i < size; i++) {
        CHECK_EQUAL(other[2 * i + 1], i * 1000 + 2 * rank + 1);
    }
    free(all);
    free(other);
}

static void barriers(pr_mgr_t m, int rank, int size)
{
    int token = rank, right = (rank + 1) % size, left = (rank + size - 1) % size, found;

    /* What was sent before a barrier can be probed for behind it (if it was short). */
    CHECK_EQUAL(pr_send_bytes(m, right, 50, &token, sizeof(token)), PR_OK);
    CHECK_EQUAL(pr_barrier(), PR_OK);
    do {
        CHECK_EQUAL(pr_iprobe(m, left, 50, &found, NULL), PR_OK);
    } while (!found);
    CHECK_EQUAL(pr_recv_bytes(m, left, 50, &token, sizeof(token), NULL), PR_OK);
    CHECK_EQUAL(token, left);
    CHECK_EQUAL(pr_group_barrier(m), PR_OK);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Even and odd ranks, backwards. */
static void halves(pr_mgr_t m, int rank, int size)
{
    pr_mgr_t half = NULL;
    int its, n, sum, expected = 0, world, found = 1;

    CHECK_EQUAL(pr_split(m, rank % 2, -rank, &half), PR_OK);
    CHECK(half != NULL);
    CHECK_EQUAL(pr_get_num_procs(half, &n), PR_OK);
    CHECK_EQUAL(pr_get_self_rank(half, &its), PR_OK);
    CHECK_EQUAL(n, (size + 1 - rank % 2) / 2);
    CHECK_EQUAL(its, n - 1 - rank / 2);
    for (int i = rank % 2; i < size; i += 2) {
        expected += i;
    }
    CHECK_EQUAL(pr_allreduce(half, &rank, &sum, 1, PR_INT32, PR_SUM), PR_OK);
    CHECK_EQUAL(sum, expected);
    /* A message of the group has ranks of the group, and is not seen by others. */
    CHECK_EQUAL(pr_send_bytes(half, (its + 1) % n, 9, &rank, sizeof(rank)), PR_OK);
    CHECK_EQUAL(pr_iprobe(m, PR_ANY_SOURCE, 9, &found, NULL), PR_OK);
    CHECK_EQUAL(found, 0);
    CHECK_EQUAL(pr_recv_bytes(half, (its + n - 1) % n, 9, &world, sizeof(world), NULL), PR_OK);
    CHECK_EQUAL(world % 2, rank % 2);
    CHECK_EQUAL(pr_send(half, n, NULL, 0), PR_ERR_RANK);
    CHECK_EQUAL(pr_group_free(&half), PR_OK);
    CHECK(half == NULL);
}

static void groups(pr_mgr_t m, int rank, int size)
{
    pr_mgr_t group = m, inner;
    int n;

    for (int i = 0; i < 20; i++) {
        halves(m, rank, size);
    }
    CHECK_EQUAL(pr_split(m, rank == 0 ? PR_UNDEFINED : 3, 0, &group), PR_OK);
    CHECK((group == NULL) == (rank == 0));
    if (group != NULL) {
        CHECK_EQUAL(pr_get_num_procs(group, &n), PR_OK);
        CHECK_EQUAL(n, size - 1);
        CHECK_EQUAL(pr_split(group, 0, rank, &inner), PR_OK); /* left to pr_fini */
        CHECK_EQUAL(pr_group_barrier(inner), PR_OK);
        CHECK_EQUAL(pr_group_free(&group), PR_OK);
    }
    CHECK_EQUAL(pr_group_free(&m), PR_ERR_COMM);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void wrong(pr_mgr_t m, int size)
{
    float value = 0;
    pr_mgr_t none = NULL;

    CHECK_EQUAL(pr_bcast_bytes(m, size, &value, 1), PR_ERR_RANK);
    CHECK_EQUAL(pr_bcst(m, -1, NULL, 0), PR_ERR_RANK);
    CHECK_EQUAL(pr_bcast_bytes(NULL, 0, &value, 1), PR_ERR_COMM);
    CHECK_EQUAL(pr_allreduce(m, &value, &value, 1, PR_FLOAT, PR_BAND), PR_ERR_OP);
    CHECK_EQUAL(pr_allreduce(m, &value, &value, 1, (enum pr_type)99, PR_SUM), PR_ERR_OP);
    CHECK_EQUAL(pr_allreduce(m, &value, &value, 1, PR_FLOAT, (enum pr_op)99), PR_ERR_OP);
    CHECK_EQUAL(pr_allreduce(m, NULL, &value, 1, PR_FLOAT, PR_SUM), PR_ERR_BUFFER);
    CHECK_EQUAL(pr_allgather(m, &value, SIZE_MAX, &value), PR_ERR_COUNT);
    CHECK_EQUAL(pr_alltoall(m, NULL, 1, &value), PR_ERR_BUFFER);
    CHECK_EQUAL(pr_group_barrier(NULL), PR_ERR_COMM);
    CHECK_EQUAL(pr_group_free(&none), PR_ERR_COMM);
    CHECK_EQUAL(pr_split(m, 0, 0, NULL), PR_ERR_ARG);
}

static void body(pr_mgr_t m, int rank, int size)
{
    wrong(m, size);
    broadcasts(m, rank, size);
    reductions(m, rank, size);
    blocks(m, rank, size);
    barriers(m, rank, size);
    groups(m, rank, size);
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
