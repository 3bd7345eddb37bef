/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job as agents get it (START): strings, each with NUL at its end; numbers are decimal, lists
 * begin with how many there are, and what is not there is an empty string.
 *
 *   version, key of the job, ranks
 *   reader, merge, bind, verbose, report
 *   fan-out, program, list of the launcher's words
 *   list of hosts; for each rank the number of its host
 *   list of variables
 *   number of commands, of each: ranks, folder, list of variables, list of words
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apelink_config.h"
#include "tools/run.h"

/* ---- to bytes -------------------------------------------------------------------------------- */

struct writer {
    struct run_bytes *bytes;
    bool well;
};

static void put(struct writer *to, const char *text)
{
    to->well = to->well && run_bytes_add(to->bytes, text, strlen(text) + 1);
}

static void put_number(struct writer *to, long number)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%ld", number);
    put(to, text);
}

static void put_list(struct writer *to, char *const *list, size_t count)
{
    put_number(to, (long)count);
    for (size_t i = 0; i < count; i++) {
        put(to, list[i]);
    }
}

static size_t length_of(char *const *list)
{
    size_t n = 0;

    while (list[n] != NULL) {
        n++;
    }
    return n;
}

static void put_app(struct writer *to, const struct run_app *app)
{
    put_number(to, app->ranks);
    put(to, app->folder);
    put_list(to, (char *const *)app->variables, app->variable_count);
    put_list(to, app->command, length_of(app->command));
}

bool run_spec_pack(const struct run_job *job, struct run_bytes *bytes)
{
    const struct run_options *options = &job->options;
    struct writer to = {bytes, true};

    put(&to, PACKAGE_VERSION);
    put(&to, job->key);
    put_number(&to, options->ranks);
    put_number(&to, options->reader);
    put_number(&to, options->merge);
    put_number(&to, options->bind);
    put_number(&to, options->verbose);
    put(&to, options->report != NULL ? options->report : "");
    put_number(&to, options->fanout);
    put(&to, options->program);
    put_list(&to, options->launcher, length_of(options->launcher));
    put_list(&to, options->hosts, (size_t)options->host_count);
    for (int i = 0; i < options->ranks; i++) {
        put_number(&to, options->host_of[i]);
    }
    put_list(&to, options->environment, length_of(options->environment));
    put_number(&to, options->app_count);
    for (int i = 0; i < options->app_count; i++) {
        put_app(&to, &options->apps[i]);
    }
    return to.well;
}

/* ---- from bytes ------------------------------------------------------------------------------ */

/* What is wrong stays: from then on all texts are empty and all numbers the least. */
struct reader {
    char *at, *end;
    const char *wrong; /* NULL: nothing */
};

static void complain(struct reader *from, const char *what)
{
    from->wrong = from->wrong != NULL ? from->wrong : what;
    from->at = from->end;
}

static char *take(struct reader *from)
{
    static char empty[] = "";
    char *text = from->at;
    char *stop = text < from->end ? memchr(text, '\0', (size_t)(from->end - text)) : NULL;

    if (stop == NULL) {
        complain(from, "it ends too early");
        return empty;
    }
    from->at = stop + 1;
    return text;
}

static int take_number(struct reader *from, long least, long most)
{
    const char *text = take(from);
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end != '\0' || number < least || number > most) {
        complain(from, "a number makes no sense");
        number = least;
    }
    return (int)number;
}

/* As many as are promised, with NULL behind; of which each takes a byte at least. NULL: no memory,
 * or it is complained of. */
static char **take_list(struct reader *from, int least, size_t *count)
{
    long left = from->end - from->at;
    int promised = take_number(from, least, left > least ? left : least);
    char **list = from->wrong == NULL ? calloc((size_t)promised + 1, sizeof(*list)) : NULL;

    *count = 0;
    if (list == NULL) {
        complain(from, "there is no memory");
        return NULL;
    }
    for (int i = 0; i < promised; i++) {
        list[(*count)++] = take(from);
    }
    return list;
}

static void take_app(struct reader *from, struct run_app *app)
{
    size_t words;

    app->directory = -1;
    app->ranks = take_number(from, 1, RUN_MAX_RANKS);
    app->folder = take(from);
    app->variables = (const char **)take_list(from, 0, &app->variable_count);
    for (size_t i = 0; i < app->variable_count; i++) {
        if (strchr(app->variables[i], '=') == NULL) {
            complain(from, "a variable has no value");
        }
    }
    app->command = take_list(from, 1, &words);
}

static void take_apps(struct reader *from, struct run_options *options)
{
    int count = take_number(from, 1, options->ranks), ranks = 0;

    options->apps = calloc((size_t)count, sizeof(*options->apps));
    if (options->apps == NULL) {
        complain(from, "there is no memory");
        return;
    }
    for (int i = 0; i < count; i++) {
        struct run_app *app = &options->apps[options->app_count++];

        app->number = i;
        take_app(from, app);
        ranks += app->ranks;
    }
    if (ranks != options->ranks) {
        complain(from, "the commands have other ranks than the job");
    }
}

static void take_places(struct reader *from, struct run_options *options)
{
    size_t hosts;

    options->hosts = take_list(from, 1, &hosts);
    if (hosts > RUN_MAX_RANKS + 1) {
        complain(from, "it has too many hosts");
    }
    options->host_count = (int)hosts;
    options->host_of = calloc((size_t)options->ranks, sizeof(*options->host_of));
    if (options->host_of == NULL || from->wrong != NULL) {
        complain(from, "there is no memory");
        return;
    }
    for (int i = 0; i < options->ranks; i++) {
        options->host_of[i] = take_number(from, 0, options->host_count - 1);
    }
}

const char *run_spec_unpack(struct run_job *job, uint8_t *data, size_t length)
{
    struct run_options *options = &job->options;
    struct reader from = {(char *)data, (char *)data + length, NULL};
    const char *version = take(&from);
    char *key, *report;
    size_t count;

    if (from.wrong == NULL && strcmp(version, PACKAGE_VERSION) != 0) {
        complain(&from, "it is of another version");
    }
    key = take(&from);
    if (strlen(key) != sizeof(job->key) - 1 || strspn(key, "0123456789abcdef") != strlen(key)) {
        complain(&from, "the job has no key");
    } else {
        memcpy(job->key, key, sizeof(job->key));
    }
    options->ranks = take_number(&from, 1, RUN_MAX_RANKS);
    options->reader = take_number(&from, RUN_NOBODY, options->ranks - 1);
    options->merge = take_number(&from, 0, 1) != 0;
    options->bind = (enum run_bind)take_number(&from, RUN_BIND_NONE, RUN_BIND_HWTHREAD);
    options->verbose = take_number(&from, 0, 1) != 0;
    report = take(&from);
    options->fanout = take_number(&from, 1, RUN_MAX_RANKS);
    options->program = take(&from);
    options->launcher = take_list(&from, 1, &count);
    take_places(&from, options);
    options->environment = take_list(&from, 0, &count);
    take_apps(&from, options);
    options->report = from.wrong == NULL && *report != '\0' ? report : NULL;
    if (from.at != from.end) {
        complain(&from, "it does not end");
    }
    return from.wrong;
}

void run_spec_free(struct run_job *job)
{
    struct run_options *options = &job->options;

    for (int i = 0; i < options->app_count; i++) {
        free(options->apps[i].variables);
        free(options->apps[i].command);
    }
    free(options->apps);
    free(options->launcher);
    free(options->hosts);
    free(options->host_of);
    free(options->environment);
    *options = (struct run_options){0};
}
