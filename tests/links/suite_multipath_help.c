/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_multipath.h"

enum { PUSHES = 100 };

const enum ni_multipath multipath_ways[MULTIPATH_WAYS] = {
    NI_MULTIPATH_COUNTERS, NI_MULTIPATH_RESEQUENCE, NI_MULTIPATH_NONE, NI_MULTIPATH_DEFAULT};
const uint32_t multipath_lens[MULTIPATH_LENS] = {0, 1024, 1025, 5000, MULTIPATH_MOST};

static void consume(void *arg, const struct ni_message_info *message)
{
    struct multipath_target *target = arg;
    uint64_t n = atomic_load(&target->logged);

    CHECK(message->len == sizeof(uint64_t) && n < MULTIPATH_LOG);
    memcpy(&target->log[n], message->data, sizeof(uint64_t));
    atomic_store(&target->logged, n + 1);
}

static void on_zero(void *arg, ni_status status, uint64_t value)
{
    struct multipath_target *target = arg;

    (void)value;
    CHECK(status == NI_OK);
    atomic_fetch_add(&target->counted, 1);
}

static void open_target(struct suite_ni *ni, void *arg)
{
    struct multipath_target *target = arg;
    struct ni_ack zero = {.kind = NI_ACK_CALL, .fn = on_zero, .arg = target};

    CHECK(ni_region_memory(ni->ni, target->memory, MULTIPATH_MOST, NI_ACCESS_ALL,
                           &target->memory_key) == NI_OK);
    CHECK(ni_region_memory(ni->ni, target->flag, 4096, NI_ACCESS_WRITE, &target->flag_key) ==
          NI_OK);
    CHECK(ni_region_consumer(ni->ni, consume, target, 0, &target->consumer_key) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 8, MULTIPATH_ITEMS, &target->queue_key) == NI_OK);
    CHECK(ni_counter_create(ni->ni, -5, &target->counter_key) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, target->counter_key.handle, &zero) == NI_OK);
}

struct multipath_target *multipath_target(struct suite *suite)
{
    struct multipath_target *target = suite_alloc(suite, sizeof(*target));

    target->memory = suite_alloc(suite, MULTIPATH_MOST);
    target->local = suite_alloc(suite, MULTIPATH_MOST);
    target->flag = suite_alloc(suite, 4096);
    suite_call(suite, 1, open_target, target);
    return target;
}

struct multipath_sent *multipath_sent(struct suite *suite, struct multipath_target *target,
                                      enum ni_multipath how)
{
    struct multipath_sent *sent = suite_alloc(suite, sizeof(*sent));

    sent->target = target;
    sent->how = how;
    return sent;
}

static void write_it(struct suite_ni *ni, void *arg)
{
    struct multipath_sent *sent = arg;
    struct ni_rkey rkey = sent->target->memory_key;
    struct ni_ack departed = suite_ack(&sent->departed), done = suite_ack(&sent->done);
    struct ni_remote where;

    rkey.key ^= sent->wrong_key;
    where = suite_remote(sent->target->memory, &rkey);
    sent->accepted =
        ni_write_multipath(ni->ni, ni->peers[1], sent->target->local, sent->len, &where,
                           sent->noted ? &sent->note : NULL, &departed, &done, sent->how);
}

static void reset(struct multipath_sent *sent)
{
    atomic_store(&sent->departed.count, 0);
    atomic_store(&sent->done.count, 0);
}

void multipath_begin(struct suite *suite, struct multipath_sent *sent)
{
    reset(sent);
    suite_call(suite, 0, write_it, sent);
}

static void push_it(struct suite_ni *ni, void *arg)
{
    write_it(ni, arg);
    for (unsigned i = 0; ni->suite->link->mode == SUITE_HERE && i < PUSHES; i++) {
        (void)ni_progress(ni->ni);
    }
}

void multipath_push(struct suite *suite, struct multipath_sent *sent)
{
    reset(sent);
    suite_call(suite, 0, push_it, sent);
}

ni_status multipath_end(struct suite *suite, struct multipath_sent *sent)
{
    if (sent->accepted != NI_OK) {
        return (ni_status)sent->accepted;
    }
    suite_until_count(suite, &sent->done.count, 1);
    CHECK(atomic_load(&sent->departed.count) == 1 && atomic_load(&sent->done.count) == 1);
    CHECK(atomic_load(&sent->done.status) != NI_OK || atomic_load(&sent->done.value) == sent->len);
    return (ni_status)atomic_load(&sent->done.status);
}

void multipath_note(struct multipath_sent *sent, const struct ni_rkey *rkey, const void *at,
                    uint64_t value)
{
    sent->noted = true;
    sent->note = (struct ni_note){.region = *rkey, .addr = (uintptr_t)at, .value = value};
}

void multipath_fill(struct multipath_target *target, uint32_t len, uint64_t seed)
{
    memset(target->memory, 0, len);
    suite_fill(target->local, len, seed);
}
