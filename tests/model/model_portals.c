/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "match_model.h"
#include "rounds.h"

/*
 * Random traces of puts from two initiators and the NI itself, of posted entries with wildcards, of
 * searches, claims and unlinks, against the linear model: each event must be the one that a walk
 * over the lists in order gives, with the data of the right message.
 *
 *   model_portals [SEED [STEPS]]
 */

enum { SENDERS = 3, STEPS = 60000, SEEDS = 4, SLOTS = 4096, LONGEST = 40000 };

struct slot {
    uint64_t word;   /* what arrives */
    uint64_t length; /* of the buffer */
    ni_me_handle handle;
};

/* A message from ni_put to its event. */
struct message {
    uint64_t *data; /* begins with its serial number; NULL: free */
    uint64_t serial;
    uint64_t length;
};

static struct {
    struct ni_fabric *fabric;
    struct ni *ni[SENDERS];
    struct ni_eq *eq[SENDERS + 1];
    struct ni_peer *target[SENDERS]; /* as each sender sees it; NULL: itself */
    ni_initiator id[SENDERS];
    struct ni_md md[SENDERS];
    struct model_walk posted, kept;
    struct slot slot[SLOTS];
    bool used[SLOTS];
    struct message message[SLOTS]; /* hdr_data is the index */
    uint64_t serial, sent;
    bool closing;
    unsigned expecting; /* events that must come before anything else is done */
    struct ni_event last;
    uint64_t step, seed, matches, overflows, searches, unlinks;
} world;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "model_portals: %s (seed %llu, step %llu)\n", what,
            (unsigned long long)world.seed, (unsigned long long)world.step);
    exit(1);
}

static void must(bool condition, const char *what)
{
    if (!condition) {
        fail(what);
    }
}

static void on_event(void *arg, const struct ni_event *event)
{
    (void)arg;
    must(world.expecting != 0, "an event that nobody expects");
    world.expecting--;
    world.last = *event;
}

static void on_sent(void *arg, const struct ni_event *event)
{
    (void)arg;
    must(event->type == NI_EVENT_SEND, "another event at an initiator");
    must(event->ni_fail_type == NI_NI_OK || world.closing, "a put failed");
    world.sent++;
}

static void progress(void)
{
    for (unsigned i = 0; i < SENDERS; i++) {
        ni_progress(world.ni[i]);
    }
}

static uint64_t stat(const char *name)
{
    return ni_stat_read(world.ni[0], ni_stat_find(name));
}

static void await_event(void)
{
    for (unsigned i = 0; world.expecting != 0; i++) {
        must(i < 10000, "an event does not come");
        progress();
    }
}

static uint32_t free_slot(void)
{
    static uint32_t next;

    do {
        next = (next + 1) % SLOTS;
    } while (world.used[next]);
    world.used[next] = true;
    world.slot[next] = (struct slot){.length = 8};
    return next;
}

/* ---- what is compared ------------------------------------------------------------------------ */

static void forget(uint32_t number)
{
    free(world.message[number].data);
    world.message[number].data = NULL;
}

static void check_event(enum ni_event_kind type, uint32_t slot, uint32_t number)
{
    const struct slot *entry = &world.slot[slot];
    const struct message *message = &world.message[number];
    uint64_t moved = message->length < entry->length ? message->length : entry->length;

    must(world.last.type == type && world.last.ni_fail_type == NI_NI_OK, "type of the event");
    must(world.last.user_ptr == (void *)(uintptr_t)slot, "another entry was expected");
    must(world.last.hdr_data == number, "another message was expected");
    must(world.last.rlength == message->length && world.last.mlength == moved, "lengths");
    must(moved < 8 || entry->word == message->serial, "data");
    world.used[slot] = false;
    forget(number);
}

