/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "suite.h"

/*
 * How completion is told: acks of every kind for every operation, and counters with notifications,
 * chained and over many NIs.
 */

/* The atomics have a word of their own: what they do to bytes that a Write crosses is not
 * defined. */
enum { LEN = 3000, WORD_AT = 3008, MEMORY_LEN = WORD_AT + 8, TRANSFERS = 40, ROUNDS = 20 };

enum what { WRITE, READ, FETCH, ENQUEUE, COUNT, WHATS };

struct target {
    uint8_t *memory, *local;
    struct ni_rkey memory_rkey, queue_rkey, counter_rkey;
    _Atomic uint64_t consumed;
    _Atomic uint64_t word;
};

static void consume(void *arg, const struct ni_message_info *message)
{
    CHECK(message->len == 24);
    atomic_fetch_add(&((struct target *)arg)->consumed, 1);
}

static void open_target(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;

    CHECK(ni_region_memory(ni->ni, target->memory, MEMORY_LEN, NI_ACCESS_ALL,
                           &target->memory_rkey) == NI_OK);
    CHECK(ni_region_consumer(ni->ni, consume, target, 0, &target->queue_rkey) == NI_OK);
    CHECK(ni_counter_create(ni->ni, 1000000, &target->counter_rkey) == NI_OK);
}

static struct target *new_target(struct suite *suite, unsigned i)
{
    struct target *target = suite_alloc(suite, sizeof(*target));

    target->memory = suite_alloc(suite, MEMORY_LEN);
    target->local = suite_alloc(suite, LEN);
    suite_call(suite, i, open_target, target);
    return target;
}

/*
 * Start an operation of NI 0 at NI 1; *value is what its completion will hold. NULL: nobody asks,
 * and earlier operations may still be changing the target's memory.
 */
static ni_status start(struct suite_ni *ni, struct target *target, enum what what, bool wrong,
                       const struct ni_ack *ack, uint64_t *value)
{
    struct ni_rkey memory = target->memory_rkey, queue = target->queue_rkey;
    struct ni_rkey counter = target->counter_rkey;
    struct ni_remote where;
    uint64_t ignored;

    value = value != NULL ? value : &ignored;
    memory.key ^= wrong;
    queue.key ^= wrong;
    counter.key ^= wrong;
    where = suite_remote(target->memory, &memory);
    switch (what) {
    case WRITE:
        *value = LEN;
        return ni_write(ni->ni, ni->peers[1], target->local, LEN, &where, ack);
    case READ:
        *value = LEN - 10;
        return ni_read(ni->ni, ni->peers[1], target->local, LEN - 10, &where, ack);
    case FETCH:
        if (value != &ignored) {
            memcpy(value, target->memory + WORD_AT, sizeof(*value));
        }
        where.addr += WORD_AT;
        return ni_fetch_op(ni->ni, ni->peers[1], NI_ATOMIC_ADD, 8, 5, 0, &where, ack);
    case ENQUEUE:
        *value = 24;
        return ni_enqueue(ni->ni, ni->peers[1], &queue, target->local, 24, ack);
    default:
        *value = 8;
        return ni_counter_add_remote(ni->ni, ni->peers[1], &counter, 3, ack);
    }
}

