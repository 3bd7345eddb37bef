/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends to the ucx link without the keys, much of it, or what somebody else was heard to say,
 * or stays when it closes. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ucx_caller.h"

enum { MUCH = 4 << 20, POLLS = 2000 };

static unsigned looks; /* at what the kernel says of descriptors */

static void strangers(struct ni *ni)
{
    static const uint8_t noise[200] = {1, 2, 3};
    struct caller caller;
    struct ni_ucx_head head;
    uint64_t refused = 0, peers = caller_stat(ni, "peers");

    caller_call(&caller, ni);
    caller_say(&caller, noise, 1, NULL, 0);
    caller_until(&caller, "rx_strangers", ++refused);
    caller_say(&caller, noise, sizeof(head), noise, sizeof(noise));
    caller_until(&caller, "rx_strangers", ++refused);
    head = caller_head(&caller, NI_UCX_LINES);
    head.version++;
    caller_say(&caller, &head, sizeof(head), noise, sizeof(noise));
    caller_until(&caller, "rx_strangers", ++refused);
    for (int type = NI_UCX_WELCOME; type <= NI_UCX_BYE + 1; type++) { /* a token that it guessed */
        head = caller_head(&caller, (enum ni_ucx_type)type);
        head.token = (uint64_t)1 << 63;
        caller_say(&caller, &head, sizeof(head), noise, sizeof(noise));
        caller_until(&caller, "rx_strangers", ++refused);
    }
    head = caller_head(&caller, NI_UCX_HELLO); /* too short */
    caller_say(&caller, &head, sizeof(head), noise, 10);
    caller_until(&caller, "rx_strangers", ++refused);
    caller_say_hello(&caller, caller.blob.key + 1, CALLER_JOB_KEY);
    caller_until(&caller, "rx_strangers", ++refused);
    caller_say_hello(&caller, caller.blob.key, CALLER_JOB_KEY + 1);
    caller_until(&caller, "rx_strangers", ++refused);
    CHECK(caller.token == 0 && !caller.said_bye);
    CHECK(caller_stat(ni, "peers") == peers && caller_stat(ni, "rings") == 0);
    caller_hang_up(&caller);
}

/* Much of it, also by UCX's rendezvous: nobody asks for it. */
static void much(struct ni *ni)
{
    uint8_t *data = calloc(1, MUCH);
    uint64_t refused = caller_stat(ni, "rx_strangers"), peers = caller_stat(ni, "peers");
    struct ni_ucx_bulk bulk = {0};
    struct caller caller;

    CHECK(data != NULL);
    caller_call(&caller, ni);
    for (unsigned i = 0; i < 64; i++) {
        bulk.head = caller_head(&caller, i % 2 == 0 ? NI_UCX_LINES : NI_UCX_BULK);
        bulk.head.token = (uint64_t)1 << 62 | i;
        caller_say(&caller, &bulk, i % 2 == 0 ? sizeof(bulk.head) : sizeof(bulk), data,
                   i % 3 == 0 ? MUCH : 100000);
    }
    caller_until(&caller, "rx_strangers", refused + 64);
    CHECK(caller.token == 0 && !caller.said_bye);
    CHECK(caller_stat(ni, "peers") == peers && caller_stat(ni, "rings") == 0);
    caller_hang_up(&caller);
    free(data);
}

/* A greeting that was overheard, said again by somebody else. Its answer goes to whom it came from
 * at first, whom it does not harm; with another token it is no greeting. */
static void replayed(struct ni *ni)
{
    struct caller first, second;
    struct ni_ucx_hello hello;
    struct ni_ucx_head head;
    uint64_t malformed = caller_stat(ni, "rx_malformed"), refused, peers, token, begin;

    caller_join(&first, ni);
    token = first.token;
    hello = caller_hello(&first, first.blob.key);
    hello.blob.job_key = CALLER_JOB_KEY;
    peers = caller_stat(ni, "peers");
    refused = caller_stat(ni, "rx_strangers");
    caller_call(&second, ni);
    first.token = 0;
    caller_say_this_hello(&second, &hello);
    begin = ni_now_ns();
    while (first.token == 0) {
        caller_turn(&second);
        caller_turn(&first);
        CHECK(ni_now_ns() - begin < CALLER_LIMIT_S * UINT64_C(1000000000));
    }
    CHECK(first.token == token);
    hello.token++;
    caller_say_this_hello(&second, &hello);
    caller_until(&second, "rx_strangers", refused + 1);
    head = caller_head(&first, NI_UCX_CREDIT);
    caller_say(&first, &head, sizeof(head), NULL, 0);
    for (unsigned i = 0; i < 1000; i++) {
        caller_turn(&first);
        caller_turn(&second);
    }
    CHECK(caller_stat(ni, "peers") == peers && caller_stat(ni, "rx_malformed") == malformed);
    CHECK(!first.said_bye && second.token == 0 && !second.said_bye);
    caller_hang_up(&first);
    hello.token--;
    caller_say_this_hello(&second, &hello); /* now it is nobody's */
    for (unsigned i = 0; i < 1000; i++) {
        caller_turn(&second);
    }
    CHECK(second.token == 0);
    caller_hang_up(&second);
}

/* Called by the link instead of the C library's. */
FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *path, const char *mode);

    *(void **)(void *)&real = dlsym(RTLD_NEXT, "fopen");
    looks += strncmp(path, "/proc/self/fdinfo/", 18) == 0;
    return real(path, mode);
}

/* A link that is closed waits for somebody who is connected. Polls of another link look after it,
 * but not each of them at its sockets. */
static void closed(struct ni *other)
{
    static const uint8_t noise[24] = {1};
    struct ni *ni = caller_open_ni();
    struct caller caller;
    unsigned looking = 0;
    uint64_t begin, ms;

    caller_call(&caller, ni);
    caller_say(&caller, noise, sizeof(noise), NULL, 0);
    caller_until(&caller, "rx_strangers", 1);
    ni_close(ni);
    begin = ni_now_ns();
    for (unsigned i = 0; i < POLLS; i++) {
        unsigned seen = looks;

        (void)ni_progress(other);
        looking += looks != seen;
    }
    ms = (ni_now_ns() - begin) / 1000000;
    CHECK(looking != 0 && looking <= 2 * (ms + 1)); /* the other looks at its own, more rarely */
    caller_hang_up(&caller);
}

int main(void)
{
    struct ni *ni = caller_open_ni();

    strangers(ni);
    much(ni);
    caller_check_usable(ni);
    replayed(ni);
    caller_check_usable(ni);
    closed(ni);
    caller_check_usable(ni);
    ni_close(ni);
    return 0;
}
