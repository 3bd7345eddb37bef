/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>

#include "suite_multipath.h"

/*
 * Transfers spread over rails: what is refused, what ends in between, and no memory.
 */

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    struct multipath_sent *sent;

    for (unsigned i = 0; i < 2 * MULTIPATH_LENS; i++) {
        sent = multipath_sent(suite, target, multipath_ways[i % 2]);
        sent->len = multipath_lens[i / 2];
        multipath_note(sent, &target->flag_key, target->flag, 1);
        sent->wrong_key = 1;
        memset(target->memory, 0x77, MULTIPATH_MOST);
        multipath_begin(suite, sent);
        CHECK(multipath_end(suite, sent) == NI_ERR_KEY && target->memory[0] == 0x77);
        sent->wrong_key = 0;
        multipath_note(sent, &target->flag_key, target->flag + 512, 1);
        multipath_begin(suite, sent);
        CHECK(multipath_end(suite, sent) == NI_ERR_BOUNDS);
        multipath_note(sent, &target->counter_key, NULL, 1);
        sent->note.region.key ^= 2;
        multipath_begin(suite, sent);
        CHECK(multipath_end(suite, sent) == NI_ERR_KEY);
        CHECK(atomic_load(target->flag) == 0 && atomic_load(&target->counted) == 0);
    }
    sent = multipath_sent(suite, target, (enum ni_multipath)77);
    multipath_begin(suite, sent);
    CHECK(sent->accepted == NI_ERR_INVALID);
}

/* ---- ends in between ------------------------------------------------------------------------- */

/* What had departed before its NI was closed is there, on whichever rail it was. */
static void close_after(struct suite *suite, enum ni_multipath how)
{
    struct multipath_target *target = multipath_target(suite);
    struct multipath_sent *sent = multipath_sent(suite, target, how);

    sent->len = 8 * 1024;
    multipath_fill(target, sent->len, 1);
    multipath_note(sent, &target->flag_key, target->flag, 1);
    multipath_begin(suite, sent);
    suite_until_count(suite, &sent->departed.count, 1);
    suite_close(suite, 0);
    suite_until_count(suite, target->flag, 1);
    CHECK(suite_filled(target->memory, sent->len, 1));
}

static void closed_counted(struct suite *suite)
{
    close_after(suite, NI_MULTIPATH_COUNTERS);
}

static void closed_ordered(struct suite *suite)
{
    close_after(suite, NI_MULTIPATH_RESEQUENCE);
}

/* Either side dies in the middle: all that was begun ends, once. */
static void killed(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    struct multipath_sent *sent[6];

    for (unsigned i = 0; i < 6; i++) {
        sent[i] = multipath_sent(suite, target, multipath_ways[i % 2]);
        sent[i]->len = MULTIPATH_MOST;
        multipath_begin(suite, sent[i]);
    }
    suite_kill(suite, 1);
    for (unsigned i = 0; i < 6; i++) {
        ni_status status = multipath_end(suite, sent[i]);

        CHECK(status == NI_OK || status == NI_ERR_PEER_DEAD);
    }
}

static void give_up(struct suite_ni *ni, void *arg)
{
    (void)arg;
    ni_disconnect(ni->ni, ni->peers[1]);
}

/* Transfers that are given up half-way leave nothing that disturbs those after them. */
static void canceled(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    struct multipath_sent *sent[8];

    for (unsigned i = 0; i < 8; i++) {
        sent[i] = multipath_sent(suite, target, multipath_ways[i % 2]);
        sent[i]->len = MULTIPATH_MOST;
        multipath_begin(suite, sent[i]);
    }
    suite_call(suite, 0, give_up, NULL);
    for (unsigned i = 0; i < 8; i++) {
        ni_status status = multipath_end(suite, sent[i]);

        CHECK(status == NI_OK || status == NI_ERR_CANCELED);
    }
    /* What has left may still come: all of it is there when one that puts packets in order is. */
    sent[1]->len = 5000;
    multipath_begin(suite, sent[1]);
    CHECK(multipath_end(suite, sent[1]) == NI_OK);
    for (uint64_t i = 0; i < 40; i++) {
        multipath_fill(target, 5000, i);
        sent[0]->how = multipath_ways[i % 2];
        sent[0]->len = 5000;
        multipath_begin(suite, sent[0]);
        CHECK(multipath_end(suite, sent[0]) == NI_OK && suite_filled(target->memory, 5000, i));
    }
}

/* ---- without memory -------------------------------------------------------------------------- */

static void no_memory(struct suite *suite)
{
    struct multipath_target *target = multipath_target(suite);
    uint64_t nth = 0;
    bool struck = true;

    /* From nothing, with the nth allocation failing, until none is left to fail. */
    for (unsigned w = 0; struck; w++) {
        struct multipath_sent *sent = multipath_sent(suite, target, multipath_ways[w % 2]);
        ni_status status;

        sent->len = 8 * 1024;
        multipath_fill(target, sent->len, w);
        ni_fault_arm(NI_FAULT_ALLOC, ++nth, 0);
        multipath_begin(suite, sent);
        status = multipath_end(suite, sent);
        struck = ni_fault_struck(NI_FAULT_ALLOC) != 0;
        ni_fault_reset();
        CHECK(status == NI_ERR_NOMEM || (status == NI_OK && suite_filled(target->memory, 8192, w)));
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"refused", 2, 0, refused},
        {"closed_counted", 2, 0, closed_counted},
        {"closed_ordered", 2, 0, closed_ordered},
        {"killed", 2, SUITE_NEEDS_KILL, killed},
        {"canceled", 2, 0, canceled},
        {"no_memory", 2, SUITE_NEEDS_HERE | SUITE_NEEDS_RAILS, no_memory},
    };

    suite_beside_engines();
    suite_over_rails("4", "1K");
    return suite_main(argc, argv, cases, NI_ARRAY_LENGTH(cases));
}