static void start_surely(struct suite_ni *ni, struct target *target, enum what what, bool wrong,
                         const struct ni_ack *ack, uint64_t *value)
{
    ni_status status;

    while ((status = start(ni, target, what, wrong, ack, value)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
}

/* ---- each kind ------------------------------------------------------------------------------- */

static void call_acks_here(struct suite_ni *ni, void *arg)
{
    for (int what = WRITE; what < WHATS; what++) {
        for (int wrong = 0; wrong < 2; wrong++) {
            struct suite_done done = {0};
            struct ni_ack ack = suite_ack(&done);
            uint64_t value;

            start_surely(ni, arg, (enum what)what, wrong, &ack, &value);
            while (atomic_load(&done.count) == 0) {
                suite_turn(ni);
            }
            CHECK(atomic_load(&done.status) == (wrong ? NI_ERR_KEY : NI_OK));
            CHECK(wrong || atomic_load(&done.value) == value);
        }
    }
}

static void call_acks(struct suite *suite)
{
    suite_call(suite, 0, call_acks_here, new_target(suite, 1));
}

static void word_acks_here(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &target->word};

    for (int what = WRITE; what < WHATS; what++) {
        for (int wrong = 0; wrong < 2; wrong++) {
            uint64_t value, word;

            atomic_store(&target->word, UINT64_MAX - 100);
            start_surely(ni, target, (enum what)what, wrong, &ack, &value);
            while ((word = atomic_load(&target->word)) == UINT64_MAX - 100) {
                suite_turn(ni);
            }
            CHECK(ni_ack_status(word) == (wrong ? NI_ERR_KEY : NI_OK));
            CHECK(wrong ? word == ni_ack_failure(NI_ERR_KEY) : word == value);
        }
    }
}

static void word_acks(struct suite *suite)
{
    suite_call(suite, 0, word_acks_here, new_target(suite, 1));
}

static int64_t read_counter(const struct suite_ni *ni, const struct ni_rkey *counter)
{
    int64_t value;

    CHECK(ni_counter_read(ni->ni, counter->handle, &value) == NI_OK);
    return value;
}

static void counter_acks_here(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct ni_rkey counter;
    int64_t expected = -7;

    CHECK(ni_counter_create(ni->ni, expected, &counter) == NI_OK);
    struct ni_ack ack = {.kind = NI_ACK_COUNTER, .counter = counter.handle};
    for (int what = WRITE; what < WHATS; what++) {
        struct suite_done done = {0};
        struct ni_ack flushed = suite_ack(&done);
        uint64_t value;

        start_surely(ni, target, (enum what)what, false, &ack, &value);
        start_surely(ni, target, (enum what)what, true, &ack, NULL);
        CHECK(ni_flush(ni->ni, ni->peers[1], &flushed) == NI_OK);
        while (atomic_load(&done.count) == 0) {
            suite_turn(ni);
        }
        expected += (int64_t)value; /* what failed adds nothing */
        CHECK(read_counter(ni, &counter) == expected);
    }
    CHECK(ni_region_deregister(ni->ni, counter.handle) == NI_OK);
}

static void counter_acks(struct suite *suite)
{
    suite_call(suite, 0, counter_acks_here, new_target(suite, 1));
}

/* Departures, too, are the bytes of their transfer: to a word, and added to a counter. */
static void departures_here(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct ni_remote where = suite_remote(target->memory, &target->memory_rkey);
    struct ni_ack word = {.kind = NI_ACK_WORD, .word = &target->word}, counted, done;
    struct suite_done ends = {0};
    struct ni_rkey counter;
    int64_t all = 0;

    CHECK(ni_counter_create(ni->ni, 0, &counter) == NI_OK);
    counted = (struct ni_ack){.kind = NI_ACK_COUNTER, .counter = counter.handle};
    done = suite_ack(&ends);
    for (uint64_t len = 0, writes = 2; len <= LEN; len = 5 * len + 8, writes += 2) {
        atomic_store(&target->word, UINT64_MAX - 100);
        CHECK(ni_write_notify(ni->ni, ni->peers[1], target->local, len, &where, NULL, &word,
                              &done) == NI_OK);
        CHECK(ni_write_notify(ni->ni, ni->peers[1], target->local, len, &where, NULL, &counted,
                              &done) == NI_OK);
        while (atomic_load(&ends.count) < writes) {
            suite_turn(ni);
        }
        all += (int64_t)len;
        CHECK(atomic_load(&target->word) == len && read_counter(ni, &counter) == all);
    }
    CHECK(ni_region_deregister(ni->ni, counter.handle) == NI_OK);
}

static void departures(struct suite *suite)
{
    suite_call(suite, 0, departures_here, new_target(suite, 1));
}

static void no_acks_here(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct suite_done done = {0};
    struct ni_ack none = {.kind = NI_ACK_NONE}, flushed = suite_ack(&done);

    for (int i = 0; i < 100; i++) {
        for (int what = WRITE; what < WHATS; what++) {
            start_surely(ni, target, (enum what)what, i % 5 == 0, i % 2 == 0 ? &none : NULL, NULL);
        }
    }
    CHECK(ni_flush(ni->ni, ni->peers[1], &flushed) == NI_OK);
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static void check_no_acks(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;

    CHECK(read_counter(ni, &target->counter_rkey) == 1000000 + 80 * 3);
}

static void no_acks(struct suite *suite)
{
    struct target *target = new_target(suite, 1);

    suite_call(suite, 0, no_acks_here, target);
    suite_until_count(suite, &target->consumed, 80);
    suite_call(suite, 1, check_no_acks, target);
}

/* ---- a session: a counter reaches zero when all transfers are done --------------------------- */

struct session {
    struct target *targets[SUITE_NIS];
    struct suite_done done;
    _Atomic uint64_t word;
    uint64_t total;
};

static void run_session(struct suite_ni *ni, void *arg)
{
    struct session *session = arg;
    struct ni_rkey counter, chained;

    for (unsigned i = 0; i < TRANSFERS; i++) {
        session->total += 1 + i * 70;
    }
    CHECK(ni_counter_create(ni->ni, -(int64_t)session->total, &counter) == NI_OK);
    CHECK(ni_counter_create(ni->ni, -1, &chained) == NI_OK);
    /* Four notifications, one of which leads on to a second counter. */
    struct ni_ack call = suite_ack(&session->done);
    struct ni_ack word = {.kind = NI_ACK_WORD, .word = &session->word, .value = 77};
    struct ni_ack chain = {.kind = NI_ACK_COUNTER, .counter = chained.handle, .value = 1};

    CHECK(ni_counter_notify(ni->ni, counter.handle, &call) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, counter.handle, &word) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, counter.handle, &chain) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, counter.handle, &call) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, counter.handle, &call) == NI_ERR_LIMIT);
    CHECK(ni_counter_notify(ni->ni, chained.handle, &call) == NI_OK);

    struct ni_ack ack = {.kind = NI_ACK_COUNTER, .counter = counter.handle};
    for (unsigned i = 0; i < TRANSFERS; i++) {
        struct target *target = session->targets[1 + i % (ni->suite->n - 1)];
        struct ni_remote where = suite_remote(target->memory, &target->memory_rkey);
        ni_status status;

        while ((status = ni_write(ni->ni, ni->peers[1 + i % (ni->suite->n - 1)], target->local,
                                  1 + i * 70, &where, &ack)) == NI_AGAIN) {
            suite_turn(ni);
        }
        CHECK(status == NI_OK);
    }
    while (atomic_load(&session->done.count) < 3) {
        suite_turn(ni);
    }
    CHECK(atomic_load(&session->word) == 77);
    CHECK(read_counter(ni, &counter) == 0 && read_counter(ni, &chained) == 0);
    /* Armed anew: the notifications leave again. */
    CHECK(ni_counter_add(ni->ni, chained.handle, -2) == NI_OK);
    CHECK(ni_counter_add(ni->ni, counter.handle, -5) == NI_OK);
    CHECK(atomic_load(&session->done.count) == 3);
    CHECK(ni_counter_add(ni->ni, counter.handle, 5) == NI_OK);
    CHECK(atomic_load(&session->done.count) == 5);
    CHECK(read_counter(ni, &chained) == -1);
    /* Past zero without touching it: nothing. */
    CHECK(ni_counter_add(ni->ni, chained.handle, 3) == NI_OK);
    CHECK(atomic_load(&session->done.count) == 5);
}

