/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/bulk/pull_request.c. */
#include "engine_pair.h"

#include "engine/core/peer.h"

/*
 * Writes of some pages whose bytes the target is offered: it takes them, or we have the kernel copy
 * them when it does not, never both, whatever comes late.
 */

enum {
    LEN = 8 * 1024,
    LONG = 48 * 1024,
    MANY = 40, /* more than a lane describes at a time */
    GUARD = 64,
    TURNS = 10 * 1000 * 1000,
};

static uint8_t here[MANY][LEN], there[MANY][LEN + GUARD];

static bool all(const uint8_t *bytes, size_t len, uint8_t value)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != value) {
            return false;
        }
    }
    return true;
}

/* Two NIs with a lane from a to b, and memory at b; patience in microseconds. */
static void open_world(struct pair *pair, struct ni_rkey *rkey, const char *patience)
{
    pair_set("patience_us", patience);
    pair_open(pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL, .bulk = 2 * LONG});
    assert_int_equal(ni_region_memory(pair->b, there, sizeof(there), NI_ACCESS_ALL, rkey), NI_OK);
    assert_int_equal(ni_message(pair->a, pair->ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
    pair_settle(pair);
    for (unsigned i = 0; i < MANY; i++) {
        memset(here[i], (int)(0x40 + i), sizeof(here[i]));
        memset(there[i], 0xee, sizeof(there[i]));
    }
}

static void write_one(struct pair *pair, unsigned i, const struct ni_rkey *rkey,
                      struct pair_done *done)
{
    struct ni_remote remote = pair_remote(there[i], rkey);
    struct ni_ack ack = pair_ack(done);

    assert_int_equal(ni_write(pair->a, pair->ab, here[i], LEN, &remote, &ack), NI_OK);
}

static void wait_alone(struct ni *ni, const struct pair_done *done)
{
    for (unsigned turns = 0; done->count == 0; turns++) {
        (void)ni_progress(ni);
        assert_true(turns < TURNS);
    }
}

static void check(unsigned i, const struct pair_done *done)
{
    assert_int_equal(done->count, 1);
    assert_int_equal(done->status, NI_OK);
    assert_int_equal(done->value, LEN);
    assert_memory_equal(there[i], here[i], LEN);
    assert_true(all(there[i] + LEN, GUARD, 0xee));
}

/* Who looks takes it, and no kernel is asked. */
static void taken(void **state)
{
    struct pair_done done = {0};
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    open_world(&pair, &rkey, "1000000");
    write_one(&pair, 0, &rkey, &done);
    for (unsigned i = 0; i < 100; i++) {
        (void)ni_progress(pair.a);
    }
    assert_int_equal(done.count, 0);
    assert_true(all(there[0], LEN, 0xee));
    (void)ni_progress(pair.b);
    assert_memory_equal(there[0], here[0], LEN);
    wait_alone(pair.a, &done);
    check(0, &done);
    assert_int_equal(pair_stat(pair.a, "bulk_bytes_self"), 0);
    pair_close(&pair);
}

/* Who does not look gets it by the kernel. When it looks at last, it finds nothing to take. */
static void too_late(void **state)
{
    struct pair_done done = {0}, again = {0};
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    open_world(&pair, &rkey, "10");
    write_one(&pair, 0, &rkey, &done);
    assert_int_equal(done.count, 0);
    wait_alone(pair.a, &done);
    check(0, &done);
    assert_int_equal(pair_stat(pair.a, "bulk_bytes_self"), LEN);
    write_one(&pair, 1, &rkey, &again);
    wait_alone(pair.a, &again);
    check(1, &again);
    memset(there, 0x11, sizeof(there)); /* it is its own, and changes it */
    pair_settle(&pair);
    assert_true(all((const uint8_t *)there, sizeof(there), 0x11));
    assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
    pair_close(&pair);
}

/* After that none is offered for a while; then again. */
static void after_a_while(void **state)
{
    struct pair_done first = {0}, second = {0}, third = {0};
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    open_world(&pair, &rkey, "10");
    write_one(&pair, 0, &rkey, &first);
    wait_alone(pair.a, &first);
    assert_true(pair.ab->bulk.push_from_ns != 0);
    pair.ab->bulk.push_from_ns = UINT64_MAX;
    write_one(&pair, 1, &rkey, &second);
    check(1, &second); /* at once */
    pair.ab->bulk.push_from_ns = 0;
    write_one(&pair, 2, &rkey, &third);
    assert_int_equal(third.count, 0);
    pair_settle(&pair);
    check(2, &third);
    pair_close(&pair);
}

/* More than there are descriptions of, and than the lane holds: those that wait are offered when
 * others have ended. Any thread may look, at any time. */
static void many(void **state)
{
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    for (unsigned round = 0; round < 8; round++) {
        struct pair_done done[MANY] = {{0}};
        uint64_t offered = round % 2 == 0;

        open_world(&pair, &rkey, offered ? "1000000" : "1");
        for (unsigned i = 0; i < MANY; i++) {
            write_one(&pair, i, &rkey, &done[i]);
        }
        for (unsigned turns = 0; done[MANY - 1].count == 0; turns++) {
            for (unsigned k = 0; k <= round; k++) {
                (void)ni_progress(pair.a);
            }
            (void)ni_progress(pair.b);
            assert_true(turns < TURNS);
        }
        pair_settle(&pair);
        for (unsigned i = 0; i < MANY; i++) {
            check(i, &done[i]);
        }
        if (offered) {
            assert_int_equal(pair_stat(pair.a, "bulk_bytes_self"), 0);
        }
        assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
        pair_close(&pair);
    }
}

/* Of longer ones, which both sides could copy as well, each way has its turns; none that is shorter
 * is measured. */
static void measured(void **state)
{
    struct ni_rkey rkey;
    struct pair pair;
    unsigned offered = 0, copied = 0;

    (void)state;
    pair_set("pull_trial", "2");
    open_world(&pair, &rkey, "1000000");
    for (unsigned i = 0; i < 64; i++) {
        struct pair_done done = {0};
        struct ni_remote remote = pair_remote(there, &rkey);
        struct ni_ack ack = pair_ack(&done);
        uint64_t before = pair_stat(pair.a, "bulk_bytes_self");

        memset(here, (int)i, LONG);
        assert_int_equal(ni_write(pair.a, pair.ab, here, LONG, &remote, &ack), NI_OK);
        pair_settle(&pair);
        assert_int_equal(done.count, 1);
        assert_int_equal(done.status, NI_OK);
        assert_true(all((const uint8_t *)there, LONG, (uint8_t)i));
        assert_true(all((const uint8_t *)there + LONG, GUARD, 0xee));
        copied += pair_stat(pair.a, "bulk_bytes_self") != before;
        offered += pair_stat(pair.a, "bulk_bytes_self") == before;
    }
    assert_true(offered >= 2 && copied >= 2);
    assert_int_equal(pair.a->bulk.push_tuner.total, 64 * LONG);
    pair_close(&pair);
    pair_set("pull_trial", "16");
}

/* The target judges by its own table when it takes, not by what the initiator saw or says. */
static void refused(void **state)
{
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    for (unsigned lie = 0; lie < 3; lie++) {
        struct pair_done done = {0};
        struct ni_shared_copy *shared;
        uint64_t before;

        open_world(&pair, &rkey, "1000000");
        before = pair_stat(pair.b, "rx_refused");
        write_one(&pair, 0, &rkey, &done);
        shared = &pair.ab->ep->tx.page->shared_copies[0];
        if (lie == 0) {
            assert_int_equal(ni_region_deregister(pair.b, rkey.handle), NI_OK);
        } else if (lie == 1) {
            atomic_store_explicit(&shared->len, LEN / 2, memory_order_relaxed);
        } else {
            atomic_store_explicit(&shared->remote, (uintptr_t)(there + MANY) - LEN / 2,
                                  memory_order_relaxed);
        }
        (void)ni_progress(pair.b);
        wait_alone(pair.a, &done);
        assert_int_equal(done.count, 1);
        assert_int_equal(done.status, lie == 0 ? NI_ERR_REGION : NI_ERR_BOUNDS);
        assert_true(all((const uint8_t *)there, sizeof(there), 0xee));
        assert_int_equal(pair_stat(pair.b, "rx_refused"), before + 1);
        pair_close(&pair);
    }
}

/* The target goes with offers in its lane, taken or not: each write ends once. */
static void target_goes(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 24; round++) {
        struct pair_done done[MANY] = {{0}};
        struct ni_rkey rkey;
        struct pair pair;

        open_world(&pair, &rkey, round % 2 == 0 ? "1" : "1000000");
        for (unsigned i = 0; i < MANY; i++) {
            write_one(&pair, i, &rkey, &done[i]);
        }
        for (unsigned i = 0; i < round / 6; i++) {
            (void)ni_progress(pair.b);
            (void)ni_progress(pair.a);
        }
        pair_part(&pair, round / 2 % PAIR_PARTINGS);
        for (unsigned i = 0; i < 1000; i++) {
            (void)ni_progress(pair.a);
        }
        for (unsigned i = 0; i < MANY; i++) {
            assert_int_equal(done[i].count, 1);
        }
        assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
        pair_close(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),       cmocka_unit_test(too_late), cmocka_unit_test(after_a_while),
        cmocka_unit_test(many),        cmocka_unit_test(measured), cmocka_unit_test(refused),
        cmocka_unit_test(target_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
