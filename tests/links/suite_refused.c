/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "suite.h"

/*
 * Accesses that have to be refused: each with its status, completed once, without touching memory;
 * and the connection goes on.
 */

enum { LONG = 200000, GUARD = 4096 };

enum what { WRITE, READ, FETCH, WHATS };

/* The region under attack lies in the middle of a block that is checked as a whole. */
struct target {
    uint8_t *block; /* GUARD + len + GUARD bytes */
    size_t len;
    struct ni_rkey rkey;
    uint8_t *scratch; /* the attacker's memory */
};

struct attempt {
    struct target *target;
    enum what what;
    uint64_t offset; /* of the access from the region's base, may be anything */
    size_t len;
    ni_handle handle;
    uint64_t key;
    ni_status expected;
};

static ni_status do_attempt(struct suite_ni *ni, const struct attempt *a)
{
    struct ni_remote where = {.addr = (uintptr_t)(a->target->block + GUARD) + a->offset,
                              .key = a->key,
                              .handle = a->handle};
    uint64_t old;

    switch (a->what) {
    case WRITE:
        return suite_write(ni, 1, a->target->scratch, a->len, &where);
    case READ:
        return suite_read(ni, 1, a->target->scratch, a->len, &where);
    default:
        return suite_fetch_op(ni, 1, NI_ATOMIC_ADD, (unsigned)a->len, 1, 0, &where, &old);
    }
}

static const char *const names[] = {"write", "read", "fetch"};

static void attempt_here(struct suite_ni *ni, void *arg)
{
    const struct attempt *a = arg;
    ni_status status = do_attempt(ni, a);

    if (status != a->expected) {
        fprintf(stderr, "%s of %zu bytes at offset %lld of %zu: %s instead of %s\n", names[a->what],
                a->len, (long long)a->offset, a->target->len, ni_status_name(status),
                ni_status_name(a->expected));
    }
    CHECK(status == a->expected);
}

static void check_untouched(const struct target *target)
{
    CHECK(suite_filled(target->block, target->len + 2 * (size_t)GUARD, 9));
    CHECK(suite_filled(target->scratch, LONG + GUARD, 10));
}

/* One attempt that must be refused. */
static void refuse(struct suite *suite, struct attempt *shared, struct attempt attempt)
{
    *shared = attempt;
    suite_call(suite, 0, attempt_here, shared);
    check_untouched(attempt.target);
}

static struct target *new_target(struct suite *suite, size_t len, unsigned access)
{
    struct target *target = suite_alloc(suite, sizeof(*target));

    target->len = len;
    target->block = suite_alloc(suite, len + 2 * (size_t)GUARD);
    target->scratch = suite_alloc(suite, LONG + GUARD);
    suite_fill(target->block, len + 2 * (size_t)GUARD, 9);
    suite_fill(target->scratch, LONG + GUARD, 10);
    target->rkey = suite_region(suite, 1, target->block + GUARD, len, access);
    return target;
}

static struct attempt attempt_on(struct target *target, enum what what, size_t len,
                                 ni_status expected)
{
    return (struct attempt){.target = target,
                            .what = what,
                            .len = what == FETCH ? 8 : len,
                            .handle = target->rkey.handle,
                            .key = target->rkey.key,
                            .expected = expected};
}

/* ---- names ----------------------------------------------------------------------------------- */

static void deregister_here(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_deregister(ni->ni, ((struct target *)arg)->rkey.handle) == NI_OK);
    CHECK(ni_region_deregister(ni->ni, ((struct target *)arg)->rkey.handle) == NI_ERR_REGION);
}

static void wrong_names(struct suite *suite, struct attempt *shared, struct target *target,
                        enum what what, size_t len)
{
    struct attempt attempt = attempt_on(target, what, len, NI_ERR_REGION);
    const ni_handle handle = target->rkey.handle;
    const ni_handle wrong[] = {0, UINT32_MAX, handle + 1, handle ^ 0x80000000U, handle + 1000};

    for (size_t i = 0; i < NI_ARRAY_LENGTH(wrong); i++) {
        attempt.handle = wrong[i];
        refuse(suite, shared, attempt);
    }
    attempt = attempt_on(target, what, len, NI_ERR_KEY);
    for (unsigned bit = 0; bit < 64; bit += 13) {
        attempt.key = target->rkey.key ^ UINT64_C(1) << bit;
        refuse(suite, shared, attempt);
    }
    attempt.key = 0;
    refuse(suite, shared, attempt);
}

