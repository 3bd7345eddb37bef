/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/arrive_note.c ni/engine/object/notify/interrupt.c. */
#include <apeni/fault.h>
#include <poll.h>
#include <unistd.h>

#include "base/bits.h"
#include "suite.h"

/*
 * Notification: departures, after which the source may be used again; notes of each kind behind the
 * data, once for each transfer; interrupts; and what is refused.
 * Covers: ni/engine/core/noting.c ni/engine/object/notify/note.c
 */

enum { MOST = 300000, ITEMS = 2, ALLOCATIONS = 200 };

struct target {
    uint8_t *memory, *local; /* MOST bytes each, at NI 1 and at NI 0 */
    ni_word *flag;           /* at NI 1 */
    struct ni_rkey memory_key, flag_key, consumer_key, queue_key, counter_key, interrupt_key;
    int fd; /* where NI 1 lives */
    _Atomic uint64_t consumed, last, counted;
    _Atomic uint64_t got; /* what was asked of NI 1 */
};

/* One transfer. */
struct sent {
    struct target *target;
    const struct ni_note *note; /* the controller's, and what the NI gets */
    struct ni_note copy;
    uint32_t len;
    bool wrong_key;
    struct suite_done departed, done;
    _Atomic int order; /* of the departure among the two: 1 if it came first */
    int accepted;
};

static void consume(void *arg, const struct ni_message_info *message)
{
    struct target *target = arg;
    uint64_t value;

    CHECK(message->len == sizeof(value));
    memcpy(&value, message->data, sizeof(value));
    atomic_store(&target->last, value);
    atomic_fetch_add(&target->consumed, 1);
}

static void on_zero(void *arg, ni_status status, uint64_t value)
{
    struct target *target = arg;

    (void)value;
    CHECK(status == NI_OK);
    atomic_fetch_add(&target->counted, 1);
}

static void open_target(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct ni_ack zero = {.kind = NI_ACK_CALL, .fn = on_zero, .arg = target};

    CHECK(ni_region_memory(ni->ni, target->memory, MOST, NI_ACCESS_ALL, &target->memory_key) ==
          NI_OK);
    CHECK(ni_region_memory(ni->ni, target->flag, 4096, NI_ACCESS_WRITE, &target->flag_key) ==
          NI_OK);
    CHECK(ni_region_consumer(ni->ni, consume, target, 0, &target->consumer_key) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 8, ITEMS, &target->queue_key) == NI_OK);
    CHECK(ni_counter_create(ni->ni, -5, &target->counter_key) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, target->counter_key.handle, &zero) == NI_OK);
    CHECK(ni_interrupt_create(ni->ni, &target->interrupt_key, &target->fd) == NI_OK);
}

static struct target *new_target(struct suite *suite)
{
    struct target *target = suite_alloc(suite, sizeof(*target));

    target->memory = suite_alloc(suite, MOST);
    target->local = suite_alloc(suite, MOST);
    target->flag = suite_alloc(suite, 4096);
    suite_call(suite, 1, open_target, target);
    return target;
}

/* The source is the user's again: use it. */
static void on_departed(void *arg, ni_status status, uint64_t value)
{
    struct sent *sent = arg;

    CHECK(value == (status == NI_OK ? sent->len : 0));
    atomic_store(&sent->order, atomic_load(&sent->done.count) == 0);
    atomic_store(&sent->departed.status, status);
    memset(sent->target->local, 0xee, sent->len);
    atomic_fetch_add(&sent->departed.count, 1);
}

static void send_it(struct suite_ni *ni, void *arg)
{
    struct sent *sent = arg;
    struct ni_rkey rkey = sent->target->memory_key;
    struct ni_remote where;
    struct ni_ack departed = {.kind = NI_ACK_CALL, .fn = on_departed, .arg = sent};
    struct ni_ack done = suite_ack(&sent->done);

    rkey.key ^= sent->wrong_key;
    where = suite_remote(sent->target->memory, &rkey);
    sent->accepted = ni_write_notify(ni->ni, ni->peers[1], sent->target->local, sent->len, &where,
                                     sent->note != NULL ? &sent->copy : NULL, &departed, &done);
}

static void begin(struct suite *suite, struct sent *sent)
{
    if (sent->note != NULL) {
        sent->copy = *sent->note;
    }
    suite_call(suite, 0, send_it, sent);
}

