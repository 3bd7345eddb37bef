/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_SHM_SHM_H
#define NI_LINK_SHM_SHM_H

#include <pthread.h>
#include <sys/types.h>

#include "base/config.h"
#include "base/list.h"
#include "base/stats.h"
#include "link/link.h"
#include "link/shm/layout.h"
#include "link/shm/segment.h"
#include "link/shm/shrink.h"

/*
 * The link between processes of one host: packets through shared memory, copies by the kernel.
 *
 *   layout.h    what is shared, and its protocol    link.c      open, close, the operations
 *   counts.c    sizes                               connect.c   endpoints, from blob to seat
 *   geometry.c  offsets                             file.c      the memfd of a segment
 *   segment.c   segments as this process has them   send.c      packets out, until there is a lane
 *   seat.c      places in a receiver's segment      receive.c   packets in, until there is a lane
 *   area.c      memory of lanes                     watch.c     who lives, who has left; endings
 *   host.c      what "the same host" means          copy.c      copies between address spaces
 *   socket.c    segments handed out by their owners progress.c  polling, sleeping, waking
 *   rails.c     more lanes of one sender            identity.c  whom the kernel copies from and to
 *   park.c      lanes that are not polled           grow.c, shrink.c  their memory, as it is needed
 *
 * Reaching a peer. Its blob names its process and its segment's descriptor. First
 * /proc/<pid>/fd/<n> is opened, which works for processes of one user in one pid namespace. Where
 * it does not, the owner is asked through a socket for a descriptor; until it has answered, from
 * within its progress, the endpoint is "connecting" and takes no packets. The file must carry the
 * random key of the blob, so that no other process with the same number is taken for the peer.
 *
 * Each side has one struct ni_shm_peer for both directions with another NI. What we send goes into
 * its segment (the out part), what it sends comes into ours (the in part). The in part may be there
 * before the endpoint, when the other side was first.
 *
 * Ending. A peer ends when its process is found dead, when it has left its seat or closed its NI,
 * kicks us out of our seat, or breaks the protocol. What it had sent before is still taken; then
 * core->peer_down is called, once, and its seat is freed. Each disconnect ends both directions.
 *
 * Threads. reserve, commit and what they touch (the out part, ep) belong to the thread that holds
 * the endpoint; progress, wait, disconnect and close (the in part, seats, endings) to the thread
 * that polls. Between the two are atomic fields, each with its edge named. connect may run beside
 * progress: the list of peers has a lock, which is never held while calling the core.
 *
 * Fork. The child has the mappings (so that code that still runs there, such as exit handlers, does
 * not crash) but no locks, so the parent's death is noticed even while the child lives. Closing the
 * link in the child only gives back memory and descriptors of the child; nothing shared is written.
 */

enum ni_shm_stage {
    NI_SHM_UNCONNECTED, /* the engine has no endpoint yet */
    NI_SHM_CONNECTING,  /* the owner was asked for its segment */
    NI_SHM_ATTACHED,    /* mapped; packets go through slots once we have a seat */
};

enum { NI_SHM_INFLIGHT = 16 };

/* A rail to a peer; area NULL: none. */
struct ni_shm_rail {
    struct ni_shm_area *area;
    uint8_t *payload_map;
};

/* One from a peer. */
struct ni_shm_in_rail {
    struct ni_shm_area *area;
    struct ni_lane_rx rx;
};

/* A peer's in part and out part; ep is first, links and the engine see only that. */
struct ni_shm_peer {
    struct ni_ep ep;
    struct ni_list list; /* in link->peers */
    uint64_t key;        /* of its segment: who it is */
    uint32_t process;    /* its number in its own pid namespace, for people */
    struct ni_shm_link *link;

    /* Shared by both parts. Written by the poller (E1, release), read by the endpoint's holder
     * (acquire): not NI_OK, nothing more is sent. */
    _Atomic int status;
    /* Written by the endpoint's holder (E2, release), read by the poller (acquire): why the peer
     * must end. */
    _Atomic int broken; /* set by ni_shm_break */

