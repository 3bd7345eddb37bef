/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <unistd.h>

#include "portals/portals.h"

/*
 * Logical addressing: ranks instead of the numbers that an NI gives to its peers. A map does not
 * translate anything when messages come: it gives the peers other numbers. So it can be set only
 * while no number is in use, that is before the first portal table entry.
 */

enum { NI_MAP_MOST = 1 << 24 };

/* ---- setting --------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    uintptr_t first = (uintptr_t) * (struct ni_peer *const *)a;
    uintptr_t second = (uintptr_t) * (struct ni_peer *const *)b;

    return (first > second) - (first < second);
}

/* Peers of this NI, none twice; this NI, NULL, is one of them. Leaves them sorted. */
static bool check_map(const struct ni *ni, uint32_t size, struct ni_peer **map)
{
    qsort(map, size, sizeof(struct ni_peer *), compare_pairs);
    if (map[0] != NULL) {
        return false;
    }
    for (uint32_t i = 1; i < size; i++) {
        if (map[i] == map[i - 1] || map[i]->ni != ni) {
            return false;
        }
    }
    return true;
}

/* Numbers that no rank has: for those who have no rank, and for who comes later. ni->lock is
 * held. */
static void number_all(struct ni *ni, uint32_t size)
{
    ni->core.initiators = ni->core.initiators < size ? size : ni->core.initiators;
    for (struct ni_list *node = ni->core.peers.next; node != &ni->core.peers; node = node->next) {
        ni_container_of(node, struct ni_peer, core.all)->core.initiator = ++ni->core.initiators;
    }
}

/* portals->lock is held. */
static bool has_tables(const struct ni_portals *portals)
{
    for (unsigned i = 0; i < NI_PT_COUNT; i++) {
        if (ni_pt_at(portals, i) != NULL) {
            return true;
        }
    }
    return false;
}

/* Both locks are held. */
static void put_in_force(struct ni *ni, uint32_t size, struct ni_peer **map)
{
    struct ni_portals *portals = ni->portals;

    number_all(ni, size);
    for (uint32_t rank = 0; rank < size; rank++) {
        if (map[rank] == NULL) {
            portals->self = rank;
        } else {
            ni_peer_name(map[rank]);
            map[rank]->core.initiator = rank;
        }
    }
    portals->map = map;
    portals->map_size = size;
}

int ni_set_map(struct ni *ni, uint32_t size, struct ni_peer *const *peers)
{
    struct ni_peer **map, **old;
    int result = NI_OK;

    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    if (size == 0 || size > NI_MAP_MOST) {
        return NI_PTL_ARG_INVALID;
    }
    map = ni_calloc(size, sizeof(struct ni_peer *));
    if (map == NULL) {
        return NI_PTL_NO_SPACE;
    }
    memcpy(map, peers, size * sizeof(struct ni_peer *));
    if (!check_map(ni, size, map)) {
        ni_free(map);
        return NI_PTL_ARG_INVALID;
    }
    memcpy(map, peers, size * sizeof(struct ni_peer *));
    ni_lock_take(&ni->lock, ni->threads);
    ni_portals_lock(ni);
    old = ni->portals->map;
    if (has_tables(ni->portals)) {
        result = NI_PTL_IN_USE;
        old = map;
    } else {
        put_in_force(ni, size, map);
    }
    ni_portals_unlock(ni);
    ni_lock_give(&ni->lock, ni->threads);
    ni_free(old);
    return result;
}

/* ---- asking ---------------------------------------------------------------------------------- */

int ni_get_map(struct ni *ni, uint32_t size, struct ni_peer **peers, uint32_t *actual)
{
    const struct ni_portals *portals = ni->portals;

    if (portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    if (portals->map == NULL) {
        return NI_PTL_ARG_INVALID;
    }
    for (uint32_t rank = 0; rank < size && rank < portals->map_size; rank++) {
        peers[rank] = portals->map[rank];
    }
    *actual = portals->map_size;
    return NI_OK;
}

int ni_rank_peer(struct ni *ni, uint32_t rank, struct ni_peer **peer)
{
    const struct ni_portals *portals = ni->portals;

    if (portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    if (rank >= portals->map_size) {
        return NI_PTL_ARG_INVALID;
    }
    *peer = portals->map[rank];
    return NI_OK;
}

int ni_get_id(struct ni *ni, ni_initiator *id)
{
    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    *id = ni->portals->self;
    return NI_OK;
}

int ni_get_phys_id(struct ni *ni, void *blob, size_t size, size_t *length)
{
    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    *length = ni_address(ni, blob, size);
    return *length != 0 ? NI_OK : (int)NI_PTL_ARG_INVALID;
}

int ni_get_uid(struct ni *ni, uint32_t *uid)
{
    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    *uid = (uint32_t)geteuid();
    return NI_OK;
}
