/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong through a deep queue: each message is matched while depth other entries are in the
 * queue of its receiver. Each entry has a slot, whose number makes its tag, and is replaced by a
 * new one at the end of the queue as soon as it is matched, so the depth stays as it is. Both ranks
 * pick the same slots in the same order.
 *
 * posted: receives. A message goes to the slot that is picked; its receive is posted anew before
 * the answer. unexpected: messages. A message goes to the slot that is free, and another one of no
 * bytes says that it has come;
 *              then the slot that is picked is received, and is free. So there are two messages
 *              each way.
 *
 * Wildcards: half of them are MPI_ANY_SOURCE with the tag of the slot. The others are MPI_ANY_TAG:
 * among posted receives from the rank itself, which sends nothing before the end, so they stay
 * where they are and nothing else matches them; of unexpected messages they take the oldest one,
 * whatever would have been picked.
 *
 * With -c each message is checked within the round: when it has come, its buffer is wanted for the
 * next one.
 */
#include "common/bench.h"
#include "common/buffer.h"
#include "common/pattern.h"
#include "common/slots.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TAG_TOKEN 1
#define TAG_FIRST 2 /* of slot 0 */

static struct {
    int self;
    int peer;
    bool check;
    struct osu_slots slots;
    MPI_Request *requests; /* of each slot: its receive (posted) or its send (unexpected) */
    struct osu_buffer send;
    struct osu_buffer recv;
    /* -c: messages so far, of each slot; and which of them entered the queue first. */
    uint32_t *sent;
    uint32_t *received;
    uint64_t *entered;
    uint64_t now;
    size_t wrong;
} deep;

/* ---- data ------------------------------------------------------------------------------------ */

static void fill(const struct osu_run *run, int slot)
{
    if (!deep.check) {
        return;
    }
    osu_pattern_fill(osu_buffer_slot(&deep.send, slot), run->size,
                     osu_pattern_seed((int)deep.sent[slot]++, run->size, deep.self, slot));
}

static void spoil(const struct osu_run *run, int slot, int source)
{
    if (deep.check) {
        osu_pattern_spoil(osu_buffer_slot(&deep.recv, slot), run->size,
                          osu_pattern_seed((int)deep.received[slot], run->size, source, slot));
    }
}

/* A message that is not the one that must be matched now: what waits for that one would wait for
 * ever. */