/* Returns how it ended. Both ends are told, once, in their order. */
static ni_status run(struct suite *suite, struct sent *sent)
{
    atomic_store(&sent->departed.count, 0);
    atomic_store(&sent->done.count, 0);
    atomic_store(&sent->order, 0);
    begin(suite, sent);
    if (sent->accepted != NI_OK) {
        CHECK(atomic_load(&sent->departed.count) + atomic_load(&sent->done.count) == 0);
        return (ni_status)sent->accepted;
    }
    suite_until_count(suite, &sent->done.count, 1);
    CHECK(atomic_load(&sent->departed.count) == 1 && atomic_load(&sent->done.count) == 1);
    CHECK(atomic_load(&sent->order) == 1);
    CHECK(atomic_load(&sent->done.status) != NI_OK || atomic_load(&sent->done.value) == sent->len);
    return (ni_status)atomic_load(&sent->done.status);
}

static struct ni_note note_of(const struct ni_rkey *rkey, uint64_t value)
{
    return (struct ni_note){.region = *rkey, .value = value};
}

static struct sent *new_sent(struct suite *suite, struct target *target)
{
    struct sent *sent = suite_alloc(suite, sizeof(*sent));

    sent->target = target;
    return sent;
}

/* ---- each kind, each size -------------------------------------------------------------------- */

static const uint32_t lens[] = {0, 1, 8, 31, 32, 48, 1000, 2048, 4096, 70000, MOST};

static void fill(struct target *target, uint32_t len, uint64_t seed)
{
    memset(target->memory, 0, len);
    suite_fill(target->local, len, seed);
}

static void words(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);

    for (uint64_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        struct ni_note note = note_of(&target->flag_key, i + 100);

        note.addr = (uintptr_t)&target->flag[i];
        sent->note = &note;
        sent->len = lens[i];
        fill(target, lens[i], i);
        CHECK(run(suite, sent) == NI_OK);
        CHECK(atomic_load_explicit(&target->flag[i], memory_order_acquire) == i + 100);
        CHECK(suite_filled(target->memory, lens[i], i));
    }
}

/* Who sees the word sees the data, before anybody is told of the completion. */
static void behind_the_data(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);

    for (uint64_t i = 1; i < NI_ARRAY_LENGTH(lens); i++) {
        struct ni_note note = note_of(&target->flag_key, i);

        note.addr = (uintptr_t)&target->flag[0];
        sent->note = &note;
        sent->len = lens[i];
        fill(target, lens[i], i);
        atomic_store(&sent->done.count, 0);
        begin(suite, sent);
        CHECK(sent->accepted == NI_OK);
        suite_until_count(suite, target->flag, i);
        CHECK(atomic_load_explicit(&target->flag[0], memory_order_acquire) == i);
        CHECK(suite_filled(target->memory, lens[i], i));
        suite_until_count(suite, &sent->done.count, 1);
    }
}

static void departures(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);

    for (uint64_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        sent->len = lens[i];
        fill(target, lens[i], i);
        CHECK(run(suite, sent) == NI_OK && atomic_load(&sent->departed.status) == NI_OK);
        CHECK(suite_filled(target->memory, lens[i], i));
    }
}

/* One notification for each transfer, of one packet or a hundred. */
static void objects(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);

    for (uint64_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        struct ni_note enqueued = note_of(&target->consumer_key, i + 7);
        struct ni_note counted = note_of(&target->counter_key, i % 2 == 0 ? 5 : (uint64_t)-5);

        sent->len = lens[i];
        sent->note = &enqueued;
        fill(target, lens[i], i);
        CHECK(run(suite, sent) == NI_OK && suite_filled(target->memory, lens[i], i));
        CHECK(atomic_load(&target->consumed) == i + 1 && atomic_load(&target->last) == i + 7);
        sent->note = &counted;
        CHECK(run(suite, sent) == NI_OK);
        CHECK(atomic_load(&target->counted) == i / 2 + 1);
    }
}

/* ---- a full queue ---------------------------------------------------------------------------- */

static void pop(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    uint64_t value = 0;
    size_t len;

    if (ni_queue_pop(ni->ni, target->queue_key.handle, &value, sizeof(value), &len) == NI_OK) {
        CHECK(len == sizeof(value));
        atomic_store(&target->got, value);
    } else {
        atomic_store(&target->got, 0);
    }
}

/* The transfer waits until there is room: nothing is lost, nothing comes twice. */
static void full_queue(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent[6];
    struct ni_note note[6];

    for (uint64_t i = 0; i < 6; i++) {
        sent[i] = new_sent(suite, target);
        note[i] = note_of(&target->queue_key, i + 1);
        sent[i]->note = &note[i];
        begin(suite, sent[i]);
        CHECK(sent[i]->accepted == NI_OK);
    }
    suite_rest(suite);
    CHECK(atomic_load(&sent[5]->done.count) == 0);
    for (uint64_t i = 0; i < 6; i++) {
        suite_until_count(suite, &sent[i]->done.count, 1);
        suite_call(suite, 1, pop, target);
        CHECK(atomic_load(&target->got) == i + 1);
    }
    suite_call(suite, 1, pop, target);
    CHECK(atomic_load(&target->got) == 0);
}

