/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "suite_multi.h"

/*
 * Multi-reader queues: items before requests and requests before items, the order of both, full
 * queues, what is taken back, what may not be, and readers and owners that go.
 */

enum { CAPACITY = 8 };

/* ---- matching -------------------------------------------------------------------------------- */

static void items_first(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct multi_queue *queue = multi_new(suite, item, CAPACITY - 1, 0); /* rounded up */

        for (uint64_t round = 0; round < (item == 16 ? 2 : 1); round++) {
            for (uint64_t i = 0; i < CAPACITY; i++) {
                CHECK(multi_enqueue(queue, (unsigned)(i % suite->n), round * 100 + i) == NI_OK);
            }
            CHECK(multi_enqueue(queue, 0, 99) == NI_AGAIN);
            for (uint64_t i = 0; i < CAPACITY; i++) {
                multi_check_item(multi_ask(queue, (unsigned)((i + 1) % suite->n)), round * 100 + i);
            }
        }
        multi_deregister(queue);
    }
}

static void requests_first(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct multi_queue *queue = multi_new(suite, item, CAPACITY, 0);
        uint64_t early = multi_stat(queue, "queue_early");

        for (uint64_t round = 0; round < (item == 16 ? 2 : 1); round++) {
            struct multi_step *asked[CAPACITY], *refused;

            for (unsigned i = 0; i < CAPACITY; i++) {
                asked[i] = multi_ask(queue, i % suite->n);
                CHECK(!multi_is_over(asked[i]));
            }
            refused = multi_ask(queue, 0);
            multi_check_status(refused, NI_AGAIN);
            for (unsigned i = 0; i < CAPACITY; i++) {
                CHECK(multi_enqueue(queue, (i + 2) % suite->n, round * 100 + i) == NI_OK);
                multi_check_item(asked[i], round * 100 + i);
            }
        }
        CHECK(multi_stat(queue, "queue_early") == early + (item == 16 ? 2 : 1) * CAPACITY);
        CHECK(multi_stat(queue, "queue_requests") == 0);
        multi_deregister(queue);
    }
}

/* The owner's own functions see the same items. */
static void pop_here(struct suite_ni *ni, void *arg)
{
    struct multi_step *step = arg;
    size_t len = 0;

    step->status =
        ni_queue_pop(ni->ni, step->queue->rkey.handle, step->item, sizeof(step->item), &len);
    CHECK(step->status != NI_OK || len == step->queue->item);
    if (step->status == NI_OK) {
        CHECK(ni_queue_pop(ni->ni, step->queue->rkey.handle, step->item, 3, &len) != NI_OK);
    }
}

static void owner_pops(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 16, CAPACITY, 0);
    struct multi_step *step = suite_alloc(suite, sizeof(*step)), *waits;

    step->queue = queue;
    suite_call(suite, MULTI_OWNER, pop_here, step);
    CHECK(step->status == NI_AGAIN);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK);
    CHECK(multi_enqueue(queue, 1, 2) == NI_OK);
    for (uint64_t i = 1; i <= 2; i++) {
        suite_call(suite, MULTI_OWNER, pop_here, step);
        CHECK(step->status == NI_OK && suite_filled(step->item, 16, i));
    }
    /* A request that waits comes before a pop. */
    waits = multi_ask(queue, 2);
    CHECK(multi_enqueue(queue, 1, 3) == NI_OK);
    suite_call(suite, MULTI_OWNER, pop_here, step);
    CHECK(step->status == NI_AGAIN);
    multi_check_item(waits, 3);
}

/* ---- full ------------------------------------------------------------------------------------ */

static void pushes_back(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, CAPACITY, NI_QUEUE_PUSH_BACK);
    struct multi_step *waits;

    for (uint64_t i = 0; i < CAPACITY; i++) {
        CHECK(multi_enqueue(queue, 0, i) == NI_OK);
    }
    waits = multi_send(queue, 0, CAPACITY);
    suite_rest(suite);
    CHECK(!multi_is_over(waits));
    CHECK(multi_stat(queue, "queue_held") > 0 && multi_stat(queue, "queue_refused") == 0);
    for (uint64_t i = 0; i <= CAPACITY; i++) {
        multi_check_item(multi_ask(queue, 2), i);
    }
    multi_check_status(waits, NI_OK);
}

