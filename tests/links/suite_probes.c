/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/registers.c. */
/* Covers: ni/portals/search.c. */
#include "suite_portals.h"

/*
 * Searches of what is kept, what is taken back, wildcards, unlinking, bounded memory, and peers
 * that go away under puts.
 */

enum { LONG = 200 * 1000, MANY = 12000, MANY_BYTES = 4096 };

struct box {
    struct suite_end *ends[3];
    uint8_t *from, *to;
    unsigned number;
    uint64_t received;
};

static struct box *new_box(struct suite *suite, unsigned n)
{
    struct box *box = suite_alloc(suite, sizeof(*box));

    for (unsigned i = 0; i < n; i++) {
        box->ends[i] = suite_end_new(suite, i);
    }
    box->from = suite_alloc(suite, 4 << 20);
    box->to = suite_alloc(suite, 4 << 20);
    return box;
}

static struct ni_me wish(void *start, size_t length, uint64_t bits, uint64_t ignore)
{
    return (struct ni_me){.start = start,
                          .length = length,
                          .match_bits = bits,
                          .ignore_bits = ignore,
                          .match_id = NI_INITIATOR_ANY,
                          .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE};
}

/* ---- searches -------------------------------------------------------------------------------- */

static void put_three(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;

    suite_fill(box->from, LONG, 3);
    suite_put(ni, box->ends[0], 1, box->from, 8, 1, 1, true);
    suite_put(ni, box->ends[0], 1, box->from, 3000, 2, 2, true);
    suite_put(ni, box->ends[0], 1, box->from, LONG, 3, 3, true);
}

static void search(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;
    struct suite_end *end = box->ends[1];
    struct ni_me any = wish(box->to, LONG, 0, UINT64_MAX);
    struct ni_me two = wish(box->to, 1000, 2, 0), nine = wish(box->to, LONG, 9, 0);
    ni_unexpected_handle claimed[4];
    struct ni_event event;

    CHECK(ni_me_probe(ni->ni, 0, &nine, NI_SEARCH_ONLY, &event) == NI_PTL_NO_MATCH);
    CHECK(ni_me_probe(ni->ni, 77, &any, NI_SEARCH_ONLY, &event) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_probe(ni->ni, 0, &two, NI_SEARCH_ONLY, &event) == NI_OK);
    CHECK(event.type == NI_EVENT_SEARCH && event.rlength == 3000 && event.mlength == 1000);
    CHECK(event.match_bits == 2 && event.hdr_data == 2 && event.unexpected == 0);
    CHECK(event.initiator == ni_peer_initiator(ni->peers[0]) && event.peer == ni->peers[0]);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(ni_me_probe(ni->ni, 0, &any, NI_SEARCH_DELETE, &event) == NI_OK);
        CHECK(event.match_bits == i + 1 && event.unexpected != 0);
        claimed[i] = event.unexpected;
    }
    CHECK(ni_me_probe(ni->ni, 0, &any, NI_SEARCH_DELETE, &event) == NI_PTL_NO_MATCH);
    CHECK(suite_stat(ni, "match_unexpected") == 0);
    CHECK(ni_pt_free(ni->ni, 0) == NI_PTL_PT_IN_USE);
    CHECK(ni_unexpected_receive(ni->ni, claimed[2], &any, (void *)3) == NI_OK);
    CHECK(ni_unexpected_receive(ni->ni, claimed[2], &any, (void *)3) == NI_PTL_ARG_INVALID);
    CHECK(ni_unexpected_drop(ni->ni, claimed[2]) == NI_PTL_ARG_INVALID);
    while (suite_count(end, NI_EVENT_PUT_OVERFLOW) != 1) {
        suite_turn(ni);
    }
    CHECK(suite_filled(box->to, LONG, 3));
    memset(box->to, 0, LONG);
    CHECK(ni_unexpected_receive(ni->ni, claimed[1], &two, (void *)2) == NI_OK);
    CHECK(suite_event(end, NI_EVENT_PUT_OVERFLOW, 1)->mlength == 1000);
    CHECK(suite_event(end, NI_EVENT_PUT_OVERFLOW, 1)->user_ptr == (void *)2);
    CHECK(suite_filled(box->to, 1000, 3) && box->to[1000] == 0);
    CHECK(ni_unexpected_drop(ni->ni, claimed[0]) == NI_OK);
    CHECK(ni_unexpected_drop(ni->ni, claimed[0]) == NI_PTL_ARG_INVALID);
    CHECK(ni_unexpected_drop(ni->ni, 0) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_search(ni->ni, 0, &any, NI_SEARCH_ONLY, (void *)5) == NI_OK);
    CHECK(suite_event(end, NI_EVENT_SEARCH, 0)->ni_fail_type == NI_NI_NO_MATCH);
    CHECK(suite_event(end, NI_EVENT_SEARCH, 0)->user_ptr == (void *)5);
}

