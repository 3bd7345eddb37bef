/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/object/queue/queue_names.c. */
#include "suite.h"

/*
 * The queue translation table: queues used by number, at a peer, at a peer of ours that we know by
 * a number of our own, and here; what a number allows, and numbers that lead nowhere.
 */

enum { OWNER = 1, SRQ = 7, MRQ = 255, LOCKED = 256, LAST = NI_QUEUE_NUMBERS - 1, OURS = 3 };

struct names {
    struct ni_rkey single, multi;
    uint64_t key; /* of LOCKED */
    uint64_t item;
    ni_status status;
};

static void open_queues(struct suite_ni *ni, void *arg)
{
    struct names *names = arg;
    struct ni_rkey none = {.handle = 12345};

    names->key = 4711;
    CHECK(ni_region_queue(ni->ni, 8, 16, &names->single) == NI_OK);
    CHECK(ni_region_multi_queue(ni->ni, 8, 16, 0, NI_ACCESS_READ | NI_ACCESS_WRITE,
                                &names->multi) == NI_OK);
    CHECK(ni_queue_name(ni->ni, SRQ, NULL, &names->single, NI_ACCESS_WRITE, 0) == NI_OK);
    CHECK(ni_queue_name(ni->ni, MRQ, NULL, &names->multi, NI_ACCESS_READ | NI_ACCESS_WRITE, 0) ==
          NI_OK);
    CHECK(ni_queue_name(ni->ni, LOCKED, NULL, &names->multi, NI_ACCESS_WRITE, names->key) == NI_OK);
    CHECK(ni_queue_name(ni->ni, LAST, NULL, &names->multi, NI_ACCESS_READ, 0) == NI_OK);

    CHECK(ni_queue_name(ni->ni, LAST, NULL, &names->single, 0, 0) == NI_ERR_EXISTS);
    CHECK(ni_queue_name(ni->ni, LAST + 1, NULL, &names->single, 0, 0) == NI_ERR_INVALID);
    CHECK(ni_queue_name(ni->ni, 0, NULL, &names->single, NI_ACCESS_ALL, 0) == NI_ERR_INVALID);
    CHECK(ni_queue_name(ni->ni, 0, NULL, NULL, 0, 0) == NI_ERR_INVALID);
    CHECK(ni_queue_name(ni->ni, 0, NULL, &none, 0, 0) == NI_ERR_REGION);
    CHECK(ni_queue_unname(ni->ni, 0) == NI_ERR_NOTFOUND);
    CHECK(ni_queue_unname(ni->ni, LAST + 1) == NI_ERR_NOTFOUND);
    CHECK(ni_queue_handle(LAST + 1) == 0 && ni_queue_handle(LAST) != 0);
}

static struct names *new_names(struct suite *suite)
{
    struct names *names = suite_alloc(suite, sizeof(*names));

    suite_call(suite, OWNER, open_queues, names);
    return names;
}

/* ---- what a call comes to -------------------------------------------------------------------- */

static ni_status await(struct suite_ni *ni, struct suite_done *done, ni_status status)
{
    CHECK(status == NI_OK);
    while (atomic_load(&done->count) == 0) {
        suite_turn(ni);
    }
    CHECK(atomic_load(&done->count) == 1);
    return (ni_status)atomic_load(&done->status);
}

static ni_status enqueue(struct suite_ni *ni, uint32_t number, uint64_t key, uint64_t item)
{
    struct ni_rkey rkey = {.handle = ni_queue_handle(number), .key = key};
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    return await(ni, &done, ni_enqueue(ni->ni, ni->peers[OWNER], &rkey, &item, sizeof(item), &ack));
}

static ni_status dequeue(struct suite_ni *ni, uint32_t number, uint64_t key, uint64_t *item)
{
    struct ni_rkey rkey = {.handle = ni_queue_handle(number), .key = key};
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    return await(ni, &done,
                 ni_dequeue(ni->ni, ni->peers[OWNER], &rkey, item, sizeof(*item), &ack, NULL));
}

/* ---- by a peer's numbers --------------------------------------------------------------------- */

static void use_numbers(struct suite_ni *ni, void *arg)
{
    struct names *names = arg;
    uint64_t item = 0;

    item = 40;
    CHECK(suite_message(ni, OWNER, ni_queue_handle(SRQ), 0, &item, sizeof(item)) == NI_OK);
    CHECK(enqueue(ni, SRQ, 0, 41) == NI_OK);
    CHECK(enqueue(ni, SRQ, 99, 42) == NI_OK); /* any key */
    CHECK(dequeue(ni, SRQ, 0, &item) == NI_ERR_ACCESS);

    CHECK(enqueue(ni, MRQ, 0, 50) == NI_OK);
    CHECK(enqueue(ni, LOCKED, names->key, 51) == NI_OK);
    CHECK(enqueue(ni, LOCKED, 0, 52) == NI_ERR_KEY);
    CHECK(enqueue(ni, LOCKED, names->multi.key, 52) == NI_ERR_KEY);
    CHECK(dequeue(ni, LOCKED, names->key, &item) == NI_ERR_ACCESS);
    item = 53;
    CHECK(suite_message(ni, OWNER, ni_queue_handle(LOCKED), 0, &item, sizeof(item)) == NI_OK);
    CHECK(enqueue(ni, LAST, 0, 54) == NI_ERR_ACCESS);
    CHECK(dequeue(ni, LAST, 0, &item) == NI_OK && item == 50);
    CHECK(dequeue(ni, MRQ, 0, &item) == NI_OK && item == 51); /* nothing got in between */
    CHECK(enqueue(ni, 0, 0, 1) == NI_ERR_REGION);
    CHECK(enqueue(ni, 1000, 0, 1) == NI_ERR_REGION);
    CHECK(enqueue(ni, MRQ, 0, 60) == NI_OK);
}

