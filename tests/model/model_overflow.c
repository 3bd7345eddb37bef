/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/compiler.h"
#include "base/random.h"

/*
 * Random traces of puts to the own NI, of entries of both lists with all kinds of options, of searches
 * and unlinks, against two arrays that are walked from the beginning. What each call does is written
 * down first, as a list of events; then it is made, and must give these events in this order.
 *
 *   model_overflow [SEED [STEPS]]
 */

enum {
    SEEDS = 6,
    STEPS = NI_ASAN || NI_TSAN ? 50000 : 500000,
    ENTRIES = 24,
    HEADERS = 24,
    ROOM = 400,
    LONGEST = 160,
    EVENTS = 64
};

struct entry {
    struct ni_me me;
    ni_me_handle handle;
    uint64_t used;
    uint64_t age;
    unsigned headers; /* of messages in its buffer */
    bool overflows, linked, taken;
    uint8_t room[ROOM];
};

struct header {
    uint64_t bits, serial, length, offset; /* as put */
    struct entry *in;                      /* NULL: the NI has the data */
    uint64_t place, moved;                 /* there */
};

static struct {
    struct ni *ni;
    struct entry entry[ENTRIES];
    struct header header[HEADERS];
    unsigned headers;
    uint64_t ages, serial, seed, step;
    bool keeps; /* NI_PT_UNEXPECTED */
    struct ni_event expected[EVENTS];
    unsigned events, seen;
    ni_unexpected_handle claimed;
    uint64_t told[NI_EVENT_SEARCH + 1];
} world;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "model_overflow: %s (seed %llu, step %llu, event %u of %u)\n", what,
            (unsigned long long)world.seed, (unsigned long long)world.step, world.seen,
            world.events);
    exit(1);
}

static void must(bool condition, const char *what)
{
    if (!condition) {
        fail(what);
    }
}

/* ---- events ----------------------------------------------------------------------------------- */

static void on_event(void *arg, const struct ni_event *event)
{
    const struct ni_event *want = &world.expected[world.seen];
    const uint8_t *data = event->start;

    (void)arg;
    must(world.seen < world.events, "an event that nobody expects");
    must(event->type == want->type, "type of the event");
    must(event->ni_fail_type == want->ni_fail_type, "failure of the event");
    must(event->user_ptr == want->user_ptr, "another entry was expected");
    must(event->start == want->start || event->type == NI_EVENT_AUTO_UNLINK, "place");
    world.told[event->type]++;
    world.seen++;
    world.claimed = event->unexpected;
    if (want->rlength == UINT64_MAX) {
        return; /* of no message */
    }
    must(event->hdr_data == want->hdr_data, "another message was expected");
    must(event->rlength == want->rlength && event->mlength == want->mlength, "lengths");
    must(event->remote_offset == want->remote_offset, "offset");
    for (uint64_t i = 0; data != NULL && i < event->mlength; i++) {
        must(data[i] == (uint8_t)event->hdr_data, "data");
    }
}

static void expect(const struct ni_event *event)
{
    must(world.events < EVENTS, "too many events");
    world.expected[world.events++] = *event;
}

static void expect_plain(enum ni_event_kind type, const struct entry *entry)
{
    expect(&(struct ni_event){.type = type,
                              .user_ptr = (void *)(uintptr_t)entry,
                              .start = entry->me.start,
                              .rlength = UINT64_MAX});
}

static void all_came(void)
{
    must(world.seen == world.events, "an event did not come");
    world.seen = world.events = 0;
}

/* ---- the lists -------------------------------------------------------------------------------- */

static bool fits(const struct entry *entry, uint64_t bits, uint64_t length, uint64_t offset)
{
    const struct ni_me *me = &entry->me;
    uint64_t at = (me->options & NI_ME_MANAGE_LOCAL) != 0 ? entry->used : offset;

    return ((me->match_bits ^ bits) & ~me->ignore_bits) == 0 && me->match_id != 1 &&
           ((me->options & NI_ME_NO_TRUNCATE) == 0 || at + length <= me->length);
}

static struct entry *oldest(bool overflows, uint64_t bits, uint64_t length, uint64_t offset)
{
    struct entry *first = NULL;

