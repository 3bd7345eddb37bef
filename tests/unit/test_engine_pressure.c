/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/send/control.c ni/engine/send/waiting.c ni/engine/send/stream.c. */
#include "engine_pair.h"

#include "engine/send/waiting.h"

/* Full lanes: who goes first, and that nobody waits for ever. */

enum { LONG = 1 << 20, SEGMENT = 1024, MESSAGES = 50 };

static uint8_t memory[LONG], local[LONG], answer[LONG];

struct sink {
    unsigned count;
    uint32_t next;
};

static void in_order(void *arg, const struct ni_message_info *message)
{
    struct sink *sink = arg;
    uint32_t number;

    assert_int_equal(message->len, sizeof(number));
    memcpy(&number, message->data, sizeof(number));
    assert_int_equal(number, sink->next++);
    sink->count++;
}

static void open_small(struct pair *pair, unsigned flags)
{
    char error[256];

    assert_int_equal(ni_param_set("segment_size", "1024", "test", error, sizeof(error)), NI_OK);
    pair_open(pair, &(struct pair_attr){
                        .copy = NI_FABRIC_BY_PACKETS, .ring = 1024, .bulk = 4096, .flags = flags});
    for (size_t i = 0; i < LONG; i++) {
        local[i] = (uint8_t)(i * 13 + i / 1000);
    }
    memset(memory, 0, LONG);
    memset(answer, 0, LONG);
}

static struct ni_remote region(struct ni *ni)
{
    struct ni_rkey rkey;

    assert_int_equal(ni_region_memory(ni, memory, LONG, NI_ACCESS_ALL, &rkey), NI_OK);
    return pair_remote(memory, &rkey);
}

/* Bytes of the long transfer that b has received. */
static size_t arrived(void)
{
    size_t at = 0;

    while (at < LONG && memory[at + SEGMENT - 1] == local[at + SEGMENT - 1] &&
           memcmp(memory + at, local + at, SEGMENT) == 0) {
        at += SEGMENT;
    }
    return at;
}

/* Short messages go between the segments of a long Write, and it between them. */
static void messages_between_segments(void **state)
{
    struct pair pair;
    struct pair_done done = {0}, items = {0};
    struct ni_ack ack = pair_ack(&done), item_ack = pair_ack(&items);
    struct sink sink = {0};
    struct ni_rkey rkey, counter;
    struct ni_remote remote;
    size_t before;
    int64_t sum;

    (void)state;
    open_small(&pair, 0);
    remote = region(pair.b);
    assert_int_equal(ni_region_consumer(pair.b, in_order, &sink, 0, &rkey), NI_OK);
    assert_int_equal(ni_counter_create(pair.b, 0, &counter), NI_OK);
    assert_int_equal(ni_write(pair.a, pair.ab, local, LONG, &remote, &ack), NI_OK);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        unsigned tries = 0;

        before = arrived();
        while (ni_message(pair.a, pair.ab, rkey.handle, 0, NULL, 0, &i, sizeof(i)) == NI_AGAIN) {
            (void)ni_progress(pair.b);
            assert_true(++tries < 10);
        }
        tries = 0;
        while (ni_counter_add_remote(pair.a, pair.ab, &counter, 1, &item_ack) == NI_AGAIN) {
            (void)ni_progress(pair.b);
            assert_true(++tries < 10);
        }
        (void)ni_progress(pair.b);
        assert_true(arrived() >= before + SEGMENT);
    }
    assert_int_equal(sink.count, MESSAGES);
    assert_int_equal(ni_counter_read(pair.b, counter.handle, &sum), NI_OK);
    assert_int_equal(sum, MESSAGES);
    assert_int_equal(done.count, 0);
    assert_true(arrived() < LONG / 2);
    for (int i = 0; i < 100; i++) {
        pair_settle(&pair);
    }
    assert_int_equal(done.count, 1);
    assert_int_equal(items.count, MESSAGES);
    assert_memory_equal(memory, local, LONG);
    pair_close(&pair);
}

