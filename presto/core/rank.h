/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_RANK_H
#define PRESTO_CORE_RANK_H

#include <limits.h>
#include <pthread.h>

#include "core/hang.h"
#include "core/message.h"

/* What the core's own files share. */

struct pri_launcher;

enum {
    PRI_MAX_RANKS = 1 << (32 - PRI_CONTEXT_RANK_SHIFT),
    PRI_MAX_CONTEXTS = 1 << 17, /* led by one rank */
    PRI_BUFFER_CLASSES = 4,
    PRI_MEMBERS_BUCKETS = 64,
};

/* A context of the core's own, of all ranks of the job, for the barrier of pri_stop. */
static inline uint32_t pri_context_core(const struct pri_rank *self)
{
    return pri_context_world(self) | (uint32_t)(PRI_MAX_CONTEXTS - 1) << 1;
}

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
    struct pri_peer
        *absent; /* [slots]: those that have a peer are down, and without an interface */
    struct pri_stopper *stoppers;
    bool closing;            /* ranks that go away now are no news */
    _Atomic int first_lost;  /* 1 + the first rank that is known to have died; 0: none */
    _Atomic size_t buffered; /* bytes of PRI_BUFFERED sends that have not left */
    _Atomic size_t detached; /* requests that nobody waits for */
    struct pri_hang hang;
    void (*name_context)(const struct pri_rank *self, uint32_t context, char *text, size_t size);
    struct ni_eq *control;   /* pri_on_control */
    pthread_mutex_t advance; /* who holds it advances tasks */
    pthread_mutex_t lock;    /* over all below; taken only if the rank has threads */
    struct ni_list
        unwaited; /* the same, of which one has ended when it is counted no more; under lock */
    struct pri_request *asked; /* sends whose receivers have been asked; under lock */
    struct ni_list incoming;   /* tasks that were added; under lock */
    struct ni_list active;     /* the others; under advance */
    uint64_t *contexts;        /* one bit for each in use */
    struct pri_members *members[PRI_MEMBERS_BUCKETS];
    uint32_t context_cursor; /* search from here: what was given is taken again as late as can be */
    struct pri_buffer *buffers[PRI_BUFFER_CLASSES];
    struct pri_meeting *meetings; /* of meet.c: contexts with other jobs, in their order */
    pthread_mutex_t knowing;      /* who holds it makes peers known: later.c */
    int meeting;                  /* calls that make ranks known now; under knowing */
    struct pri_rank *self;        /* whose all this is */
    struct pri_task forget;       /* of later.c */
    _Atomic int forgets;          /* likewise: 0, or it is among the tasks */
    int slots;                    /* numbers that ranks may have */
    unsigned *held; /* [slots]: groups with this rank of another job; NULL: none; under lock */
    bool unheld;    /* there was no memory to count: none is forgotten; likewise */
    unsigned cores, neighbours; /* of this host: processors, and ranks that share them */
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

/* Memory for peers, of whom none is known. */
int pri_peers_open(struct pri_rank *self);
/* One more is known; it has to be none yet. later: its job began after this one's. PRI_ERR_PEER: it
 * cannot be reached. cold->knowing is held. */
int pri_peer_add(struct pri_rank *self, int rank, const struct pri_blob *blob, bool later);
/* It is not any more, if it has left or died and is not held (pri_peers_hold); else false. No
 * operation names it. cold->knowing is held. */
bool pri_peer_forget(struct pri_rank *self, int rank);
bool pri_peer_is_known(const struct pri_rank *self, int rank);
/* Connect with all ranks of the job; says why if it cannot. */
int pri_peers_connect(struct pri_rank *self, const struct pri_blob *blobs);
void pri_peers_free(struct pri_rank *self);
/* Which of both pri_rank.direct is from now on. */
void pri_direct_choose(struct pri_rank *self);
/* One has left or died, or is held by one group less: forget soon who may be. */
void pri_peers_forget_soon(struct pri_rank *self);
/* None is forgotten any more: this one leaves. */
void pri_peers_keep(struct pri_rank *self);
/* ni_peer_down_fn. */
void pri_peer_down(void *arg, struct ni_peer *ni_peer, ni_status status);
/* Others know that the rank has died. */
void pri_peer_died(struct pri_rank *self, int rank);
/* End the receives that stayed when a rank died and that nobody waits for any more. */
void pri_unwaited_fail(struct pri_rank *self);

/* ---- interface.c ----------------------------------------------------------------------------- */

/* Open the rank's NI, which its launcher describes, and its portal; connect with the ranks of the
 * job. 0 or an error of the core. */
int pri_interface_open(struct pri_rank *self);
int pri_interface_connect(struct pri_rank *self);
/* Also of what was not opened wholly. shared: other threads keep the rank's address. */
void pri_interface_close(struct pri_rank *self, bool shared);
/* Whether there are more ranks on this host than processors. */
void pri_crowd(struct pri_rank *self, bool crowded);

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

struct pri_agreed;

