/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_QP_H
#define APENI_QP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __cplusplus
#include <stdatomic.h>
#endif

#include <apeni/region.h>
#include <apeni/status.h>
#include <apeni/transfer.h>

/*
 * Queue pairs (soNUMA-NI 2 and 4): one-sided operations asked for by an entry in a ring of memory,
 * and reported by an entry in another. Both rings are the owner's memory, as many pairs as he
 * likes. To post and to poll are a few stores and loads; no call into the library.
 *
 *   owner                                     NI, in ni_progress or ni_qp_poke
 *   ni_qp_create, ni_qp_target
 *   ni_qp_post        work queue    -->       takes the entry; unrolls it into reads or writes of
 *        .                                    `unroll` bytes, or gives it whole to the engine
 *   ni_qp_poll   <--  completion queue        the last of them has completed: one entry
 *
 * Rings. An entry is new when its toggle bit is that of the round: 1 in the first pass over the
 * ring, 0 in the second, and so on. So nothing is cleared, and each side looks at one word of one
 * line to see whether there is something. The NI copies an entry before it judges it, and uses the
 * copy only.
 *
 * Full queues push back. What `ends` holds is cumulative: entries that the NI has taken,
 * completions that the owner has read. Each is looked at only by who finds no room: the owner who
 * wants to post (ni_qp_post gives false), the NI that wants to take an entry. It takes none for
 * whose completion there might be no room, so that a completion is never lost, nor written over one
 * that was not read.
 *
 * Order. Requests begin in their order, and complete in any: a completion has the owner's cookie.
 * One with NI_QP_FENCE begins when all before it have completed, so that a cluster of silent
 * requests and one with a fence, which reports, is told of once.
 *
 * Batches. The NI takes nothing behind an entry that is not there: ni_qp_post_batch stores the
 * first entry last, and so releases all of them with one store.
 *
 * Protection. A request names local memory that is in one MEMORY region of this NI (READ access as
 * the source of a write, WRITE access as the destination of a read), and as remote side a target
 * that its owner has given to this very pair; the peer judges key, bounds and access. Anything
 * else, and any malformed entry, completes with a status and a reason. The owner's local memory
 * must stay registered until completion; what is no more is not touched, the request fails.
 *
 * Order of memory. A word is stored with release and loaded with acquire (Q1 to Q4 below): the NI
 * sees what the owner wrote before he posted, such as data to be sent; the owner sees what was read
 * when he sees the completion.
 *
 * Threads. One thread at a time posts, one polls; they may be two, also of an NI without
 * NI_THREADS. Different pairs share nothing. All other functions are as in ni.h. A thread that
 * sleeps in ni_wait looks for entries of others every 50 us at the latest.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;

enum {
    NI_QP_ENTRIES_MIN = 2,
    NI_QP_ENTRIES = 65536, /* most, in one ring; a power of two */
    NI_QP_TARGETS = 65536, /* most, of one pair */
    NI_QP_UNROLL_MIN = 64, /* bytes: a cache line */
};

enum ni_qp_op {
    NI_QP_NOP = 1,    /* completes; with NI_QP_FENCE when all before it have */
    NI_QP_READ = 2,   /* as ni_read */
    NI_QP_WRITE = 3,  /* as ni_write */
    NI_QP_ATOMIC = 4, /* as ni_fetch_op; the old word is the completion's value */
};

enum ni_qp_flags {
    NI_QP_FENCE = 1,  /* begins when all requests before it have completed */
    NI_QP_SILENT = 2, /* no completion if it ends well */
    NI_QP_NOTE =
        4, /* WRITE: a note at the target behind all of it (notify.h); it is not unrolled */
    NI_QP_DEPARTED = 8, /* WRITE: completes when its source may be used again; what becomes of it
                           afterwards nobody is told */
};

/* A request in the work queue: one cache line.
 *    0  8  head: bit 0      toggle
 *                bits 1-7   enum ni_qp_op
 *                bits 8-15  enum ni_qp_flags
 *                bits 16-31 target, as ni_qp_target numbers them; of a NOP 0
 *                bits 32-63 length in bytes; of a NOP 0, of an atomic its width, 4 or 8
 *    8  8  local address: READ where it goes, WRITE where it comes from, otherwise 0
 *   16  8  remote address; of a NOP 0
 *   24  8  ATOMIC: operand; NI_QP_NOTE: the note's address; otherwise 0
 *   32  8  ATOMIC: compare; NI_QP_NOTE: the note's value; otherwise 0
 *   40  8 bits 0-31 cookie, 32-39 ATOMIC: enum ni_atomic_op, 48-63 NI_QP_NOTE: the target that is
 *          told, a region of any type of the same peer; the rest 0
 *   48 16  0 */
