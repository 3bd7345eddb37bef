/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/descriptors.c. */
/*
 * Who connects to the sockets of the ucx link and speaks nothing of UCX: nothing, noise, a little
 * of it, and more of it than fits. It makes no peer, gets no answer, is logged, and those of the
 * job go on. Nor does it take the last descriptor of the process: the soft limit is raised, and
 * where the hard one is near nobody more is let in, and we do not connect.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/clock.h"
#include "base/random.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

enum { STRANGERS = 24, NOISE = 100000, LISTENERS = 16, FDS = 1024, CROWD = 200 };
enum { FEW = 256, LEFT = 8 }; /* descriptors: less than CROWD takes, and than a connection may */
enum { FLOOD = 150, ROOM = 80 };
#define LIMIT_NS UINT64_C(20000000000)

static struct ni *ours[2]; /* of the job */
static struct ni_peer *other;
static uint64_t received;
/* Lines of the log; some of a thread of UCX's. */
static _Atomic unsigned ended, silent, scarce, crowded;
static char half[32]; /* what the log calls one who began to greet; "": none */
static _Atomic bool half_seen;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_raw.c:%d: %s\n", line, what);
    exit(1);
}

static uint64_t stat(const struct ni *ni, const char *name)
{
    size_t index = ni_stat_find(name);

    CHECK(index < ni_stat_count);
    return ni_stat_read(ni, index);
}

static void on_log(enum ni_log_level level, const char *text, void *arg)
{
    (void)level;
    (void)arg;
    ended += strstr(text, "said anything that UCX understands") != NULL;
    silent += strstr(text, "has not greeted since") != NULL;
    half_seen = half_seen || (half[0] != '\0' && strstr(text, half) != NULL &&
                              strstr(text, "has not greeted since") != NULL);
    scarce += strstr(text, "cannot be reached: all but a few of the") != NULL;
    crowded += strstr(text, "nobody more can connect to this process for now: all but") != NULL;
}

static void turn(void)
{
    (void)ni_progress(ours[0]);
    (void)ni_progress(ours[1]);
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    (void)arg;
    CHECK(message->len == 1 && *(const char *)message->data == 'x');
    received++;
}

/* A message gets to the first of ours. */
static void check_reached(struct ni *from, struct ni_peer *peer, struct ni_rkey queue)
{
    uint64_t before = received, begin = ni_now_ns();

    while (ni_message(from, peer, queue.handle, 0, "x", 1, NULL, 0) == NI_AGAIN) {
        turn();
        (void)ni_progress(from);
    }
    while (received == before) {
        turn();
        (void)ni_progress(from);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
}

/* Those of the job still reach each other. */
static void check_usable(struct ni_rkey queue)
{
    check_reached(ours[1], other, queue);
}

static void connect_late(struct ni *late, struct ni_peer **peer)
{
    uint8_t blob[NI_BLOB_MAX];

    CHECK(ni_connect(late, blob, ni_address(ours[0], blob, sizeof(blob)), peer) == NI_OK);
}

/* The sockets of this process at which somebody may connect. */
static unsigned find_listeners(struct sockaddr_storage *found, unsigned most)
{
    unsigned count = 0;

    for (int fd = 0; fd < FDS && count < most; fd++) {
        int listens = 0;
        socklen_t len = sizeof(listens);

        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens != 0) {
            len = sizeof(found[count]);
            CHECK(getsockname(fd, (struct sockaddr *)&found[count], &len) == 0);
            count += found[count].ss_family == AF_INET || found[count].ss_family == AF_INET6;
        }
    }
    return count;
}

