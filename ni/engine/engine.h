/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ENGINE_H
#define NI_ENGINE_ENGINE_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <apeni/counter.h>
#include <apeni/ni.h>
#include <apeni/region.h>
#include <apeni/transfer.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/compiler.h"
#include "base/config.h"
#include "base/list.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/random.h"
#include "base/stats.h"
#include "link/link.h"
#include "table/table_inl.h"

/*
 * The engine: gives packets their meaning. It knows regions and operations; how packets travel is
 * the links' business.
 *
 *   open.c      life of an NI, address blobs     send.c      packets out, control packets
 *   peer.c      peers, and when they go          arrive.c    packets in: a handler per kind
 *   regions.c   ni_region_*                      progress.c  polling, waiting
 *   counter.c   COUNTER regions                  op.c        operations and their completion
 *   queue.c     QUEUE regions with a body        transfer.c  Write, Read, atomics: which way
 *   atomic.c    applying atomics                 stream.c    long transfers cut into packets
 *   fast.h      the inline path of a message     job.c       long transfers, both sides copy
 *   direct.c    that of requests and answers     ask.c       long reads, answered or taken
 *   probe.c     how far a peer is                 lock.c      waiting for a lock
 *
 * Threads. With NI_THREADS there are three kinds of locks, taken in this order: turn (who polls;
 * only ever tried, but for connect, disconnect and close), a peer's lock (its lane and what waits
 * for it), the NI's lock (table, pools, lists) or that of memory which packets touch. Callbacks run with the turn and no other lock, so
 * they may do anything. Without NI_THREADS no lock is touched.
 */

/* A lock that costs nothing when the NI is single-threaded. */
struct ni_lock {
    _Atomic uint32_t held;
};

/* K1, acquire: pairs with the release K2 of the previous holder. */
static inline bool ni_lock_try(struct ni_lock *lock)
{
    return atomic_load_explicit(&lock->held, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&lock->held, 1, memory_order_acquire) == 0;
}

/* Until the lock is ours. Out of line (lock.c): the hot path takes locks in many places. */
NI_COLD void ni_lock_wait(struct ni_lock *lock);

static inline void ni_lock_take(struct ni_lock *lock, bool threads)
{
    if (threads && NI_UNLIKELY(!ni_lock_try(lock))) {
        ni_lock_wait(lock);
    }
}

/* K2 */
static inline void ni_lock_give(struct ni_lock *lock, bool threads)
{
    if (threads) {
        atomic_store_explicit(&lock->held, 0, memory_order_release);
    }
}

/* Things that progress has to look after. Changed under the NI's lock; the count may be read
 * without. */
struct ni_work {
    struct ni_list items;
    _Atomic uint32_t count;
};

static inline void ni_work_init(struct ni_work *work)
{
    ni_list_init(&work->items);
    atomic_init(&work->count, 0);
}

static inline uint32_t ni_work_count(const struct ni_work *work)
{
    return atomic_load_explicit(&work->count, memory_order_relaxed);
}

/* Add what is not there yet, remove what may be there. */
static inline void ni_work_add(struct ni_work *work, struct ni_list *item)
{
    if (!ni_list_linked(item)) {
        ni_list_push_back(&work->items, item);
        atomic_store_explicit(&work->count, ni_work_count(work) + 1, memory_order_relaxed);
    }
}

static inline void ni_work_remove(struct ni_work *work, struct ni_list *item)
{
    if (ni_list_linked(item)) {
        ni_list_remove(item);
        atomic_store_explicit(&work->count, ni_work_count(work) - 1, memory_order_relaxed);
    }
}

/* A message begun and not yet committed, when it is not the common one-line packet in the lane. */
struct ni_open_message {
    struct ni_packet *packet; /* NULL: the common case */
    uint8_t *bulk;            /* payload in the bulk area, or NULL */
    uint32_t lines;
    uint8_t head;
    bool in_lane;
};

enum { NI_PROBE_ANSWERS = 16 };