static void turn(struct suite_ni *ni, void *arg)
{
    (void)arg;
    suite_turn(ni);
}

/* Two NIs fill each other's queue, and a third one writes to both. What is held back waits for who
 * reads the queue, and for nobody else: each item comes, once and in order, and the third is not
 * held up. */
struct crossed {
    struct ni_rkey queue[2], memory[2];
    uint8_t *bytes;            /* 4096 of each */
    struct suite_done done[3]; /* by initiator */
    _Atomic uint64_t got[2];
};

enum { CROSSED = 20 };

static void open_crossed(struct suite_ni *ni, void *arg)
{
    struct crossed *crossed = arg;

    CHECK(ni_region_queue(ni->ni, 8, ITEMS, &crossed->queue[ni->index]) == NI_OK);
    CHECK(ni_region_memory(ni->ni, crossed->bytes + ni->index * 4096U, 4096, NI_ACCESS_ALL,
                           &crossed->memory[ni->index]) == NI_OK);
}

static void note_to_queue(struct suite_ni *ni, void *arg)
{
    struct crossed *crossed = arg;
    unsigned to = !ni->index;
    struct ni_ack ack = suite_ack(&crossed->done[ni->index]);

    for (uint64_t i = 1; i <= CROSSED; i++) {
        struct ni_note note = note_of(&crossed->queue[to], i);
        struct ni_remote where = suite_remote(crossed->bytes + to * 4096U, &crossed->memory[to]);

        CHECK(ni_write_notify(ni->ni, ni->peers[to], &i, 0, &where, &note, NULL, &ack) == NI_OK);
    }
}

static void write_both(struct suite_ni *ni, void *arg)
{
    struct crossed *crossed = arg;
    static const uint8_t data[100] = {1, 2, 3};

    for (unsigned to = 0; to < 2; to++) {
        struct ni_remote where =
            suite_remote(crossed->bytes + to * 4096U + 8, &crossed->memory[to]);

        CHECK(suite_write(ni, to, data, sizeof(data), &where) == NI_OK);
    }
}

static void pop_crossed(struct suite_ni *ni, void *arg)
{
    struct crossed *crossed = arg;
    uint64_t value;
    size_t len;

    while (ni_queue_pop(ni->ni, crossed->queue[ni->index].handle, &value, sizeof(value), &len) ==
           NI_OK) {
        CHECK(value == atomic_load(&crossed->got[ni->index]) + 1);
        atomic_store(&crossed->got[ni->index], value);
    }
}