static socklen_t len_of(const struct sockaddr_storage *whom)
{
    return whom->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static int call(const struct sockaddr_storage *whom)
{
    int fd = socket(whom->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0);
    CHECK(connect(fd, (const struct sockaddr *)whom, len_of(whom)) == 0);
    return fd;
}

/* Say that many bytes of noise, as far as they are taken. False: it was hung up on us. */
static bool babble(int fd, const uint8_t *noise, size_t len)
{
    size_t said = 0;
    uint64_t begin = ni_now_ns();

    while (said < len) {
        ssize_t n = send(fd, noise + said, len - said, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN) {
            return false;
        }
        said += n > 0 ? (size_t)n : 0;
        turn();
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    return true;
}

/* Nothing comes back but the end. */
static void await_end(int fd)
{
    uint64_t begin = ni_now_ns();
    ssize_t n;
    char byte;

    while ((n = recv(fd, &byte, 1, MSG_DONTWAIT)) < 0 && errno == EAGAIN) {
        turn();
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    CHECK(n <= 0);
}

static void stranger(const struct sockaddr_storage *whom, unsigned number, struct ni_rng *rng)
{
    static uint8_t noise[NOISE];
    /* The first word decides; shorter ones wait for more. */
    size_t len = number % 4 == 0 ? 0 : number % 4 == 1 ? 5 : number % 4 == 2 ? 8 : NOISE;
    int fd = call(whom);

    for (size_t i = 0; i < len; i++) {
        noise[i] = (uint8_t)ni_rng_below(rng, 256);
    }
    if (babble(fd, noise, len) && len >= 8) {
        await_end(fd);
    }
    (void)close(fd);
}

/* Many at the same time, which say nothing or too little, and stay. */
static void crowd(const struct sockaddr_storage *listeners, unsigned count, struct ni_rkey queue)
{
    static const uint8_t start[7];
    int fds[CROWD];

    for (unsigned i = 0; i < CROWD; i++) {
        fds[i] = call(&listeners[i % count]);
        CHECK(babble(fds[i], start, i % sizeof(start)));
        if (i % 10 == 0) {
            check_usable(queue);
        }
    }
    check_usable(queue);
    for (unsigned i = 0; i < CROWD; i++) {
        const struct linger reset = {.l_onoff = 1};

        CHECK(i % 2 == 0 || setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
        (void)close(fds[i]);
    }
    check_usable(queue);
}

/* Who begins as UCX does, and goes on no further. */
static int greet_by_half(const struct sockaddr_storage *whom)
{
    static const uint8_t magic[8] = {0x78, 0x56, 0x34, 0x12, 0xbe, 0xba, 0xfe, 0xca};
    int fd = call(whom);
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } self = {0};
    socklen_t len = sizeof(self);

    CHECK(getsockname(fd, &self.any, &len) == 0);
    snprintf(half, sizeof(half), ":%u connected",
             ntohs(self.any.sa_family == AF_INET ? self.v4.sin_port : self.v6.sin6_port));
    CHECK(babble(fd, magic, sizeof(magic)));
    return fd;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static rlim_t limit_softly(void)
{
    struct rlimit limit;

    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = FEW;
    CHECK(limit.rlim_max > FEW && setrlimit(RLIMIT_NOFILE, &limit) == 0);
    return limit.rlim_max;
}

static rlim_t soft_limit(void)
{
    struct rlimit limit;

    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    return limit.rlim_cur;
}

/* So many above those that are open. */
static struct rlimit room_for(rlim_t count)
{
    int lowest = dup(STDERR_FILENO);
    struct rlimit limit;

    CHECK(lowest >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    (void)close(lowest);
    limit.rlim_cur = (rlim_t)lowest + count;
    return limit;
}

static void leave_few(void)
{
    struct rlimit limit = room_for(LEFT);

    limit.rlim_max = limit.rlim_cur;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* A process that calls often when it is told whom, without waiting for anybody, and stays until it
 * is told to go. */
struct flooder {
    int to, from;
};

static _Noreturn void flood(int in, int out)
{
    struct sockaddr_storage whom;
    char byte;

    if (read(in, &whom, sizeof(whom)) != sizeof(whom)) {
        _exit(1);
    }
    for (unsigned i = 0; i < FLOOD; i++) {
        int fd = socket(whom.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

        if (fd < 0 ||
            (connect(fd, (struct sockaddr *)&whom, len_of(&whom)) != 0 && errno != EINPROGRESS)) {
            _exit(1);
        }
    }
    _exit(write(out, "", 1) == 1 && read(in, &byte, 1) == 0 ? 0 : 1);
}

/* Made while this process has neither threads nor sockets. */
static struct flooder make_flooder(void)
{
    int to[2], from[2];
    pid_t pid;

    CHECK(pipe(to) == 0 && pipe(from) == 0);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        struct rlimit limit;

        (void)close(to[1]);
        CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
        limit.rlim_cur = limit.rlim_max;
        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        flood(to[0], from[1]);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    return (struct flooder){to[1], from[0]};
}

/* More call than there are descriptors for. Those that are connected go on; others get through when
 * there are some again. */
static void check_flood(const struct flooder *flooder, const struct ni_open_attr *attr,
                        const struct sockaddr_storage *whom, struct ni_rkey queue)
{
    struct rlimit limit;
    struct ni_peer *peer;
    struct ni *late;
    uint64_t begin;
    struct pollfd told = {.fd = flooder->from, .events = POLLIN};
    int status;

    CHECK(ni_open(attr, &late) == NI_OK);
    limit = room_for(ROOM);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(write(flooder->to, whom, sizeof(*whom)) == sizeof(*whom));
    while (poll(&told, 1, 0) == 0) {
        check_usable(queue);
    }
    for (begin = ni_now_ns(); crowded == 0; check_usable(queue)) {
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    for (unsigned i = 0; i < 1000; i++) {
        check_usable(queue);
    }
    (void)close(flooder->to);
    CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    connect_late(late, &peer);
    check_reached(late, peer, queue);
    ni_close(late);
}

/* Where descriptors have run out, who is not connected yet is not reached, and the log says so. */
static void check_scarce(const struct ni_open_attr *attr, struct ni_rkey queue)
{
    struct ni_peer *peer;
    ni_status status;
    struct ni *late;

    CHECK(ni_open(attr, &late) == NI_OK);
    leave_few();
    connect_late(late, &peer);
    CHECK(scarce == 0);
    while ((status = ni_message(late, peer, queue.handle, 0, "x", 1, NULL, 0)) == NI_AGAIN) {
        turn();
        (void)ni_progress(late);
    }
    CHECK(status == NI_ERR_UNREACHABLE && scarce == 1);
    check_usable(queue);
    ni_close(late);
}

int main(void)
{
    struct ni_open_attr attr = {.job_key = 77};
    struct sockaddr_storage listeners[LISTENERS];
    uint8_t blob[NI_BLOB_MAX];
    struct ni_rkey queue;
    struct ni_rng rng;
    char error[256];
    unsigned count;
    uint64_t peers, begin;
    rlim_t most = limit_softly();
    struct flooder flooder = make_flooder();
    int visitor, greeter;

    ni_log_set_sink(on_log, NULL);
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_param_set("ucx_timeout_s", "1", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_open(&attr, &ours[0]) == NI_OK && ni_open(&attr, &ours[1]) == NI_OK);
    CHECK(soft_limit() == (most < 65536 ? most : 65536));
    CHECK(ni_region_consumer(ours[0], on_message, NULL, 0, &queue) == NI_OK);
    CHECK(ni_connect(ours[1], blob, ni_address(ours[0], blob, sizeof(blob)), &other) == NI_OK);
    check_usable(queue);
    peers = stat(ours[0], "peers");
    count = find_listeners(listeners, LISTENERS);
    CHECK(count != 0);
    visitor = call(&listeners[0]);
    ni_rng_seed(&rng, 5);
    for (unsigned i = 0; i < STRANGERS; i++) {
        stranger(&listeners[i % count], i / count, &rng);
        check_usable(queue);
    }
    CHECK(ended != 0);
    crowd(listeners, count, queue);
    greeter = greet_by_half(&listeners[0]);
    for (begin = ni_now_ns(); silent == 0 || !half_seen; turn()) {
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    CHECK(stat(ours[0], "peers") == peers && ni_peer_status(other) == NI_OK);
    (void)close(visitor);
    (void)close(greeter);
    check_flood(&flooder, &attr, &listeners[0], queue);
    check_scarce(&attr, queue);
    ni_close(ours[1]);
    ni_close(ours[0]);
    return 0;
}