struct ni_peer {
    struct ni_ep *ep; /* NULL until something is to be sent */
    struct ni *ni;
    struct ni_lock lock;
    bool threads;     /* the NI's */
    uint32_t waiting; /* control packets and streams that wait for room: they go first */
    bool overtake;    /* a segment has left since the last message: a message may go next */
    struct ni_open_message open;
    _Atomic int state;   /* ni_status: NI_OK while usable; see ni_peer_state */
    unsigned references; /* ni_connect minus ni_disconnect */
    _Atomic uint32_t
        callers; /* threads inside of a transfer call: operations may not be completed under them */
    uint32_t asking;              /* reads that it is to answer; under the NI's lock */
    _Atomic uint64_t ask_from_ns; /* it reads from us while we read from it: ask later (ask.c) */
    uint64_t heard_ns;  /* when it was last seen to be in the library; whoever has the turn */
    uint32_t heard_seq; /* of its lane, at the last look (ask.c) */
    uint32_t answers[NI_PROBE_ANSWERS]; /* of probes, ns; 0: none yet (probe.c) */
    uint32_t answer_count;
    _Atomic uint32_t line_ns; /* observed one-way time to it, 0 before the first answer (probe.c) */
    _Atomic bool far;         /* more than far_ns: long payloads are copied in past the caches */
    bool sever;               /* it broke the protocol, and its link does not know yet */
    bool settled;             /* it is down, and all operations are completed */
    bool probing;             /* a probe was sent; whoever has the turn */
    uint32_t probe_end;       /* line of our lane behind it */
    uint32_t jobs_busy;       /* bit n: job n of our lane is in use */
    uint32_t job_generation;  /* of the last job */
    struct ni_list controls;  /* struct ni_control */
    uint32_t segments;        /* of streams, sent */
    struct ni_list streams;   /* struct ni_stream */
    struct ni_list busy;      /* in ni->busy while waiting != 0 */
    struct ni_list ops;       /* struct ni_op, oldest first; under the NI's lock */
    struct ni_list all;       /* in ni->peers */
    struct ni_list down;      /* in ni->downs: went down, operations not completed yet */
    uint32_t initiator;       /* number of the peer, from 1 */
    struct ni_list puts;      /* portals: under way; under the NI's lock */
    struct ni_list put_queue; /* portals: those that wait for room, oldest first */
    struct ni_peer *bucket;   /* next with the same hash of the blob */
    struct ni_link *link;
    void *user;
    uint32_t hash;
    uint32_t blob_len;
    uint8_t blob[NI_BLOB_MAX]; /* the link's part */
};

/* NI_OK, or why nothing can be exchanged with the peer any more. */
static inline ni_status ni_peer_state(const struct ni_peer *peer)
{
    return (ni_status)atomic_load_explicit(&peer->state, memory_order_relaxed);
}

/* Whether the kernel copies between us and the peer. Its link may find at any time, in any thread,
 * that it does not, after all. */
static inline bool ni_peer_copies(const struct ni_peer *peer)
{
    return __atomic_load_n(&peer->ep->copy, __ATOMIC_RELAXED);
}

enum ni_op_kind { NI_OP_WRITE, NI_OP_READ, NI_OP_ATOMIC, NI_OP_FLUSH };

/* An operation under way at its initiator. The token of its pool item names it on the wire. */
struct ni_op {
    struct ni_list list;  /* in peer->ops; flushes in ni->flushes */
    struct ni_peer *peer; /* FLUSH: NULL for all */
    uint64_t serial;      /* order of acceptance */
    struct ni_ack ack;
    enum ni_op_kind kind;
    bool plain;   /* asked for by one packet (direct.h); what follows `got` is not set then */
    uint8_t *dst; /* READ: where it goes */
    uint64_t len;
    uint64_t got; /* READ: bytes that came; FLUSH: operations still waited for */
    /* job.c */
    struct ni_list copying; /* in ni->copying while chunks are left or helpers are out */
    struct ni_job *job;     /* shared description, or NULL: chunks are all ours */
    uint8_t *local;
    uint64_t remote;
    uint64_t chunk;
    uint32_t chunks;
    uint32_t next;   /* without a job: the next chunk */
    uint32_t own;    /* chunks that we claimed */
    uint32_t others; /* once closed: chunks that the target claimed */
    uint32_t generation;
    bool is_read;
    bool asked; /* READ: the target may answer (ask.c) */
    uint64_t asked_ns;
    bool alone;        /* the target cannot help */
    bool closed;       /* no chunk can be claimed any more */
    ni_status failure; /* of our own copies; FLUSH: of the first operation that failed */
    struct ni_remote where;
};

