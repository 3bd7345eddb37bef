/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/open.c. */
#include "engine_pair.h"

#include <apeni/fault.h>

#include "portals/portals.h"

/*
 * Each allocation of matching fails in turn, alone or with all behind it, until a run asks for none
 * any more: calls are refused with what is documented, what was accepted ends once, nothing hangs
 * and nothing leaks (AddressSanitizer tells).
 */

enum {
    LONG = 70000,
    PUTS = 12,
    ENTRIES = 40,
    KINDS = NI_EVENT_SEARCH + 20,
    SHORTS = 2000,
    SHORT = 64
};

struct end {
    struct ni_eq *eq;
    struct ni_ct *ct;
    unsigned events[KINDS];
    unsigned failed; /* of them those that say NI_NI_NO_SPACE */
};

struct run {
    struct pair pair;
    struct end a, b;
    struct ni_md md, in, out; /* plain; both vectors */
    struct ni_iovec pieces[3][2];
    unsigned sends, acks, replies; /* to come */
    unsigned posted, unlinked;
    ni_me_handle handles[ENTRIES];
    uint8_t from[LONG], to[ENTRIES][LONG], got[LONG], words[LONG];
};

static void on_event(void *arg, const struct ni_event *event)
{
    struct end *end = arg;

    assert_true((unsigned)event->type < KINDS);
    assert_true(event->ni_fail_type == NI_NI_OK || event->ni_fail_type == NI_NI_NO_SPACE);
    end->failed += event->ni_fail_type != NI_NI_OK;
    end->events[event->type]++;
}

/* Accepted, or refused as documented. */
static bool accepted(int result)
{
    assert_true(result == NI_OK || result == NI_PTL_NO_SPACE);
    return result == NI_OK;
}

static void move(struct run *run)
{
    for (int i = 0; i < 40; i++) {
        (void)ni_progress(run->pair.a);
        (void)ni_progress(run->pair.b);
    }
}

static bool open_both(struct run *run)
{
    uint32_t pt;

    return accepted(ni_portals_open(run->pair.a, NULL, NULL)) &&
           accepted(ni_portals_open(run->pair.b, NULL, NULL)) &&
           accepted(ni_eq_alloc_handler(run->pair.a, on_event, &run->a, &run->a.eq)) &&
           accepted(ni_eq_alloc_handler(run->pair.b, on_event, &run->b, &run->b.eq)) &&
           accepted(ni_ct_alloc(run->pair.a, &run->a.ct)) &&
           accepted(ni_ct_alloc(run->pair.b, &run->b.ct)) &&
           accepted(ni_pt_alloc(run->pair.b, NI_PT_UNEXPECTED, run->b.eq, 0, &pt));
}

static struct ni_me entry_at(struct run *run, unsigned i)
{
    return (struct ni_me){.start = run->to[i],
                          .length = LONG,
                          .ignore_bits = UINT64_MAX,
                          .match_id = NI_INITIATOR_ANY,
                          .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE};
}

static void post(struct run *run)
{
    const struct ni_me me = entry_at(run, run->posted);

    run->posted += accepted(
        ni_me_append(run->pair.b, 0, &me, NI_PRIORITY_LIST, NULL, &run->handles[run->posted]));
}

static void put(struct run *run, unsigned i)
{
    static const size_t lengths[] = {8, 500, LONG};
    bool ack = i % 2 == 0;

    run->md = (struct ni_md){.start = run->from, .length = LONG, .eq = run->a.eq};
    if (accepted(ni_put(run->pair.a, &run->md, 0, lengths[i % 3], ack ? NI_ACK_REQ : NI_NO_ACK_REQ,
                        run->pair.ab, 0, i, 0, NULL, 0))) {
        run->sends++;
        run->acks += ack;
    }
}

