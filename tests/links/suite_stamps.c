/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "suite_portals.h"
#include "suite_stores.h"

/*
 * Covers: engine/core/stamps.c
 *
 * Time stamps: all four times of each packet that arrives, in their order, and between the readings
 * that the program itself takes; what waits for room; callbacks that poll; clocks of other hosts.
 * And what does not change: writes of which nobody wants to hear are not answered one by one.
 */

enum { KEPT = 512, STAMPS = 100, ROUNDS = 100, FLOOD = 4000, LONG = 100 * 1000 };

/* What a receiver has been sent, and when by the sender's readings. */
struct sent {
    _Atomic uint64_t received;
    struct ni_rkey rkey;
    struct suite_ni *ni;
    uint64_t before[KEPT], after[KEPT]; /* the call */
    uint64_t seen[KEPT];                /* the last reading of the consumer */
    uint32_t sizes[KEPT];
    uint32_t count;
    bool polls; /* the consumer makes progress itself */
    bool within;
    uint8_t *buffer;
    struct ni_stamp stamps[KEPT];
    size_t stamp_count;
    uint64_t next;
};

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct sent *sent = arg;

    if (sent->polls && !sent->within) {
        sent->within = true;
        (void)ni_progress(sent->ni->ni);
        sent->within = false;
    }
    sent->seen[message->tag % KEPT] = ni_now_ns();
    atomic_fetch_add(&sent->received, 1);
}

static void open_consumer(struct suite_ni *ni, void *arg)
{
    struct sent *sent = arg;

    sent->ni = ni;
    CHECK(ni_region_consumer(ni->ni, on_message, sent, 0, &sent->rkey) == NI_OK);
}

static struct sent *new_sent(struct suite *suite, unsigned receiver)
{
    struct sent *sent = suite_alloc(suite, sizeof(*sent));

    sent->buffer = suite_alloc(suite, LONG);
    suite_call(suite, receiver, open_consumer, sent);
    return sent;
}

/* One message; the tag is its number. */
static void send_one(struct suite_ni *ni, struct sent *sent, unsigned to, uint32_t size)
{
    uint32_t n = sent->count++;
    ni_status status;

    do {
        sent->before[n] = ni_now_ns();
        status = ni_message(ni->ni, ni->peers[to], sent->rkey.handle, (uint16_t)n, NULL, 0,
                            sent->buffer, size);
        sent->after[n] = ni_now_ns();
        if (status == NI_AGAIN) {
            suite_turn(ni);
        }
    } while (status == NI_AGAIN);
    CHECK(status == NI_OK);
    sent->sizes[n] = size;
}

static void read_stamps(struct suite_ni *ni, void *arg)
{
    struct sent *sent = arg;
    size_t count = KEPT - sent->stamp_count;

    CHECK(ni_stamps_read(ni->ni, &sent->next, sent->stamps + sent->stamp_count, &count) == NI_OK);
    sent->stamp_count += count;
}

static void lost(struct suite_ni *ni, void *arg)
{
    *(_Atomic uint64_t *)arg = suite_stat(ni, "stamps_lost");
}

/* Read until all that were sent are there, but for those whose times were lost on their way. */
static void until_stamps(struct suite *suite, struct sent *sent, unsigned from, unsigned to)
{
    _Atomic uint64_t *gone = suite_alloc(suite, sizeof(*gone));

    suite_until_count(suite, &sent->received, sent->count);
    for (unsigned i = 0; i < 2000; i++) {
        suite_call(suite, from, lost, gone);
        suite_call(suite, to, read_stamps, sent);
        if (sent->stamp_count + *gone >= sent->count) {
            return;
        }
        suite_rest(suite);
    }
    CHECK(!"all times arrive");
}

/* Whether a <= b, as far as clocks can tell. */
static bool is_before(uint64_t a, uint64_t b, uint64_t error)
{
    return a <= b + error;
}