/* Both sides send as many messages as they can, for as long as each also writes and reads. */
static void floods_hold_up_nothing(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags <= NI_THREADS; flags++) {
        struct pair pair;
        struct pair_done done = {0};
        struct ni_ack ack = pair_ack(&done);
        struct sink at_a = {0}, at_b = {0};
        struct ni_rkey to_a, to_b;
        struct ni_remote remote;
        uint32_t from_a = 0, from_b = 0;
        unsigned rounds = 0;

        open_small(&pair, flags);
        remote = region(pair.b);
        assert_int_equal(ni_region_consumer(pair.a, in_order, &at_a, 0, &to_a), NI_OK);
        assert_int_equal(ni_region_consumer(pair.b, in_order, &at_b, 0, &to_b), NI_OK);
        assert_int_equal(ni_write(pair.a, pair.ab, local, LONG / 4, &remote, &ack), NI_OK);
        remote.addr += LONG / 2;
        assert_int_equal(ni_read(pair.a, pair.ab, answer, LONG / 4, &remote, &ack), NI_OK);
        remote.addr += LONG / 4;
        for (int i = 0; i < 100; i++) {
            assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack),
                             NI_OK);
        }
        while (done.count < 102) {
            while (ni_message(pair.a, pair.ab, to_b.handle, 0, NULL, 0, &from_a, 4) == NI_OK) {
                from_a++;
            }
            (void)ni_progress(pair.b);
            while (ni_message(pair.b, pair.ba, to_a.handle, 0, NULL, 0, &from_b, 4) == NI_OK) {
                from_b++;
            }
            (void)ni_progress(pair.a);
            assert_true(++rounds < 100000);
        }
        assert_memory_equal(memory, local, LONG / 4);
        pair_settle(&pair);
        assert_int_equal(at_a.count, from_b);
        assert_int_equal(at_b.count, from_a);
        assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 0, 0, &remote, &ack),
                         NI_OK);
        pair_settle(&pair);
        assert_int_equal(done.value, 100);
        pair_close(&pair);
    }
}

/* A queue that is full holds back what comes behind the message, and nothing else; then all of it
 * arrives in order, once. */
static void a_full_queue_holds_back(void **state)
{
    struct pair pair;
    struct pair_done done = {0}, back = {0};
    struct ni_ack ack = pair_ack(&done), back_ack = pair_ack(&back);
    struct ni_rkey queue, here;
    struct ni_remote remote, own;
    size_t len;

    (void)state;
    open_small(&pair, 0);
    remote = region(pair.b);
    assert_int_equal(ni_region_memory(pair.a, answer, LONG, NI_ACCESS_ALL, &here), NI_OK);
    own = pair_remote(answer, &here);
    assert_int_equal(ni_region_queue(pair.b, 4, 2, &queue), NI_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(ni_message(pair.a, pair.ab, queue.handle, 0, NULL, 0, &i, 4), NI_OK);
    }
    assert_int_equal(ni_write(pair.a, pair.ab, local, 64, &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.count, 0);
    assert_int_equal(memory[63], 0);
    /* The other direction goes on. */
    assert_int_equal(ni_write(pair.b, pair.ba, local, LONG / 8, &own, &back_ack), NI_OK);
    for (int i = 0; i < 20; i++) {
        pair_settle(&pair);
    }
    assert_memory_equal(answer, local, LONG / 8);
    assert_int_equal(back.count, 0); /* its ack is behind the messages */
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t item;

        assert_int_equal(ni_queue_pop(pair.b, queue.handle, &item, sizeof(item), &len), NI_OK);
        assert_int_equal(item, i);
        pair_settle(&pair);
    }
    assert_int_equal(done.count, 1);
    assert_int_equal(back.count, 1);
    assert_memory_equal(memory, local, 64);
    pair_close(&pair);
}