/* A handle that is kept after its region has gone, also when its place is in use again. */
static void stale_handles(struct suite *suite)
{
    struct target *old = new_target(suite, LONG, NI_ACCESS_ALL);
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));
    static const size_t lens[] = {1, 100, 5000, LONG};

    suite_call(suite, 1, deregister_here, old);
    for (int reused = 0; reused < 3; reused++) {
        for (int what = WRITE; what < WHATS; what++) {
            for (size_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
                refuse(suite, shared, attempt_on(old, (enum what)what, lens[i], NI_ERR_REGION));
            }
        }
        (void)suite_region(suite, 1, old->block + GUARD, LONG, NI_ACCESS_ALL);
    }
}

static void names_and_keys(struct suite *suite)
{
    struct target *target = new_target(suite, LONG, NI_ACCESS_ALL);
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));
    static const size_t lens[] = {0, 8, 1000, 9000, LONG};

    for (int what = WRITE; what < WHATS; what++) {
        for (size_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
            wrong_names(suite, shared, target, (enum what)what, lens[i]);
        }
    }
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static void bounds_of(struct suite *suite, struct attempt *shared, size_t region, enum what what)
{
    struct target *target = new_target(suite, region, NI_ACCESS_ALL);
    static const size_t lens[] = {1, 4, 8, 63, 64, 1000, 5000, 70000};

    for (size_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        struct attempt attempt = attempt_on(target, what, lens[i], NI_ERR_BOUNDS);
        const size_t len = attempt.len;
        /* From one byte before, one byte beyond, wholly outside, wrapping. */
        const uint64_t offsets[] = {
            (uint64_t)-1,      -(uint64_t)len,
            region - len + 1,  region,
            region + 1,        (uint64_t)1 << 47,
            (uint64_t)1 << 63, -(uint64_t)(uintptr_t)(target->block + GUARD) - len};

        for (size_t o = 0; o < NI_ARRAY_LENGTH(offsets); o++) {
            attempt.offset = offsets[o];
            if (len <= region || o != 2) {
                refuse(suite, shared, attempt);
            }
        }
    }
}

static void bounds(struct suite *suite)
{
    static const size_t regions[] = {1, 64, 1000, LONG};
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));

    for (size_t i = 0; i < NI_ARRAY_LENGTH(regions); i++) {
        for (int what = WRITE; what < WHATS; what++) {
            bounds_of(suite, shared, regions[i], (enum what)what);
        }
    }
}

/* Lengths that no memory has. */
static void huge_lengths(struct suite *suite)
{
    struct target *target = new_target(suite, 1000, NI_ACCESS_ALL);
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));
    static const size_t lens[] = {LONG, (size_t)1 << 31, (size_t)1 << 32, ((size_t)1 << 32) + 8};

    for (size_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        for (int what = WRITE; what <= READ; what++) {
            refuse(suite, shared, attempt_on(target, (enum what)what, lens[i], NI_ERR_BOUNDS));
        }
    }
}

/* Nothing, anywhere from the base to the end, is allowed; beyond it is not. */
static void no_bytes(struct suite *suite)
{
    struct target *target = new_target(suite, 100, NI_ACCESS_ALL);
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));

    for (int what = WRITE; what <= READ; what++) {
        for (uint64_t offset = 0; offset <= 100; offset += 50) {
            struct attempt attempt = attempt_on(target, (enum what)what, 0, NI_OK);

            attempt.offset = offset;
            refuse(suite, shared, attempt);
            attempt.expected = NI_ERR_BOUNDS;
            attempt.offset = offset + 101;
            refuse(suite, shared, attempt);
        }
    }
}

/* ---- rights ---------------------------------------------------------------------------------- */

static void rights(struct suite *suite)
{
    static const unsigned needed[] = {NI_ACCESS_WRITE, NI_ACCESS_READ, NI_ACCESS_ATOMIC};
    static const size_t lens[] = {0, 8, 1000, 9000, LONG};
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));

    for (unsigned access = 1; access < NI_ACCESS_ALL; access++) {
        struct target *target = new_target(suite, LONG, access);

        for (int what = WRITE; what < WHATS; what++) {
            for (size_t i = 0; (access & needed[what]) == 0 && i < NI_ARRAY_LENGTH(lens); i++) {
                refuse(suite, shared, attempt_on(target, (enum what)what, lens[i], NI_ERR_ACCESS));
            }
        }
    }
}

static void misaligned_atomics(struct suite *suite)
{
    struct target *target = new_target(suite, 1000, NI_ACCESS_ALL);
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));

    for (size_t width = 4; width <= 8; width += 4) {
        for (uint64_t offset = 1; offset < 32; offset++) {
            struct attempt attempt = attempt_on(target, FETCH, width, NI_ERR_ALIGN);

            attempt.len = width;
            attempt.offset = offset;
            if (offset % width != 0) {
                refuse(suite, shared, attempt);
            }
        }
    }
}

/* ---- other kinds of regions ------------------------------------------------------------------ */

static void make_objects(struct suite_ni *ni, void *arg)
{
    struct ni_rkey *rkeys = arg;

    CHECK(ni_counter_create(ni->ni, 5, &rkeys[0]) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 16, 4, &rkeys[1]) == NI_OK);
}

