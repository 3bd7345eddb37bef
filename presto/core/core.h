/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_CORE_H
#define PRESTO_CORE_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/apeni.h>

#include "base/compiler.h"
#include "base/list.h"
#include "core/hang.h"

/*
 * What the folders above build on: ranks, point-to-point messages, progress. It knows no
 * communicators and no datatypes: a rank is named by its number in the job, a communicator by its
 * context, data is bytes (or a struct pri_vec that packs and unpacks).
 *
 * Life of a rank: pri_start finds out how it was started (prestorun, PMIx, as one of the threads of
 * a process, alone), opens its network interface and connects it with all others; then messages;
 * pri_stop waits for all ranks and closes.
 *
 * A message in the terms of Portals:
 *
 *   portal table entry  PRI_PT, which keeps what is unexpected
 *   match bits          63..32 context, 31..0 tag. Tags of users are 0 to INT_MAX; those of the
 *                       layers themselves may be negative. PRI_ANY_TAG matches tags of users only.
 *   match_id            the sender's rank in the job
 *   hdr_data            63..16 of what can be cancelled: its request (core/rank.h); 15..0 what the
 *                       sender is called in the communicator (pri_where.as), signed: the receiver's
 *                       status.source needs no translation
 *
 * Threads: below PRI_THREAD_MULTIPLE a rank belongs to one thread at a time. With it, all functions
 * may be called from any thread but for pri_start and pri_stop; a request belongs to one thread
 * at a time. Callbacks (pri_vec, pri_task, release) run in whichever thread makes progress.
 *
 * Errors: functions return 0 or an enum pri_error; nothing is printed but by pri_start (why it
 * could not) and pri_abort.
 */

/* ---- errors ---------------------------------------------------------------------------------- */

/* X(name, value, text). The values are those of PR_ERR_* in presto.h, and never change. */
#define PRI_ERROR_LIST(X)                                                                      \
    X(PRI_OK, 0, "success")                                                                    \
    X(PRI_ERR_ARG, 1, "invalid argument")                                                      \
    X(PRI_ERR_RANK, 2, "no such rank")                                                         \
    X(PRI_ERR_TAG, 3, "tag out of range")                                                      \
    X(PRI_ERR_COUNT, 4, "count out of range")                                                  \
    X(PRI_ERR_BUFFER, 5, "invalid buffer")                                                     \
    X(PRI_ERR_REQUEST, 6, "invalid request")                                                   \
    X(PRI_ERR_TRUNCATE, 7, "message longer than the buffer: truncated")                        \
    X(PRI_ERR_NOMEM, 8,                                                                        \
      "out of memory: raise the limits of the processes (ulimit -v), or start fewer ranks")    \
    X(PRI_ERR_PEER, 9, "the peer has died or left")                                            \
    X(PRI_ERR_FORKED, 10, "the library belongs to the parent process")                         \
    X(PRI_ERR_STATE, 11, "not initialised, or finalised already")                              \
    X(PRI_ERR_START, 12, "the job could not be started; see the message printed")              \
    X(PRI_ERR_LIMIT, 13, "a limit is reached")                                                 \
    X(PRI_ERR_OP, 14, "invalid operation or datatype")                                         \
    X(PRI_ERR_COMM, 15, "invalid communicator")                                                \
    X(PRI_ERR_IN_STATUS, 16, "see the errors of the single requests")                          \
    X(PRI_ERR_INTERN, 17, "internal error")                                                    \
    X(PRI_ERR_MEMORY, 18,                                                                      \
      "memory of a message cannot be accessed: see the buffers and lengths of both its sides") \
    X(PRI_ERR_REVOKED, 19, "the communicator has been revoked")                                \
    X(PRI_ERR_PENDING, 20, "a peer has died, and the receive from any source is pending")

enum pri_error {
#define PRI_ERROR_ENUM(name, value, text) name = value,
    PRI_ERROR_LIST(PRI_ERROR_ENUM)
#undef PRI_ERROR_ENUM
};