static void expect(const struct osu_run *run, const char *what, int slot, int wanted, int found)
{
    if (wanted == found) {
        return;
    }
    fprintf(stderr, "%s: rank %d, slot %d: a message with %s %d was matched instead of %d\n",
            run->bench->name, run->rank, slot, what, found, wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What came for a slot: envelope and bytes. */
static void verify(const struct osu_run *run, int slot, int source, const void *buffer,
                   const MPI_Status *status)
{
    int count = -1;

    if (!deep.check) {
        return;
    }
    MPI_Get_count(status, MPI_CHAR, &count);
    expect(run, "source", slot, source, status->MPI_SOURCE);
    expect(run, "tag", slot, TAG_FIRST + slot, status->MPI_TAG);
    expect(run, "length", slot, (int)run->size, count);
    deep.wrong += osu_pattern_check(
        buffer, run->size, osu_pattern_seed((int)deep.received[slot]++, run->size, source, slot));
}

/* ---- a queue of posted receives -------------------------------------------------------------- */

static int source_of(int slot)
{
    return osu_slots_kind(&deep.slots, slot) == OSU_SLOT_ANY_TAG ? deep.self : deep.peer;
}

static void post(const struct osu_run *run, int slot)
{
    enum osu_slot_kind kind = osu_slots_kind(&deep.slots, slot);
    int source = kind == OSU_SLOT_ANY_SOURCE ? MPI_ANY_SOURCE : source_of(slot);
    int tag = kind == OSU_SLOT_ANY_TAG ? MPI_ANY_TAG : TAG_FIRST + slot;

    spoil(run, slot, source_of(slot));
    MPI_Irecv(osu_buffer_slot(&deep.recv, slot), (int)run->size, MPI_CHAR, source, tag,
              MPI_COMM_WORLD, &deep.requests[slot]);
}

static void send_to(const struct osu_run *run, int slot, int target)
{
    fill(run, slot);
    MPI_Send(osu_buffer_slot(&deep.send, slot), (int)run->size, MPI_CHAR, target, TAG_FIRST + slot,
             MPI_COMM_WORLD);
}

static void complete(const struct osu_run *run, int slot)
{
    MPI_Status status = {0};

    MPI_Wait(&deep.requests[slot], deep.check ? &status : MPI_STATUS_IGNORE);
    verify(run, slot, source_of(slot), osu_buffer_slot(&deep.recv, slot), &status);
}

static void posted_round(struct osu_run *run)
{
    int slot = osu_slots_pick(&deep.slots, run->options->order);

    if (run->rank == 0) {
        send_to(run, slot, deep.peer);
    }
    complete(run, slot);
    post(run, slot);
    if (run->rank != 0) {
        send_to(run, slot, deep.peer);
    }
}

/* Everything that is still posted gets its message, in the order in which receives from oneself
 * were posted. */
static void drain_posted(const struct osu_run *run)
{
    for (int slot = 0; slot < deep.slots.count; slot++) {
        send_to(run, slot, source_of(slot));
    }
    for (int slot = 0; slot < deep.slots.count; slot++) {
        complete(run, slot);
    }
}

/* ---- a queue of unexpected messages ---------------------------------------------------------- */

/* Start sending an entry. Short messages are through at once, and their requests need not be
 * kept. */
static void put_entry(const struct osu_run *run, int slot)
{
    /* The one before is through, or about to be: its receiver has it. */
    MPI_Wait(&deep.requests[slot], MPI_STATUS_IGNORE);
    fill(run, slot);
    MPI_Isend(osu_buffer_slot(&deep.send, slot), (int)run->size, MPI_CHAR, deep.peer,
              TAG_FIRST + slot, MPI_COMM_WORLD, &deep.requests[slot]);
}

static void give(const struct osu_run *run, int slot)
{
    int done;

    put_entry(run, slot);
    MPI_Send(NULL, 0, MPI_CHAR, deep.peer, TAG_TOKEN, MPI_COMM_WORLD);
    MPI_Test(&deep.requests[slot], &done, MPI_STATUS_IGNORE);
}

static int oldest_slot(void)
{
    int oldest = 0;

    for (int slot = 1; slot < deep.slots.count; slot++) {
        if (deep.entered[slot] < deep.entered[oldest]) {
            oldest = slot;
        }
    }
    return oldest;
}

/* Receive an entry; returns the slot it had. */
static int take_entry(const struct osu_run *run, int slot, enum osu_slot_kind kind)
{
    int source = kind == OSU_SLOT_ANY_SOURCE ? MPI_ANY_SOURCE : deep.peer;
    int tag = kind == OSU_SLOT_ANY_TAG ? MPI_ANY_TAG : TAG_FIRST + slot;
    bool known = kind != OSU_SLOT_ANY_TAG && !deep.check;
    MPI_Status status = {0};

    if (kind == OSU_SLOT_ANY_TAG && deep.check) {
        slot = oldest_slot();
    }
    spoil(run, slot, deep.peer);
    MPI_Recv(deep.recv.base, (int)run->size, MPI_CHAR, source, tag, MPI_COMM_WORLD,
             known ? MPI_STATUS_IGNORE : &status);
    verify(run, slot, deep.peer, deep.recv.base, &status);
    return known ? slot : status.MPI_TAG - TAG_FIRST;
}

/* The entry of the spare slot has come when the token has. */
static int take(const struct osu_run *run, int round)
{
    MPI_Recv(NULL, 0, MPI_CHAR, deep.peer, TAG_TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (deep.check) {
        deep.entered[deep.slots.spare] = deep.now++;
    }
    return take_entry(run, osu_slots_pick(&deep.slots, run->options->order),
                      osu_slots_kind_of_round(&deep.slots, round));
}

static void unexpected_round(struct osu_run *run, int round)
{
    int spare = deep.slots.spare, taken;

    if (run->rank == 0) {
        give(run, spare);
    }
    taken = take(run, round);
    if (run->rank != 0) {
        give(run, spare);
    }
    deep.slots.spare = taken;
}

static void drain_unexpected(const struct osu_run *run)
{
    for (int slot = 0; slot < deep.slots.count; slot++) {
        if (slot != deep.slots.spare) {
            (void)take_entry(run, slot, OSU_SLOT_EXACT);
        }
    }
    for (int slot = 0; slot < deep.slots.count; slot++) {
        MPI_Wait(&deep.requests[slot], MPI_STATUS_IGNORE);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static bool tags_suffice(const struct osu_run *run, size_t deepest)
{
    int *most = NULL;
    int found = 0;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    if (found && deepest + TAG_FIRST <= (size_t)*most) {
        return true;
    }
    if (run->rank == 0) {
        fprintf(stderr, "%s: --depth %zu: this MPI has tags up to %d only; lower -d\n",
                run->bench->name, deepest, found ? *most : 0);
    }
    return false;
}

static int open_buffers(struct osu_run *run, size_t slots)
{
    bool many = run->options->check || run->options->multiple;
    bool unexpected = deep.slots.unexpected;
    size_t size = run->options->sizes[0];

    if (osu_buffer_open_dense(&deep.send, run, size, many && unexpected ? (int)slots : 1) != 0) {
        return -1;
    }
    return osu_buffer_open_dense(&deep.recv, run, size, many && !unexpected ? (int)slots : 1);
}

static int setup(struct osu_run *run)
{
    const struct osu_options *options = run->options;
    size_t slots = 1;

    for (int i = 0; i < options->depth_count; i++) {
        slots = options->depths[i] + 1 > slots ? options->depths[i] + 1 : slots;
    }
    deep.self = run->rank;
    deep.peer = 1 - run->rank;
    deep.slots.unexpected = options->queue == OSU_QUEUE_UNEXPECTED;
    deep.check = options->check;
    osu_slots_mix(&deep.slots, options->wildcards);
    if (!tags_suffice(run, slots - 1)) {
        return -1;
    }
    deep.requests = calloc(slots, sizeof(deep.requests[0]));
    deep.sent = calloc(slots, sizeof(deep.sent[0]));
    deep.received = calloc(slots, sizeof(deep.received[0]));
    deep.entered = calloc(slots, sizeof(deep.entered[0]));
    if (!deep.requests || !deep.sent || !deep.received || !deep.entered) {
        fprintf(stderr, "%s: rank %d: no memory for %zu entries; lower -d\n", run->bench->name,
                run->rank, slots);
        return -1;
    }
    return open_buffers(run, slots);
}

static void teardown(struct osu_run *run)
{
    (void)run;
    free(deep.requests);
    free(deep.sent);
    free(deep.received);
    free(deep.entered);
    osu_buffer_close(&deep.send);
    osu_buffer_close(&deep.recv);
}

static void describe(const struct osu_run *run)
{
    static const char *const queues[] = {"posted receives", "unexpected messages"};
    static const char *const orders[] = {"forward", "reverse", "random"};
    const struct osu_options *options = run->options;

    printf("# Queue: %s of %zu bytes\n# Order: %s\n# Wildcards: %d %%\n", queues[options->queue],
           options->sizes[0], orders[options->order], options->wildcards);
}

/* Both ranks fill each other's queue before the first round. */
static void open_depth(struct osu_run *run)
{
    osu_slots_open(&deep.slots, run->depth);
    deep.now = 0;
    osu_buffer_touch(&deep.send, run->size, 'a');
    osu_buffer_touch(&deep.recv, run->size, 'b');
    for (int slot = 0; slot < deep.slots.count; slot++) {
        deep.requests[slot] = MPI_REQUEST_NULL;
        deep.sent[slot] = 0;
        deep.received[slot] = 0;
        deep.entered[slot] = deep.now++;
    }
    for (int slot = 0; slot < deep.slots.count; slot++) {
        if (!deep.slots.unexpected) {
            post(run, slot);
        } else if (slot != deep.slots.spare) {
            put_entry(run, slot);
        }
    }
}

static void round_of_depth(struct osu_run *run, int round)
{
    if (deep.slots.unexpected) {
        unexpected_round(run, round);
    } else {
        posted_round(run);
    }
}

static size_t verify_round(struct osu_run *run, int round)
{
    size_t wrong = deep.wrong;

    (void)run;
    (void)round;
    deep.wrong = 0;
    return wrong;
}

/* What is left in the queues counts for -c as well, so it is emptied before the row is printed. */
static void measure(struct osu_run *run)
{
    osu_measure_rounds(run);
    if (deep.slots.unexpected) {
        drain_unexpected(run);
    } else {
        drain_posted(run);
    }
    run->errors += verify_round(run, 0);
}

static const struct osu_bench bench = {.name = "osu_deep_queue",
                                       .title = "OSU-style MPI Deep Queue Latency Test",
                                       .letters = "BdqoaixcbzM",
                                       .axis = "Depth",
                                       .heading = "Latency (us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .max_ranks = 2,
                                       .by_depth = true,
                                       .defaults = osu_defaults_depth,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .describe = describe,
                                       .open = open_depth,
                                       .measure = measure,
                                       .round = round_of_depth,
                                       .verify = verify_round,
                                       .scale = osu_scale_half};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