struct burst {
    struct multi_queue *queue;
    _Atomic uint64_t sent;
};

/* Messages: no ack, so they wait. */
static void send_burst(struct suite_ni *ni, void *arg)
{
    struct burst *burst = arg;

    for (int tries = 0; tries < 50 && burst->sent < 150; tries++) {
        uint64_t number = atomic_load(&burst->sent);
        ni_status status = ni_message(ni->ni, ni->peers[MULTI_OWNER], burst->queue->rkey.handle, 0,
                                      &number, sizeof(number), NULL, 0);

        CHECK(status == NI_OK || status == NI_AGAIN);
        atomic_fetch_add(&burst->sent, status == NI_OK);
    }
}

static void messages_wait(struct suite *suite)
{
    struct burst *burst = suite_alloc(suite, sizeof(*burst));
    uint64_t got = 0;

    burst->queue = multi_new(suite, 8, CAPACITY, 0);
    while (got < 150) {
        suite_call(suite, 0, send_burst, burst);
        for (unsigned i = 0; i < 10 && got < atomic_load(&burst->sent); i++) {
            struct multi_step *step = multi_ask(burst->queue, 2);

            suite_until_count(suite, &step->done.count, 1);
            CHECK(memcmp(step->item, &got, sizeof(got)) == 0);
            got++;
        }
    }
}

/* A message of one line, without an ack. */
static void send_message(struct suite_ni *ni, void *arg)
{
    const struct multi_step *step = arg;

    CHECK(suite_message(ni, MULTI_OWNER, step->queue->rkey.handle, 0, step->item,
                        step->queue->item) == NI_OK);
}

static void message(struct multi_queue *queue, uint64_t seed)
{
    struct multi_step *step = suite_alloc(queue->suite, sizeof(*step));

    step->queue = queue;
    suite_fill(step->item, queue->item, seed);
    suite_call(queue->suite, 0, send_message, step);
}

/* The owner has it. */
static void await_here(struct suite_ni *ni, void *arg)
{
    struct multi_step *step = arg;
    size_t len = 0;

    while ((step->status = ni_queue_pop(ni->ni, step->queue->rkey.handle, step->item,
                                        sizeof(step->item), &len)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(step->status == NI_OK && len == step->queue->item);
}

static void await(struct multi_queue *queue, uint64_t seed)
{
    struct multi_step *step = suite_alloc(queue->suite, sizeof(*step));

    step->queue = queue;
    suite_call(queue->suite, MULTI_OWNER, await_here, step);
    CHECK(suite_filled(step->item, queue->item, seed));
}

static void turn_here(struct suite_ni *ni, void *arg)
{
    (void)arg;
    suite_turn(ni);
}

/* The queue of the last item is remembered, but whoever waits there comes first; what comes when it
 * is gone is refused. */
static void messages_in_a_row(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct multi_queue *queue = multi_new(suite, item, CAPACITY, 0);
        uint64_t before = multi_stat(queue, "rx_refused"), seed = 1;

        for (unsigned reader = 1; reader < 3; reader++) {
            struct multi_step *waits;

            for (unsigned i = 0; i < 3; i++) {
                message(queue, seed + i);
            }
            for (unsigned i = 0; i < 3; i++) {
                await(queue, seed + i);
            }
            waits = multi_ask(queue, reader);
            CHECK(!multi_is_over(waits));
            message(queue, seed + 3);
            multi_check_item(waits, seed + 3);
            seed += 4;
        }
        message(queue, seed);
        await(queue, seed);
        multi_deregister(queue);
        message(queue, seed);
        while (multi_stat(queue, "rx_refused") == before) {
            suite_call(suite, MULTI_OWNER, turn_here, NULL);
        }
    }
}

/* ---- taken back ------------------------------------------------------------------------------ */

static void canceled(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 32, CAPACITY, 0);
    struct multi_step *asked[4];

    for (unsigned i = 0; i < 4; i++) {
        asked[i] = multi_ask(queue, i % suite->n);
    }
    multi_cancel(asked[1], 1); /* the owner's own */
    multi_check_status(asked[1], NI_ERR_CANCELED);
    multi_cancel(asked[2], 2);
    multi_check_status(asked[2], NI_ERR_CANCELED);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK);
    CHECK(multi_enqueue(queue, 0, 2) == NI_OK);
    multi_check_item(asked[0], 1);
    multi_check_item(asked[3], 2);
    CHECK(multi_stat(queue, "queue_requests") == 0);
    /* What is over stays so, and nobody else's request goes with it. */
    asked[0] = multi_ask(queue, 0);
    multi_cancel(asked[3], 3 % suite->n);
    multi_cancel(asked[2], 2);
    CHECK(multi_enqueue(queue, 1, 3) == NI_OK);
    multi_check_item(asked[0], 3);
}