static void check_objects(struct suite_ni *ni, void *arg)
{
    struct ni_rkey *rkeys = arg;
    int64_t value;
    uint8_t item[64];
    size_t len;

    CHECK(ni_counter_read(ni->ni, rkeys[0].handle, &value) == NI_OK && value == 5);
    CHECK(ni_queue_pop(ni->ni, rkeys[1].handle, item, sizeof(item), &len) == NI_AGAIN);
}

struct object_attempt {
    struct target *target;
    struct ni_rkey *rkeys;
};

/* Reads, atomics and writes of a wrong length or with a wrong key, on counters and queues. */
static void attack_objects(struct suite_ni *ni, void *arg)
{
    struct object_attempt *attack = arg;
    uint8_t *scratch = attack->target->scratch;
    uint64_t old;

    for (int i = 0; i < 2; i++) {
        struct ni_remote where = {.key = attack->rkeys[i].key, .handle = attack->rkeys[i].handle};
        struct ni_rkey wrong = attack->rkeys[i];

        CHECK(suite_read(ni, 1, scratch, 8, &where) < 0);
        CHECK(suite_read(ni, 1, scratch, 8000, &where) < 0);
        CHECK(suite_fetch_op(ni, 1, NI_ATOMIC_ADD, 8, 1, 0, &where, &old) < 0);
        CHECK(suite_write(ni, 1, scratch, 7, &where) == NI_ERR_BOUNDS);
        CHECK(suite_write(ni, 1, scratch, 17, &where) == NI_ERR_BOUNDS);
        CHECK(suite_write(ni, 1, scratch, LONG, &where) < 0);
        where.key ^= 1;
        CHECK(suite_write(ni, 1, scratch, i == 0 ? 8 : 16, &where) == NI_ERR_KEY);
        wrong.key ^= 1;
        (void)wrong;
    }
}

static void counters_and_queues(struct suite *suite)
{
    struct object_attempt *attack = suite_alloc(suite, sizeof(*attack));

    attack->target = new_target(suite, 1000, NI_ACCESS_ALL);
    attack->rkeys = suite_alloc(suite, 2 * sizeof(*attack->rkeys));
    suite_call(suite, 1, make_objects, attack->rkeys);
    suite_call(suite, 0, attack_objects, attack);
    suite_call(suite, 1, check_objects, attack->rkeys);
    check_untouched(attack->target);
}

/* ---- what a user gets wrong ------------------------------------------------------------------ */

static void mistakes_here(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct ni_remote where = suite_remote(target->block + GUARD, &target->rkey);
    struct ni_rkey rkey;
    uint64_t old;

    CHECK(suite_fetch_op(ni, 1, NI_ATOMIC_ADD, 1, 1, 0, &where, &old) == NI_ERR_INVALID);
    CHECK(suite_fetch_op(ni, 1, NI_ATOMIC_ADD, 16, 1, 0, &where, &old) == NI_ERR_INVALID);
    CHECK(suite_fetch_op(ni, 1, NI_ATOMIC_OPS, 8, 1, 0, &where, &old) == NI_ERR_INVALID);
    CHECK(ni_region_memory(ni->ni, target->scratch, 0, NI_ACCESS_ALL, &rkey) == NI_ERR_INVALID);
    CHECK(ni_region_memory(ni->ni, target->scratch, 10, 0, &rkey) == NI_ERR_INVALID);
    CHECK(ni_region_memory(ni->ni, target->scratch, 10, 16, &rkey) == NI_ERR_INVALID);
    CHECK(ni_region_memory(ni->ni, target->scratch, SIZE_MAX, NI_ACCESS_ALL, &rkey) ==
          NI_ERR_INVALID);
    CHECK(ni_region_deregister(ni->ni, 0) == NI_ERR_REGION);
    CHECK(ni_region_deregister(ni->ni, UINT32_MAX) == NI_ERR_REGION);
    CHECK(ni_region_consumer(ni->ni, NULL, NULL, 0, &rkey) == NI_ERR_INVALID);
}

static void mistakes(struct suite *suite)
{
    struct target *target = new_target(suite, 1000, NI_ACCESS_ALL);

    suite_call(suite, 0, mistakes_here, target);
    check_untouched(target);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"stale_handles", 2, 0, stale_handles},
        {"names_and_keys", 2, 0, names_and_keys},
        {"bounds", 2, 0, bounds},
        {"huge_lengths", 2, 0, huge_lengths},
        {"no_bytes", 2, 0, no_bytes},
        {"rights", 2, 0, rights},
        {"misaligned_atomics", 2, 0, misaligned_atomics},
        {"counters_and_queues", 2, 0, counters_and_queues},
        {"mistakes", 2, 0, mistakes},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
