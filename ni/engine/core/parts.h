/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PARTS_H
#define NI_ENGINE_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <apeni/multipath.h>
#include <apeni/ni.h>
#include <apeni/region.h>

#include "base/alloc.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/random.h"
#include "engine/core/source.h"
#include "engine/core/work.h"
#include "link/link.h"

/*
 * What each folder of the engine has of an NI, and of a peer: a substructure of its own, in which
 * no other folder writes but by its functions. The smaller ones are here as a whole, so that a look
 * at the NI needs no pointer, and no folder above.
 */

struct ni_bulk;
struct ni_control;
struct ni_engine;
struct ni_fault_host;
struct ni_faults;
struct ni_multipath_in;
struct ni_multipath_out;
struct ni_op_ops;
struct ni_peer;
struct ni_peer_ops;
struct ni_queue;
struct ni_queue_names;
struct ni_stores;

/* Those that have something of a peer, the lowest first: peer_ops.h. */
enum ni_folder {
    NI_FOLDER_SEND,
    NI_FOLDER_BULK,
    NI_FOLDER_OBJECT,
    NI_FOLDER_ARRIVE,
    NI_FOLDER_DRIVE,
    NI_FOLDER_PORTALS,
    NI_FOLDERS,
};

enum { NI_PEER_BUCKETS = 64, NI_LINKS_MAX = 2, NI_PROBE_ANSWERS = 16 };
#define NI_HOST_UNNUMBERED UINT32_MAX

/* ---- what these consist of ------------------------------------------------------------------- */

/* Who got the last message: most of the time the next one too. A copy of its region's entry, which
 * leaves with it; the holder of the progress lock. */
struct ni_last_consumer {
    uint64_t queue; /* handle, or NI_NO_QUEUE */
    ni_consumer_fn consumer;
    void *arg;
};

/* Where the last item went that was a message of one line: the same for a queue with items of one
 * size, of which no reader waits. */
struct ni_last_queue {
    uint64_t queue; /* handle, or NI_NO_QUEUE */
    struct ni_queue *body;
};

#define NI_NO_QUEUE UINT64_MAX /* what no packet can name */

/* A message begun and not yet committed, when it is not the common one-line packet in the lane. */
struct ni_open_message {
    struct ni_packet *packet; /* NULL: the common case */
    uint8_t *bulk;            /* payload in the bulk area, or NULL */
    uint32_t lines;
    uint8_t head;
    bool in_lane;
};

/* bulk/throttle.h */
struct ni_throttle {
    uint64_t piece;    /* bytes of the next piece; 0: none was cut yet */
    uint64_t rest_to;  /* ns; until then nothing is copied */
    bool heard, rests; /* a packet has arrived since the last piece; rest_to is to be heeded */
};

/* bulk/copy_tuner.h */
enum ni_way {
    NI_WAY_PULL,
    NI_WAY_COPY,
    NI_WAY_ALONE,
};

enum {
    NI_WAY_COUNT = 3,
    /* Each for lengths up to four times as long as those of the one before. */
    NI_COPY_TUNER_CLASSES = 5,
};

/* Reads of one class. */
struct ni_copy_tuner {
    uint64_t from_ns;            /* since when some are under way */
    uint64_t busy_ns;            /* of this block: for how long some were */
    uint64_t bytes;              /* of those that have ended */
    uint64_t cost[NI_WAY_COUNT]; /* picoseconds for a byte, by way: the least of the blocks of its
                               last turn, or of the end of that; 0: it had none yet */
    uint32_t block;              /* reads in it */
    uint32_t under_way;
    uint32_t trial;     /* reads in a trial */
    uint32_t left;      /* reads of this turn to come */
    uint32_t blocks;    /* that were measured in this turn */
    uint64_t total;     /* bytes of all reads that have ended */
    uint64_t turn_from; /* as many of them before this turn */
    bool settled;       /* trials are as rare and as short as when all memory is allocated */
    uint32_t count;     /* the first so many ways there are */
    enum ni_way way;
    enum ni_way best;  /* as fast as any: another way has its turn as a trial */
    enum ni_way tried; /* the last one that had a trial */
    uint64_t judged;   /* cost of the best when it was compared last */
    uint32_t stay;     /* the best's turn is as many reads as 1 << stay trials */
    uint32_t more;     /* parts of its turn to come behind this one */
};

