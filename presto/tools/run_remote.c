/* SPDX-License-Identifier: BSD-3-Clause */
/* How prestorun is started on other hosts, and with what environment their ranks begin. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run.h"

extern char **environ;

/* It asks nothing, since the ranks may want the terminal; a host that has gone is noticed after a
 * minute; and no connection of it is left for others to use. */
static const char ssh[] = "ssh -x -T -o BatchMode=yes -o ControlMaster=no -o ConnectTimeout=20 "
                          "-o ServerAliveInterval=15 -o ServerAliveCountMax=4";

static void *checked(void *memory)
{
    if (memory == NULL) {
        run_no_memory();
    }
    return memory;
}

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        free(list[i]);
    }
    free(list);
}

/* ---- launcher -------------------------------------------------------------------------------- */

void run_remote_launcher(struct run_options *options, const char *command)
{
    char *text = checked(strdup(command)), *rest = NULL;
    size_t count = 0;

    free_list(options->launcher);
    options->launcher = checked(calloc(strlen(command) / 2 + 2, sizeof(char *)));
    for (char *word = strtok_r(text, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        options->launcher[count++] = checked(strdup(word));
    }
    free(text);
    if (count == 0) {
        run_options_refuse("--launcher", command, "a command is needed, such as ssh");
    }
}

/* ---- program --------------------------------------------------------------------------------- */

void run_remote_prefix(struct run_options *options, const char *directory)
{
    free(options->program);
    if (directory[0] != '/') {
        run_options_refuse("--prefix", directory, "a whole path is needed, which begins with /");
    }
    if (asprintf(&options->program, "%s/bin/prestorun", directory) < 0) {
        run_no_memory();
    }
}

/* As here. */
static char *own_program(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (n <= 0) {
        run_options_refuse("--host", "", "it is not known where prestorun is, say it by --prefix");
    }
    path[n] = '\0';
    return checked(strdup(path));
}

/* ---- environment ----------------------------------------------------------------------------- */

/* What belongs to a host or a login on it; with * of all that begins so. */
static bool is_of_host(const char *variable)
{
    static const char *const names[] = {
        "HOME",   "USER",   "LOGNAME", "SHELL", "MAIL",       "HOST",         "HOSTNAME",
        "PWD",    "OLDPWD", "SHLVL",   "_",     "DISPLAY",    "TMP",          "TEMP",
        "TMPDIR", "DBUS_*", "SSH_*",   "XDG_*", "XAUTHORITY", "APELINK_HOST*"};
    size_t length = strcspn(variable, "=");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t n = strlen(names[i]);

        if (names[i][n - 1] == '*' ? strncmp(variable, names[i], n - 1) == 0
                                   : n == length && strncmp(variable, names[i], n) == 0) {
            return true;
        }
    }
    return false;
}

static char **own_environment(void)
{
    size_t count = 0, kept = 0;
    char **list;

    while (environ[count] != NULL) {
        count++;
    }
    list = checked(calloc(count + 1, sizeof(*list)));
    for (size_t i = 0; i < count; i++) {
        if (strchr(environ[i], '=') != NULL && !is_of_host(environ[i])) {
            list[kept++] = checked(strdup(environ[i]));
        }
    }
    return list;
}

/* ---- all ------------------------------------------------------------------------------------- */

void run_remote_complete(struct run_options *options)
{
    const char *launcher = getenv("PRESTO_LAUNCHER");

    if (options->launcher == NULL) {
        run_remote_launcher(options, launcher != NULL && *launcher != '\0' ? launcher : ssh);
    }
    if (options->program == NULL) {
        options->program = own_program();
    }
    if (options->fanout == 0) {
        options->fanout = RUN_FANOUT;
    }
    options->environment = own_environment();
}

void run_remote_free(struct run_options *options)
{
    free_list(options->launcher);
    free_list(options->environment);
    free(options->program);
}
