/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/join.c. */
/*
 * Two of a job connect to each other over the ucx link at the same time. The one whom UCX has close
 * its connection is held up before it said anything by it; nobody calls it a stranger. A connection
 * that crosses none of ours, and ends without a word, is one.
 *
 * Covers: ni/link/ucx/strangers.c ni/link/ucx/newcomers.c
 */
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ucs/debug/log_def.h>

#include <apeni/apeni.h>

#include "base/clock.h"
#include "engine/core/ni.h"
#include "link/ucx/ucx.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(20000000000)
#define PATIENCE_NS      UINT64_C(300000000) /* then somebody calls once more */

/* Which of two closes its connection is decided by their ports, so not each meeting shows it. */
enum { WANTED = 4, MEETINGS = 64, FDS = 1024, MAGIC = 8, AFTER = 200 };

struct side {
    struct ni *ni;
    struct ni_peer *peer;
    struct ni_rkey queue, peer_queue;
    unsigned received;
};

/* Some of a thread of UCX's. */
static _Atomic unsigned told, ended; /* of a stranger; connections without a word, by UCX */

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_crossing.c:%d: %s\n", line, what);
    exit(1);
}

static void on_log(enum ni_log_level level, const char *text, void *arg)
{
    (void)level;
    (void)arg;
    told += strstr(text, "somebody on the network") != NULL;
}

static ucs_log_func_rc_t on_ucx(const char *file, unsigned line, const char *function,
                                ucs_log_level_t level, const ucs_log_component_config_t *component,
                                const char *format, va_list ap)
{
    char text[256];
    va_list copy;

    (void)file;
    (void)line;
    (void)component;
    if (level == UCS_LOG_LEVEL_DEBUG && strcmp(function, "uct_tcp_cm_change_conn_state") == 0) {
        va_copy(copy, ap);
        vsnprintf(text, sizeof(text), format, copy);
        va_end(copy);
        ended += strstr(text, "RECV_MAGIC_NUMBER -> CLOSED") != NULL;
    }
    return UCS_LOG_FUNC_RC_CONTINUE;
}

/* Behind the link's own handler, so that this one is asked first. */
static void watch_ucx(void)
{
    void *library = dlopen("libucs.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void (*push)(ucs_log_func_t handler);

    CHECK(library != NULL);
    *(void **)(void *)&push = dlsym(library, "ucs_log_push_handler");
    CHECK(push != NULL);
    push(on_ucx);
}

/* ---- the two --------------------------------------------------------------------------------- */

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    CHECK(message->len == 1);
    side->received++;
}

static void open_side(struct side *side)
{
    struct ni_open_attr attr = {.job_key = 77};

    memset(side, 0, sizeof(*side));
    CHECK(ni_open(&attr, &side->ni) == NI_OK);
    CHECK(ni_region_consumer(side->ni, on_message, side, 0, &side->queue) == NI_OK);
}

static void know(struct side *side, const struct side *other)
{
    uint8_t blob[NI_BLOB_MAX];

    CHECK(ni_connect(side->ni, blob, ni_address(other->ni, blob, sizeof(blob)), &side->peer) ==
          NI_OK);
    side->peer_queue = other->queue;
}

/* True: it is under way. */
static bool say(struct side *side)
{
    ni_status status =
        ni_message(side->ni, side->peer, side->peer_queue.handle, 0, "x", 1, NULL, 0);

    CHECK(status == NI_OK || status == NI_AGAIN);
    return status == NI_OK;
}

static void step(const struct side *side)
{
    (void)ni_ucx_step(ni_ucx_link_of(side->ni->link));
}

/* ---- what the kernel has for them ------------------------------------------------------------ */

/* Bytes that came by this descriptor's connection and are not read, 0 where it is none. */
static int unread(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof(info);
    int bytes = 0;

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
                   info.tcpi_state == TCP_ESTABLISHED && ioctl(fd, FIONREAD, &bytes) == 0
               ? bytes
               : 0;
}

