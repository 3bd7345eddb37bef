/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_multi.h"

/*
 * Multi-reader queues: what is refused, and readers and owners that go.
 */

enum { CAPACITY = 8 };

/* ---- refusals -------------------------------------------------------------------------------- */

static void check_refused(struct suite_ni *ni, const struct ni_rkey *rkey, size_t len, bool ask,
                          ni_status wanted)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    uint8_t item[64] = {0};
    struct ni_peer *peer = ni->peers[MULTI_OWNER];

    CHECK((ask ? ni_dequeue(ni->ni, peer, rkey, item, len, &ack, NULL)
               : ni_enqueue(ni->ni, peer, rkey, item, len, &ack)) == NI_OK);
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    CHECK((ni_status)atomic_load(&done.status) == wanted);
}

static void be_refused(struct suite_ni *ni, void *arg)
{
    const struct ni_rkey *rkeys = arg;
    struct ni_rkey stale = rkeys[0], wrong = rkeys[0];
    uint8_t item[64];

    wrong.key++;
    stale.handle += 1U << 20;
    for (unsigned ask = 0; ask < 2; ask++) {
        check_refused(ni, &wrong, 16, ask != 0, NI_ERR_KEY);
        check_refused(ni, &stale, 16, ask != 0, NI_ERR_REGION);
        check_refused(ni, &rkeys[0], 8, ask != 0, NI_ERR_BOUNDS);
        check_refused(ni, &rkeys[0], 64, ask != 0, NI_ERR_BOUNDS);
    }
    check_refused(ni, &rkeys[1], 16, true, NI_ERR_ACCESS);
    check_refused(ni, &rkeys[2], 16, false, NI_ERR_ACCESS);
    check_refused(ni, &rkeys[3], 16, true, NI_ERR_ACCESS); /* single reader */
    CHECK(ni_dequeue(ni->ni, ni->peers[MULTI_OWNER], rkeys, item, 5, NULL, NULL) == NI_ERR_INVALID);
    CHECK(ni_dequeue(ni->ni, ni->peers[MULTI_OWNER], rkeys, NULL, 16, NULL, NULL) ==
          NI_ERR_INVALID);
    CHECK(ni_dequeue(ni->ni, NULL, rkeys, item, 16, NULL, NULL) == NI_ERR_REGION);
    /* Messages of a wrong length, or to a queue that is only read, are dropped and counted. */
    CHECK(ni_message(ni->ni, ni->peers[MULTI_OWNER], rkeys[0].handle, 0, NULL, 0, item, 17) ==
          NI_OK);
    CHECK(ni_message(ni->ni, ni->peers[MULTI_OWNER], rkeys[2].handle, 0, NULL, 0, item, 16) ==
          NI_OK);
    check_refused(ni, &wrong, 16, true, NI_ERR_KEY); /* behind them */
}

static void open_several(struct suite_ni *ni, void *arg)
{
    struct ni_rkey *rkeys = arg;
    struct ni_rkey unused;

    CHECK(ni_region_multi_queue(ni->ni, 16, 8, 0, 3, &rkeys[0]) == NI_OK);
    CHECK(ni_region_multi_queue(ni->ni, 16, 8, 0, NI_ACCESS_WRITE, &rkeys[1]) == NI_OK);
    CHECK(ni_region_multi_queue(ni->ni, 16, 8, 0, NI_ACCESS_READ, &rkeys[2]) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 16, 8, &rkeys[3]) == NI_OK);
    CHECK(ni_region_multi_queue(ni->ni, 0, 8, 0, 3, &unused) == NI_ERR_INVALID);
    CHECK(ni_region_multi_queue(ni->ni, 128, 8, 0, 3, &unused) == NI_ERR_INVALID);
    CHECK(ni_region_multi_queue(ni->ni, 12, 8, 0, 3, &unused) == NI_ERR_INVALID);
    CHECK(ni_region_multi_queue(ni->ni, 8, 0, 0, 3, &unused) == NI_ERR_INVALID);
    CHECK(ni_region_multi_queue(ni->ni, 8, SIZE_MAX, 0, 3, &unused) == NI_ERR_INVALID);
    CHECK(ni_region_multi_queue(ni->ni, 8, 8, 2, 3, &unused) == NI_ERR_INVALID);
    CHECK(ni_region_multi_queue(ni->ni, 8, 8, 0, NI_ACCESS_ALL, &unused) == NI_ERR_INVALID);
    CHECK(ni_region_single_queue(ni->ni, 8, 8, 2, &unused) == NI_ERR_INVALID);
}

