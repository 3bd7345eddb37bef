/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_RCACHE_FIXTURE_H
#define TESTS_UNIT_RCACHE_FIXTURE_H

#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include <apeni/rcache.h>

#include "base/fault_inl.h"

/*
 * A registrar for the registration cache: it writes down what is registered, and refuses on
 * demand. Nothing is ever touched, so ranges may be any numbers. For programs of one file.
 */

enum { PAGE = 4096, REGISTRATIONS = 1100, REFUSE_NEVER = -1 };
enum { R = NI_ACCESS_READ, W = NI_ACCESS_WRITE };

struct registration {
    uint64_t base;
    uint64_t len;
    unsigned access;
    bool live;
};

struct registrar {
    struct registration all[REGISTRATIONS]; /* of those that are not live, the room is used again */
    unsigned live;
    unsigned made; /* successful calls of reg */
    unsigned refused;
    uint64_t refuse_len; /* refuse ranges of at least so many bytes; 0: none */
    int refuse_after;    /* refuse when so many are live */
    ni_status reason;
};

static inline ni_status registrar_reg(void *arg, void *base, size_t len, unsigned access,
                                      void **registration)
{
    struct registrar *registrar = arg;

    assert_true(len > 0 && len % PAGE == 0 && (uintptr_t)base % PAGE == 0);
    if ((registrar->refuse_len != 0 && len >= registrar->refuse_len) ||
        (registrar->refuse_after != REFUSE_NEVER &&
         registrar->live >= (unsigned)registrar->refuse_after)) {
        registrar->refused++;
        return registrar->reason;
    }
    for (unsigned i = 0; i < REGISTRATIONS; i++) {
        if (!registrar->all[i].live) {
            registrar->all[i] = (struct registration){(uintptr_t)base, len, access, true};
            registrar->live++;
            registrar->made++;
            *registration = &registrar->all[i];
            return NI_OK;
        }
    }
    return NI_ERR_LIMIT;
}

static inline void registrar_dereg(void *arg, void *registration)
{
    struct registrar *registrar = arg;
    struct registration *old = registration;

    assert_true(old >= registrar->all && old < registrar->all + REGISTRATIONS && old->live);
    old->live = false;
    registrar->live--;
}

/* A cache with a registrar asks the NI for nothing; and so these programs need no engine. */
ni_status ni_region_memory(struct ni *ni, void *base, size_t len, unsigned access,
                           struct ni_rkey *rkey)
{
    (void)rkey;
    fail_msg("ni_region_memory(%p, %p, %zu, %u) instead of the registrar", (void *)ni, base, len,
             access);
    return NI_ERR_UNSUPPORTED;
}

ni_status ni_region_deregister(struct ni *ni, ni_handle handle)
{
    fail_msg("ni_region_deregister(%p, %u) instead of the registrar", (void *)ni, handle);
    return NI_ERR_UNSUPPORTED;
}

static const struct ni_rcache_ops registrar_ops = {registrar_reg, registrar_dereg};

/*
 * The state of a test of the cache: a registrar and a cache on it. Ranges are given in pages.
 */
struct setting {
    struct registrar registrar;
    struct ni_rcache *cache;
};

static struct setting setting;

static inline void open_cache(size_t max_entries, size_t max_bytes)
{
    const struct ni_rcache_attr attr = {.ops = &registrar_ops,
                                        .arg = &setting.registrar,
                                        .max_entries = max_entries,
                                        .max_bytes = max_bytes};

    ni_fault_reset();
    setting = (struct setting){.registrar = {.refuse_after = REFUSE_NEVER}};
    assert_int_equal(ni_rcache_create(&attr, &setting.cache), NI_OK);
}

static inline int rcache_set_up(void **state)
{
    (void)state;
    open_cache(0, 0);
    return 0;
}

static inline int rcache_tear_down(void **state)
{
    (void)state;
    ni_rcache_destroy(setting.cache);
    return setting.registrar.live == 0 ? 0 : -1;
}

static inline void *page(uint64_t number)
{
    return (void *)(uintptr_t)(0x100000 + number * PAGE);
}

static inline ni_status try_acquire(uint64_t first, uint64_t pages, unsigned access,
                                    struct ni_rcache_entry **entry)
{
    *entry = NULL;

    ni_status status = ni_rcache_acquire(setting.cache, page(first), pages * PAGE, access, entry);

    assert_true((status == NI_OK) == (*entry != NULL));
    return status;
}

static inline struct ni_rcache_entry *acquire(uint64_t first, uint64_t pages, unsigned access)
{
    struct ni_rcache_entry *entry = NULL;

    assert_int_equal(try_acquire(first, pages, access, &entry), NI_OK);

    const struct registration *held = ni_rcache_registration(entry);

    assert_true(held->live && (access & ~held->access) == 0);
    assert_true(held->base <= (uintptr_t)page(first) &&
                held->base + held->len >= (uintptr_t)page(first + pages));
    assert_null(ni_rcache_rkey(entry));
    return entry;
}

static inline void release(struct ni_rcache_entry *entry)
{
    ni_rcache_release(setting.cache, entry);
}

static inline void use(uint64_t first, uint64_t pages, unsigned access)
{
    release(acquire(first, pages, access));
}

static inline struct ni_rcache_counts stats(void)
{
    struct ni_rcache_counts now;

    ni_rcache_stats(setting.cache, &now);
    assert_int_equal(now.entries, setting.registrar.live);
    return now;
}

static inline void assert_range(const struct ni_rcache_entry *entry, uint64_t first, uint64_t pages)
{
    const struct registration *held = ni_rcache_registration(entry);

    assert_true(held->base == (uintptr_t)page(first) && held->len == pages * PAGE);
}

#define RCACHE_TEST(function) \
    cmocka_unit_test_setup_teardown(function, rcache_set_up, rcache_tear_down)

#endif
