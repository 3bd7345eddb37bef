/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/compiler.h"
#include "request_calls.h"
#include "request_events.h"

/*
 * Random traces of puts, gets, atomics, fetching atomics and swaps from two initiators and the NI
 * itself, called or triggered, from and to memory in one or many pieces, against the linear model:
 * each event at either side, each byte of each buffer.
 *
 *   model_requests [SEED [STEPS]]
 */

enum {
    SEEDS = 4,
    STEPS = NI_ASAN || NI_TSAN ? 3000 : 15000,
    NIS = 3,
    OPS = 96,
    BATCH = 8,
    SLOTS = 64,
    TRIGGERS = 3,
    PATIENCE = 100000
};

struct op {
    struct request request;
    bool live, settled;
    struct model_outcome outcome;
    unsigned told[NI_EVENT_SEARCH + 1];
    struct ni_event last;
};

struct slot {
    struct buffer buffer;
    ni_me_handle handle;
    bool used;
};

static struct {
    struct ni_fabric *fabric;
    struct request_end end[NIS];
    ni_initiator ids[NIS];
    struct ni_eq *at_target;
    size_t dropped_stat, kept_stat;
    struct model_target model;
    struct slot slot[SLOTS];
    struct op op[OPS];
    struct events events; /* at the target */
    uint64_t dropped, seed, step;
    bool closing;
    struct ni_rng rng;
} world;

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "model_requests: %s (seed %llu, step %llu)\n", what,
                (unsigned long long)world.seed, (unsigned long long)world.step);
        exit(1);
    }
}

static uint64_t below(uint64_t n)
{
    return ni_rng_below(&world.rng, n);
}

static void on_target(void *arg, const struct ni_event *event)
{
    (void)arg;
    if (!world.closing) {
        must(events_see(&world.events, event), "too many events");
    }
}

static void on_initiator(void *arg, const struct ni_event *event)
{
    struct op *op = &world.op[(uintptr_t)event->user_ptr];

    (void)arg;
    if (world.closing) {
        return;
    }
    must(op->live && event->type >= NI_EVENT_SEND && event->type <= NI_EVENT_REPLY, "an event");
    op->told[event->type]++;
    world.events.count[event->type]++;
    if (event->type == NI_EVENT_SEND) {
        must(event->ni_fail_type == NI_NI_OK || !op->settled ||
                 event->ni_fail_type == op->outcome.fail,
             "how a put was sent");
    } else {
        op->last = *event;
    }
}

/* ---- what must be told ----------------------------------------------------------------------- */

static void expect(const struct model_outcome *outcome, bool late)
{
    events_expect(&world.events, &world.op[outcome->number].request, outcome,
                  &world.slot[outcome->entry].buffer, late);
}

/* ---- the end of an operation ----------------------------------------------------------------- */

static bool is_done(const struct op *op)
{
    return op->settled && op->told[NI_EVENT_SEND] == (op->request.what.verb != MODEL_GET) &&
           op->told[NI_EVENT_ACK] == (!request_fetches(&op->request) && op->request.ack) &&
           op->told[NI_EVENT_REPLY] == request_fetches(&op->request);
}

static void end_op(struct op *op)
{
    if (op->told[NI_EVENT_ACK] + op->told[NI_EVENT_REPLY] != 0) {
        must(op->last.ni_fail_type == op->outcome.fail && op->last.mlength == op->outcome.mlength,
             "what the initiator was told");
        must(op->outcome.fail != NI_NI_OK || op->last.remote_offset == op->outcome.offset,
             "where the initiator was told it went");
    }
    must(buffer_holds(&op->request.data, op->request.flat), "the data of an operation");
    must(buffer_holds(&op->request.reply, op->request.answer), "the answer to an operation");
    request_free(&op->request);
    op->live = false;
}

static bool is_settled(void)
{
    bool settled = world.events.seen_count >= world.events.expected_count &&
                   ni_stat_read(world.end[0].ni, world.dropped_stat) == world.dropped &&
                   ni_stat_read(world.end[0].ni, world.kept_stat) == world.model.kept_count;

    for (unsigned i = 0; settled && i < OPS; i++) {
        settled = !world.op[i].live || !world.op[i].settled || is_done(&world.op[i]);
    }
    return settled;
}

/* Wait for all that must come of what was done, and compare. */
static void settle(bool in_order)
{
    for (unsigned i = 0; !is_settled(); i++) {
        must(i < PATIENCE, "something does not come");
        for (unsigned n = 0; n < NIS; n++) {
            ni_progress(world.end[n].ni);
        }
    }
    must(events_agree(&world.events, in_order), "another event was expected");
    for (unsigned i = 0; i < OPS; i++) {
        if (world.op[i].live && world.op[i].settled) {
            end_op(&world.op[i]);
        }
    }
}

