/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>

#include <apeni/torus.h>

/* Nodes of a torus and the ways between them. */

uint32_t ni_torus_nodes(const struct ni_torus *torus)
{
    return torus->size[0] * torus->size[1] * torus->size[2];
}

struct ni_torus_place ni_torus_at(const struct ni_torus *torus, uint32_t node)
{
    uint32_t row = node / torus->size[0];

    return (struct ni_torus_place){
        {node % torus->size[0], row % torus->size[1], row / torus->size[1]}};
}

uint32_t ni_torus_node(const struct ni_torus *torus, const struct ni_torus_place *at)
{
    return at->at[0] + torus->size[0] * (at->at[1] + torus->size[1] * at->at[2]);
}

uint32_t ni_torus_neighbour(const struct ni_torus *torus, uint32_t node,
                            enum ni_torus_direction direction)
{
    struct ni_torus_place at = ni_torus_at(torus, node);
    uint32_t size = torus->size[direction / 2];
    uint32_t *place = &at.at[direction / 2];

    *place = (*place + (direction % 2 == 0 ? 1 : size - 1)) % size;
    return ni_torus_node(torus, &at);
}

/* Steps along one dimension with increasing coordinates, over the end if need be. */
static uint32_t ahead(uint32_t size, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : size - from + to;
}

/* The shorter way round. */
static uint32_t steps(uint32_t size, uint32_t from, uint32_t to, bool *increasing)
{
    uint32_t up = ahead(size, from, to);
    uint32_t down = ahead(size, to, from);

    *increasing = up <= down;
    return *increasing ? up : down;
}

uint32_t ni_torus_hops(const struct ni_torus *torus, uint32_t from, uint32_t to)
{
    struct ni_torus_place a = ni_torus_at(torus, from), b = ni_torus_at(torus, to);
    uint32_t hops = 0;
    bool increasing;

    for (unsigned d = 0; d < NI_TORUS_DIMENSIONS; d++) {
        hops += steps(torus->size[d], a.at[d], b.at[d], &increasing);
    }
    return hops;
}

uint32_t ni_torus_diameter(const struct ni_torus *torus)
{
    return torus->size[0] / 2 + torus->size[1] / 2 + torus->size[2] / 2;
}

double ni_torus_mean_hops(const struct ni_torus *torus)
{
    double nodes = ni_torus_nodes(torus), mean = 0;

    for (unsigned d = 0; d < NI_TORUS_DIMENSIONS; d++) {
        uint64_t size = torus->size[d];

        /* Around a ring of n the steps to all nodes add up to n * n / 4, rounded down. */
        mean += (double)(size * size / 4) / (double)size;
    }
    return nodes > 1 ? mean * nodes / (nodes - 1) : 0;
}

uint32_t ni_torus_route(const struct ni_torus *torus, uint32_t from, uint32_t to,
                        enum ni_torus_direction *route, uint32_t room)
{
    struct ni_torus_place a = ni_torus_at(torus, from), b = ni_torus_at(torus, to);
    uint32_t hops = 0;

    for (unsigned d = 0; d < NI_TORUS_DIMENSIONS; d++) {
        bool increasing;
        uint32_t left = steps(torus->size[d], a.at[d], b.at[d], &increasing);

        for (; left > 0; left--, hops++) {
            if (hops < room) {
                route[hops] = (enum ni_torus_direction)(2 * d + (increasing ? 0 : 1));
            }
        }
    }
    return hops;
}

enum ni_torus_direction ni_torus_next(const struct ni_torus *torus, uint32_t from, uint32_t to)
{
    enum ni_torus_direction first = NI_TORUS_DIRECTIONS;

    ni_torus_route(torus, from, to, &first, 1);
    return first;
}

const char *ni_torus_direction_name(enum ni_torus_direction direction)
{
    static const char *const names[] = {"X+", "X-", "Y+", "Y-", "Z+", "Z-"};

    return (unsigned)direction < NI_TORUS_DIRECTIONS ? names[direction] : "none";
}
