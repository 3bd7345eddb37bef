/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/run.h"

/* All of the text is a number from min to max. */
static bool number_of(const char *text, long min, long max, int *number)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    *number = (int)n;
    return end != text && *end == '\0' && errno == 0 && n >= min && n <= max;
}

int run_value_number(const char *option, const char *text, int least, int most, const char *wanted)
{
    int n;

    if (!number_of(text, least, most, &n)) {
        run_options_refuse(option, text, wanted);
    }
    return n;
}

int run_value_reader(const char *text)
{
    int n;

    if (strcasecmp(text, "none") == 0) {
        return RUN_NOBODY;
    }
    if (!number_of(text, 0, RUN_MAX_RANKS - 1, &n)) {
        run_options_refuse("--stdin", text, "the number of a rank, or none, is needed");
    }
    return n;
}

double run_value_seconds(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds > 0 && seconds < 1e9)) {
        run_options_refuse("--timeout", text, "a number of seconds above 0 is needed");
    }
    return seconds;
}

enum run_bind run_value_bind(const char *text)
{
    if (strcasecmp(text, "core") == 0) {
        return RUN_BIND_CORE;
    }
    if (strcasecmp(text, "hwthread") == 0) {
        return RUN_BIND_HWTHREAD;
    }
    if (strcasecmp(text, "none") != 0) {
        run_options_doubt("--bind-to", text, "core, hwthread or none is needed");
    }
    return RUN_BIND_NONE;
}

char *run_whole_path(const char *name)
{
    char *folder = getcwd(NULL, 0), *path;
    size_t size = strlen(name) + (folder != NULL ? strlen(folder) : 0) + 2;

    path = malloc(size);
    if (path == NULL) {
        run_no_memory();
    }
    if (folder != NULL && strcmp(name, ".") == 0) {
        (void)snprintf(path, size, "%s", folder);
    } else if (folder == NULL || name[0] == '/') {
        (void)snprintf(path, size, "%s", name);
    } else {
        (void)snprintf(path, size, "%s/%s", folder, name);
    }
    free(folder);
    return path;
}
