/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases of operations between neighbours. */
#include "coll_parts.h"

#include <stdlib.h>
#include <string.h>

/* A ring in which each rank's neighbours are `below` and `above`: with one or two ranks, twice the
 * same. */
static void make_neighbors(struct coll_case *c, uint64_t *seed)
{
    bool open = coll_random(seed, 3) == 0; /* no neighbours beyond the ends */
    int n = c->n;

    for (int r = 0; r < n; r++) {
        struct coll_rank *rank = &c->rank[r];

        rank->sources[0] = open && r == 0 ? PRI_PROC_NULL : (r + n - 1) % n;
        rank->sources[1] = open && r == n - 1 ? PRI_PROC_NULL : (r + 1) % n;
        memcpy(rank->dests, rank->sources, sizeof rank->dests);
        rank->neighbors = (struct pri_neighbors){2, 2, rank->sources, rank->dests, true};
    }
}

/* What rank r sends to its neighbour i, which gets it as its part 1 - i. */
static void make_neighbor_part(struct coll_case *c, int r, int i, const char *packed, size_t n)
{
    int to = c->rank[r].dests[i], part = coll_is_one_for_all(c->kind) ? 0 : i;

    coll_memory_put(&c->rank[r].in, c->type, coll_part_place(c, r, 0, part), n, packed, true);
    if (to != PRI_PROC_NULL) {
        coll_memory_put(&c->rank[to].out, c->out_type, coll_part_place(c, to, 1, 1 - i), n, packed,
                        false);
    }
}

void coll_make_neighborhood(struct coll_case *c, uint64_t *seed)
{
    int size[COLL_CASE_RANKS][2], n = c->n;

    c->in_place = false;
    make_neighbors(c, seed);
    for (int r = 0; r < n; r++) {
        size[r][0] =
            coll_has_equal_parts(c->kind) ? (int)c->count : (int)coll_random_count(seed) / 4;
        size[r][1] = coll_has_equal_parts(c->kind) || coll_is_one_for_all(c->kind)
                         ? size[r][0]
                         : (int)coll_random_count(seed) / 4;
    }
    for (int r = 0; r < n; r++) {
        struct coll_rank *rank = &c->rank[r];

        memset(rank->counts, 0, sizeof rank->counts);
        for (int i = 0; i < 2; i++) {
            int from = rank->sources[i];

            rank->counts[0][i] = i > 0 && coll_is_one_for_all(c->kind) ? 0 : size[r][i];
            rank->counts[1][i] = size[from == PRI_PROC_NULL ? r : from][1 - i];
        }
        int ranks = c->n;

        c->n = 2; /* parts of a side */
        coll_make_side(c, r, 0, false, seed);
        coll_make_side(c, r, 1, !coll_has_equal_parts(c->kind), seed);
        c->n = ranks;
    }
    for (int r = 0; r < n; r++) {
        char *packed = coll_filled(c->type, (size_t)size[r][0], seed);

        make_neighbor_part(c, r, 0, packed, (size_t)size[r][0]);
        if (!coll_is_one_for_all(c->kind)) {
            free(packed);
            packed = coll_filled(c->type, (size_t)size[r][1], seed);
        }
        make_neighbor_part(c, r, 1, packed, (size_t)size[r][1]);
        free(packed);
    }
}

int coll_start_neighbors(struct coll_case *c, int r, struct pri_team *team,
                         struct pri_request *request)
{
    struct coll_rank *rank = &c->rank[r];
    struct pri_some in = {rank->in.buf, (size_t)rank->counts[0][0], c->type};
    struct pri_some out = {rank->out.buf, (size_t)rank->counts[1][0], c->out_type};

    switch (c->kind) {
    case COLL_NEIGHBOR_ALLGATHER:
        return pri_coll_neighbor_allgather(team, &rank->neighbors, in, out, request);
    case COLL_NEIGHBOR_ALLGATHERV:
        return pri_coll_neighbor_allgatherv(team, &rank->neighbors, in, &rank->parts[1], request);
    case COLL_NEIGHBOR_ALLTOALL:
        return pri_coll_neighbor_alltoall(team, &rank->neighbors, in, out, request);
    default:
        return pri_coll_neighbor_alltoallv(team, &rank->neighbors, &rank->parts[0], &rank->parts[1],
                                           request);
    }
}
