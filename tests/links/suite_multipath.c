/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/rails.c. */
#include "suite_multipath.h"

/*
 * Transfers spread over rails: that all bytes are there when it is said so, each way of completing;
 * and that packets do take all rails and come out of order.
 */

/* ---- what is there --------------------------------------------------------------------------- */

/* Who sees the word sees all of the data, before anybody is told of the completion. */
static void words(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    uint64_t n = 0;

    for (unsigned w = 0; w < MULTIPATH_WAYS; w++) {
        struct multipath_sent *sent = multipath_sent(suite, target, multipath_ways[w]);

        for (unsigned i = 0; i < MULTIPATH_LENS; i++) {
            multipath_note(sent, &target->flag_key, target->flag, ++n);
            sent->len = multipath_lens[i];
            multipath_fill(target, multipath_lens[i], n);
            multipath_begin(suite, sent);
            CHECK(sent->accepted == NI_OK);
            suite_until_count(suite, target->flag, n);
            CHECK(atomic_load_explicit(target->flag, memory_order_acquire) == n);
            CHECK(suite_filled(target->memory, multipath_lens[i], n));
            CHECK(multipath_end(suite, sent) == NI_OK);
        }
    }
}

static void departed(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);

    for (unsigned w = 0; w < MULTIPATH_WAYS; w++) {
        struct multipath_sent *sent = multipath_sent(suite, target, multipath_ways[w]);

        sent->len = MULTIPATH_MOST;
        multipath_fill(target, MULTIPATH_MOST, w);
        multipath_begin(suite, sent);
        suite_until_count(suite, &sent->departed.count, 1);
        CHECK(atomic_load(&sent->departed.status) == NI_OK);
        memset(target->local, 0xee, MULTIPATH_MOST); /* it is ours again */
        CHECK(multipath_end(suite, sent) == NI_OK &&
              suite_filled(target->memory, MULTIPATH_MOST, w));
    }
}

/* ---- reads ----------------------------------------------------------------------------------- */

static void read_it(struct suite_ni *ni, void *arg)
{
    struct multipath_sent *sent = arg;
    struct ni_remote where = suite_remote(sent->target->memory, &sent->target->memory_key);

    memset(sent->target->local, 0, sent->len);
    CHECK(suite_read(ni, 1, sent->target->local, sent->len, &where) == NI_OK);
}

static void reads(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    struct multipath_sent *sent = multipath_sent(suite, target, NI_MULTIPATH_DEFAULT);

    for (unsigned i = 0; i < MULTIPATH_LENS; i++) {
        sent->len = multipath_lens[i];
        suite_fill(target->memory, multipath_lens[i], i);
        suite_call(suite, 0, read_it, sent);
        CHECK(suite_filled(target->local, multipath_lens[i], i));
    }
}

/* ---- the rails ------------------------------------------------------------------------------- */

struct asked {
    const char *stat;
    uint64_t value;
    uint64_t packets[MULTIPATH_RAILS];
    unsigned rails;
};

static void ask_stat(struct suite_ni *ni, void *arg)
{
    struct asked *asked = arg;

    asked->value = suite_stat(ni, asked->stat);
}

static uint64_t stat_of(struct suite *suite, unsigned i, const char *name)
{
    struct asked *asked = suite_alloc(suite, sizeof(*asked));

    asked->stat = name;
    suite_call(suite, i, ask_stat, asked);
    return asked->value;
}

static void ask_rails(struct suite_ni *ni, void *arg)
{
    struct asked *asked = arg;

    asked->rails = ni_rails(ni->ni, ni->peers[1], asked->packets, MULTIPATH_RAILS);
}

/* All are used, evenly if none is full; where the target polls one after the other, packets come
 * early; and who runs a window ahead waits. */