static void pop_three(struct suite_ni *ni, void *arg)
{
    struct names *names = arg;
    size_t len;

    for (uint64_t i = 40; i < 43; i++) {
        CHECK(ni_queue_pop(ni->ni, names->single.handle, &names->item, 8, &len) == NI_OK);
        CHECK(names->item == i);
    }
    CHECK(ni_queue_pop(ni->ni, names->single.handle, &names->item, 8, &len) == NI_AGAIN);
    CHECK(ni_queue_pop(ni->ni, names->multi.handle, &names->item, 8, &len) == NI_OK);
    CHECK(names->item == 60);
    CHECK(suite_stat(ni, "rx_refused") == 8);
}

static void by_number(struct suite *suite)
{
    struct names *names = new_names(suite);

    suite_call(suite, 0, use_numbers, names);
    suite_call(suite, OWNER, pop_three, names);
}

/* ---- numbers of queues that went ------------------------------------------------------------- */

static void take_away(struct suite_ni *ni, void *arg)
{
    struct names *names = arg;

    CHECK(ni_region_deregister(ni->ni, names->single.handle) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 8, 16, &names->single) == NI_OK); /* the same index */
    CHECK(ni_queue_unname(ni->ni, MRQ) == NI_OK);
}

static void find_nothing(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(enqueue(ni, SRQ, 0, 1) == NI_ERR_REGION);
    CHECK(enqueue(ni, MRQ, 0, 1) == NI_ERR_REGION);
}

static void name_again(struct suite_ni *ni, void *arg)
{
    struct names *names = arg;

    CHECK(ni_queue_unname(ni->ni, SRQ) == NI_OK);
    CHECK(ni_queue_name(ni->ni, SRQ, NULL, &names->single, NI_ACCESS_WRITE, 0) == NI_OK);
}

static void find_again(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(enqueue(ni, SRQ, 0, 1) == NI_OK);
}

static void stale(struct suite *suite)
{
    struct names *names = new_names(suite);

    suite_call(suite, OWNER, take_away, names);
    suite_call(suite, 0, find_nothing, names);
    suite_call(suite, OWNER, name_again, names);
    suite_call(suite, 0, find_again, names);
}

/* ---- by numbers of our own ------------------------------------------------------------------- */

/* Number OURS is the owner's MRQ by its handle, OURS + 1 the same by the owner's number, OURS + 2 a
 * queue here. Sending and asking are the same for all. */
static void use_ours(struct suite_ni *ni, void *arg)
{
    struct names *names = arg;
    struct ni_rkey there = {.handle = ni_queue_handle(MRQ)}, here, found;
    struct ni_peer *peer;

    CHECK(ni_region_multi_queue(ni->ni, 8, 4, 0, 0, &here) == NI_OK);
    CHECK(ni_queue_name(ni->ni, OURS, ni->peers[OWNER], &names->multi, 0, 0) == NI_OK);
    CHECK(ni_queue_name(ni->ni, OURS + 1, ni->peers[OWNER], &there, 0, 0) == NI_OK);
    CHECK(ni_queue_name(ni->ni, OURS + 2, NULL, &here, 0, 0) == NI_OK);
    CHECK(ni_queue_find(ni->ni, OURS, &peer, &found) == NI_OK && peer == ni->peers[OWNER] &&
          found.handle == names->multi.handle);
    CHECK(ni_queue_find(ni->ni, 0, &peer, &found) == NI_ERR_NOTFOUND);
    CHECK(ni_queue_send(ni->ni, 0, &peer, 8, NULL) == NI_ERR_NOTFOUND);
    for (uint32_t i = 0; i < 3; i++) {
        struct suite_done sent = {0}, asked = {0};
        struct ni_ack sent_ack = suite_ack(&sent), asked_ack = suite_ack(&asked);
        uint64_t item = 70 + i, got[2] = {0, 0};

        CHECK(await(ni, &sent, ni_queue_send(ni->ni, OURS + i, &item, 8, &sent_ack)) == NI_OK);
        item += 10;
        CHECK(ni_queue_send(ni->ni, OURS + i, &item, 8, NULL) == NI_OK);
        CHECK(await(ni, &asked, ni_queue_ask(ni->ni, OURS + i, &got[0], 8, &asked_ack, NULL)) ==
              NI_OK);
        atomic_store(&asked.count, 0);
        CHECK(await(ni, &asked, ni_queue_ask(ni->ni, OURS + i, &got[1], 8, &asked_ack, NULL)) ==
              NI_OK);
        CHECK(got[0] == 70 + i && got[1] == 80 + i);
    }
}

/* A peer's queue is not reached through us. */
static void use_foreign(struct suite_ni *ni, void *arg)
{
    struct ni_rkey rkey = {.handle = ni_queue_handle(OURS)};
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    uint64_t item = 1;

    (void)arg;
    CHECK(await(ni, &done, ni_enqueue(ni->ni, ni->peers[0], &rkey, &item, 8, &ack)) ==
          NI_ERR_REGION);
}

static void our_numbers(struct suite *suite)
{
    struct names *names = new_names(suite);

    suite_call(suite, 0, use_ours, names);
    suite_call(suite, 2, use_foreign, names);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"by_number", 2, 0, by_number},
        {"stale", 2, 0, stale},
        {"our_numbers", 3, 0, our_numbers},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
