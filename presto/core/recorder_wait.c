/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded of waiting: see recorder.h. */
#include "core/recorder.h"

#include <string.h>

#include "record/clock.h"
#include "record/count.h"

/*
 * A wait begins with the first step of a loop that waits. It ends when the request ends that it is
 * for, or, where it is for something else, with the last step before the thread does anything else
 * that is recorded: its loop says nothing when it is through.
 */
static _Thread_local struct wait {
    const void *object;
    struct record_call_entry *call;
    uint64_t since; /* when it began */
    uint64_t from;  /* from when on it has not been counted */
    uint64_t last;  /* the end of the last step */
    struct pri_recorded message;
    bool open, named;
    bool is_message; /* it is for this message */
} wait;

/* When each call was last heard of, as a stamp. */
static _Atomic uint64_t heard[RECORD_CALLS];

enum { NAME_SHIFT = 26, SILENT_SHIFT = 28 }; /* as powers of two of ticks: some 20 and 100 ms */

static struct record_call_entry *call_of(void)
{
    return record_call_mine(record_threads);
}

static void hear(const struct wait *w, uint64_t now)
{
    atomic_store_explicit(&heard[w->call - record_own.calls], now, memory_order_relaxed);
}

/* ---- calls ----------------------------------------------------------------------------------- */

void pri_recorder_note_call(uint32_t kind, const struct pri_recorded *message, uint64_t bytes,
                            uint64_t now)
{
    struct record_call_entry *call = call_of();

    record_call_begin(call, kind, message->peer, message->tag, message->context, bytes, 0, now);
    RECORD_WRITE(call->depth, 0);
}

void pri_recorder_look(void)
{
    uint64_t now = record_stamp();

    for (uint32_t i = 0; i < record_own.head->call_count && i < RECORD_CALLS; i++) {
        struct record_call_entry *call = &record_own.calls[i];
        uint64_t last = atomic_load_explicit(&heard[i], memory_order_relaxed);

        if (__atomic_load_n(&call->depth, __ATOMIC_RELAXED) != 0 && now > last &&
            (now - last) >> SILENT_SHIFT != 0) {
            __atomic_store_n(&call->depth, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&call->since, last, __ATOMIC_RELAXED);
        }
    }
}

/* ---- the end of a wait ----------------------------------------------------------------------- */

static void close_wait(struct wait *w, const struct pri_recorded *message, uint64_t end)
{
    uint64_t from = w->from;

    w->open = false;
    record_add(&record_own.head->wait_ticks, end - from);
    if (message == NULL || message->peer == NULL) {
        record_count_wait_by(true, message != NULL ? message->class : RECORD_CLASS_OTHER,
                             end - from, end);
    } else if (message->is_recv) {
        record_count_receive_wait_by(true, message->class, message->peer, message->tag,
                                     message->context, message->bytes, from, end);
    } else {
        record_count_send_wait(message->class, message->peer, message->number, message->tag,
                               message->context, message->bytes, from, end);
    }
    w->from = end;
    __atomic_store_n(&w->call->since, end, __ATOMIC_RELAXED);
    __atomic_store_n(&w->call->depth, 0, __ATOMIC_RELAXED);
}

uint64_t pri_recorder_waiting(uint64_t now)
{
    return wait.open ? now - wait.from : 0;
}

void pri_recorder_wait_over(void)
{
    if (wait.open) {
        close_wait(&wait, wait.is_message ? &wait.message : NULL, wait.last);
    }
}

void pri_recorder_wait_ended(const struct pri_request *request, const struct pri_recorded *message,
                             uint64_t now)
{
    if (wait.open && (wait.object == request || !wait.is_message)) {
        close_wait(&wait, message, now);
    }
}

/* ---- its begin ------------------------------------------------------------------------------- */