    /* Out part. */
    enum ni_shm_stage stage;
    struct ni_shm_blob blob; /* that connect was called with */
    /* E3: set by connect or, when the owner has answered, by the poller (release); read by both
     * (acquire). */
    struct ni_shm_segment *_Atomic segment;
    bool asked;         /* the owner, for its segment, and it has not answered */
    uint64_t ask_again; /* time of the next question */
    pid_t pid;          /* in our pid namespace, 0 if unknown */
    /* E4: generation << 32 | seat + 1, or 0 (release by the holder, acquire by the poller, who
     * takes it away when the core knows that the peer is down). */
    _Atomic uint64_t out_seat;
    uint32_t out_number;                 /* of the next packet through slots */
    uint32_t out_slot;                   /* claimed, not committed: number + 1, or 0 */
    uint32_t out_slots[NI_SHM_INFLIGHT]; /* slots of the last packets, by number */
    uint32_t out_taken; /* number of the oldest packet that may still be in its slot */
    uint32_t lane_from; /* number of packets after which a lane is made */
    uint32_t patience;  /* calls of reserve until a seat is looked for again */
    uint64_t no_seat;   /* time since which there is none, ns; 0: not looked for, or found */
    struct ni_shm_area *out_area;
    uint8_t *payload_map;
    bool out_bulk;
    bool out_narrow;       /* it could not have the larger ring */
    bool out_full;         /* a packet has found no room in it since its laps are counted */
    bool out_full_lately;  /* since the last review */
    uint32_t out_slow;     /* credits that took long since its laps are counted */
    uint32_t out_reviewed; /* its head then */
    struct ni_shm_quiet out_quiet;
    struct ni_shm_rail out_rails[NI_RAILS_MAX - 1];
    const char *copy_reason; /* why ep.copy is false */
    /* Where the kernel says that it has lost its memory; NULL: not looked for yet. Any thread. */
    const struct ni_shm_life *_Atomic life;

    /* In part. */
    struct ni_peer *in_peer; /* the engine's; as ep.peer, once there is an endpoint */
    int64_t in_seat;         /* -1: none */
    uint32_t in_number;      /* of the next packet through slots */
    uint32_t delivering;     /* packets from slots that the core is looking at */
    struct ni_shm_area *in_area;
    uint64_t no_memory; /* time since which its lane cannot be mapped, ns; 0: it can */
    bool in_lane;       /* the engine has rx */
    struct ni_lane_rx rx;
    bool in_parked;       /* but does not poll it; park.c */
    bool in_announced;    /* rx.page->unpolled was set at a review, and nothing has come since */
    uint32_t in_reviewed; /* rx.seq at the last review */
    unsigned in_rails;    /* beside it */
    struct ni_shm_in_rail *in_rail[NI_RAILS_MAX - 1];

    bool held; /* connect has it; under link->lock */

    /* Ending: why, or NI_OK; the poller's. */
    ni_status ending;
    uint64_t ending_at;   /* when it was found, ns */
    uint32_t ending_tail; /* of the lanes together, when one last moved */
    bool down;            /* the core was told */
};

/* What the owner knows of a seat. */
enum ni_shm_phase {
    NI_SHM_IDLE = 0, /* nothing was taken from it */
    NI_SHM_ACTIVE,   /* peer is set */
    NI_SHM_DEAF,     /* what still comes is dropped, until the sender leaves */
};

struct ni_shm_seat {
    enum ni_shm_phase phase;
    struct ni_shm_peer *peer;
    struct ni_memory_wait wait; /* to know who sits there */
};

/* The area of a peer that was disconnected by a handler of its packets, which may still be reading:
 * unmapped in close. */
struct ni_shm_grave {
    struct ni_list list;
    struct ni_shm_area *area;
    struct ni_shm_in_rail *rail; /* of which it was, or NULL */
};

/* What makes two processes neighbours. */
struct ni_shm_host {
    uint64_t host;
    uint64_t pid_ns, net_ns, user_ns;
    uint32_t uid, real_uid;
};

struct ni_shm_link {
    struct ni_link base;
    /* hot */
    struct ni_shm_header *header; /* of the own segment */
    uint32_t countdown;           /* polls until the clock is read */
    enum ni_shm_sleep sleeps;     /* how */
    bool retry;                   /* a packet was not accepted, offer it again */
    uint64_t pending;             /* bits of the doorbell whose slots are not all done */

