/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "suite.h"

/*
 * Ends with work under way: the peer closes or dies, or we disconnect or close. Every operation
 * that was accepted completes, once, with a status that fits; memory is not touched afterwards;
 * everything else goes on.
 */

enum { OPS = 40, LONG = 256 << 10 };

struct op {
    struct suite_done done;
    bool accepted;
};

struct work {
    uint8_t *local, *remote; /* LONG bytes for each operation */
    struct ni_rkey memory, queue, counter;
    struct op ops[OPS];
    struct suite_done flush;
    unsigned to;
    bool again; /* completions start new operations */
    struct suite_ni *ni;
    _Atomic uint64_t consumed;
    _Atomic uint64_t refused; /* operations that completions could not start */
};

static void consume(void *arg, const struct ni_message_info *message)
{
    (void)message;
    atomic_fetch_add(&((struct work *)arg)->consumed, 1);
}

static void open_regions(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;

    CHECK(ni_region_memory(ni->ni, work->remote, (size_t)OPS * LONG, NI_ACCESS_ALL,
                           &work->memory) == NI_OK);
    CHECK(ni_region_consumer(ni->ni, consume, work, 0, &work->queue) == NI_OK);
    CHECK(ni_counter_create(ni->ni, 0, &work->counter) == NI_OK);
}

static struct work *new_work(struct suite *suite, unsigned to)
{
    struct work *work = suite_alloc(suite, sizeof(*work));

    work->local = suite_alloc(suite, (size_t)OPS * LONG);
    work->remote = suite_alloc(suite, (size_t)OPS * LONG);
    work->to = to;
    suite_call(suite, to, open_regions, work);
    return work;
}

static ni_status start_op(struct suite_ni *ni, struct work *work, unsigned i,
                          const struct ni_ack *ack)
{
    struct ni_remote where = suite_remote(work->remote + (size_t)i * LONG, &work->memory);
    uint8_t *local = work->local + (size_t)i * LONG;
    struct ni_peer *peer = ni->peers[work->to];
    size_t len = i % 3 == 0 ? LONG : i % 3 == 1 ? 100 : 20000;

    switch (i % 5) {
    case 0:
        return ni_write(ni->ni, peer, local, len, &where, ack);
    case 1:
        return ni_read(ni->ni, peer, local, len, &where, ack);
    case 2:
        return ni_fetch_op(ni->ni, peer, NI_ATOMIC_ADD, 8, 1, 0, &where, ack);
    case 3:
        return ni_enqueue(ni->ni, peer, &work->queue, local, 50, ack);
    default:
        return ni_counter_add_remote(ni->ni, peer, &work->counter, 1, ack);
    }
}

/* A completion that starts the same again, to whoever may just have died. */
static void start_again(void *arg, ni_status status, uint64_t value)
{
    struct op *op = arg;
    struct work *work = (struct work *)(void *)((uint8_t *)op - offsetof(struct work, ops));

    (void)value;
    atomic_store(&op->done.status, status);
    if (atomic_fetch_add(&op->done.count, 1) == 0) {
        struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = start_again, .arg = op};

        atomic_fetch_add(&work->refused, start_op(work->ni, work, 2, &ack) != NI_OK);
    }
}

/* As many operations as are accepted. */
static void start_work(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;
    struct ni_ack flushed = suite_ack(&work->flush);

    work->ni = ni;
    for (unsigned i = 0; i < OPS; i++) {
        struct ni_ack ack = suite_ack(&work->ops[i].done);
        ni_status status;

        if (work->again && i == 0) {
            ack = (struct ni_ack){.kind = NI_ACK_CALL, .fn = start_again, .arg = &work->ops[0]};
        }
        status = start_op(ni, work, i, &ack);
        CHECK(status == NI_OK || status == NI_AGAIN);
        work->ops[i].accepted = status == NI_OK;
    }
    CHECK(ni_flush(ni->ni, ni->peers[work->to], &flushed) == NI_OK);
}

