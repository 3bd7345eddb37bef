/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/direct.c. */
#include "engine_pair.h"

#include "engine/engine.h"

/*
 * Short transfers and atomics go directly: without control packets and streams while there is room,
 * by the detour when there is none, and with the same results.
 */

enum { LEN = 8192, MANY = 600 };

static _Alignas(64) uint8_t there[LEN], here[LEN];

static struct ni_rkey region(struct ni *ni, unsigned access)
{
    struct ni_rkey rkey;

    assert_int_equal(ni_region_memory(ni, there, LEN, access, &rkey), NI_OK);
    return rkey;
}

static uint8_t byte_of(size_t at, unsigned salt)
{
    return (uint8_t)(at * 31 + at / 253 + salt);
}

/* The lanes exist in both directions, and nothing is under way. */
static void open_both_ways(struct pair *pair, size_t ring, unsigned flags)
{
    struct ni_rkey rkey;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;

    pair_open(pair,
              &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .ring = ring, .flags = flags});
    rkey = region(pair->b, NI_ACCESS_ALL);
    remote = pair_remote(there, &rkey);
    assert_int_equal(ni_fetch_op(pair->a, pair->ab, NI_ATOMIC_ADD, 8, 0, 0, &remote, &ack), NI_OK);
    pair_settle(pair);
    assert_int_equal(done.count, 1);
}

static uint32_t pools(const struct ni *ni)
{
    return ni->send.control_pool.made + ni->send.stream_pool.made;
}

/* ---- nothing but a packet -------------------------------------------------------------------- */

static void one_length(struct pair *pair, const struct ni_rkey *rkey, size_t len)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote = pair_remote(there + 3, rkey);

    for (size_t i = 0; i < LEN; i++) {
        here[i] = byte_of(i, (unsigned)len);
    }
    memset(there, 0, LEN);
    assert_int_equal(ni_write(pair->a, pair->ab, here + 1, len, &remote, &ack), NI_OK);
    (void)ni_progress(pair->b);
    (void)ni_progress(pair->a);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_OK);
    assert_int_equal(done.value, len);
    assert_memory_equal(there + 3, here + 1, len);
    assert_int_equal(there[2] + there[3 + len], 0);

    memset(here, 0, LEN);
    assert_int_equal(ni_read(pair->a, pair->ab, here + 5, len, &remote, &ack), NI_OK);
    (void)ni_progress(pair->b);
    (void)ni_progress(pair->a);
    assert_int_equal(done.count, 2);
    assert_int_equal(done.value, len);
    assert_memory_equal(here + 5, there + 3, len);
    assert_int_equal(here[4] + here[5 + len], 0);
}

static void one_packet_is_enough(void **state)
{
    static const size_t lengths[] = {0, 1, 7, 8, 9, 24, 25, 63, 64, 65, 2047, 2048, 2049, 4000};
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct pair pair;
    uint32_t a, b;

    (void)state;
    open_both_ways(&pair, 0, 0);
    rkey = region(pair.b, NI_ACCESS_ALL);
    remote = pair_remote(there, &rkey);
    a = pools(pair.a);
    b = pools(pair.b);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        one_length(&pair, &rkey, lengths[i]);
    }
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_SWAP, 8, 77, 0, &remote, &ack), NI_OK);
    (void)ni_progress(pair.b);
    (void)ni_progress(pair.a);
    assert_int_equal(done.count, 1);
    assert_int_equal(pools(pair.a), a);
    assert_int_equal(pools(pair.b), b);
    assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
    pair_close(&pair);
}

/* ---- no room --------------------------------------------------------------------------------- */

struct trail {
    uint64_t seen[MANY];
    unsigned count;
};

static void on_old(void *arg, ni_status status, uint64_t value)
{
    struct trail *trail = arg;

    assert_int_equal(status, NI_OK);
    trail->seen[trail->count++] = value;
}

/* More of them than the ring takes: those that must wait come later, none is lost, and the order
 * stays. */
static void more_than_the_ring_takes(void **state)
{
    static struct trail trail;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_old, .arg = &trail};
    struct pair_done flush = {0};
    struct ni_ack flush_ack = pair_ack(&flush);
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    for (unsigned flags = 0; flags <= NI_THREADS; flags += NI_THREADS) {
        trail.count = 0;
        memset(there, 0, LEN);
        open_both_ways(&pair, 1024, flags);
        rkey = region(pair.b, NI_ACCESS_ALL);
        remote = pair_remote(there, &rkey);
        for (unsigned i = 0; i < MANY; i++) {
            assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack),
                             NI_OK);
        }
        assert_int_equal(ni_flush(pair.a, pair.ab, &flush_ack), NI_OK);
        for (int i = 0; i < 4 * MANY && flush.count == 0; i++) {
            (void)ni_progress(pair.b);
            (void)ni_progress(pair.a);
        }
        assert_true(pools(pair.a) != 0);
        assert_int_equal(flush.count, 1);
        assert_int_equal(trail.count, MANY);
        for (unsigned i = 0; i < MANY; i++) {
            assert_int_equal(trail.seen[i], i);
        }
        flush.count = 0;
        pair_close(&pair);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

struct wrong {
    ni_status status;
    uint64_t addr, key;
    unsigned handle;
    size_t len;
};