/* drive/place.h */
struct ni_placed {
    enum ni_placement placement; /* TILE, EDGE or SPLIT */
    int cpu;                     /* the engine thread's; -1: any, as the system likes */
    bool own;                    /* nobody else of the job uses that core */
    bool common;                 /* none but engines of the job do */
    char why[160];               /* a clause for people */
};

/* core/address.h: a host, as addresses name it. */
struct ni_host_name {
    uint32_t number; /* of the node, as its fault manager says; NI_HOST_UNNUMBERED: unknown */
    char name[64];   /* "": unknown, and not in addresses */
};

/* ---- of an NI -------------------------------------------------------------------------------- */

struct ni_core_part {
    struct ni_lane_rx **lanes;
    uint32_t lane_count;
    uint32_t lane_capacity;
    uint32_t parked_count;
    struct ni_list parked; /* struct ni_lane_rx: lanes that are not polled */
    /* Deliver an ack that is a counter's, or any region's; object/counter does. */
    void (*ack_region)(struct ni *ni, const struct ni_ack *ack, ni_status status, uint64_t value);
    /* From here on callers write: not on the line that each poll reads, which is full now. */
    struct ni_pool op_pool;
    struct ni_work flushes;
    uint64_t serial;         /* of the next operation */
    struct ni_list departed; /* struct ni_noting: to be told; while it is not empty, one of busy */
    struct ni_list deferred; /* struct ni_deferred_call; they count in busy */
    _Atomic uint32_t late;   /* notifications of counters among them */
    struct ni_list peers;
    struct ni_peer *buckets[NI_PEER_BUCKETS];
    uint32_t initiators; /* numbers of peers given */
    uint32_t walks;      /* calls that look at peers: none goes meanwhile; under the NI's lock */
    struct ni_rng keys;
    bool keys_seeded;
    const struct ni_peer_ops *peer_ops[NI_FOLDERS]; /* NULL: it does nothing */
};

struct ni_send_part {
    struct ni_peer *_Atomic warm; /* sent to last: its lane is warmed while nothing is to do */
    struct ni_work busy;          /* peers with packets that wait */
    const struct ni_source_ops *sources[NI_SOURCES];
    struct ni_pool control_pool, stream_pool;
    struct ni_control *spare;    /* for an answer, when there is no memory; progress lock */
    unsigned rails;              /* to each peer, at most */
    enum ni_multipath multipath; /* never DEFAULT */
};

struct ni_bulk_part {
    uint32_t direct_min;      /* shorter Reads and Writes are packets, though the kernel copies */
    struct ni_work copying;   /* struct ni_bulk: transfers that we copy */
    struct ni_work requests;  /* struct ni_bulk: those that the target was asked to answer */
    struct ni_work shared_in; /* struct ni_shared_copy_in */
    const struct ni_op_ops *ops; /* how long transfers end: bulk.h */
    struct ni_pool pool, shared_in_pool;
    struct ni_throttle throttle; /* of long transfers; progress lock */
    /* Of long reads, by length; under the lock. */
    struct ni_copy_tuner copy_tuners[NI_COPY_TUNER_CLASSES];
    struct ni_copy_tuner push_tuner; /* of writes that may be offered or copied; likewise */
};

struct ni_object_part {
    struct ni_list multis;              /* struct ni_multi, unfinished; progress lock */
    uint64_t multi_pass;                /* searches for a request; progress lock */
    struct ni_queue_names *queue_names; /* NULL: none; progress lock */
};

struct ni_arrive_part {
    struct ni_last_consumer last;
    struct ni_last_queue last_queue;
};

struct ni_drive_part {
    uint32_t idle;            /* empty polls in a row */
    struct ni_engine *engine; /* NULL: there never is an engine thread */
    struct ni_list downs;
    ni_peer_down_fn down_fn;
    void *down_arg;
    unsigned host_processes, host_cores;
    _Atomic uint32_t waiters;    /* calls of ni_wait by threads of an NI that several may use */
    _Atomic uint64_t idle_since; /* ni_progress_or_sleep finds nothing since, ns; 0: it found */
    _Atomic uint32_t idle_looks; /* polls since then */
    _Atomic bool yielded;        /* the last ni_wait ended among its yields (wait.c) */
    _Atomic uint32_t
        async_puts; /* long puts of ours whose targets need us to poll; under the NI's lock */
    struct ni_placed place;
    struct ni_faults *faults; /* faults.h; NULL: not looked at */
};

struct ni_life_part {
    pid_t pid;                           /* that opened it */
    struct ni_list forks;                /* in the list of all NIs of the process */
    struct ni_link *links[NI_LINKS_MAX]; /* by preference (links.h) */
    unsigned link_count;
    struct ni_host_name host; /* where the NI is */
};