    const struct ni_core_ops *core_ops;
    void *core;
    struct ni_stats *stats;
    const struct ni_config *config;
    struct ni_shm_segment *segment; /* the own one */
    struct ni_shm_seat *seats;
    uint32_t seats_known; /* seats from here on are IDLE, and always were */
    uint8_t *slots_busy;  /* per slot: 1 while its packet is being delivered */
    uint32_t polled;      /* first lanes of peers that the engine polls */
    pthread_mutex_t lock; /* of the list of peers; a leaf */
    struct ni_list peers;
    struct ni_list graves; /* struct ni_shm_grave */
    pid_t pid;
    struct ni_shm_host host;
    struct ni_shm_blob blob;
    uint32_t lane_from; /* of its peers */
    int socket;
    uint64_t nonce;                   /* of our questions: random */
    _Atomic uint32_t connecting;      /* peers that wait for an answer */
    _Atomic uint32_t trouble;         /* some peer is broken */
    uint32_t endings;                 /* peers that are ending */
    uint64_t next_tick;               /* ns */
    uint64_t next_check, next_review; /* ns */
};

static inline struct ni_shm_link *ni_shm_link_of(struct ni_link *link)
{
    return (struct ni_shm_link *)(void *)link;
}

static inline struct ni_shm_peer *ni_shm_peer_of(struct ni_ep *ep)
{
    return (struct ni_shm_peer *)(void *)ep;
}

/* ---- host.c ---------------------------------------------------------------------------------- */

/* host_key: see struct ni_open_attr. */
struct ni_shm_host ni_shm_host_find(uint64_t host_key);
/* Whether bytes are a blob of ours that names an NI which we may talk to; reason says why not (may
 * be NULL). */
ni_status ni_shm_blob_check(const struct ni_shm_link *link, const void *bytes, size_t len,
                            struct ni_shm_blob *blob, char *reason, size_t reason_size);

/* Whether bytes are a blob of ours that names an NI of another host. */
bool ni_shm_elsewhere(struct ni_link *link, const void *bytes, size_t len);

/* ---- socket.c -------------------------------------------------------------------------------- */

/* The socket through which others ask for our segment, or -1: then they must do without. Answers
 * to our questions have this nonce. */
int ni_shm_socket_open(const struct ni_shm_blob *blob, uint64_t nonce);
/* Ask the owner of a segment for it. NI_OK: asked, or try again later; NI_ERR_UNREACHABLE: there is
 * nobody. */
ni_status ni_shm_socket_ask(struct ni_shm_link *link, const struct ni_shm_peer *peer);
/* Answer others, take answers. */
void ni_shm_socket_poll(struct ni_shm_link *link);
/* Make the socket of this name readable, which is that of the segment with this key. Any thread. */
void ni_shm_socket_wake(uint64_t name, uint64_t key);

/* ---- connect.c ------------------------------------------------------------------------------- */

/* The longest payload that always finds room in an empty bulk area of so many bytes, wherever its
 * lines begin. */
static inline size_t ni_shm_max_bulk(uint32_t bulk)
{
    return bulk == 0 ? 0 : bulk - NI_LINE;
}

/* How much of a bulk area to have, of which there are `held` bytes and `end` are needed: four times
 * as much as there is, since who needs more is busy. */
static inline uint32_t ni_shm_bulk_step(uint32_t held, uint32_t end, uint32_t most)
{
    uint64_t size = ni_max_u64(4 * (uint64_t)held, ni_align_up(end, NI_SHM_BULK_STEP));

    return (uint32_t)ni_min_u64(size, most);
}

ni_status ni_shm_connect(struct ni_link *link, const void *blob, size_t len, struct ni_peer *peer,
                         struct ni_ep **ep);
void ni_shm_disconnect(struct ni_ep *ep);
/* The peer of this blob that has not gone down; made, without either part, if there is none. NULL:
 * out of memory. With the engine's peer, which connects to it, it stays until disconnect, or until
 * ni_shm_connect has failed. */
struct ni_shm_peer *ni_shm_peer_get(struct ni_shm_link *link, const struct ni_shm_blob *blob,
                                    struct ni_peer *core);
/* Give up what the out part has, then the struct. The in part has been stopped. */
void ni_shm_peer_free(struct ni_shm_peer *peer);
/* Use the segment that was found: fills the endpoint. By the endpoint's holder. */
ni_status ni_shm_attach(struct ni_shm_peer *peer);
/* Nothing more can be sent, from any thread: progress will end the peer. Returns the status. */
ni_status ni_shm_break(struct ni_shm_peer *peer, ni_status status);
/* Ask owners again whose answers are late. */
void ni_shm_connect_poll(struct ni_shm_link *link, uint64_t now);