static void ask_wrongly(struct pair *pair, const struct ni_rkey *rkey, const struct wrong *wrong)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote = pair_remote(there, rkey);

    remote.addr += wrong->addr;
    remote.key ^= wrong->key;
    remote.handle += wrong->handle;
    assert_int_equal(ni_write(pair->a, pair->ab, here, wrong->len, &remote, &ack), NI_OK);
    pair_settle(pair);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, wrong->status);
    assert_int_equal(done.value, 0);
    assert_int_equal(ni_read(pair->a, pair->ab, here, wrong->len, &remote, &ack), NI_OK);
    pair_settle(pair);
    assert_int_equal(done.count, 2);
    assert_int_equal(done.status, wrong->status);
    assert_int_equal(ni_fetch_op(pair->a, pair->ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack), NI_OK);
    pair_settle(pair);
    assert_int_equal(done.count, 3);
    assert_int_equal(done.status, wrong->status);
    assert_int_equal(done.value, 0);
}

static void refusals_say_why(void **state)
{
    static const struct wrong wrongs[] = {
        {.status = NI_ERR_KEY, .key = 1, .len = 8},
        {.status = NI_ERR_BOUNDS, .addr = LEN, .len = 8},
        {.status = NI_ERR_BOUNDS, .addr = LEN, .len = 100},
        {.status = NI_ERR_BOUNDS, .addr = UINT64_MAX - 7, .len = 8},
        {.status = NI_ERR_REGION, .handle = 1, .len = 8},
        {.status = NI_ERR_REGION, .handle = 1, .len = 3000},
    };
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct pair pair;
    uint8_t before[LEN];

    (void)state;
    open_both_ways(&pair, 0, 0);
    rkey = region(pair.b, NI_ACCESS_ALL);
    memset(here, 0xaa, LEN);
    memcpy(before, there, LEN);
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        ask_wrongly(&pair, &rkey, &wrongs[i]);
    }
    remote = pair_remote(there + 4, &rkey);
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.status, NI_ERR_ALIGN);
    rkey = region(pair.b, NI_ACCESS_READ);
    remote = pair_remote(there, &rkey);
    assert_int_equal(ni_write(pair.a, pair.ab, here, 8, &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.status, NI_ERR_ACCESS);
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.status, NI_ERR_ACCESS);
    assert_int_equal(done.count, 3);
    assert_memory_equal(there, before, LEN);
    pair_close(&pair);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Each way to be told, and what is under way when the peer closes. */
static void told_in_each_way(void **state)
{
    struct pair_done last = {0};
    struct ni_ack ack = pair_ack(&last);
    struct ni_rkey rkey, counter;
    struct ni_remote remote;
    struct pair pair;
    ni_word word = 1;
    int64_t value;

    (void)state;
    open_both_ways(&pair, 0, 0);
    rkey = region(pair.b, NI_ACCESS_ALL);
    remote = pair_remote(there, &rkey);
    *(uint64_t *)(void *)there = 40;
    assert_int_equal(ni_counter_create(pair.a, -42, &counter), NI_OK);
    ack = (struct ni_ack){.kind = NI_ACK_WORD, .word = &word};
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 2, 0, &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(atomic_load(&word), 40);
    ack = (struct ni_ack){.kind = NI_ACK_COUNTER, .counter = counter.handle};
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 2, 0, &remote, &ack), NI_OK);
    assert_int_equal(ni_write(pair.a, pair.ab, here, 5, &remote, NULL), NI_OK);
    pair_settle(&pair);
    assert_int_equal(ni_counter_read(pair.a, counter.handle, &value), NI_OK);
    assert_int_equal(value, 0);
    ack = pair_ack(&last);
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 2, 0, &remote, &ack), NI_OK);
    assert_int_equal(ni_read(pair.a, pair.ab, here, 8, &remote, &ack), NI_OK);
    ni_close(pair.b);
    for (int i = 0; i < 100; i++) {
        (void)ni_progress(pair.a);
    }
    assert_int_equal(last.count, 2);
    assert_int_equal(last.status, NI_ERR_PEER_CLOSED);
    assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
    ni_close(pair.a);
    ni_fabric_destroy(pair.fabric);
}

/* ---- long ones that cannot go directly ------------------------------------------------------- */

static uint64_t fallbacks(enum ni_fabric_copy copy, size_t len)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct pair pair;
    uint64_t counted;

    pair_open(&pair, &(struct pair_attr){.copy = copy});
    rkey = region(pair.b, NI_ACCESS_ALL);
    remote = pair_remote(there, &rkey);
    assert_int_equal(ni_write(pair.a, pair.ab, here, len, &remote, &ack), NI_OK);
    assert_int_equal(ni_read(pair.a, pair.ab, here, len, &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.count, 2);
    assert_int_equal(done.status, NI_OK);
    counted = pair_stat(pair.a, "bulk_fallback");
    pair_close(&pair);
    return counted;
}

static void fallbacks_are_counted(void **state)
{
    (void)state;
    assert_int_equal(fallbacks(NI_FABRIC_BY_PACKETS, LEN), 2);
    assert_int_equal(fallbacks(NI_FABRIC_BY_PACKETS, 100), 0);
    assert_int_equal(fallbacks(NI_FABRIC_BY_CALL, LEN), 0);
    assert_int_equal(fallbacks(NI_FABRIC_SAME_MEMORY, LEN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_packet_is_enough),  cmocka_unit_test(more_than_the_ring_takes),
        cmocka_unit_test(refusals_say_why),      cmocka_unit_test(told_in_each_way),
        cmocka_unit_test(fallbacks_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
