/* SPDX-License-Identifier: BSD-3-Clause */
/* What may run at the same time: readers of the table and of its mirror while one thread changes
 * it; anything on the registration cache. Built with ThreadSanitizer it also finds races that did
 * no harm. */
#include "rcache_fixture.h"
#include "table_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/random.h"

static const uint64_t SHARED_KEY = 0x5eed, SHARED_BASE = 0x10000, SHARED_LEN = 100;

enum { READERS = 2, REGIONS = 96, CHANGES = 100000, RECORDS = 64, USERS = 3, USES = 20000 };

/* What one thread tells others about a region, under a lock of its own. The rest of a region
 * follows from its base, so that a mixture of two regions is noticed. */
struct known {
    pthread_mutex_t lock;
    ni_handle handle;
    uint64_t base;
};

struct shared {
    struct ni_table *table;
    struct ni_table_export records[RECORDS];
    struct known known[REGIONS];
    _Atomic uint64_t readers;
    _Atomic bool stop;
    _Atomic uint64_t wrong;
    _Atomic uint64_t allowed;
};

static uint64_t derived(uint64_t base, unsigned which)
{
    uint64_t state = base + which;

    return ni_splitmix64(&state);
}

static uint64_t derived_len(uint64_t base)
{
    return 1 + derived(base, 1) % 1000;
}

static void tell(struct known *known, ni_handle handle, uint64_t base)
{
    pthread_mutex_lock(&known->lock);
    known->handle = handle;
    known->base = base;
    pthread_mutex_unlock(&known->lock);
}

static void count_wrong(struct shared *shared)
{
    atomic_fetch_add_explicit(&shared->wrong, 1, memory_order_relaxed);
}

/* Of a region that was there: it still is, or it is gone; nothing else. */
static void read_known(struct shared *shared, ni_handle handle, uint64_t base)
{
    uint64_t key = derived(base, 0), len = derived_len(base);
    struct ni_table_entry *entry = NULL;
    ni_status status[2] = {
        ni_table_check(shared->table, handle, key, base, len, NI_ACCESS_READ, &entry),
        ni_export_check(shared->records, RECORDS, handle, key, base, len, NI_ACCESS_READ),
    };

    for (int i = 0; i < 2; i++) {
        if (status[i] == NI_OK) {
            atomic_fetch_add_explicit(&shared->allowed, 1, memory_order_relaxed);
        } else if (status[i] != NI_ERR_REGION && (i == 0 || status[i] != NI_ERR_UNSUPPORTED ||
                                                  ni_handle_index(handle) < RECORDS)) {
            count_wrong(shared);
        }
    }
}

/* Of any entry: if it can be read, all of it is from one region. */
static void read_whole(struct shared *shared, uint32_t index)
{
    struct ni_table_entry *entry = ni_table_at(shared->table, index);
    struct ni_region_view view;

    if (entry == NULL || !ni_entry_read(entry, ni_entry_handle(entry), &view)) {
        return;
    }
    if (view.type != NI_REGION_MEMORY || view.access != NI_ACCESS_READ ||
        view.key != derived(view.base, 0) || view.len != derived_len(view.base)) {
        count_wrong(shared);
    }
    for (unsigned i = 0; i < NI_ENTRY_OBJECTS; i++) {
        if (view.object[i] != derived(view.base, 2 + i)) {
            count_wrong(shared);
        }
    }
}

/* A region with NI_ACCESS_BY_ADDRESS that stays is found without its handle. */
static void settle(struct shared *shared)
{
    struct ni_table_entry *entry = NULL;

    if (ni_table_check(shared->table, 0, SHARED_KEY, SHARED_BASE, SHARED_LEN, NI_ACCESS_READ,
                       &entry) != NI_OK ||
        atomic_load_explicit(&entry->record.base, memory_order_relaxed) != SHARED_BASE) {
        count_wrong(shared);
    }
}

static void *reader(void *arg)
{
    struct shared *shared = arg;
    struct ni_rng rng;

    ni_rng_seed(&rng, atomic_fetch_add_explicit(&shared->readers, 1, memory_order_relaxed));
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        struct known *known = &shared->known[ni_rng_below(&rng, REGIONS)];
        ni_handle handle = 0;
        uint64_t base = 0;

        pthread_mutex_lock(&known->lock);
        handle = known->handle;
        base = known->base;
        pthread_mutex_unlock(&known->lock);
        if (handle != 0) {
            read_known(shared, handle, base);
            settle(shared);
        }
        for (unsigned i = 0; i < 8; i++) {
            read_whole(shared, 1 + (uint32_t)ni_rng_below(&rng, REGIONS));
        }
    }
    return NULL;
}

static ni_handle insert(struct shared *shared, uint64_t base)
{
    struct ni_region_view region = {.type = NI_REGION_MEMORY,
                                    .access = NI_ACCESS_READ,
                                    .base = base,
                                    .len = derived_len(base),
                                    .key = derived(base, 0)};
    ni_handle handle = 0;

    for (unsigned i = 0; i < NI_ENTRY_OBJECTS; i++) {
        region.object[i] = derived(base, 2 + i);
    }
    assert_int_equal(ni_table_insert(shared->table, &region, &handle), NI_OK);
    return handle;
}