static void full_both_ways(struct suite *suite)
{
    struct crossed *crossed = suite_alloc(suite, sizeof(*crossed));

    crossed->bytes = suite_alloc(suite, 2 * 4096);
    for (unsigned i = 0; i < 2; i++) {
        suite_call(suite, i, open_crossed, crossed);
    }
    for (unsigned i = 0; i < 2; i++) {
        suite_call(suite, i, note_to_queue, crossed);
    }
    suite_rest(suite);
    suite_call(suite, 2, write_both, crossed);
    CHECK(atomic_load(&crossed->done[0].count) <= ITEMS);
    CHECK(atomic_load(&crossed->done[1].count) <= ITEMS);
    while (atomic_load(&crossed->got[0]) < CROSSED || atomic_load(&crossed->got[1]) < CROSSED) {
        suite_call(suite, 0, pop_crossed, crossed);
        suite_call(suite, 1, pop_crossed, crossed);
        suite_call(suite, 0, turn, NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        suite_until_count(suite, &crossed->done[i].count, CROSSED);
        CHECK(atomic_load(&crossed->done[i].status) == NI_OK);
        suite_call(suite, i, pop_crossed, crossed);
        CHECK(atomic_load(&crossed->got[i]) == CROSSED);
    }
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void read_fd(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct pollfd fd = {.fd = target->fd, .events = POLLIN};
    uint64_t count = 0;

    (void)ni;
    if (poll(&fd, 1, 0) == 1) {
        CHECK(read(target->fd, &count, sizeof(count)) == (ssize_t)sizeof(count));
    }
    atomic_store(&target->got, count);
}

static void expect_interrupts(struct suite *suite, struct target *target, uint64_t count)
{
    suite_call(suite, 1, read_fd, target);
    CHECK(atomic_load(&target->got) == count);
}

static void raise_remote(struct suite_ni *ni, void *arg)
{
    struct sent *sent = arg;
    struct ni_ack ack = suite_ack(&sent->done);
    struct ni_rkey rkey = sent->target->interrupt_key;

    rkey.key ^= sent->wrong_key;
    sent->accepted = ni_interrupt_raise_remote(ni->ni, ni->peers[1], &rkey, &ack);
}

static void raise_local(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;

    CHECK(ni_interrupt_raise(ni->ni, target->interrupt_key.handle) == NI_OK);
    CHECK(ni_interrupt_raise(ni->ni, target->flag_key.handle) == NI_ERR_REGION);
    CHECK(ni_interrupt_create(ni->ni, NULL, NULL) == NI_ERR_INVALID);
}

static void close_interrupt(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;

    CHECK(ni_region_deregister(ni->ni, target->interrupt_key.handle) == NI_OK);
    CHECK(ni_interrupt_raise(ni->ni, target->interrupt_key.handle) == NI_ERR_REGION);
}

static void interrupts(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);
    struct ni_note note = note_of(&target->interrupt_key, 0);

    expect_interrupts(suite, target, 0);
    sent->note = &note;
    for (unsigned i = 0; i < 3; i++) {
        sent->len = i * 40000;
        CHECK(run(suite, sent) == NI_OK);
    }
    expect_interrupts(suite, target, 3);
    suite_call(suite, 1, raise_local, target);
    expect_interrupts(suite, target, 1);
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        atomic_store(&sent->done.count, 0);
        sent->wrong_key = wrong != 0;
        suite_call(suite, 0, raise_remote, sent);
        CHECK(sent->accepted == NI_OK);
        suite_until_count(suite, &sent->done.count, 1);
        CHECK(atomic_load(&sent->done.status) == (wrong ? NI_ERR_KEY : NI_OK));
        expect_interrupts(suite, target, !wrong);
    }
    sent->wrong_key = false;
    suite_call(suite, 1, close_interrupt, target);
    CHECK(run(suite, sent) == NI_ERR_REGION);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refused(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);

    for (unsigned i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        struct ni_note note = note_of(&target->flag_key, 1);

        sent->note = &note;
        sent->len = lens[i];
        note.addr = (uintptr_t)target->flag + 4;
        CHECK(run(suite, sent) == NI_ERR_ALIGN);
        note.addr = (uintptr_t)target->flag + 4096;
        CHECK(run(suite, sent) == NI_ERR_BOUNDS);
        note.addr = (uintptr_t)target->flag;
        note.region.key ^= 2;
        CHECK(run(suite, sent) == NI_ERR_KEY);
        note = note_of(&target->counter_key, 1);
        note.region.key ^= 2;
        CHECK(run(suite, sent) == NI_ERR_KEY);
        note.region.handle ^= 1U << 20; /* another generation */
        CHECK(run(suite, sent) == NI_ERR_REGION);
        /* Data that is refused: no note. */
        note = note_of(&target->flag_key, 1);
        note.addr = (uintptr_t)target->flag;
        sent->wrong_key = true;
        memset(target->memory, 0x77, 8);
        CHECK(run(suite, sent) == NI_ERR_KEY);
        CHECK(target->memory[0] == 0x77);
        sent->wrong_key = false;
    }
    CHECK(atomic_load(target->flag) == 0 && atomic_load(&target->counted) == 0);
}

/* Both ends are told when the peer dies. */
static void dead_peer(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);
    struct ni_note note = note_of(&target->counter_key, 0);
    ni_status status = NI_OK;

    sent->note = &note;
    sent->len = 70000;
    suite_kill(suite, 1);
    while (status == NI_OK) {
        status = run(suite, sent);
    }
    CHECK(status == NI_ERR_PEER_DEAD);
}

/* One life with the nth allocation failing; returns whether any was left to fail. */
static bool live(struct suite *suite, struct sent *sent, uint64_t nth)
{
    ni_status status;
    bool struck;

    ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
    status = run(suite, sent);
    CHECK(status == NI_OK || status == NI_ERR_NOMEM);
    struck = ni_fault_struck(NI_FAULT_ALLOC) != 0;
    ni_fault_reset();
    return struck;
}

static void no_memory(struct suite *suite)
{
    struct target *target = new_target(suite);
    struct sent *sent = new_sent(suite, target);
    struct ni_note note = note_of(&target->consumer_key, 0);
    uint64_t nth = 1;

    sent->note = &note;
    sent->len = 70000;
    while (live(suite, sent, nth)) {
        CHECK(++nth < ALLOCATIONS);
    }
    CHECK(nth > 1);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"words", 2, 0, words},
        {"behind_the_data", 2, 0, behind_the_data},
        {"departures", 2, 0, departures},
        {"objects", 2, 0, objects},
        {"full_queue", 2, 0, full_queue},
        {"full_both_ways", 3, 0, full_both_ways},
        {"interrupts", 2, 0, interrupts},
        {"refused", 2, 0, refused},
        {"dead_peer", 2, SUITE_NEEDS_KILL, dead_peer},
        {"no_memory", 2, SUITE_NEEDS_HERE, no_memory},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