/* ---- of a peer ------------------------------------------------------------------------------- */

/* What says nothing else is under the peer's lock, or never changes. */

struct ni_peer_core_part {
    unsigned references;    /* ni_connect minus ni_disconnect; under the NI's lock */
    _Atomic bool forgotten; /* by the program, with the last of them; written likewise */
    _Atomic bool named;     /* by what outlives operations, once: it stays until the NI closes */
    struct ni_list all;     /* in ni->core.peers; under the NI's lock */
    struct ni_peer *bucket; /* next with the same hash of the blob; under the NI's lock */
    uint32_t initiator;     /* number of the peer, from 1 */
    uint64_t name;          /* of its NI, whatever the link */
    uint32_t blob_len;
    const uint8_t *blob;    /* the link's part, behind the peer */
    struct ni_long_way way; /* that of the last endpoint, for people */
};

struct ni_peer_send_part {
    bool overtake; /* a segment has left since the last message: a message may go next */
    struct ni_open_message open;
    uint64_t unacked;        /* token of the operation of Writes without an ack (unacked.h); 0: none
                                has begun */
    struct ni_list busy;     /* in ni->send.busy while waiting != 0 */
    struct ni_list controls; /* struct ni_control */
    struct ni_list requests; /* struct ni_control: Reads */
    uint32_t passed;         /* packets that have left since a waiting Read could last */
    uint32_t turns;          /* how often there was room for one since then */
    uint32_t segments;       /* of streams, sent */
    struct ni_list streams;  /* struct ni_stream */
    _Atomic uint32_t line_ns; /* observed one-way time to it, 0 before the first answer (probe.c) */
    _Atomic bool far;         /* more than far_ns: long payloads are copied in past the caches */
    uint32_t answers[NI_PROBE_ANSWERS]; /* of probes, ns; 0: none yet (probe.c); progress lock */
    uint32_t answer_count;
    uint32_t looks; /* at the credits, for the first answers (probe.c); progress lock */
    uint32_t
        probe_seq; /* number of the next packet of its lane then, 0: it had none; progress lock */
    struct ni_multipath_out *spread; /* transfers spread over rails (multipath.h); NULL: none yet */
};

struct ni_peer_bulk_part {
    uint32_t requests; /* reads that it is to answer, writes to take; under the NI's lock */
    /* It reads from us while we read from it: ask later (pull_request.c). */
    _Atomic uint64_t pull_from_ns;
    _Atomic uint64_t push_from_ns; /* it did not take a write: offer later (pull_request.c) */
    uint64_t heard_ns;             /* when it was last seen to be in the library; progress lock */
    uint32_t heard_seq;         /* of its lane, at the last look (pull_request.c); progress lock */
    uint32_t shared_busy;       /* bit n: shared copy n of our lane is in use */
    uint32_t shared_generation; /* of the last shared copy */
};

struct ni_peer_object_part {
    struct ni_stores *stores; /* remote stores (stores.h); NULL: none were made */
    uint32_t stored;          /* bytes of the open line, which waits while not 0 */
    uint64_t multi_pass;      /* the last in which it had no room for an item; progress lock */
};

struct ni_peer_arrive_part {
    struct ni_multipath_in *parts; /* multipath.h; NULL: none yet; progress lock */
};

/* Why a peer is lost, as the fault manager says: of a peer that ends with this status. */
struct ni_peer_why {
    ni_status status;
    char text[512]; /* a clause for people */
};

/* All of the holder of the progress lock. */
struct ni_peer_drive_part {
    struct ni_list down; /* in ni->drive.downs: went down, operations not completed yet */
    bool sever;          /* it broke the protocol, and its link does not know yet */
    bool settled;        /* it is down, and all operations are completed */
    bool ended;          /* its link has told so, and names nothing but the endpoint any more */
    bool untold;         /* it is down, and a caller has to be told */
    /* faults.h. NULL: its host is unknown; under the NI's lock, set once. */
    struct ni_fault_host *host;
    bool armed;                   /* its host was seen to live since it is known */
    bool parted;                  /* it was given up, as no way is left to its card */
    uint64_t met_ns;              /* since when it is known */
    struct ni_peer_why *why;      /* NULL: none that the fault manager has */
    struct ni_memory_wait packet; /* its next one, which is not in a lane */
    struct ni_memory_wait answer; /* of portals, to it */
};

#endif
