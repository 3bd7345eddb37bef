/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/linger.c. */
/* Covers: ni/engine/drive/peer_down.c ni/engine/life/open.c. */
#include <unistd.h>

#include "suite_work.h"

/*
 * Ends with work under way: the peer closes or dies, or we disconnect or close. Every operation
 * that was accepted completes, once, with a status that fits; memory is not touched afterwards;
 * everything else goes on.
 */

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
        CHECK(work_start_op(ni, work, i, &ack) == after->expected);
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
    struct work *other = work_new(suite, 2);

    suite_until(suite, is_down, (void *)&suite->nis[0].downs[1]);
    (void)work_check(suite, work, expected);
    *after = (struct after){.work = work, .expected = expected};
    suite_call(suite, 0, check_refused, after);
    suite_call(suite, 0, work_start, other);
    CHECK(work_check(suite, other, expected) == 0);
    CHECK(atomic_load(&suite->nis[0].downs[1]) == 1);
    CHECK(atomic_load(&suite->nis[0].down[1]) == (int)expected);
    CHECK(atomic_load(&suite->nis[0].downs[2]) == 0);
    suite_until(suite, is_down, (void *)&suite->nis[2].downs[1]);
    CHECK(atomic_load(&suite->nis[2].down[1]) == (int)expected);
}

/* ---- the peer ends --------------------------------------------------------------------------- */

static void peer_closes(struct suite *suite)
{
    struct work *work = work_new(suite, 1);

    suite_call(suite, 0, work_start, work);
    suite_close(suite, 1);
    check_end(suite, work, NI_ERR_PEER_CLOSED);
}

static void peer_dies(struct suite *suite)
{
    struct work *work = work_new(suite, 1);

    suite_call(suite, 0, work_start, work);
    suite_kill(suite, 1);
    check_end(suite, work, NI_ERR_PEER_DEAD);
}

/* Completions that start the next operation do so until it is refused, not for ever. */
static void peer_dies_and_completions_go_on(struct suite *suite)
{
    struct work *work = work_new(suite, 1);

    work->again = true;
    suite_call(suite, 0, work_start, work);
    suite_kill(suite, 1);
    check_end(suite, work, NI_ERR_PEER_DEAD);
    CHECK(atomic_load(&work->refused) + atomic_load(&work->ops[0].done.count) == 2);
}

/* Both work on each other when one closes: its own operations end with NI_ERR_CLOSED. */
static void closing_with_work(struct suite *suite)
{
    struct work *work = work_new(suite, 1), *theirs = work_new(suite, 0);

    suite_call(suite, 0, work_start, work);
    suite_call(suite, 1, work_start, theirs);
    suite_close(suite, 1);
    (void)work_check(suite, theirs, NI_ERR_CLOSED);
    check_end(suite, work, NI_ERR_PEER_CLOSED);
}

/* Dead before anything was exchanged. */
static void idle_peer_dies(struct suite *suite)
{
    struct work *work = work_new(suite, 1);

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
    struct work *work = work_new(suite, 1);

    suite_call(suite, 0, send_and_close, work);
    suite_until_count(suite, &work->consumed, 20);
    suite_until(suite, is_down, (void *)&suite->nis[1].downs[0]);
    CHECK(atomic_load(&suite->nis[1].down[0]) == NI_ERR_PEER_CLOSED);
}

/* ---- what is known when an operation ends ---------------------------------------------------- */

enum { LONG_WRITE = 0, WRITE = 5, LONG_READ = 6 }; /* of a work's operations */

struct asked {
    struct work *work;
    unsigned op;
    _Atomic uint64_t ready;
    _Atomic uint64_t killed;
};

/* The peer dies without a poll of ours, so that the operation is what finds it. A caller that
 * gives up because it has failed has been told of the peer. */
static void ask_the_dead(struct suite_ni *ni, void *arg)
{
    struct asked *asked = arg;
    struct work_op *op = &asked->work->ops[asked->op];
    struct ni_ack ack = suite_ack(&op->done);
    ni_status status;

    atomic_store(&asked->ready, 1);
    while (atomic_load(&asked->killed) == 0) {
        usleep(100);
    }
    status = work_start_op(ni, asked->work, asked->op, &ack);
    CHECK(status == NI_OK || status == NI_ERR_PEER_DEAD);
    op->accepted = status == NI_OK;
    while (op->accepted && atomic_load(&op->done.count) == 0) {
        suite_turn(ni);
    }
    /* Another thread that polls has perhaps not got so far. */
    CHECK(atomic_load(&ni->downs[1]) == 1 || ni->suite->link->placement != NI_PLACEMENT_DEFAULT);
}

static void told_of(struct suite *suite, unsigned op)
{
    struct asked *asked = suite_alloc(suite, sizeof(*asked));
    struct work *work = work_new(suite, 1);

    asked->work = work;
    asked->op = op;
    suite_call(suite, 0, work_start, work_new(suite, 1)); /* the way there is open */
    suite_begin(suite, 0, ask_the_dead, asked);
    suite_until_count(suite, &asked->ready, 1);
    suite_kill(suite, 1);
    atomic_store(&asked->killed, 1);
    suite_end(suite, 0);
}