/* A long put with an acknowledgement, and an entry, when the counters are there. */
static void trigger(struct run *run)
{
    const struct ni_ct_event one = {.success = 1};
    const struct ni_me me = entry_at(run, run->posted);

    if (accepted(ni_triggered_put(run->pair.a, &run->md, 0, LONG, NI_ACK_REQ, run->pair.ab, 0, 0, 0,
                                  NULL, 0, run->a.ct, 2))) {
        run->sends++;
        run->acks++;
    }
    run->posted += accepted(ni_triggered_me_append(run->pair.b, 0, &me, NI_PRIORITY_LIST, NULL,
                                                   &run->handles[run->posted], run->b.ct, 1));
    (void)accepted(ni_triggered_ct_inc(run->pair.a, run->a.ct, one, run->a.ct, 1));
    assert_int_equal(ni_ct_inc(run->a.ct, one), NI_OK);
    assert_int_equal(ni_ct_inc(run->b.ct, one), NI_OK);
}

static void split(struct ni_iovec *pieces, uint8_t *bytes)
{
    pieces[0] = (struct ni_iovec){bytes + LONG / 2 + 1, LONG / 2 - 1};
    pieces[1] = (struct ni_iovec){bytes, LONG / 2};
}

/* An entry for gets and atomics, which is a vector. */
static bool post_words(struct run *run)
{
    const struct ni_me me = {.start = run->pieces[0],
                             .length = 2,
                             .ignore_bits = UINT64_MAX,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT | NI_ME_OP_GET | NI_ME_IOVEC};
    uint32_t pt;

    split(run->pieces[0], run->words);
    split(run->pieces[1], run->from);
    split(run->pieces[2], run->got);
    run->out = (struct ni_md){
        .start = run->pieces[1], .length = 2, .options = NI_MD_IOVEC, .eq = run->a.eq};
    run->in = run->out;
    run->in.start = run->pieces[2];
    return accepted(ni_pt_alloc(run->pair.b, 0, run->b.eq, 1, &pt)) &&
           accepted(ni_me_append(run->pair.b, 1, &me, NI_PRIORITY_LIST, NULL, NULL));
}

/* Gets and an atomic from vector to vector, at once and triggered. */
static void fetch(struct run *run)
{
    const struct ni_ct_event one = {.success = 1};

    run->replies +=
        accepted(ni_get(run->pair.a, &run->in, 0, LONG - 1, run->pair.ab, 1, 0, 0, NULL));
    run->replies += accepted(ni_triggered_get(run->pair.a, &run->in, LONG / 2 - 10, 20,
                                              run->pair.ab, 1, 0, 0, NULL, run->a.ct, 1));
    if (accepted(ni_fetch_atomic(run->pair.a, &run->in, LONG / 2 - 101, &run->out, LONG / 2 - 101,
                                 1000, run->pair.ab, 1, 0, LONG / 2 - 101, NULL, 0, NI_SUM,
                                 NI_INT32_T))) {
        run->replies++;
        run->sends++;
    }
    assert_int_equal(ni_ct_inc(run->a.ct, one), NI_OK);
}

/* Claim a kept message and take it, if there is one. */
static void claim(struct run *run)
{
    const struct ni_me me = entry_at(run, run->posted);
    struct ni_event event;

    if (ni_me_probe(run->pair.b, 0, &me, NI_SEARCH_DELETE, &event) == NI_OK) {
        assert_int_equal(ni_unexpected_receive(run->pair.b, event.unexpected, &me, NULL), NI_OK);
        run->handles[run->posted++] = 0;
    }
}

/* Everything that may allocate. */
static void use(struct run *run)
{
    for (unsigned i = 0; i < PUTS; i++) {
        if (i < PUTS / 3) {
            post(run);
        }
        put(run, i);
        move(run);
    }
    claim(run);
    trigger(run);
    move(run);
    if (post_words(run)) {
        fetch(run);
    }
    post(run);
    move(run);
}

