/* SPDX-License-Identifier: BSD-3-Clause */
/* Carrying out schedules. */
#include <limits.h>

#include "coll/private.h"

static void pack(const struct pri_vec *vec, void *to, size_t bytes)
{
    const struct pri_step *step = ni_container_of(vec, const struct pri_active, vec)->step;

    pri_type_pack(step->data.type, step->data.count, step->data.buf, step->offset, to, bytes);
}

static void unpack(const struct pri_vec *vec, const void *from, size_t bytes)
{
    const struct pri_step *step = ni_container_of(vec, const struct pri_active, vec)->step;

    pri_type_unpack(step->data.type, step->data.count, step->data.buf, step->offset, from, bytes);
}

static void error_note(struct pri_sched *s, int error)
{
    if (NI_UNLIKELY(pri_poisons(error))) {
        s->where.as = pri_poison(s->self, error);
    }
    if (error != 0 && s->error == 0) {
        s->error = error;
    }
}

/* Numbers of the sender's name that no rank that is lost has. */
enum { POISON_NOBODY = INT16_MIN, POISON_MEMORY, POISON_NOMEM };

/* A peer that has left in good order, too early, has no number here. */
NI_COLD int pri_poison(const struct pri_rank *self, int error)
{
    int lost = pri_lost(self);

    if (error != PRI_ERR_PEER) {
        return error == PRI_ERR_MEMORY ? POISON_MEMORY : POISON_NOMEM;
    }
    return lost >= 0 ? -1 - lost : POISON_NOBODY;
}

NI_COLD int pri_poisoned(struct pri_rank *self, int source)
{
    int lost = -1 - source;

    if (source == POISON_MEMORY || source == POISON_NOMEM) {
        return source == POISON_MEMORY ? PRI_ERR_MEMORY : PRI_ERR_NOMEM;
    }

    if (pri_knows(self, lost)) {
        pri_lost_note(self, lost);
    }
    return PRI_ERR_PEER;
}

static void message_start(struct pri_sched *s, const struct pri_step *step)
{
    struct pri_active *active = &s->active[s->active_count];
    struct pri_where where = s->where;
    bool send = step->kind == PRI_STEP_SEND;
    int error;

    where.peer = step->peer;
    if (step->data.type == NULL) {
        error = send ? pri_isend(s->self, step->data.buf, step->bytes, where, PRI_STANDARD,
                                 &active->request)
                     : pri_irecv(s->self, step->data.buf, step->bytes, where, &active->request);
    } else {
        active->vec = (struct pri_vec){pack, unpack};
        active->step = step;
        error = send ? pri_isendv(s->self, &active->vec, step->bytes, where, PRI_STANDARD,
                                  &active->request)
                     : pri_irecvv(s->self, &active->vec, step->bytes, where, &active->request);
    }
    if (error == 0) {
        s->active_count++;
    }
    error_note(s, error);
}

static void copy(const struct pri_step *step)
{
    struct pri_data to = step->data, from = step->from;

    if (to.type == NULL && from.type == NULL) {
        memcpy(to.buf, from.buf, from.count);
    } else if (to.type == NULL) {
        pri_type_pack(from.type, from.count, from.buf, 0, to.buf, to.count);
    } else if (from.type == NULL) {
        pri_type_unpack(to.type, to.count, to.buf, 0, from.buf, from.count);
    } else {
        pri_type_copy(to.buf, to.count, to.type, from.buf, from.count, from.type);
    }
}

/* Does what comes before the next fence at which there is something to wait for, or before the end.
 * Whether there is something to wait for. */
static bool round_start(struct pri_sched *s)
{
    while (s->at < s->count) {
        const struct pri_step *step = &s->steps[s->at++];

        switch (step->kind) {
        case PRI_STEP_SEND:
        case PRI_STEP_RECV:
            message_start(s, step);
            break;
        case PRI_STEP_REDUCE:
            pri_op_apply(s->op, step->from.buf, step->data.buf, step->data.count, s->type);
            break;
        case PRI_STEP_COPY:
            copy(step);
            break;
        case PRI_STEP_FENCE:
            if (s->active_count > 0) {
                return true;
            }
            break;
        }
    }
    return s->active_count > 0;
}

/* pri_task.advance. */
static bool advance(struct pri_task *task)
{
    struct pri_sched *s = ni_container_of(task, struct pri_sched, task);

    for (;;) {
        while (s->waited < s->active_count) {
            struct pri_request *request = &s->active[s->waited].request;

            if (!pri_done(request)) {
                return false;
            }
            error_note(s, pri_message_error(request));
            s->waited++;
        }
        s->active_count = s->waited = 0;
        if (!round_start(s)) {
            return true;
        }
    }
}

/* pri_task.finished. The caller may free the request as soon as it sees that it is complete. */
static void finished(struct pri_task *task)
{
    struct pri_sched *s = ni_container_of(task, struct pri_sched, task);
    struct pri_request *request = s->request;

    request->status.error = s->error;
    pri_sched_put(s);

    pri_request_complete(request);
}

static int run_blocking(struct pri_sched *s)
{
    while (round_start(s)) {
        for (size_t i = 0; i < s->active_count; i++) {
            error_note(s, pri_message_end(&s->active[i].request));
        }
        s->active_count = 0;
    }

    int error = s->error;

    pri_sched_put(s);
    return error;
}

int pri_sched_run(struct pri_sched *s, struct pri_request *request)
{
    if (s == NULL) {
        return PRI_ERR_NOMEM;
    }
    if (s->failed || !pri_sched_room_for_active(s)) {
        pri_sched_put(s);
        return PRI_ERR_NOMEM;
    }
    if (request == NULL) {
        return run_blocking(s);
    }
    pri_request_null(s->self, request);
    request->kind = PRI_REQUEST_COLLECTIVE;
    request->context = s->where.context;
    request->status.tag = s->where.tag;
    atomic_store_explicit(&request->state, PRI_REQ_PENDING, memory_order_relaxed);
    s->request = request;
    s->task = (struct pri_task){.advance = advance, .finished = finished};
    if (advance(&s->task)) {
        finished(&s->task);
    } else {
        pri_task_add(s->self, &s->task);
    }
    return 0;
}

int pri_sched_nothing(struct pri_team *team, struct pri_request *request)
{
    team->next_tag++;
    if (request != NULL) {
        pri_request_null(team->self, request);
    }
    return 0;
}
