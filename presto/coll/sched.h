/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_SCHED_H
#define PRI_COLL_SCHED_H

/*
 * Schedules: what one rank does in one collective operation.
 *
 * A schedule is a list of steps. Sends and receives are started and go on by themselves until the
 * next fence, which waits for all of them: what lies between two fences is a round. Reductions and
 * copies are done where they stand. So
 *
 *     recv A; send B; copy C; fence; reduce A into B; send B; fence
 *
 * starts both messages, copies while they are on their way, and reduces when they are complete.
 *
 * Life: pri_sched_get takes one from the rank's pool; the functions below write steps (a shortage
 * of memory is only noted); pri_sched_run carries it out, and gives it back to the pool with all
 * that it has grown, so that the next one of its size allocates nothing.
 *
 * Two ranks' messages to each other carry the same tag throughout a schedule and match in the order
 * in which they are started. Builders have to start the receives in the order of the other side's
 * sends.
 */

#include "coll/coll.h"

enum pri_step_kind {
    PRI_STEP_SEND,
    PRI_STEP_RECV,
    PRI_STEP_REDUCE,
    PRI_STEP_COPY,
    PRI_STEP_FENCE,
};

/* Data of a step: elements of a type or, with type NULL, count bytes. */
struct pri_data {
    char *buf;
    size_t count;
    const struct pri_type *type;
};

struct pri_step {
    enum pri_step_kind kind;
    int peer;             /* send, receive: in the job */
    struct pri_data data; /* sent; received, copied or reduced to */
    struct pri_data from; /* copied or reduced from */
    size_t offset, bytes; /* send, receive: part of the data's bytes; 0 if data is bytes itself */
};

/* A message of the present round. */
struct pri_active {
    struct pri_request request;
    struct pri_vec vec;
    const struct pri_step *step; /* for vec */
};

enum { PRI_SCHED_TEMPS = 6 };

struct pri_sched {
    struct pri_task task;
    const struct pri_team *team; /* while it is written */
    struct pri_rank *self;
    struct pri_where where;      /* of its messages, but for the peer */
    struct pri_request *request; /* of the caller's; NULL: it blocks */
    struct pri_type *type;       /* of the elements that are reduced; in `held` too */
    struct pri_op *op;           /* held */
    struct pri_type **held;      /* types that the steps refer to */
    size_t helds, held_room;
    struct pri_step *steps;
    size_t count, room; /* steps, and how many there is memory for */
    size_t at;          /* the next one to be carried out */
    struct pri_active *active;
    size_t active_count, active_room, waited; /* messages of this round; how many were waited for */
    size_t round, widest; /* messages: in the last round written, in the widest */
    void *temp[PRI_SCHED_TEMPS];
    unsigned temps;
    int error;              /* the first one */
    bool failed;            /* memory was short while it was written */
    struct pri_sched *next; /* idle */
};

/* A new schedule with the team's next tag. NULL: no memory, which the tag does not mind. */
struct pri_sched *pri_sched_get(struct pri_team *team);

/* A schedule of a reduction. */
struct pri_sched *pri_sched_get_reduce(struct pri_team *team, struct pri_type *type,
                                       struct pri_op *op);

/* Keep a type until the operation is complete. */
void pri_sched_hold(struct pri_sched *s, struct pri_type *type);

/* Send and receive `bytes` bytes of the data from byte `offset` on. Nothing if bytes is 0. rank is
 * one of the team. */
void pri_sched_send_part(struct pri_sched *s, int rank, struct pri_data data, size_t offset,
                         size_t bytes);
void pri_sched_recv_part(struct pri_sched *s, int rank, struct pri_data data, size_t offset,
                         size_t bytes);
/* All of it. */
void pri_sched_send(struct pri_sched *s, int rank, struct pri_data data);
void pri_sched_recv(struct pri_sched *s, int rank, struct pri_data data);
/* A message without data: only these are sent although there is nothing in them. */
void pri_sched_signal(struct pri_sched *s, int rank);
void pri_sched_await(struct pri_sched *s, int rank);

/* inout[i] = in[i] op inout[i] for count elements of the schedule's type. */
void pri_sched_reduce(struct pri_sched *s, const void *in, void *inout, size_t count);
void pri_sched_copy(struct pri_sched *s, struct pri_data to, struct pri_data from);
void pri_sched_fence(struct pri_sched *s);

/* Memory that goes with the schedule: bytes, and room for elements of its type, placed as a buffer
 * of theirs. */
char *pri_sched_temp(struct pri_sched *s, size_t bytes);
char *pri_sched_temp_elements(struct pri_sched *s, size_t count);

/* Carry it out, or start to. s may be NULL (PRI_ERR_NOMEM). */
int pri_sched_run(struct pri_sched *s, struct pri_request *request);

/* An operation that is complete without a message. */
int pri_sched_nothing(struct pri_team *team, struct pri_request *request);

void pri_sched_free_all(struct pri_sched *list);

/* ---- data ------------------------------------------------------------------------------------ */

static inline struct pri_data pri_data(const void *buf, size_t count, const struct pri_type *type)
{
    return (struct pri_data){(char *)buf, count, type};
}

static inline struct pri_data pri_bytes(const void *buf, size_t bytes)
{
    return (struct pri_data){(char *)buf, bytes, NULL};
}

static inline struct pri_data pri_some_data(struct pri_some some)
{
    return pri_data(some.buf, some.count, some.type);
}

static inline size_t pri_data_size(struct pri_data data)
{
    return data.type == NULL ? data.count : data.count * data.type->size;
}

/* Elements from `first` on. */
static inline char *pri_at(const void *buf, size_t first, const struct pri_type *type)
{
    return (char *)buf + (ptrdiff_t)first * type->extent;
}

/* Part i of equal ones, and of unequal ones. Of a part without elements nothing but its count is
 * looked at. */
static inline struct pri_data pri_some_part(struct pri_some some, int i)
{
    return pri_data(pri_at(some.buf, (size_t)i * some.count, some.type), some.count, some.type);
}

static inline size_t pri_parts_count(const struct pri_parts *parts, int i)
{
    return parts->counts != NULL ? (size_t)parts->counts[i] : (size_t)parts->large_counts[i];
}

static inline struct pri_type *pri_parts_type(const struct pri_parts *parts, int i)
{
    return parts->types != NULL ? parts->types[i] : parts->type;
}

static inline struct pri_data pri_parts_part(const struct pri_parts *parts, int i)
{
    const size_t count = pri_parts_count(parts, i);

    if (count == 0) {
        return pri_bytes(NULL, 0);
    }

    struct pri_type *type = pri_parts_type(parts, i);
    ptrdiff_t place = parts->places != NULL ? parts->places[i] : parts->displs[i];

    if (parts->types == NULL) {
        place *= type->extent;
    }
    return pri_data((char *)parts->buf + place, count, type);
}

#endif
