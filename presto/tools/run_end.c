/* SPDX-License-Identifier: BSD-3-Clause */
/* How ranks end, and the job. */
#include <dirent.h>
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

/* ---- processes ------------------------------------------------------------------------------- */

static bool has(const struct run_pids *list, pid_t pid)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->pid[i] == pid) {
            return true;
        }
    }
    return false;
}

/* A process of the list; nobody twice, and none that was our child before we began. */
static void add(const struct run_job *job, struct run_pids *list, pid_t pid)
{
    if (has(list, pid) || has(&job->strangers, pid)) {
        return;
    }
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 64 : 2 * list->room;
        pid_t *larger = realloc(list->pid, room * sizeof(*larger));

        if (larger == NULL) {
            return;
        }
        list->pid = larger;
        list->room = room;
    }
    list->pid[list->count++] = pid;
}

static void add_children_of_thread(const struct run_job *job, struct run_pids *list, pid_t parent,
                                   const char *thread)
{
    char name[320];
    FILE *file;
    int pid;

    snprintf(name, sizeof(name), "/proc/%d/task/%s/children", (int)parent, thread);
    file = fopen(name, "re");
    if (file == NULL) {
        return; /* it has ended, or the kernel does not tell */
    }
    while (fscanf(file, "%d", &pid) == 1) {
        add(job, list, pid);
    }
    fclose(file);
}

static void add_children(const struct run_job *job, struct run_pids *list, pid_t parent)
{
    char name[40];
    const struct dirent *entry;
    DIR *threads;

    snprintf(name, sizeof(name), "/proc/%d/task", (int)parent);
    threads = opendir(name);
    if (threads == NULL) {
        return;
    }
    while ((entry = readdir(threads)) != NULL) {
        if (entry->d_name[0] != '.') {
            add_children_of_thread(job, list, parent, entry->d_name);
        }
    }
    closedir(threads);
}

/* Ranks, what they have started, and what that has: all of them before any is told anything, since
 * children of a process that ends become ours. */
static void gather(const struct run_job *job, struct run_pids *list)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].pid > 0) {
            add(job, list, job->ranks[i].pid);
        }
    }
    add_children(job, list, getpid());
    for (size_t i = 0; i < list->count; i++) {
        add_children(job, list, list->pid[i]);
    }
}

void run_end_begin(struct run_job *job)
{
    struct run_pids before = {0};

    add_children(job, &before, getpid());
    job->strangers = before;
}

/* Those of the process group `but` have had it; 0: nobody has. */
static void signal_but(const struct run_job *job, int signal, pid_t but)
{
    struct run_pids list = {0};

    gather(job, &list);
    for (size_t i = 0; i < list.count; i++) {
        if (but == 0 || getpgid(list.pid[i]) != but) {
            (void)kill(list.pid[i], signal);
        }
    }
    free(list.pid);
}

void run_end_signal(const struct run_job *job, int signal)
{
    signal_but(job, signal, 0);
}

void run_end_signal_others(const struct run_job *job, int signal)
{
    signal_but(job, signal, getpgrp());
}

bool run_end_left(const struct run_job *job)
{
    struct run_pids list = {0};
    bool any;

    gather(job, &list);
    any = list.count > 0;
    free(list.pid);
    return any;
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

/* Kill them and wait for those that are ours; false: there were none. What they leave becomes our
 * child in turn. */
static bool kill_left(const struct run_job *job)
{
    struct run_pids list = {0};
    bool any;

    gather(job, &list);
    any = list.count > 0;
    for (size_t i = 0; i < list.count; i++) {
        (void)kill(list.pid[i], SIGKILL);
    }
    for (size_t i = 0; i < list.count; i++) {
        while (waitpid(list.pid[i], NULL, 0) < 0 && errno == EINTR) {
            continue;
        }
    }
    free(list.pid);
    return any;
}

void run_end_sweep(const struct run_job *job)
{
    while (kill_left(job)) {
        continue;
    }
}