static bool work_is_done(void *arg)
{
    struct work *work = arg;

    for (int i = 0; i < OPS; i++) {
        if (work->ops[i].accepted && atomic_load(&work->ops[i].done.count) == 0) {
            return false;
        }
    }
    return atomic_load(&work->flush.count) != 0;
}

/* Each once, with NI_OK or this status. Returns how many had this status. */
static unsigned check_done(struct suite *suite, struct work *work, ni_status expected)
{
    unsigned failed = 0;

    suite_until(suite, work_is_done, work);
    suite_rest(suite);
    for (int i = 0; i < OPS; i++) {
        const struct op *op = &work->ops[i];
        ni_status status = (ni_status)atomic_load(&op->done.status);

        CHECK(atomic_load(&op->done.count) == op->accepted || (work->again && i == 0));
        CHECK(status == NI_OK || status == expected);
        failed += status == expected;
    }
    CHECK(atomic_load(&work->flush.count) == 1);
    return failed;
}

struct after {
    struct work *work;
    ni_status expected;
};

/* Nothing is accepted any more, and everything says why. */
static void check_refused(struct suite_ni *ni, void *arg)
{
    const struct after *after = arg;
    struct work *work = after->work;
    struct ni_peer *peer = ni->peers[work->to];
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    char text[200];

    CHECK(ni_peer_status(peer) == after->expected);
    for (unsigned i = 0; i < 5; i++) {
        CHECK(start_op(ni, work, i, &ack) == after->expected);
    }
    CHECK(ni_message(ni->ni, peer, work->queue.handle, 0, NULL, 0, "x", 1) == after->expected);
    CHECK(ni_peer_describe(peer, text, sizeof(text)) > 0);
    CHECK(strstr(text, ni_status_text(after->expected)) != NULL);
    CHECK(atomic_load(&done.count) == 0);
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static bool is_down(void *arg)
{
    return atomic_load((_Atomic uint32_t *)arg) != 0;
}

/* NI 0 sees the end of NI 1; NI 2 does not mind. */
static void check_end(struct suite *suite, struct work *work, ni_status expected)
{
    struct after *after = suite_alloc(suite, sizeof(*after));
    struct work *other = new_work(suite, 2);

    suite_until(suite, is_down, (void *)&suite->nis[0].downs[1]);
    (void)check_done(suite, work, expected);
    *after = (struct after){.work = work, .expected = expected};
    suite_call(suite, 0, check_refused, after);
    suite_call(suite, 0, start_work, other);
    CHECK(check_done(suite, other, expected) == 0);
    CHECK(atomic_load(&suite->nis[0].downs[1]) == 1);
    CHECK(atomic_load(&suite->nis[0].down[1]) == (int)expected);
    CHECK(atomic_load(&suite->nis[0].downs[2]) == 0);
    suite_until(suite, is_down, (void *)&suite->nis[2].downs[1]);
    CHECK(atomic_load(&suite->nis[2].down[1]) == (int)expected);
}

/* ---- the peer ends ------------------------------------------------------------------------------------- */

static void peer_closes(struct suite *suite)
{
    struct work *work = new_work(suite, 1);

    suite_call(suite, 0, start_work, work);
    suite_close(suite, 1);
    check_end(suite, work, NI_ERR_PEER_CLOSED);
}

static void peer_dies(struct suite *suite)
{
    struct work *work = new_work(suite, 1);

    suite_call(suite, 0, start_work, work);
    suite_kill(suite, 1);
    check_end(suite, work, NI_ERR_PEER_DEAD);
}

/* Completions that start the next operation do so until it is refused, not for ever. */
static void peer_dies_and_completions_go_on(struct suite *suite)
{
    struct work *work = new_work(suite, 1);

    work->again = true;
    suite_call(suite, 0, start_work, work);
    suite_kill(suite, 1);
    check_end(suite, work, NI_ERR_PEER_DEAD);
    CHECK(atomic_load(&work->refused) + atomic_load(&work->ops[0].done.count) == 2);
}

/* Both work on each other when one closes: its own operations end with NI_ERR_CLOSED. */
static void closing_with_work(struct suite *suite)
{
    struct work *work = new_work(suite, 1), *theirs = new_work(suite, 0);

    suite_call(suite, 0, start_work, work);
    suite_call(suite, 1, start_work, theirs);
    suite_close(suite, 1);
    (void)check_done(suite, theirs, NI_ERR_CLOSED);
    check_end(suite, work, NI_ERR_PEER_CLOSED);
}

/* Dead before anything was exchanged. */
static void idle_peer_dies(struct suite *suite)
{
    struct work *work = new_work(suite, 1);

    suite_kill(suite, 1);
    suite_until(suite, is_down, (void *)&suite->nis[0].downs[1]);
    atomic_store(&work->flush.count, 1);
    check_end(suite, work, NI_ERR_PEER_DEAD);
}

/* What was sent before the sender closed arrives. */
static void send_and_close(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;
    uint8_t byte = 0;

    for (int i = 0; i < 20; i++) {
        CHECK(suite_message(ni, 1, work->queue.handle, 0, &byte, 1) == NI_OK);
    }
    ni_close(ni->ni);
    ni->ni = NULL;
}

static void messages_before_close_arrive(struct suite *suite)
{
    struct work *work = new_work(suite, 1);

    suite_call(suite, 0, send_and_close, work);
    suite_until_count(suite, &work->consumed, 20);
    suite_until(suite, is_down, (void *)&suite->nis[1].downs[0]);
    CHECK(atomic_load(&suite->nis[1].down[0]) == NI_ERR_PEER_CLOSED);
}

/* ---- senders that flood somebody who ends --------------------------------------------------------------- */

struct stream {
    struct work *work;
    ni_status expected;
    _Atomic uint64_t sent;
};

static void send_until_refused(struct suite_ni *ni, void *arg)
{
    struct stream *stream = arg;
    uint8_t data[700] = {0};
    ni_status status;

    for (;;) {
        size_t len = atomic_load(&stream->sent) * 13 % sizeof(data);

        status =
            ni_message(ni->ni, ni->peers[1], stream->work->queue.handle, 0, NULL, 0, data, len);
        if (status != NI_OK && status != NI_AGAIN) {
            break;
        }
        atomic_fetch_add(&stream->sent, status == NI_OK);
        if (status == NI_AGAIN || atomic_load(&stream->sent) % 50 == 0) {
            suite_turn(ni);
        }
    }
    CHECK(status == stream->expected);
}

static bool has_begun(void *arg)
{
    return atomic_load(&((struct stream *)arg)->sent) > 1000;
}

static void flood_into_end(struct suite *suite, ni_status expected)
{
    struct stream *stream = suite_alloc(suite, sizeof(*stream));

    stream->work = new_work(suite, 1);
    stream->expected = expected;
    suite_begin(suite, 0, send_until_refused, stream);
    suite_until(suite, has_begun, stream);
    if (expected == NI_ERR_PEER_DEAD) {
        suite_kill(suite, 1);
    } else {
        suite_close(suite, 1);
    }
    suite_end(suite, 0);
}

static void flood_into_death(struct suite *suite)
{
    flood_into_end(suite, NI_ERR_PEER_DEAD);
}

static void flood_into_close(struct suite *suite)
{
    flood_into_end(suite, NI_ERR_PEER_CLOSED);
}

/* ---- we end --------------------------------------------------------------------------------------------- */

static void disconnect_here(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;

    start_work(ni, work);
    ni_disconnect(ni->ni, ni->peers[1]);
    /* Done when the call has returned, but for what completed before. */
    CHECK(work_is_done(work));
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static void reconnect_here(struct suite_ni *ni, void *arg)
{
    const struct suite_ni *other = &ni->suite->nis[1];

    (void)arg;
    CHECK(ni_connect(ni->ni, other->blob, other->blob_len, &ni->peers[1]) == NI_OK);
    ni_peer_set_user(ni->peers[1], (void *)(uintptr_t)other);
}

/* Disconnected with work under way, connected again, and everything works as before. */
static void disconnect(struct suite *suite)
{
    for (int round = 0; round < 3; round++) {
        struct work *work = new_work(suite, 1), *next = new_work(suite, 1);

        suite_call(suite, 0, disconnect_here, work);
        (void)check_done(suite, work, NI_ERR_CANCELED);
        suite_call(suite, 0, reconnect_here, NULL);
        suite_call(suite, 0, start_work, next);
        CHECK(check_done(suite, next, NI_ERR_CANCELED) == 0);
    }
    CHECK(atomic_load(&suite->nis[0].downs[1]) == 0);
    CHECK(atomic_load(&suite->nis[1].downs[0]) == 0);
}

static void count_references(struct suite_ni *ni, void *arg)
{
    const struct suite_ni *other = &ni->suite->nis[1];
    struct ni_peer *again;
    struct work *work = arg;

    CHECK(ni_connect(ni->ni, other->blob, other->blob_len, &again) == NI_OK);
    CHECK(again == ni->peers[1]);
    start_work(ni, work);
    ni_disconnect(ni->ni, again); /* one of two: nothing is given up */
}

static void connected_twice(struct suite *suite)
{
    struct work *work = new_work(suite, 1);

    suite_call(suite, 0, count_references, work);
    CHECK(check_done(suite, work, NI_ERR_CANCELED) == 0);
}

/* Closed and opened again it is somebody else, and can be reached. */
static void opened_again(struct suite *suite)
{
    for (int round = 0; round < 4; round++) {
        struct work *work;

        suite_close(suite, 1);
        suite_until(suite, is_down, (void *)&suite->nis[0].downs[1]);
        suite_open(suite, 1);
        suite_call(suite, 0, reconnect_here, NULL);
        work = new_work(suite, 1);
        suite_call(suite, 0, start_work, work);
        CHECK(check_done(suite, work, NI_ERR_CANCELED) == 0);
        atomic_store(&suite->nis[0].downs[1], 0);
    }
}

static void gone_address(struct suite_ni *ni, void *arg)
{
    const struct suite_ni *other = arg;
    char reason[256] = "";
    struct ni_peer *peer;

    CHECK(!ni_reachable(ni->ni, other->blob, other->blob_len, reason, sizeof(reason)));
    CHECK(reason[0] != '\0');
    CHECK(ni_connect(ni->ni, other->blob, other->blob_len, &peer) == NI_ERR_UNREACHABLE);
}

/* An address whose owner has closed: said at once where the link can know, and without a peer. */
static void address_of_the_gone(struct suite *suite)
{
    struct suite_ni *copy = suite_alloc(suite, sizeof(*copy));

    suite_close(suite, 1);
    suite_open(suite, 1);
    *copy = suite->nis[1];
    suite_close(suite, 1);
    if (suite->link->inproc) {
        suite_call(suite, 0, gone_address, copy);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"peer_closes", 3, 0, peer_closes},
        {"peer_dies", 3, SUITE_NEEDS_KILL, peer_dies},
        {"peer_dies_and_completions_go_on", 3, SUITE_NEEDS_KILL, peer_dies_and_completions_go_on},
        {"closing_with_work", 3, 0, closing_with_work},
        {"idle_peer_dies", 3, SUITE_NEEDS_KILL, idle_peer_dies},
        {"messages_before_close_arrive", 2, 0, messages_before_close_arrive},
        {"flood_into_death", 2, SUITE_NEEDS_KILL | SUITE_NEEDS_APART, flood_into_death},
        {"flood_into_close", 2, SUITE_NEEDS_APART, flood_into_close},
        {"disconnect", 2, 0, disconnect},
        {"connected_twice", 2, 0, connected_twice},
        {"opened_again", 2, 0, opened_again},
        {"address_of_the_gone", 2, 0, address_of_the_gone},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
