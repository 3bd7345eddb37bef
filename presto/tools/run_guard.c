/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guard: a child of prestorun that starts the ranks, and to which all that they start comes
 * when it loses its parent (PR_SET_CHILD_SUBREAPER). It kills what is left of that when prestorun
 * closes its end of their socket, which it does at the end of the job, or by being killed. If the
 * guard is killed the ranks are, too (PR_SET_PDEATHSIG), and what they have started comes to
 * prestorun.
 *
 *   prestorun -> guard   SPAWN   rank, with its ends of socket and pipes; answered by STARTED
 *                        WATCH   the job has begun: ends are told from here on
 *                        WORLD   rank: its first; pid: the rank that asks for it, with a file that
 *                                says what it asks for; value: the length of that
 *                        SIGNAL  value: the signal; pid: the process group that has had it, or 0
 *                        KILL    rank; value: how many from that one on
 *   guard -> prestorun   STARTED rank, pid, or -1 and the reason: value, an errno; of a rank of a
 *                                WORLD when its program runs
 *                        ENDED   pid, of a rank or of what one has started; value: its status
 *
 * That of an agent does so, too, when the host above has closed the connection.
 *
 * Neither waits for the other to read, but prestorun for STARTED, before WATCH.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run.h"
#include "tools/run_note.h"

enum { AGENT_MS = 15000 };

/* ---- the guard ------------------------------------------------------------------------------- */

/* Its copy of the job has the pids of the ranks, and no guard. */
struct guard {
    struct run_job *job;
    int fd; /* towards prestorun */
    int children;
    bool watches;
    bool full; /* prestorun has to read before it can be told of `ended` */
    struct run_note ended;
};

static void close_ends(const struct run_ends *ends)
{
    (void)close(ends->wire);
    (void)close(ends->out);
    (void)close(ends->err);
}

/* Until the child has become its program, or cannot: then it is nobody's child any more. */
static void await_program(struct run_note *answer, const int trouble[2])
{
    int error;

    (void)close(trouble[1]);
    if (answer->pid > 0 && read(trouble[0], &error, sizeof(error)) == (ssize_t)sizeof(error)) {
        (void)waitpid(answer->pid, NULL, 0);
        answer->pid = -1;
        answer->value = error;
    }
    (void)close(trouble[0]);
}

static void start_rank(struct guard *guard, const struct run_note *note,
                       const struct run_ends *ends)
{
    struct run_rank *rank = &guard->job->ranks[note->rank];
    const pid_t self = getpid();
    struct run_note answer = {.kind = RUN_NOTE_STARTED, .rank = note->rank};
    int trouble[2] = {-1, -1};

    answer.pid = ends->wire < 0 || (guard->watches && pipe2(trouble, O_CLOEXEC) != 0) ? -1 : fork();
    answer.value = ends->wire < 0 ? EMFILE : errno;
    if (answer.pid == 0) {
        (void)close(guard->fd);
        run_child(guard->job, rank, ends, self, trouble[1]);
    }
    close_ends(ends);
    if (guard->watches) {
        await_program(&answer, trouble);
    }
    rank->pid = answer.pid > 0 ? answer.pid : 0;
    (void)run_note_send(guard->fd, answer, NULL, 0);
}

/* What ranks of a world are to do; who cannot read it cannot start them either. The numbers are
 * prestorun's, also behind a world that this one has not heard of, or had no memory for. */
static void take_world(struct guard *guard, const struct run_note *note,
                       const struct run_ends *ends)
{
    const size_t length = (size_t)note->value;
    uint8_t *request = malloc(length + 1);

    guard->job->options.ranks = note->rank;
    if (request != NULL && pread(ends->wire, request, length, 0) == (ssize_t)length) {
        (void)run_world_add(guard->job, request, length, note->pid);
    }
    free(request);
    close_ends(ends);
}

static void kill_ranks(const struct guard *guard, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        if (guard->job->ranks[i].pid > 0) {
            run_tree_kill(guard->job, guard->job->ranks[i].pid);
        }
    }
}

