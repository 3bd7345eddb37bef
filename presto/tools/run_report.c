/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of what the ranks did. They write it themselves when all come to their end; if they do
 * not, what each has recorded is still in memory (core/recorder.h). */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run.h"

extern char **environ;

static const char *text_of(const char *name, const char *otherwise)
{
    const char *text = getenv(name);

    return text != NULL && text[0] != '\0' ? text : otherwise;
}

static bool are_left(const char *folder, const char *number)
{
    char pattern[4096];
    glob_t found;
    bool left;

    (void)snprintf(pattern, sizeof(pattern), "%s/apelink-hooks.%u.%s.*", folder, (unsigned)getuid(),
                   number);
    left = glob(pattern, 0, NULL, &found) == 0;
    if (left) {
        globfree(&found);
    }
    return left;
}

/* Run apelink-report, its output going to a file; false if it has not done what it was told. */
static bool run_to(const char *file, const char *const arguments[])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t pid;
    int rc, status = 0;

    (void)sigemptyset(&none);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file,
                                           O_WRONLY | O_CREAT | O_TRUNC, 0666);
    rc = posix_spawnp(&pid, arguments[0], &actions, &attributes, (char *const *)arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    if (rc != 0) {
        return false;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The name with what %j stands for. */
static void name_file(char *name, size_t size, const char *pattern, const char *number)
{
    const char *at = strstr(pattern, "%j");

    if (at == NULL) {
        (void)snprintf(name, size, "%s", pattern);
    } else {
        (void)snprintf(name, size, "%.*s%s%s", (int)(at - pattern), pattern, number, at + 2);
    }
}

void run_report_end(const struct run_job *job, const struct run_world *world)
{
    const char *report = text_of("PRESTO_REPORT_PROGRAM", PRI_REPORT);
    const char *folder = text_of("PRESTO_REPORT_DIRECTORY", "/dev/shm");
    char number[16], pattern[4096], file[4096];
    const char *const write[] = {report, "--directory", folder, "--json", number, NULL};
    const char *const clean[] = {report, "--directory", folder, "--clean", number, NULL};

    if (job->options.report == NULL) {
        return;
    }
    (void)snprintf(number, sizeof(number), "%" PRIu32,
                   pri_job_number(strtoull(job->key, NULL, 16), world->job));
    if (!are_left(folder, number)) {
        return;
    }
    run_child_report(pattern, sizeof(pattern), job->options.report, world->job);
    name_file(file, sizeof(file), pattern, number);
    if (run_to(file, write)) {
        (void)run_to("/dev/null", clean);
    } else {
        fprintf(stderr,
                "prestorun: --report: %s cannot write %s; apelink-report %s reads what the ranks "
                "have left in memory\n",
                report, file, number);
    }
}
