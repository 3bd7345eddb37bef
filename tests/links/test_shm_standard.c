/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/descriptor.c. */
/* Two processes without standard input, output and error: no descriptor of the interface takes
 * their place, where what a program prints would go into shared memory. */

#include <apeni/apeni.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PACKETS = 100, TIMEOUT_US = 10000 };

struct board {
    _Atomic uint32_t ready[2], over[2];
    struct ni_rkey queue[2];
    uint8_t blob[2][NI_BLOB_MAX];
    size_t len[2];
};

static struct board *board;
static int report; /* instead of standard error */
static unsigned failures;

static void check(bool good, const char *what)
{
    if (!good) {
        dprintf(report, "process %ld: %s\n", (long)getpid(), what);
        failures++;
    }
}

static void check_closed(const char *when)
{
    char what[128];

    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        snprintf(what, sizeof(what), "descriptor %d is taken %s", fd, when);
        check(fcntl(fd, F_GETFD) < 0 && errno == EBADF, what);
    }
}

static void wait_for(struct ni *ni, const _Atomic uint32_t *word)
{
    while (atomic_load(word) == 0) {
        (void)ni_wait(ni, TIMEOUT_US);
    }
}

static void send(struct ni *ni, struct ni_peer *peer, ni_handle queue, uint64_t value)
{
    ni_status status;

    while ((status = ni_message(ni, peer, queue, 0, NULL, 0, &value, sizeof(value))) == NI_AGAIN) {
        (void)ni_progress(ni);
    }
    check(status == NI_OK, "a message is refused");
}

/* Each sends and takes in turn, sleeping meanwhile, which wakes the other. */
static void exchange(struct ni *ni, struct ni_peer *peer, unsigned me)
{
    uint64_t value;
    size_t len;

    for (uint64_t i = 0; i < PACKETS; i++) {
        if (me == 0) {
            send(ni, peer, board->queue[1].handle, i);
        }
        check(ni_queue_pop_wait(ni, board->queue[me].handle, &value, sizeof(value), &len,
                                10000000) == NI_OK &&
                  value == i,
              "a message did not come");
        if (me == 1) {
            send(ni, peer, board->queue[0].handle, i);
        }
    }
}

static int run(unsigned me)
{
    struct ni *ni;
    struct ni_peer *peer;
    struct ni_rkey interrupt;
    int fd = -1;

    check_closed("before the interface is opened");
    if (ni_open(NULL, &ni) != NI_OK) {
        return 1;
    }
    check_closed("by ni_open");
    check(ni_region_queue(ni, sizeof(uint64_t), 16, &board->queue[me]) == NI_OK, "no queue");
    check(ni_interrupt_create(ni, &interrupt, &fd) == NI_OK && fd > STDERR_FILENO,
          "an interrupt has the number of a standard descriptor");
    board->len[me] = ni_address(ni, board->blob[me], NI_BLOB_MAX);
    atomic_store(&board->ready[me], 1);
    wait_for(ni, &board->ready[1 - me]);
    if (ni_connect(ni, board->blob[1 - me], board->len[1 - me], &peer) != NI_OK) {
        return 1;
    }
    exchange(ni, peer, me);
    check_closed("by messages");
    atomic_store(&board->over[me], 1);
    wait_for(ni, &board->over[1 - me]);
    ni_close(ni);
    check_closed("after ni_close");
    return failures != 0;
}

static pid_t start(unsigned me)
{
    pid_t pid = fork();

    if (pid == 0) {
        report = fcntl(STDERR_FILENO, F_DUPFD, 10);
        for (int fd = 0; fd <= STDERR_FILENO; fd++) {
            (void)close(fd);
        }
        _exit(run(me));
    }
    return pid;
}

int main(void)
{
    pid_t pids[2];
    int status = 0, failed = 0;

    board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (unsigned i = 0; i < 2; i++) {
        pids[i] = start(i);
    }
    for (unsigned i = 0; i < 2; i++) {
        pid_t pid = waitpid(-1, &status, 0);

        if (pid < 0 || status != 0) {
            fprintf(stderr, "process %ld: wait status %d\n", (long)pid, status);
            failed = 1;
            if (i == 0 && pids[0] > 0 && pids[1] > 0) { /* the other one would wait for it */
                (void)kill(pid == pids[0] ? pids[1] : pids[0], SIGKILL);
            }
        }
    }
    return failed;
}
