/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing schedules, and the pool they come from. */
#include "coll/sched.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "coll/private.h"
#include "coll/state.h"

/* ---- the pool -------------------------------------------------------------------------------- */

static struct pri_sched *pool_take(struct pri_coll_state *state, const struct pri_rank *self)
{
    pri_coll_lock(state, self);

    struct pri_sched *s = state->idle;

    if (s != NULL) {
        state->idle = s->next;
    }
    pri_coll_unlock(state, self);
    return s != NULL ? s : ni_calloc(1, sizeof *s);
}

struct pri_sched *pri_sched_get(struct pri_team *team)
{
    struct pri_rank *self = team->self;
    int tag = pri_coll_tag(team);
    struct pri_sched *s = pool_take(pri_coll_state(team), self);

    if (s == NULL) {
        return NULL;
    }
    s->team = team;
    s->self = self;
    s->where = (struct pri_where){.as = team->rank, .tag = tag, .context = team->context};
    s->type = NULL;
    s->op = NULL;
    s->count = s->at = 0;
    s->active_count = s->waited = s->round = s->widest = 0;
    s->error = 0;
    s->failed = false;
    return s;
}

struct pri_sched *pri_sched_get_reduce(struct pri_team *team, struct pri_type *type,
                                       struct pri_op *op)
{
    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL) {
        s->type = type;
        s->op = op;
        pri_op_retain(op);
        pri_sched_hold(s, type);
    }
    return s;
}

void pri_sched_put(struct pri_sched *s)
{
    struct pri_rank *self = s->self;
    struct pri_coll_state *state = self->user[PRI_USER_COLL];

    while (s->temps > 0) {
        pri_buffer_put(self, s->temp[--s->temps]);
    }
    while (s->helds > 0) {
        pri_type_release(s->held[--s->helds]);
    }
    if (s->op != NULL) {
        pri_op_release(s->op);
    }
    pri_coll_lock(state, self);
    s->next = state->idle;
    state->idle = s;
    pri_coll_unlock(state, self);
}

void pri_sched_free_all(struct pri_sched *list)
{
    while (list != NULL) {
        struct pri_sched *next = list->next;

        ni_free(list->steps);
        ni_free(list->active);
        ni_free(list->held);
        ni_free(list);
        list = next;
    }
}

/* Makes room for `count` objects, at least twice as much as there was. False: no memory. */
static bool grow(void **memory, size_t *room, size_t count, size_t size)
{
    if (NI_LIKELY(count <= *room)) {
        return true;
    }

    size_t wanted = *room * 2 > 8 ? *room * 2 : 8;
    void *bigger;

    if (wanted < count) {
        wanted = count;
    }
    bigger = ni_realloc(*memory, wanted * size);
    if (bigger == NULL) {
        return false;
    }
    *memory = bigger;
    *room = wanted;
    return true;
}

bool pri_sched_room_for_active(struct pri_sched *s)
{
    void *active = s->active;
    bool there = grow(&active, &s->active_room, s->widest, sizeof *s->active);

    s->active = active;
    return there;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void pri_sched_hold(struct pri_sched *s, struct pri_type *type)
{
    void *held = s->held;

    if (type->predefined) {
        return;
    }
    if (!grow(&held, &s->held_room, s->helds + 1, sizeof(struct pri_type *))) {
        s->failed = true;
        return;
    }
    s->held = held;
    s->held[s->helds++] = type;
    pri_type_retain(type);
}

/* The next step, or NULL if there is no memory. */
static struct pri_step *step_add(struct pri_sched *s, enum pri_step_kind kind)
{
    void *steps = s->steps;

    if (!grow(&steps, &s->room, s->count + 1, sizeof *s->steps)) {
        s->failed = true;
        return NULL;
    }
    s->steps = steps;

    struct pri_step *step = &s->steps[s->count++];

    step->kind = kind;
    return step;
}

static void message_add(struct pri_sched *s, enum pri_step_kind kind, int rank,
                        struct pri_data data, size_t offset, size_t bytes)
{
    struct pri_step *step = step_add(s, kind);

    if (step == NULL) {
        return;
    }
    if (data.type != NULL && data.type->contiguous) {
        data.buf += data.type->true_lb;
        data.type = NULL;
    }
    if (data.type == NULL) {
        data = pri_bytes(offset == 0 ? data.buf : data.buf + offset, bytes);
        offset = 0;
    }
    step->peer = pri_team_member(s->team, rank);
    step->data = data;
    step->offset = offset;
    step->bytes = bytes;
    s->round++;
    s->widest = s->round > s->widest ? s->round : s->widest;
}

void pri_sched_send_part(struct pri_sched *s, int rank, struct pri_data data, size_t offset,
                         size_t bytes)
{
    if (bytes > 0) {
        message_add(s, PRI_STEP_SEND, rank, data, offset, bytes);
    }
}

void pri_sched_recv_part(struct pri_sched *s, int rank, struct pri_data data, size_t offset,
                         size_t bytes)
{
    if (bytes > 0) {
        message_add(s, PRI_STEP_RECV, rank, data, offset, bytes);
    }
}

void pri_sched_send(struct pri_sched *s, int rank, struct pri_data data)
{
    pri_sched_send_part(s, rank, data, 0, pri_data_size(data));
}

void pri_sched_recv(struct pri_sched *s, int rank, struct pri_data data)
{
    pri_sched_recv_part(s, rank, data, 0, pri_data_size(data));
}

void pri_sched_signal(struct pri_sched *s, int rank)
{
    message_add(s, PRI_STEP_SEND, rank, pri_bytes(NULL, 0), 0, 0);
}

void pri_sched_await(struct pri_sched *s, int rank)
{
    message_add(s, PRI_STEP_RECV, rank, pri_bytes(NULL, 0), 0, 0);
}

void pri_sched_reduce(struct pri_sched *s, const void *in, void *inout, size_t count)
{
    struct pri_step *step = count > 0 ? step_add(s, PRI_STEP_REDUCE) : NULL;

    if (step != NULL) {
        step->data = pri_data(inout, count, s->type);
        step->from = pri_data(in, count, s->type);
    }
}

void pri_sched_copy(struct pri_sched *s, struct pri_data to, struct pri_data from)
{
    struct pri_step *step = pri_data_size(from) > 0 ? step_add(s, PRI_STEP_COPY) : NULL;

    if (step != NULL) {
        step->data = to;
        step->from = from;
    }
}

void pri_sched_fence(struct pri_sched *s)
{
    if (s->round > 0) {
        step_add(s, PRI_STEP_FENCE);
        s->round = 0;
    }
}

char *pri_sched_temp(struct pri_sched *s, size_t bytes)
{
    NI_ASSERT(s->temps < PRI_SCHED_TEMPS);

    char *temp = pri_buffer_get(s->self, bytes);

    if (temp == NULL) {
        s->failed = true;
        return (char *)s; /* an address to reckon with; no step will be carried out */
    }
    s->temp[s->temps++] = temp;
    return temp;
}

char *pri_sched_temp_elements(struct pri_sched *s, size_t count)
{
    ptrdiff_t gap;
    size_t span = pri_type_span(s->type, count, &gap);

    return pri_sched_temp(s, span) - gap;
}