    for (unsigned i = 0; i < ENTRIES; i++) {
        struct entry *entry = &world.entry[i];

        if (entry->linked && entry->overflows == overflows && fits(entry, bits, length, offset) &&
            (first == NULL || entry->age < first->age)) {
            first = entry;
        }
    }
    return first;
}

static uint64_t moved(const struct entry *entry, uint64_t length, uint64_t at)
{
    uint64_t room = at >= entry->me.length ? 0 : entry->me.length - at;

    return length < room ? length : room;
}

/* A message goes to an entry's buffer; whether the entry unlinks itself. */
static bool place(struct entry *entry, struct header *header)
{
    bool manages = (entry->me.options & NI_ME_MANAGE_LOCAL) != 0;

    header->place = manages ? entry->used : header->offset;
    header->moved = moved(entry, header->length, header->place);
    entry->used += manages ? header->moved : 0;
    return (entry->me.options & NI_ME_USE_ONCE) != 0 ||
           (manages && entry->me.length - entry->used < entry->me.min_free);
}

/* Events of a message that has met an entry, in whose buffer (`in`) it lies. */
static void expect_met(enum ni_event_kind type, const struct header *header,
                       const struct entry *entry, const struct entry *in, bool unlinks)
{
    unsigned quiet = type == NI_EVENT_PUT ? NI_ME_EVENT_COMM_DISABLE : NI_ME_EVENT_OVER_DISABLE;

    if (unlinks && (entry->me.options & NI_ME_EVENT_UNLINK_DISABLE) == 0) {
        expect_plain(NI_EVENT_AUTO_UNLINK, entry);
    }
    if ((entry->me.options & quiet) == 0) {
        expect(&(struct ni_event){.type = type,
                                  .user_ptr = (void *)(uintptr_t)entry,
                                  .start = (uint8_t *)in->me.start + header->place,
                                  .hdr_data = header->serial,
                                  .rlength = header->length,
                                  .mlength = header->moved,
                                  .remote_offset = header->place});
    }
}

static void release(struct entry *entry)
{
    entry->headers--;
    if (entry->headers == 0 && !entry->linked) {
        entry->taken = false;
        if ((entry->me.options & NI_ME_EVENT_UNLINK_DISABLE) == 0) {
            expect_plain(NI_EVENT_AUTO_FREE, entry);
        }
    }
}

static void forget(struct header *header)
{
    size_t behind = (size_t)(&world.header[--world.headers] - header);

    memmove(header, header + 1, behind * sizeof(*header));
}

static struct header *first_header(const struct entry *entry)
{
    for (unsigned i = 0; i < world.headers; i++) {
        if (fits(entry, world.header[i].bits, world.header[i].length, world.header[i].offset)) {
            return &world.header[i];
        }
    }
    return NULL;
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* What a put is to do: what ni_put returns. */
static int foresee(struct header *header)
{
    struct entry *entry = oldest(false, header->bits, header->length, header->offset);
    bool unlinks, hidden;

    if (entry != NULL) {
        unlinks = place(entry, header);
        entry->linked = entry->taken = !unlinks;
        expect_met(NI_EVENT_PUT, header, entry, entry, unlinks);
        return NI_OK;
    }
    entry = oldest(true, header->bits, header->length, header->offset);
    hidden = entry != NULL && (entry->me.options & NI_ME_UNEXPECTED_HDR_DISABLE) != 0;
    if (!hidden && world.headers == HEADERS) {
        return world.keeps ? (int)NI_PTL_NO_SPACE : NI_OK;
    }
    if (entry != NULL) {
        unlinks = place(entry, header);
        entry->linked = !unlinks;
        entry->headers++;
        header->in = entry;
        expect_met(NI_EVENT_PUT, header, entry, entry, unlinks);
    }
    if (hidden) {
        release(entry);
    } else if (entry != NULL || world.keeps) {
        world.header[world.headers++] = *header;
    }
    return NI_OK;
}

static void put(struct ni_rng *rng)
{
    static const struct ni_md md = {.length = SIZE_MAX};
    struct header header = {.bits = ni_rng_below(rng, 6),
                            .serial = ++world.serial,
                            .length = ni_rng_below(rng, LONGEST),
                            .offset = ni_rng_below(rng, 4) == 0 ? ni_rng_below(rng, 200) : 0};
    uint8_t data[LONGEST];
    int result = foresee(&header);

    memset(data, (uint8_t)header.serial, sizeof(data));
    must(ni_put(world.ni, &md, (uintptr_t)data, header.length, NI_NO_ACK_REQ, NULL, 0, header.bits,
                header.offset, NULL, header.serial) == result,
         "the result of ni_put");
    all_came();
}

/* An entry that is to be appended or to search with; NULL: all are in use. */
static struct entry *draw(struct ni_rng *rng, bool overflows)
{
    static const unsigned common = NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE |
                                   NI_ME_EVENT_OVER_DISABLE | NI_ME_EVENT_COMM_DISABLE;
    unsigned options = (unsigned)ni_rng_next(rng) & (unsigned)ni_rng_next(rng) & common;
    struct entry *entry = NULL;