/* What is known of a context. */
struct pri_members {
    struct pri_members *next;
    uint32_t context;
    bool open;        /* its ranks are known, and this one may begin operations in it */
    bool revoked;     /* maybe before it was open */
    bool spreads;     /* `spread` is among the tasks */
    int acknowledged; /* deaths */
    struct pri_rank *self;
    struct pri_task spread;    /* of revoke.c */
    uint64_t *told;            /* of one that is revoked: a bit for each rank that has said so */
    ni_me_handle drop;         /* likewise: takes its messages; 0: nothing does */
    struct pri_agreed *agreed; /* of agree.c; NULL: nothing yet */
    int size;
    int *ranks; /* NULL: 0 to size - 1 */
};

/* One that is there; one that is made if it is not (NULL: no memory). The lock is held. Entries
 * stay until their context is given back. */
struct pri_members *pri_members_of(struct pri_rank *self, uint32_t context);
struct pri_members *pri_members_need(struct pri_rank *self, uint32_t context);
void pri_members_forget(struct pri_rank *self, uint32_t context);
/* This number is another rank's from now on: nobody has a context that the one before led, and the
 * new one may take it anew. */
void pri_members_outlive(struct pri_rank *self, int leader);
void pri_members_free(struct pri_rank *self);

static inline int pri_member(const struct pri_members *members, int place)
{
    return members->ranks == NULL ? place : members->ranks[place];
}

/* ---- revoke.c -------------------------------------------------------------------------------- */

/* The context is open now; it will not be. The lock is held. */
void pri_revoke_opened(struct pri_members *members);
void pri_revoke_closed(struct pri_members *members);
/* Another rank says so. */
void pri_on_revoke(struct pri_rank *self, int from, uint32_t context);
/* A context that has been revoked is closed, or a rank gone: what takes its messages may be of no
 * use any more. */
void pri_revoke_settle(struct pri_rank *self);
/* A rank is forgotten: all that it will say of revoked contexts has been said. */
void pri_revoke_gone(struct pri_rank *self, int rank);

/* Tags of agree.c: so many, from INT_MIN on. */
#define PRI_AGREE_TAGS (1 << 25)

static inline bool pri_is_of_agreement(int tag)
{
    return tag < INT_MIN + PRI_AGREE_TAGS;
}

/* Whether it is an operation in a context that has been revoked, but not an agreement's. */
static inline bool pri_is_revoked(struct pri_rank *self, uint32_t context, int tag)
{
    return NI_UNLIKELY(atomic_load_explicit(&self->revoked, memory_order_relaxed) != 0) &&
           !pri_is_of_agreement(tag) && pri_context_revoked(self, context);
}

/* ---- agree.c, agree_kept.c ------------------------------------------------------------------ */

/* Another rank of the context leads this agreement now, or follows this one in it, and asks what
 * has become of it. */
void pri_on_lead(struct pri_rank *self, int from, uint32_t context, uint32_t number);
void pri_on_follow(struct pri_rank *self, int from, uint32_t context, uint32_t number);
void pri_agreed_free(struct pri_agreed *agreed);
/* The ranks of a context have agreed that this one has died, as another says. */
_Noreturn void pri_on_taken_for_dead(struct pri_rank *self, int by);

static inline void pri_status_of(struct pri_status *status, const struct ni_event *event,
                                 uint64_t bytes, int error)
{
    status->source = pri_header_name(event->hdr_data);
    status->tag = (int)(uint32_t)event->match_bits;
    status->error = error;
    status->cancelled = 0;
    status->bytes = bytes;
}

/* ---- control.c ------------------------------------------------------------------------------- */

/* What ranks tell each other beside messages: in the place of a name, in the header data of puts
 * without data. */
enum pri_control {
    PRI_CONTROL_CANCEL, /* a send: match bits and request are the message's */
    PRI_CONTROL_KEPT,   /* the answers, for the request */
    PRI_CONTROL_CANCELLED,
    PRI_CONTROL_REVOKE, /* match bits: the context */
    PRI_CONTROL_LEAD,   /* match bits: the context, and the agreement's number */
    PRI_CONTROL_FOLLOW,
    PRI_CONTROL_DEAD, /* the sender takes the receiver for dead, and so do others */
    /* From here on of recorder_hosts.c. Match bits: those of the message; the answer's, a time. */
    PRI_CONTROL_ASK_SENT,
    PRI_CONTROL_ASK_BEGUN,
    PRI_CONTROL_ANSWER,
    PRI_CONTROL_ASK_CLOCK,
    PRI_CONTROL_CLOCK,
    PRI_CONTROL_CLOCK_SETTLED, /* the sender's host does not ask any more for now */
};

int pri_control_open(struct pri_rank *self);
int pri_control_put(struct pri_rank *self, struct ni_peer *to, uint64_t bits, uint64_t request,
                    enum pri_control what);

/* ---- cancel.c -------------------------------------------------------------------------------- */

/* Somebody asks this rank to cancel; somebody answers. */
void pri_on_cancel(struct pri_rank *self, const struct ni_event *event);
void pri_on_cancel_answer(struct pri_rank *self, const struct ni_event *event, bool cancelled);
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
/* Closes the rank's interface; shared: other threads may call pri_stat meanwhile, and wait. */
void pri_stats_close(struct pri_rank *self, bool shared);
void pri_map_print(const struct pri_rank *self);
void pri_buffers_free(struct pri_rank *self);
/* Wait until all ranks, and those of other jobs that this one is connected with, have called it, or
 * have died. */
void pri_meet(struct pri_rank *self);
void pri_meetings_free(struct pri_rank *self);

#endif
