/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include <sys/mman.h>

/*
 * Long reads: to memory that nobody has touched the kernel copies at once, as long as it is so; to
 * any other the target is asked first.
 */

enum {
    LEN = 512 * 1024,
    TURNS = 1000 * 1000,
};

static uint8_t there[LEN];

static void set(const char *name, const char *value)
{
    char error[256];

    assert_int_equal(ni_param_set(name, value, "test", error, sizeof(error)), NI_OK);
}

/* Reads all of the target's memory; whether it was there without the target, which would have been
 * waited for much longer. */
static bool reads_alone(struct pair *pair, uint8_t *to, const struct ni_rkey *rkey)
{
    struct pair_done done = {0};
    struct ni_remote remote = pair_remote(there, rkey);
    struct ni_ack ack = pair_ack(&done);
    bool alone;

    assert_int_equal(ni_read(pair->a, pair->ab, to, LEN, &remote, &ack), NI_OK);
    for (unsigned i = 0; i < 100; i++) {
        (void)ni_progress(pair->a);
    }
    alone = done.count == 1;
    for (unsigned turns = 0; done.count == 0; turns++) {
        (void)ni_progress(pair->b);
        (void)ni_progress(pair->a);
        assert_true(turns < TURNS);
    }
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(to, there, LEN);
    return alone;
}

static void fresh_then_used(void **state)
{
    struct ni_rkey rkey;
    struct pair pair;
    uint8_t *here = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(here != MAP_FAILED);
    set("patience_us", "1000000");
    for (size_t i = 0; i < LEN; i++) {
        there[i] = (uint8_t)(i ^ i >> 8);
    }
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL});
    assert_int_equal(ni_region_memory(pair.b, there, sizeof(there), NI_ACCESS_ALL, &rkey), NI_OK);
    assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
    pair_settle(&pair);
    assert_true(reads_alone(&pair, here, &rkey));
    assert_int_equal(pair_stat(pair.a, "bulk_bytes_self"), LEN);
    memset(here, 0, LEN);
    assert_false(reads_alone(&pair, here, &rkey));
    assert_int_equal(pair_stat(pair.a, "bulk_bytes_self"), LEN);
    assert_int_equal(madvise(here, LEN, MADV_DONTNEED), 0);
    assert_true(reads_alone(&pair, here, &rkey));
    pair_close(&pair);
    munmap(here, LEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_then_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
