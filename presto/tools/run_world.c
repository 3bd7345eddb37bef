/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds, and what is asked for when one is to be started: see core/wire_up.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run.h"

/* With the environment variable PRESTO_NUMBERS there are fewer. */
static int count_numbers(int ranks)
{
    const char *text = getenv("PRESTO_NUMBERS");
    const long count = text != NULL ? strtol(text, NULL, 10) : PRI_WIRE_NUMBERS;

    return count >= ranks && count < PRI_WIRE_NUMBERS ? (int)count : PRI_WIRE_NUMBERS;
}

struct run_world *run_world_first(struct run_job *job)
{
    struct run_world *world = calloc(1, sizeof(*world));

    if (world != NULL) {
        world->size = job->options.ranks;
        world->parent = RUN_NOBODY;
        job->worlds = world;
        job->jobs = 1;
        job->numbers = count_numbers(world->size);
    }
    return world;
}

void run_world_free(struct run_world *world)
{
    for (int i = 0; i < world->app_count; i++) {
        free(world->apps[i].command);
    }
    free(world->apps);
    free(world->request);
    free(world->table);
    free(world);
}

void run_worlds_free(struct run_job *job)
{
    while (job->worlds != NULL) {
        struct run_world *gone = job->worlds;

        job->worlds = gone->next;
        run_world_free(gone);
    }
}

/* ---- a request ------------------------------------------------------------------------------- */

struct reader {
    char *at, *end;
    bool well;
};

static char *take(struct reader *from)
{
    char *text = from->at;
    char *end = from->well ? memchr(text, '\0', (size_t)(from->end - text)) : NULL;

    from->well = end != NULL;
    from->at = from->well ? end + 1 : from->end;
    return text;
}

static int take_number(struct reader *from, int least, int most)
{
    const char *text = take(from);
    char *end = NULL;
    long number = from->well ? strtol(text, &end, 10) : 0;

    from->well = from->well && end != text && *end == '\0' && number >= least && number <= most;
    return from->well ? (int)number : least;
}

/* False: no memory, or from->well is false. */
static bool take_app(struct reader *from, struct run_app *app)
{
    int words;

    app->directory = -1;
    app->number = take_number(from, 0, INT_MAX);
    app->ranks = take_number(from, 1, INT_MAX);
    app->folder = take(from);
    words = take_number(from, 1, PRI_WIRE_QUESTION_MAX);
    if (!from->well || words > from->end - from->at) {
        from->well = false;
        return false;
    }
    app->command = calloc((size_t)words + 1, sizeof(*app->command));
    for (int i = 0; app->command != NULL && i < words; i++) {
        app->command[i] = take(from);
    }
    return app->command != NULL && from->well;
}

/* The commands, one behind the other to the end. */
static bool take_apps(struct run_world *world, struct reader *from, const struct run_app *parent)
{
    bool well = true;

    while (well && from->at < from->end) {
        struct run_app *apps =
            realloc(world->apps, ((size_t)world->app_count + 1) * sizeof(*world->apps));

        if (apps == NULL) {
            return false;
        }
        world->apps = apps;
        apps[world->app_count] = (struct run_app){.variable_count = parent->variable_count,
                                                  .variables = parent->variables};
        well = take_app(from, &apps[world->app_count]);
        from->well = from->well && world->size <= INT_MAX - apps[world->app_count].ranks;
        world->size += from->well ? apps[world->app_count].ranks : 0;
        world->app_count++;
    }
    return well && from->well;
}

static void link_last(struct run_job *job, struct run_world *world)
{
    struct run_world **place = &job->worlds;
    int number = world->first;

    while (*place != NULL) {
        place = &(*place)->next;
    }
    *place = world;
    if (job->options.ranks < world->first + world->size) {
        job->options.ranks = world->first + world->size;
    }
    for (int i = 0; i < world->app_count; i++) {
        for (int k = 0; k < world->apps[i].ranks; k++) {
            run_open_rank(job, number++, &world->apps[i], 0, world);
        }
    }
}

struct run_world *run_world_add(struct run_job *job, const uint8_t *request, size_t length,
                                int parent, const struct run_note *place)
{
    struct run_world *world = calloc(1, sizeof(*world));
    struct reader from = {.well = true};
    int error = ENOMEM;

    if (world != NULL && (world->request = malloc(length + 1)) != NULL) {
        memcpy(world->request, request, length);
        world->request_length = length;
        world->parent = parent;
        from.at = world->request;
        from.end = from.at + length;
        if (take_apps(world, &from, job->ranks[parent].app) && world->size > 0) {
            error = run_numbers_find(job, world, place) ? 0 : EDQUOT;
        } else if (!from.well || world->size == 0) {
            error = EINVAL;
        }
    }
    if (error != 0) {
        if (world != NULL) {
            run_world_free(world);
        }
        errno = error;
        return NULL;
    }
    link_last(job, world);
    return world;
}