static void spread(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    struct asked *asked = suite_alloc(suite, sizeof(*asked));
    struct multipath_sent *sent = multipath_sent(suite, target, NI_MULTIPATH_COUNTERS);
    uint64_t sum = 0;

    suite_call(suite, 0, ask_rails, asked);
    CHECK(asked->rails == 1 && asked->packets[0] == 0);
    sent->len = 8 * 1024;
    multipath_begin(suite, sent);
    CHECK(multipath_end(suite, sent) == NI_OK);
    suite_call(suite, 0, ask_rails, asked);
    CHECK(asked->rails == MULTIPATH_RAILS);
    for (unsigned i = 0; i < MULTIPATH_RAILS; i++) {
        CHECK(asked->packets[i] == 2);
    }
    for (unsigned i = 0; i < 10; i++) {
        sent->len = MULTIPATH_MOST;
        sent->how = multipath_ways[i % 2];
        multipath_push(suite, sent);
        CHECK(multipath_end(suite, sent) == NI_OK);
    }
    suite_call(suite, 0, ask_rails, asked);
    for (unsigned i = 0; i < MULTIPATH_RAILS; i++) {
        CHECK(asked->packets[i] > 2);
        sum += asked->packets[i];
    }
    CHECK(sum == stat_of(suite, 0, "parts_sent") && sum == 10 * 40 + 8);
    CHECK(sum - asked->packets[0] == stat_of(suite, 0, "parts_rails"));
    CHECK(suite->link->mode != SUITE_HERE || stat_of(suite, 1, "parts_early") != 0);
    CHECK(stat_of(suite, 1, "parts_refused") == 0);
}

/* Rings that hold more than a window. */
static void stalls(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    struct multipath_sent *sent[4];

    for (unsigned i = 0; i < 4; i++) {
        sent[i] = multipath_sent(suite, target, multipath_ways[i % 2]);
        sent[i]->len = MULTIPATH_MOST;
        multipath_push(suite, sent[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        CHECK(multipath_end(suite, sent[i]) == NI_OK);
    }
    CHECK(suite->link->inproc || stat_of(suite, 0, "window_stalls") != 0);
}

/* ---- counted where they arrive --------------------------------------------------------------- */

enum { COUNTED = 2000 }; /* two segments, though one packet could take them */

static void arm(struct suite_ni *ni, void *arg)
{
    const struct multipath_target *target = arg;
    const struct ni_counter_setting setting = {.flags = NI_COUNTER_VALUE, .value = -2 * COUNTED};

    CHECK(ni_counter_set(ni->ni, NULL, &target->counter_key, &setting, NULL) == NI_OK);
}

static void write_counted(struct suite_ni *ni, void *arg)
{
    struct multipath_target *target = arg;

    for (unsigned i = 0; i < 2; i++) {
        struct ni_remote where =
            suite_remote(target->memory + (size_t)i * COUNTED, &target->memory_key);

        CHECK(ni_write_counted(ni->ni, ni->peers[1], target->local + (size_t)i * COUNTED, COUNTED,
                               &where, &target->counter_key, NULL) == NI_OK);
    }
}

/* A counted write of several segments is spread, too, and counts when all of them are there. */
static void counted(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);

    suite_call(suite, 1, arm, target);
    multipath_fill(target, 2 * COUNTED, 1);
    suite_call(suite, 0, write_counted, target);
    suite_until_count(suite, &target->counted, 1);
    CHECK(suite_filled(target->memory, 2 * COUNTED, 1));
    CHECK(stat_of(suite, 0, "parts_sent") == 4);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"words", 2, 0, words},
        {"departed", 2, 0, departed},
        {"reads", 2, 0, reads},
        {"spread", 2, SUITE_NEEDS_RAILS, spread},
        {"counted", 2, SUITE_NEEDS_RAILS, counted},
        {"stalls", 2, SUITE_NEEDS_HERE | SUITE_NEEDS_RAILS, stalls},
    };

    suite_beside_engines();
    suite_over_rails("4", "1K");
    return suite_main(argc, argv, cases, NI_ARRAY_LENGTH(cases));
}