static void session(struct suite *suite)
{
    struct session *session = suite_alloc(suite, sizeof(*session));

    for (unsigned i = 1; i < suite->n; i++) {
        session->targets[i] = new_target(suite, i);
    }
    suite_call(suite, 0, run_session, session);
    suite_rest(suite);
    CHECK(atomic_load(&session->done.count) == 5);
}

/* ---- a barrier: counters of all NIs, in a tree ----------------------------------------------- */

/* NI 0 is the root; each other NI adds to its counter. At zero the root adds to everyone's gate. */
struct barrier {
    struct ni_rkey root;
    struct ni_rkey gates[SUITE_NIS];
    _Atomic uint64_t entered[ROUNDS];
    _Atomic uint64_t open[SUITE_NIS]; /* rounds for which the gate has opened */
    struct suite_ni *root_ni;
};

static void open_gates(void *arg, ni_status status, uint64_t value)
{
    struct barrier *barrier = arg;
    struct suite_ni *ni = barrier->root_ni;

    (void)value;
    CHECK(status == NI_OK);
    CHECK(ni_counter_add(ni->ni, barrier->root.handle, -(int64_t)ni->suite->n) == NI_OK);
    CHECK(ni_counter_add(ni->ni, barrier->gates[0].handle, 1) == NI_OK);
    for (unsigned i = 1; i < ni->suite->n; i++) {
        CHECK(ni_counter_add_remote(ni->ni, ni->peers[i], &barrier->gates[i], 1, NULL) == NI_OK);
    }
}

static void gate_opens(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    CHECK(status == NI_OK);
    atomic_fetch_add((_Atomic uint64_t *)arg, 1);
}

