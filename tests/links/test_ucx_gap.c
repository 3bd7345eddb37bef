/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/progress.c. */
/*
 * A message over the ucx link that others overtake costs nothing but time, however many do so one
 * after the other: the two seconds after which a peer that has lost one is given up are those of
 * one gap. The link looks for gaps now and then; here it sees the beginning of each, and the end of
 * none but the last.
 */
#include <stdio.h>
#include <stdlib.h>

#include <apeni/apeni.h>
#include <apeni/fault.h>

#include "base/clock.h"
#include "engine/core/ni.h"
#include "link/lane_inl.h"
#include "link/ucx/ucx.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(20000000000)
#define LATER_NS         UINT64_C(3000000000) /* more than a message may be missing */

enum { GAPS = 3, BEHIND = 2 };

struct side {
    struct ni *ni;
    struct ni_rkey queue;
    struct ni_peer *to;
    unsigned sent, received;
    ni_status down; /* of its peer */
};

static struct side sides[2]; /* the first sends to the second */
static uint64_t begin;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_gap.c:%d: %s\n", line, what);
    exit(1);
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    CHECK(message->len == sizeof(unsigned) && *(const unsigned *)message->data == side->received);
    side->received++;
}

static void on_down(void *arg, struct ni_peer *peer, ni_status status)
{
    (void)peer;
    ((struct side *)arg)->down = status;
}

static void open_side(struct side *side)
{
    struct ni_open_attr attr = {.job_key = 77};

    CHECK(ni_open(&attr, &side->ni) == NI_OK);
    CHECK(ni_region_consumer(side->ni, on_message, side, 0, &side->queue) == NI_OK);
    ni_on_peer_down(side->ni, on_down, side);
}

static void meet(struct side *side, const struct side *other)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(other->ni, blob, sizeof(blob));

    CHECK(ni_connect(side->ni, blob, len, &side->to) == NI_OK);
}

static struct ni_ucx_link *receiver(void)
{
    return ni_ucx_link_of(sides[1].ni->link);
}

/* What the receiver has of the sender. */
static const struct ni_ucx_peer *sender(void)
{
    return ni_container_of(receiver()->far.peers.next, struct ni_ucx_peer, far.list);
}

/* looks: whether the receiver looks for gaps. */
static void poll_both(bool looks)
{
    receiver()->countdown = looks ? 1 : 2;
    (void)ni_progress(sides[1].ni);
    (void)ni_progress(sides[0].ni);
    CHECK(ni_now_ns() - begin < LIMIT_NS);
}

static void send_one(void)
{
    ni_status status;

    while ((status = ni_message(sides[0].ni, sides[0].to, sides[1].queue.handle, 0, &sides[0].sent,
                                sizeof(sides[0].sent), NULL, 0)) == NI_AGAIN) {
        poll_both(false);
    }
    CHECK(status == NI_OK);
    sides[0].sent++;
}

/* All has come, and nobody has looked since. */
static void deliver(void)
{
    while (sides[1].received != sides[0].sent || ni_list_linked(&sender()->moved)) {
        poll_both(false);
    }
}

static bool is_missing(void)
{
    const struct ni_ucx_in *in = sender()->in;

    return in->high != in->rx.tail && !ni_lane_has_packet(&in->rx);
}

/* The next message is struck, those behind it are not, and the receiver sees that. */
static void make_gap(enum ni_fault_point point)
{
    ni_fault_reset();
    ni_fault_arm(point, 1, 0);
    for (unsigned i = 0; i <= BEHIND; i++) {
        send_one();
    }
    while (!is_missing()) {
        poll_both(true);
        CHECK(sides[1].down == NI_OK);
    }
    CHECK(ni_fault_struck(point) == 1);
}

static void late_one_by_one(void)
{
    for (unsigned i = 0; i < GAPS; i++) {
        make_gap(NI_FAULT_DELAY);
        deliver();
        receiver()->watched_ns += LATER_NS;
    }
    CHECK(sides[0].down == NI_OK && sides[1].down == NI_OK);
}

/* One that stays away is noticed all the same. */
static void lost(void)
{
    unsigned received = sides[1].received;

    make_gap(NI_FAULT_DROP);
    receiver()->watched_ns += LATER_NS;
    while (sides[0].down == NI_OK || sides[1].down == NI_OK) {
        poll_both(true);
    }
    CHECK(sides[0].down == NI_ERR_PROTOCOL && sides[1].down == NI_ERR_PROTOCOL);
    CHECK(sides[1].received == received);
}

int main(void)
{
    char error[256];

    begin = ni_now_ns();
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_param_set("ucx_gather_us", "0", "test", error, sizeof(error)) == NI_OK);
    open_side(&sides[0]);
    open_side(&sides[1]);
    meet(&sides[0], &sides[1]);
    send_one();
    while (sides[1].received == 0) {
        poll_both(false);
    }
    deliver();
    late_one_by_one();
    lost();
    ni_close(sides[0].ni);
    ni_close(sides[1].ni);
    return 0;
}
