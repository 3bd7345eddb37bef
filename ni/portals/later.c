/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "portals/portals.h"

/*
 * Events for handlers that the engine thread must not call (thread.h): put by, in order, and handed
 * out by the next call of the program that makes progress. Before the thread begins anything it
 * sees to it that there is room, so that nothing depends on memory being there at the end.
 */

enum {
    NI_LATER_FIRST = 256, /* places, at first */
    NI_LATER_ROOM = 64,   /* for one packet, and what it triggers */
};

struct ni_later_event {
    struct ni_eq *eq;
    struct ni_event event;
};

struct ni_later {
    struct ni_lock lock;
    uint64_t head, tail, places; /* a power of two */
    struct ni_later_event *events;
};

/* At least so many free places; the lock is held. */
static bool make_event_room(struct ni_later *later, uint64_t room)
{
    uint64_t places = later->places != 0 ? later->places : NI_LATER_FIRST;
    struct ni_later_event *events;

    while (places - (later->tail - later->head) < room) {
        places *= 2;
    }
    if (places == later->places) {
        return true;
    }
    events = ni_calloc(places, sizeof(*events));
    if (events == NULL) {
        return false;
    }
    for (uint64_t i = later->head; i != later->tail; i++) {
        events[i & (places - 1)] = later->events[i & (later->places - 1)];
    }
    ni_free(later->events);
    later->events = events;
    later->places = places;
    return true;
}

bool ni_later_ready(struct ni *ni)
{
    struct ni_later *later = ni->portals->later;
    bool ready;

    if (later == NULL) {
        return true; /* no handlers */
    }
    ni_lock_take(&later->lock, true);
    ready = make_event_room(later, NI_LATER_ROOM);
    ni_lock_give(&later->lock, true);
    return ready;
}

bool ni_later_any(const struct ni *ni)
{
    struct ni_later *later = ni->portals->later;
    bool any = false;

    if (later != NULL) {
        ni_lock_take(&later->lock, true);
        any = later->head != later->tail;
        ni_lock_give(&later->lock, true);
    }
    return any;
}

/* The oldest; false: there is none. */
static bool take_later_event(struct ni_later *later, struct ni_later_event *taken)
{
    bool any;

    ni_lock_take(&later->lock, true);
    any = later->head != later->tail;
    if (any) {
        *taken = later->events[later->head++ & (later->places - 1)];
    }
    ni_lock_give(&later->lock, true);
    return any;
}

unsigned ni_later_tell(struct ni *ni)
{
    struct ni_later_event one;
    unsigned told = 0;

    while (ni->portals->later != NULL && take_later_event(ni->portals->later, &one)) {
        if (one.eq != NULL) {
            one.eq->handler(one.eq->handler_arg, &one.event);
            told++;
        }
    }
    return told;
}

static void put_by(struct ni *ni, struct ni_eq *eq, const struct ni_event *event)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    struct ni_later *later = ni->portals->later;

    ni_lock_take(&later->lock, true);
    if (make_event_room(later, 1)) {
        later->events[later->tail++ & (later->places - 1)] =
            (struct ni_later_event){.eq = eq, .event = *event};
    } else {
        ni_log_limited(&limit, NI_LOG_ERROR,
                       "an event is lost: no memory for more than %d that one packet causes",
                       NI_LATER_ROOM);
    }
    ni_lock_give(&later->lock, true);
    ni_engine_leave(ni->drive.engine);
}

/* ni_event_fn of a wrapped handler. */
static void tell_or_put_by(void *arg, const struct ni_event *event)
{
    struct ni_eq *eq = arg;

    if (ni_engine_defers(eq->ni)) {
        put_by(eq->ni, eq, event);
    } else {
        eq->handler(eq->handler_arg, event);
    }
}

/* Without a thread its events cost one call. */
static void wrap(struct ni_eq *eq, bool wrapped)
{
    eq->fn = wrapped ? tell_or_put_by : eq->handler;
    eq->arg = wrapped ? eq : eq->handler_arg;
}

ni_status ni_later_wrap(struct ni *ni, struct ni_eq *eq)
{
    struct ni_later *later;
    bool taken;

    if (ni->drive.engine == NULL || !ni->drive.engine->callbacks_on_caller) {
        return NI_OK;
    }
    if (ni->portals->later == NULL) {
        later = ni_calloc(1, sizeof(*later));
        if (later == NULL) {
            return NI_ERR_NOMEM;
        }
        taken = ni_progress_lock_take(ni);
        ni->portals->later = later;
        ni_progress_lock_give(ni, taken);
    }
    eq->ni = ni;
    eq->handler = eq->fn;
    eq->handler_arg = eq->arg;
    wrap(eq, ni->threads);
    return NI_OK;
}

void ni_later_share(struct ni *ni, bool shared)
{
    for (NI_LIST_EACH(node, &ni->portals->eqs)) {
        struct ni_eq *eq = ni_container_of(node, struct ni_eq, all);

        if (eq->handler != NULL) {
            wrap(eq, shared);
        }
    }
}

void ni_later_forget(struct ni *ni, const struct ni_eq *eq)
{
    struct ni_later *later = ni->portals->later;

    if (later == NULL) {
        return;
    }
    ni_lock_take(&later->lock, true);
    for (uint64_t i = later->head; i != later->tail; i++) {
        struct ni_later_event *one = &later->events[i & (later->places - 1)];

        one->eq = one->eq == eq ? NULL : one->eq;
    }
    ni_lock_give(&later->lock, true);
}

void ni_later_free(struct ni_portals *portals)
{
    if (portals->later != NULL) {
        ni_free(portals->later->events);
        ni_free(portals->later);
    }
}