static void refused(struct suite *suite)
{
    struct ni_rkey *rkeys = suite_alloc(suite, 4 * sizeof(*rkeys));
    struct multi_queue *queue = multi_new(suite, 16, CAPACITY, 0);

    suite_call(suite, MULTI_OWNER, open_several, rkeys);
    suite_call(suite, 0, be_refused, rkeys);
    CHECK(multi_stat(queue, "rx_refused") == 14);
    CHECK(multi_enqueue(queue, 0, 5) == NI_OK); /* all is well still */
    multi_check_item(multi_ask(queue, 0), 5);
}

/* ---- going ----------------------------------------------------------------------------------- */

static void deregistered(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, CAPACITY, 0);
    struct multi_step *asked[6], *late;

    for (unsigned i = 0; i < 6; i++) {
        asked[i] = multi_ask(queue, i % suite->n);
    }
    multi_deregister(queue);
    for (unsigned i = 0; i < 6; i++) {
        multi_check_status(asked[i], NI_ERR_REGION);
    }
    CHECK(multi_enqueue(queue, 0, 1) == NI_ERR_REGION);
    late = multi_ask(queue, 2);
    multi_check_status(late, NI_ERR_REGION);
    CHECK(multi_stat(queue, "queue_requests") == 0);

    queue = multi_new(suite, 8, CAPACITY, 0);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK);
    multi_deregister(queue); /* with items in it */
}

/* A reader that dies takes what was sent to it, and nothing else. */
static void reader_dies(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 16, CAPACITY, 0);
    struct multi_step *asked[3];

    (void)multi_ask(queue, 2);
    (void)multi_ask(queue, 2);
    asked[0] = multi_ask(queue, 0);
    (void)multi_ask(queue, 2);
    asked[1] = multi_ask(queue, 1);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK); /* goes with it */
    suite_kill(suite, 2);
    while (atomic_load(&suite->nis[MULTI_OWNER].downs[2]) == 0) {
        suite_rest(suite);
    }
    CHECK(multi_enqueue(queue, 0, 2) == NI_OK);
    CHECK(multi_enqueue(queue, 0, 3) == NI_OK);
    multi_check_item(asked[0], 2);
    multi_check_item(asked[1], 3);
    CHECK(multi_stat(queue, "queue_requests") == 0);
    CHECK(multi_enqueue(queue, 0, 4) == NI_OK);
    asked[2] = multi_ask(queue, 0);
    multi_check_item(asked[2], 4);
}

/* Nobody can be told that the queue has gone. */
static void deregistered_after_a_death(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 16, CAPACITY, 0);

    (void)multi_ask(queue, 2);
    suite_kill(suite, 2);
    while (atomic_load(&suite->nis[MULTI_OWNER].downs[2]) == 0) {
        suite_rest(suite);
    }
    multi_deregister(queue);
    CHECK(multi_stat(queue, "queue_requests") == 0);
}

/* Requests of the dead make room for those of the living. */
static void dead_make_room(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 16, CAPACITY, 0);
    struct multi_step *asked;

    for (unsigned i = 0; i < CAPACITY; i++) {
        (void)multi_ask(queue, 2);
    }
    suite_kill(suite, 2);
    while (atomic_load(&suite->nis[MULTI_OWNER].downs[2]) == 0) {
        suite_rest(suite);
    }
    asked = multi_ask(queue, 1);
    CHECK(asked->status == NI_OK);
    CHECK(multi_enqueue(queue, 0, 2) == NI_OK);
    multi_check_item(asked, 2);
}

static void owner_dies(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, CAPACITY, 0);
    struct multi_step *asked[2] = {multi_ask(queue, 0), multi_ask(queue, 2)};

    suite_kill(suite, MULTI_OWNER);
    multi_check_status(asked[0], NI_ERR_PEER_DEAD);
    multi_check_status(asked[1], NI_ERR_PEER_DEAD);
}

/* Its owner closes while requests wait, one of them its own. */
static void owner_closes(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, CAPACITY, 0);
    struct multi_step *asked[3];

    for (unsigned i = 0; i < 3; i++) {
        asked[i] = multi_ask(queue, i);
    }
    suite_close(suite, MULTI_OWNER);
    multi_check_status(asked[0], NI_ERR_PEER_CLOSED);
    multi_check_status(asked[1], NI_ERR_CLOSED);
    multi_check_status(asked[2], NI_ERR_PEER_CLOSED);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"refused", 2, 0, refused},
        {"deregistered", 3, 0, deregistered},
        {"reader_dies", 3, SUITE_NEEDS_KILL, reader_dies},
        {"deregistered_after_a_death", 3, SUITE_NEEDS_KILL, deregistered_after_a_death},
        {"dead_make_room", 3, SUITE_NEEDS_KILL, dead_make_room},
        {"owner_dies", 3, SUITE_NEEDS_KILL, owner_dies},
        {"owner_closes", 3, 0, owner_closes},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
