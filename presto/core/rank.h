/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_RANK_H
#define PRESTO_CORE_RANK_H

#include <pthread.h>

#include "core/hang.h"
#include "core/message.h"

/* What the core's own files share. */

struct pri_launcher;

enum {
    PRI_MAX_RANKS = 1 << 14,
    PRI_MAX_CONTEXTS = 1 << 17, /* led by one rank */
    PRI_BUFFER_CLASSES = 4,
};

/* A context of the core's own, for the barrier of pri_stop. */
#define PRI_CONTEXT_CORE ((uint32_t)(PRI_MAX_CONTEXTS - 1) << 1)

/* Who caused an event. */
static inline int pri_peer_of(const struct pri_rank *self, const struct ni_event *event)
{
    const struct pri_peer *peer = event->peer == NULL ? NULL : ni_peer_user(event->peer);

    return peer == NULL ? self->rank : (int)(peer - self->peers);
}

/* Called by pri_stop. */
struct pri_stopper {
    struct pri_stopper *next;
    void (*fn)(struct pri_rank *self, void *arg);
    void *arg;
};

struct pri_cold {
    struct ni_eq *sent;     /* pri_on_sent */
    struct ni_eq *received; /* pri_on_received */
    const struct pri_launcher *launcher;
    void *launch; /* the launcher's own */
    bool *near;   /* [size], by rank: on this host; NULL: all are. From a launcher's exchange on */
    struct pri_stopper *stoppers;
    bool closing;            /* ranks that go away now are no news */
    _Atomic int first_lost;  /* 1 + the first rank that is known to have died; 0: none */
    _Atomic size_t buffered; /* bytes of PRI_BUFFERED sends that have not left */
    _Atomic size_t detached; /* requests that nobody waits for */
    struct pri_hang hang;
    void (*name_context)(const struct pri_rank *self, uint32_t context, char *text, size_t size);
    struct ni_eq *cancels;   /* pri_on_cancel */
    pthread_mutex_t advance; /* who holds it advances tasks */
    pthread_mutex_t lock;    /* over all below; taken only if the rank has threads */
    struct ni_list
        unwaited; /* the same, of which one has ended when it is counted no more; under lock */
    struct pri_request *asked;   /* sends whose receivers have been asked; under lock */
    struct ni_list incoming;     /* tasks that were added; under lock */
    struct ni_list active;       /* the others; under advance */
    uint64_t *contexts;          /* one bit for each in use */
    struct pri_members *members; /* of contexts that not all ranks have */
    uint32_t context_cursor; /* search from here: what was given is taken again as late as can be */
    struct pri_buffer *buffers[PRI_BUFFER_CLASSES];
};

static inline void pri_lock(struct pri_rank *self)
{
    if (NI_UNLIKELY(self->threads)) {
        pthread_mutex_lock(&self->cold->lock);
    }
}

static inline void pri_unlock(struct pri_rank *self)
{
    if (NI_UNLIKELY(self->threads)) {
        pthread_mutex_unlock(&self->cold->lock);
    }
}

/* ---- peer.c ---------------------------------------------------------------------------------- */

/* The address of a rank's interface. */
struct pri_blob {
    uint32_t length;
    uint8_t bytes[NI_BLOB_MAX];
};

/* Connect with all ranks; says why if it cannot. */
int pri_peers_connect(struct pri_rank *self, const struct pri_blob *blobs);
void pri_peers_free(struct pri_rank *self);
/* ni_peer_down_fn. */
void pri_peer_down(void *arg, struct ni_peer *ni_peer, ni_status status);

/* ---- request.c ------------------------------------------------------------------------------- */

/* The text for a status of the NI; that of PRI_ERR_NOMEM if it is that. */
const char *pri_status_text(ni_status status);
/* The same for an operation that failed on its way. */
int pri_error_of_fail(enum ni_ni_fail fail);
/* However the operation has ended. */
static const struct pri_status pri_status_cancelled = {
    .source = PRI_PROC_NULL, .tag = PRI_ANY_TAG, .cancelled = 1};
