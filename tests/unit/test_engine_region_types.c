/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include "base/alloc.h"
#include "engine/core/ni.h"
#include "engine/core/region_ops.h"
#include "engine/core/regions.h"

/*
 * A type of regions is one row: here an accumulator, to which Writes and notifications add doubles.
 * Covers: ni/engine/core/region_ops.c ni/engine/core/regions.c
 */

enum { ACCUMULATOR = NI_REGION_TYPES - 1 };

struct accumulator {
    double sum;
    unsigned *freed, *closed;
};

static struct accumulator *accumulator_of(const struct ni_region_view *region)
{
    return (struct accumulator *)(uintptr_t)region->object[0];
}

static ni_status add(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                     const struct ni_region_view *region, const uint8_t *payload, uint32_t len)
{
    double value;

    (void)ni;
    (void)writer;
    (void)handle;
    if (len != sizeof(value)) {
        return NI_ERR_BOUNDS;
    }
    memcpy(&value, payload, sizeof(value));
    accumulator_of(region)->sum += value;
    return NI_OK;
}

static ni_status add_word(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                          const struct ni_region_view *region, uint64_t word)
{
    uint8_t bytes[sizeof(word)];

    memcpy(bytes, &word, sizeof(word));
    return add(ni, writer, handle, region, bytes, sizeof(bytes));
}

static void release(struct ni *ni, const struct ni_region_view *region)
{
    (void)ni;
    (*accumulator_of(region)->freed)++;
}

static void close_region(struct ni *ni, const struct ni_region_view *region)
{
    (void)ni;
    assert_int_equal(*accumulator_of(region)->freed, 1);
    (*accumulator_of(region)->closed)++;
}

static const struct ni_region_ops row = {
    .write = add, .notify = add_word, .release = release, .close = close_region};

static struct ni_rkey make(struct ni *ni, struct accumulator *accumulator)
{
    struct ni_region_view view = {.type = (enum ni_region_type)ACCUMULATOR,
                                  .access = NI_ACCESS_WRITE,
                                  .object = {(uintptr_t)accumulator}};
    struct ni_rkey rkey;

    assert_int_equal(ni_region_insert(ni, &view, &rkey), NI_OK);
    return rkey;
}

/* Write so many bytes of two doubles; its status. */
static ni_status write_to(struct pair *pair, const struct ni_remote *remote, double value,
                          size_t len)
{
    const double values[] = {value, value};
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);

    assert_int_equal(ni_write(pair->a, pair->ab, values, len, remote, &ack), NI_OK);
    pair_settle(pair);
    assert_int_equal(done.count, 1);
    return done.status;
}

static void notify(struct pair *pair, const struct ni_rkey *rkey, double value)
{
    static uint8_t memory[8];
    struct ni_note note = {.region = *rkey};
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_rkey target;
    struct ni_remote remote;

    memcpy(&note.value, &value, sizeof(value));
    assert_int_equal(ni_region_memory(pair->b, memory, sizeof(memory), NI_ACCESS_ALL, &target),
                     NI_OK);
    remote = pair_remote(memory, &target);
    assert_int_equal(ni_write_notify(pair->a, pair->ab, "12345678", 8, &remote, &note, NULL, &ack),
                     NI_OK);
    pair_settle(pair);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(memory, "12345678", 8);
    assert_int_equal(ni_region_deregister(pair->b, target.handle), NI_OK);
}

static void accumulates(void **state)
{
    static const enum ni_fabric_copy ways[] = {NI_FABRIC_SAME_MEMORY, NI_FABRIC_BY_CALL,
                                               NI_FABRIC_BY_PACKETS};

    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        unsigned freed = 0, closed = 0;
        struct accumulator accumulator = {.freed = &freed, .closed = &closed};
        struct ni_remote remote, wrong;
        struct ni_rkey rkey;
        struct pair pair;

        pair_open(&pair, &(struct pair_attr){.copy = ways[i]});
        ni_region_type_register(pair.b, (enum ni_region_type)ACCUMULATOR, &row);
        rkey = make(pair.b, &accumulator);
        remote = wrong = pair_remote(NULL, &rkey);
        wrong.key++;
        assert_int_equal(write_to(&pair, &remote, 1.5, 8), NI_OK);
        assert_int_equal(write_to(&pair, &remote, 0.25, 8), NI_OK);
        notify(&pair, &rkey, 8);
        assert_true(accumulator.sum == 9.75);
        assert_int_equal(write_to(&pair, &remote, 4, 12), NI_ERR_BOUNDS);
        assert_int_equal(write_to(&pair, &wrong, 4, 8), NI_ERR_KEY);
        assert_true(accumulator.sum == 9.75);
        assert_int_equal(freed, 0);
        assert_int_equal(ni_region_deregister(pair.b, rkey.handle), NI_OK);
        assert_int_equal(freed, 1);
        assert_int_equal(closed, 1);
        assert_int_equal(write_to(&pair, &remote, 4, 8), NI_ERR_REGION);
        pair_close(&pair);
        assert_int_equal(freed, 1);
    }
}

/* Of a type that no row is about, nothing can be written. */
static void rows_refuse_by_themselves(void **state)
{
    unsigned freed = 0, closed = 0;
    struct accumulator accumulator = {.freed = &freed, .closed = &closed};
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    rkey = make(pair.b, &accumulator);
    remote = pair_remote(NULL, &rkey);
    assert_int_equal(write_to(&pair, &remote, 1, 8), NI_ERR_ACCESS);
    assert_true(accumulator.sum == 0);
    pair_close(&pair);
    assert_int_equal(freed + closed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accumulates),
        cmocka_unit_test(rows_refuse_by_themselves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
