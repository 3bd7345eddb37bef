/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/atomic.c ni/engine/object/store/fetch.c. */
#include "base/bits.h"
#include "suite.h"

/*
 * Atomic operations: each of them, 32 and 64 bit, against a model; and many NIs on one word, where
 * nothing may be lost and no two may see the same.
 */

enum { TRACE = 3000, ADDS = 400, WORDS = 16 };

/* ---- against a model ------------------------------------------------------------------------- */

/* What the operation makes of a word, written from the definitions of transfer.h. */
static uint64_t model(enum ni_atomic_op op, unsigned width, uint64_t word, uint64_t operand,
                      uint64_t compare)
{
    uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX;
    int64_t signed_word = width == 8 ? (int64_t)word : (int32_t)word;
    int64_t signed_operand = width == 8 ? (int64_t)operand : (int32_t)operand;

    operand &= mask;
    compare &= mask;
    switch (op) {
    case NI_ATOMIC_ADD:
        return (word + operand) & mask;
    case NI_ATOMIC_AND:
        return word & operand;
    case NI_ATOMIC_OR:
        return word | operand;
    case NI_ATOMIC_XOR:
        return word ^ operand;
    case NI_ATOMIC_LAND:
        return word != 0 && operand != 0;
    case NI_ATOMIC_LOR:
        return word != 0 || operand != 0;
    case NI_ATOMIC_LXOR:
        return (word != 0) != (operand != 0);
    case NI_ATOMIC_SWAP:
        return operand;
    case NI_ATOMIC_MIN:
        return signed_operand < signed_word ? operand : word;
    case NI_ATOMIC_MAX:
        return signed_operand > signed_word ? operand : word;
    default:
        return word == compare ? operand : word;
    }
}

struct words {
    _Atomic uint64_t words[WORDS + 2]; /* the first and the last stay as they are */
    struct ni_rkey rkey;
};

/* Values at which operations change their mind. */
static uint64_t draw(struct ni_rng *rng)
{
    static const uint64_t special[] = {
        0, 1, 2, UINT64_MAX, INT64_MAX, (uint64_t)1 << 63, INT32_MAX, UINT32_MAX, 0x80000000};

    return ni_rng_below(rng, 2) == 0 ? ni_rng_next(rng)
                                     : special[ni_rng_below(rng, NI_ARRAY_LENGTH(special))];
}

static void trace_here(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;
    uint8_t copy[sizeof(words->words)];
    struct ni_rng rng;

    ni_rng_seed(&rng, ni->suite->seed);
    memcpy(copy, (const void *)words->words, sizeof(copy));
    for (int i = 0; i < TRACE; i++) {
        unsigned width = ni_rng_below(&rng, 2) == 0 ? 4 : 8;
        size_t at = 8 + ni_rng_below(&rng, WORDS * 8 / width) * width;
        enum ni_atomic_op op = (enum ni_atomic_op)ni_rng_below(&rng, NI_ATOMIC_OPS);
        uint64_t before = 0, operand = draw(&rng), compare = draw(&rng), after, old;
        struct ni_remote where = suite_remote((uint8_t *)words->words + at, &words->rkey);

        memcpy(&before, copy + at, width);
        compare = ni_rng_below(&rng, 2) == 0 ? before : compare;
        after = model(op, width, before, operand, compare);
        CHECK(suite_fetch_op(ni, 1, op, width, operand, compare, &where, &old) == NI_OK);
        CHECK(old == before);
        memcpy(copy + at, &after, width);
    }
    CHECK(memcmp(copy, (const void *)words->words, sizeof(copy)) == 0);
}

static void trace(struct suite *suite)
{
    struct words *words = suite_alloc(suite, sizeof(*words));

    for (int i = 0; i < WORDS + 2; i++) {
        atomic_store(&words->words[i], draw(&suite->rng));
    }
    words->rkey = suite_region(suite, 1, words->words, sizeof(words->words), NI_ACCESS_ATOMIC);
    suite_call(suite, 0, trace_here, words);
}

/* ---- many on one word ------------------------------------------------------------------------ */

struct shared_word {
    _Atomic uint64_t word;
    _Atomic uint32_t half;
    struct ni_rkey rkey;
    uint64_t seen[SUITE_NIS][ADDS]; /* what each fetch returned */
    struct suite_done done[SUITE_NIS];
    uint64_t expected; /* sum */
};