/* A static English text; never NULL, also for values out of range. Thread-safe. */
const char *pri_error_text(int error);

/* ---- ranks ----------------------------------------------------------------------------------- */

enum pri_thread_level {
    PRI_THREAD_SINGLE,
    PRI_THREAD_FUNNELED,
    PRI_THREAD_SERIALIZED,
    PRI_THREAD_MULTIPLE,
};

/* How the job was started. */
enum pri_launch {
    PRI_LAUNCH_ALONE,
    PRI_LAUNCH_PRESTORUN,
    PRI_LAUNCH_PMIX,
    PRI_LAUNCH_PMI2,
    PRI_LAUNCH_THREADS,
};

enum {
    PRI_PT = 0,
    PRI_PT_RMA = 1,     /* of rma/, which opens it */
    PRI_PT_CONTROL = 2, /* of core/control.c */
};

/* Another rank, seen from this one. */
struct pri_peer {
    struct ni_peer *ni; /* NULL: this rank itself */
    ni_initiator id;    /* for match_id */
    _Atomic int down;   /* 0, or the negative ni_status with which it went; set once */
    _Atomic int death;  /* 0, or, of one that has died, the number of its death, from 1: set before
                           down */
    bool told;          /* of core/peer.c: it has gone; under the lock */
    bool counted;       /* likewise: among pri_cold.neighbours */
};

/*
 * One rank of the job. The first part may be read by everybody and changes only in pri_start and
 * pri_stop; what is behind `cold` is the core's own (core/rank.h).
 */
struct pri_rank {
    struct ni *ni;
    struct pri_peer *peers; /* [slots], by number */
    struct ni_md sends;     /* all memory; SEND events, unless ni_put says that it is done */
    struct ni_md syncs;     /* all memory; ACK events only */
    _Atomic unsigned tasks; /* to be advanced: 0 as a rule */
    _Atomic unsigned lost;  /* ranks that have died */
    _Atomic unsigned rare;  /* 0, unless receives from any source are to be looked at once posted */
    _Atomic unsigned revoked; /* contexts in use that have been revoked */
    int rank;                 /* its number: no other rank under the same launcher has it */
    int size;       /* of the job that it was started in: its ranks are first to first + size - 1 */
    bool threads;   /* PRI_THREAD_MULTIPLE */
    bool crowded;   /* a thread that waits gives the core to others: see open_ni */
    unsigned spins; /* empty polls before a waiter rests */
    unsigned looks; /* of a receive for its message, before it is posted */
    _Atomic int known; /* above all numbers of ranks that it knows */
    /* [slots]: peers; or, of a rank that is recorded, or has a context that has been revoked, as
     * many that are down and have no interface: no message goes the short way (recorder.h,
     * revoke.c) */
    struct pri_peer *_Atomic direct;
    bool recorded;
    /* The step of a loop that waits: pri_relax_plain or, of a rank that is recorded, another. */
    void (*relax)(struct pri_rank *self, unsigned *spins, pri_tell_fn tell, const void *object);
    enum pri_thread_level level;
    enum pri_launch launch;
    int app;       /* which of the commands of the job it runs, from 0 */
    void *user[4]; /* one word for each folder above: see enum pri_user */
    struct pri_cold *cold;
    int first;
    int job;      /* the number of its job among those under the same launcher, from 0 */
    int parent;   /* the rank that has had the job started, later than its own; -1: none */
    int universe; /* ranks that may run at a time, as far as is known */
};

/* Whose word of pri_rank.user is whose. Each folder puts its own state there, and registers
 * with pri_at_stop to have it freed. */
enum pri_user { PRI_USER_NATIVE, PRI_USER_TYPE, PRI_USER_COLL, PRI_USER_MPI };

extern _Thread_local struct pri_rank *pri_self_cached __attribute__((tls_model("initial-exec")));
struct pri_rank *pri_self_find(void);

