/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank does before it is the user's program. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tools/run.h"

static void set_number(const char *name, long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%ld", value);
    (void)setenv(name, text, 1);
}

/* Of worlds of before, those that are still there. */
static void set_places(const struct run_job *job, const struct run_rank *rank)
{
    int here = 0;

    for (int i = 0; i < job->options.ranks; i++) {
        const struct run_rank *other = &job->ranks[i];

        here += other->host == rank->host && (other->world == rank->world || other->pid > 0);
    }
    set_number("PRESTO_HOSTS", job->options.host_count - !run_has_ranks(job, 0));
    set_number("PRESTO_HOST_RANKS", here);
}

static void set_world(const struct run_rank *rank)
{
    const struct run_world *world = rank->world;

    set_number("PRESTO_SIZE", world->size);
    set_number("PRESTO_RANK", rank->number - world->first);
    set_number("PRESTO_FIRST", world->first);
    set_number("PRESTO_JOB", world->job);
    (void)unsetenv("PRESTO_PARENT");
    if (world->parent != RUN_NOBODY) {
        set_number("PRESTO_PARENT", world->parent);
    }
}

void run_child_report(char *name, size_t size, const char *pattern, int job)
{
    if (job == 0 || strstr(pattern, "%j") != NULL) {
        (void)snprintf(name, size, "%s", pattern);
    } else {
        (void)snprintf(name, size, "%s.%d", pattern, job);
    }
}

/* Each job has a file of its own. */
static void set_report(const struct run_job *job, const struct run_world *world)
{
    const char *report =
        job->options.report != NULL ? job->options.report : getenv("PRESTO_REPORT");
    char name[4096];

    if (report != NULL && report[0] != '\0') {
        run_child_report(name, sizeof(name), report, world->job);
        (void)setenv("PRESTO_REPORT", name, 1);
    }
}

/* Into the rank's folder. False, with errno. */
static bool enter_folder(const struct run_rank *rank)
{
    const struct run_app *app = rank->app;
    char *name;

    if (app->directory < 0 && rank->world->parent == RUN_NOBODY) {
        return true; /* it is here */
    }
    if ((app->directory >= 0 ? fchdir(app->directory) : chdir(app->folder)) != 0 ||
        (name = getcwd(NULL, 0)) == NULL) {
        return false;
    }
    (void)setenv("PWD", name, 1);
    free(name);
    return true;
}

static void set_environment(const struct run_job *job, const struct run_rank *rank,
                            const struct run_ends *ends)
{
    const struct run_app *app = rank->app;

    for (size_t i = 0; i < app->variable_count; i++) {
        (void)putenv((char *)app->variables[i]);
    }
    (void)unsetenv("PRESTO_THREADS"); /* ranks are processes here */
    (void)setenv("PRESTO_KEY", job->key, 1);
    set_number("PRESTO_FD", ends->wire);
    set_number("PRESTO_LIFE", job->guard.life);
    set_number("PRESTO_APPNUM", app->number);
    set_number("PRESTO_CORES", job->cores);
    set_places(job, rank);
    if (job->options.verbose) {
        (void)setenv("PRESTO_STATS", "1", 1);
    }
    set_world(rank);
    set_report(job, rank->world);
}

static void set_streams(const struct run_options *options, int number, const struct run_ends *ends)
{
    if (number != options->reader) {
        int null = open("/dev/null", O_RDONLY);

        if (null > 0) {
            (void)dup2(null, STDIN_FILENO);
            (void)close(null);
        }
    }
    (void)dup2(ends->out, STDOUT_FILENO);
    (void)dup2(options->merge ? ends->out : ends->err, STDERR_FILENO);
    (void)close(ends->out);
    (void)close(ends->err);
}

static void bind_rank(enum run_bind what, int nth)
{
    cpu_set_t allowed, chosen;

    if (what != RUN_BIND_NONE && sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        run_bind_choose(what, RUN_BIND_FOLDER, &allowed, nth, &chosen);
        (void)sched_setaffinity(0, sizeof(chosen), &chosen);
    }
}

/* What is behind fork cannot be done: said, or told the guard. */
static _Noreturn void give_up(const struct run_job *job, const struct run_rank *rank, int trouble,
                              const char *what, const char *name)
{
    const bool several = job->options.host_count > 1;
    const int error = errno;

    if (trouble >= 0) {
        (void)!write(trouble, &error, sizeof(error));
    } else {
        fprintf(stderr, "prestorun: rank %d cannot %s %s%s%s: %s\n", rank->number, what, name,
                several ? " on " : "", several ? job->options.hosts[rank->host] : "",
                strerror(error));
    }
    _exit(127);
}

void run_child(const struct run_job *job, const struct run_rank *rank, const struct run_ends *ends,
               pid_t parent, int trouble)
{
    char **command = rank->app->command;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1); /* it had died before that */
    }
    (void)setpgid(0, job->guard.group);
    set_streams(&job->options, rank->number, ends);
    (void)fcntl(ends->wire, F_SETFD, 0);
    (void)fcntl(job->guard.life, F_SETFD, 0);
    bind_rank(job->options.bind, rank->nth);
    run_signals_reset();
    if (!enter_folder(rank)) {
        give_up(job, rank, trouble, "begin in", "its --wdir");
    }
    set_environment(job, rank, ends);
    execvp(command[0], command);
    give_up(job, rank, trouble, "run", command[0]);
}