/* A small packet that waits for room in the lane. */
struct ni_control {
    struct ni_list list;
    uint64_t word0, word1;
    uint64_t body[6];
};

/* A long run of bytes leaving in packets: a Write, or the answer to a Read. */
struct ni_stream {
    struct ni_list list;
    struct ni_peer *peer;
    bool is_answer;
    const uint8_t *src;
    uint64_t len, sent;
    uint64_t token;
    struct ni_remote where; /* WRITE */
    ni_handle source;       /* answer: the region read, to be there still at each segment */
    uint64_t source_key;
};

/* A transfer of a peer that we help to copy. */
struct ni_help {
    struct ni_list list;
    struct ni_peer *peer;
    struct ni_lane_rx *lane;
    struct ni_job *job;
    uint64_t chunk, len;
    uint8_t *mine;   /* our memory */
    uint64_t theirs; /* the initiator's */
    uint32_t chunks;
    uint32_t generation;
    bool is_read;
};

/* Who got the last message: most of the time the next one too. A copy of its region's entry, which
 * leaves with it; whoever has the turn. */
struct ni_last_consumer {
    uint64_t queue; /* handle, or NI_NO_QUEUE */
    ni_consumer_fn consumer;
    void *arg;
};

#define NI_NO_QUEUE UINT64_MAX /* what no packet can name */

/* What the layer above, portals, does with packets to the PORTAL region, and for an NI that has one.
 * The engine knows no matching. */
struct ni_portal_ops {
    /* A packet of kind NI_PACKET_PUT or above. As ni_arrive. */
    ni_status (*arrive)(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                        uint64_t word0, uint64_t word1, const uint8_t *payload);
    /* Send the first put of the peer's queue: NI_OK, or NI_AGAIN. The peer's lock is held. */
    ni_status (*send_first)(struct ni_peer *peer);
    /* Complete all puts to the peer. No lock is held. */
    void (*complete_all)(struct ni_peer *peer, ni_status status);
    /* What was put off: ni->portal_work. */
    unsigned (*progress)(struct ni *ni);
    /* Bring the statistics up to date. */
    void (*add_up)(struct ni *ni);
    /* The NI closes; peers are down. */
    void (*close)(struct ni *ni);
};

struct ni_portals;

enum { NI_PEER_BUCKETS = 64, NI_LANES_MIN = 8 };

enum ni_untidy {
    NI_UNTIDY_LANES = 1, /* some were removed */
    NI_UNTIDY_PEERS = 2, /* some went down, and have their endpoints still */
    /* There are command regions. It stays as long as they do: so their monitor is asked for by a test
     * that each poll makes in any case. */
    NI_UNTIDY_COMMANDS = 4,
};

/* What the layer of command regions does for an NI that has one. The turn is ours. */
struct ni_command_ops {
    /* Look for descriptors that are complete, and serve those that wait; returns events. */
    unsigned (*progress)(struct ni *ni);
    /* A COMMAND region has been removed from the table; object is its object 0. The NI's lock is
     * held. */
    void (*release)(struct ni *ni, void *object);
    /* The NI closes; its regions are gone. */
    void (*close)(struct ni *ni);
};

struct ni_commands;

