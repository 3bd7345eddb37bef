/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/endpoint.c ni/link/ucx/gather.c. */
/*
 * A message over the ucx link that was taken arrives although its sender makes no further call,
 * also the first one to a peer, towards which there is no connection yet, and the first answer to
 * one that has just come. So do many that are sent without a poll between, which are gathered to
 * leave together; they keep their order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <apeni/apeni.h>

#include "base/clock.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(20000000000)

enum { ROUNDS = 3, BYTES = 1500, AT_ONCE = 2, BURST = 200, SINGLE = 10 };

struct side {
    struct ni *ni;
    struct ni_rkey queue, burst;
    struct ni_peer *other;
    uint64_t received;
    uint32_t next; /* of a burst */
};

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_under_way.c:%d: %s\n", line, what);
    exit(1);
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    CHECK(message->len == BYTES && *(const char *)message->data == 'x');
    side->received++;
}

static void on_burst(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;
    uint32_t number;

    CHECK(message->len == sizeof(number));
    memcpy(&number, message->data, sizeof(number));
    CHECK(number == side->next);
    side->next++;
}

static uint64_t gathered(const struct side *side)
{
    return ni_stat_read(side->ni, ni_stat_find("tx_gathered"));
}

static void open_side(struct side *side)
{
    struct ni_open_attr attr = {.job_key = 77};

    memset(side, 0, sizeof(*side));
    CHECK(ni_open(&attr, &side->ni) == NI_OK);
    CHECK(ni_region_consumer(side->ni, on_message, side, 0, &side->queue) == NI_OK);
    CHECK(ni_region_consumer(side->ni, on_burst, side, 0, &side->burst) == NI_OK);
}

static void meet(struct side *side, const struct side *other)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(other->ni, blob, sizeof(blob));

    CHECK(ni_connect(side->ni, blob, len, &side->other) == NI_OK);
}

/* Both are called until the message is taken, then the receiver alone. */
static void send_and_rest(struct side *from, struct side *to)
{
    static const char data[BYTES] = "x";
    uint64_t begin = ni_now_ns(), before = to->received;
    ni_status status;

    while ((status = ni_message(from->ni, from->other, to->queue.handle, 0, data, BYTES, NULL,
                                0)) == NI_AGAIN) {
        (void)ni_progress(from->ni);
        (void)ni_progress(to->ni);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    CHECK(status == NI_OK);
    while (to->received == before) {
        (void)ni_progress(to->ni);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
}

/* There is a connection. The sender sends, and is not called again. */
static void burst_and_rest(struct side *from, struct side *to, bool gathers)
{
    uint64_t begin = ni_now_ns(), before;

    (void)ni_progress(from->ni);
    before = gathered(from);
    to->next = 0;
    for (uint32_t i = 0; i < BURST; i++) {
        CHECK(ni_message(from->ni, from->other, to->burst.handle, 0, &i, sizeof(i), NULL, 0) ==
              NI_OK);
    }
    CHECK(gathered(from) - before <= BURST - AT_ONCE && (gathered(from) != before) == gathers);
    while (to->next != BURST) {
        (void)ni_progress(to->ni);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
}

/* Not one right behind the other: nothing waits, although the sender does not poll. */
static void one_by_one(struct side *from, struct side *to)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    uint64_t begin = ni_now_ns(), before = gathered(from);

    to->next = 0;
    for (uint32_t i = 0; i < SINGLE; i++) {
        (void)nanosleep(&pause, NULL);
        CHECK(ni_message(from->ni, from->other, to->burst.handle, 0, &i, sizeof(i), NULL, 0) ==
              NI_OK);
    }
    CHECK(gathered(from) == before);
    while (to->next != SINGLE) {
        (void)ni_progress(to->ni);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
}

static void set(const char *name, const char *value)
{
    char error[256];

    CHECK(ni_param_set(name, value, "test", error, sizeof(error)) == NI_OK);
}

int main(void)
{
    static const char *const gather_us[ROUNDS] = {"100", "20000", "0"};

    set("links", "ucx");
    for (int round = 0; round < ROUNDS; round++) {
        struct side a, b;
        bool gathers = strcmp(gather_us[round], "0") != 0;

        set("ucx_gather_us", gather_us[round]);
        open_side(&a);
        open_side(&b);
        meet(&a, &b);
        meet(&b, &a);
        send_and_rest(&a, &b);
        send_and_rest(&b, &a);
        send_and_rest(&b, &a);
        send_and_rest(&a, &b);
        burst_and_rest(&a, &b, gathers);
        burst_and_rest(&b, &a, gathers);
        burst_and_rest(&a, &b, gathers);
        one_by_one(&a, &b);
        ni_close(a.ni);
        ni_close(b.ni);
    }
    return 0;
}
