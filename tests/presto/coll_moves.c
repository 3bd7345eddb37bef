/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases of operations that move data from each rank to each, or to and from the root. */
#include "coll_parts.h"

#include <stdlib.h>

bool coll_has_equal_parts(enum coll_kind kind)
{
    return kind == COLL_GATHER || kind == COLL_SCATTER || kind == COLL_ALLGATHER ||
           kind == COLL_ALLTOALL || kind == COLL_NEIGHBOR_ALLGATHER ||
           kind == COLL_NEIGHBOR_ALLTOALL;
}

/* Elements that go from one rank to another in all operations that only move data. */
static void make_traffic(const struct coll_case *c, int elements[][COLL_CASE_RANKS], uint64_t *seed)
{
    for (int from = 0; from < c->n; from++) {
        for (int to = 0; to < c->n; to++) {
            int count = (int)coll_random_count(seed) / 4;

            switch (c->kind) {
            case COLL_ALLTOALLV:
            case COLL_ALLTOALLW:
            case COLL_NEIGHBOR_ALLTOALLV:
                elements[from][to] = c->in_place && from > to ? elements[to][from] : count;
                break;
            case COLL_SCATTERV:
                elements[from][to] = from == c->root ? count : 0;
                break;
            case COLL_GATHERV:
                elements[from][to] = to != c->root ? 0 : count;
                break;
            case COLL_ALLGATHERV:
            case COLL_NEIGHBOR_ALLGATHERV:
                elements[from][to] = to == 0 ? count : elements[from][0];
                break;
            default:
                elements[from][to] = (int)c->count;
            }
        }
    }
}

/* Describes one side with a part for each of c->n ranks: in order, or with gaps. */
void coll_make_side(struct coll_case *c, int r, int side, bool gaps, uint64_t *seed)
{
    struct coll_rank *rank = &c->rank[r];
    struct coll_memory *m = side == 0 ? &rank->in : &rank->out;
    struct pri_type *type = side == 0 ? c->type : c->out_type;
    int at = 0;

    for (int i = 0; i < c->n; i++) {
        rank->types[side][i] = type;
        at += gaps ? (int)coll_random(seed, 3) : 0;
        rank->displs[side][i] = at;
        at += rank->counts[side][i];
    }
    coll_memory_elements(m, type, (size_t)at);
    rank->parts[side] = (struct pri_parts){
        .buf = m->buf, .counts = rank->counts[side], .displs = rank->displs[side], .type = type};
    if (c->kind == COLL_ALLTOALLW) {
        for (int i = 0; i < c->n; i++) {
            rank->displs[side][i] *= (int)type->extent;
        }
        rank->parts[side].types = rank->types[side];
        rank->parts[side].type = NULL;
    }
}

ptrdiff_t coll_part_place(const struct coll_case *c, int r, int side, int i)
{
    const struct coll_rank *rank = &c->rank[r];
    struct pri_type *type = side == 0 ? c->type : c->out_type;

    return rank->displs[side][i] * (c->kind == COLL_ALLTOALLW ? 1 : type->extent);
}

/* Whether rank r of a rooted or an all operation sends a part of its own to each, or the same to
 * all. */
bool coll_is_one_for_all(enum coll_kind kind)
{
    return kind == COLL_ALLGATHER || kind == COLL_ALLGATHERV || kind == COLL_GATHER ||
           kind == COLL_GATHERV || kind == COLL_NEIGHBOR_ALLGATHER ||
           kind == COLL_NEIGHBOR_ALLGATHERV;
}