struct ni {
    /* hot: polling */
    struct ni_lane_rx **lanes;
    uint32_t lane_count;
    uint32_t lane_capacity;
    uint32_t untidy; /* enum ni_untidy: what waits until nobody is in a callback */
    uint32_t depth;  /* nesting of ni_progress */
    struct ni_last_consumer last;
    bool threads;
    bool forked;
    struct ni_lock turn; /* who polls */
    _Atomic uintptr_t turn_owner;
    struct ni_link *link;
    struct ni_peer *_Atomic warm; /* sent to last: its lane is warmed while nothing is to do */
    struct ni_work busy;          /* peers with packets that wait */
    struct ni_work copying;       /* struct ni_op: transfers that we copy */
    struct ni_work asking;        /* struct ni_op: reads that the target was asked to answer */
    struct ni_work helping;       /* struct ni_help */
    struct ni_lock lock;
    struct ni_lock memory; /* MEMORY regions, from the check of an access to its last byte */
    const struct ni_portal_ops *portal_ops; /* NULL: the NI does not match */
    struct ni_portals *portals;
    struct ni_work portal_work;
    struct ni_table table;
    struct ni_stats stats;

    struct ni_pool op_pool, control_pool, stream_pool, help_pool;
    struct ni_control *spare; /* for an answer, when there is no memory; whoever has the turn */
    struct ni_work flushes;
    struct ni_list peers;
    struct ni_list downs;
    struct ni_rng keys;
    bool keys_seeded;
    struct ni_peer *buckets[NI_PEER_BUCKETS];
    uint64_t serial;
    uint32_t initiators; /* numbers of peers given */
    uint64_t address;
    uint32_t idle; /* empty polls in a row */
    const struct ni_config *config;
    bool closing;
    pid_t pid;
    unsigned host_processes, host_cores;
    ni_peer_down_fn down_fn;
    void *down_arg;
    const struct ni_command_ops *command_ops; /* NULL: there never was a command region */
    struct ni_commands *commands;
    struct ni_list forks; /* in the list of all NIs of the process */
};

/* ---- send.c ----------------------------------------------------------------------------------
 * --------------- */

/* Send a packet whose fields are in body (up to 48 bytes, the payload included: head + len <=
 * 64); never fails for lack of room: it waits in order. Returns the peer's status. */
ni_status ni_send_control(struct ni_peer *peer, unsigned kind, unsigned head, uint16_t tag,
                          uint32_t len, ni_handle region, const void *body, size_t body_len);

/* Whether one answer can be sent, or made to wait, whatever happens. Whoever has the turn. */
bool ni_send_can_answer(struct ni *ni);

/* Have a put sent when there is room. The peer's lock is held. */
void ni_send_queue_put(struct ni_peer *peer, struct ni_list *put);

/* Send what waits for one peer, as far as there is room. The peer's lock is held. Returns
 * packets sent. */
unsigned ni_send_waiting(struct ni_peer *peer);

/* Send what waits; whether something else may go then. The peer's lock is held. */
bool ni_send_turn(struct ni_peer *peer);

/* Let what waits for all peers go on. */
unsigned ni_send_progress(struct ni *ni);

/* The endpoint of a peer, made at first use. The peer's lock is held. */
ni_status ni_peer_endpoint(struct ni_peer *peer);

/* A packet with fields of fields_len bytes and a payload of len bytes, in one line, several
 * lines or the bulk area: a place for the fields and one for the payload. NI_AGAIN if there is
 * no room. The peer's lock is held until ni_packet_commit. */
ni_status ni_packet_begin(struct ni_peer *peer, uint32_t fields_len, uint32_t skew, uint32_t len,
                          uint8_t **fields, uint8_t **payload);
void ni_packet_commit(struct ni_peer *peer, unsigned kind, uint16_t tag, uint32_t len,
                      ni_handle region);

/* Have the statistics count what has left through the peer's lane: its position says how many packets,
 * so that sending one pays an addition for it. The peer's lock is held. */
void ni_peer_count_sent(struct ni_peer *peer);
/* Of all peers but those in use by other threads. The NI's lock is not held. */
void ni_peers_count_sent(struct ni *ni);

/* Longest payload of one packet towards the peer. */
size_t ni_packet_max(const struct ni_peer *peer);

