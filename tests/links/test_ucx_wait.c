/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/wait.c */
/*
 * Sleeping over the ucx link: it ends when the time has passed, when a message comes, and when a
 * thread says so, also when that thread was first; nobody falls asleep over what has come before.
 * Each sleep is for much longer than the test may take, so that one which nothing ends fails it.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "engine/core/ni.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define FOR_EVER_US      UINT64_C(3600000000)

enum { LIMIT_S = 120, BRIEF_US = 2000, ROUNDS = 20, PAUSE_NS = 2000000 };

struct side {
    struct ni *ni;
    struct ni_link *link;
    struct ni_rkey queue;
    struct ni_peer *other;
    unsigned received;
};

static struct side sides[2];

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_wait.c:%d: %s\n", line, what);
    exit(1);
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    CHECK(message->len == sizeof(unsigned) && *(const unsigned *)message->data == side->received);
    side->received++;
}

static void open_side(struct side *side)
{
    struct ni_open_attr attr = {.job_key = 77};

    CHECK(ni_open(&attr, &side->ni) == NI_OK);
    side->link = side->ni->link;
    CHECK(ni_region_consumer(side->ni, on_message, side, 0, &side->queue) == NI_OK);
}

static void meet(struct side *side, const struct side *other)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(other->ni, blob, sizeof(blob));

    CHECK(ni_connect(side->ni, blob, len, &side->other) == NI_OK);
}

static void send(unsigned number)
{
    ni_status status;

    while ((status = ni_message(sides[0].ni, sides[0].other, sides[1].queue.handle, 0, &number,
                                sizeof(number), NULL, 0)) == NI_AGAIN) {
        (void)ni_progress(sides[0].ni);
        (void)ni_progress(sides[1].ni);
    }
    CHECK(status == NI_OK);
}

static bool has_nothing(void *core)
{
    (void)core;
    return false;
}

static bool has_something(void *core)
{
    (void)core;
    return true;
}

/* Until nothing is under way that keeps a link from sleeping. */
static void settle(void)
{
    for (unsigned quiet = 0; quiet < 1000; quiet++) {
        if (ni_progress(sides[0].ni) + ni_progress(sides[1].ni) != 0) {
            quiet = 0;
        }
    }
}

static void arm(struct side *side)
{
    while (!side->link->ops->arm(side->link, has_nothing)) {
        (void)ni_progress(side->ni);
    }
}

static void *send_later(void *arg)
{
    struct timespec pause = {.tv_nsec = PAUSE_NS};

    nanosleep(&pause, NULL);
    send(*(const unsigned *)arg);
    for (unsigned i = 0; i < ROUNDS; i++) {
        (void)ni_progress(sides[0].ni);
    }
    return NULL;
}

static void *rouse_later(void *arg)
{
    struct side *side = arg;
    struct timespec pause = {.tv_nsec = PAUSE_NS};

    nanosleep(&pause, NULL);
    side->link->ops->rouse(side->link);
    return NULL;
}

static void test_time_passes(void)
{
    struct ni_link *link = sides[1].link;

    settle();
    link->ops->wait(link, BRIEF_US, has_nothing);
    link->ops->wait(link, 0, has_nothing);
    CHECK(!link->ops->arm(link, has_something));
    link->ops->wait(link, FOR_EVER_US, has_something);
}

static void test_message_wakes(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned number = sides[1].received;
        pthread_t thread;

        settle();
        CHECK(pthread_create(&thread, NULL, send_later, &number) == 0);
        while (sides[1].received == number) {
            sides[1].link->ops->wait(sides[1].link, FOR_EVER_US, has_nothing);
            (void)ni_progress(sides[1].ni);
        }
        CHECK(pthread_join(thread, NULL) == 0);
    }
}

static void test_roused(void)
{
    struct ni_link *link = sides[1].link;

    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t thread;

        settle();
        arm(&sides[1]);
        CHECK(pthread_create(&thread, NULL, rouse_later, &sides[1]) == 0);
        link->ops->sleep(link, FOR_EVER_US);
        CHECK(pthread_join(thread, NULL) == 0);
        link->ops->rouse(link); /* before the sleep */
        arm(&sides[1]);
        link->ops->sleep(link, FOR_EVER_US);
    }
}

/* As those sleep who have several links. */
static void test_descriptors(void)
{
    struct ni_link *link = sides[1].link;
    int fds[NI_LINK_DESCRIPTORS];
    unsigned count = link->ops->descriptors(link, fds), number = sides[1].received;
    struct pollfd polled[NI_LINK_DESCRIPTORS];
    pthread_t thread;

    CHECK(count == 2);
    for (unsigned i = 0; i < count; i++) {
        polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    settle();
    arm(&sides[1]);
    CHECK(pthread_create(&thread, NULL, send_later, &number) == 0);
    CHECK(poll(polled, count, -1) > 0);
    CHECK(pthread_join(thread, NULL) == 0);
    while (sides[1].received == number) {
        (void)ni_progress(sides[1].ni);
    }
    settle();
    arm(&sides[1]);
    CHECK(poll(polled, count, 0) == 0);
    link->ops->rouse(link);
    CHECK(poll(polled, count, -1) > 0);
    link->ops->slept(link);
    settle();
    arm(&sides[1]);
    CHECK(poll(polled, count, 0) == 0);
}

int main(void)
{
    char error[256];

    (void)alarm(LIMIT_S);
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    open_side(&sides[0]);
    open_side(&sides[1]);
    meet(&sides[0], &sides[1]);
    meet(&sides[1], &sides[0]);
    send(0);
    while (sides[1].received == 0) {
        (void)ni_progress(sides[0].ni);
        (void)ni_progress(sides[1].ni);
    }
    test_time_passes();
    test_message_wakes();
    test_roused();
    test_descriptors();
    ni_close(sides[0].ni);
    ni_close(sides[1].ni);
    printf("%u messages\n", sides[1].received);
    return 0;
}
