/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks have started, and that in turn: found by the kernel's lists of children. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/run.h"

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
 * children of a process that ends become the guard's, or, without one, ours. */
static void gather(const struct run_job *job, struct run_pids *list)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].pid > 0) {
            add(job, list, job->ranks[i].pid);
        }
    }
    add_children(job, list, getpid());
    if (job->guard.pid > 0) {
        add_children(job, list, job->guard.pid);
    }
    for (size_t i = 0; i < list->count; i++) {
        add_children(job, list, list->pid[i]);
    }
}

void run_tree_begin(struct run_job *job)
{
    struct run_pids before = {0};

    add_children(job, &before, getpid());
    job->strangers = before;
}

void run_tree_pass_over(struct run_job *job, pid_t pid)
{
    add(job, &job->strangers, pid);
}

void run_tree_signal(const struct run_job *job, int signal, pid_t but)
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

void run_tree_kill(const struct run_job *job, pid_t pid)
{
    struct run_pids list = {0};

    add(job, &list, pid);
    for (size_t i = 0; i < list.count; i++) {
        add_children(job, &list, list.pid[i]);
    }
    for (size_t i = 0; i < list.count; i++) {
        (void)kill(list.pid[i], SIGKILL);
    }
    free(list.pid);
}

bool run_tree_left(const struct run_job *job)
{
    struct run_pids list = {0};
    bool any;

    gather(job, &list);
    any = list.count > 0;
    free(list.pid);
    return any;
}

void run_tree_forget(struct run_job *job, pid_t pid)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].pid == pid) {
            job->ranks[i].pid = 0;
        }
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* Kill them and wait for those that are ours; false: there were none that can be killed. What they
 * leave becomes our child in turn. */
static bool kill_left(struct run_job *job)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    struct run_pids list = {0};
    bool any = false, others = false;

    gather(job, &list);
    for (size_t i = 0; i < list.count; i++) {
        if (kill(list.pid[i], SIGKILL) != 0) {
            list.pid[i] = 0; /* it has ended, or has got another user's rights */
        }
    }
    for (size_t i = 0; i < list.count; i++) {
        pid_t pid = list.pid[i], ended;

        if (pid != 0) {
            do {
                ended = waitpid(pid, NULL, 0);
            } while (ended < 0 && errno == EINTR);
            others = others || ended < 0;
            any = true;
            run_tree_forget(job, pid);
        }
    }
    free(list.pid);
    if (others) {
        (void)nanosleep(&pause, NULL); /* for those to end */
    }
    return any;
}

void run_tree_sweep(struct run_job *job)
{
    while (kill_left(job)) {
        continue;
    }
}
