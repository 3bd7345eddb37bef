/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/pool.c ni/base/alloc.c. */
#include "unit.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/pool.h"
#include "base/random.h"

static int tear_down(void **state)
{
    (void)state;
    ni_fault_reset();
    return 0;
}

static void test_bad_sizes_are_refused(void **state)
{
    struct ni_pool pool;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 0, 0, 0), NI_ERR_INVALID);
    assert_int_equal(ni_pool_init(&pool, (1 << 20) + 1, 0, 0), NI_ERR_INVALID);
    assert_int_equal(ni_pool_init(&pool, 1 << 20, 1 << 20, 0), NI_ERR_INVALID);
    assert_int_equal(ni_pool_init(&pool, SIZE_MAX, 1, 1), NI_ERR_INVALID);
}

static void test_an_empty_pool_owns_nothing(void **state)
{
    struct ni_pool pool;
    uint32_t cursor = 0;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 100, 0, 0), NI_OK);
    assert_int_equal(ni_pool_out(&pool), 0);
    assert_int_equal(ni_pool_index_end(&pool), 0);
    assert_null(ni_pool_at(&pool, 0));
    assert_null(ni_pool_from_token(&pool, 0));
    assert_null(ni_pool_next(&pool, &cursor));
    assert_int_equal(ni_pool_fini(&pool), 0);
}

/* The hot members share one line, and a pool does not grow unnoticed. */
static void test_layout(void **state)
{
    (void)state;
    assert_true(offsetof(struct ni_pool, stride) + sizeof(uint32_t) <= NI_CACHE_LINE);
    assert_true(sizeof(struct ni_pool) <= NI_CACHE_LINE);
}

typedef ni_status (*init_fn)(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                             uint32_t limit);

static void check_geometry(init_fn init, size_t alignment, size_t item_size,
                           uint32_t items_per_chunk)
{
    enum { ITEMS = 300 };
    struct ni_pool pool;
    unsigned char *items[ITEMS];

    assert_int_equal(init(&pool, item_size, items_per_chunk, 0), NI_OK);
    for (int i = 0; i < ITEMS; i++) {
        items[i] = ni_pool_get(&pool);
        assert_non_null(items[i]);
        assert_true((uintptr_t)items[i] % alignment == 0);
        memset(items[i], i & 0xff, item_size); /* all of it is the user's */
    }
    for (int i = 0; i < ITEMS; i++) {
        uint32_t index = ni_pool_index(&pool, items[i]);

        assert_int_equal(items[i][0], i & 0xff);
        assert_int_equal(items[i][item_size - 1], i & 0xff);
        assert_true(index < ni_pool_index_end(&pool));
        assert_ptr_equal(ni_pool_at(&pool, index), items[i]);
        assert_ptr_equal(ni_pool_from_token(&pool, ni_pool_token(&pool, items[i])), items[i]);
    }
    for (int i = 0; i < ITEMS; i++) {
        ni_pool_put(&pool, items[i]);
    }
    assert_int_equal(ni_pool_fini(&pool), 0);
}

static void test_items_of_all_sizes_lie_apart(void **state)
{
    static const size_t sizes[] = {1, 7, 8, 63, 64, 65, 128, 192, 200, 320, 1000, 4096, 5000};
    static const uint32_t chunks[] = {0, 1, 2, 3, 7, 64, 100};

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(sizes); i++) {
        for (size_t j = 0; j < NI_ARRAY_LENGTH(chunks); j++) {
            check_geometry(ni_pool_init, NI_CACHE_LINE, sizes[i], chunks[j]);
            check_geometry(ni_pool_init_packed, 8, sizes[i], chunks[j]);
        }
    }
    check_geometry(ni_pool_init, NI_CACHE_LINE, 1 << 20, 3);
}

/* Eight bytes behind an item are the pool's: the items lie no further apart for it than they
 * must. */