/* With memory again: everything that was accepted comes to an end. */
static void finish(struct run *run)
{
    const struct ni_ct_event enough = {.success = 2};

    assert_int_equal(ni_ct_set(run->a.ct, enough), NI_OK);
    for (int i = 0; i < 20; i++) {
        move(run);
    }
    while (run->acks + run->sends != run->a.events[NI_EVENT_ACK] + run->a.events[NI_EVENT_SEND]) {
        assert_true(run->posted < ENTRIES);
        post(run);
        move(run);
    }
    for (int i = 0; i < 20; i++) {
        move(run);
    }
    assert_int_equal(ni_peer_status(run->pair.ab), NI_OK);
    assert_int_equal(run->a.events[NI_EVENT_SEND], run->sends);
    assert_int_equal(run->a.events[NI_EVENT_ACK], run->acks);
    assert_int_equal(run->a.events[NI_EVENT_REPLY], run->replies);
    /* Each entry gives its event, or is there to be unlinked. */
    for (unsigned i = 0; i < run->posted; i++) {
        run->unlinked += ni_me_unlink(run->pair.b, run->handles[i]) == NI_OK;
    }
    assert_int_equal(run->b.events[NI_EVENT_PUT] + run->b.events[NI_EVENT_PUT_OVERFLOW] +
                         run->unlinked,
                     run->posted);
}

/* One run; whether the fault struck. *failed: events that said so, at the initiator and at the
 * target. */
static bool struck(enum ni_fabric_copy copy, uint64_t nth, uint64_t every, unsigned failed[2])
{
    const struct pair_attr attr = {.copy = copy, .ring = 4096, .bulk = 65536};
    struct run *run = calloc(1, sizeof(*run));
    bool opened, any;

    pair_open(&run->pair, &attr);
    ni_fault_arm(NI_FAULT_ALLOC, nth, every);
    opened = open_both(run);
    if (opened) {
        use(run);
    }
    any = ni_fault_struck(NI_FAULT_ALLOC) != 0;
    ni_fault_reset();
    if (opened) {
        finish(run);
    }
    pair_close(&run->pair);
    failed[0] += run->a.failed;
    failed[1] += run->b.failed;
    free(run);
    return any;
}

static void sweep(enum ni_fabric_copy copy)
{
    unsigned failed[2] = {0, 0};

    for (uint64_t every = 0; every < 2; every++) {
        uint64_t nth = 1;

        while (struck(copy, nth, every, failed)) {
            nth++;
        }
        assert_true(nth > 20);
    }
    /* A fetch that is a plain copy needs no memory. */
    assert_true(copy == NI_FABRIC_SAME_MEMORY || (failed[0] > 0 && failed[1] > 0));
}

static void same_memory(void **state)
{
    (void)state;
    sweep(NI_FABRIC_SAME_MEMORY);
}

static void by_call(void **state)
{
    (void)state;
    sweep(NI_FABRIC_BY_CALL);
}

static void by_packets(void **state)
{
    (void)state;
    sweep(NI_FABRIC_BY_PACKETS);
}

/* The entry of one short message, which is found: its data are there at once. */
static void take_short(struct run *run, unsigned i)
{
    struct ni_me me = entry_at(run, 0);
    unsigned taken = run->b.events[NI_EVENT_PUT_OVERFLOW];

    me.match_bits = i;
    me.ignore_bits = 0;
    memset(run->to[0], 0, SHORT);
    assert_int_equal(ni_me_append(run->pair.b, 0, &me, NI_PRIORITY_LIST, NULL, NULL), NI_OK);
    assert_int_equal(run->b.events[NI_EVENT_PUT_OVERFLOW], taken + 1);
    assert_memory_equal(run->to[0], run->from + i, i % 2 == 0 ? 8 : SHORT);
}

/* Comparisons for as many unexpected messages, the first or the last taken first. */
static uint64_t take_all_short(struct run *run, bool last_first)
{
    const ni_stat_t *attempts = &run->pair.b->portals->pt[0]->unexpected.counts.attempts;
    uint64_t before = ni_stat_get(attempts);

    for (unsigned i = 0; i < SHORTS; i++) {
        assert_int_equal(ni_put(run->pair.a, &run->md, i, i % 2 == 0 ? 8 : SHORT, NI_NO_ACK_REQ,
                                run->pair.ab, 0, i, 0, NULL, 0),
                         NI_OK);
        move(run);
    }
    for (unsigned i = 0; i < SHORTS; i++) {
        take_short(run, last_first ? SHORTS - 1 - i : i);
    }
    return ni_stat_get(attempts) - before;
}

