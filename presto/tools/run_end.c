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
/* From there to not waiting for other hosts any longer. */
#define ABANDON_NS UINT64_C(10000000000)

/* ---- signals --------------------------------------------------------------------------------- */

void run_end_signal(struct run_job *job, int signal)
{
    run_guard_signal(job, signal, 0);
    run_down_all(job, RUN_FRAME_SIGNAL, signal, NULL, 0);
}

void run_end_signal_others(struct run_job *job, int signal)
{
    run_guard_signal(job, signal, getpgrp());
    run_down_all(job, RUN_FRAME_SIGNAL, signal, NULL, 0);
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
    run_down_all(job, RUN_FRAME_OVER, 0, NULL, 0);
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
    run_launch_drop(job, false);
    if (job->net.link_count > 0) {
        job->net.abandon_at_ns = ni_now_ns() + ABANDON_NS;
    }
}

/* ---- a rank ---------------------------------------------------------------------------------- */

struct run_who run_who(const struct run_job *job, const struct run_rank *rank)
{
    struct run_who who;
    const bool several = job->options.host_count > 1;

    (void)snprintf(who.text, sizeof(who.text), "%d (pid %d%s%.100s)", rank->number, (int)rank->was,
                   several ? " on " : "", several ? job->options.hosts[rank->host] : "");
    return who;
}

/* Others that have joined the job wait for this one, which will not. */
static bool is_missed(const struct run_job *job, const struct run_rank *rank)
{
    const struct run_world *world = rank->world;

    (void)job;
    return !rank->hello && (world->hellos > 0 || world->parent != RUN_NOBODY);
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
    run_say(job, "prestorun: rank %s was ended by signal %d (%s)%s; %s\n", run_who(job, rank).text,
            signal, strsignal(signal), dumped ? ", core dumped" : "", consequence(job, rank));
    fail(job, rank, 128 + signal);
}

static void ended_with_code(struct run_job *job, const struct run_rank *rank, int code)
{
    if (code != 0) {
        run_say(job, "prestorun: rank %s exited with code %d; %s\n", run_who(job, rank).text, code,
                consequence(job, rank));
        fail(job, rank, code);
    } else if (rank->hello && !rank->bye) {
        run_say(job,
                "prestorun: rank %s exited without pr_fini (MPI_Finalize), for which "
                "others may wait; %s\n",
                run_who(job, rank).text, consequence(job, rank));
        fail(job, rank, 1);
    } else if (is_missed(job, rank)) {
        run_say(job,
                "prestorun: rank %s exited without joining the job, for which others "
                "wait; %s\n",
                run_who(job, rank).text, consequence(job, rank));
        fail(job, rank, 1);
    }
}

void run_end_begun(struct run_job *job, struct run_rank *rank, pid_t pid)
{
    rank->was = pid;
    if (job->net.parent != NULL) {
        const uint32_t word = (uint32_t)pid;

        run_up(job, RUN_FRAME_STARTED, rank->number, &word, sizeof(word));
    } else if (job->options.verbose) {
        run_say(job, "prestorun: rank %d is pid %d%s%s\n", rank->number, (int)pid,
                job->options.host_count > 1 ? " on " : "",
                job->options.host_count > 1 ? job->options.hosts[rank->host] : "");
    }
}

static void mark_ended(struct run_job *job, struct run_rank *rank)
{
    rank->pid = 0;
    rank->ended = true;
    job->alive--;
    run_names_forget(job, rank);
    run_numbers_unlearn_all(job, rank);
}

void run_end_rank(struct run_job *job, struct run_rank *rank, int status)
{
    mark_ended(job, rank);
    if (job->options.verbose) {
        run_say(job, "prestorun: rank %s has ended: %s %d\n", run_who(job, rank).text,
                WIFSIGNALED(status) ? "signal" : "exit code",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    if (job->over || run_serve_ended(job, rank, status)) {
        return; /* a consequence, or only of interest to who has started it */
    }
    if (WIFSIGNALED(status)) {
        ended_by_signal(job, rank, WTERMSIG(status), WCOREDUMP(status));
    } else {
        ended_with_code(job, rank, WEXITSTATUS(status));
    }
}

void run_end_of(struct run_job *job, pid_t pid, int status)
{
    const uint32_t word = (uint32_t)status;

    for (int i = 0; i < job->options.ranks; i++) {
        struct run_rank *rank = &job->ranks[i];

        if (rank->pid != pid) {
            continue;
        }
        run_wire_drain(job, rank); /* what it has said last */
        if (job->net.parent == NULL) {
            run_end_rank(job, rank, status);
        } else {
            mark_ended(job, rank);
            run_up(job, RUN_FRAME_ENDED, rank->number, &word, sizeof(word));
        }
    }
}

/* ---- hosts ----------------------------------------------------------------------------------- */

/* As if it had been killed. */
static void lose_rank(struct run_job *job, struct run_rank *rank)
{
    if (!rank->ended) {
        mark_ended(job, rank);
    }
    run_output_take(job, rank, &rank->out, NULL, 0);
    run_output_take(job, rank, &rank->err, NULL, 0);
    rank->wire = -1;
}

void run_end_hosts(struct run_job *job, int first, int count, const char *message)
{
    bool missed = false;
    int code = 1;

    if (message != NULL && !job->killed) {
        run_say(job, "prestorun: %s%s\n", message,
                job->over                 ? ""
                : job->options.keep_going ? ""
                                          : "; ending the job");
    }
    for (int i = first; i < first + count; i++) {
        job->net.hosts[i].lost = true;
    }
    for (int i = 0; i < job->options.ranks; i++) {
        struct run_rank *rank = &job->ranks[i];

        if (rank->host >= first && rank->host < first + count) {
            code = rank->was != 0 ? 128 + SIGKILL : code;
            missed = missed || rank->was == 0 || (!rank->ended && is_missed(job, rank));
            lose_rank(job, rank);
        }
    }
    if (!job->over && job->options.keep_going && !missed) {
        job->code = job->code != 0 ? job->code : code;
    } else if (!job->over) {
        run_end_all(job, job->code != 0 ? job->code : code, SIGTERM);
    }
}

/* ---- the guard ------------------------------------------------------------------------------- */

/* The ranks, its children, have been killed with it. */
void run_end_without_guard(struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].pid != 0) {
            mark_ended(job, &job->ranks[i]);
        }
    }
    if (!job->over) {
        run_say(job,
                "prestorun: the process that guards the ranks (pid %d) was killed, and they with "
                "it; ending the job\n",
                (int)job->guard.was);
    }
    if (job->net.parent != NULL) {
        run_link_close(job->net.parent); /* the host is lost */
    }
    run_end_all(job, 128 + SIGKILL, SIGTERM);
}