static bool is_scatter(enum coll_kind kind)
{
    return kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

static bool sends(const struct coll_case *c, int r)
{
    return !is_scatter(c->kind) || r == c->root;
}

static bool receives(const struct coll_case *c, int r)
{
    return (c->kind != COLL_GATHER && c->kind != COLL_GATHERV) || r == c->root;
}

/* Both sides of rank r: how many elements each part has, and where they are. */
static void make_sides(struct coll_case *c, int r, int elements[][COLL_CASE_RANKS], uint64_t *seed)
{
    struct coll_rank *rank = &c->rank[r];
    bool gaps = !coll_has_equal_parts(c->kind);

    for (int i = 0; i < c->n; i++) {
        rank->counts[0][i] = sends(c, r) && !coll_is_one_for_all(c->kind) ? elements[r][i] : 0;
        rank->counts[1][i] = receives(c, r) && !is_scatter(c->kind) ? elements[i][r] : 0;
    }
    if (is_scatter(c->kind)) {
        rank->counts[1][0] = elements[c->root][r];
    }
    if (coll_is_one_for_all(c->kind)) {
        rank->counts[0][0] = elements[r][c->root];
    }
    coll_make_side(c, r, 0, gaps && !coll_is_one_for_all(c->kind), seed);
    coll_make_side(c, r, 1, gaps && !is_scatter(c->kind), seed);
}

/* In place at rank r? */
static bool in_place_at(const struct coll_case *c, int r)
{
    switch (c->kind) {
    case COLL_GATHER:
    case COLL_GATHERV:
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return c->in_place && r == c->root;
    default:
        return c->in_place;
    }
}

/* Puts the data that goes from one rank to another where it comes from and where it must arrive. */
static void make_part(struct coll_case *c, int from, int to, const char *packed, size_t n)
{
    int in_part = coll_is_one_for_all(c->kind) ? 0 : to, out_part = is_scatter(c->kind) ? 0 : from;
    bool place_in = in_place_at(c, from), place_out = in_place_at(c, to);

    if (is_scatter(c->kind)) {
        coll_memory_put(&c->rank[from].in, c->type, coll_part_place(c, from, 0, in_part), n, packed,
                        true);
        if (!(place_out && to == c->root)) {
            coll_memory_put(&c->rank[to].out, c->out_type, 0, n, packed, false);
        }
        return;
    }
    if (!place_in) {
        coll_memory_put(&c->rank[from].in, c->type, coll_part_place(c, from, 0, in_part), n, packed,
                        true);
    } else if (!coll_is_one_for_all(c->kind)) {
        pri_type_unpack(c->out_type, n, c->rank[from].out.buf + coll_part_place(c, from, 1, to), 0,
                        packed, n * c->type->size);
    } else if (from == to) {
        coll_memory_put(&c->rank[to].out, c->out_type, coll_part_place(c, to, 1, from), n, packed,
                        true);
    }
    coll_memory_put(&c->rank[to].out, c->out_type, coll_part_place(c, to, 1, out_part), n, packed,
                    false);
}

/* Operations that move data from each rank to each, or to and from the root. */
void coll_make_moves(struct coll_case *c, uint64_t *seed)
{
    static _Thread_local int elements[COLL_CASE_RANKS][COLL_CASE_RANKS];

    make_traffic(c, elements, seed);
    for (int r = 0; r < c->n; r++) {
        make_sides(c, r, elements, seed);
    }
    for (int from = 0; from < c->n; from++) {
        char *packed = NULL;

        for (int to = 0; to < c->n; to++) {
            size_t n = (size_t)elements[from][coll_is_one_for_all(c->kind) ? c->root : to];

            if (!coll_is_one_for_all(c->kind) || packed == NULL) {
                free(packed);
                packed = coll_filled(c->type, n, seed);
            }
            if (sends(c, from) && receives(c, to)) {
                make_part(c, from, to, packed, n);
            }
        }
        free(packed);
    }
}

int coll_start_moves(struct coll_case *c, int r, struct pri_team *team, struct pri_request *request)
{
    struct coll_rank *rank = &c->rank[r];
    struct pri_some in = {rank->in.buf, (size_t)rank->counts[0][0], c->type};
    struct pri_some out = {rank->out.buf, (size_t)rank->counts[1][0], c->out_type};

    if (in_place_at(c, r)) {
        if (is_scatter(c->kind)) {
            out = (struct pri_some){.buf = PRI_IN_PLACE};
        } else {
            in = (struct pri_some){.buf = PRI_IN_PLACE};
            rank->parts[0] = (struct pri_parts){.buf = PRI_IN_PLACE};
        }
    }
    switch (c->kind) {
    case COLL_GATHER:
        return pri_coll_gather(team, in, out, c->root, request);
    case COLL_GATHERV:
        return pri_coll_gatherv(team, in, &rank->parts[1], c->root, request);
    case COLL_SCATTER:
        return pri_coll_scatter(team, in, out, c->root, request);
    case COLL_SCATTERV:
        return pri_coll_scatterv(team, &rank->parts[0], out, c->root, request);
    case COLL_ALLGATHER:
        return pri_coll_allgather(team, in, out, request);
    case COLL_ALLGATHERV:
        return pri_coll_allgatherv(team, in, &rank->parts[1], request);
    case COLL_ALLTOALL:
        return pri_coll_alltoall(team, in, out, request);
    default:
        return pri_coll_alltoallv(team, &rank->parts[0], &rank->parts[1], request);
    }
}