/* Over shared memory, where a message waits for memory as long as that. */
static struct run *run_open(const char *memory_wait_ms)
{
    struct run *run = calloc(1, sizeof(*run));

    pair_set("memory_wait_ms", memory_wait_ms);
    assert_int_equal(ni_open(NULL, &run->pair.a), NI_OK);
    assert_int_equal(ni_open(NULL, &run->pair.b), NI_OK);
    run->pair.ab = pair_connect(run->pair.a, run->pair.b);
    run->pair.ba = pair_connect(run->pair.b, run->pair.a);
    assert_true(open_both(run));
    return run;
}

static void run_close(struct run *run)
{
    ni_close(run->pair.a);
    ni_close(run->pair.b);
    pair_set("memory_wait_ms", "10000");
    free(run);
}

/* Short unexpected messages have no memory of their own for their data, and however many
 * there are, the last is found by a few comparisons as the first is. */
static void short_unexpected(void **state)
{
    struct run *run = run_open("10000");
    uint64_t in_order, reversed;

    (void)state;
    for (unsigned i = 0; i < LONG; i++) {
        run->from[i] = (uint8_t)(i * 7 + 1);
    }
    run->md = (struct ni_md){.start = run->from, .length = LONG, .eq = run->a.eq};
    in_order = take_all_short(run, false);
    reversed = take_all_short(run, true);
    assert_int_equal(pair_stat(run->pair.b, "match_unexpected_bytes_max"), 0);
    /* The linear walk of 64 at once would take ten times as many. */
    assert_true(in_order <= 3 * SHORTS && reversed <= 3 * SHORTS && reversed > 0);
    run_close(run);
}

/* A message that is not expected finds no memory, which does not come back: its sender goes down
 * after memory_wait_ms, here at once, and learns that. */
static void for_good(void **state)
{
    struct run *run = run_open("0");

    (void)state;
    for (unsigned i = 0; i < 20; i++) { /* by now there is a ring */
        post(run);
        put(run, 1);
        move(run);
    }
    put(run, 1);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    move(run);
    ni_fault_reset();
    assert_int_equal(ni_peer_status(run->pair.ba), NI_ERR_NOMEM);
    move(run);
    assert_int_not_equal(ni_peer_status(run->pair.ab), NI_OK);
    run_close(run);
}

/* What waits for something else than memory is not blamed for an allocation that has failed
 * before. */
static void of_somebody_else(void **state)
{
    struct run *run = run_open("0");
    struct ni_rkey queue;

    (void)state;
    assert_int_equal(ni_region_queue(run->pair.b, 4, 2, &queue), NI_OK);
    for (uint32_t i = 0; i < 3; i++) { /* the last one has no room there */
        assert_int_equal(
            ni_message(run->pair.a, run->pair.ab, queue.handle, 0, NULL, 0, &i, sizeof(i)), NI_OK);
    }
    move(run);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 0);
    assert_null(ni_malloc(8));
    ni_fault_reset();
    move(run);
    assert_int_equal(ni_peer_status(run->pair.ba), NI_OK);
    assert_int_equal(ni_peer_status(run->pair.ab), NI_OK);
    run_close(run);
}

static void quiet(enum ni_log_level level, const char *text, void *arg)
{
    (void)level;
    (void)text;
    (void)arg;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_memory), cmocka_unit_test(by_call),
        cmocka_unit_test(by_packets),  cmocka_unit_test(short_unexpected),
        cmocka_unit_test(for_good),    cmocka_unit_test(of_somebody_else),
    };

    ni_log_set_sink(quiet, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
