/* SPDX-License-Identifier: BSD-3-Clause */
/* How ranks end, and the job. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/run.h"

/* From being told to end to being killed. */
#define GRACE_NS UINT64_C(2000000000)

/* ---- signals --------------------------------------------------------------------------------- */

void run_end_signal(struct run_job *job, int signal)
{
    run_guard_signal(job, signal, 0);
}

void run_end_signal_others(struct run_job *job, int signal)
{
    run_guard_signal(job, signal, getpgrp());
}

/* ---- the job --------------------------------------------------------------------------------- */

void run_end_all(struct run_job *job, int code, int signal)
{
    if (job->over) {
        return;
    }
    job->over = true;
    job->code = code;
    job->kill_at_ns = ni_now_ns() + GRACE_NS;
    if (signal != 0) {
        run_end_signal(job, signal);
    }
    run_end_signal(job, SIGCONT); /* or one that is stopped would not notice */
}

void run_end_soon(struct run_job *job, int code, int signal)
{
    run_end_all(job, code, signal);
    job->give_up_at_ns = ni_now_ns() + GRACE_NS;
}

void run_end_kill(struct run_job *job)
{
    job->killed = true;
    job->kill_at_ns = 0;
    run_end_signal(job, SIGKILL);
}

/* ---- a rank ---------------------------------------------------------------------------------- */

/* Others that have joined the job wait for this one, which will not. */
static bool is_missed(const struct run_job *job, const struct run_rank *rank)
{
    return !rank->hello && job->hellos > 0;
}

static const char *consequence(const struct run_job *job, const struct run_rank *rank)
{
    if (job->alive == 0) {
        return "no other rank is left";
    }
    if (!job->options.keep_going) {
        return "ending the other ranks";
    }
    return is_missed(job, rank) ? "ending the other ranks, which cannot go on without it"
                                : "the others go on";
}

/* A rank has failed. */
static void fail(struct run_job *job, const struct run_rank *rank, int code)
{
    if (job->options.keep_going && !is_missed(job, rank)) {
        job->code = job->code != 0 ? job->code : code;
    } else {
        run_end_all(job, job->code != 0 ? job->code : code, SIGTERM);
    }
}

static void ended_by_signal(struct run_job *job, const struct run_rank *rank, int signal,
                            bool dumped)
{
    run_say(job, "prestorun: rank %d (pid %d) was ended by signal %d (%s)%s; %s\n", rank->number,
            (int)rank->was, signal, strsignal(signal), dumped ? ", core dumped" : "",
            consequence(job, rank));
    fail(job, rank, 128 + signal);
}

static void ended_with_code(struct run_job *job, const struct run_rank *rank, int code)
{
    if (code != 0) {
        run_say(job, "prestorun: rank %d (pid %d) exited with code %d; %s\n", rank->number,
                (int)rank->was, code, consequence(job, rank));
        fail(job, rank, code);
    } else if (rank->hello && !rank->bye) {
        run_say(job,
                "prestorun: rank %d (pid %d) exited without pr_fini (MPI_Finalize), for which "
                "others may wait; %s\n",
                rank->number, (int)rank->was, consequence(job, rank));
        fail(job, rank, 1);
    } else if (is_missed(job, rank)) {
        run_say(job,
                "prestorun: rank %d (pid %d) exited without joining the job, for which others "
                "wait; %s\n",
                rank->number, (int)rank->was, consequence(job, rank));
        fail(job, rank, 1);
    }
}

static void rank_ended(struct run_job *job, struct run_rank *rank, int status)
{
    rank->pid = 0;
    job->alive--;
    run_wire_drain(job, rank); /* what it has said last */
    if (job->options.verbose) {
        run_say(job, "prestorun: rank %d (pid %d) has ended: %s %d\n", rank->number, (int)rank->was,
                WIFSIGNALED(status) ? "signal" : "exit code",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    if (job->over) {
        return; /* a consequence */
    }
    if (WIFSIGNALED(status)) {
        ended_by_signal(job, rank, WTERMSIG(status), WCOREDUMP(status));
    } else {
        ended_with_code(job, rank, WEXITSTATUS(status));
    }
}

void run_end_of(struct run_job *job, pid_t pid, int status)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].pid == pid) {
            rank_ended(job, &job->ranks[i], status);
        }
    }
}

/* The ranks, its children, have been killed with it. */
void run_end_without_guard(struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        job->ranks[i].pid = 0;
    }
    job->alive = 0;
    if (!job->over) {
        run_say(job,
                "prestorun: the process that guards the ranks (pid %d) was killed, and they with "
                "it; ending the job\n",
                (int)job->guard.was);
    }
    run_end_all(job, 128 + SIGKILL, SIGTERM);
}