/* In their order, of the message that it says, and between what the program itself read. */
static void check_message(const struct sent *sent, const struct ni_stamp *stamp)
{
    uint32_t n = stamp->tag;
    uint64_t error = stamp->error_ns == NI_STAMP_UNKNOWN ? 0 : stamp->error_ns;

    CHECK(strcmp(stamp->kind, "message") == 0);
    CHECK(n < sent->count && stamp->len == sent->sizes[n]);
    CHECK(stamp->error_ns != 0);
    CHECK(stamp->post <= stamp->depart);
    CHECK(stamp->arrive <= stamp->deliver);
    if (stamp->error_ns != NI_STAMP_UNKNOWN) {
        CHECK(is_before(stamp->depart, stamp->arrive, error));
    }
    CHECK(is_before(sent->before[n], stamp->post, error));
    CHECK(is_before(stamp->post, sent->after[n], error));
    CHECK(stamp->arrive <= sent->seen[n] && sent->seen[n] <= stamp->deliver);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void send_sizes(struct suite_ni *ni, void *arg)
{
    static const uint32_t sizes[] = {1, 8, 48, 49, 64, 200, 500};
    struct sent *sent = arg;

    for (uint32_t i = 0; i < ROUNDS; i++) {
        send_one(ni, sent, 1, sizes[i % (sizeof(sizes) / sizeof(sizes[0]))]);
    }
}

static void check_all(const struct sent *sent)
{
    uint32_t before = 0;

    for (size_t i = 0; i < sent->stamp_count; i++) {
        CHECK(i == 0 || sent->stamps[i].tag > before); /* in the order of their arrival */
        before = sent->stamps[i].tag;
        check_message(sent, &sent->stamps[i]);
    }
}

static void messages(struct suite *suite)
{
    struct sent *sent = new_sent(suite, 1);

    suite_call(suite, 0, send_sizes, sent);
    until_stamps(suite, sent, 0, 1);
    CHECK(sent->stamp_count >= ROUNDS / 2);
    check_all(sent);
}

/* The consumer polls, so that what says when a message departed may come before it has returned. */
static void nested(struct suite *suite)
{
    struct sent *sent = new_sent(suite, 1);

    sent->polls = true;
    suite_call(suite, 0, send_sizes, sent);
    until_stamps(suite, sent, 0, 1);
    CHECK(sent->stamp_count >= ROUNDS / 2);
    for (size_t i = 0; i < sent->stamp_count; i++) {
        check_message(sent, &sent->stamps[i]);
    }
}

/* ---- in both directions ---------------------------------------------------------------------- */

struct both {
    struct sent *there, *back;
};

static void send_there(struct suite_ni *ni, void *arg)
{
    struct both *both = arg;

    send_one(ni, both->there, 1, 16);
}

static void send_back(struct suite_ni *ni, void *arg)
{
    struct both *both = arg;

    send_one(ni, both->back, 0, 16);
}

/* With another clock, as on another host, times are known once something has come back. */
static void both_ways(struct suite *suite)
{
    struct both *both = suite_alloc(suite, sizeof(*both));

    both->there = new_sent(suite, 1);
    both->back = new_sent(suite, 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        suite_call(suite, 0, send_there, both);
        suite_until_count(suite, &both->there->received, i + 1);
        suite_call(suite, 1, send_back, both);
        suite_until_count(suite, &both->back->received, i + 1);
    }
    until_stamps(suite, both->there, 0, 1);
    until_stamps(suite, both->back, 1, 0);
    check_all(both->there);
    check_all(both->back);
    CHECK(both->there->stamps[both->there->stamp_count - 1].error_ns != NI_STAMP_UNKNOWN);
    CHECK(both->back->stamps[both->back->stamp_count - 1].error_ns != NI_STAMP_UNKNOWN);
}

/* ---- other packets --------------------------------------------------------------------------- */

struct others {
    struct suite_end *ends[2];
    struct sent *sent;
    struct ni_remote remote;
    uint8_t *from, *to;
    uint64_t begin, end;
};

static void do_others(struct suite_ni *ni, void *arg)
{
    struct others *others = arg;
    uint64_t old;

    others->begin = ni_now_ns();
    CHECK(suite_write(ni, 1, others->from, 8, &others->remote) == NI_OK);
    CHECK(suite_read(ni, 1, others->from, 8, &others->remote) == NI_OK);
    CHECK(suite_fetch_op(ni, 1, NI_ATOMIC_ADD, 8, 1, 0, &others->remote, &old) == NI_OK);
    suite_put(ni, others->ends[0], 1, others->from, 8, 1, 1, true);
    suite_put(ni, others->ends[0], 1, others->from, 1000, 2, 2, true);
    suite_put(ni, others->ends[0], 1, others->from, LONG, 3, 3, true);
}

static void post_three(struct suite_ni *ni, void *arg)
{
    struct others *others = arg;

    for (uint64_t bits = 1; bits <= 3; bits++) {
        suite_post(ni, others->ends[1], others->to, LONG, bits, 0, NI_INITIATOR_ANY, bits);
    }
}

static unsigned count_kind(const struct sent *sent, const char *kind)
{
    unsigned count = 0;

    for (size_t i = 0; i < sent->stamp_count; i++) {
        count += strcmp(sent->stamps[i].kind, kind) == 0;
    }
    return count;
}

static void other_packets(struct suite *suite)
{
    struct others *others = suite_alloc(suite, sizeof(*others));
    struct ni_rkey rkey;

    others->ends[0] = suite_end_new(suite, 0);
    others->ends[1] = suite_end_new(suite, 1);
    others->sent = suite_alloc(suite, sizeof(*others->sent));
    others->from = suite_alloc(suite, LONG);
    others->to = suite_alloc(suite, LONG);
    rkey = suite_region(suite, 1, others->to, LONG,
                        NI_ACCESS_READ | NI_ACCESS_WRITE | NI_ACCESS_ATOMIC);
    others->remote = suite_remote(others->to, &rkey);
    suite_call(suite, 1, post_three, others);
    suite_call(suite, 0, do_others, others);
    suite_until_events(suite, others->ends[0], NI_EVENT_ACK, 3);
    others->end = ni_now_ns();
    suite_rest(suite);
    suite_call(suite, 1, read_stamps, others->sent);
    CHECK(count_kind(others->sent, "put") + count_kind(others->sent, "long put") >= 3);
    for (size_t i = 0; i < others->sent->stamp_count; i++) {
        const struct ni_stamp *stamp = &others->sent->stamps[i];

        CHECK(stamp->post <= stamp->depart && stamp->arrive <= stamp->deliver);
        CHECK(others->begin <= stamp->arrive && stamp->deliver <= ni_now_ns());
        if (stamp->error_ns != NI_STAMP_UNKNOWN) {
            CHECK(is_before(stamp->depart, stamp->arrive, stamp->error_ns));
            CHECK(is_before(others->begin, stamp->post, stamp->error_ns));
        }
    }
}

/* ---- what waits ------------------------------------------------------------------------------ */

struct flood {
    struct suite_end *ends[2];
    struct sent *sent;
    uint64_t posted; /* the last one has been */
};

static void put_many(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;

    for (unsigned i = 0; i < FLOOD; i++) {
        suite_put(ni, flood->ends[0], 1, NULL, 0, i, i, false);
    }
    flood->posted = ni_now_ns();
}

/* Of those that did not find room `post` is when they were asked for, and `depart` when they left:
 * after the last of all calls. */
static void waiting(struct suite *suite)
{
    struct flood *flood = suite_alloc(suite, sizeof(*flood));
    unsigned late = 0;

    flood->ends[0] = suite_end_new(suite, 0);
    flood->ends[1] = suite_end_new(suite, 1);
    flood->sent = suite_alloc(suite, sizeof(*flood->sent));
    suite_call(suite, 0, put_many, flood);
    suite_until_kept(suite, 1, FLOOD);
    suite_call(suite, 1, read_stamps, flood->sent);
    CHECK(flood->sent->stamp_count > 0);
    for (size_t i = 0; i < flood->sent->stamp_count; i++) {
        const struct ni_stamp *stamp = &flood->sent->stamps[i];

        CHECK(stamp->post <= flood->posted && stamp->post <= stamp->depart);
        CHECK(stamp->depart <= stamp->arrive && stamp->arrive <= stamp->deliver);
        late += stamp->depart > flood->posted;
    }
    CHECK(late > 0);
}

/* ---- writes without an ack --------------------------------------------------------------------
 */

enum { QUIET_ROUNDS = 10, QUIET = 10 };

static void write_unacked(struct suite_ni *ni, struct suite_stores *world, uint64_t wrong)
{
    for (unsigned i = 0; i < QUIET; i++) {
        struct ni_remote where = suite_stores_place(world, 1, i * 8);

        where.key += i == 0 ? wrong : 0;
        CHECK(ni_write(ni->ni, ni->peers[1], world->memory[0] + i * 8, 8, &where, NULL) == NI_OK);
    }
}

static ni_status flush(struct suite_ni *ni)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    CHECK(ni_flush(ni->ni, ni->peers[1], &ack) == NI_OK);
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    return (ni_status)atomic_load(&done.status);
}