/* ---- many at a time -------------------------------------------------------------------------- */

/* A reader with a queue of its own, to which items are sent. */
struct reader {
    struct multi_queue *queue;
    struct ni_rkey own;
    struct suite_done done;
    uint64_t request;
    uint32_t count;
    unsigned popped;
    uint64_t items[64];
};

static void open_reader(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_queue(ni->ni, 8, 64, &((struct reader *)arg)->own) == NI_OK);
}

static void ask_many(struct suite_ni *ni, void *arg)
{
    struct reader *reader = arg;
    struct ni_ack ack = suite_ack(&reader->done);
    struct ni_peer *peer = ni->peers[MULTI_OWNER];
    const struct ni_rkey *rkey = &reader->queue->rkey;

    CHECK(ni_dequeue_to(ni->ni, peer, rkey, 8, 0, 1, &ack, NULL) == NI_ERR_INVALID);
    CHECK(ni_dequeue_to(ni->ni, peer, rkey, 8, reader->own.handle, 0, &ack, NULL) ==
          NI_ERR_INVALID);
    CHECK(ni_dequeue_to(ni->ni, NULL, rkey, 8, reader->own.handle, 1, &ack, NULL) ==
          NI_ERR_INVALID);
    CHECK(ni_dequeue_to(ni->ni, peer, rkey, 8, reader->own.handle, reader->count, &ack,
                        &reader->request) == NI_OK);
}

static void pop_all(struct suite_ni *ni, void *arg)
{
    struct reader *reader = arg;
    size_t len;

    while (reader->popped < 64 && ni_queue_pop(ni->ni, reader->own.handle,
                                               &reader->items[reader->popped], 8, &len) == NI_OK) {
        reader->popped++;
    }
}

static void cancel_many(struct suite_ni *ni, void *arg)
{
    struct reader *reader = arg;

    CHECK(ni_dequeue_cancel(ni->ni, ni->peers[MULTI_OWNER], &reader->queue->rkey,
                            reader->request) == NI_OK);
}

static struct reader *new_reader(struct multi_queue *queue, unsigned i, uint32_t count)
{
    struct reader *reader = suite_alloc(queue->suite, sizeof(*reader));
    uint64_t before = multi_stat(queue, "queue_requests");

    reader->queue = queue;
    reader->count = count;
    suite_call(queue->suite, i, open_reader, reader);
    suite_call(queue->suite, i, ask_many, reader);
    if (count < 64) {
        multi_until_waiting(queue, before + 1);
    }
    return reader;
}

static void check_over(struct suite *suite, struct reader *reader, unsigned i, ni_status status,
                       unsigned items)
{
    suite_until_count(suite, &reader->done.count, 1);
    CHECK(atomic_load(&reader->done.status) == status);
    CHECK(status != NI_OK || atomic_load(&reader->done.value) == reader->count);
    suite_call(suite, i, pop_all, reader); /* they are there before the ack */
    CHECK(reader->popped == items);
}

/* Requests for many take turns, and with one for one. */
static void many(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, 64, 0);
    struct reader *first = new_reader(queue, 0, 3), *second = new_reader(queue, 2, 5), *third;
    struct multi_step *one = multi_ask(queue, 2);

    for (uint64_t i = 0; i < 7; i++) {
        CHECK(multi_enqueue(queue, (unsigned)(i % suite->n), i) == NI_OK);
    }
    multi_check_item(one, 2);
    check_over(suite, first, 0, NI_OK, 3);
    CHECK(suite_filled(&first->items[0], 8, 0) && suite_filled(&first->items[1], 8, 3) &&
          suite_filled(&first->items[2], 8, 5));
    suite_call(suite, 2, cancel_many, second);
    check_over(suite, second, 2, NI_ERR_CANCELED, 3);
    CHECK(suite_filled(&second->items[0], 8, 1) && suite_filled(&second->items[1], 8, 4) &&
          suite_filled(&second->items[2], 8, 6));
    /* Items that are there come at once. */
    for (uint64_t i = 0; i < 64; i++) {
        CHECK(multi_enqueue(queue, 0, i) == NI_OK);
    }
    third = new_reader(queue, 0, 64);
    check_over(suite, third, 0, NI_OK, 64);
    for (uint64_t i = 0; i < 64; i++) {
        CHECK(suite_filled(&third->items[i], 8, i));
    }
    CHECK(multi_stat(queue, "queue_requests") == 0);
    first = new_reader(queue, 0, 3);
    multi_deregister(queue);
    check_over(suite, first, 0, NI_ERR_REGION, 0);
}