static void test_strides(void **state)
{
    static const struct {
        init_fn init;
        size_t size, stride;
    } cases[] = {
        {ni_pool_init, 1, 64},         {ni_pool_init, 56, 64},         {ni_pool_init, 57, 128},
        {ni_pool_init, 64, 128},       {ni_pool_init, 120, 128},       {ni_pool_init, 121, 192},
        {ni_pool_init_packed, 1, 16},  {ni_pool_init_packed, 8, 16},   {ni_pool_init_packed, 9, 24},
        {ni_pool_init_packed, 88, 96}, {ni_pool_init_packed, 121, 136}};

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(cases); i++) {
        struct ni_pool pool;
        char *first, *second;

        assert_int_equal(cases[i].init(&pool, cases[i].size, 2, 0), NI_OK);
        first = ni_pool_get(&pool);
        second = ni_pool_get(&pool);
        assert_ptr_equal(second, first + cases[i].stride);
        ni_pool_put(&pool, first);
        ni_pool_put(&pool, second);
        assert_int_equal(ni_pool_fini(&pool), 0);
    }
}

static void test_last_in_first_out(void **state)
{
    struct ni_pool pool;
    void *a, *b, *c;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 64, 0, 0), NI_OK);
    a = ni_pool_get(&pool);
    b = ni_pool_get(&pool);
    c = ni_pool_get(&pool);
    ni_pool_put(&pool, a);
    ni_pool_put(&pool, c);
    ni_pool_put(&pool, b);
    assert_ptr_equal(ni_pool_get(&pool), b);
    assert_ptr_equal(ni_pool_get(&pool), c);
    assert_ptr_equal(ni_pool_get(&pool), a);
    assert_int_equal(ni_pool_fini(&pool), 3);
}

static void test_the_limit_holds(void **state)
{
    static const uint32_t limits[] = {1, 2, 5, 64, 65, 1000};

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(limits); i++) {
        struct ni_pool pool;
        void *item = NULL;

        assert_int_equal(ni_pool_init(&pool, 64, 16, limits[i]), NI_OK);
        for (uint32_t n = 0; n < limits[i]; n++) {
            item = ni_pool_get(&pool);
            assert_non_null(item);
        }
        assert_null(ni_pool_get(&pool));
        assert_int_equal(ni_pool_out(&pool), limits[i]);
        ni_pool_put(&pool, item);
        assert_ptr_equal(ni_pool_get(&pool), item);
        assert_null(ni_pool_get(&pool));
        assert_int_equal(ni_pool_fini(&pool), limits[i]);
    }
}

/* 40 gets from a fresh pool while the nth allocation fails; returns how many got an item. */
static uint32_t get_with_failure(uint64_t nth)
{
    struct ni_pool pool;
    uint32_t got = 0;

    assert_int_equal(ni_pool_init(&pool, 1000, 2, 0), NI_OK);
    ni_fault_reset();
    ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
    for (int i = 0; i < 40; i++) {
        got += ni_pool_get(&pool) != NULL;
    }
    assert_int_equal(ni_pool_out(&pool), got);
    assert_int_equal(ni_pool_fini(&pool), got);
    return got;
}

/* Whichever allocation fails, one get returns NULL, nothing leaks, and the next get works. */
static void test_failing_allocations(void **state)
{
    (void)state;
    assert_int_equal(get_with_failure(UINT64_MAX), 40);

    uint64_t asked = ni_fault_asked(NI_FAULT_ALLOC);

    assert_true(asked > 40); /* each get asks, and so do chunks and their table */
    for (uint64_t nth = 1; nth <= asked; nth++) {
        assert_int_equal(get_with_failure(nth), 39);
        assert_true(ni_fault_struck(NI_FAULT_ALLOC) == 1);
    }
}

/* What is reserved can be had when there is no memory any more. */
static void test_reserved_items_need_no_memory(void **state)
{
    struct ni_pool pool;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 100, 8, 0), NI_OK);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    assert_int_equal(ni_pool_reserve(&pool), NI_ERR_NOMEM);
    ni_fault_reset();
    assert_int_equal(ni_pool_reserve(&pool), NI_OK);
    assert_int_equal(pool.chunk_count, 1);
    assert_int_equal(ni_pool_reserve(&pool), NI_OK);
    assert_int_equal(pool.chunk_count, 1);
    for (int i = 0; i < 8; i++) {
        assert_non_null(ni_pool_get(&pool));
    }
    assert_int_equal(pool.chunk_count, 1);
    assert_int_equal(ni_pool_fini(&pool), 8);
}