/* False: prestorun is gone, or has closed its end. */
static bool obey(struct guard *guard)
{
    struct run_ends ends;
    struct run_note note;
    ssize_t n = run_note_receive(guard->fd, &note, &ends, MSG_DONTWAIT);

    if (n != (ssize_t)sizeof(note)) {
        return n < 0 && errno == EAGAIN;
    }
    if (note.kind == RUN_NOTE_SPAWN && guard->job->ranks[note.rank].world == NULL) {
        close_ends(&ends);
        note = (struct run_note){RUN_NOTE_STARTED, note.rank, -1, ENOMEM};
        (void)run_note_send(guard->fd, note, NULL, 0);
    } else if (note.kind == RUN_NOTE_SPAWN) {
        start_rank(guard, &note, &ends);
    } else if (note.kind == RUN_NOTE_WATCH) {
        guard->watches = true;
    } else if (note.kind == RUN_NOTE_WORLD) {
        take_world(guard, &note, &ends);
    } else if (note.kind == RUN_NOTE_KILL) {
        kill_ranks(guard, note.rank, note.value);
    } else if (note.kind == RUN_NOTE_SIGNAL) {
        run_tree_signal(guard->job, note.value, note.pid);
    }
    return true;
}

/* Who has ended stays a zombie, whose pid nobody else gets, until prestorun can be told. */
static void tell_ends(struct guard *guard)
{
    int status;
    pid_t pid;

    for (;;) {
        if (!guard->full) {
            pid = waitpid(-1, &status, WNOHANG);
            if (pid <= 0) {
                return;
            }
            run_tree_forget(guard->job, pid);
            guard->ended = (struct run_note){.kind = RUN_NOTE_ENDED, .pid = pid, .value = status};
        }
        guard->full =
            run_note_send(guard->fd, guard->ended, NULL, MSG_DONTWAIT) < 0 && errno == EAGAIN;
        if (guard->full) {
            return;
        }
    }
}

static void watch(struct guard *guard)
{
    struct signalfd_siginfo info;
    const struct run_link *above = guard->job->net.parent;
    struct pollfd polls[3];
    bool well = true;

    while (well) {
        polls[0] = (struct pollfd){.fd = guard->fd, .events = POLLIN};
        polls[1] = (struct pollfd){.fd = guard->children, .events = POLLIN};
        polls[2] = (struct pollfd){.fd = above != NULL ? above->in : -1, .events = POLLRDHUP};
        if (guard->full) {
            polls[0].events |= POLLOUT;
        }
        (void)poll(polls, 3, -1);
        if (polls[1].revents != 0) {
            (void)!read(guard->children, &info, sizeof(info));
        }
        if (polls[0].revents != 0) {
            well = obey(guard);
        }
        if (polls[2].revents != 0) {
            well = false; /* the agent sees it, too, unless it is stopped */
        }
        if (guard->watches) {
            tell_ends(guard);
        }
    }
}

/* An agent has as long to end as it gives those that it has started, and a bit. */
static void outlast_agent(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLRDHUP};
    const pid_t agent = getppid();

    if (poll(&one, 1, AGENT_MS) == 0) {
        (void)kill(agent, SIGKILL);
    }
}

/* Outside of the job's process group, which somebody may kill as a whole. No signal but SIGKILL
 * ends it. */
static _Noreturn void be_guard(struct run_job *job, int fd)
{
    struct guard guard = {.job = job, .fd = fd};
    sigset_t all, child;

    (void)prctl(PR_SET_NAME, "presto-guard");
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)setpgid(0, 0);
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    guard.children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    job->strangers.count = 0;
    if (job->net.parent != NULL) {
        run_input_close(job); /* or the rank would never see its end */
    }
    if (guard.children >= 0) {
        watch(&guard);
    }
    run_tree_sweep(job);
    if (job->net.parent != NULL) {
        outlast_agent(fd);
    }
    _exit(0);
}

/* ---- prestorun ------------------------------------------------------------------------------- */