struct ni_qp_request {
    ni_word word[8];
} __attribute__((aligned(64)));

/* A completion: four to a cache line.
 *    0  8  bit 0 toggle, bits 8-15 enum ni_qp_reason, bits 16-31 status, bits 32-63 cookie
 *    8  8  bytes moved, or the old word of an atomic; 0 after a failure */
struct ni_qp_completion {
    ni_word word[2];
} __attribute__((aligned(16)));

/* How far each side has come; a cache line for each. */
struct ni_qp_ends {
    ni_word taken; /* entries of the work queue, by the NI */
    uint64_t reserved[7];
    ni_word polled; /* completions, by the owner */
    uint64_t reserved_too[7];
} __attribute__((aligned(64)));

/* X(name, text): what a request failed on, or NI_QP_DONE. */
#define NI_QP_REASON_LIST(X)                                                                     \
    X(DONE, "done")                                                                              \
    X(BAD_REQUEST, "it names no operation, or has bits that mean nothing")                       \
    X(BAD_TARGET, "its target was not given to this queue pair")                                 \
    X(BAD_LOCAL, "its local range is not, or no more, in a region whose access allows it")       \
    X(BAD_NOTE, "its note names no target that was given to this queue pair, or another peer's") \
    X(FAILED, "the operation failed, as the status says")

enum ni_qp_reason {
#define NI_QP_ENUM(name, text) NI_QP_##name,
    NI_QP_REASON_LIST(NI_QP_ENUM)
#undef NI_QP_ENUM
};

struct ni_qp_attr {
    struct ni_qp_request *requests; /* the work queue */
    uint32_t request_count;         /* power of two */
    uint32_t completion_count;      /* power of two; also most requests under way */
    struct ni_qp_completion *completions;
    struct ni_qp_ends *ends;
    uint32_t unroll; /* bytes of each read or write, at least NI_QP_UNROLL_MIN; 0: the NI leaves a
                        request whole, and the engine cuts long ones into segments as it sees fit */
};

/* ---- the NI's side --------------------------------------------------------------------------- */

/* Make a queue pair of the caller's memory, which is cleared, and stays the caller's, and the NI's
 * to write to, until ni_region_deregister(*qp). What was begun before that completes untold; what
 * was not taken is forgotten. Errors: INVALID (counts, alignment, unroll), NOMEM, LIMIT. Takes the
 * progress lock. */
ni_status ni_qp_create(struct ni *ni, const struct ni_qp_attr *attr, ni_handle *qp);

/* Let requests of this pair name a region of a peer, MEMORY but for notes: as target number
 * *target, counted from 0. Errors: REGION (stale, or no queue pair), INVALID, NOMEM, LIMIT. Takes
 * the progress lock. */
ni_status ni_qp_target(struct ni *ni, ni_handle qp, struct ni_peer *peer,
                       const struct ni_rkey *rkey, uint16_t *target);

/* Take it back: requests that name it and have not begun are refused. NI_ERR_NOTFOUND. */
ni_status ni_qp_untarget(struct ni *ni, ni_handle qp, uint16_t target);

/* Serve this pair now instead of at the next ni_progress: a doorbell for who has one request and
 * wants it on its way. NI_ERR_REGION. Takes the progress lock. */
ni_status ni_qp_poke(struct ni *ni, ni_handle qp);

/* A static English sentence's end for a reason; never NULL, also for values out of range. */
const char *ni_qp_reason_text(enum ni_qp_reason reason);

/* ---- the owner's side: no call into the library ---------------------------------------------- */

/* A queue pair as its owner knows it; ni_qp_open begins. The first half is the poster's, the second
 * the poller's. */
struct ni_qp {
    struct ni_qp_attr attr;
    uint64_t posted; /* requests, ever */
    uint64_t room;   /* up to which number may be posted, when it was last looked at */
    uint64_t polled __attribute__((aligned(64))); /* completions, ever */
    uint64_t told;                                /* of them the NI knows */
};