/* Whether it can be a rank's number here. */
static inline bool pri_knows(const struct pri_rank *self, int rank)
{
    return (unsigned)rank < (unsigned)atomic_load_explicit(&self->known, memory_order_relaxed);
}

/* The rank of the calling thread: its own if it called pri_start as one of the threads of a job,
 * else that of the process. NULL before pri_start and after pri_stop. A load, as a rule. */
static inline struct pri_rank *pri_self(void)
{
    struct pri_rank *self = pri_self_cached;

    return NI_LIKELY(self != NULL) ? self : pri_self_find();
}

/* Join the job: once per process or, in a job of threads, per thread. level is what is asked for;
 * all levels are given (self->level). PRI_ERR_STATE if this rank is started already; PRI_ERR_START,
 * PRI_ERR_NOMEM: the reason has been printed to stderr. */
int pri_start(enum pri_thread_level level, struct pri_rank **self);
/* Prints that, and why, the calling rank could not join the job. */
void pri_start_failed(const struct pri_rank *self, int error);
/* The same of a rank that pri_start has started, which then leaves without waiting for the others:
 * these see it go. */
void pri_start_undo(struct pri_rank *self, int error);

/* The first step of leaving, if the layer above has some of its own before pri_stop: waits until
 * all ranks that live are here. Then nobody calls anything any more, and what does not move never
 * will: hang.h. */
void pri_leave(struct pri_rank *self);

/* Leave: waits until all ranks are here (see pri_leave), and for what nobody else waits for, runs
 * what pri_at_stop registered (last first), waits for all ranks again, closes. Requests under way
 * are lost, which is an error of the program. */
void pri_stop(struct pri_rank *self);
/* How a step of leaving together has ended: what others would wait for ends the job, such as
 * PRI_ERR_NOMEM; neither PRI_ERR_PEER nor PRI_ERR_FORKED. */
void pri_leave_check(struct pri_rank *self, int error);

/* Parameters and the environment may be changed from here to pri_parameters_release: no rank of
 * this process begins to start meanwhile. False: one has, ever, and they stay as they are.
 * Thread-safe. */
bool pri_parameters_hold(void);
void pri_parameters_release(void);

/* Whether this thread's rank has been stopped (and not started again). */
bool pri_stopped(void);

/* A statistic of the rank's interface, by its place in ni_stat_infos; 0 once that is closed. By any
 * thread, also while the rank leaves and after it has. */
uint64_t pri_stat(const struct pri_rank *self, size_t index);

/* Have fn(self, arg) called at the beginning of pri_stop, when messages still work. 0 or
 * PRI_ERR_NOMEM. */
int pri_at_stop(struct pri_rank *self, void (*fn)(struct pri_rank *self, void *arg), void *arg);

/* End the whole job: says who ended it and with which code, tells the launcher, and ends this
 * process at once. The exit status has the code's low eight bits, or is 1 where these are 0. self
 * may be NULL (before pri_start). Thread-safe. */
_Noreturn void pri_abort(struct pri_rank *self, int code);

/* A job of threads: from now on the first n threads of this process that call pri_start are its
 * ranks, in order of their calls or, if n threads were given numbers with pri_thread_rank, by
 * these. The environment variable PRESTO_THREADS=n does the same. n is 1 to 4096. PRI_ERR_STATE
 * while a rank is started; PRI_ERR_ARG. */
int pri_threads(int n);

/* The calling thread will be this rank when it calls pri_start. -1: any. */
void pri_thread_rank(int rank);

/* A thread that has no rank of its own works for this one: for threads made by a rank that is
 * a thread itself. NULL: no longer. */
void pri_adopt(struct pri_rank *self);

/* Whether a rank is on the host of this one. Thread-safe. */
bool pri_same_host(const struct pri_rank *self, int rank);

/* The first rank of the job that is known to have died, by this rank or by another that has told;
 * -1: none. Thread-safe. */
int pri_lost(const struct pri_rank *self);
/* Why a rank was lost, if that is known to be its host's failure: which node, what failed and how
 * it became known. NULL: not so. */