/* One part (PRI_REQ_PENDING, PRI_REQ_ASKED) of what was to come has come, and, if so, it says that
 * the send is cancelled. With the last part the request is complete. */
void pri_request_part(struct pri_request *request, int part, bool cancelled);
/* Wait for those that nobody waits for. */
void pri_detached_wait(struct pri_rank *self);

/* The only part, of a request that somebody waits for: false, and nothing has happened, if it is
 * not. */
static inline bool pri_complete_usual(struct pri_request *request)
{
    int pending = PRI_REQ_PENDING;

    if (NI_UNLIKELY(request->rank->threads)) {
        /* release, with the acquire in pri_done */
        return atomic_compare_exchange_strong_explicit(&request->state, &pending, PRI_REQ_DONE,
                                                       memory_order_release, memory_order_relaxed);
    }
    if (NI_UNLIKELY(atomic_load_explicit(&request->state, memory_order_relaxed) != pending)) {
        return false;
    }
    /* release, with nobody's, in one thread */
    atomic_store_explicit(&request->state, PRI_REQ_DONE, memory_order_release);
    return true;
}

/* All of the request is set but its state: tell the thread that waits. The owner may be gone as
 * soon as the state says that it is complete. */
static inline void pri_complete(struct pri_request *request)
{
    if (NI_UNLIKELY(request->packed != NULL)) {
        pri_buffer_put(request->rank, request->packed);
        request->packed = NULL;
    }
    if (NI_UNLIKELY(!pri_complete_usual(request))) {
        pri_request_part(request, PRI_REQ_PENDING, false);
    }
}

/* ---- tell.c ---------------------------------------------------------------------------------- */

/* What comes from somewhere, as a pri_tell_fn says it; what may name bytes. */
void pri_message_tell(const struct pri_rank *self, const char *what, struct pri_where from,
                      char *text, size_t size);

/* What a probe looks for, and who. */
struct pri_wanted {
    const struct pri_rank *self;
    struct pri_where from;
};
/* pri_tell_fn of it. */
void pri_wanted_tell(const void *wanted, char *text, size_t size);

/* ---- task.c, the waiting loops' step ----------------------------------------------------------
 */

void pri_relax_plain(struct pri_rank *self, unsigned *spins, pri_tell_fn tell, const void *object);

/* ---- members.c ------------------------------------------------------------------------------- */

void pri_members_forget(struct pri_rank *self, uint32_t context);
void pri_members_free(struct pri_rank *self);

static inline void pri_status_of(struct pri_status *status, const struct ni_event *event,
                                 uint64_t bytes, int error)
{
    status->source = pri_header_name(event->hdr_data);
    status->tag = (int)(uint32_t)event->match_bits;
    status->error = error;
    status->cancelled = 0;
    status->bytes = bytes;
}

/* ---- cancel.c -------------------------------------------------------------------------------- */

/* Of those who ask this rank to cancel, and who answer. */
void pri_on_cancel(void *arg, const struct ni_event *event);
/* Whether a rank's sends to another that is gone are cancelled will never be answered. */
void pri_cancels_fail(struct pri_rank *self, int peer);

/* ---- task.c ---------------------------------------------------------------------------------- */

/* The rank stops: what its tasks have not done by now stays undone. */
void pri_tasks_abandon(struct pri_rank *self);

/* ---- events ---------------------------------------------------------------------------------- */

/* Of a put of ours; of what arrived. */
void pri_on_sent(void *arg, const struct ni_event *event);
void pri_on_received(void *arg, const struct ni_event *event);

/* ---- others ---------------------------------------------------------------------------------- */

/* With PRESTO_STATS=1: on stderr. */
void pri_stats_print(const struct pri_rank *self);
void pri_map_print(const struct pri_rank *self);
void pri_buffers_free(struct pri_rank *self);
/* Wait until all ranks have called it, or have died. */
void pri_meet(struct pri_rank *self);

#endif