/* ---- stream.c --------------------------------------------------------------------------------
 * ---------------- */

ni_status ni_stream_write(struct ni_op *op, const void *src);
ni_status ni_stream_answer(struct ni_peer *peer, const void *src, uint64_t len, uint64_t token,
                           ni_handle source, uint64_t source_key);
/* Send one segment; true when the stream has ended and is freed. The peer's lock is held.
 * NI_AGAIN: no room. */
ni_status ni_stream_step(struct ni_stream *stream, bool *ended);
/* Have a stream's packets leave when there is room. The peer's lock is held. (send.c) */
void ni_stream_queue(struct ni_stream *stream);
/* Forget a stream. The peer's lock is held. */
void ni_stream_free(struct ni_stream *stream);
/* A Write completes: its stream, if there is one still, reads its source no more. */
void ni_stream_end(struct ni_op *op);

/* ---- op.c ------------------------------------------------------------------------------------
 * ------------------ */

/* A new operation, counted and listed; NULL when out of memory. */
struct ni_op *ni_op_new(struct ni_peer *peer, enum ni_op_kind kind, const struct ni_ack *ack);
uint64_t ni_op_token(struct ni_op *op);
/* The operation of this peer that a token names, or NULL. */
struct ni_op *ni_op_find(struct ni_peer *peer, uint64_t token);
/* Complete, deliver the ack, free. No lock is held. */
void ni_op_complete(struct ni_op *op, ni_status status, uint64_t value);
/* Take an operation back that was never accepted. */
void ni_op_undo(struct ni_op *op);
/* Deliver an ack of this NI. */
void ni_ack_deliver(struct ni *ni, const struct ni_ack *ack, ni_status status, uint64_t value);

/* ---- arrive.c --------------------------------------------------------------------------------
 * ------------------- */

/* One packet. NI_OK; NI_AGAIN: cannot be taken now, deliver it again; NI_ERR_PROTOCOL. */
ni_status ni_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                    uint64_t word0, uint64_t word1, const uint8_t *payload,
                    struct ni_lane_rx *lane);
/* Its part for all kinds. */
ni_status ni_arrive_any(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                        uint64_t word0, uint64_t word1, const uint8_t *payload,
                        struct ni_lane_rx *lane);
ni_status ni_arrive_atomic(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                           uint64_t word0, uint64_t word1);

/* ---- job.c -----------------------------------------------------------------------------------
 * ------------------- */

/* Start copying directly; the operation completes by itself. */
void ni_job_start(struct ni_op *op);
void ni_job_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet_job *request,
                   ni_handle handle, struct ni_lane_rx *lane);
/* One chunk of each transfer. */
unsigned ni_job_progress(struct ni *ni);
/* A lane goes away, or all of a peer (lane NULL): stop helping there. */
void ni_job_stop_helping(struct ni *ni, const struct ni_peer *peer, const struct ni_lane_rx *lane);
/* The lane's description of a transfer of which we have claimed `own` chunks; false if there is no
 * room for it now. The peer's lock is held. And its end. */
bool ni_job_share(struct ni_op *op, uint32_t own);
void ni_job_give(struct ni_op *op);
/* Give up the copying of an operation that completes otherwise. */
void ni_job_forget(struct ni_op *op);
/* transfer.c: the kernel refuses to copy, after all. */
void ni_transfer_by_packets(struct ni_op *op);

/* ---- ask.c ----------------------------------------------------------------------------------- */

/* Ask the target for the bytes of a read; false if that cannot be done now. */
bool ni_ask_start(struct ni_op *op);
/* The answer is complete, or not wanted any more. */
void ni_ask_end(struct ni_op *op);
/* The target does not want to answer: take the bytes. */
void ni_ask_declined(struct ni_op *op);
/* Take over what was not answered in time. */
unsigned ni_ask_progress(struct ni *ni);
/* At the target; a refusal is returned, to be sent to the initiator. */
ni_status ni_ask_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet_job *request,
                        ni_handle handle, struct ni_lane_rx *lane);