static void searches(struct suite *suite)
{
    struct box *box = new_box(suite, 2);

    suite_call(suite, 0, put_three, box);
    suite_until_kept(suite, 1, 3);
    suite_call(suite, 1, search, box);
    suite_until_events(suite, box->ends[0], NI_EVENT_ACK, 3);
    for (unsigned n = 0; n < 3; n++) {
        const struct ni_event *event = suite_event(box->ends[0], NI_EVENT_ACK, n);

        CHECK(event->ni_fail_type == (event->hdr_data == 1 ? NI_NI_DROPPED : NI_NI_OK));
    }
}

/* ---- taking back ----------------------------------------------------------------------------- */

enum { NAME = 0xffff, NUMBER = NAME + 1 };

/* Header data: a number and a name, of which the receiver does not know the name. */
static void put_five(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;

    suite_fill(box->from, LONG, 3);
    suite_put(ni, box->ends[0], 1, box->from, 8, 1, 1 * NUMBER + 7, true);
    suite_put(ni, box->ends[0], 1, box->from, 8, 1, 2 * NUMBER + 7, true);
    suite_put(ni, box->ends[0], 1, box->from, 3000, 1, 1 * NUMBER + 8, true);
    suite_put(ni, box->ends[0], 1, box->from, LONG, 1, 3 * NUMBER + 7, true);
    suite_put(ni, box->ends[0], 1, box->from, 8, 2, 3 * NUMBER + 9, true);
}

static int take_back(struct suite_ni *ni, uint64_t bits, uint64_t number)
{
    return ni_unexpected_revoke(ni->ni, 0, ni_peer_initiator(ni->peers[0]), bits, number * NUMBER,
                                NAME);
}

static void revoke(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;
    struct ni_me any = wish(box->to, LONG, 0, UINT64_MAX);
    struct ni_event event;

    CHECK(take_back(ni, 1, 4) == NI_PTL_NO_MATCH);
    CHECK(take_back(ni, 2, 1) == NI_PTL_NO_MATCH);
    CHECK(ni_unexpected_revoke(ni->ni, 0, NI_INITIATOR_SELF, 1, NUMBER, NAME) == NI_PTL_NO_MATCH);
    CHECK(ni_unexpected_revoke(ni->ni, 77, 0, 1, NUMBER, NAME) == NI_PTL_ARG_INVALID);
    CHECK(take_back(ni, 1, 1) == NI_OK); /* of two the last */
    CHECK(take_back(ni, 1, 3) == NI_OK);
    CHECK(take_back(ni, 1, 3) == NI_PTL_NO_MATCH);
    CHECK(suite_stat(ni, "match_unexpected") == 3);
    CHECK(ni_me_probe(ni->ni, 0, &any, NI_SEARCH_DELETE, &event) == NI_OK);
    CHECK(event.hdr_data == 1 * NUMBER + 7);
    CHECK(take_back(ni, 1, 1) == NI_PTL_NO_MATCH); /* claimed */
    CHECK(ni_unexpected_drop(ni->ni, event.unexpected) == NI_OK);
    CHECK(take_back(ni, 1, 2) == NI_OK);
    CHECK(ni_me_search(ni->ni, 0, &any, NI_SEARCH_ONLY, NULL) == NI_OK);
    CHECK(suite_event(box->ends[1], NI_EVENT_SEARCH, 0)->hdr_data == 3 * NUMBER + 9);
    CHECK(take_back(ni, 2, 3) == NI_OK);
    CHECK(suite_stat(ni, "match_unexpected") == 0);
    CHECK(suite_stat(ni, "match_unexpected_bytes") == 0);
    CHECK(ni_pt_free(ni->ni, 0) == NI_OK);
}

