/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded of messages: see recorder.h. */
#include "core/recorder.h"

#include <stdlib.h>

#include "core/wire_up.h"
#include "record/clock.h"
#include "record/count.h"

/* ---- operations under way -------------------------------------------------------------------- */

/* pri_request.followed: that it is not recorded, or not yet; the number of its entry and 1; that it
 * has none, or has ended. */
enum { NOT_RECORDED, NO_ENTRY = UINT16_MAX };
_Static_assert((int)RECORD_CLASSES <= (int)PRI_KIND_PERSISTENT, "a kind is a class or that");
_Static_assert((int)RECORD_PENDING < (int)NO_ENTRY, "all entries have a number");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint16_t free_entries[RECORD_PENDING];
/* What is known of an operation beside its entry. */
static struct under_way {
    uint64_t number; /* of a send, among those to the peer */
    uint64_t waited; /* ticks, by the process before it began */
    bool blocking;
} under_way[RECORD_PENDING];
static unsigned free_count;

static uint16_t take_entry(void)
{
    struct record_head *head = record_own.head;
    uint16_t entry = NO_ENTRY;

    (void)pthread_mutex_lock(&lock);
    if (free_count > 0) {
        entry = free_entries[--free_count];
    } else if (head->pending_count < RECORD_PENDING) {
        entry = (uint16_t)++head->pending_count;
    } else {
        head->pending_lost++;
    }
    (void)pthread_mutex_unlock(&lock);
    return entry;
}

static void give_entry(uint16_t entry)
{
    if (entry == NO_ENTRY) {
        return;
    }
    __atomic_store_n(&record_own.pending[entry - 1].kind, RECORD_FREE, __ATOMIC_RELAXED);
    (void)pthread_mutex_lock(&lock);
    free_entries[free_count++] = entry;
    (void)pthread_mutex_unlock(&lock);
}

/* An entry for an operation. */
static uint16_t follow(const struct pri_recorded *message, uint64_t bytes, bool blocking,
                       uint64_t now)
{
    uint16_t entry = take_entry();

    if (entry != NO_ENTRY) {
        struct record_pending *pending = &record_own.pending[entry - 1];

        record_name(&pending->peer_job, message->peer);
        pending->tag = message->tag;
        pending->context = message->context;
        pending->bytes = bytes;
        pending->since = now;
        under_way[entry - 1] =
            (struct under_way){message->number, record_own.head->wait_ticks, blocking};
        __atomic_store_n(&pending->kind,
                         message->is_recv ? RECORD_PENDING_RECV : RECORD_PENDING_SEND,
                         __ATOMIC_RELEASE);
    }
    return entry;
}

/* An operation has ended: how long it has taken, and for how much of that this process has waited
 * for whatever it was. */
static void count_span(uint16_t entry, uint64_t now)
{
    const struct under_way *ended = &under_way[entry - 1];
    struct record_head *head = record_own.head;
    uint64_t span = now - record_own.pending[entry - 1].since;
    uint64_t waited = head->wait_ticks - ended->waited + pri_recorder_waiting(now);

    if (!ended->blocking) {
        record_add(&head->span_ticks, span);
        record_add(&head->span_wait_ticks, waited < span ? waited : span);
    }
}

/* It is followed no more. Whether it was. */
static bool unfollow(struct pri_request *request, uint64_t now)
{
    /* relaxed: the thread that is second does nothing with the request */
    uint16_t entry = __atomic_exchange_n(&request->followed, NO_ENTRY, __ATOMIC_RELAXED);

    if (entry != NOT_RECORDED && entry != NO_ENTRY) {
        count_span(entry, now);
        give_entry(entry);
    }
    return entry != NOT_RECORDED;
}

/* ---- peers ----------------------------------------------------------------------------------- */

/* Who has a number: those of this job follow each other, of others it is a list by number. */
static int own_first, own_size;
static uint64_t key;
static struct origin {
    _Atomic uint32_t job, rank;
} * _Atomic origins;

void pri_recorder_peers(const struct pri_rank *self, uint64_t job_key)
{
    own_first = self->first;
    own_size = self->size;
    key = job_key;
}

/* Before the first message to or from it. Without memory it is taken for one of this job. */
void pri_recorder_meet(const struct pri_rank *self, int number, int job, int rank)
{
    struct origin *list = atomic_load_explicit(&origins, memory_order_relaxed);

    if (!self->recorded) {
        return;
    }
    if (list == NULL) {
        list = calloc(PRI_MAX_RANKS, sizeof(*list));
    }
    if (list != NULL) {
        atomic_store_explicit(&list[number].job, pri_job_number(key, job), memory_order_relaxed);
        atomic_store_explicit(&list[number].rank, (uint32_t)rank, memory_order_relaxed);
        /* release, with the acquire in origin_of */
        atomic_store_explicit(&origins, list, memory_order_release);
    }
}

