/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/map.c. */
#include "suite.h"

/*
 * Logical addressing: ranks in another order than that in which the NIs met, one of which has none.
 */

enum { RANKS = 3, NIS = 4, STRANGER = 3 };

struct world {
    uint64_t from[NIS], to[NIS][NIS + 1]; /* at NI, from rank; last: from a stranger */
    struct ni_ct *arrived[NIS];
    struct ni_eq *eq[NIS];
};

/* Rank of an NI; the last one has none in the maps of the others. */
static uint32_t rank_of(unsigned ni)
{
    static const uint32_t ranks[NIS] = {2, 0, 1, NIS};

    return ranks[ni];
}

static void make_map(struct suite_ni *ni, struct ni_peer **map)
{
    for (unsigned i = 0; i < RANKS; i++) {
        map[rank_of(i)] = i == ni->index ? NULL : ni->peers[i];
    }
}

static void refuse_maps(struct suite_ni *ni, struct ni_peer **map)
{
    uint32_t mine = rank_of(ni->index), other = (mine + 1) % RANKS, actual;
    struct ni_peer *peer = map[other];

    CHECK(ni_set_map(ni->ni, 0, map) == NI_PTL_ARG_INVALID);
    CHECK(ni_set_map(ni->ni, UINT32_MAX, map) == NI_PTL_ARG_INVALID);
    map[mine] = peer;
    CHECK(ni_set_map(ni->ni, RANKS, map) == NI_PTL_ARG_INVALID); /* twice, and no self */
    map[mine] = ni->peers[STRANGER];
    CHECK(ni_set_map(ni->ni, RANKS, map) == NI_PTL_ARG_INVALID); /* no self */
    map[mine] = NULL;
    map[other] = NULL;
    CHECK(ni_set_map(ni->ni, RANKS, map) == NI_PTL_ARG_INVALID); /* self twice */
    map[other] = peer;
    CHECK(ni_get_map(ni->ni, RANKS, map, &actual) == NI_PTL_ARG_INVALID);
    CHECK(ni_rank_peer(ni->ni, 0, &peer) == NI_PTL_ARG_INVALID);
}

static void check_map(struct suite_ni *ni, struct ni_peer *const *map)
{
    struct ni_peer *got[RANKS + 1] = {NULL}, *peer;
    uint8_t blob[NI_BLOB_MAX];
    uint32_t actual;
    ni_initiator id;
    size_t len;

    CHECK(ni_get_map(ni->ni, RANKS + 1, got, &actual) == NI_OK && actual == RANKS);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        CHECK(got[rank] == map[rank]);
        CHECK(ni_rank_peer(ni->ni, rank, &peer) == NI_OK && peer == map[rank]);
        CHECK(peer == NULL || ni_peer_initiator(peer) == rank);
    }
    CHECK(ni_get_map(ni->ni, 0, NULL, &actual) == NI_OK && actual == RANKS);
    CHECK(ni_rank_peer(ni->ni, RANKS, &peer) == NI_PTL_ARG_INVALID);
    CHECK(ni_get_id(ni->ni, &id) == NI_OK && id == rank_of(ni->index));
    CHECK(ni_get_phys_id(ni->ni, blob, sizeof(blob), &len) == NI_OK && len == ni->blob_len);
    CHECK(memcmp(blob, ni->blob, len) == 0);
    CHECK(ni_get_phys_id(ni->ni, blob, 1, &len) == NI_PTL_ARG_INVALID);
    CHECK(ni_peer_initiator(ni->peers[STRANGER]) >= RANKS);
}

static void append(struct suite_ni *ni, struct world *world, uint32_t rank, unsigned place)
{
    const struct ni_me me = {.start = &world->to[ni->index][place],
                             .length = 8,
                             .match_id = rank,
                             .ct = world->arrived[ni->index],
                             .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_CT_COMM};

    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)(uintptr_t)place, NULL) == NI_OK);
}

static void open_one(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct ni_me me = {.match_id = RANKS, .options = NI_ME_OP_PUT};
    struct ni_peer *map[RANKS + 1], *none = NULL;
    uint32_t pt;

    CHECK(ni_set_map(ni->ni, 1, &none) == NI_PTL_NO_INIT);
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &world->arrived[ni->index]) == NI_OK);
    CHECK(ni_eq_alloc(ni->ni, 100, &world->eq[ni->index]) == NI_OK);
    if (ni->index == STRANGER) {
        return;
    }
    make_map(ni, map);
    refuse_maps(ni, map);
    /* The second one replaces the first. */
    CHECK(ni_set_map(ni->ni, 1, &none) == NI_OK);
    CHECK(ni_set_map(ni->ni, RANKS, map) == NI_OK);
    check_map(ni, map);
    CHECK(ni_pt_alloc(ni->ni, 0, world->eq[ni->index], 0, &pt) == NI_OK);
    CHECK(ni_set_map(ni->ni, 1, &none) == NI_PTL_IN_USE);
    check_map(ni, map);
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL,
                                 world->arrived[ni->index], 0) == NI_PTL_ARG_INVALID);
    for (uint32_t rank = RANKS; rank-- > 0;) {
        append(ni, world, rank, rank);
    }
    append(ni, world, NI_INITIATOR_ANY, NIS);
}

/* To everybody, by rank where there are ranks. */
static void put_all(struct suite_ni *ni, void *arg)
{
    const struct ni_md md = {.length = SIZE_MAX};
    struct world *world = arg;
    struct ni_peer *peer;

    world->from[ni->index] = 100 + rank_of(ni->index);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        if (ni->index == STRANGER) {
            peer = ni->peers[rank];
        } else {
            CHECK(ni_rank_peer(ni->ni, rank, &peer) == NI_OK);
        }
        CHECK(ni_put(ni->ni, &md, (uintptr_t)&world->from[ni->index], 8, NI_NO_ACK_REQ, peer, 0, 0,
                     0, NULL, rank_of(ni->index)) == NI_OK);
    }
}

static void check_all(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct ni_ct_event counts;
    unsigned puts = 0;
    struct ni_event event;

    do {
        suite_turn(ni);
        CHECK(ni_ct_get(world->arrived[ni->index], &counts) == NI_OK && counts.failure == 0);
    } while (counts.success < NIS);
    while (puts < NIS) {
        CHECK(ni_eq_get(ni->ni, world->eq[ni->index], &event) == NI_OK);
        if (event.type == NI_EVENT_PUT) {
            CHECK(event.hdr_data == NIS ? event.initiator >= RANKS && event.peer != NULL
                                        : event.initiator == event.hdr_data);
            CHECK((uintptr_t)event.user_ptr == event.hdr_data);
            CHECK(world->to[ni->index][event.hdr_data] == 100 + event.hdr_data);
            puts++;
        }
    }
    CHECK(suite_stat(ni, "match_posted") == 0);
}

static void ranks(struct suite *suite)
{
    struct world *world = suite_alloc(suite, sizeof(*world));

    for (unsigned i = 0; i < NIS; i++) {
        suite_call(suite, i, open_one, world);
    }
    for (unsigned i = 0; i < NIS; i++) {
        suite_call(suite, i, put_all, world);
    }
    for (unsigned i = 0; i < RANKS; i++) {
        suite_call(suite, i, check_all, world);
    }
}

static const struct suite_case cases[] = {
    {"ranks", NIS, SUITE_NEEDS_NOTHING, ranks},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
