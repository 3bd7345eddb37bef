/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks ask for once they have joined, see core/wire_up.h. All is on this host. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run.h"

/* ---- answers --------------------------------------------------------------------------------- */

void run_serve_answer(struct run_job *job, struct run_rank *rank, struct pri_wire_answer what,
                      const void *data, size_t length)
{
    const struct pri_wire_head head = {.kind = PRI_WIRE_ANSWER,
                                       .length = (uint32_t)(sizeof(what) + length)};

    rank->asks = false;
    if (rank->wire < 0) {
        return;
    }
    free(rank->reply);
    rank->reply = malloc(sizeof(head) + sizeof(what) + length);
    if (rank->reply == NULL) {
        run_say(job, "prestorun: no memory to answer rank %d: start fewer ranks\n", rank->number);
        run_end_all(job, 1, SIGTERM);
        return;
    }
    memcpy(rank->reply, &head, sizeof(head));
    memcpy(rank->reply + sizeof(head), &what, sizeof(what));
    memcpy(rank->reply + sizeof(head) + sizeof(what), data, length);
    rank->reply_length = sizeof(head) + sizeof(what) + length;
    rank->replied = 0;
    run_wire_write(job, rank);
}

void run_serve_status(struct run_job *job, struct run_rank *rank, enum pri_wire_status status)
{
    run_serve_answer(job, rank, (struct pri_wire_answer){.status = (int32_t)status}, "", 0);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static bool take_ask(struct run_job *job, struct run_rank *rank, const uint8_t *data, size_t length)
{
    struct run_rank *other;
    int32_t number;

    if (length != sizeof(number)) {
        return false;
    }
    memcpy(&number, data, sizeof(number));
    other = number >= 0 && number < job->options.ranks ? &job->ranks[number] : NULL;
    if (other == NULL || !other->hello || other->bye || other->ended) {
        run_serve_status(job, rank, PRI_WIRE_NONE);
    } else if (!run_numbers_learn(rank, other)) {
        run_serve_status(job, rank, PRI_WIRE_NO_MEMORY);
    } else {
        run_serve_answer(job, rank,
                         (struct pri_wire_answer){.number = number - other->world->first,
                                                  .reason = other->world->job},
                         other->blob, other->blob_length);
    }
    return true;
}

/* Numbers that the rank knows no more. */
static bool take_forget(struct run_job *job, struct run_rank *rank, const uint8_t *data,
                        size_t length)
{
    int32_t number;

    for (size_t at = 0; at + sizeof(number) <= length; at += sizeof(number)) {
        memcpy(&number, data + at, sizeof(number));
        run_numbers_unlearn(job, rank, number);
    }
    run_serve_status(job, rank, PRI_WIRE_WELL);
    return length % sizeof(number) == 0;
}

/* ---- more ranks ------------------------------------------------------------------------------ */

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

/* One that has not been started. */
static void drop_rank(struct run_rank *rank)
{
    rank->ended = true;
    close_fd(&rank->wire);
    close_fd(&rank->out.fd);
    close_fd(&rank->err.fd);
}

/* Those that have been started are ended, and their end is no news. asked: the guard has still to
 * answer for the next one. */
static void give_up(struct run_job *job, struct run_world *world, bool asked,
                    struct pri_wire_answer why)
{
    struct run_rank *ranks = &job->ranks[world->first];

    world->failed = true;
    if (world->started > 0) {
        run_guard_kill(job, world->first, world->started);
    }
    for (int i = 0; i < world->size; i++) {
        if (i > world->started || (i == world->started && !asked)) {
            drop_rank(&ranks[i]);
        }
    }
    run_serve_answer(job, &job->ranks[world->parent], why, "", 0);
}

static void give_up_starting(struct run_job *job, struct run_world *world, int error)
{
    const struct run_rank *failed = &job->ranks[world->first + world->started];

    give_up(job, world, false,
            (struct pri_wire_answer){
                .status = PRI_WIRE_FAILED, .number = failed->app->number, .reason = error});
}

/* Of what it leaves, which the guard may not find, a program of Presto's ends with its socket. */
bool run_serve_ended(struct run_job *job, struct run_rank *rank, int status)
{
    struct run_world *world = rank->world;

    if (world->parent == RUN_NOBODY || world->table != NULL) {
        return false;
    }
    close_fd(&rank->wire);
    if (!world->failed) {
        give_up(job, world, world->started < world->size,
                (struct pri_wire_answer){
                    .status = PRI_WIRE_ENDED, .number = rank->app->number, .reason = status});
    }
    return true;
}

/* One after the other: the guard answers before it is told of the next. */
static void start_next(struct run_job *job, struct run_world *world)
{
    if (!run_spawn_ask(job, &job->ranks[world->first + world->started])) {
        give_up_starting(job, world, errno);
    }
}

void run_serve_started(struct run_job *job, int number, int pid, int error)
{
    struct run_rank *rank = &job->ranks[number];
    struct run_world *world = rank->world;

    if (pid < 0) {
        if (world->failed) {
            drop_rank(rank);
        } else {
            give_up_starting(job, world, error);
        }
        return;
    }
    rank->pid = pid;
    job->alive++;
    world->started++;
    run_end_begun(job, rank, pid);
    if (job->over || world->failed) {
        run_guard_kill(job, number, 1); /* the others have been told to end */
    } else if (world->started < world->size) {
        start_next(job, world);
    }
}

void run_serve_joined(struct run_job *job, const struct run_world *world)
{
    if (world->parent != RUN_NOBODY) {
        run_serve_answer(job, &job->ranks[world->parent],
                         (struct pri_wire_answer){.number = world->first}, "", 0);
    }
}

static bool take_spawn(struct run_job *job, struct run_rank *rank, const uint8_t *data,
                       size_t length)
{
    struct run_world *world = run_world_add(job, data, length, rank->number, NULL);

    if (world == NULL && errno == EINVAL) {
        return false;
    }
    if (world == NULL && errno == EDQUOT) {
        run_serve_answer(job, rank,
                         (struct pri_wire_answer){.status = PRI_WIRE_LIMIT,
                                                  .number = run_numbers_left(job),
                                                  .reason = job->numbers},
                         "", 0);
    } else if (world == NULL) {
        run_serve_status(job, rank, PRI_WIRE_NO_MEMORY);
    } else if (!run_guard_tell_world(job, world)) {
        give_up_starting(job, world, errno);
    } else {
        start_next(job, world);
    }
    return true;
}

/* ---- questions ------------------------------------------------------------------------------- */

static bool serve(struct run_job *job, struct run_rank *rank, uint32_t kind, const uint8_t *data,
                  size_t length)
{
    switch (kind) {
    case PRI_WIRE_SPAWN:
        return take_spawn(job, rank, data, length);
    case PRI_WIRE_ASK:
        return take_ask(job, rank, data, length);
    case PRI_WIRE_FORGET:
        return take_forget(job, rank, data, length);
    case PRI_WIRE_PUBLISH:
        return run_names_publish(job, rank, (const char *)data, length);
    case PRI_WIRE_UNPUBLISH:
    case PRI_WIRE_LOOKUP:
    case PRI_WIRE_KNOCK:
    case PRI_WIRE_ANSWERED:
        return run_names_take(job, rank, kind, (const char *)data, length);
    default:
        return false;
    }
}

/* Keeps the part. False: it makes the question too long, or there is no memory. */
static bool add_part(struct run_rank *rank, const uint8_t *data, size_t length)
{
    uint8_t *more;

    if (length > PRI_WIRE_QUESTION_MAX - rank->question_length) {
        return false;
    }
    more = realloc(rank->question, rank->question_length + length + 1);
    if (more == NULL) {
        return false;
    }
    memcpy(more + rank->question_length, data, length);
    rank->question = more;
    rank->question_length += length;
    return true;
}

bool run_serve_take(struct run_job *job, struct run_rank *rank, uint32_t kind, const uint8_t *data,
                    size_t length)
{
    bool well;

    if (rank->world->table == NULL || run_wire_waits(job, rank) || rank->asks ||
        job->options.host_count > 1 || !add_part(rank, data, length)) {
        return false;
    }
    if (kind == PRI_WIRE_PART || job->over) {
        return true;
    }
    rank->asks = true;
    well = serve(job, rank, kind, rank->question, rank->question_length);
    free(rank->question);
    rank->question = NULL;
    rank->question_length = 0;
    return well;
}

void run_serve_free(struct run_job *job)
{
    run_names_free(job);
    for (int i = 0; i < job->options.ranks; i++) {
        free(job->ranks[i].reply);
        free(job->ranks[i].question);
        free(job->ranks[i].knows);
    }
}