static void test_fini_counts_what_is_out(void **state)
{
    struct ni_pool pool;
    void *item;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 64, 4, 0), NI_OK);
    for (int i = 0; i < 10; i++) {
        item = ni_pool_get(&pool);
        if (i % 2 == 0) {
            ni_pool_put(&pool, item);
        }
    }
    assert_int_equal(ni_pool_fini(&pool), 5);
    assert_int_equal(ni_pool_out(&pool), 0);
}

static void test_next_visits_what_is_out(void **state)
{
    enum { ITEMS = 50 };
    struct ni_pool pool;
    void *items[ITEMS], *item;
    uint32_t cursor = 0, seen = 0, last = 0;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 64, 7, 0), NI_OK);
    for (int i = 0; i < ITEMS; i++) {
        items[i] = ni_pool_get(&pool);
        memcpy(items[i], &(int){i}, sizeof(int));
    }
    for (int i = 0; i < ITEMS; i += 3) {
        ni_pool_put(&pool, items[i]);
    }
    while ((item = ni_pool_next(&pool, &cursor)) != NULL) {
        int i;

        memcpy(&i, item, sizeof i);
        assert_int_not_equal(i % 3, 0);
        assert_ptr_equal(items[i], item);
        assert_true(seen == 0 || ni_pool_index(&pool, item) > last);
        last = ni_pool_index(&pool, item);
        seen++;
        ni_pool_put(&pool, item);
    }
    assert_int_equal(seen, ITEMS - (ITEMS + 2) / 3);
    assert_int_equal(ni_pool_fini(&pool), 0);
}

static void test_tokens_go_stale(void **state)
{
    struct ni_pool pool;
    uint64_t first, second;
    void *item;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 64, 0, 0), NI_OK);
    item = ni_pool_get(&pool);
    first = ni_pool_token(&pool, item);
    assert_true(first != 0);
    assert_ptr_equal(ni_pool_from_token(&pool, first), item);
    ni_pool_put(&pool, item);
    assert_null(ni_pool_from_token(&pool, first));
    assert_null(
        ni_pool_from_token(&pool, first + ((uint64_t)1 << 32))); /* guessing does not help */
    assert_null(ni_pool_at(&pool, (uint32_t)first));
    assert_ptr_equal(ni_pool_get(&pool), item);
    second = ni_pool_token(&pool, item);
    assert_true(second != first);
    assert_null(ni_pool_from_token(&pool, first));
    assert_ptr_equal(ni_pool_from_token(&pool, second), item);
    assert_int_equal(ni_pool_fini(&pool), 1);
}

static void test_generations_wrap(void **state)
{
    struct ni_pool pool;
    uint64_t token;
    void *item;

    (void)state;
    assert_int_equal(ni_pool_init(&pool, 64, 0, 0), NI_OK);
    item = ni_pool_get(&pool);
    *ni_pool_tag(&pool, item) |= (uint64_t)UINT32_MAX << 32;
    token = ni_pool_token(&pool, item);
    assert_ptr_equal(ni_pool_from_token(&pool, token), item);
    ni_pool_put(&pool, item);
    assert_null(ni_pool_from_token(&pool, token));
    assert_null(ni_pool_from_token(&pool, 0));
    assert_ptr_equal(ni_pool_get(&pool), item);
    assert_true(ni_pool_token(&pool, item) >> 32 == 1);
    assert_ptr_equal(ni_pool_from_token(&pool, ni_pool_token(&pool, item)), item);
    assert_int_equal(ni_pool_fini(&pool), 1);
}

/*
 * A model: an array of what is out, with token and a stamp that the item must still carry, and a
 * list of tokens that were given back. Random gets, puts and echoes of good, stale, mutilated and
 * invented tokens must agree with it.
 */
#define MODEL_MAX 400
#define STALE_MAX 1000

struct model {
    struct ni_pool pool;
    struct ni_rng rng;
    struct {
        uint64_t *item;
        uint64_t token;
        uint64_t stamp;
    } out[MODEL_MAX];
    size_t count;
    uint64_t stale[STALE_MAX];
    uint64_t stale_count;
};

static void model_get(struct model *model, uint32_t limit)
{
    uint64_t *item = ni_pool_get(&model->pool);

    if (model->count == limit) {
        assert_null(item);
        return;
    }
    assert_non_null(item);
    for (size_t i = 0; i < model->count; i++) {
        assert_ptr_not_equal(model->out[i].item, item);
    }
    model->out[model->count].item = item;
    model->out[model->count].token = ni_pool_token(&model->pool, item);
    model->out[model->count].stamp = ni_rng_next(&model->rng);
    *item = model->out[model->count].stamp;
    model->count++;
}

