/* SPDX-License-Identifier: BSD-3-Clause */
/* The director's half: starts workers, hands out cells, gathers results. */
#include "perf_team.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"

struct member {
    pid_t pid;
    int socket;
};

struct perf_team {
    struct perf_setup setup;
    struct perf_shared *shared;
    unsigned count; /* of members: leader and follower of each pair in turn */
    struct member members[2 * PERF_PAIRS_MAX];
    struct perf_ready ready;
};

/* ---- packets --------------------------------------------------------------------------------- */

bool perf_packet_receive(int socket, void *packet, size_t size)
{
    ssize_t got;

    do {
        got = recv(socket, packet, size, 0);
    } while (got < 0 && errno == EINTR);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) {
        return false;
    }
    if (got != (ssize_t)size) {
        perf_fail("cannot receive from another process of ours: %s",
                  got < 0 ? strerror(errno) : "wrong length");
    }
    return true;
}

void perf_packet_send(int socket, const void *packet, size_t size)
{
    /* An end that is closed is noticed by what receives next. */
    if (send(socket, packet, size, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET) {
        perf_fail("cannot send to another process of ours: %s", strerror(errno));
    }
}

/* ---- starting -------------------------------------------------------------------------------- */

static struct perf_shared *share(void)
{
    struct perf_shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (shared == MAP_FAILED) {
        perf_fail("no shared memory: %s", strerror(errno));
    }
    return shared;
}

static _Noreturn void be_worker(const struct perf_team *team, unsigned number, int socket,
                                pid_t director)
{
    unsigned each = team->setup.link != PERF_INPROC ? 2 : 1;
    struct perf_worker worker = {.setup = &team->setup,
                                 .shared = team->shared,
                                 .pair = number / each,
                                 .leader = number % each == 0,
                                 .socket = socket};

    /* Whatever ends the director ends the workers, and it may have ended before we asked. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != director) {
        _exit(PERF_EXIT_FAILED);
    }
    for (unsigned i = 0; i < number; i++) {
        close(team->members[i].socket);
    }
    perf_worker_run(&worker);
}

static void start_worker(struct perf_team *team)
{
    unsigned number = team->count;
    pid_t director = getpid();
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        perf_fail("cannot make a socket: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) {
        ends[i] = ni_descriptor_keep(ends[i]);
        if (ends[i] < 0) {
            perf_fail("cannot keep a socket: %s", strerror(errno));
        }
    }
    fflush(NULL);
    team->members[number].socket = ends[0];
    team->members[number].pid = fork();
    if (team->members[number].pid < 0) {
        perf_fail("cannot start a process: %s", strerror(errno));
    }
    if (team->members[number].pid == 0) {
        close(ends[0]);
        be_worker(team, number, ends[1], director);
    }
    close(ends[1]);
    team->count++;
}

/* A worker that has ended has said why, unless a signal ended it. */
static _Noreturn void worker_lost(struct perf_team *team, unsigned number)
{
    pid_t pid = team->members[number].pid;
    int status = 0;

    if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status)) {
        perf_fail("a worker process on core %d was killed by signal %d", team->setup.cores[number],
                  WTERMSIG(status));
    }
    exit(PERF_EXIT_FAILED);
}

/* Wait for a packet of one worker, and notice when another one ends. */
static void receive(struct perf_team *team, unsigned number, void *packet, size_t size)
{
    struct pollfd fds[2 * PERF_PAIRS_MAX];

    for (unsigned i = 0; i < team->count; i++) {
        fds[i] = (struct pollfd){.fd = team->members[i].socket};
    }
    fds[number].events = POLLIN;
    do {
        if (poll(fds, team->count, -1) < 0 && errno != EINTR) {
            perf_fail("cannot wait for our other processes: %s", strerror(errno));
        }
        for (unsigned i = 0; i < team->count; i++) {
            if ((fds[i].revents & (POLLHUP | POLLERR)) != 0) {
                worker_lost(team, i);
            }
        }
    } while ((fds[number].revents & POLLIN) == 0);
    if (!perf_packet_receive(team->members[number].socket, packet, size)) {
        worker_lost(team, number);
    }
}

static void introduce(struct perf_team *team)
{
    for (unsigned i = 0; i < team->count; i += 2) {
        struct perf_hello first, second;

        receive(team, i, &first, sizeof(first));
        receive(team, i + 1, &second, sizeof(second));
        perf_packet_send(team->members[i].socket, &second, sizeof(second));
        perf_packet_send(team->members[i + 1].socket, &first, sizeof(first));
    }
}

struct perf_team *perf_team_start(const struct perf_setup *setup)
{
    struct perf_team *team = calloc(1, sizeof(*team));
    unsigned each = setup->link != PERF_INPROC ? 2 : 1;

    if (team == NULL) {
        perf_fail("out of memory");
    }
    team->setup = *setup;
    team->shared = share();
    while (team->count < each * setup->pairs) {
        start_worker(team);
    }
    if (setup->link != PERF_INPROC) {
        introduce(team);
    }
    for (unsigned i = 0; i < team->count; i += each) {
        receive(team, i, &team->ready, sizeof(team->ready));
    }
    return team;
}

uint64_t perf_team_message_max(const struct perf_team *team)
{
    return team->ready.message_max;
}

const char *perf_team_describe(const struct perf_team *team)
{
    return team->ready.describe;
}

/* ---- working --------------------------------------------------------------------------------- */

void perf_team_run(struct perf_team *team, const struct perf_cell *cell, struct perf_result *result)
{
    unsigned each = team->setup.link != PERF_INPROC ? 2 : 1;

    for (unsigned i = 0; i < team->count; i++) {
        perf_packet_send(team->members[i].socket, cell, sizeof(*cell));
    }
    for (unsigned i = 0; i < team->count; i += each) {
        receive(team, i, &result[i / each], sizeof(*result));
    }
}

void perf_team_stop(struct perf_team *team)
{
    for (unsigned i = 0; i < team->count; i++) {
        close(team->members[i].socket);
    }
    for (unsigned i = 0; i < team->count; i++) {
        int status;

        if (waitpid(team->members[i].pid, &status, 0) == team->members[i].pid &&
            (!WIFEXITED(status) || WEXITSTATUS(status) != PERF_EXIT_GOOD)) {
            perf_fail("a worker process on core %d ended badly (wait status 0x%x)",
                      team->setup.cores[i], (unsigned)status);
        }
    }
    munmap(team->shared, sizeof(*team->shared));
    free(team);
}

void perf_setup_cores(struct perf_setup *setup, const int *cores, int count)
{
    for (unsigned i = 0; i < 2 * setup->pairs; i++) {
        setup->cores[i] = cores[i % (unsigned)count];
    }
}