/* The connection by which somebody greets as UCX does, who has not been read; -1: none. */
static int find_greeting(void)
{
    static const uint8_t magic[MAGIC] = {0x78, 0x56, 0x34, 0x12, 0xbe, 0xba, 0xfe, 0xca};
    uint8_t begin[MAGIC];

    for (int fd = 0; fd < FDS; fd++) {
        if (unread(fd) > MAGIC && recv(fd, begin, MAGIC, MSG_PEEK | MSG_DONTWAIT) == MAGIC &&
            memcmp(begin, magic, MAGIC) == 0) {
            return fd;
        }
    }
    return -1;
}

/* ---- a meeting ------------------------------------------------------------------------------- */

/* The first has asked the second, which has not looked. Returns the connection by which it has. */
static int ask(struct side *first)
{
    uint64_t begin = ni_now_ns();
    int fd;

    CHECK(!say(first));
    while ((fd = find_greeting()) < 0) {
        (void)ni_progress(first->ni);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    return fd;
}

/* The second reads who asks, connects itself, and then reads what is asked: by now its connection
 * is made, and has said nothing. */
static void cross(struct side *second, int asked)
{
    int all = unread(asked);
    uint64_t begin = ni_now_ns();

    while (unread(asked) > all - MAGIC) {
        step(second);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    CHECK(unread(asked) == all - MAGIC);
    CHECK(!say(second));
    step(second);
}

static void turn(struct side *sides)
{
    (void)ni_progress(sides[0].ni);
    (void)ni_progress(sides[1].ni);
}

static void talk(struct side *sides)
{
    uint64_t begin = ni_now_ns();
    bool said[2] = {false, false};

    while (sides[0].received == 0 || sides[1].received == 0) {
        for (int i = 0; i < 2; i++) {
            said[i] = said[i] || say(&sides[i]);
        }
        turn(sides);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    for (int i = 0; i < AFTER; i++) {
        turn(sides);
    }
}

static void meet(void)
{
    struct side sides[2];

    open_side(&sides[0]);
    open_side(&sides[1]);
    know(&sides[0], &sides[1]);
    know(&sides[1], &sides[0]);
    cross(&sides[1], ask(&sides[0]));
    talk(sides);
    ni_close(sides[0].ni);
    ni_close(sides[1].ni);
}

/* ---- a stranger ------------------------------------------------------------------------------ */

static void call_one(const struct sockaddr *whom, socklen_t len)
{
    int fd = socket(whom->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0 && connect(fd, whom, len) == 0);
    (void)close(fd);
}

/* Somebody connects to each socket that listens, and hangs up. */
static unsigned call_all(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < FDS; fd++) {
        struct sockaddr_storage whom;
        int listens = 0;
        socklen_t len = sizeof(listens);

        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens != 0) {
            len = sizeof(whom);
            CHECK(getsockname(fd, (struct sockaddr *)&whom, &len) == 0);
            if (whom.ss_family == AF_INET || whom.ss_family == AF_INET6) {
                call_one((const struct sockaddr *)&whom, len);
                count++;
            }
        }
    }
    return count;
}

/* Meetings that crossed, and whose connections had said something, each hide one. */
static void check_stranger(void)
{
    uint64_t begin;
    unsigned calls = 0;
    struct side side;

    open_side(&side);
    while (told == 0) {
        CHECK(calls < MEETINGS);
        CHECK(call_all() != 0);
        calls++;
        for (begin = ni_now_ns(); told == 0 && ni_now_ns() - begin < PATIENCE_NS;) {
            (void)ni_progress(side.ni);
        }
    }
    ni_close(side.ni);
}

int main(void)
{
    char error[256];
    struct side side;
    unsigned meetings = 0;

    ni_log_set_sink(on_log, NULL);
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    open_side(&side); /* UCX is loaded */
    watch_ucx();
    while (ended < WANTED) {
        CHECK(meetings < MEETINGS);
        meet();
        meetings++;
    }
    printf("%u of %u meetings ended a connection that had said nothing\n", ended, meetings);
    CHECK(told == 0);
    check_stranger();
    ni_close(side.ni);
    return 0;
}