static void add_many(struct suite_ni *ni, void *arg)
{
    struct shared_word *shared = arg;
    struct ni_remote word = suite_remote((void *)&shared->word, &shared->rkey);
    struct ni_remote half = suite_remote((void *)&shared->half, &shared->rkey);
    uint64_t old;

    for (int i = 0; i < ADDS; i++) {
        if (ni->index == 0) {
            atomic_fetch_add(&shared->word, 1);
            atomic_fetch_add(&shared->half, 3);
            suite_turn(ni);
            continue;
        }
        CHECK(suite_fetch_op(ni, 0, NI_ATOMIC_ADD, 8, 1, 0, &word, &shared->seen[ni->index][i]) ==
              NI_OK);
        CHECK(suite_fetch_op(ni, 0, NI_ATOMIC_ADD, 4, 3, 0, &half, &old) == NI_OK);
        CHECK(old % 3 == 0);
    }
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The sum is exact, the owner's own additions included, and each fetch saw another value. */
static void sums(struct suite *suite)
{
    struct shared_word *shared = suite_alloc(suite, sizeof(*shared));
    uint64_t *all = shared->seen[1];
    size_t count = (size_t)(suite->n - 1) * ADDS;

    shared->rkey = suite_region(suite, 0, shared, 64, NI_ACCESS_ATOMIC);
    for (unsigned i = 0; i < suite->n; i++) {
        suite_begin(suite, i, add_many, shared);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_end(suite, i);
    }
    CHECK(atomic_load(&shared->word) == (uint64_t)suite->n * ADDS);
    CHECK(atomic_load(&shared->half) == 3 * suite->n * ADDS);
    for (unsigned i = 1; i < suite->n; i++) {
        for (int k = 1; k < ADDS; k++) {
            CHECK(shared->seen[i][k - 1] < shared->seen[i][k]);
        }
    }
    qsort(all, count, sizeof(*all), compare_words);
    for (size_t i = 1; i < count; i++) {
        CHECK(all[i - 1] < all[i]);
    }
    CHECK(all[count - 1] < (uint64_t)suite->n * ADDS);
}

struct locked {
    _Atomic uint64_t lock; /* 0, or the holder's index + 1 */
    uint64_t sum;          /* under the lock */
    struct ni_rkey lock_rkey, sum_rkey;
    uint64_t copies[SUITE_NIS];
};

/* Add to a sum that only the holder of a remote lock touches, by read and write. */
static void add_locked(struct suite_ni *ni, void *arg)
{
    struct locked *locked = arg;
    struct ni_remote lock = suite_remote((void *)&locked->lock, &locked->lock_rkey);
    struct ni_remote sum = suite_remote(&locked->sum, &locked->sum_rkey);
    uint64_t *copy = &locked->copies[ni->index];
    uint64_t old;

    for (int i = 0; i < ADDS / 10; i++) {
        do {
            CHECK(suite_fetch_op(ni, 0, NI_ATOMIC_CSWAP, 8, ni->index + 1, 0, &lock, &old) ==
                  NI_OK);
            suite_turn(ni);
        } while (old != 0);
        CHECK(suite_read(ni, 0, copy, 8, &sum) == NI_OK);
        *copy += ni->index;
        CHECK(suite_write(ni, 0, copy, 8, &sum) == NI_OK);
        CHECK(suite_fetch_op(ni, 0, NI_ATOMIC_SWAP, 8, 0, 0, &lock, &old) == NI_OK);
        CHECK(old == ni->index + 1);
    }
}

/* A lock held by one NI at a time keeps the others off. */
static void remote_lock(struct suite *suite)
{
    struct locked *locked = suite_alloc(suite, sizeof(*locked));
    uint64_t expected = 0;

    locked->lock_rkey = suite_region(suite, 0, (void *)&locked->lock, 8, NI_ACCESS_ATOMIC);
    locked->sum_rkey = suite_region(suite, 0, &locked->sum, 8, NI_ACCESS_READ | NI_ACCESS_WRITE);
    for (unsigned i = 1; i < suite->n; i++) {
        suite_begin(suite, i, add_locked, locked);
        expected += (uint64_t)i * (ADDS / 10);
    }
    for (unsigned i = 1; i < suite->n; i++) {
        suite_end(suite, i);
    }
    CHECK(locked->sum == expected);
    CHECK(atomic_load(&locked->lock) == 0);
}

/* ---- many under way at once ------------------------------------------------------------------ */

static void add_at_once(struct suite_ni *ni, void *arg)
{
    struct shared_word *shared = arg;
    struct ni_remote word = suite_remote((void *)&shared->word, &shared->rkey);

    for (int i = 0; i < ADDS; i++) {
        struct ni_ack ack = suite_ack(&shared->done[ni->index]);
        ni_status status;

        while ((status = ni_fetch_op(ni->ni, ni->peers[0], NI_ATOMIC_ADD, 8, 7, 0, &word,
                                     i % 3 == 0 ? NULL : &ack)) == NI_AGAIN) {
            suite_turn(ni);
        }
        CHECK(status == NI_OK);
    }
}

static bool sum_is_there(void *arg)
{
    struct shared_word *shared = arg;

    return atomic_load(&shared->word) == shared->expected;
}

/* None waits for the one before; some have no ack. */
static void many_at_once(struct suite *suite)
{
    struct shared_word *shared = suite_alloc(suite, sizeof(*shared));

    shared->rkey = suite_region(suite, 0, shared, 64, NI_ACCESS_ATOMIC);
    shared->expected = (uint64_t)7 * ADDS * (suite->n - 1);
    for (unsigned i = 1; i < suite->n; i++) {
        suite_begin(suite, i, add_at_once, shared);
    }
    for (unsigned i = 1; i < suite->n; i++) {
        suite_end(suite, i);
        suite_until_count(suite, &shared->done[i].count, ADDS - (ADDS + 2) / 3);
    }
    suite_until(suite, sum_is_there, shared);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"trace", 2, 0, trace},
        {"sums", 4, 0, sums},
        {"remote_lock", 4, 0, remote_lock},
        {"many_at_once", 4, 0, many_at_once},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
