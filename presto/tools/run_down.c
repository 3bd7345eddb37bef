/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes down, from prestorun to the agents and the ranks of their hosts. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run.h"

void run_down_all(struct run_job *job, enum run_frame_kind kind, int number, const void *data,
                  size_t length)
{
    for (int i = 0; i < job->net.link_count; i++) {
        run_link_send(&job->net.links[i], kind, number, data, length);
    }
}

void run_down_to(struct run_job *job, int host, enum run_frame_kind kind, int number,
                 const void *data, size_t length)
{
    for (int i = 0; i < job->net.link_count; i++) {
        struct run_link *link = &job->net.links[i];

        if (host >= link->first && host < link->first + link->count) {
            run_link_send(link, kind, number, data, length);
        }
    }
}

/* ---- prestorun ------------------------------------------------------------------------------- */

static void acknowledge(struct run_job *job, int number)
{
    size_t *owed = job->net.hosts[number].owed;

    for (uint32_t i = 0; i < 2; i++) {
        if (owed[i] >= RUN_WINDOW / 4 && run_output_is_written(job, i == 1)) {
            const struct run_taken taken = {.is_error = i, .bytes = (uint32_t)owed[i]};

            owed[i] = 0;
            run_down_to(job, number, RUN_FRAME_TAKEN, number, &taken, sizeof(taken));
        }
    }
}

void run_down_turn(struct run_job *job)
{
    for (int i = 1; i < job->options.host_count; i++) {
        acknowledge(job, i);
    }
    if (job->alive == 0 && !job->net.last) {
        job->net.last = true;
        run_down_all(job, RUN_FRAME_LAST, 0, NULL, 0);
    }
}

/* ---- an agent: false if what came makes no sense --------------------------------------------- */

static bool take_table(struct run_job *job, const struct run_frame *frame)
{
    struct run_world *world = job->worlds;

    if (world->table != NULL || (world->table = malloc(frame->head.length)) == NULL) {
        return false;
    }
    memcpy(world->table, frame->data, frame->head.length);
    world->table_length = frame->head.length;
    run_wire_tell(job, world);
    return true;
}

static bool take_signal(struct run_job *job, int signal)
{
    if (signal < 1 || signal > SIGRTMAX) {
        return false;
    }
    if (signal == SIGKILL) {
        run_end_kill(job);
    } else {
        run_end_signal(job, signal);
    }
    return true;
}

static bool take_input(struct run_job *job, const struct run_frame *frame)
{
    if (frame->head.number < 0 || frame->head.number != job->options.reader) {
        return false;
    }
    if (job->options.host_of[frame->head.number] == job->net.here) {
        run_input_take(job, frame->data, frame->head.length);
    } else {
        run_down_to(job, job->options.host_of[frame->head.number], RUN_FRAME_INPUT,
                    frame->head.number, frame->data, frame->head.length);
    }
    return true;
}

static bool take_taken(struct run_job *job, const struct run_frame *frame)
{
    struct run_taken taken;

    memcpy(&taken, frame->data, sizeof(taken));
    if (frame->head.number != job->net.here) {
        run_down_to(job, frame->head.number, RUN_FRAME_TAKEN, frame->head.number, &taken,
                    sizeof(taken));
        return true;
    }
    if (taken.is_error > 1 || taken.bytes > RUN_WINDOW - job->net.credit[taken.is_error]) {
        return false;
    }
    job->net.credit[taken.is_error] += taken.bytes;
    return true;
}

static bool take_dead(struct run_job *job, int which)
{
    if (which < 0 || which > 1) {
        return false;
    }
    job->sinks[which].dead = true;
    run_down_all(job, RUN_FRAME_DEAD, which, NULL, 0);
    return true;
}

static bool take(struct run_job *job, const struct run_frame *frame)
{
    switch (frame->head.kind) {
    case RUN_FRAME_TABLE:
        return take_table(job, frame);
    case RUN_FRAME_SIGNAL:
        return take_signal(job, frame->head.number);
    case RUN_FRAME_INPUT:
        return take_input(job, frame);
    case RUN_FRAME_TAKEN:
        return take_taken(job, frame);
    case RUN_FRAME_DEAD:
        return take_dead(job, frame->head.number);
    case RUN_FRAME_OVER:
        job->over = true;
        run_down_all(job, RUN_FRAME_OVER, 0, NULL, 0);
        return true;
    case RUN_FRAME_LAST:
        job->net.last = true;
        run_down_all(job, RUN_FRAME_LAST, 0, NULL, 0);
        return true;
    case RUN_FRAME_CLOSE:
        job->net.closing = true;
        return true;
    default:
        return false; /* there is one START */
    }
}

/* Without the host above there is no job. */
void run_down_take(struct run_job *job)
{
    struct run_link *parent = job->net.parent;
    struct run_frame frame;

    while (parent->in >= 0 && run_link_next(parent, &frame)) {
        parent->broken = !take(job, &frame);
    }
    if (parent->broken) {
        run_link_close(parent);
    }
}

void run_down_read(struct run_job *job)
{
    const bool open = run_link_read(job->net.parent);

    run_down_take(job);
    if (!open) {
        run_link_close(job->net.parent);
    }
}