static void told_before_a_read_ends(struct suite *suite)
{
    told_of(suite, LONG_READ);
}

static void told_before_a_write_ends(struct suite *suite)
{
    told_of(suite, WRITE);
}

static void told_before_a_long_write_ends(struct suite *suite)
{
    told_of(suite, LONG_WRITE);
}

/* ---- senders that flood somebody who ends ---------------------------------------------------- */

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

static struct stream *begin_flood(struct suite *suite, ni_status expected)
{
    struct stream *stream = suite_alloc(suite, sizeof(*stream));

    stream->work = work_new(suite, 1);
    stream->expected = expected;
    suite_begin(suite, 0, send_until_refused, stream);
    return stream;
}

static void flood_into_end(struct suite *suite, ni_status expected)
{
    struct stream *stream = begin_flood(suite, expected);

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

/* The process that sends does not get the processor while the other closes: it is told the same. */
static void flood_into_close_meanwhile(struct suite *suite)
{
    struct stream *stream = begin_flood(suite, NI_ERR_PEER_CLOSED);

    suite_until(suite, has_begun, stream);
    suite_freeze(suite, 0, true);
    suite_begin(suite, 1, suite_close_ni, NULL);
    usleep(300000);
    suite_freeze(suite, 0, false);
    suite_end(suite, 1);
    suite_end(suite, 0);
}

/* ---- we end ---------------------------------------------------------------------------------- */

static void disconnect_here(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;

    work_start(ni, work);
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
        struct work *work = work_new(suite, 1), *next = work_new(suite, 1);

        suite_call(suite, 0, disconnect_here, work);
        (void)work_check(suite, work, NI_ERR_CANCELED);
        suite_call(suite, 0, reconnect_here, NULL);
        suite_call(suite, 0, work_start, next);
        CHECK(work_check(suite, next, NI_ERR_CANCELED) == 0);
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
    work_start(ni, work);
    ni_disconnect(ni->ni, again); /* one of two: nothing is given up */
}

static void connected_twice(struct suite *suite)
{
    struct work *work = work_new(suite, 1);

    suite_call(suite, 0, count_references, work);
    CHECK(work_check(suite, work, NI_ERR_CANCELED) == 0);
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
        work = work_new(suite, 1);
        suite_call(suite, 0, work_start, work);
        CHECK(work_check(suite, work, NI_ERR_CANCELED) == 0);
        atomic_store(&suite->nis[0].downs[1], 0);
    }
}

/* An NI that closes while others connect to it does not take them with it. */
static void closed_at_once(struct suite *suite)
{
    struct work *work = work_new(suite, 2);
    int rounds = suite->link->far ? 8 : 1; /* only there it takes a while to connect */

    for (int round = 0; round < rounds; round++) {
        suite_close(suite, 1);
        suite_until(suite, is_down, (void *)&suite->nis[0].downs[1]);
        suite_until(suite, is_down, (void *)&suite->nis[2].downs[1]);
        suite_open(suite, 1);
        suite_call(suite, 0, reconnect_here, NULL);
        suite_call(suite, 2, reconnect_here, NULL);
        atomic_store(&suite->nis[0].downs[1], 0);
        atomic_store(&suite->nis[2].downs[1], 0);
    }
    suite_call(suite, 0, work_start, work);
    CHECK(work_check(suite, work, NI_ERR_CANCELED) == 0);
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
        {"closing_with_work", 3, SUITE_NEEDS_READERS, closing_with_work},
        {"idle_peer_dies", 3, SUITE_NEEDS_KILL, idle_peer_dies},
        {"messages_before_close_arrive", 2, 0, messages_before_close_arrive},
        {"flood_into_death", 2, SUITE_NEEDS_KILL | SUITE_NEEDS_APART, flood_into_death},
        {"flood_into_close", 2, SUITE_NEEDS_APART, flood_into_close},
        {"flood_into_close_meanwhile", 2, SUITE_NEEDS_KILL | SUITE_NEEDS_APART,
         flood_into_close_meanwhile},
        {"told_before_a_read_ends", 2, SUITE_NEEDS_KILL | SUITE_NEEDS_APART,
         told_before_a_read_ends},
        {"told_before_a_write_ends", 2, SUITE_NEEDS_KILL | SUITE_NEEDS_APART,
         told_before_a_write_ends},
        {"told_before_a_long_write_ends", 2, SUITE_NEEDS_KILL | SUITE_NEEDS_APART,
         told_before_a_long_write_ends},
        {"disconnect", 2, 0, disconnect},
        {"connected_twice", 2, 0, connected_twice},
        {"opened_again", 2, 0, opened_again},
        {"closed_at_once", 3, 0, closed_at_once},
        {"address_of_the_gone", 2, 0, address_of_the_gone},
    };

    suite_beside_engines();
    suite_between_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
