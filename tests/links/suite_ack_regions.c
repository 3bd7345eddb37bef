/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

/*
 * Acks that are written to a region: of a third NI, of the transfer's target, or of the NI's own,
 * be it a word, a counter or a queue.
 */

enum { LEN = 5000, ITEMS = 2, ROUNDS = 10 };

/* What an NI has to be told by. */
struct told {
    ni_word *word;
    struct ni_rkey word_key, counter, queue, multi;
    struct suite_done zero;
};

struct world {
    uint8_t *from, *to; /* at NI 0 and at NI 1 */
    struct ni_rkey to_key;
    struct told told[3];
    struct ni_ack_region *region; /* of the next operation */
    bool wrong;
};

static void open_one(struct suite_ni *ni, void *arg)
{
    struct told *told = &((struct world *)arg)->told[ni->index];
    struct ni_ack zero = suite_ack(&told->zero);

    CHECK(ni_region_memory(ni->ni, told->word, 4096, NI_ACCESS_WRITE, &told->word_key) == NI_OK);
    CHECK(ni_counter_create(ni->ni, -2 * LEN, &told->counter) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, told->counter.handle, &zero) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 8, ITEMS, &told->queue) == NI_OK);
    CHECK(ni_region_multi_queue(ni->ni, 8, ITEMS, 0, NI_ACCESS_READ | NI_ACCESS_WRITE,
                                &told->multi) == NI_OK);
}

static struct world *new_world(struct suite *suite)
{
    struct world *world = suite_alloc(suite, sizeof(*world));

    world->from = suite_alloc(suite, LEN);
    world->to = suite_alloc(suite, LEN);
    world->to_key = suite_region(suite, 1, world->to, LEN, NI_ACCESS_ALL);
    for (unsigned i = 0; i < 3; i++) {
        world->told[i].word = suite_alloc(suite, 4096);
        suite_call(suite, i, open_one, world);
    }
    return world;
}

static void write_it(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct ni_rkey rkey = world->to_key;
    struct ni_ack ack = {.kind = NI_ACK_REGION, .region = world->region};
    struct ni_remote where;

    rkey.key ^= world->wrong;
    where = suite_remote(world->to, &rkey);
    CHECK(ni_write(ni->ni, ni->peers[1], world->from, LEN, &where, &ack) == NI_OK);
}

static void name_peer(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    world->region->peer = ni->peers[(uintptr_t)world->region->peer];
}

/* NI 0 writes to NI 1, and a region of NI `at` is told. */
static void transfer(struct suite *suite, struct world *world, unsigned at, const void *addr,
                     const struct ni_rkey *rkey, bool counts)
{
    world->region = suite_alloc(suite, sizeof(*world->region));
    *world->region = (struct ni_ack_region){
        .peer = (struct ni_peer *)(uintptr_t)at,
        .where = {.addr = (uintptr_t)addr, .key = rkey->key, .handle = rkey->handle},
        .counts = counts};
    if (at != 0) {
        suite_call(suite, 0, name_peer, world);
    }
    suite_call(suite, 0, write_it, world);
}

static void await_word(struct suite *suite, ni_word *word, uint64_t value)
{
    suite_until_count(suite, word, value);
    CHECK(atomic_load_explicit(word, memory_order_acquire) == value);
    atomic_store(word, 0);
}

/* ---- words and counters ---------------------------------------------------------------------- */

static void words(struct suite *suite)
{
    struct world *world = new_world(suite);

    for (unsigned i = 0; i < 3 * ROUNDS; i++) {
        struct told *told = &world->told[i % 3];

        suite_fill(world->from, LEN, i);
        transfer(suite, world, i % 3, told->word, &told->word_key, false);
        await_word(suite, told->word, LEN);
        CHECK(suite_filled(world->to, LEN, i));
    }
    world->wrong = true;
    for (unsigned i = 0; i < 3; i++) {
        struct told *told = &world->told[i];

        transfer(suite, world, i, told->word, &told->word_key, false);
        await_word(suite, told->word, ni_ack_failure(NI_ERR_KEY));
    }
}

static void counters(struct suite *suite)
{
    struct world *world = new_world(suite);

    for (unsigned i = 0; i < 3; i++) {
        struct told *told = &world->told[i];

        for (unsigned n = 0; n < 3; n++) {
            world->wrong = n == 1; /* adds nothing */
            transfer(suite, world, i, NULL, &told->counter, true);
            world->wrong = true;
            transfer(suite, world, i, told->word, &told->word_key, false); /* behind it */
            await_word(suite, told->word, ni_ack_failure(NI_ERR_KEY));
            CHECK(n == 2 || atomic_load(&told->zero.count) == 0);
        }
        suite_until_count(suite, &told->zero.count, 1);
        CHECK(atomic_load(&told->zero.count) == 1);
    }
}

/* ---- queues ---------------------------------------------------------------------------------- */

struct popping {
    struct world *world;
    bool multi;
    uint64_t got;
};

static void pop(struct suite_ni *ni, void *arg)
{
    struct popping *popping = arg;
    const struct told *told = &popping->world->told[ni->index];
    ni_handle queue = popping->multi ? told->multi.handle : told->queue.handle;
    ni_status status;
    size_t len;

    while ((status = ni_queue_pop(ni->ni, queue, &popping->got, 8, &len)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK && len == 8);
}

/* More than they hold: what finds no room waits, and comes. */
static void queues(struct suite *suite)
{
    struct world *world = new_world(suite);
    struct popping *popping = suite_alloc(suite, sizeof(*popping));

    popping->world = world;
    for (unsigned i = 0; i < 6; i++) {
        struct told *told = &world->told[i % 3];

        popping->multi = i >= 3;
        for (unsigned n = 0; n < ITEMS + 3; n++) {
            transfer(suite, world, i % 3, NULL, popping->multi ? &told->multi : &told->queue,
                     false);
            suite_rest(suite);
        }
        for (unsigned n = 0; n < ITEMS + 3; n++) {
            suite_call(suite, i % 3, pop, popping);
            CHECK(popping->got == LEN);
        }
    }
}

/* ---- who is gone ----------------------------------------------------------------------------- */

/* The third one has closed: nobody is told, and all else goes on. Regions that are no more are
 * likewise. */
static void gone(struct suite *suite)
{
    struct world *world = new_world(suite);
    struct ni_rkey stale = world->told[0].word_key;

    stale.handle += 1U << 20;
    suite_close(suite, 2);
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        transfer(suite, world, 2, world->told[2].word, &world->told[2].word_key, false);
        transfer(suite, world, i % 2, world->told[0].word, &stale, false);
        transfer(suite, world, i % 2, world->told[i % 2].word, &world->told[i % 2].word_key, false);
        await_word(suite, world->told[i % 2].word, LEN);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"words", 3, 0, words},
        {"counters", 3, 0, counters},
        {"queues", 3, 0, queues},
        {"gone", 3, 0, gone},
    };

    suite_beside_engines();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
