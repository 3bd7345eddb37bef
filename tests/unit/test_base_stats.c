/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/stats.c. */
#include "unit.h"

#include <ctype.h>
#include <pthread.h>

#include "base/bits.h"
#include "base/stats.h"

static void test_the_rows_are_sound(void **state)
{
    (void)state;
    assert_true(ni_stat_count > 0);
    for (size_t i = 0; i < ni_stat_count; i++) {
        const struct ni_stat_info *info = &ni_stat_infos[i];

        assert_int_equal(ni_stat_find(info->name), i); /* so the name is unique */
        assert_true(info->kind >= NI_STAT_COUNT && info->kind <= NI_STAT_HIGHWATER);
        assert_true(info->unit[0] != '\0');
        assert_true(isupper((unsigned char)info->help[0]));
        assert_int_equal(info->help[strlen(info->help) - 1], '.');
    }
}

static void test_find(void **state)
{
    (void)state;
    assert_string_equal(ni_stat_infos[ni_stat_find("tx_packets")].name, "tx_packets");
    assert_string_equal(ni_stat_infos[ni_stat_find("tx_packets")].unit, "packets");
    assert_int_equal(ni_stat_find("no_such_statistic"), ni_stat_count);
    assert_int_equal(ni_stat_find(""), ni_stat_count);
}

static void test_init_clears_all(void **state)
{
    struct ni_stats stats;

    (void)state;
    memset(&stats, 0x5a, sizeof stats);
    ni_stats_init(&stats);
    for (size_t i = 0; i < ni_stat_count; i++) {
        assert_true(ni_stats_value(&stats, i) == 0);
    }
}

static void test_updates(void **state)
{
    struct ni_stats stats;

    (void)state;
    ni_stats_init(&stats);
    ni_stat_add(&stats.tx_packets, 2);
    ni_stat_add(&stats.tx_packets, 3);
    assert_true(ni_stat_get(&stats.tx_packets) == 5);
    ni_stat_sub(&stats.tx_packets, 4);
    assert_true(ni_stat_get(&stats.tx_packets) == 1);
    ni_stat_set(&stats.tx_packets, 77);
    assert_true(ni_stat_get(&stats.tx_packets) == 77);
    ni_stat_max(&stats.pending_max, 10);
    ni_stat_max(&stats.pending_max, 4);
    assert_true(ni_stat_get(&stats.pending_max) == 10);
    ni_stat_max(&stats.pending_max, 11);
    assert_true(ni_stat_get(&stats.pending_max) == 11);
    assert_true(ni_stat_get(&stats.tx_bytes) == 0);
}

static void test_each_index_is_its_own_field(void **state)
{
    struct ni_stats stats;
    ni_stat_t *const fields[] = {
#define NI_STAT_ROW(field, kind, unit, help) &stats.field,
#include "base/stats.def"
#undef NI_STAT_ROW
    };

    (void)state;
    ni_stats_init(&stats);
    assert_int_equal(NI_ARRAY_LENGTH(fields), ni_stat_count);
    for (size_t i = 0; i < ni_stat_count; i++) {
        ni_stat_set(fields[i], 1000 + i);
    }
    for (size_t i = 0; i < ni_stat_count; i++) {
        assert_true(ni_stats_value(&stats, i) == 1000 + i);
    }
    assert_true(ni_stats_value(&stats, ni_stat_count) == 0);
    assert_true(ni_stats_value(&stats, SIZE_MAX) == 0);
}

static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(_Alignof(struct ni_stats), NI_CACHE_LINE);
    assert_int_equal(sizeof(ni_stat_t), 8);
    assert_int_equal(sizeof(struct ni_stats), ni_align_up(ni_stat_count * 8, NI_CACHE_LINE));
}

struct shared {
    struct ni_stats stats;
    _Atomic int stop;
};

#define WRITES 200000

static void *write_many(void *arg)
{
    struct shared *shared = arg;

    for (int i = 0; i < WRITES; i++) {
        ni_stat_add(&shared->stats.tx_bytes, (uint64_t)1 << 32 | 1);
    }
    atomic_store_explicit(&shared->stop, 1,
                          memory_order_release); /* pairs with the reader's load */
    return NULL;
}

/* A reader beside the one writer sees whole values that only grow, and in the end all of them. */
static void test_a_reader_beside_the_writer(void **state)
{
    static struct shared shared;
    size_t index = ni_stat_find("tx_bytes");
    uint64_t last = 0;
    pthread_t writer;
    int stop;

    (void)state;
    ni_stats_init(&shared.stats);
    assert_int_equal(pthread_create(&writer, NULL, write_many, &shared), 0);
    do {
        stop = atomic_load_explicit(&shared.stop, memory_order_acquire);

        uint64_t value = ni_stats_value(&shared.stats, index);

        assert_true(value >= last);
        assert_true(value >> 32 == (value & UINT32_MAX));
        last = value;
    } while (!stop);
    pthread_join(writer, NULL);
    assert_true(last == ((uint64_t)WRITES << 32 | WRITES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rows_are_sound),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_init_clears_all),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_each_index_is_its_own_field),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_a_reader_beside_the_writer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
