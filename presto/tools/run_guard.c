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
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run.h"
#include "tools/run_note.h"

bool run_guard_open(struct run_job *job)
{
    int fds[2], life[2];
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0 ||
        pipe2(life, O_CLOEXEC) != 0) {
        run_say(job, "prestorun: no socket or pipe can be made: %s\n", strerror(errno));
        return false;
    }
    job->guard.group = getpgrp();
    pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        (void)close(life[1]);
        job->guard.life = life[0];
        run_guard_be(job, fds[1]);
    }
    (void)close(fds[1]);
    (void)close(life[0]);
    job->guard.life = life[1]; /* which ends with this process */
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
                                  .value = (int)world->request_length,
                                  .job = world->job};
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