static struct ni_me entry_for(const struct model_item *item, struct slot *slot)
{
    return (struct ni_me){.start = &slot->word,
                          .length = slot->length,
                          .match_bits = item->bits,
                          .ignore_bits = item->ignore,
                          .match_id = item->initiator,
                          .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE};
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint32_t new_message(struct ni_rng *rng)
{
    static const uint32_t lengths[] = {0, 8, 8, 8, 32, 33, 500, 5000, 20000, LONGEST};
    static uint32_t next;
    struct message *message;

    do {
        next = (next + 1) % SLOTS;
    } while (world.message[next].data != NULL);
    message = &world.message[next];
    message->length = lengths[ni_rng_below(rng, sizeof(lengths) / sizeof(lengths[0]))];
    message->serial = ++world.serial;
    message->data = calloc(1, message->length + sizeof(uint64_t));
    must(message->data != NULL, "memory");
    *message->data = message->serial;
    return next;
}

static void put(const struct model_taste *taste, struct ni_rng *rng)
{
    unsigned from = (unsigned)ni_rng_below(rng, SENDERS);
    struct model_item item = model_draw_exact(taste, rng);
    uint32_t number = new_message(rng);
    const struct message *message = &world.message[number];
    size_t place;
    long match;

    item.initiator = world.id[from];
    item.number = number;
    match = model_first(&world.posted, 0, &item, &place);
    world.expecting = match >= 0;
    must(ni_put(world.ni[from], &world.md[from], (uintptr_t)message->data, message->length,
                NI_NO_ACK_REQ, world.target[from], 3, item.bits, 0, NULL, number) == NI_OK,
         "ni_put");
    if (match >= 0) {
        await_event();
        model_remove(&world.posted, place);
        check_event(NI_EVENT_PUT, (uint32_t)match, number);
        world.matches++;
        return;
    }
    model_append(&world.kept, &item);
    for (unsigned i = 0; stat("match_unexpected") != world.kept.count; i++) {
        must(i < 10000, "a message does not arrive");
        progress();
    }
}

static void post(const struct model_taste *taste, struct ni_rng *rng)
{
    struct model_item item = model_draw_wild(taste, rng);
    uint32_t number = free_slot();
    struct slot *slot = &world.slot[number];
    struct ni_me me;
    size_t place;
    long match;

    if (item.initiator != MODEL_ANY) {
        item.initiator = world.id[item.initiator % SENDERS];
    }
    item.number = number;
    slot->length = ni_rng_below(rng, 8) == 0 ? 3 : 8;
    me = entry_for(&item, slot);
    match = model_first(&world.kept, 0, &item, &place);
    world.expecting = match >= 0;
    must(ni_me_append(world.ni[0], 3, &me, NI_PRIORITY_LIST, (void *)(uintptr_t)number,
                      &slot->handle) == NI_OK,
         "ni_me_append");
    if (match < 0) {
        model_append(&world.posted, &item);
        return;
    }
    await_event();
    check_event(NI_EVENT_PUT_OVERFLOW, number, world.kept.item[place].number);
    model_remove(&world.kept, place);
    world.overflows++;
}

static void unlink_some(struct ni_rng *rng)
{
    size_t place;
    uint32_t number;

    if (world.posted.count == 0) {
        return;
    }
    place = (size_t)ni_rng_below(rng, world.posted.count);
    number = world.posted.item[place].number;
    must(ni_me_unlink(world.ni[0], world.slot[number].handle) == NI_OK, "ni_me_unlink");
    must(ni_me_unlink(world.ni[0], world.slot[number].handle) == NI_PTL_ARG_INVALID, "twice");
    world.used[number] = false;
    model_remove(&world.posted, place);
    world.unlinks++;
}

static void search(const struct model_taste *taste, struct ni_rng *rng)
{
    struct model_item item = model_draw_wild(taste, rng);
    bool claim = ni_rng_below(rng, 2) == 0;
    uint32_t number = free_slot();
    struct ni_event event;
    struct ni_me me;
    size_t place = 0;
    uint32_t found;
    long match;

    if (item.initiator != MODEL_ANY) {
        item.initiator = world.id[item.initiator % SENDERS];
    }
    me = entry_for(&item, &world.slot[number]);
    match = model_first(&world.kept, 0, &item, &place);
    must(ni_me_probe(world.ni[0], 3, &me, claim ? NI_SEARCH_DELETE : NI_SEARCH_ONLY, &event) ==
             (match >= 0 ? NI_OK : (int)NI_PTL_NO_MATCH),
         "the result of a search");
    world.searches++;
    world.used[number] = false;
    if (match < 0) {
        return;
    }
    found = world.kept.item[place].number;
    must(event.hdr_data == found && event.match_bits == world.kept.item[place].bits &&
             event.initiator == world.kept.item[place].initiator,
         "what a search found");
    if (!claim) {
        return;
    }
    model_remove(&world.kept, place);
    if (ni_rng_below(rng, 4) == 0 && world.message[found].length <= 16384) {
        must(ni_unexpected_drop(world.ni[0], event.unexpected) == NI_OK, "drop");
        forget(found);
        return;
    }
    world.used[number] = true;
    world.expecting = 1;
    must(ni_unexpected_receive(world.ni[0], event.unexpected, &me, (void *)(uintptr_t)number) ==
             NI_OK,
         "receive");
    await_event();
    check_event(NI_EVENT_PUT_OVERFLOW, number, found);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void open_all(void)
{
    struct ni_open_attr attr = {0};
    uint8_t blob[NI_BLOB_MAX];
    uint32_t index;

    must(ni_fabric_create(NULL, &world.fabric) == NI_OK, "fabric");
    attr.fabric = world.fabric;
    for (unsigned i = 0; i < SENDERS; i++) {
        must(ni_open(&attr, &world.ni[i]) == NI_OK, "open");
        must(ni_portals_open(world.ni[i], NULL, NULL) == NI_OK, "portals");
        must(ni_eq_alloc_handler(world.ni[i], on_sent, NULL, &world.eq[i]) == NI_OK, "eq");
        world.md[i] = (struct ni_md){.length = SIZE_MAX, .eq = world.eq[i]};
    }
    must(ni_eq_alloc_handler(world.ni[0], on_event, NULL, &world.eq[SENDERS]) == NI_OK, "eq");
    must(ni_pt_alloc(world.ni[0], NI_PT_UNEXPECTED, world.eq[SENDERS], 3, &index) == NI_OK, "pt");
    for (unsigned i = 1; i < SENDERS; i++) {
        struct ni_peer *peer;

        must(ni_connect(world.ni[i], blob, ni_address(world.ni[0], blob, sizeof(blob)),
                        &world.target[i]) == NI_OK,
             "connect");
        must(ni_connect(world.ni[0], blob, ni_address(world.ni[i], blob, sizeof(blob)), &peer) ==
                 NI_OK,
             "connect");
        world.id[i] = ni_peer_initiator(peer);
    }
    world.id[0] = NI_INITIATOR_SELF;
}

static void run(uint64_t seed, uint64_t steps)
{
    struct model_taste taste;
    struct ni_rng rng;

    memset(&world, 0, sizeof(world));
    world.seed = seed;
    ni_rng_seed(&rng, seed);
    taste = model_draw_taste(&rng);
    open_all();
    for (world.step = 0; world.step < steps; world.step++) {
        bool room = world.posted.count < SLOTS / 4 && world.kept.count < SLOTS / 4;
        uint64_t what = ni_rng_below(&rng, 16);

        if (world.step % 5000 == 0) {
            taste = model_draw_taste(&rng);
        }
        if (what < 7 && (room || world.posted.count > world.kept.count)) {
            put(&taste, &rng);
        } else if (what < 14 && (room || world.kept.count > world.posted.count)) {
            post(&taste, &rng);
        } else if (what == 14) {
            unlink_some(&rng);
        } else {
            search(&taste, &rng);
        }
    }
    world.closing = true;
    for (unsigned i = 0; i < SENDERS; i++) {
        /* A long one that was dropped or kept is still under way. */
        ni_close(world.ni[i]);
    }
    ni_fabric_destroy(world.fabric);
    model_free(&world.posted);
    model_free(&world.kept);
    for (uint32_t i = 0; i < SLOTS; i++) {
        forget(i);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0), argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, test_rounds(STEPS, STEPS / 4));
        printf(
            "seed %llu: %llu matched on arrival, %llu by an entry, %llu searches, %llu unlinks\n",
            (unsigned long long)seed, (unsigned long long)world.matches,
            (unsigned long long)world.overflows, (unsigned long long)world.searches,
            (unsigned long long)world.unlinks);
        must(world.matches != 0 && world.overflows != 0 && world.searches != 0,
             "the trace leaves something out");
    }
    return 0;
}