/* Region 0 stays; fewer changes than a handle takes to come back. */
static void change(struct shared *shared)
{
    ni_handle handle[REGIONS] = {0};
    struct ni_rng rng;

    ni_rng_seed(&rng, 1);
    for (unsigned step = 0; step < CHANGES; step++) {
        unsigned i = step == 0 ? 0 : 1 + (unsigned)ni_rng_below(&rng, REGIONS - 1);
        uint64_t base = ni_rng_next(&rng) >> 16;

        if (handle[i] != 0) {
            assert_int_equal(ni_table_remove(shared->table, handle[i]), NI_OK);
            handle[i] = 0;
        } else {
            handle[i] = insert(shared, base);
            tell(&shared->known[i], handle[i], base);
        }
    }
}

static void test_readers_while_the_table_changes(void **state)
{
    static struct shared shared;
    pthread_t thread[READERS];
    ni_handle stays;

    shared.table = *state;
    assert_int_equal(ni_table_add(shared.table, NI_REGION_MEMORY, SHARED_BASE, SHARED_LEN,
                                  NI_ACCESS_READ | NI_ACCESS_BY_ADDRESS,
                                  ni_table_shared_key(shared.table, SHARED_KEY), &stays),
                     NI_OK);
    assert_int_equal(ni_handle_index(stays), 0);
    ni_table_set_export(shared.table, shared.records, RECORDS);
    for (unsigned i = 0; i < REGIONS; i++) {
        pthread_mutex_init(&shared.known[i].lock, NULL);
    }
    for (unsigned i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, reader, &shared), 0);
    }
    change(&shared);
    /* Region 0 is there for good: wait until a reader has found it. */
    while (atomic_load_explicit(&shared.allowed, memory_order_relaxed) == 0) {
        sched_yield();
    }
    atomic_store_explicit(&shared.stop, true, memory_order_relaxed);
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (unsigned i = 0; i < REGIONS; i++) {
        pthread_mutex_destroy(&shared.known[i].lock);
    }
    assert_int_equal(atomic_load_explicit(&shared.wrong, memory_order_relaxed), 0);
}

struct cache_user {
    struct ni_rcache *cache;
    uint64_t seed;
    uint64_t wrong;
    uint64_t held;
};

static void *cache_user(void *arg)
{
    struct cache_user *user = arg;
    struct ni_rng rng;

    ni_rng_seed(&rng, user->seed);
    for (unsigned i = 0; i < USES; i++) {
        uint64_t base = (0x1000 + ni_rng_below(&rng, 64)) * PAGE;
        uint64_t len = PAGE * (1 + ni_rng_below(&rng, 8));
        struct ni_rcache_entry *entry = NULL;

        if (ni_rng_below(&rng, 8) == 0) {
            ni_rcache_invalidate(user->cache, (void *)(uintptr_t)base, len);
        } else if (ni_rcache_acquire(user->cache, (void *)(uintptr_t)base, len, NI_ACCESS_READ,
                                     &entry) == NI_OK) {
            const struct registration *held = ni_rcache_registration(entry);

            user->wrong += !held->live || held->base > base || held->base + held->len < base + len;
            user->held++;
            ni_rcache_release(user->cache, entry);
        }
    }
    return NULL;
}

static void test_users_of_one_cache(void **state)
{
    static struct registrar registrar = {.refuse_after = REFUSE_NEVER};
    const struct ni_rcache_attr attr = {.ops = &registrar_ops, .arg = &registrar, .max_entries = 8};
    struct cache_user user[USERS] = {{0}};
    struct ni_rcache *cache = NULL;
    struct ni_rcache_counts stats;
    pthread_t thread[USERS];
    uint64_t held = 0;

    (void)state;
    assert_int_equal(ni_rcache_create(&attr, &cache), NI_OK);
    for (unsigned i = 0; i < USERS; i++) {
        user[i] = (struct cache_user){.cache = cache, .seed = i};
        assert_int_equal(pthread_create(&thread[i], NULL, cache_user, &user[i]), 0);
    }
    for (unsigned i = 0; i < USERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(user[i].wrong, 0);
        held += user[i].held;
    }
    ni_rcache_stats(cache, &stats);
    assert_int_equal(stats.hits + stats.misses, held);
    assert_int_equal(stats.misses, registrar.made);
    assert_int_equal(stats.entries, registrar.live);
    assert_true(stats.entries <= 8);
    ni_rcache_destroy(cache);
    assert_int_equal(registrar.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLE_TEST(test_readers_while_the_table_changes),
        cmocka_unit_test(test_users_of_one_cache),
    };

    return cmocka_run_group_tests_name("table and threads", tests, NULL, NULL);
}
