/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_RANKS_H
#define PRESTO_CORE_RANKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/apeni.h>

#include "base/compiler.h"
#include "core/hang.h"

/* Errors, and ranks: their life, and what is known of others. Part of core.h. */

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
    bool crowded;   /* a thread that waits gives the core to others: see pri_crowd */
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

#endif