static void origin_of(int number, uint32_t *job, uint32_t *rank)
{
    struct origin *list;

    *job = record_own.head->job;
    *rank = (uint32_t)(number - own_first);
    if (NI_UNLIKELY(*rank >= (uint32_t)own_size)) {
        /* acquire, with the release in pri_recorder_meet */
        list = atomic_load_explicit(&origins, memory_order_acquire);
        if (list != NULL) {
            *job = atomic_load_explicit(&list[number].job, memory_order_relaxed);
            *rank = atomic_load_explicit(&list[number].rank, memory_order_relaxed);
        }
    }
}

/* Entries that have been found, each at its number modulo the length. One that is there stays:
 * another thread may be reading it. */
enum { FOUND = 1024 };
static struct record_peer *_Atomic found[FOUND];

static struct record_peer *entry_of(int number)
{
    struct record_peer *_Atomic *place = &found[(unsigned)number % FOUND];
    /* acquire, with the release below */
    struct record_peer *peer = atomic_load_explicit(place, memory_order_acquire), *none = NULL;
    uint32_t job, rank;

    origin_of(number, &job, &rank);
    if (NI_LIKELY(peer != NULL && peer->rank == rank && peer->job == job)) {
        return peer;
    }
    peer = record_peer(job, rank);
    if (peer != &record_spare_peer) {
        /* release, with the acquire above */
        (void)atomic_compare_exchange_strong_explicit(place, &none, peer, memory_order_release,
                                                      memory_order_relaxed);
    }
    return peer;
}

static uint32_t class_of(uint32_t context, int tag)
{
    uint32_t kind = (uint32_t)tag & ((1U << PRI_KIND_BITS) - 1);

    if ((context & PRI_COLL) != 0) {
        kind = kind == PRI_KIND_PERSISTENT ? RECORD_CLASS_NONBLOCKING : kind;
        return kind < RECORD_CLASSES ? kind : RECORD_CLASS_OTHER;
    }
    return tag >= 0 || tag == PRI_ANY_TAG ? RECORD_CLASS_USER : RECORD_CLASS_OTHER;
}

struct pri_recorded pri_recorded_of(int peer, uint32_t context, int tag, bool is_recv)
{
    uint32_t class = class_of(context, tag);

    return (struct pri_recorded){
        .peer = peer < 0 ? NULL : entry_of(peer),
        .class = class,
        .context = context / 2,
        .tag = class != RECORD_CLASS_USER ? record_tag_of_class(class)
               : tag == PRI_ANY_TAG       ? RECORD_ANY
                                          : tag,
        .is_recv = is_recv,
    };
}

/* ---- sends ----------------------------------------------------------------------------------- */

/* The record's numbers of modes are Open MPI's. */
static unsigned mode_of(enum pri_mode mode)
{
    static const unsigned values[] = {
        [PRI_SYNCHRONOUS] = 0, [PRI_BUFFERED] = 2, [PRI_READY] = 3, [PRI_STANDARD] = 4};

    return values[mode];
}

void pri_recorder_send(struct pri_rank *self, size_t bytes, struct pri_where to, enum pri_mode mode,
                       bool blocking, struct pri_request *request)
{
    struct record_head *head = record_own.head;
    struct pri_recorded message;
    uint64_t now = record_stamp();

    request->followed = NOT_RECORDED;
    if (NI_UNLIKELY(to.context == pri_context_core(self))) {
        return;
    }
    pri_recorder_wait_over();
    message = pri_recorded_of(to.peer, to.context, to.tag, false);
    record_add(&head->sends[mode_of(mode)], 1);
    record_add(blocking ? &head->sends_blocking : &head->sends_nonblocking, 1);
    message.number = record_count_send_by(self->threads, head, message.class, message.peer,
                                          message.tag, message.context, bytes, now);
    if (blocking) {
        pri_recorder_note_call(RECORD_SEND, &message, bytes, now);
    }
    request->followed = follow(&message, bytes, blocking, now);
}

struct pri_recorded pri_recorded_send(const struct pri_request *request)
{
    struct pri_recorded message = pri_recorded_of(request->peer, (uint32_t)(request->bits >> 32),
                                                  (int)(uint32_t)request->bits, false);