static void check_entry(const struct model_entry *entry)
{
    must(buffer_holds(&world.slot[entry->what.number].buffer, entry->bytes),
         "the buffer of an entry");
}

static void end_slot(const struct model_entry *entry)
{
    struct slot *slot = &world.slot[entry->what.number];

    check_entry(entry);
    free(entry->bytes);
    buffer_free(&slot->buffer);
    slot->used = false;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* What the model says of an operation that arrives now. */
static void predict(struct op *op)
{
    op->outcome = model_arrive(&world.model, &op->request.what,
                               request_fetches(&op->request) ? op->request.answer : NULL);
    op->settled = !op->outcome.kept;
    if (op->settled && op->outcome.fail == NI_NI_OK) {
        expect(&op->outcome, false);
    }
    world.dropped += op->settled && op->outcome.fail != NI_NI_OK;
}

static uint32_t free_op(void)
{
    static uint32_t next;

    do {
        next = (next + 1) % OPS;
    } while (world.op[next].live);
    return next;
}

/* A few operations of one initiator: short ones together, or one that may be long. */
static void operate(void)
{
    uint64_t reached[BATCH];
    struct op *batch[BATCH];
    unsigned from = (unsigned)below(NIS);
    unsigned count = below(3) == 0 ? 1 : 1 + (unsigned)below(BATCH);
    bool triggered = below(4) == 0;
    struct ni_ct_event value;

    must(ni_ct_get(world.end[from].ct, &value) == NI_OK, "ni_ct_get");
    for (unsigned i = 0; i < count; i++) {
        uint32_t number = free_op();

        batch[i] = &world.op[number];
        *batch[i] = (struct op){.live = true};
        request_draw(&batch[i]->request, number, &world.end[from], count != 1, &world.rng);
        reached[i] = triggered ? 1 + below(TRIGGERS) : 0;
        if (triggered) {
            must(request_arm(&batch[i]->request, value.success + reached[i]) == NI_OK, "arming");
        }
    }
    for (uint64_t at = 0; at <= TRIGGERS; at++) {
        for (unsigned i = 0; i < count; i++) {
            if (reached[i] == at) {
                predict(batch[i]);
                must(triggered || request_call(&batch[i]->request) == NI_OK, "a call");
            }
        }
    }
    if (triggered) {
        must(ni_ct_inc(world.end[from].ct, (struct ni_ct_event){.success = TRIGGERS}) == NI_OK,
             "inc");
    }
    settle(true);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void append(const struct ni_me *me, uint32_t number)
{
    struct ni_ct_event value;
    void *user = (void *)(uintptr_t)number;
    ni_me_handle *handle = &world.slot[number].handle;

    if (below(4) != 0) {
        must(ni_me_append(world.end[0].ni, REQUEST_PT, me, NI_PRIORITY_LIST, user, handle) == NI_OK,
             "append");
        return;
    }
    must(ni_ct_get(world.end[0].ct, &value) == NI_OK, "ni_ct_get");
    must(ni_triggered_me_append(world.end[0].ni, REQUEST_PT, me, NI_PRIORITY_LIST, user, handle,
                                world.end[0].ct, value.success + 1) == NI_OK,
         "arming an append");
    must(ni_ct_inc(world.end[0].ct, (struct ni_ct_event){.success = 1}) == NI_OK, "inc");
}

static void post(bool for_all)
{
    static uint32_t number;
    struct model_outcome outcomes[MODEL_KEPT];
    struct model_entry entry;
    struct buffer *buffer;
    struct ni_me me;
    unsigned count;

    do {
        number = (number + 1) % SLOTS;
    } while (world.slot[number].used);
    world.slot[number].used = true;
    buffer = &world.slot[number].buffer;
    entry = request_entry(number, for_all, world.ids, NIS, &world.rng);
    buffer_make(buffer, entry.length, below(3) == 0, &world.rng);
    entry.bytes = random_bytes(entry.length, &world.rng);
    buffer_write(buffer, 0, entry.bytes, entry.length);
    me = request_me(&entry, buffer);
    count = model_post(&world.model, &entry, outcomes);
    for (unsigned i = 0; i < count; i++) {
        struct op *op = &world.op[outcomes[i].number];

        op->outcome = outcomes[i];
        op->settled = true;
        expect(&outcomes[i], true);
    }
    append(&me, number);
    settle(false);
}

static void unpost(void)
{
    unsigned place = below(2) == 0 ? 0 : (unsigned)below(world.model.entries);
    struct model_entry entry = model_unpost(&world.model, place);
    ni_me_handle handle = world.slot[entry.what.number].handle;

    must(ni_me_unlink(world.end[0].ni, handle) == NI_OK, "ni_me_unlink");
    must(ni_me_unlink(world.end[0].ni, handle) == NI_PTL_ARG_INVALID, "unlinked twice");
    end_slot(&entry);
}

static void look_at_entries(void)
{
    struct model_target *model = &world.model;

    while (model->gone_count != 0) {
        end_slot(&model->gone[--model->gone_count]);
    }
    if (world.step % 8 != 0) {
        return;
    }
    for (unsigned i = 0; i < model->entries; i++) {
        check_entry(&model->entry[i]);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void open_all(void)
{
    struct ni_open_attr attr = {0};
    uint8_t blob[NI_BLOB_MAX];
    uint32_t index;

    must(ni_fabric_create(NULL, &world.fabric) == NI_OK, "fabric");
    attr.fabric = world.fabric;
    for (unsigned i = 0; i < NIS; i++) {
        must(ni_open(&attr, &world.end[i].ni) == NI_OK, "open");
        must(ni_portals_open(world.end[i].ni, NULL, NULL) == NI_OK, "portals");
        must(ni_eq_alloc_handler(world.end[i].ni, on_initiator, NULL, &world.end[i].eq) == NI_OK,
             "eq");
        must(ni_ct_alloc(world.end[i].ni, &world.end[i].ct) == NI_OK, "ct");
    }
    must(ni_eq_alloc_handler(world.end[0].ni, on_target, NULL, &world.at_target) == NI_OK, "eq");
    must(ni_pt_alloc(world.end[0].ni, world.model.keeps ? NI_PT_UNEXPECTED : 0, world.at_target,
                     REQUEST_PT, &index) == NI_OK,
         "pt");
    for (unsigned i = 1; i < NIS; i++) {
        struct ni_peer *peer;

        must(ni_connect(world.end[i].ni, blob, ni_address(world.end[0].ni, blob, sizeof(blob)),
                        &world.end[i].target) == NI_OK,
             "connect");
        must(ni_connect(world.end[0].ni, blob, ni_address(world.end[i].ni, blob, sizeof(blob)),
                        &peer) == NI_OK,
             "connect");
        world.ids[i] = world.end[i].id = ni_peer_initiator(peer);
    }
    world.ids[0] = world.end[0].id = NI_INITIATOR_SELF;
}

static void close_all(void)
{
    world.closing = true;
    for (unsigned i = 0; i < NIS; i++) {
        ni_close(world.end[i].ni);
    }
    ni_fabric_destroy(world.fabric);
    for (unsigned i = 0; i < OPS; i++) {
        if (world.op[i].live) { /* still kept */
            request_free(&world.op[i].request);
        }
    }
    while (world.model.entries != 0) {
        struct model_entry entry = model_unpost(&world.model, 0);

        end_slot(&entry);
    }
}

static void run(uint64_t seed, uint64_t steps)
{
    memset(&world, 0, sizeof(world));
    world.seed = seed;
    world.model.keeps = seed % 2 != 0;
    world.dropped_stat = ni_stat_find("match_dropped");
    world.kept_stat = ni_stat_find("match_unexpected");
    ni_rng_seed(&world.rng, seed);
    open_all();
    for (world.step = 0; world.step < steps; world.step++) {
        if (world.model.kept_count > MODEL_KEPT - 2 * BATCH) {
            post(true);
        } else if (world.model.entries > MODEL_ENTRIES / 2 ||
                   (world.model.entries != 0 && below(6) == 0)) {
            unpost();
        } else if (below(2) == 0) {
            post(false);
        } else {
            operate();
        }
        look_at_entries();
    }
    close_all();
    for (unsigned kind = NI_EVENT_PUT; kind <= NI_EVENT_AUTO_UNLINK; kind++) {
        bool none = kind == NI_EVENT_PUT_OVERFLOW && !world.model.keeps;

        none = none || (kind > NI_EVENT_PUT_OVERFLOW && kind < NI_EVENT_SEND);
        must((world.events.count[kind] == 0) == none, "the trace leaves something out");
    }
    printf(
        "seed %llu: %llu puts, %llu gets, %llu atomics, %llu fetching, %llu late, %llu refused\n",
        (unsigned long long)seed, (unsigned long long)world.events.count[NI_EVENT_PUT],
        (unsigned long long)world.events.count[NI_EVENT_GET],
        (unsigned long long)world.events.count[NI_EVENT_ATOMIC],
        (unsigned long long)world.events.count[NI_EVENT_FETCH_ATOMIC],
        (unsigned long long)world.events.count[NI_EVENT_PUT_OVERFLOW],
        (unsigned long long)world.dropped);
}

int main(int argc, char **argv)
{
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS;

    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0), steps);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, steps);
    }
    return 0;
}
