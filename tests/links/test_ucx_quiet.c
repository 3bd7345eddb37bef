/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/progress.c. */
/*
 * What a poll of the ucx link takes does not grow with the number of peers: it looks at those of
 * which something is under way, and when all is delivered and given back, at none.
 */
#include <stdio.h>
#include <stdlib.h>

#include <apeni/apeni.h>

#include "base/clock.h"
#include "engine/core/ni.h"
#include "link/ucx/ucx.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(20000000000)

enum { PEERS = 6, NIS = PEERS + 1, LONG = 300000 };

struct side {
    struct ni *ni;
    struct ni_rkey queue;
    unsigned received;
};

static struct side sides[NIS]; /* the first is the one whose peers are counted */
static struct ni_peer *to[NIS], *from[NIS];

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_quiet.c:%d: %s\n", line, what);
    exit(1);
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    (void)message;
    side->received++;
}

static struct ni_peer *meet(struct side *side, const struct side *other)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(other->ni, blob, sizeof(blob));
    struct ni_peer *peer;

    CHECK(ni_connect(side->ni, blob, len, &peer) == NI_OK);
    return peer;
}

static void open_all(void)
{
    for (unsigned i = 0; i < NIS; i++) {
        struct ni_open_attr attr = {.job_key = 77};

        CHECK(ni_open(&attr, &sides[i].ni) == NI_OK);
        CHECK(ni_region_consumer(sides[i].ni, on_message, &sides[i], 0, &sides[i].queue) == NI_OK);
    }
    for (unsigned i = 1; i < NIS; i++) {
        to[i] = meet(&sides[0], &sides[i]);
        from[i] = meet(&sides[i], &sides[0]);
    }
}

static void poll_all(void)
{
    for (unsigned i = 0; i < NIS; i++) {
        (void)ni_progress(sides[i].ni);
    }
}

static unsigned moved(void)
{
    const struct ni_ucx_link *link = ni_ucx_link_of(sides[0].ni->link);
    unsigned count = 0;

    for (NI_LIST_EACH(node, &link->moved)) {
        count++;
    }
    return count;
}

static void until_quiet(void)
{
    uint64_t begin = ni_now_ns();

    while (moved() != 0) {
        poll_all();
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
}

static void deliver(struct side *side, struct ni_peer *peer, struct side *other, uint32_t len)
{
    static const uint8_t data[LONG];
    uint64_t begin = ni_now_ns();
    unsigned before = other->received;
    ni_status status;

    while ((status = ni_message(side->ni, peer, other->queue.handle, 0, data, len, NULL, 0)) ==
           NI_AGAIN) {
        poll_all();
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    CHECK(status == NI_OK);
    if (side == &sides[0]) {
        CHECK(moved() >= 1);
    }
    while (other->received == before) {
        poll_all();
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
}

int main(void)
{
    static const uint32_t lens[] = {8, 1500, LONG};
    char error[256];

    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    open_all();
    CHECK(moved() == 0);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 1; i < NIS; i++) {
            deliver(&sides[0], to[i], &sides[i], lens[round]);
            deliver(&sides[i], from[i], &sides[0], lens[round]);
        }
        until_quiet();
        deliver(&sides[0], to[1], &sides[1], lens[round]);
        CHECK(moved() <= 1);
        until_quiet();
    }
    for (unsigned i = 0; i < NIS; i++) {
        ni_close(sides[i].ni);
    }
    return 0;
}
