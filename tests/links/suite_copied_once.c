/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>

#include "suite_portals.h"

/*
 * Data that is expected gets from the wire to the user's buffer once: each byte is counted once, in
 * packets or in copies by the kernel, or never where the memory is shared; and there is no memory
 * in which it could have been meanwhile: none of what is kept for unexpected messages is taken, and
 * none is allocated but what describes a long transfer.
 */

enum { SIZES = 9, LONGEST = 1 << 20, EAGER = 16 * 1024, ROUNDS = 6 };

enum {
    WARM = 40,     /* messages that make rings and pools first */
    FIRST = 3,     /* and the first ones of each size */
    DESCRIBE = 12, /* allocations that describe a long transfer, at most */
    HEAD = 256,    /* bytes of packets that are headers for the engine, at most */
};

static const uint32_t sizes[SIZES] = {8, 48, 200, 2048, 2049, 32768, 32769, 100 * 1000, LONGEST};

struct side {
    uint64_t packets, bulk, unexpected, deferred, allocated;
};

struct once {
    struct suite_end *ends[2];
    uint8_t *from, *to;
    size_t size;
    unsigned round;
    struct side before[2], after[2];
};

static struct side look(const struct suite_ni *ni)
{
    return (struct side){
        .packets = suite_stat(ni, "rx_bytes"),
        .bulk = suite_stat(ni, "bulk_bytes_self") + suite_stat(ni, "bulk_bytes_shared"),
        .unexpected = suite_stat(ni, "match_unexpected_bytes_max"),
        .deferred = suite_stat(ni, "match_deferred"),
        .allocated = ni_fault_asked(NI_FAULT_ALLOC),
    };
}

/* Where each NI lives, around each message. */
static void look_before(struct suite_ni *ni, void *arg)
{
    struct once *once = arg;

    ni_fault_arm(NI_FAULT_ALLOC, UINT64_MAX, 0); /* counts, and never strikes */
    once->before[ni->index] = look(ni);
}

static void look_after(struct suite_ni *ni, void *arg)
{
    struct once *once = arg;

    once->after[ni->index] = look(ni);
}

static void post(struct suite_ni *ni, void *arg)
{
    struct once *once = arg;

    suite_post(ni, once->ends[1], once->to, once->size, 5, 0, NI_INITIATOR_ANY, once->round);
}

static void put(struct suite_ni *ni, void *arg)
{
    struct once *once = arg;

    suite_put(ni, once->ends[0], 1, once->from, once->size, 5, once->round, false);
}

/* The inproc link makes memory for each packet, on purpose: what it keeps after a fault is found by
 * sanitizers. Faults of a link keep packets in memory, too. */
static bool link_allocates(const struct suite_link *link)
{
    bool allocates = link->inproc;

    for (unsigned i = 0; i < sizeof(link->params) / sizeof(link->params[0]); i++) {
        allocates =
            allocates || (link->params[i][0] != NULL && strcmp(link->params[i][0], "fault") == 0);
    }
    return allocates;
}

static void judge(const struct suite *suite, const struct once *once)
{
    const struct side *b = once->before, *a = once->after;
    bool is_long = once->size > EAGER;
    uint64_t moved = 0;

    CHECK(a[1].unexpected == 0 && a[1].deferred == 0);
    for (unsigned i = 0; i < 2; i++) {
        moved += a[i].packets - b[i].packets + a[i].bulk - b[i].bulk;
        CHECK(once->round < FIRST || link_allocates(suite->link) ||
              a[i].allocated - b[i].allocated <= (is_long ? DESCRIBE : 0));
    }
    CHECK((moved >= once->size && moved <= once->size + HEAD) ||
          (moved <= HEAD && is_long && suite->link->mode != SUITE_PROCESSES));
}

static void message(struct suite *suite, struct once *once, unsigned n)
{
    suite_fill(once->from, once->size, n);
    suite_call(suite, 1, post, once);
    suite_call(suite, 0, look_before, once);
    suite_call(suite, 1, look_before, once);
    suite_call(suite, 0, put, once);
    suite_until_events(suite, once->ends[1], NI_EVENT_PUT, n + 1);
    suite_until_events(suite, once->ends[0], NI_EVENT_SEND, n + 1);
    suite_call(suite, 0, look_after, once);
    suite_call(suite, 1, look_after, once);
    CHECK(suite_filled(once->to, once->size, n));
    judge(suite, once);
}

static void expected(struct suite *suite)
{
    struct once *once = suite_alloc(suite, sizeof(*once));
    unsigned n = 0;

    for (unsigned i = 0; i < 2; i++) {
        once->ends[i] = suite_end_new(suite, i);
    }
    once->from = suite_alloc(suite, LONGEST);
    once->to = suite_alloc(suite, LONGEST);
    for (once->size = sizes[0]; n < WARM; n++) {
        message(suite, once, n);
    }
    for (unsigned i = 0; i < SIZES; i++) {
        once->size = sizes[i];
        for (once->round = 0; once->round < ROUNDS; once->round++, n++) {
            message(suite, once, n);
        }
    }
}

static const struct suite_case cases[] = {
    {"expected", 2, SUITE_NEEDS_NOTHING, expected},
};

int main(int argc, char **argv)
{
    suite_between_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