/* Rings that say they are full whenever they like. */
static void full_at_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct pair pair;
        struct pair_done done = {0};
        struct ni_ack ack = pair_ack(&done);
        struct ni_remote remote;
        unsigned started = 0;

        open_small(&pair, 0);
        remote = region(pair.b);
        ni_fault_arm_random(NI_FAULT_FULL, 500000, seed);
        for (int i = 0; i < 40; i++) {
            size_t len = (size_t)i * i * 37;
            struct ni_remote at = remote;

            at.addr += (uint64_t)i * 60000 % (LONG / 2);
            assert_int_equal(ni_write(pair.a, pair.ab, local, len, &at, &ack), NI_OK);
            assert_int_equal(ni_read(pair.a, pair.ab, answer, len, &remote, &ack), NI_OK);
            assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_OR, 4, 0, 0, &remote, &ack),
                             NI_OK);
            started += 3;
        }
        for (int i = 0; i < 1000 && done.count < started; i++) {
            pair_settle(&pair);
        }
        ni_fault_reset();
        assert_int_equal(done.count, started);
        assert_int_equal(done.status, NI_OK);
        pair_close(&pair);
    }
}

/* Until all of them have ended. */
static void until_done(struct pair *pair, const struct pair_done *done, unsigned count)
{
    for (unsigned i = 0; i < 10000 && done->count < count; i++) {
        (void)ni_progress(pair->b);
        (void)ni_progress(pair->a);
    }
    assert_int_equal(done->count, count);
    assert_int_equal(done->status, NI_OK);
}

/* Where the lane is full, an atomic goes before Writes and a Read behind them, but behind no more
 * than its bound: what it reads says how many were there first. */
static void reads_go_last(void **state)
{
    struct pair pair;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct sink sink = {0};
    struct ni_rkey rkey;
    struct ni_remote remote, second;
    uint64_t numbers[5 * NI_REQUEST_PASSED], found[2] = {0};
    unsigned writes = sizeof(numbers) / sizeof(numbers[0]);
    uint32_t message = 0;

    (void)state;
    open_small(&pair, 0);
    second = remote = region(pair.b);
    second.addr += sizeof(numbers[0]);
    assert_int_equal(ni_region_consumer(pair.b, in_order, &sink, 0, &rkey), NI_OK);
    while (ni_message(pair.a, pair.ab, rkey.handle, 0, NULL, 0, &message, 4) == NI_OK) {
        message++;
    }
    assert_int_equal(ni_read(pair.a, pair.ab, found, sizeof(found), &remote, &ack), NI_OK);
    for (unsigned i = 0; i < writes; i++) {
        numbers[i] = i + 1;
        assert_int_equal(ni_write(pair.a, pair.ab, numbers + i, 8, &remote, &ack), NI_OK);
    }
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 1, 0, &second, &ack), NI_OK);
    until_done(&pair, &done, writes + 2);
    assert_in_range(found[0], 1, NI_REQUEST_PASSED);
    assert_int_equal(found[1], 1);
    assert_int_equal(sink.count, message);
    pair_close(&pair);
}

/* Data that waits for something else than a line of the lane, here for the bulk area, holds up a
 * Read for a number of turns only. */
static void reads_pass_what_has_no_turn(void **state)
{
    (void)state;
    for (unsigned turns = 0; turns <= 2 * NI_REQUEST_TURNS; turns += 2 * NI_REQUEST_TURNS) {
        struct pair pair;
        struct pair_done done = {0};
        struct ni_ack ack = pair_ack(&done);
        struct ni_remote remote, behind;
        uint64_t found = 1;

        open_small(&pair, 0);
        behind = remote = region(pair.b);
        behind.addr += (uint64_t)NI_REQUEST_PASSED / 2 * SEGMENT;
        assert_int_equal(ni_write(pair.a, pair.ab, local, LONG / 4, &remote, &ack), NI_OK);
        assert_int_equal(ni_read(pair.a, pair.ab, &found, sizeof(found), &behind, &ack), NI_OK);
        for (unsigned i = 0; i < turns; i++) {
            (void)ni_progress(pair.a);
        }
        until_done(&pair, &done, 2);
        assert_int_equal(found == 0, turns != 0);
        pair_close(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_between_segments),
        cmocka_unit_test(floods_hold_up_nothing),
        cmocka_unit_test(a_full_queue_holds_back),
        cmocka_unit_test(full_at_random),
        cmocka_unit_test(reads_go_last),
        cmocka_unit_test(reads_pass_what_has_no_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