const char *pri_lost_with(const struct pri_rank *self, int rank);
/* This rank has been told so. Thread-safe. */
void pri_lost_note(struct pri_rank *self, int rank);

/* ---- contexts -------------------------------------------------------------------------------- */

/*
 * A communicator's context is a number that no other communicator of the job has: one rank, which
 * leads it, takes the number and tells the others. It is even; context | PRI_COLL is the same
 * communicator's plane for collectives, which cannot meet its point-to-point messages.
 *
 * To make communicators with one exchange: each rank takes a context, all exchange theirs, each new
 * communicator gets its first rank's, and all others give theirs back.
 */
enum {
    PRI_COLL = 1,
    PRI_CONTEXT_RANK_SHIFT = 18, /* above it: the rank that leads the communicator */
    PRI_KIND_BITS = 5, /* the lowest of a tag in that plane: the operation's kind, by its class in
                          record/names.h; above them its number */
    PRI_KIND_PERSISTENT = 31, /* the kind of persistent operations, with numbers of their own */
};

/* That of all ranks of the job. */
static inline uint32_t pri_context_world(const struct pri_rank *self)
{
    return (uint32_t)self->first << PRI_CONTEXT_RANK_SHIFT;
}

/* Take an unused context. PRI_ERR_LIMIT: this rank leads 2^17 already. Thread-safe. */
int pri_context_take(struct pri_rank *self, uint32_t *context);
/* Which ranks of the job have the context, which is asked when one of them dies: a receive from any
 * source fails when one of its context has. The list is copied; NULL: the job's. Until it is
 * called all ranks of the job have it. 0 or PRI_ERR_NOMEM. Thread-safe. */
int pri_context_members(struct pri_rank *self, uint32_t context, const int *ranks, int size);
/* This rank begins no more operations in it. Before pri_context_give, if that is called at all.
 * Thread-safe. */
void pri_context_close(struct pri_rank *self, uint32_t context);
/* The communicator is gone: drop what nobody has received of both planes, and if this rank took it,
 * it may be used again. Thread-safe. */
void pri_context_give(struct pri_rank *self, uint32_t context);

/* ---- deaths: what User-Level Failure Mitigation is built on ---------------------------------- */

/* 0: the rank lives, or has left in good order. Else the number of its death, from 1, in the order
 * in which this rank has heard of them. Thread-safe. */
int pri_death(const struct pri_rank *self, int rank);

/* Deaths up to this number are known to the program that uses the context: they end no receives
 * from any source in it any more. 0 or PRI_ERR_NOMEM. Thread-safe. */
int pri_context_acknowledge(struct pri_rank *self, uint32_t context, int death);
/* The greatest number that it was called with, or 0. */
int pri_context_acknowledged(struct pri_rank *self, uint32_t context);

/* Revoke the context, in all ranks that have it: what is under way in it ends, and what is begun
 * from now on fails, with PRI_ERR_REVOKED, or sends as if they had been received; pri_agree goes
 * on. Each rank that hears of it tells the others, so that all hear of it if one does that lives.
 * For good: the number is not used again. 0 or PRI_ERR_NOMEM: it is not revoked. Thread-safe. */
int pri_context_revoke(struct pri_rank *self, uint32_t context);
bool pri_context_revoked(struct pri_rank *self, uint32_t context);

/* What the ranks of a context agree on. The bits are of ranks by their place in the context, 64 in
 * each word; PRI_VOTE_WORDS(size) of failed, then as many of acknowledged. */
struct pri_vote {
    int32_t flag;     /* the result: the bits that are set in all that were given */
    uint32_t context; /* not 0 where one is wanted, of all ranks or none; the result: a new one that
                         nobody has, and 0 if there was none */
    int32_t decided;  /* of agree.c */
    int32_t error;    /* the result: why there was no context */
    uint64_t failed[];
};
#define PRI_VOTE_WORDS(size) (((size_t)(size) + 63) / 64)
#define PRI_VOTE_BYTES(size) (sizeof(struct pri_vote) + 2 * 8 * PRI_VOTE_WORDS(size))