/* ---- send.c ---------------------------------------------------------------------------------- */

ni_status ni_shm_reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet,
                         bool *in_lane);
ni_status ni_shm_rail(struct ni_ep *ep, unsigned rail, struct ni_lane_tx *tx);
void ni_shm_commit(struct ni_ep *ep, struct ni_packet *packet, uint64_t word0, uint32_t lines);

/* ---- receive.c ------------------------------------------------------------------------------- */

/* Take what the doorbell announces; returns the number of packets. */
unsigned ni_shm_receive(struct ni_shm_link *link);
/* Whether a packet of this seat is in a slot: any, or the one with this number. */
bool ni_shm_slots_any(const struct ni_shm_link *link, uint32_t seat);
bool ni_shm_slots_has(const struct ni_shm_link *link, uint32_t seat, uint32_t number);
/* Free the slots of a seat whose sender is gone. */
void ni_shm_slots_sweep(struct ni_shm_link *link, uint32_t seat);
/* Whether all that a peer has sent was taken. */
bool ni_shm_drained(struct ni_shm_peer *peer);
/* Stop the peer's lanes; its seat takes nothing more. state tells the sender why. */
void ni_shm_in_stop(struct ni_shm_peer *peer, enum ni_shm_seat_state state);

/* ---- park.c ---------------------------------------------------------------------------------- */

/* A lane is polled from now on; it is given up. */
void ni_shm_lane_started(struct ni_shm_peer *peer);
void ni_shm_lane_stops(struct ni_shm_peer *peer);
/* Have a peer's lane polled, if it has one. */
void ni_shm_unpark(struct ni_shm_peer *peer);
/* Have those polled whose senders have rung. */
void ni_shm_answer_bells(struct ni_shm_link *link);
/* At each tick: park the lanes that are quiet. */
void ni_shm_park_quiet(struct ni_shm_link *link);
/* Before a sleep: senders shall wake us, by whatever lane. */
void ni_shm_announce_sleep(struct ni_shm_link *link);
/* Whether a lane that is parked has a packet; it is polled from now on. */
bool ni_shm_parked_have(struct ni_shm_link *link);
/* Behind a packet: tell a peer that does not poll our lane. By the endpoint's holder. */
void ni_shm_ring(struct ni_shm_peer *peer);

/* ---- grow.c ---------------------------------------------------------------------------------- */

/* A lane to a peer was made. By the endpoint's holder, as what follows. */
void ni_shm_lane_begins(struct ni_shm_peer *peer);
/* At a review: count anew how often its packets go round its ring, unless a burst found it full. */
void ni_shm_lane_reviewed(struct ni_shm_peer *peer);
/* See struct ni_lane_tx. */
bool ni_shm_more_bulk_out(struct ni_lane_tx *tx, uint32_t end);
/* See struct ni_lane_rx. */
bool ni_shm_more_bulk_in(struct ni_lane_rx *rx, uint32_t end);
ni_status ni_shm_lane_changes(struct ni_lane_rx *rx, unsigned tag);
/* There was no memory to receive from a peer, and there may be later. After a while it is an error,
 * which ends the peer: all that it wants to say is behind that. Returns whether it does. */
bool ni_shm_no_memory(struct ni_shm_peer *peer);

/* ---- rails.c --------------------------------------------------------------------------------- */

/* The next rail of a sender that has a lane. NI_ERR_PROTOCOL: it may not have one; NI_AGAIN. */
ni_status ni_shm_rail_start(struct ni_shm_link *link, struct ni_shm_peer *peer);
/* Allocate and map all of the area of a rail to the peer, where we have a seat. It is there already
 * where the receiver could not be told of it, and is counted then among what its lanes have.
 * NI_ERR_NOMEM, NI_ERR_UNSUPPORTED: there can be none. */
