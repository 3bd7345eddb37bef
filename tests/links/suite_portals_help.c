/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "suite_portals.h"

static void record(void *arg, const struct ni_event *event)
{
    struct suite_end *end = arg;
    uint64_t n;

    CHECK((unsigned)event->type < SUITE_EVENT_KINDS);
    /* With an engine thread events come from it and from calls at the same time. */
    while (atomic_exchange_explicit(&end->busy, true, memory_order_acquire)) {
        sched_yield();
    }
    n = atomic_load_explicit(&end->count[event->type], memory_order_relaxed);
    if (n < SUITE_EVENTS) {
        end->events[event->type][n] = *event;
    }
    /* Pairs with the acquire of the thread that waits for so many. */
    atomic_store_explicit(&end->count[event->type], n + 1, memory_order_release);
    atomic_store_explicit(&end->busy, false, memory_order_release);
}

static void open_end(struct suite_ni *ni, void *arg)
{
    struct suite_end *end = arg;

    end->ni = ni;
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_PTL_IN_USE);
    CHECK(ni_eq_alloc_handler(ni->ni, record, end, &end->eq) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, NI_PT_UNEXPECTED, end->eq, NI_PT_ANY, &end->pt) == NI_OK);
    CHECK(end->pt == 0);
    end->md = (struct ni_md){.length = SIZE_MAX, .eq = end->eq};
}

struct suite_end *suite_end_new(struct suite *suite, unsigned i)
{
    struct suite_end *end = suite_alloc(suite, sizeof(*end));

    for (unsigned kind = 0; kind < SUITE_EVENT_KINDS; kind++) {
        end->events[kind] = suite_alloc(suite, SUITE_EVENTS * sizeof(struct ni_event));
    }
    suite_call(suite, i, open_end, end);
    return end;
}

void suite_post(struct suite_ni *ni, struct suite_end *end, void *start, size_t length,
                uint64_t match_bits, uint64_t ignore_bits, ni_initiator match_id, size_t user)
{
    const struct ni_me me = {
        .start = start,
        .length = length,
        .match_bits = match_bits,
        .ignore_bits = ignore_bits,
        .match_id = match_id,
        .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE,
    };

    CHECK(ni_me_append(ni->ni, end->pt, &me, NI_PRIORITY_LIST, (void *)(uintptr_t)user,
                       &end->last) == NI_OK);
}

void suite_put(struct suite_ni *ni, struct suite_end *end, unsigned to, const void *data,
               size_t length, uint64_t match_bits, size_t user, bool ack)
{
    CHECK(ni_put(ni->ni, &end->md, (uintptr_t)data, length, ack ? NI_ACK_REQ : NI_NO_ACK_REQ,
                 end->self ? NULL : ni->peers[to], end->pt, match_bits, 0, (void *)(uintptr_t)user,
                 user) == NI_OK);
}

uint64_t suite_count(const struct suite_end *end, enum ni_event_kind kind)
{
    return atomic_load_explicit(&end->count[kind], memory_order_acquire);
}

const struct ni_event *suite_event(const struct suite_end *end, enum ni_event_kind kind, uint64_t n)
{
    CHECK(n < suite_count(end, kind) && n < SUITE_EVENTS);
    return &end->events[kind][n];
}

void suite_until_events(struct suite *suite, struct suite_end *end, enum ni_event_kind kind,
                        uint64_t count)
{
    suite_until_count(suite, &end->count[kind], count);
}

struct kept {
    struct suite *suite;
    unsigned ni;
    uint64_t wanted, found;
};

static void look(struct suite_ni *ni, void *arg)
{
    ((struct kept *)arg)->found = suite_stat(ni, "match_unexpected");
}

static bool enough(void *arg)
{
    struct kept *kept = arg;

    suite_call(kept->suite, kept->ni, look, kept);
    return kept->found == kept->wanted;
}

void suite_until_kept(struct suite *suite, unsigned i, uint64_t count)
{
    struct kept *kept = suite_alloc(suite, sizeof(*kept));

    *kept = (struct kept){.suite = suite, .ni = i, .wanted = count};
    suite_until(suite, enough, kept);
}
