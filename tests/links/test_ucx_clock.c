/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/silence.c. */
/*
 * Over the ucx link nobody is given up for time that passed while nobody polled: because the
 * process was stopped, the machine suspended, or the program busy. The clock of this program jumps
 * by more than a minute between any two looks at it, while messages overtake each other, and while
 * a peer that has closed has much to be read.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <apeni/apeni.h>

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define JUMP_S           70
#define LIMIT_S          60

enum { MESSAGES = 3000, LAST = 200 };

struct side {
    struct ni *ni;
    struct ni_rkey queue;
    struct ni_peer *to;
    unsigned received;
    ni_status down; /* of its peer */
};

static struct side sides[2];
static _Atomic long ahead_s; /* of the kernel's clock */

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_clock.c:%d: %s\n", line, what);
    exit(1);
}

static struct timespec kernel_clock(clockid_t id)
{
    struct timespec now;

    CHECK(syscall(SYS_clock_gettime, id, &now) == 0);
    return now;
}

/* In place of the C library's, also for the library that is tested. */
int clock_gettime(clockid_t id, struct timespec *now)
{
    *now = kernel_clock(id);
    if (id == CLOCK_MONOTONIC) {
        now->tv_sec += JUMP_S + atomic_fetch_add_explicit(&ahead_s, JUMP_S, memory_order_relaxed);
    }
    return 0;
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

    *side = (struct side){0};
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

static void poll_both(void)
{
    static time_t begin;
    time_t now = kernel_clock(CLOCK_MONOTONIC).tv_sec;

    begin = begin == 0 ? now : begin;
    CHECK(now - begin < LIMIT_S);
    (void)ni_progress(sides[0].ni);
    (void)ni_progress(sides[1].ni);
}

/* So many from the first to the second; the last may still be under way. */
static void send(unsigned first, unsigned count)
{
    for (unsigned i = first; i != first + count; i++) {
        ni_status status;

        while ((status = ni_message(sides[0].ni, sides[0].to, sides[1].queue.handle, 0, &i,
                                    sizeof(i), NULL, 0)) == NI_AGAIN) {
            poll_both();
        }
        CHECK(status == NI_OK);
    }
}

int main(void)
{
    char error[256];

    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_param_set("ucx_gather_us", "0", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_param_set("fault", "delay:ppm=100000,seed=5", "test", error, sizeof(error)) == NI_OK);
    open_side(&sides[0]);
    open_side(&sides[1]);
    meet(&sides[0], &sides[1]);
    meet(&sides[1], &sides[0]);
    send(0, MESSAGES);
    while (sides[1].received != MESSAGES) {
        poll_both();
    }
    CHECK(sides[0].down == NI_OK && sides[1].down == NI_OK);
    send(MESSAGES, LAST);
    ni_close(sides[0].ni);
    while (sides[1].down == NI_OK) {
        (void)ni_progress(sides[1].ni);
    }
    CHECK(sides[1].down == NI_ERR_PEER_CLOSED);
    CHECK(sides[1].received == MESSAGES + LAST);
    ni_close(sides[1].ni);
    printf("%u messages, the clock went on by %ld s\n", sides[1].received, ahead_s);
    return 0;
}
