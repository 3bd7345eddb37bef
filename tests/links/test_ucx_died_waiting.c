/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/far/far.c, ni/link/ucx/end.c. */
/*
 * Who says hello over the ucx link, and is killed while it waits for the answer of somebody who
 * does not poll, takes nobody with it: however far the two had come.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/clock.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(60000000000)

enum { STEPS = 8, TIMES = 4, VICTIMS = STEPS * TIMES, LOOKS = 3, AFTER = 50 };

/* What the processes share. */
struct shared {
    _Atomic int turn; /* of which victim it is; VICTIMS: of him who is left alive */
    _Atomic unsigned polls;
    size_t blob_len;
    uint8_t blob[NI_BLOB_MAX];
    struct ni_rkey queue;
};

static struct shared *shared;
static unsigned received;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_died_waiting.c:%d: %s\n", line, what);
    exit(1);
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    (void)arg;
    CHECK(message->len == 1);
    received++;
}

static struct ni *open_ni(void)
{
    struct ni_open_attr attr = {.job_key = 77};
    char error[256];
    struct ni *ni;

    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_open(&attr, &ni) == NI_OK);
    return ni;
}

/* Says hello until it is heard; then it has said something, and polls. Ended by a signal. */
static _Noreturn void caller(int number)
{
    ni_status status = NI_AGAIN;
    struct ni_peer *peer;
    struct ni *ni;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (atomic_load(&shared->turn) != number) {
        (void)usleep(1000);
    }
    ni = open_ni();
    CHECK(ni_connect(ni, shared->blob, shared->blob_len, &peer) == NI_OK);
    for (;;) {
        if (status == NI_AGAIN) {
            status = ni_message(ni, peer, shared->queue.handle, 0, "x", 1, NULL, 0);
        }
        (void)ni_progress(ni);
        (void)atomic_fetch_add(&shared->polls, 1);
    }
}

/* Until the caller has had time for the next step. */
static void wait_for_caller(void)
{
    unsigned before = atomic_load(&shared->polls);
    uint64_t begin = ni_now_ns();

    while (atomic_load(&shared->polls) - before < LOOKS) {
        CHECK(ni_now_ns() - begin < LIMIT_NS);
        (void)usleep(2000);
    }
}

static void end(pid_t pid)
{
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

/* It is killed when we have polled so many times. */
static void survive(struct ni *ni, pid_t pid, int polls)
{
    wait_for_caller();
    for (int i = 0; i < polls; i++) {
        (void)ni_progress(ni);
        wait_for_caller();
    }
    end(pid);
    for (int i = 0; i < AFTER; i++) {
        (void)ni_progress(ni);
    }
}

static void hear(struct ni *ni, pid_t pid)
{
    uint64_t begin = ni_now_ns();
    unsigned before = received;

    while (received == before) {
        (void)ni_progress(ni);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    end(pid);
}

int main(void)
{
    pid_t pids[VICTIMS + 1];
    struct ni *ni;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    atomic_init(&shared->turn, -1);
    for (int i = 0; i <= VICTIMS; i++) {
        pids[i] = fork();
        CHECK(pids[i] >= 0);
        if (pids[i] == 0) {
            caller(i);
        }
    }
    ni = open_ni();
    CHECK(ni_region_consumer(ni, on_message, NULL, 0, &shared->queue) == NI_OK);
    shared->blob_len = ni_address(ni, shared->blob, sizeof(shared->blob));
    for (int i = 0; i < VICTIMS; i++) {
        atomic_store(&shared->turn, i);
        survive(ni, pids[i], i % STEPS);
    }
    atomic_store(&shared->turn, VICTIMS);
    hear(ni, pids[VICTIMS]);
    ni_close(ni);
    return 0;
}