/* Agree, also if ranks die meanwhile, and if the context has been revoked: all ranks of the context
 * that live call it, in the same order, and get the same. vote is set to the result: in failed, all
 * that are known by one of them to have died or left; in acknowledged, those that all had
 * acknowledged. 0 or PRI_ERR_NOMEM, PRI_ERR_FORKED: others may wait for this rank until it has
 * ended. */
int pri_agree(struct pri_rank *self, uint32_t context, struct pri_vote *vote);

/* ---- messages -------------------------------------------------------------------------------- */

enum {
    PRI_ANY_SOURCE = -1,
    PRI_ANY_TAG = -1,
    PRI_PROC_NULL = -2, /* for the layers above: the core does not take it */
};

/* Of a send: to whom (peer), under which name (as: this rank in the communicator). Of a receive or
 * probe: from whom (peer, or PRI_ANY_SOURCE), `as`, of 16 bits, is not looked at. Two registers
 * when passed by value. */
struct pri_where {
    int peer; /* in the job */
    int as;
    int tag; /* receives and probes: or PRI_ANY_TAG */
    uint32_t context;
};

enum pri_mode {
    PRI_STANDARD,
    PRI_SYNCHRONOUS, /* complete when it has been matched */
    PRI_READY,       /* as PRI_STANDARD */
    PRI_BUFFERED,    /* complete at once: what has not left is copied */
};

struct pri_status {
    int source; /* pri_where.as of the sender */
    int tag;
    int error; /* enum pri_error */
    int cancelled;
    uint64_t bytes; /* received (probe: sent) */
};

/*
 * Data that does not lie in one piece. The caller embeds it in what describes the data. pack copies
 * `bytes` bytes of it to a block, beginning with its first; unpack the other way round. It stays,
 * and what it describes, until the request is complete; of a blocking call, until that returns.
 */
struct pri_vec {
    void (*pack)(const struct pri_vec *vec, void *to, size_t bytes);
    void (*unpack)(const struct pri_vec *vec, const void *from, size_t bytes);
};

/* What is still to come of a request, and what is known of it. */
enum pri_request_state {
    PRI_REQ_DONE = 0,
    PRI_REQ_PENDING = 1,   /* the operation's end is to come */
    PRI_REQ_ASKED = 2,     /* the answer is to come whether the send is cancelled */
    PRI_REQ_CANCELLED = 4, /* it was yes */
    PRI_REQ_DETACHED = 8,  /* nobody waits for it */
};

/* What a request is for, in words; and whether a receive stays when a rank dies. */
enum pri_request_kind {
    PRI_REQUEST_SEND,
    PRI_REQUEST_SYNCHRONOUS,
    PRI_REQUEST_BUFFERED,
    PRI_REQUEST_RECV,
    PRI_REQUEST_RECV_BLOCKING,
    PRI_REQUEST_COLLECTIVE, /* its number is the tag */
    PRI_REQUEST_OTHER,
    /* From any source: those who wait for it are told that a rank has died, and it stays. */
    PRI_REQUEST_RECV_STAYS,
};

/*
 * A request: memory of the caller's, who need not set it to anything, and keeps it where it is
 * until it is complete. Readable when complete: status; before, of what it waits for: its tag and
 * bytes.
 */
struct pri_request {
    _Atomic int state; /* enum pri_request_state, added; becoming DONE is a release */
    bool is_recv;
    uint8_t kind;      /* enum pri_request_kind */
    uint16_t followed; /* the recorder's */
    struct pri_rank *rank;
    struct pri_status status;
    union {
        const struct pri_vec *vec;      /* receives; NULL: the data lies in one piece */
        struct pri_request *next_asked; /* sends, with PRI_REQ_ASKED */
    };
    void *packed; /* NULL, or a buffer of the core's */
    union {
        ni_me_handle entry; /* receives */
        uint64_t bits;      /* sends: what is matched */
    };
    int peer;                                     /* as posted */
    uint32_t context;                             /* receives, and collective operations */
    void (*release)(struct pri_request *request); /* of pri_detach */
    struct ni_list detached;                      /* those that pri_detach has listed */
    void *user;                                   /* the caller's; the core leaves it alone */
};

