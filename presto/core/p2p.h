/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_P2P_H
#define PRESTO_CORE_P2P_H

#include "base/list.h"
#include "core/ranks.h"

/* Messages from rank to rank: requests, sends, receives and probes. Part of core.h. */

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

#endif
