/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guard: a child of prestorun that starts the ranks, and to which all that they start comes
 * when it loses its parent (PR_SET_CHILD_SUBREAPER). It kills what is left of that when prestorun
 * closes its end of their socket, which it does at the end of the job, or by being killed. If the
 * guard is killed the ranks are, too (PR_SET_PDEATHSIG), and what they have started comes to
 * prestorun.
 *
 *   prestorun -> guard   SPAWN   rank, with its ends of socket and pipes; answered by STARTED
 *                        WATCH   no more will be started: ends are told from here on
 *                        SIGNAL  value: the signal; pid: the process group that has had it, or 0
 *   guard -> prestorun   STARTED pid, or -1 and the reason: value, an errno
 *                        ENDED   pid, of a rank or of what one has started; value: its status
 *
 * That of an agent does so, too, when the host above has closed the connection.
 *
 * Neither waits for the other to read, but prestorun for STARTED.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run.h"

enum { AGENT_MS = 15000 };

enum note_kind { NOTE_SPAWN, NOTE_WATCH, NOTE_SIGNAL, NOTE_STARTED, NOTE_ENDED };

struct note {
    enum note_kind kind;
    int rank;
    pid_t pid;
    int value;
};

/* ---- notes ----------------------------------------------------------------------------------- */

union ends_control {
    struct cmsghdr head;
    char space[CMSG_SPACE(sizeof(struct run_ends))];
};

/* A note, with descriptors unless ends is NULL. Returns what sendmsg does. */
static ssize_t send_note(int fd, struct note note, const struct run_ends *ends, int flags)
{
    union ends_control control;
    struct iovec data = {.iov_base = &note, .iov_len = sizeof(note)};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    ssize_t n;

    if (ends != NULL) {
        memset(&control, 0, sizeof(control));
        control.head = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(*ends)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), ends, sizeof(*ends));
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
    }
    do {
        n = sendmsg(fd, &message, MSG_NOSIGNAL | flags);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* Returns what recvmsg does: 0 when the other end is closed. Ends are -1 if none came. */
static ssize_t receive_note(int fd, struct note *note, struct run_ends *ends, int flags)
{
    union ends_control control;
    struct iovec data = {.iov_base = note, .iov_len = sizeof(*note)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    const struct cmsghdr *head;
    ssize_t n;

    do {
        n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | flags);
    } while (n < 0 && errno == EINTR);
    *ends = (struct run_ends){-1, -1, -1};
    head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head != NULL && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(*ends))) {
        memcpy(ends, CMSG_DATA(head), sizeof(*ends));
    }
    return n;
}

/* ---- the guard ------------------------------------------------------------------------------- */

/* Its copy of the job has the pids of the ranks, and no guard. */
struct guard {
    struct run_job *job;
    int fd; /* towards prestorun */
    int children;
    bool watches;
    bool full; /* prestorun has to read before it can be told of `ended` */
    struct note ended;
};

static void start_rank(struct guard *guard, const struct note *note, const struct run_ends *ends)
{
    struct run_rank *rank = &guard->job->ranks[note->rank];
    const pid_t self = getpid();
    struct note answer = {.kind = NOTE_STARTED};

    answer.pid = ends->wire < 0 ? -1 : fork();
    answer.value = ends->wire < 0 ? EMFILE : errno;
    if (answer.pid == 0) {
        (void)close(guard->fd);
        run_child(guard->job, rank, ends, self);
    }
    rank->pid = answer.pid > 0 ? answer.pid : 0;
    (void)close(ends->wire);
    (void)close(ends->out);
    (void)close(ends->err);
    (void)send_note(guard->fd, answer, NULL, 0);
}

/* False: prestorun is gone, or has closed its end. */
static bool obey(struct guard *guard)
{
    struct run_ends ends;
    struct note note;
    ssize_t n = receive_note(guard->fd, &note, &ends, MSG_DONTWAIT);

    if (n != (ssize_t)sizeof(note)) {
        return n < 0 && errno == EAGAIN;
    }
    if (note.kind == NOTE_SPAWN) {
        start_rank(guard, &note, &ends);
    } else if (note.kind == NOTE_WATCH) {
        guard->watches = true;
    } else if (note.kind == NOTE_SIGNAL) {
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
            guard->ended = (struct note){.kind = NOTE_ENDED, .pid = pid, .value = status};
        }
        guard->full = send_note(guard->fd, guard->ended, NULL, MSG_DONTWAIT) < 0 && errno == EAGAIN;
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
    struct note note = {.kind = NOTE_SPAWN, .rank = rank};
    struct run_ends none;

    if (send_note(job->guard.fd, note, ends, 0) < 0) {
        return -1;
    }
    if (receive_note(job->guard.fd, &note, &none, 0) != (ssize_t)sizeof(note)) {
        errno = ECHILD;
        return -1;
    }
    errno = note.value;
    return note.pid;
}

void run_guard_watch(struct run_job *job)
{
    if (job->guard.fd >= 0) {
        (void)send_note(job->guard.fd, (struct note){.kind = NOTE_WATCH}, NULL, 0);
    }
}

void run_guard_signal(struct run_job *job, int signal, pid_t but)
{
    if (job->guard.fd >= 0) {
        (void)send_note(job->guard.fd,
                        (struct note){.kind = NOTE_SIGNAL, .pid = but, .value = signal}, NULL, 0);
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
    struct note note;
    ssize_t n;

    while (job->guard.fd >= 0) {
        n = receive_note(job->guard.fd, &note, &none, MSG_DONTWAIT);
        if (n == (ssize_t)sizeof(note)) {
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