static void revoked(struct suite *suite)
{
    struct box *box = new_box(suite, 2);

    suite_call(suite, 0, put_five, box);
    suite_until_kept(suite, 1, 5);
    suite_call(suite, 1, revoke, box);
    suite_until_events(suite, box->ends[0], NI_EVENT_ACK, 5);
    for (unsigned n = 0; n < 5; n++) {
        CHECK(suite_event(box->ends[0], NI_EVENT_ACK, n)->ni_fail_type == NI_NI_DROPPED);
    }
}

/* ---- wildcards ------------------------------------------------------------------------------- */

enum { ROUNDS = 200 };

/* Entries for one initiator, for the other, for any: in this order, ROUNDS times. */
static void post_wild(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        suite_post(ni, box->ends[2], box->to, 8, 7, 0, ni_peer_initiator(ni->peers[0]), i * 4);
        suite_post(ni, box->ends[2], box->to, 8, 0, UINT64_MAX, NI_INITIATOR_ANY, i * 4 + 1);
        suite_post(ni, box->ends[2], box->to, 8, 7, 0, ni_peer_initiator(ni->peers[1]), i * 4 + 2);
    }
}

static void put_many(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        suite_put(ni, box->ends[ni->index], 2, box->from, 8, 7, i, false);
    }
}

/* Each initiator's puts match in order, and an entry for one of them nobody else's. */
static void wildcards(struct suite *suite)
{
    struct box *box = new_box(suite, 3);
    uint64_t next[2] = {0};
    long last[2][2] = {{-1, -1}, {-1, -1}};

    suite_call(suite, 2, post_wild, box);
    suite_begin(suite, 0, put_many, box);
    suite_begin(suite, 1, put_many, box);
    suite_end(suite, 0);
    suite_end(suite, 1);
    suite_until_events(suite, box->ends[2], NI_EVENT_PUT, (uint64_t)ROUNDS * 2);
    for (uint64_t n = 0; n < (uint64_t)ROUNDS * 2; n++) {
        const struct ni_event *event = suite_event(box->ends[2], NI_EVENT_PUT, n);
        long user = (long)(uintptr_t)event->user_ptr;
        unsigned from = event->initiator == suite_event(box->ends[2], NI_EVENT_PUT, 0)->initiator;
        bool wild = user % 4 == 1;

        CHECK(event->hdr_data == next[from]);
        next[from]++;
        /* Of the entries that it could match the first that was left. */
        CHECK(user > last[from][wild]);
        last[from][wild] = user;
    }
    CHECK(next[0] == next[1]);
}

/* ---- unlinking ------------------------------------------------------------------------------- */

static void unlink_all(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;
    static ni_me_handle handles[1000];

    for (unsigned i = 0; i < 1000; i++) {
        suite_post(ni, box->ends[0], box->to, 8, i, 0, NI_INITIATOR_ANY, i);
        handles[i] = box->ends[0]->last;
    }
    box->ends[0]->self = true;
    for (unsigned i = 0; i < 1000; i += 2) {
        suite_put(ni, box->ends[0], 0, box->from, 8, i, i, false);
    }
    CHECK(ni_pt_free(ni->ni, 0) == NI_PTL_PT_IN_USE);
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(ni_me_unlink(ni->ni, handles[i]) == (i % 2 == 0 ? (int)NI_PTL_ARG_INVALID : NI_OK));
        CHECK(ni_me_unlink(ni->ni, handles[i]) == NI_PTL_ARG_INVALID);
    }
    CHECK(suite_count(box->ends[0], NI_EVENT_PUT) == 500);
    CHECK(ni_me_unlink(ni->ni, 0) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_unlink(ni->ni, UINT64_MAX) == NI_PTL_ARG_INVALID);
    CHECK(ni_eq_free(ni->ni, box->ends[0]->eq) == NI_PTL_IN_USE);
    suite_put(ni, box->ends[0], 0, box->from, 5000, 1, 1, false);
    CHECK(ni_pt_free(ni->ni, 0) == NI_OK);
    CHECK(ni_pt_free(ni->ni, 0) == NI_PTL_ARG_INVALID);
    CHECK(suite_stat(ni, "match_unexpected") == 0);
    CHECK(suite_stat(ni, "match_unexpected_bytes") == 0);
    CHECK(ni_eq_free(ni->ni, box->ends[0]->eq) == NI_OK);
}

