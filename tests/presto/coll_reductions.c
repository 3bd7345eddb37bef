/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases of operations that reduce. */
#include "coll_parts.h"

#include <stdlib.h>
#include <string.h>

/* All ranks' input, packed, reduced from rank `from` to rank `to`: the caller frees it. */
static char *reduced(const struct coll_case *c, char *const *input, int from, int to, size_t count)
{
    size_t size = c->type->size;
    char *sum = coll_get(count * size);

    memcpy(sum, input[to], count * size);
    for (int r = to - 1; r >= from; r--) {
        for (size_t i = 0; i < count; i++) {
            coll_operate(c->op_number, input[r] + i * size, sum + i * size);
        }
    }
    return sum;
}

static bool has_result(const struct coll_case *c, int rank)
{
    if (c->kind == COLL_REDUCE) {
        return rank == c->root;
    }
    return c->kind != COLL_EXSCAN || rank > 0;
}

/* What of the reduction rank gets: ranks from..to, elements first..first+n. */
struct share {
    int from, to;
    size_t first, n;
};

static struct share share_of(const struct coll_case *c, int rank)
{
    struct share s = {0, c->n - 1, 0, c->count};

    if (c->kind == COLL_SCAN) {
        s.to = rank;
    } else if (c->kind == COLL_EXSCAN) {
        s.to = rank - 1;
    } else if (c->kind == COLL_REDUCE_SCATTER || c->kind == COLL_REDUCE_SCATTER_BLOCK) {
        for (int i = 0; i < rank; i++) {
            s.first += (size_t)c->rank[0].counts[0][i];
        }
        s.n = (size_t)c->rank[0].counts[0][rank];
    }
    return s;
}

void coll_make_reduction(struct coll_case *c, uint64_t *seed)
{
    char *input[COLL_CASE_RANKS];

    c->op_number = (int)coll_random(seed, OPERATIONS);
    c->op = coll_operation(c->op_number);
    c->type = coll_layout[coll_operation_layout(c->op_number)][0];
    if (c->op_number == COMPOSE) {
        c->type = coll_layout[MAPS][coll_random(seed, 3)];
    }
    if (c->kind == COLL_REDUCE_SCATTER || c->kind == COLL_REDUCE_SCATTER_BLOCK) {
        size_t each = coll_random_count(seed) / 2;

        c->count = 0;
        for (int i = 0; i < c->n; i++) {
            if (c->kind == COLL_REDUCE_SCATTER) {
                each = coll_random_count(seed) / 4;
            }
            c->count += each;
            for (int r = 0; r < c->n; r++) {
                c->rank[r].counts[0][i] = (int)each;
            }
        }
    }
    for (int r = 0; r < c->n; r++) {
        struct coll_rank *rank = &c->rank[r];
        bool in_place = c->in_place && (c->kind != COLL_REDUCE || r == c->root);

        input[r] = coll_filled(c->type, c->count, seed);
        coll_memory_elements(&rank->in, c->type, in_place ? 0 : c->count);
        coll_memory_elements(&rank->out, c->type, c->count);
        coll_memory_put(in_place ? &rank->out : &rank->in, c->type, 0, c->count, input[r], true);
    }
    for (int r = 0; r < c->n; r++) {
        if (has_result(c, r)) {
            struct share s = share_of(c, r);
            char *sum = reduced(c, input, s.from, s.to, c->count);

            coll_memory_put(&c->rank[r].out, c->type, 0, s.n, sum + s.first * c->type->size, false);
            free(sum);
        }
    }
    for (int r = 0; r < c->n; r++) {
        free(input[r]);
    }
}

int coll_start_reduction(struct coll_case *c, int r, struct pri_team *team,
                         struct pri_request *request)
{
    struct coll_rank *rank = &c->rank[r];
    bool in_place = c->in_place && (c->kind != COLL_REDUCE || r == c->root);
    const void *in = in_place ? PRI_IN_PLACE : rank->in.buf;
    void *out = rank->out.buf;

    switch (c->kind) {
    case COLL_REDUCE:
        return pri_coll_reduce(team, in, r == c->root ? out : NULL, c->count, c->type, c->op,
                               c->root, request);
    case COLL_ALLREDUCE:
        return pri_coll_allreduce(team, in, out, c->count, c->type, c->op, request);
    case COLL_SCAN:
        return pri_coll_scan(team, in, out, c->count, c->type, c->op, request);
    case COLL_EXSCAN:
        return pri_coll_exscan(team, in, out, c->count, c->type, c->op, request);
    case COLL_REDUCE_SCATTER:
        return pri_coll_reduce_scatter(
            team, in, &(struct pri_parts){.buf = out, .counts = rank->counts[0], .type = c->type},
            c->op, request);
    default:
        return pri_coll_reduce_scatter_block(team, in, out, (size_t)rank->counts[0][0], c->type,
                                             c->op, request);
    }
}