static void quiet_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct ni_remote where = suite_stores_place(world, 1, (QUIET - 1) * 8);
    uint64_t before, last;

    suite_fill(world->memory[0], SUITE_STORES, 1);
    CHECK(flush(ni) == NI_OK);
    before = suite_stat(ni, "rx_packets");
    for (unsigned round = 0; round < QUIET_ROUNDS; round++) {
        write_unacked(ni, world, 0);
        CHECK(suite_read(ni, 1, &last, 8, &where) == NI_OK);
    }
    CHECK(flush(ni) == NI_OK);
    CHECK(suite_stat(ni, "rx_packets") - before < QUIET * QUIET_ROUNDS / 2);
    CHECK(suite_read(ni, 1, &last, 8, &where) == NI_OK);
    CHECK(memcmp(&last, world->memory[0] + (QUIET - 1) * 8, 8) == 0);
    write_unacked(ni, world, 1);
    CHECK(suite_fence(ni, 1) == NI_OK);
    CHECK(flush(ni) == (suite_stores_packets(ni) ? NI_ERR_KEY : NI_OK)); /* told at once */
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

/* Also a refusal is known by the flush alone. */
static void quiet(struct suite *suite)
{
    suite_call(suite, 0, quiet_here, suite_stores_world(suite));
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static void send_few(struct suite_ni *ni, void *arg)
{
    struct sent *sent = arg;

    for (uint32_t i = 0; i < 4; i++) {
        send_one(ni, sent, 1, 8);
    }
}

static void read_badly(struct suite_ni *ni, void *arg)
{
    struct ni_stamp stamp;
    uint64_t next = UINT64_MAX;
    size_t count = 1;

    (void)arg;
    CHECK(ni_stamps_read(ni->ni, NULL, &stamp, &count) == NI_ERR_INVALID);
    CHECK(ni_stamps_read(ni->ni, &next, &stamp, NULL) == NI_ERR_INVALID);
    CHECK(ni_stamps_read(ni->ni, &next, NULL, &count) == NI_ERR_INVALID);
    CHECK(ni_stamps_read(ni->ni, &next, &stamp, &count) == NI_OK && count == 0);
}

/* More than are kept: the last ones; from a number on: those that came later. */
static void last_ones(struct suite *suite)
{
    struct sent *sent = new_sent(suite, 1);
    uint64_t next;

    for (unsigned i = 0; i < KEPT / 4; i++) {
        suite_call(suite, 0, send_few, sent);
        suite_until_count(suite, &sent->received, sent->count);
        suite_rest(suite);
    }
    suite_call(suite, 1, read_stamps, sent);
    CHECK(sent->stamp_count == STAMPS);
    CHECK(sent->stamps[STAMPS - 1].tag == KEPT - 1);
    next = sent->next;
    check_all(sent);
    sent->stamp_count = 0;
    suite_call(suite, 1, read_stamps, sent);
    CHECK(sent->stamp_count == 0 && sent->next == next);
    suite_call(suite, 1, read_badly, NULL);
}

/* One that stamps none has none to be read. */
static void open_plain(struct suite_ni *ni, void *arg)
{
    struct ni_open_attr attr = {.job_key = 1};
    struct ni_stamp stamp;
    struct ni *plain;
    uint64_t next = 0;
    size_t count = 1;
    char error[256];

    (void)ni;
    (void)arg;
    CHECK(ni_param_set("stamps", "0", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_open(&attr, &plain) == NI_OK);
    CHECK(ni_stamps_read(plain, &next, &stamp, &count) == NI_ERR_UNSUPPORTED);
    ni_close(plain);
}

static void without(struct suite *suite)
{
    suite_call(suite, 0, open_plain, NULL);
}

static const struct suite_case cases[] = {
    {"messages", 2, SUITE_NEEDS_NOTHING, messages},
    {"nested", 2, SUITE_NEEDS_NOTHING, nested},
    {"both_ways", 2, SUITE_NEEDS_NOTHING, both_ways},
    {"other_packets", 2, SUITE_NEEDS_NOTHING, other_packets},
    {"waiting", 2, SUITE_NEEDS_HERE, waiting},
    {"quiet", 2, SUITE_NEEDS_NOTHING, quiet},
    {"last_ones", 2, SUITE_NEEDS_HERE, last_ones},
    {"without", 1, SUITE_NEEDS_HERE, without},
};

int main(int argc, char **argv)
{
    suite_with_stamps("100");
    suite_beside_engines();
    suite_between_hosts();
    suite_on_several_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