/* ---- probe.c --------------------------------------------------------------------------------- */

/* Called at each idle poll with the peer sent to last. */
void ni_probe_idle(struct ni *ni, struct ni_peer *peer);
void ni_probe_arrive(struct ni_peer *peer, uint16_t tag, uint64_t stamp);

/* ---- atomic.c --------------------------------------------------------------------------------
 * ------------------- */

/* Apply to local memory, checked and aligned before. Returns the old value. */
uint64_t ni_atomic_apply(void *word, enum ni_atomic_op op, unsigned width, uint64_t operand,
                         uint64_t compare);

/* ---- peer.c ----------------------------------------------------------------------------------
 * ------------------- */

struct ni_peer *ni_peer_accept(void *core, struct ni_link *link, const void *blob, size_t len);
void ni_peer_down(void *core, struct ni_peer *peer, ni_status status);
ni_status ni_peer_get(struct ni *ni, struct ni_link *link, const void *blob, size_t len,
                      struct ni_peer **peer);
void ni_peer_free(struct ni_peer *peer);
/* Complete what could not be completed when peers went down. */
void ni_peers_settle(struct ni *ni);
/* Give back the endpoints of peers that are down, so that also those that broke the protocol learn that
 * nobody listens. Nobody is in a callback. */
void ni_peers_sever(struct ni *ni);

/* ---- progress.c ------------------------------------------------------------------------------
 * -------------------- */

/* Take the turn, waiting for it; true if it was not ours already (then give it back). */
bool ni_turn_take(struct ni *ni);
void ni_turn_give(struct ni *ni, bool taken);
/* What a waiter does after so many empty polls in a row: spin, yield, sleep at most limit_us. */
void ni_relax(struct ni *ni, unsigned empty_polls, uint64_t limit_us);
ni_status ni_lane_add(void *core, struct ni_lane_rx *lane);
void ni_lane_remove(void *core, struct ni_lane_rx *lane);
ni_status ni_deliver(void *core, struct ni_peer *peer, const struct ni_packet *packet, size_t room);

/* Indices of a QUEUE entry's objects; a COUNTER has its struct ni_counter in object 0. */
enum { NI_OBJECT_CONSUMER = 0, NI_OBJECT_ARGUMENT = 1, NI_OBJECT_BODY = 2 };

/* ---- queue.c, counter.c: what arrives there
 * ------------------------------------------------------------------------ */

struct ni_queue;
struct ni_counter;
ni_status ni_queue_push(struct ni_queue *queue, const void *item, size_t len);
void ni_queue_free(struct ni_queue *queue);
void ni_counter_free(struct ni_counter *counter);

/* ---- regions.c -------------------------------------------------------------------------------
 * --------------------- */

ni_status ni_region_insert(struct ni *ni, struct ni_region_view *view, struct ni_rkey *rkey);
bool ni_region_view(const struct ni *ni, ni_handle handle, enum ni_region_type type,
                    struct ni_region_view *view);
uint64_t ni_key_next(struct ni *ni);
void ni_regions_close(struct ni *ni);

/* ---- transfer.c ------------------------------------------------------------------------------
 * ----------------------- */

/* A Write of one packet to a region that is more than memory. data is used before the call
 * returns. */
ni_status ni_store_object(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *rkey,
                          const void *data, size_t len, const struct ni_ack *ack);

/* The number of operations has changed. The NI's lock is held. */
static inline void ni_op_count(struct ni *ni)
{
    uint32_t out = ni_pool_out(&ni->op_pool);

    ni_stat_set(&ni->stats.pending_ops, out);
    ni_stat_max(&ni->stats.pending_max, out);
}

/* ---- open.c ----------------------------------------------------------------------------------
 * -------------------- */

/* Whether calls are allowed: not in a forked child. */
static inline ni_status ni_usable(const struct ni *ni)
{
    return NI_UNLIKELY(ni->forked) ? NI_ERR_FORKED : NI_OK;
}

#endif
