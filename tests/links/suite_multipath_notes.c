/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_multipath.h"

/*
 * Transfers spread over rails: what is notified, once, and in which order.
 */

/* ---- objects --------------------------------------------------------------------------------- */

/* One notification for each transfer, of one packet or forty. */
static void objects(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    uint64_t n = 0;

    for (unsigned w = 0; w < 2; w++) {
        struct multipath_sent *sent = multipath_sent(suite, target, multipath_ways[w]);

        for (unsigned i = 0; i < MULTIPATH_LENS; i++, n++) {
            sent->len = multipath_lens[i];
            multipath_note(sent, &target->consumer_key, NULL, n);
            multipath_fill(target, multipath_lens[i], n);
            multipath_begin(suite, sent);
            CHECK(multipath_end(suite, sent) == NI_OK &&
                  suite_filled(target->memory, multipath_lens[i], n));
            CHECK(atomic_load(&target->logged) == n + 1 && target->log[n] == n);
            multipath_note(sent, &target->counter_key, NULL, n % 2 == 0 ? 5 : (uint64_t)-5);
            multipath_begin(suite, sent);
            CHECK(multipath_end(suite, sent) == NI_OK &&
                  atomic_load(&target->counted) == n / 2 + 1);
        }
    }
}

/* ---- a full queue ---------------------------------------------------------------------------- */

static void pop(struct suite_ni *ni, void *arg)
{
    struct multipath_sent *sent = arg;
    size_t len;

    if (ni_queue_pop(ni->ni, sent->target->queue_key.handle, &sent->value, sizeof(uint64_t),
                     &len) != NI_OK) {
        sent->value = 0;
    }
}

/* The transfer waits, whichever packet completes it; nothing is lost, nothing comes twice. */
static void full_queue(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);

    for (unsigned w = 0; w < 2; w++) {
        struct multipath_sent *sent = multipath_sent(suite, target, multipath_ways[w]);
        uint64_t n = 1;

        sent->len = 5000;
        for (unsigned i = 0; i < MULTIPATH_ITEMS; i++, n++) {
            multipath_note(sent, &target->queue_key, NULL, n);
            multipath_begin(suite, sent);
            CHECK(multipath_end(suite, sent) == NI_OK);
        }
        multipath_note(sent, &target->queue_key, NULL, n);
        multipath_begin(suite, sent);
        suite_rest(suite);
        CHECK(atomic_load(&sent->done.count) == 0);
        for (uint64_t i = 1; i <= n; i++) {
            suite_call(suite, 1, pop, sent);
            CHECK(sent->value == i);
            CHECK(i > 1 || multipath_end(suite, sent) == NI_OK);
        }
        suite_call(suite, 1, pop, sent);
        CHECK(sent->value == 0);
    }
}

/* ---- order among messages -------------------------------------------------------------------- */

static void say(struct suite_ni *ni, void *arg)
{
    struct multipath_sent *sent = arg;

    CHECK(suite_message(ni, 1, sent->target->consumer_key.handle, 0, &sent->value,
                        sizeof(sent->value)) == NI_OK);
}

/* Resequenced, a transfer that has departed keeps its place between what was sent before and
 * after. */
static void in_order(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    uint64_t n = 0;

    for (unsigned i = 0; i < 20; i++) {
        struct multipath_sent *sent = multipath_sent(suite, target, NI_MULTIPATH_RESEQUENCE);

        sent->value = n++;
        suite_call(suite, 0, say, sent);
        sent->len = multipath_lens[i % MULTIPATH_LENS];
        multipath_note(sent, &target->consumer_key, NULL, n++);
        multipath_begin(suite, sent);
        suite_until_count(suite, &sent->departed.count, 1);
        sent->value = n++;
        suite_call(suite, 0, say, sent);
    }
    suite_until_count(suite, &target->logged, n);
    for (uint64_t i = 0; i < n; i++) {
        CHECK(target->log[i] == i);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"objects", 2, 0, objects},
        {"full_queue", 2, 0, full_queue},
        {"in_order", 2, 0, in_order},
    };

    suite_beside_engines();
    suite_over_rails("4", "1K");
    return suite_main(argc, argv, cases, NI_ARRAY_LENGTH(cases));
}