    for (unsigned i = 0; i < ENTRIES && entry == NULL; i++) {
        entry = world.entry[i].taken ? NULL : &world.entry[i];
    }
    if (entry == NULL) {
        return NULL;
    }
    /* The others take so much that little is left for the overflow list. */
    options |= !overflows && ni_rng_below(rng, 16) != 0 ? NI_ME_USE_ONCE : 0U;
    /* Else messages on the overflow list would lie on each other. */
    if ((overflows && (options & NI_ME_USE_ONCE) == 0) || ni_rng_below(rng, 3) != 0) {
        options |= NI_ME_MANAGE_LOCAL;
        options |= ni_rng_below(rng, 2) == 0 ? NI_ME_LOCAL_INC_UH_RLENGTH : 0U;
    }
    options |= ni_rng_below(rng, 4) == 0 ? NI_ME_NO_TRUNCATE : 0U;
    options |= overflows && ni_rng_below(rng, 8) == 0 ? NI_ME_UNEXPECTED_HDR_DISABLE : 0U;
    entry->me = (struct ni_me){.start = entry->room,
                               .length = 1 + ni_rng_below(rng, ROOM - 1),
                               .match_bits = ni_rng_below(rng, 6),
                               .ignore_bits = ni_rng_below(rng, 3) == 0 ? ni_rng_below(rng, 8) : 0,
                               .match_id = ni_rng_below(rng, 8) == 0 ? 1 : NI_INITIATOR_ANY,
                               .options = NI_ME_OP_PUT | options};
    entry->me.min_free = ni_rng_below(rng, entry->me.length);
    entry->used = 0;
    entry->headers = 0;
    entry->overflows = overflows;
    entry->linked = entry->taken = false;
    return entry;
}

/* An entry has a header; whether it unlinks itself with it. */
static bool meet(struct entry *entry, struct header *header)
{
    unsigned counts = NI_ME_MANAGE_LOCAL | NI_ME_LOCAL_INC_UH_RLENGTH;
    struct header met = *header;
    bool unlinks;

    forget(header);
    if (met.in == NULL) {
        unlinks = place(entry, &met);
        expect_met(NI_EVENT_PUT_OVERFLOW, &met, entry, entry, unlinks);
        return unlinks;
    }
    unlinks = (entry->me.options & NI_ME_USE_ONCE) != 0;
    if ((entry->me.options & counts) == counts) {
        uint64_t left = entry->me.length - entry->used;

        entry->used += met.length < left ? met.length : left;
        unlinks = unlinks || entry->me.length - entry->used < entry->me.min_free;
    }
    expect_met(NI_EVENT_PUT_OVERFLOW, &met, entry, met.in, unlinks);
    release(met.in);
    return unlinks;
}

static void append(struct ni_rng *rng)
{
    bool overflows = ni_rng_below(rng, 3) == 0;
    struct entry *entry = draw(rng, overflows);
    struct header *header;
    bool gone = false;

    if (entry == NULL) {
        return;
    }
    while (!overflows && !gone && (header = first_header(entry)) != NULL) {
        gone = meet(entry, header);
    }
    must(ni_me_append(world.ni, 0, &entry->me, overflows ? NI_OVERFLOW_LIST : NI_PRIORITY_LIST,
                      entry, &entry->handle) == NI_OK,
         "ni_me_append");
    all_came();
    entry->linked = entry->taken = !gone;
    entry->age = ++world.ages;
    must((entry->handle == 0) == gone, "the handle");
}

static void search(struct ni_rng *rng)
{
    struct entry *entry = draw(rng, false);
    bool claims = ni_rng_below(rng, 2) == 0;
    struct header *header;
    struct ni_event event;

    if (entry == NULL) {
        return;
    }
    header = first_header(entry);
    event = (struct ni_event){.type = NI_EVENT_SEARCH, .user_ptr = entry};
    if (header == NULL) {
        event.ni_fail_type = NI_NI_NO_MATCH;
        event.rlength = UINT64_MAX;
        expect(&event);
    } else if (header->in != NULL && claims) {
        entry->me.options |= NI_ME_EVENT_UNLINK_DISABLE;
        (void)meet(entry, header);
        header = NULL;
    } else {
        event.hdr_data = header->serial;
        event.rlength = header->length;
        event.remote_offset = header->in != NULL ? header->place : header->offset;
        event.mlength =
            header->in != NULL ? header->moved : moved(entry, header->length, header->offset);
        event.start = header->in != NULL ? (uint8_t *)header->in->me.start + header->place : NULL;
        expect(&event);
    }
    must(ni_me_search(world.ni, 0, &entry->me, claims ? NI_SEARCH_DELETE : NI_SEARCH_ONLY, entry) ==
             NI_OK,
         "ni_me_search");
    all_came();
    if (claims && header != NULL) {
        forget(header);
        must(ni_unexpected_drop(world.ni, world.claimed) == NI_OK, "ni_unexpected_drop");
    }
}

static void unlink_some(struct ni_rng *rng)
{
    struct entry *entry = &world.entry[ni_rng_below(rng, ENTRIES)];
    int result = NI_OK;

    if (!entry->linked) {
        return;
    }
    result = entry->headers != 0 ? (int)NI_PTL_IN_USE : NI_OK;
    must(ni_me_unlink(world.ni, entry->handle) == result, "ni_me_unlink");
    entry->linked = entry->taken = result != NI_OK;
}

/* ---- runs ------------------------------------------------------------------------------------- */

static void run(uint64_t seed, uint64_t steps)
{
    const struct ni_limits limits = {.max_unexpected_headers = HEADERS};
    struct ni_open_attr attr = {0};
    struct ni_rng rng;
    struct ni_eq *eq;
    uint32_t pt;

    memset(&world, 0, sizeof(world));
    world.seed = seed;
    world.keeps = seed % 2 == 0;
    ni_rng_seed(&rng, seed);
    must(ni_fabric_create(NULL, &attr.fabric) == NI_OK && ni_open(&attr, &world.ni) == NI_OK &&
             ni_portals_open(world.ni, &limits, NULL) == NI_OK &&
             ni_eq_alloc_handler(world.ni, on_event, NULL, &eq) == NI_OK &&
             ni_pt_alloc(world.ni, world.keeps ? NI_PT_UNEXPECTED : 0, eq, 0, &pt) == NI_OK,
         "open");
    for (world.step = 0; world.step < steps; world.step++) {
        uint64_t what = ni_rng_below(&rng, 20);

        if (what < 11) {
            put(&rng);
        } else if (what < 16) {
            append(&rng);
        } else if (what < 17) {
            search(&rng);
        } else {
            unlink_some(&rng);
        }
    }
    for (unsigned kind = 0; steps >= STEPS && kind <= NI_EVENT_SEARCH; kind++) {
        bool wanted = kind == NI_EVENT_PUT || kind == NI_EVENT_PUT_OVERFLOW ||
                      kind == NI_EVENT_AUTO_UNLINK || kind == NI_EVENT_AUTO_FREE ||
                      kind == NI_EVENT_SEARCH;

        must((world.told[kind] != 0) == wanted, "the trace leaves something out");
    }
    ni_close(world.ni);
    ni_fabric_destroy(attr.fabric);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0), argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, STEPS);
        printf("seed %llu: %llu matched on arrival, %llu by an entry, %llu buffers freed\n",
               (unsigned long long)seed, (unsigned long long)world.told[NI_EVENT_PUT],
               (unsigned long long)world.told[NI_EVENT_PUT_OVERFLOW],
               (unsigned long long)world.told[NI_EVENT_AUTO_FREE]);
    }
    return 0;
}
