/* SPDX-License-Identifier: BSD-3-Clause */
/* See coll_cases.h. */
#include "coll_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_bcast(struct coll_case *c, uint64_t *seed)
{
    char *packed = coll_filled(c->type, c->count, seed);

    for (int r = 0; r < c->n; r++) {
        struct pri_type *type = r == c->root ? c->type : c->out_type;

        coll_memory_elements(&c->rank[r].in, type, 0);
        coll_memory_elements(&c->rank[r].out, type, c->count);
        coll_memory_put(&c->rank[r].out, type, 0, c->count, packed, r == c->root);
    }
    free(packed);
}

void coll_case_make(struct coll_case *c, uint64_t *seed, int n)
{
    memset(c, 0, sizeof *c);
    c->kind = (enum coll_kind)coll_random(seed, COLL_KINDS);
    c->n = n;
    c->root = (int)coll_random(seed, (unsigned)n);
    c->in_place = coll_random(seed, 3) == 0;
    c->count = coll_random_count(seed);
    c->type = coll_layout[coll_random(seed, FAMILIES)][coll_random(seed, 3)];
    c->out_type = coll_another_layout(c, seed);
    if (c->kind == COLL_BARRIER) {
        return;
    }
    if (c->kind == COLL_BCAST) {
        make_bcast(c, seed);
    } else if (c->kind <= COLL_REDUCE_SCATTER_BLOCK) {
        coll_make_reduction(c, seed);
    } else if (c->kind >= COLL_NEIGHBOR_ALLGATHER) {
        coll_make_neighborhood(c, seed);
    } else {
        c->count /= 8;
        coll_make_moves(c, seed);
    }
}

void coll_case_free(struct coll_case *c)
{
    for (int r = 0; r < c->n; r++) {
        free(c->rank[r].in.mem);
        free(c->rank[r].in.want);
        free(c->rank[r].out.mem);
        free(c->rank[r].out.want);
    }
}

int coll_case_start(struct coll_case *c, int rank, struct pri_team *team,
                    struct pri_request *request)
{
    if (c->kind == COLL_BARRIER) {
        return pri_coll_barrier(team, request);
    }
    if (c->kind == COLL_BCAST) {
        return pri_coll_bcast(team, c->rank[rank].out.buf, c->count,
                              rank == c->root ? c->type : c->out_type, c->root, request);
    }
    if (c->kind <= COLL_REDUCE_SCATTER_BLOCK) {
        return coll_start_reduction(c, rank, team, request);
    }
    if (c->kind >= COLL_NEIGHBOR_ALLGATHER) {
        return coll_start_neighbors(c, rank, team, request);
    }
    return coll_start_moves(c, rank, team, request);
}

static bool memory_right(const struct coll_memory *m)
{
    return m->bytes == 0 || memcmp(m->mem, m->want, m->bytes) == 0;
}

bool coll_case_check(const struct coll_case *c, uint32_t but)
{
    static const char *const names[COLL_KINDS] = {"barrier",
                                                  "bcast",
                                                  "reduce",
                                                  "allreduce",
                                                  "scan",
                                                  "exscan",
                                                  "reduce_scatter",
                                                  "reduce_scatter_block",
                                                  "gather",
                                                  "gatherv",
                                                  "scatter",
                                                  "scatterv",
                                                  "allgather",
                                                  "allgatherv",
                                                  "alltoall",
                                                  "alltoallv",
                                                  "alltoallw",
                                                  "neighbor_allgather",
                                                  "neighbor_allgatherv",
                                                  "neighbor_alltoall",
                                                  "neighbor_alltoallv"};

    for (int r = 0; r < c->n; r++) {
        const struct coll_rank *rank = &c->rank[r];

        if (c->kind != COLL_BARRIER && (but >> r & 1) == 0 &&
            (!memory_right(&rank->in) || !memory_right(&rank->out))) {
            fprintf(
                stderr,
                "%s of %zu elements of %zu bytes, operation %d, root %d, in place %d: wrong %s of "
                "rank %d of %d\n",
                names[c->kind], c->count, c->type->size, c->op_number, c->root, c->in_place,
                memory_right(&rank->in) ? "result" : "input", r, c->n);
            return false;
        }
    }
    return true;
}