/* What a wait is for, by the words that it would be told in; the kind of call that waits so. */
static uint32_t find_message(struct wait *w, pri_tell_fn tell, const void *object)
{
    const struct pri_request *request = object;

    w->is_message = false;
    w->message = (struct pri_recorded){.tag = RECORD_ANY};
    if (tell == pri_wanted_tell) {
        const struct pri_wanted *wanted = object;

        w->is_message = true;
        w->message =
            pri_recorded_of(wanted->from.peer, wanted->from.context, wanted->from.tag, true);
        return RECORD_PROBE;
    }
    if (tell != pri_request_tell || request->followed == 0) {
        return RECORD_WAIT;
    }
    w->is_message = true;
    if (!request->is_recv) {
        w->message = pri_recorded_send(request);
        return w->message.class == RECORD_CLASS_USER ? RECORD_WAIT : RECORD_SEND;
    }
    w->message = pri_recorded_of(request->peer, request->context, request->status.tag, true);
    return w->message.class == RECORD_CLASS_USER && request->kind != PRI_REQUEST_RECV_BLOCKING
               ? RECORD_WAIT
               : RECORD_RECV;
}

static void begin(struct wait *w, pri_tell_fn tell, const void *object, uint64_t now)
{
    uint32_t kind = find_message(w, tell, object);

    w->object = object;
    w->since = w->from = now;
    w->open = true;
    w->named = false;
    w->call = call_of();
    record_add(&record_own.head->waits, 1);
    record_call_begin(w->call, kind, w->message.peer, w->message.tag, w->message.context, 0, 1,
                      now);
}

/* It goes on after something has come that was not what it waits for. */
static void resume(struct wait *w, uint64_t now)
{
    w->open = true;
    w->from = now;
    __atomic_store_n(&w->call->since, w->since, __ATOMIC_RELAXED);
}

void pri_recorder_relax(struct pri_rank *self, unsigned *spins, pri_tell_fn tell,
                        const void *object)
{
    uint64_t now = record_stamp();

    if ((*spins & PRI_SPINS_RECORDED) == 0) {
        pri_recorder_wait_over();
        *spins |= PRI_SPINS_RECORDED;
        begin(&wait, tell, object, now);
    } else if (!wait.open) {
        resume(&wait, now);
    }
    if (NI_UNLIKELY(now >= atomic_load_explicit(&pri_recorder_next_look, memory_order_relaxed))) {
        pri_recorder_hosts_look(self, now);
    }
    hear(&wait, now);
    RECORD_WRITE(wait.call->depth, 1);
    pri_relax_plain(self, spins, tell, object);
    wait.last = record_stamp();
}

/* ---- its name -------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The call that waits is that function of MPI or of the native interface. */
static void name_call(struct record_call_entry *call, const char *function)
{
    const char *name = strncmp(function, "pr_", 3) == 0 ? function + 3 : function;

    name = strncmp(name, "MPI_", 4) == 0 ? name + 4 : name;
    for (uint32_t kind = RECORD_SEND; kind < RECORD_CALL_KINDS; kind++) {
        if (same_name(name, record_call_name(kind))) {
            call->kind = kind;
        }
    }
    for (uint32_t class = RECORD_CLASS_COLLECTIVES; class < RECORD_CLASS_NONBLOCKING; class ++) {
        if (same_name(name, record_class_name(class))) {
            call->tag = record_tag_of_class(class);
        }
    }
}

void pri_recorder_lasts(struct pri_rank *self, pri_tell_fn tell, const void *object)
{
    struct wait *w = &wait;
    uint64_t now = record_stamp();
    char function[64];

    if (self->relax != pri_recorder_relax) {
        return;
    }
    if (!w->open || w->object != object) {
        pri_recorder_wait_over(); /* a loop that has a step of its own */
        begin(w, tell, object, now);
        RECORD_WRITE(w->call->depth, 1);
    }
    hear(w, now);
    w->last = now;
    if (!w->named && (now - w->since) >> NAME_SHIFT != 0) {
        w->named = true;
        pri_hang_function(function, sizeof(function));
        name_call(w->call, function);
    }
}