bool run_guard_open(struct run_job *job)
{
    int fds[2];
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        run_say(job, "prestorun: no socket can be made: %s\n", strerror(errno));
        return false;
    }
    job->guard.group = getpgrp();
    pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        be_guard(job, fds[1]);
    }
    (void)close(fds[1]);
    if (pid < 0) {
        run_say(job, "prestorun: no process can be started: %s\n", strerror(errno));
        (void)close(fds[0]);
        return false;
    }
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    job->guard.fd = fds[0];
    job->guard.pid = job->guard.was = pid;
    run_tree_pass_over(job, pid);
    return true;
}

pid_t run_guard_spawn(struct run_job *job, int rank, const struct run_ends *ends)
{
    struct run_note note = {.kind = RUN_NOTE_SPAWN, .rank = rank};
    struct run_ends none;

    if (run_note_send(job->guard.fd, note, ends, 0) < 0) {
        return -1;
    }
    if (run_note_receive(job->guard.fd, &note, &none, 0) != (ssize_t)sizeof(note)) {
        errno = ECHILD;
        return -1;
    }
    errno = note.value;
    return note.pid;
}

void run_guard_watch(struct run_job *job)
{
    if (job->guard.fd >= 0) {
        (void)run_note_send(job->guard.fd, (struct run_note){.kind = RUN_NOTE_WATCH}, NULL, 0);
    }
}

bool run_guard_tell_world(struct run_job *job, const struct run_world *world)
{
    const struct run_note note = {.kind = RUN_NOTE_WORLD,
                                  .rank = world->first,
                                  .pid = world->parent,
                                  .value = (int)world->request_length};
    const int fd = memfd_create("presto-world", MFD_CLOEXEC);
    const struct run_ends ends = {fd, fd, fd};
    bool well =
        fd >= 0 &&
        write(fd, world->request, world->request_length) == (ssize_t)world->request_length &&
        run_note_send(job->guard.fd, note, &ends, 0) > 0;
    int error = errno;

    if (fd >= 0) {
        (void)close(fd);
    }
    errno = error;
    return well;
}

bool run_guard_ask(struct run_job *job, int rank, const struct run_ends *ends)
{
    return run_note_send(job->guard.fd, (struct run_note){.kind = RUN_NOTE_SPAWN, .rank = rank},
                         ends, 0) > 0;
}

void run_guard_kill(struct run_job *job, int rank, int count)
{
    (void)run_note_send(job->guard.fd,
                        (struct run_note){.kind = RUN_NOTE_KILL, .rank = rank, .value = count},
                        NULL, 0);
}

void run_guard_signal(struct run_job *job, int signal, pid_t but)
{
    if (job->guard.fd >= 0) {
        (void)run_note_send(job->guard.fd,
                            (struct run_note){.kind = RUN_NOTE_SIGNAL, .pid = but, .value = signal},
                            NULL, 0);
    } else {
        run_tree_signal(job, signal, but);
    }
}

static void lose(struct run_job *job)
{
    (void)close(job->guard.fd);
    job->guard.fd = -1;
    job->guard.pid = 0;
    run_end_without_guard(job);
}

void run_guard_read(struct run_job *job)
{
    struct run_ends none;
    struct run_note note;
    ssize_t n;

    while (job->guard.fd >= 0) {
        n = run_note_receive(job->guard.fd, &note, &none, MSG_DONTWAIT);
        if (n == (ssize_t)sizeof(note) && note.kind == RUN_NOTE_STARTED) {
            run_serve_started(job, note.rank, note.pid, note.value);
        } else if (n == (ssize_t)sizeof(note)) {
            run_end_of(job, note.pid, note.value);
        } else if (n < 0 && errno == EAGAIN) {
            return;
        } else {
            lose(job);
        }
    }
}

void run_guard_reap(struct run_job *job)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        run_launch_ended(job, pid, status);
    }
}

void run_guard_close(struct run_job *job)
{
    if (job->guard.fd >= 0) {
        (void)close(job->guard.fd);
        job->guard.fd = -1;
        while (waitpid(job->guard.pid, NULL, 0) < 0 && errno == EINTR) {
            continue;
        }
        job->guard.pid = 0;
    }
    run_tree_sweep(job);
}