/* Blocking. buf may be NULL when bytes is 0. Of a receive the status (may be NULL) is set also when
 * it fails. PRI_ERR_TRUNCATE: the first `bytes` bytes are there. */
int pri_send(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
             enum pri_mode mode);
int pri_recv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
             struct pri_status *status);
int pri_sendv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where to,
              enum pri_mode mode);
int pri_recvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where from,
              struct pri_status *status);

/* Not blocking. Not 0: nothing was started, and the request is not touched. A request may be
 * complete when the call returns. */
int pri_isend(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
              enum pri_mode mode, struct pri_request *request);
int pri_irecv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
              struct pri_request *request);
int pri_isendv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where to,
               enum pri_mode mode, struct pri_request *request);
int pri_irecvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
               struct pri_where from, struct pri_request *request);
/* The same, of the kind PRI_REQUEST_RECV_STAYS. */
int pri_irecvv_staying(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
                       struct pri_where from, struct pri_request *request);

/* Whether it is complete: makes no progress. acquire, with the release that completes it. */
static inline bool pri_done(const struct pri_request *request)
{
    return atomic_load_explicit(&request->state, memory_order_acquire) == PRI_REQ_DONE;
}

/* A request that is complete, with nothing received: source PRI_PROC_NULL, tag PRI_ANY_TAG, 0
 * bytes. */
void pri_request_null(struct pri_rank *self, struct pri_request *request);

/* One of pri_request_null that was set to PRI_REQ_PENDING is complete now: the status is set. Its
 * owner may be gone as soon as it is. */
void pri_request_complete(struct pri_request *request);

/* Wait until it is complete; returns status.error. PRI_ERR_PENDING: it is not complete, see
 * pri_stays. */
int pri_wait(struct pri_request *request);
/* Whether a request of the kind PRI_REQUEST_RECV_STAYS is not complete and may never be: it takes
 * messages from any source, of which one has died that is not acknowledged. */
NI_COLD bool pri_stays_now(const struct pri_request *request);
static inline bool pri_stays(const struct pri_request *request)
{
    return NI_UNLIKELY(atomic_load_explicit(&request->rank->lost, memory_order_relaxed) != 0) &&
           pri_stays_now(request);
}
/* Progress once if it is not complete; whether it is now. */
bool pri_test(struct pri_request *request);

/* Nobody will wait for it: release(request) is called when it is complete, at once if it is. */
void pri_detach(struct pri_request *request, void (*release)(struct pri_request *request));

/* Cancel what has not matched; the request is to be waited for all the same. It ends with
 * status.cancelled set, or, when it had matched, as if nothing had been said. A receive is
 * cancelled at once. A send is, whatever its mode, if its receiver, who is asked, says so: the
 * request is not complete until that has made progress, though it was before. Out of memory, and if
 * the receiver is gone, it is as if nothing had been said. */
void pri_cancel(struct pri_request *request);

/* Bytes of PRI_BUFFERED sends that have not left. */
size_t pri_buffered(struct pri_rank *self);

/* ---- probing --------------------------------------------------------------------------------- */

/* Look for a message that nobody has received; makes progress if there is none. *found tells;
 * status may be NULL. PRI_ERR_PEER: none is there, and the source is gone. */
int pri_iprobe(struct pri_rank *self, struct pri_where from, bool *found,
               struct pri_status *status);
/* The same, and waits for it. */
int pri_probe(struct pri_rank *self, struct pri_where from, struct pri_status *status);