/* A request in plain memory. */
struct ni_qp_work {
    enum ni_qp_op op;
    unsigned flags; /* enum ni_qp_flags */
    uint16_t target;
    uint16_t note_target; /* NI_QP_NOTE: who is told; operand is the address, compare the value */
    uint32_t cookie;      /* comes back in the completion */
    uint32_t len;         /* bytes; of an atomic its width */
    enum ni_atomic_op atomic;
    void *local;
    uint64_t remote, operand, compare;
};

struct ni_qp_result {
    uint32_t cookie;
    ni_status status;
    enum ni_qp_reason reason;
    uint64_t value;
};

static inline uint64_t ni_qp_load(const ni_word *word) /* Q2, Q4 */
{
#ifdef __cplusplus
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#else
    return atomic_load_explicit(word, memory_order_acquire);
#endif
}

static inline void ni_qp_store(ni_word *word, uint64_t value) /* Q1, Q3 */
{
#ifdef __cplusplus
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#else
    atomic_store_explicit(word, value, memory_order_release);
#endif
}

/* Toggle bit of entry number n, from 0, of a ring of count entries. */
static inline uint64_t ni_qp_toggle(uint64_t n, uint32_t count)
{
    return (n & count) == 0;
}

static inline void ni_qp_open(struct ni_qp *qp, const struct ni_qp_attr *attr)
{
    qp->attr = *attr;
    qp->posted = 0;
    qp->room = attr->request_count;
    qp->polled = 0;
    qp->told = 0;
}

/* Requests for which the work queue has room. */
static inline uint32_t ni_qp_room(struct ni_qp *qp, uint32_t wanted)
{
    if (qp->room - qp->posted < wanted) {
        qp->room = ni_qp_load(&qp->attr.ends->taken) + qp->attr.request_count; /* Q2 */
    }
    return (uint32_t)(qp->room - qp->posted);
}

/* Store request number n; its head comes last (Q1), and makes it visible. */
static inline void ni_qp_put(const struct ni_qp *qp, uint64_t n, const struct ni_qp_work *work)
{
    uint32_t count = qp->attr.request_count;
    ni_word *word = qp->attr.requests[n & (count - 1)].word;
    uint64_t more =
        work->op == NI_QP_ATOMIC ? (uint64_t)work->atomic << 32 : (uint64_t)work->note_target << 48;

    ni_qp_store(&word[1], (uintptr_t)work->local);
    ni_qp_store(&word[2], work->remote);
    ni_qp_store(&word[3], work->operand);
    ni_qp_store(&word[4], work->compare);
    ni_qp_store(&word[5], work->cookie | more);
    ni_qp_store(&word[6], 0);
    ni_qp_store(&word[7], 0);
    ni_qp_store(&word[0], ni_qp_toggle(n, count) | (uint64_t)work->op << 1 |
                              (uint64_t)(work->flags & 0xff) << 8 | (uint64_t)work->target << 16 |
                              (uint64_t)work->len << 32);
}

/* Post a request. False: the work queue is full. */
static inline bool ni_qp_post(struct ni_qp *qp, const struct ni_qp_work *work)
{
    if (ni_qp_room(qp, 1) == 0) {
        return false;
    }
    ni_qp_put(qp, qp->posted, work);
    qp->posted++;
    return true;
}

/* Post several, all or none, released by one store. False: there is no room for all. */
static inline bool ni_qp_post_batch(struct ni_qp *qp, const struct ni_qp_work *work, uint32_t count)
{
    if (ni_qp_room(qp, count) < count) {
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        ni_qp_put(qp, qp->posted + i, &work[i]);
    }
    qp->posted += count;
    return true;
}

/* Take the oldest completion. False: there is none. */
static inline bool ni_qp_poll(struct ni_qp *qp, struct ni_qp_result *result)
{
    uint32_t count = qp->attr.completion_count;
    const ni_word *word = qp->attr.completions[qp->polled & (count - 1)].word;
    uint64_t head = ni_qp_load(&word[0]); /* Q4 */
    bool there = (head & 1) == ni_qp_toggle(qp->polled, count);

    if (there) {
        result->cookie = (uint32_t)(head >> 32);
        result->status = (ni_status)(int16_t)(head >> 16);
        result->reason = (enum ni_qp_reason)(head >> 8 & 0xff);
        result->value = ni_qp_load(&word[1]);
        qp->polled++;
    }
    if (qp->told != qp->polled && (!there || qp->polled - qp->told >= count / 4)) {
        ni_qp_store(&qp->attr.ends->polled, qp->polled); /* Q3: the entry may be written again */
        qp->told = qp->polled;
    }
    return there;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