static void model_put(struct model *model)
{
    if (model->count == 0) {
        return;
    }

    size_t i = ni_rng_below(&model->rng, model->count);

    assert_true(*model->out[i].item == model->out[i].stamp);
    ni_pool_put(&model->pool, model->out[i].item);
    model->stale[model->stale_count++ % STALE_MAX] = model->out[i].token;
    model->out[i] = model->out[--model->count];
}

static void model_echo(struct model *model, uint64_t token)
{
    void *expected = NULL;

    for (size_t i = 0; i < model->count; i++) {
        if (model->out[i].token == token) {
            expected = model->out[i].item;
        }
    }
    assert_ptr_equal(ni_pool_from_token(&model->pool, token), expected);
}

static void model_echo_some(struct model *model)
{
    uint64_t held = ni_min_u64(model->stale_count, STALE_MAX);
    uint64_t token = ni_rng_next(&model->rng);

    model_echo(model, token);
    model_echo(model, token & 0x3fffffffffU); /* a small generation */
    model_echo(model, token & 0xf000003ffU);  /* and a small index */
    if (model->count > 0) {
        token = model->out[ni_rng_below(&model->rng, model->count)].token;
        model_echo(model, token);
        model_echo(model, token ^ (uint64_t)1 << ni_rng_below(&model->rng, 64));
    }
    if (held > 0) {
        token = model->stale[ni_rng_below(&model->rng, held)];
        assert_null(ni_pool_from_token(&model->pool, token));
    }
}

static void run_model(uint64_t seed, size_t item_size, uint32_t items_per_chunk, uint32_t limit)
{
    static struct model model;
    uint64_t lean = 50;

    memset(&model, 0, sizeof model);
    ni_rng_seed(&model.rng, seed);
    assert_int_equal(ni_pool_init(&model.pool, item_size, items_per_chunk, limit), NI_OK);
    for (int step = 0; step < 20000; step++) {
        if (step % 500 == 0) {
            lean = ni_rng_below(&model.rng, 101); /* phases that grow and phases that shrink */
        }
        if (ni_rng_below(&model.rng, 100) < lean) {
            model_get(&model, limit);
        } else {
            model_put(&model);
        }
        model_echo_some(&model);
        assert_int_equal(ni_pool_out(&model.pool), model.count);
    }
    assert_int_equal(ni_pool_fini(&model.pool), model.count);
}

static void test_random_traces_agree_with_the_model(void **state)
{
    (void)state;
    run_model(1, 64, 0, MODEL_MAX);
    run_model(2, 200, 5, MODEL_MAX);
    run_model(3, 8, 16, 100);
    run_model(4, 1000, 3, 17);
}

static void test_what_waits_for_memory(void **state)
{
    struct ni_memory_wait wait = {0};

    (void)state;
    assert_false(ni_memory_wait_over(&wait, 1, 3600000));
    wait.since -= UINT64_C(2000000000);
    assert_true(ni_memory_wait_over(&wait, 1, 2000));
    assert_false(ni_memory_wait_over(&wait, 2, 2000));
    wait.since -= UINT64_C(2000000000);
    wait.last -= UINT64_C(1500000000);
    assert_false(ni_memory_wait_over(&wait, 2, 2000)); /* not tried for a second */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_sizes_are_refused),
        cmocka_unit_test(test_an_empty_pool_owns_nothing),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_items_of_all_sizes_lie_apart),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_last_in_first_out),
        cmocka_unit_test(test_the_limit_holds),
        cmocka_unit_test_teardown(test_failing_allocations, tear_down),
        cmocka_unit_test(test_reserved_items_need_no_memory),
        cmocka_unit_test_teardown(test_what_waits_for_memory, tear_down),
        cmocka_unit_test(test_fini_counts_what_is_out),
        cmocka_unit_test(test_next_visits_what_is_out),
        cmocka_unit_test(test_tokens_go_stale),
        cmocka_unit_test(test_generations_wrap),
        cmocka_unit_test(test_random_traces_agree_with_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
