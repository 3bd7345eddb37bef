/* SPDX-License-Identifier: BSD-3-Clause */
/* How ranks end, and the job. */
#include <errno.h>
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

/* ---- the job --------------------------------------------------------------------------------- */

void run_end_signal(const struct run_job *job, int signal)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].pid > 0) {
            (void)kill(job->ranks[i].pid, signal);
        }
    }
}

void run_end_all(struct run_job *job, int code, int signal)
{
    if (job->over) {
        return;
    }
    job->over = true;
    job->code = code;
    job->kill_at_ns = ni_now_ns() + GRACE_NS;
    run_end_signal(job, signal);
    run_end_signal(job, SIGCONT); /* or one that is stopped would not notice */
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
    fprintf(stderr, "prestorun: rank %d (pid %d) was ended by signal %d (%s)%s; %s\n", rank->number,
            (int)rank->was, signal, strsignal(signal), dumped ? ", core dumped" : "",
            consequence(job, rank));
    fail(job, rank, 128 + signal);
}

static void ended_with_code(struct run_job *job, const struct run_rank *rank, int code)
{
    if (code != 0) {
        fprintf(stderr, "prestorun: rank %d (pid %d) exited with code %d; %s\n", rank->number,
                (int)rank->was, code, consequence(job, rank));
        fail(job, rank, code);
    } else if (rank->hello && !rank->bye) {
        fprintf(stderr,
                "prestorun: rank %d (pid %d) exited without pr_fini (MPI_Finalize), for which "
                "others may wait; %s\n",
                rank->number, (int)rank->was, consequence(job, rank));
        fail(job, rank, 1);
    } else if (is_missed(job, rank)) {
        fprintf(stderr,
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
        fprintf(stderr, "prestorun: rank %d (pid %d) has ended: %s %d\n", rank->number,
                (int)rank->was, WIFSIGNALED(status) ? "signal" : "exit code",
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

void run_end_collect(struct run_job *job)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (int i = 0; i < job->options.ranks; i++) {
            if (job->ranks[i].pid == pid) {
                rank_ended(job, &job->ranks[i], status);
            }
        }
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* Kill our children; true if there are any. What they leave becomes our child in turn. */
static bool kill_children(void)
{
    char name[64];
    FILE *file;
    int pid;
    bool any = false;

    snprintf(name, sizeof(name), "/proc/self/task/%d/children", (int)getpid());
    file = fopen(name, "re");
    if (file == NULL) {
        return false;
    }
    while (fscanf(file, "%d", &pid) == 1) {
        any = true;
        (void)kill(pid, SIGKILL);
    }
    fclose(file);
    return any;
}

void run_end_sweep(void)
{
    while (kill_children()) {
        if (waitpid(-1, NULL, 0) < 0 && errno != EINTR) {
            return;
        }
    }
}
