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

static void set_places(const struct run_job *job, int host)
{
    int here = 0;

    for (int i = 0; i < job->options.ranks; i++) {
        here += job->ranks[i].host == host;
    }
    set_number("PRESTO_HOSTS", job->options.host_count - !run_has_ranks(job, 0));
    set_number("PRESTO_HOST_RANKS", here);
}

/* False: said why. */
static bool set_environment(const struct run_job *job, const struct run_rank *rank,
                            const struct run_ends *ends)
{
    const struct run_app *app = rank->app;

    if (app->directory >= 0) {
        char *name = NULL;

        if (fchdir(app->directory) != 0 || (name = getcwd(NULL, 0)) == NULL) {
            fprintf(stderr, "prestorun: rank %d cannot begin in its --wdir: %s\n", rank->number,
                    strerror(errno));
            return false;
        }
        (void)setenv("PWD", name, 1);
        free(name);
    }
    for (size_t i = 0; i < app->variable_count; i++) {
        (void)putenv((char *)app->variables[i]);
    }
    (void)unsetenv("PRESTO_THREADS"); /* ranks are processes here */
    (void)setenv("PRESTO_KEY", job->key, 1);
    set_number("PRESTO_FD", ends->wire);
    set_number("PRESTO_SIZE", job->options.ranks);
    set_number("PRESTO_RANK", rank->number);
    set_number("PRESTO_APPNUM", app->number);
    set_number("PRESTO_CORES", job->cores);
    set_places(job, rank->host);
    if (job->options.report != NULL) {
        (void)setenv("PRESTO_REPORT", job->options.report, 1);
    }
    if (job->options.verbose) {
        (void)setenv("PRESTO_STATS", "1", 1);
    }
    return true;
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

void run_child(const struct run_job *job, const struct run_rank *rank, const struct run_ends *ends,
               pid_t parent)
{
    char **command = rank->app->command;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1); /* it had died before that */
    }
    (void)setpgid(0, job->guard.group);
    set_streams(&job->options, rank->number, ends);
    (void)fcntl(ends->wire, F_SETFD, 0);
    bind_rank(job->options.bind, rank->nth);
    run_signals_reset();
    if (set_environment(job, rank, ends)) {
        execvp(command[0], command);
        fprintf(stderr, "prestorun: rank %d cannot run %s%s%s: %s\n", rank->number, command[0],
                job->options.host_count > 1 ? " on " : "",
                job->options.host_count > 1 ? job->options.hosts[rank->host] : "", strerror(errno));
    }
    _exit(127);
}