static void many_die(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, CAPACITY, 0);
    struct multi_step *asked;

    (void)new_reader(queue, 2, 60);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK);
    suite_kill(suite, 2);
    while (atomic_load(&suite->nis[MULTI_OWNER].downs[2]) == 0) {
        suite_rest(suite);
    }
    asked = multi_ask(queue, 0);
    CHECK(multi_enqueue(queue, 0, 2) == NI_OK);
    multi_check_item(asked, 2);
    CHECK(multi_stat(queue, "queue_requests") == 0);
}

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

/* ---- waiting --------------------------------------------------------------------------------- */

static void wait_here(struct suite_ni *ni, void *arg)
{
    struct ni_rkey rkey;
    uint64_t item = 0, out = 7;
    size_t len;

    (void)arg;
    CHECK(ni_region_multi_queue(ni->ni, 8, 8, 0, 3, &rkey) == NI_OK);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 0) == NI_ERR_TIMEOUT);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 1000) == NI_ERR_TIMEOUT);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_ERR_TIMEOUT);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_OK);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 1000) == NI_OK && item == 7);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_OK);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_OK && len == 8);
    CHECK(ni_region_deregister(ni->ni, rkey.handle) == NI_OK);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_ERR_REGION);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_ERR_REGION);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 1000) == NI_ERR_REGION);

    CHECK(ni_region_queue(ni->ni, 8, 1, &rkey) == NI_OK);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 7) == NI_ERR_BOUNDS);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_OK);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_AGAIN);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_OK && item == 7);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_ERR_TIMEOUT);
}

static void waiting(struct suite *suite)
{
    suite_call(suite, 0, wait_here, NULL);
}

static void wait_there(struct suite_ni *ni, void *arg)
{
    struct multi_queue *queue = arg;
    struct ni_peer *peer = ni->peers[MULTI_OWNER];
    uint64_t item = 0, out = 11;

    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 8, 0) == NI_ERR_TIMEOUT);
    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 8, 2000) == NI_ERR_TIMEOUT);
    CHECK(suite_message(ni, MULTI_OWNER, queue->rkey.handle, 0, &out, 8) == NI_OK);
    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 8, UINT64_MAX) == NI_OK);
    CHECK(item == 11);
    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 16, UINT64_MAX) == NI_ERR_BOUNDS);
}

static void waiting_for_peers(struct suite *suite)
{
    suite_call(suite, 0, wait_there, multi_new(suite, 8, CAPACITY, 0));
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"items_first", 3, 0, items_first},
        {"requests_first", 3, 0, requests_first},
        {"owner_pops", 3, 0, owner_pops},
        {"pushes_back", 3, 0, pushes_back},
        {"messages_wait", 3, 0, messages_wait},
        {"messages_in_a_row", 3, 0, messages_in_a_row},
        {"canceled", 3, 0, canceled},
        {"many", 3, 0, many},
        {"many_die", 3, SUITE_NEEDS_KILL, many_die},
        {"refused", 2, 0, refused},
        {"deregistered", 3, 0, deregistered},
        {"reader_dies", 3, SUITE_NEEDS_KILL, reader_dies},
        {"dead_make_room", 3, SUITE_NEEDS_KILL, dead_make_room},
        {"owner_dies", 3, SUITE_NEEDS_KILL, owner_dies},
        {"owner_closes", 3, 0, owner_closes},
        {"waiting", 1, 0, waiting},
        {"waiting_for_peers", 2, SUITE_NEEDS_APART, waiting_for_peers},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