static void open_barrier(struct suite_ni *ni, void *arg)
{
    struct barrier *barrier = arg;
    struct ni_ack gate = {
        .kind = NI_ACK_CALL, .fn = gate_opens, .arg = (void *)&barrier->open[ni->index]};
    struct ni_ack root = {.kind = NI_ACK_CALL, .fn = open_gates, .arg = barrier};

    CHECK(ni_counter_create(ni->ni, -1, &barrier->gates[ni->index]) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, barrier->gates[ni->index].handle, &gate) == NI_OK);
    if (ni->index == 0) {
        barrier->root_ni = ni;
        CHECK(ni_counter_create(ni->ni, -(int64_t)ni->suite->n, &barrier->root) == NI_OK);
        CHECK(ni_counter_notify(ni->ni, barrier->root.handle, &root) == NI_OK);
    }
}

/* One NI enters; what comes behind the gate is checked by the controller. */
static void enter(struct suite_ni *ni, void *arg)
{
    struct barrier *barrier = arg;

    CHECK(ni_counter_add(ni->ni, barrier->gates[ni->index].handle,
                         -1 - read_counter(ni, &barrier->gates[ni->index])) == NI_OK);
    if (ni->index == 0) {
        CHECK(ni_counter_add(ni->ni, barrier->root.handle, 1) == NI_OK);
    } else {
        CHECK(ni_counter_add_remote(ni->ni, ni->peers[0], &barrier->root, 1, NULL) == NI_OK);
    }
}

static void barrier(struct suite *suite)
{
    struct barrier *barrier = suite_alloc(suite, sizeof(*barrier));

    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, open_barrier, barrier);
    }
    for (uint64_t round = 0; round < ROUNDS; round++) {
        unsigned last = (unsigned)ni_rng_below(&suite->rng, suite->n);

        for (unsigned i = 0; i < suite->n; i++) {
            if (i != last) {
                suite_call(suite, i, enter, barrier);
            }
        }
        suite_rest(suite);
        for (unsigned i = 0; i < suite->n; i++) {
            CHECK(atomic_load(&barrier->open[i]) == round);
        }
        suite_call(suite, last, enter, barrier);
        for (unsigned i = 0; i < suite->n; i++) {
            suite_until_count(suite, &barrier->open[i], round + 1);
        }
    }
}

/* ---- counters that are not there ------------------------------------------------------------- */

static void stale_counters_here(struct suite_ni *ni, void *arg)
{
    struct target *target = arg;
    struct ni_rkey counter, memory;
    struct ni_ack ack = {.kind = NI_ACK_NONE};
    uint64_t value;
    int64_t read;

    CHECK(ni_region_memory(ni->ni, target->local, LEN, NI_ACCESS_ALL, &memory) == NI_OK);
    CHECK(ni_counter_create(ni->ni, 0, &counter) == NI_OK);
    CHECK(ni_region_deregister(ni->ni, counter.handle) == NI_OK);
    CHECK(ni_counter_add(ni->ni, counter.handle, 1) == NI_ERR_REGION);
    CHECK(ni_counter_read(ni->ni, counter.handle, &read) == NI_ERR_REGION);
    CHECK(ni_counter_notify(ni->ni, counter.handle, &ack) == NI_ERR_REGION);
    CHECK(ni_counter_add(ni->ni, memory.handle, 1) == NI_ERR_REGION);
    CHECK(ni_counter_notify(ni->ni, memory.handle, NULL) == NI_ERR_INVALID);
    /* An ack that leads nowhere harms nobody. */
    ack = (struct ni_ack){.kind = NI_ACK_COUNTER, .counter = counter.handle};
    for (int what = WRITE; what < WHATS; what++) {
        start_surely(ni, target, (enum what)what, false, &ack, &value);
    }
    CHECK(ni_region_deregister(ni->ni, memory.handle) == NI_OK);
}

static void stale_counters(struct suite *suite)
{
    struct target *target = new_target(suite, 1);

    suite_call(suite, 0, stale_counters_here, target);
    suite_rest(suite);
    suite_until_count(suite, &target->consumed, 1);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"call_acks", 2, 0, call_acks},       {"word_acks", 2, 0, word_acks},
        {"counter_acks", 2, 0, counter_acks}, {"departures", 2, 0, departures},
        {"no_acks", 2, 0, no_acks},           {"session", 4, 0, session},
        {"barrier", 5, 0, barrier},           {"stale_counters", 2, 0, stale_counters},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