/* A message that a probe has claimed: only this can receive it, once. */
struct pri_message {
    ni_unexpected_handle handle;
    struct pri_status status;
    int peer; /* in the job */
    uint32_t context;
};
int pri_improbe(struct pri_rank *self, struct pri_where from, bool *found,
                struct pri_message *message);
int pri_mprobe(struct pri_rank *self, struct pri_where from, struct pri_message *message);
/* Receive it; the message is used up. */
int pri_imrecv(struct pri_rank *self, void *buf, size_t bytes, struct pri_message *message,
               struct pri_request *request);
int pri_imrecvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
                struct pri_message *message, struct pri_request *request);

/* ---- progress -------------------------------------------------------------------------------- */

/*
 * Something that moves on by itself: a collective operation's schedule. advance is called by
 * progress, in one thread at a time, and not while it runs; it starts sends and receives, looks
 * with pri_done at requests, and never waits. It returns true when it has nothing more to do: then
 * it is in no list any more, and may be freed by `finished` (may be NULL), which is called last.
 */
struct pri_task {
    struct ni_list link; /* the core's */
    bool (*advance)(struct pri_task *task);
    void (*finished)(struct pri_task *task);
};

/* Have progress advance it from now on. Thread-safe; also from within advance. */
void pri_task_add(struct pri_rank *self, struct pri_task *task);

/* Advance all tasks once; nothing if another thread is at it, or this one is (from within
 * advance). */
void pri_tasks_advance(struct pri_rank *self);

/* Move everything that can move without waiting; returns the number of events. */
static inline unsigned pri_progress(struct pri_rank *self)
{
    unsigned events = ni_progress(self->ni);

    if (NI_UNLIKELY(atomic_load_explicit(&self->tasks, memory_order_relaxed) != 0)) {
        pri_tasks_advance(self);
    }
    return events;
}

/* The same for a caller that looks again and again, in the program's own time: if nothing moved,
 * and others may need the core, it gives them a turn. */
void pri_look(struct pri_rank *self);

/* For loops that wait for anything: `unsigned spins = 0; while (!there) pri_relax(self, &spins);`
 * Progress; after many rounds in vain it yields, then sleeps for at most a millisecond at a
 * time. */
void pri_relax(struct pri_rank *self, unsigned *spins);
/* The same, and tell(object) says what for if that lasts: hang.h. */
static inline void pri_relax_for(struct pri_rank *self, unsigned *spins, pri_tell_fn tell,
                                 const void *object)
{
    self->relax(self, spins, tell, object);
}

/* A wait for a word of memory that another process stores, which wakes nobody. Begins with zeros.
 */
struct pri_word_wait {
    unsigned spins, yields;
    uint64_t since_ns; /* when it began to yield */
};

/* The same for loops that look at such a word: it yields many times, and looks each time. Then each
 * sleep is an eighth of the time that it has waited, so that the wait takes as much longer, or a
 * millisecond. */
void pri_relax_word(struct pri_rank *self, struct pri_word_wait *wait, pri_tell_fn tell,
                    const void *object);

/* pri_tell_fn: an unfinished request. */
void pri_request_tell(const void *request, char *text, size_t size);
/* pri_tell_fn of a struct pri_rank: the requests that nobody waits for. */
void pri_detached_tell(const void *self, char *text, size_t size);
/* What a context is called in such words: "communicator 4", or what this names it. */
void pri_context_tell(const struct pri_rank *self, uint32_t context, char *text, size_t size);
void pri_context_namer(struct pri_rank *self,
                       void (*name)(const struct pri_rank *self, uint32_t context, char *text,
                                    size_t size));

/* ---- data ------------------------------------------------------------------------------------ */

/* Buffers for short-lived data, from lists by size: cheaper than malloc for up to 128 KiB. 64-byte
 * aligned; NULL: no memory. Thread-safe. */
void *pri_buffer_get(struct pri_rank *self, size_t bytes);
void pri_buffer_put(struct pri_rank *self, void *buffer); /* NULL is allowed */

#endif
