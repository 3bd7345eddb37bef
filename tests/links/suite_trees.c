/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

/*
 * A barrier and a broadcast along a tree, made of triggered puts only: between its first call and
 * its last a rank does nothing but make progress.
 *
 * A tree of RANKS: 0 is the root, the parent of i is (i - 1) / 2. Portal table entry 0 takes what
 * comes from below, entry 1 what comes from above.
 */

enum { RANKS = 7, ROUNDS = 5, LONG = 60000 };

struct rank {
    uint64_t token;          /* what goes up */
    uint8_t *data;           /* LONG bytes, what goes down */
    uint64_t from_below[2];  /* by child */
    struct ni_ct *up, *down; /* counts of arrivals at the two entries */
};

struct tree {
    struct rank ranks[RANKS];
    unsigned round;
    size_t length;
};

static struct ni_ct *new_ct(struct suite_ni *ni)
{
    struct ni_ct *ct;

    CHECK(ni_ct_alloc(ni->ni, &ct) == NI_OK);
    return ct;
}

static int64_t count(struct ni_ct *ct)
{
    struct ni_ct_event event;

    CHECK(ni_ct_get(ct, &event) == NI_OK && event.failure == 0);
    return (int64_t)event.success;
}

static unsigned child(unsigned rank, unsigned which)
{
    return 2 * rank + 1 + which;
}

static unsigned children(unsigned rank)
{
    return (child(rank, 0) < RANKS) + (child(rank, 1) < RANKS);
}

static void open_rank(struct suite_ni *ni, void *arg)
{
    struct tree *tree = arg;
    struct rank *rank = &tree->ranks[ni->index];
    uint32_t pt;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    rank->up = new_ct(ni);
    rank->down = new_ct(ni);
    for (unsigned which = 0; which < 2; which++) {
        const struct ni_me me = {.start = which == 0 ? (void *)rank->from_below : rank->data,
                                 .length = which == 0 ? sizeof(rank->from_below) : LONG,
                                 .match_id = NI_INITIATOR_ANY,
                                 .ct = which == 0 ? rank->up : rank->down,
                                 .options = NI_ME_OP_PUT | NI_ME_EVENT_CT_COMM};

        CHECK(ni_pt_alloc(ni->ni, 0, NULL, which, &pt) == NI_OK);
        CHECK(ni_me_append(ni->ni, pt, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    }
}

/* Everything that the rank will do in this round. */
static void arm_rank(struct suite_ni *ni, void *arg)
{
    const struct ni_md md = {.length = SIZE_MAX};
    struct tree *tree = arg;
    unsigned i = ni->index, parent = (i - 1) / 2;
    struct rank *rank = &tree->ranks[i];

    rank->token = 1000 * tree->round + i;
    for (unsigned which = 0; which < children(i); which++) {
        struct ni_ct *from = i == 0 ? rank->up : rank->down;

        CHECK(ni_triggered_put(ni->ni, &md, (uintptr_t)rank->data, tree->length, NI_NO_ACK_REQ,
                               ni->peers[child(i, which)], 1, 0, 0, NULL, 0, from,
                               tree->round * (i == 0 ? children(i) : 1)) == NI_OK);
    }
    if (i != 0 && children(i) != 0) {
        CHECK(ni_triggered_put(ni->ni, &md, (uintptr_t)&rank->token, 8, NI_NO_ACK_REQ,
                               ni->peers[parent], 0, 0, 8 * ((i - 1) % 2), NULL, 0, rank->up,
                               tree->round * children(i)) == NI_OK);
    }
    if (i == 0) {
        suite_fill(rank->data, LONG, tree->round);
    }
}

/* The leaves, and nobody else, come. */
static void enter(struct suite_ni *ni, void *arg)
{
    const struct ni_md md = {.length = SIZE_MAX};
    struct tree *tree = arg;
    unsigned i = ni->index;

    CHECK(ni_put(ni->ni, &md, (uintptr_t)&tree->ranks[i].token, 8, NI_NO_ACK_REQ,
                 ni->peers[(i - 1) / 2], 0, 0, 8 * ((i - 1) % 2), NULL, 0) == NI_OK);
}

static void leave(struct suite_ni *ni, void *arg)
{
    struct tree *tree = arg;
    struct rank *rank = &tree->ranks[ni->index];

    while (count(ni->index == 0 ? rank->up : rank->down) <
           (int64_t)tree->round * (ni->index == 0 ? children(0) : 1)) {
        suite_turn(ni);
    }
    CHECK(suite_filled(rank->data, tree->length, tree->round));
    for (unsigned which = 0; which < children(ni->index); which++) {
        CHECK(rank->from_below[which] == 1000 * tree->round + child(ni->index, which));
    }
    while (suite_stat(ni, "match_triggered") != 0) {
        suite_turn(ni);
    }
}

/* Tokens go up when they have come from all children, then the root's data goes down. */
static void run_tree(struct suite *suite, size_t length)
{
    struct tree *tree = suite_alloc(suite, sizeof(*tree));

    tree->length = length;
    for (unsigned i = 0; i < RANKS; i++) {
        tree->ranks[i].data = suite_alloc(suite, LONG);
        suite_call(suite, i, open_rank, tree);
    }
    for (tree->round = 1; tree->round <= ROUNDS; tree->round++) {
        for (unsigned i = 0; i < RANKS; i++) {
            suite_call(suite, i, arm_rank, tree);
        }
        suite_rest(suite);
        for (unsigned i = 0; i < RANKS; i++) {
            if (children(i) == 0) {
                suite_call(suite, i, enter, tree);
            }
        }
        for (unsigned i = RANKS; i-- > 0;) {
            suite_call(suite, i, leave, tree);
        }
    }
}

static void barrier(struct suite *suite)
{
    run_tree(suite, 0);
}

static void broadcast(struct suite *suite)
{
    run_tree(suite, 4000);
}

static void broadcast_long(struct suite *suite)
{
    run_tree(suite, LONG);
}

static const struct suite_case cases[] = {
    {"barrier", RANKS, SUITE_NEEDS_NOTHING, barrier},
    {"broadcast", RANKS, SUITE_NEEDS_NOTHING, broadcast},
    {"broadcast_long", RANKS, SUITE_NEEDS_NOTHING, broadcast_long},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