    if (request->followed != NOT_RECORDED && request->followed != NO_ENTRY) {
        message.number = under_way[request->followed - 1].number;
    }
    message.bytes = request->status.bytes;
    return message;
}

/* A send has ended. */
static void end_send(struct pri_request *request, bool failed)
{
    struct pri_recorded message = pri_recorded_send(request);
    struct record_head *head = record_own.head;
    uint64_t now = record_stamp();

    record_add(failed ? &head->failed : &head->completed, 1);
    RECORD_WRITE(head->last_event, now);
    (void)unfollow(request, now);
    pri_recorder_wait_ended(request, &message, now);
}

void pri_recorder_sent(struct pri_request *request)
{
    if (request->followed != NOT_RECORDED) {
        end_send(request, false);
    }
}

void pri_recorder_on_sent(void *arg, const struct ni_event *event)
{
    struct pri_request *request = event->user_ptr;

    if (request->rank->recorded && request->followed != NOT_RECORDED) {
        end_send(request, event->ni_fail_type != NI_NI_OK);
    }
    pri_on_sent(arg, event);
}

/* ---- receives -------------------------------------------------------------------------------- */

/* Once of each receive: by who has posted it or, if its message is there sooner, by its event. */
static void count_post(const struct pri_request *request, const struct pri_recorded *message,
                       uint64_t now)
{
    struct record_head *head = record_own.head;
    bool blocking = request->kind == PRI_REQUEST_RECV_BLOCKING;

    pri_recorder_wait_over();
    record_add(blocking ? &head->receives_blocking : &head->receives_nonblocking, 1);
    if (message->peer != NULL) {
        record_announce_receive(record_threads, message->peer, message->tag, message->context, now);
    }
    if (blocking) {
        pri_recorder_note_call(RECORD_RECV, message, request->status.bytes, now);
    }
}

void pri_recorder_post(struct pri_request *request, bool claimed)
{
    struct pri_recorded message;
    uint64_t now = record_stamp();
    uint16_t entry, none = NOT_RECORDED;

    if (NI_UNLIKELY(request->context == pri_context_core(request->rank))) {
        return;
    }
    message = pri_recorded_of(request->peer, request->context, request->status.tag, true);
    entry =
        follow(&message, request->status.bytes, request->kind == PRI_REQUEST_RECV_BLOCKING, now);
    /* relaxed: the entry is this thread's, or its event's */
    if (__atomic_compare_exchange_n(&request->followed, &none, entry, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        count_post(request, &message, now);
        record_add(&record_own.head->receives_matched, claimed ? 1 : 0);
    } else {
        give_entry(entry); /* its message was found meanwhile, by another thread */
    }
}

static void end_receive(struct pri_rank *self, struct pri_request *request,
                        const struct ni_event *event)
{
    struct pri_recorded message =
        pri_recorded_of(pri_peer_of(self, event), (uint32_t)(event->match_bits >> 32),
                        (int)(uint32_t)event->match_bits, true);
    struct record_head *head = record_own.head;
    uint64_t now = record_stamp();
    bool named = request->peer >= 0;

    if (!unfollow(request, now)) {
        struct pri_recorded posted = message;

        posted.peer = named ? message.peer : NULL;
        count_post(request, &posted, now);
        record_add(
            &head->receives_at_once,
            request->kind == PRI_REQUEST_RECV || request->kind == PRI_REQUEST_RECV_STAYS ? 1 : 0);
    }
    if (event->ni_fail_type != NI_NI_OK) {
        record_add(&head->failed, 1);
    } else {
        record_count_receive_by(self->threads, head, message.class, message.peer, message.tag,
                                message.context, event->mlength, !named, now);
        record_add(&head->receives_truncated, event->rlength > event->mlength ? 1 : 0);
    }
    message.bytes = event->mlength;
    pri_recorder_wait_ended(request, &message, now);
}

void pri_recorder_on_received(void *arg, const struct ni_event *event)
{
    struct pri_rank *self = arg;
    struct pri_request *request = event->user_ptr;

    if (self->recorded && request->context != pri_context_core(self)) {
        end_receive(self, request, event);
    }
    pri_on_received(arg, event);
}

void pri_recorder_cancelled(void)
{
    record_add(&record_own.head->cancelled, 1);
}

void pri_recorder_drop(struct pri_request *request, bool cancelled)
{
    struct record_head *head = record_own.head;

    if (unfollow(request, record_stamp())) {
        record_add(cancelled ? &head->cancelled : &head->failed, 1);
    }
}