static void unlinking(struct suite *suite)
{
    suite_call(suite, 0, unlink_all, new_box(suite, 1));
}

/* Each call says that there are no portals, whatever else is wrong with what it is given. */
static void without_portals(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;
    const struct ni_md md = {.start = box->from, .length = 100};
    const struct ni_me me = wish(box->to, 8, 0, 0);
    const struct ni_le le = {.start = box->to, .length = 8};
    const struct ni_ct_event one = {.success = 1};
    struct ni_event event;
    struct ni_peer *peer;
    struct ni_eq *eq;
    struct ni_ct *ct;
    uint64_t value = 0;
    uint32_t number;
    size_t length;
    ni_initiator id;

    /* operations */
    CHECK(ni_put(ni->ni, &md, 0, 1, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0) == NI_PTL_NO_INIT);
    CHECK(ni_get(ni->ni, &md, 0, 1, NULL, 0, 0, 0, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_atomic(ni->ni, &md, 0, 8, NI_ACK_REQ, NULL, 0, 0, 0, NULL, 0, NI_SUM, NI_INT64_T) ==
          NI_PTL_NO_INIT);
    CHECK(ni_fetch_atomic(ni->ni, &md, 0, &md, 0, 8, NULL, 0, 0, 0, NULL, 0, NI_SUM, NI_INT64_T) ==
          NI_PTL_NO_INIT);
    CHECK(ni_swap(ni->ni, &md, 0, &md, 0, 8, NULL, 0, 0, 0, NULL, 0, &value, NI_SWAP, NI_INT64_T) ==
          NI_PTL_NO_INIT);
    CHECK(ni_atomic_sync(ni->ni) == NI_PTL_NO_INIT);
    /* entries and messages */
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_le_append(ni->ni, 0, &le, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_me_unlink(ni->ni, 1) == NI_PTL_NO_INIT);
    CHECK(ni_me_probe(ni->ni, 0, &me, NI_SEARCH_ONLY, &event) == NI_PTL_NO_INIT);
    CHECK(ni_me_search(ni->ni, 0, &me, NI_SEARCH_ONLY, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_unexpected_receive(ni->ni, 1, &me, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_unexpected_drop(ni->ni, 1) == NI_PTL_NO_INIT);
    CHECK(ni_me_fail(ni->ni, 0, NULL, NULL) == NI_PTL_NO_INIT);
    /* the table, queues and counters */
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, NI_PT_ANY, &number) == NI_PTL_NO_INIT);
    CHECK(ni_pt_disable(ni->ni, 0) == NI_PTL_NO_INIT);
    CHECK(ni_pt_enable(ni->ni, 0) == NI_PTL_NO_INIT);
    CHECK(ni_pt_free(ni->ni, 0) == NI_PTL_NO_INIT);
    CHECK(ni_eq_alloc(ni->ni, 8, &eq) == NI_PTL_NO_INIT);
    CHECK(ni_eq_free(ni->ni, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_eq_get(ni->ni, NULL, &event) == NI_PTL_NO_INIT);
    CHECK(ni_ct_alloc(ni->ni, &ct) == NI_PTL_NO_INIT);
    CHECK(ni_ct_free(ni->ni, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_ct_cancel_triggered(ni->ni, NULL) == NI_PTL_NO_INIT);
    /* what is triggered */
    CHECK(ni_triggered_put(ni->ni, &md, 0, 1, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0, NULL, 1) ==
          NI_PTL_NO_INIT);
    CHECK(ni_triggered_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL, NULL, 1) ==
          NI_PTL_NO_INIT);
    CHECK(ni_triggered_ct_inc(ni->ni, NULL, one, NULL, 1) == NI_PTL_NO_INIT);
    /* what there is */
    CHECK(ni_portals_status(ni->ni, NI_SR_DROP_COUNT, &value) == NI_PTL_NO_INIT);
    CHECK(ni_set_map(ni->ni, 0, NULL) == NI_PTL_NO_INIT);
    CHECK(ni_get_map(ni->ni, 0, NULL, &number) == NI_PTL_NO_INIT);
    CHECK(ni_rank_peer(ni->ni, 0, &peer) == NI_PTL_NO_INIT);
    CHECK(ni_get_id(ni->ni, &id) == NI_PTL_NO_INIT);
    CHECK(ni_get_phys_id(ni->ni, NULL, 0, &length) == NI_PTL_NO_INIT);
    CHECK(ni_get_uid(ni->ni, &number) == NI_PTL_NO_INIT);
}

static void bad_arguments(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;
    struct ni_md md = {.start = box->from, .length = 100};
    struct ni_me me = wish(box->to, 8, 0, 0);
    struct ni_limits limits = {.max_pt_index = 256};
    uint32_t index;

    CHECK(ni_portals_open(ni->ni, &limits, NULL) == NI_PTL_ARG_INVALID);
    limits = (struct ni_limits){.max_entries = 2, .max_pt_index = 1, .max_msg_size = 50};
    CHECK(ni_portals_open(ni->ni, &limits, &limits) == NI_OK);
    CHECK(limits.max_entries == 2 && limits.max_pt_index == 1 && limits.max_msg_size == 50);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, 2, &index) == NI_PTL_ARG_INVALID);
    CHECK(ni_pt_alloc(ni->ni, 1U << 31, NULL, 1, &index) == NI_PTL_ARG_INVALID);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, 1, &index) == NI_OK && index == 1);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, 1, &index) == NI_PTL_PT_IN_USE);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, NI_PT_ANY, &index) == NI_OK && index == 0);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, NI_PT_ANY, &index) == NI_PTL_PT_FULL);
    CHECK(ni_put(ni->ni, &md, 51, 50, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0) == NI_PTL_ARG_INVALID);
    CHECK(ni_put(ni->ni, &md, 0, 51, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0) == NI_PTL_ARG_INVALID);
    CHECK(ni_put(ni->ni, &md, 0, SIZE_MAX, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0) ==
          NI_PTL_ARG_INVALID);
    CHECK(ni_put(ni->ni, &md, 0, 1, NI_NO_ACK_REQ, NULL, 256, 0, 0, NULL, 0) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_append(ni->ni, 5, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    CHECK(ni_me_append(ni->ni, 1, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    CHECK(ni_me_append(ni->ni, 1, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_NO_SPACE);
}

static void refused_calls(struct suite *suite)
{
    struct box *box = new_box(suite, 0);

    suite_call(suite, 0, without_portals, box);
    suite_call(suite, 0, bad_arguments, box);
}

/* ---- bounded memory -------------------------------------------------------------------------- */

static void flood(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;

    for (unsigned i = 0; i < MANY; i++) {
        /* Each a different place: those whose data stays here must not be overwritten. */
        uint8_t *data = box->from + (size_t)(i % 1000) * MANY_BYTES;

        if (i < 1000) {
            memcpy(data, &(uint64_t){i}, 8);
        }
        suite_put(ni, box->ends[0], 1, data, MANY_BYTES, i, i, false);
        if (i % 100 == 0) {
            suite_turn(ni);
        }
    }
}

static void receive_flood(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;
    uint64_t most = suite_stat(ni, "match_unexpected_bytes_max");

    /* Half of it, of which the messages' structs are less than a quarter. */
    CHECK(most > 24 << 20 && most <= 64 << 20);
    CHECK(suite_stat(ni, "match_deferred") > 0);
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t *to = (uint64_t *)(void *)(box->to + (size_t)(i % 1000) * MANY_BYTES);

        *to = UINT64_MAX;
        suite_post(ni, box->ends[1], to, MANY_BYTES, i, 0, NI_INITIATOR_ANY, i);
        while (suite_count(box->ends[1], NI_EVENT_PUT_OVERFLOW) != i + 1) {
            suite_turn(ni);
        }
        CHECK(*to == i % 1000);
    }
    CHECK(suite_stat(ni, "match_unexpected_bytes") == 0);
    CHECK(suite_stat(ni, "match_unexpected") == 0);
}

/* More than half of what may be kept: the rest stays with the sender. Afterwards data is sent
 * again. */
static void bounded(struct suite *suite)
{
    struct box *box = new_box(suite, 2);

    suite_call(suite, 0, flood, box);
    suite_until_kept(suite, 1, MANY);
    suite_call(suite, 1, receive_flood, box);
    suite_until_events(suite, box->ends[0], NI_EVENT_SEND, MANY);
    suite_call(suite, 0, put_three, box);
    suite_until_kept(suite, 1, 3);
}

/* ---- peers that go away ---------------------------------------------------------------------- */

static void put_two(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;

    suite_put(ni, box->ends[0], 1, box->from, LONG, 1, 1, true);
    suite_put(ni, box->ends[0], 1, box->from, 8, 2, 2, true);
}

static void target_dies(struct suite *suite)
{
    struct box *box = new_box(suite, 2);

    suite_call(suite, 0, put_two, box);
    suite_until_kept(suite, 1, 2);
    suite_kill(suite, 1);
    suite_until_events(suite, box->ends[0], NI_EVENT_ACK, 2);
    suite_until_events(suite, box->ends[0], NI_EVENT_SEND, 2);
    for (unsigned n = 0; n < 2; n++) {
        CHECK(suite_event(box->ends[0], NI_EVENT_ACK, n)->ni_fail_type == NI_NI_UNDELIVERABLE);
    }
}

static void receive_two(struct suite_ni *ni, void *arg)
{
    struct box *box = arg;

    suite_post(ni, box->ends[1], box->to, LONG, 1, 0, NI_INITIATOR_ANY, 1);
    suite_post(ni, box->ends[1], box->to, LONG, 2, 0, NI_INITIATOR_ANY, 2);
}

/* What its data was with is gone; what had come is there. */
static void initiator_dies(struct suite *suite)
{
    struct box *box = new_box(suite, 2);

    suite_call(suite, 0, put_two, box);
    suite_until_kept(suite, 1, 2);
    suite_kill(suite, 0);
    while (atomic_load(&suite->nis[1].downs[0]) == 0) {
        suite_rest(suite);
    }
    suite_call(suite, 1, receive_two, box);
    suite_until_events(suite, box->ends[1], NI_EVENT_PUT_OVERFLOW, 2);
    for (unsigned n = 0; n < 2; n++) {
        const struct ni_event *event = suite_event(box->ends[1], NI_EVENT_PUT_OVERFLOW, n);

        CHECK(event->ni_fail_type == (event->match_bits == 1 ? NI_NI_UNDELIVERABLE : NI_NI_OK));
        CHECK(event->mlength == (event->match_bits == 1 ? 0 : 8));
    }
}

static const struct suite_case cases[] = {
    {"searches", 2, SUITE_NEEDS_NOTHING, searches},
    {"revoked", 2, SUITE_NEEDS_NOTHING, revoked},
    {"wildcards", 3, SUITE_NEEDS_NOTHING, wildcards},
    {"unlinking", 1, SUITE_NEEDS_NOTHING, unlinking},
    {"refused_calls", 1, SUITE_NEEDS_NOTHING, refused_calls},
    {"bounded", 2, SUITE_NEEDS_NOTHING, bounded},
    {"target_dies", 2, SUITE_NEEDS_KILL, target_dies},
    {"initiator_dies", 2, SUITE_NEEDS_KILL, initiator_dies},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