ni_status ni_shm_rail_make(struct ni_shm_peer *peer, unsigned number, struct ni_shm_rail *rail);
void ni_shm_rails_stop(struct ni_shm_peer *peer);
/* Whether all that a peer has written to its lanes was taken. */
bool ni_shm_lanes_drained(struct ni_shm_peer *peer);
/* Whether a handler of one of its packets is on the stack. */
bool ni_shm_reading(const struct ni_shm_peer *peer);
/* Changes when something is taken from any of its lanes. */
uint32_t ni_shm_tails(const struct ni_shm_peer *peer);
/* Keep an area that a handler reads from. rail: that it belongs to, or NULL. */
void ni_shm_bury(struct ni_shm_link *link, struct ni_shm_area *area, struct ni_shm_in_rail *rail);

/* ---- watch.c --------------------------------------------------------------------------------- */

/* Look at seats and peers; with ask, ask the kernel who lives. */
void ni_shm_watch(struct ni_shm_link *link, bool ask);
/* Let peers that are ending end. */
void ni_shm_end_poll(struct ni_shm_link *link, uint64_t now);
/* Begin the ending of a peer. */
void ni_shm_end(struct ni_shm_peer *peer, ni_status status);

/* ---- identity.c ------------------------------------------------------------------------------ */

/* Say in the blob how others know this process. NI_ERR_NOMEM, which is logged. Any thread. */
ni_status ni_shm_identity_tell(struct ni_shm_blob *blob);
/* One call of the kernel to copy between us and the process of a blob, which has this number here:
 * bytes copied, maybe fewer than len, or -1 with errno. life: of that process, or NULL. ESRCH: it
 * is not there any more, or has become another program; ENXIO: most likely so. Nothing was written
 * to another process then, and what local holds means nothing. Any thread. */
ssize_t ni_shm_identity_copy(const struct ni_shm_blob *blob, const struct ni_shm_life *life,
                             pid_t pid, enum ni_copy_direction direction, void *local,
                             uint64_t remote, size_t len);
/* Whether the kernel says that the process of a blob, in our PID namespace, has ended or become
 * another program. false: it has not, or the kernel does not say. */
bool ni_shm_identity_lost(const struct ni_shm_blob *blob);

/* ---- life.c ---------------------------------------------------------------------------------- */

/* Have the kernel say in a page for others when this process loses its memory; word: by which they
 * know the page. The descriptor by which they find it, or -1: there is none, because the calling
 * thread is not the first of the process or the kernel refuses. The registry is locked. */
int ni_shm_life_begin(uint64_t word);
/* Map that page of the process of a blob, which has this number here, or NULL. Any thread. */
const struct ni_shm_life *ni_shm_life_map(const struct ni_shm_blob *blob, pid_t pid);
/* Of who has none: it says nothing. */
extern const struct ni_shm_life ni_shm_no_life;
/* NULL and ni_shm_no_life are allowed. */
void ni_shm_life_unmap(const struct ni_shm_life *life);
/* Whether all that the kernel has copied from a process until now was of the one whose page this
 * is. false: nobody knows. Any thread. */
bool ni_shm_life_lasts(const struct ni_shm_life *life);

/* ---- copy.c ---------------------------------------------------------------------------------- */

/* Once per process: let peers copy from and to us where the kernel wants to be asked for it. */
void ni_shm_copy_permit(void);
/* Find out how copies are made: sets ep.copy, ep.same_memory and copy_reason. false: not as the
 * user demands. */
bool ni_shm_copy_probe(struct ni_shm_peer *peer);
ni_status ni_shm_copy(struct ni_ep *ep, enum ni_copy_direction direction, void *local,
                      uint64_t remote, size_t len);

/* ---- progress.c ------------------------------------------------------------------------------ */

/* The part of progress that is not done at each poll; due: it is time to look at the clock. Returns
 * the number of events. */
unsigned ni_shm_tick(struct ni_shm_link *link, bool due);
/* Have the statistic shm_bytes say how much memory the own segment has, senders' areas included. */
void ni_shm_count_memory(struct ni_shm_link *link);
void ni_shm_wake(struct ni_ep *ep);
void ni_shm_wish(struct ni_link *base, uint32_t wishes);
bool ni_shm_arm(struct ni_link *link, bool (*has_work)(void *core));
void ni_shm_sleep(struct ni_link *link, uint64_t timeout_us);
void ni_shm_rouse(struct ni_link *link);
unsigned ni_shm_descriptors(struct ni_link *link, int fds[NI_LINK_DESCRIPTORS]);
void ni_shm_slept(struct ni_link *link);
void ni_shm_wait(struct ni_link *link, uint64_t timeout_us, bool (*has_work)(void *core));

#endif
