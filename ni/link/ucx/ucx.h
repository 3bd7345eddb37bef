/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_UCX_UCX_H
#define NI_LINK_UCX_UCX_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/bits.h"
#include "base/config.h"
#include "base/list.h"
#include "base/stats.h"
#include "link/far/far.h"
#include "link/link.h"
#include "link/ucx/library.h"
#include "link/ucx/wire.h"

/*
 * The link between hosts, over UCX's public interface (UCP).
 *
 *   library.c   UCX itself, loaded when first needed; one context for all NIs of the process
 *   link.c      life of the link of an NI, addresses
 *   endpoint.c  towards one peer: its struct, reserve, wake
 *   join.c      who may talk to us: hello, welcome, bye
 *   send.c      from the lane to active messages
 *   receive.c   from active messages to the lane
 *   end.c       peers that die, close, or are given up
 *   progress.c  polling
 *   wait.c      sleeping
 *   silence.c   connections whose other end does not answer
 *   newcomers.c connections whose other end does not speak UCX, or is gone before UCX answers it
 *   strangers.c what UCX says of them
 *   descriptors.c  how many the process may have
 *   fault.c     messages that are lost, cut, late or repeated, for tests
 *
 * A mirrored lane. The sender composes packets in a lane in its own memory, as it does towards a
 * process of its host, and each active message carries a run of lines, or one packet and its bulk
 * payload, to the same place of a copy of the lane in the receiver's memory, which the receiver's
 * engine polls as any lane. So the engine and all above it know no difference, packets that were
 * committed while the network was busy travel together, memory is bounded by the lane's size, and
 * messages that overtake each other fall into place: a packet is visible when its line and all
 * before it are filled.
 *
 * The receiver wipes lines that were consumed before it gives them back, so that whatever is not
 * filled holds no header. Credits ride on everything that goes back, and alone when a good part of
 * the lane was consumed.
 *
 * Whatever comes off the network is untrusted. Nothing is accepted but with a token of 64 random
 * bits, which is given out for a hello that knows the key of the NI, from its address blob, and
 * the job's key.
 *
 * Threads. UCX is called under the link's lock, and calls us only from within. The engine is
 * called without it, from progress.
 */

enum {
    NI_UCX_AM = 11,         /* id of our active messages */
    NI_UCX_SLOTS = 64,      /* active messages under way to one peer */
    NI_UCX_SPARE = 4,       /* of those, for messages without packets */
    NI_UCX_RUN = 511,       /* lines in one active message, unless one packet has more */
    NI_UCX_PEERS = 1 << 16, /* peers of one NI */
};

/* Over TCP. What a socket is asked for at once: UCX's 64 KiB are less than a message of that length
 * with its header, and a long segment of ours goes in three parts rather than five. Part of the
 * version: a receiver has room for no more than its own. */
#define NI_UCX_TCP_SEGMENT "104k"
/* Payloads from this length on wait at the sender until the receiver asks for them. */
#define NI_UCX_TCP_EAGER "1m"

/* A message, as UCX hands it over. */
struct ni_ucx_message {
    struct ni_ucx_bulk
        bulk; /* its header, of which only the head counts if that is all there was */
    size_t header_len;
    void *data; /* where `here` is false, what UCX calls it by */
    size_t len;
    bool here; /* the data has come with it */
};

/* ---- objects --------------------------------------------------------------------------------- */

/* An active message under way. */
struct ni_ucx_slot {
    struct ni_ucx_peer *peer;
    uint32_t end; /* position up to which lines are sent when it is */
    bool done;
    union {
        struct ni_ucx_head head;
        struct ni_ucx_bulk bulk;
    };
};

/* A bulk payload that arrives by rendezvous. There is room for all that may be under way, so that
 * no connection ends because memory has run out meanwhile. */
struct ni_ucx_fetch {
    struct ni_ucx_peer *peer;
    uint32_t position;
    uint64_t line[8];
};

/* What we send through. Made with the first packet. */
struct ni_ucx_out {
    struct ni_lane_page page;
    uint8_t *ring, *bulk, *payload_map;
    uint32_t committed; /* by the engine, as it told us */
    uint32_t sent;      /* handed to UCX */
    uint32_t done;      /* given back by UCX */
    uint32_t credit;    /* consumed by the peer */
};

/* What we receive through. Made with the first packet that arrives. */
struct ni_ucx_in {
    struct ni_lane_rx rx;
    struct ni_lane_page page;
    uint8_t *ring, *bulk;
    uint32_t cleared;    /* lines before this one were consumed, and wiped */
    uint32_t high;       /* the furthest that has arrived */
    uint32_t bulk_bytes; /* arrived since the peer had credit for everything */
    uint32_t bulk_count;
    struct ni_ucx_fetch fetches[NI_LANE_BULK_RECORDS];
};
_Static_assert(NI_LANE_BULK_RECORDS == 64, "as many bits has ni_ucx_peer.fetching");

struct ni_ucx_peer {
    struct ni_ep ep;
    struct ni_far_peer far; /* its list: the link's peers or graves */
    struct ni_list moved;   /* in the link's, while something of it is under way */
    struct ni_ucx_link *link;
    ucp_ep_h ucp;         /* NULL until something is to be sent */
    void *flushing;       /* request that flushes it, before it is closed */
    void *closing;        /* request that closes it */
    uint64_t token;       /* what it calls itself to us: index and random bits */
    uint64_t their_token; /* what we call ourselves to it; 0: no hello or welcome came yet */
    uint32_t ring, bulk;  /* of its lane */
    uint32_t credited;    /* consumed lines that it knows of */
    uint64_t fetching;    /* bits: in->fetches under way */
    uint32_t hellos;      /* and welcomes to be sent: bits of 1 << enum ni_ucx_type */
    bool greeted;         /* a hello was said, or is to be said */
    bool met;             /* something of it has come */
    bool heard;           /* it said bye */
    bool said;            /* we did */
    bool answered;        /* it said bye to one who no longer listens */
    uint32_t bye_position;
    uint64_t buried_at; /* as of ni_ucx_watched */
    uint64_t gap_since; /* likewise; 0: nothing is missing */
    uint32_t gap_at;    /* the position that is, since then */
    uint32_t polls;     /* of the link, when what is sent at once was last counted, */
    uint32_t at_once;   /* and how often it was */
    uint64_t last_ns;   /* when the last packet left or began to wait */
    struct ni_ucx_out *out;
    struct ni_ucx_in *in;
    _Atomic uint32_t wishes;
    uint32_t slot_head, slot_tail; /* free running */
    struct ni_ucx_slot slots[NI_UCX_SLOTS];
    struct ni_ucx_hello hello; /* what is sent as such */
    size_t hello_len;
    struct ni_ucx_blob blob; /* of the peer */
    size_t blob_len;
};

struct ni_ucx_name {
    uint64_t token;
    struct ni_ucx_peer *peer; /* NULL: it was given up */
};

/* Packets that wait for others, and the thread that sends them if nobody polls. */
struct ni_ucx_gather {
    pthread_t thread;
    pthread_cond_t moved; /* stop, or rests */
    bool runs, fails;     /* the thread; if neither, it was not needed yet */
    bool stop;
    bool rests;      /* until a packet waits */
    uint32_t waited; /* packets, free running */
};

struct ni_ucx_link {
    struct ni_far_link far;
    struct ni_stats *stats;
    const struct ni_config *config;
    ucp_worker_h worker;
    int event_fd; /* of the worker */
    int rouse_fd;
    _Atomic uint32_t wishes;
    struct ni_list moved;  /* those of its peers that polls look at */
    struct ni_list graves; /* given up, but UCX still has something of theirs */
    struct ni_list linger; /* where the closed ones wait for answers */
    uint64_t closed_at;    /* as of ni_ucx_watched */
    uint64_t watched_ns;   /* see there */
    uint64_t watched_at;   /* ns: when that was last brought up to date */
    struct ni_list late;   /* messages that a fault holds back */
    _Atomic uint32_t late_count;
    struct ni_ucx_gather gather;
    uint32_t polls;            /* free running */
    bool leaving;              /* it is being closed: nobody joins any more */
    bool arrived;              /* there is something in a lane that was not there before */
    struct ni_ucx_name *names; /* by index in the token */
    uint32_t name_count, name_capacity;
    uint64_t next_look; /* ns: at the sockets; once closed, for those who connect */
    uint32_t countdown;
    struct ni_ucx_blob blob;
    size_t blob_len;
};

/* Sizes of our own lanes. */
static inline uint32_t ni_ucx_ring_lines(const struct ni_config *config)
{
    return (uint32_t)(ni_round_up_pow2(config->ucx_lane_size) / NI_LINE);
}

static inline uint32_t ni_ucx_bulk_size(const struct ni_config *config)
{
    return (uint32_t)ni_align_up(config->ucx_bulk_size, NI_LINE);
}

static inline struct ni_ucx_link *ni_ucx_link_of(struct ni_link *link)
{
    return ni_container_of(link, struct ni_ucx_link, far.base);
}

static inline struct ni_ucx_peer *ni_ucx_peer_of(struct ni_ep *ep)
{
    return ni_container_of(ep, struct ni_ucx_peer, ep);
}

/* Something of the peer is under way now: polls look at it until that has ended. The lock is
 * held. */
static inline void ni_ucx_moved(struct ni_ucx_peer *peer)
{
    if (!ni_list_linked(&peer->moved)) {
        ni_list_push_back(&peer->link->moved, &peer->moved);
    }
}

/* ---- endpoint.c: the lock is held where a function does not say otherwise -------------------- */

/* The peer with this blob, made if it is new; NULL without memory or names. */
struct ni_ucx_peer *ni_ucx_peer_get(struct ni_ucx_link *link, const struct ni_ucx_blob *blob,
                                    size_t len);
struct ni_ucx_peer *ni_ucx_peer_named(const struct ni_ucx_link *link, uint64_t token);
/* Whether a peer that was given up had this token: what it sent meanwhile may still come. */
bool ni_ucx_was_named(const struct ni_ucx_link *link, uint64_t token);
/* Free it. UCX has nothing of it any more. */
void ni_ucx_peer_free(struct ni_ucx_peer *peer);
/* Its endpoint of UCX, made at first use. */
ni_status ni_ucx_peer_open(struct ni_ucx_peer *peer);

/* Without the lock: operations of the link. */
ni_status ni_ucx_connect(struct ni_link *link, const void *blob, size_t len, struct ni_peer *peer,
                         struct ni_ep **ep);
void ni_ucx_disconnect(struct ni_ep *ep);
/* See struct ni_link_ops. */
void ni_ucx_lose(struct ni_ep *ep, ni_status status);
ni_status ni_ucx_reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet,
                         bool *in_lane);
void ni_ucx_wake(struct ni_ep *ep);
int ni_ucx_describe(const struct ni_ep *ep, char *text, size_t size);

/* ---- join.c ---------------------------------------------------------------------------------- */

/* NI_OK: bytes are a blob of this link, which is copied. No lock needed. */
ni_status ni_ucx_blob_check(const struct ni_ucx_link *link, const void *bytes, size_t len,
                            struct ni_ucx_blob *blob, char *reason, size_t reason_size);
void ni_ucx_on_hello(struct ni_ucx_link *link, const struct ni_ucx_head *head, const void *data,
                     size_t len);
void ni_ucx_on_welcome(struct ni_ucx_peer *peer, const void *data, size_t len);
/* Send what of hello and welcome is due. */
void ni_ucx_join(struct ni_ucx_peer *peer);
/* Have an endpoint, and say hello if neither knows the other. */
ni_status ni_ucx_greet(struct ni_ucx_peer *peer);
/* Count and log what nobody is known to have sent. */
void ni_ucx_stranger(struct ni_ucx_link *link, const char *what);

/* ---- send.c ---------------------------------------------------------------------------------- */

/* Hand over what is committed, as far as there are slots. */
void ni_ucx_pump(struct ni_ucx_peer *peer);
/* Send a message without packets; false if there is no slot now. */
bool ni_ucx_tell(struct ni_ucx_peer *peer, enum ni_ucx_type type, uint32_t position, uint32_t lines,
                 const void *data, size_t len);
/* Take back slots; lines go back to the engine. */
void ni_ucx_sent(struct ni_ucx_peer *peer);
/* The peer gives lines back. False: those were never sent. */
bool ni_ucx_credit(struct ni_ucx_peer *peer, uint32_t consumed);

/* ---- gather.c -------------------------------------------------------------------------------- */

/* Whether what was committed just now, from this position on, waits for more. The lock is held. */
bool ni_ucx_gather(struct ni_ucx_peer *peer, uint32_t committed);
/* It has left. */
void ni_ucx_left(struct ni_ucx_peer *peer);
void ni_ucx_gather_init(struct ni_ucx_link *link);
/* Without the lock: end the thread. Nothing waits any more. */
void ni_ucx_gather_end(struct ni_ucx_link *link);

/* ---- receive.c ------------------------------------------------------------------------------- */

ucs_status_t ni_ucx_on_message(void *link, const void *header, size_t header_len, void *data,
                               size_t len, const ucp_am_recv_param_t *param);
/* Wipe what the engine has consumed: whatever is sent next gives it back. */
void ni_ucx_wipe(struct ni_ucx_peer *peer);
/* The same, and give it back by itself when it is time. */
void ni_ucx_consumed(struct ni_ucx_peer *peer);
/* It is given back. */
void ni_ucx_credited(struct ni_ucx_peer *peer, uint32_t consumed);
/* A message of a peer that is known, unless that is not listened to any more. */
ucs_status_t ni_ucx_take(struct ni_ucx_peer *peer, const struct ni_ucx_message *message);
/* Packets that the peer has sent will not come. */
void ni_ucx_lost(struct ni_ucx_peer *peer, const struct ni_ucx_head *head);

/* ---- fault.c --------------------------------------------------------------------------------- */

/* While faults are armed: take it, or what one of them makes of it. */
ucs_status_t ni_ucx_strike(struct ni_ucx_peer *peer, const struct ni_ucx_message *message);
/* A poll has passed for those that are late. */
void ni_ucx_late(struct ni_ucx_link *link);
void ni_ucx_late_forget(struct ni_ucx_link *link);

/* ---- end.c ----------------------------------------------------------------------------------- */

extern const struct ni_far_ops ni_ucx_far_ops;
/* The peer goes, with this status: what it sent is read first. */
void ni_ucx_end(struct ni_ucx_peer *peer, ni_status status);
/* Say bye, close the endpoint of UCX, and move it to the graves. */
void ni_ucx_bury(struct ni_ucx_peer *peer, enum ni_ucx_bye bye);
/* Free those of which UCX has nothing any more. */
void ni_ucx_graves(struct ni_ucx_link *link);
/* Answer a bye, or a breach of the protocol, once. */
void ni_ucx_answer(struct ni_ucx_peer *peer);
/* The link closes: say bye to all, and wait for a bounded time until what was committed has
 * left. */
void ni_ucx_farewell(struct ni_ucx_link *link);
/* Free it, now or as soon as no peer can lose anything by it. Waits if no other link would see to
 * it. */
void ni_ucx_linger(struct ni_ucx_link *link);
/* Look at those that linger. */
void ni_ucx_linger_poll(void);
void ni_ucx_link_free(struct ni_ucx_link *link);

/* ---- silence.c ------------------------------------------------------------------------------- */

/* Now and then: end the connections to systems that have not answered for ucx_timeout_s. The lock
 * is held. */
void ni_ucx_look_for_silence(struct ni_ucx_link *link, uint64_t now);
/* Whether its worker has sockets that are connected, or being so. */
bool ni_ucx_has_connections(const struct ni_ucx_link *link);

/* ---- strangers.c, newcomers.c ---------------------------------------------------------------- */

/* See from now on who connects to UCX's sockets without speaking its protocol. Once, when UCX was
 * loaded. */
void ni_ucx_watch_for_strangers(void *library);
/* Log those that have said nothing for so long. */
void ni_ucx_look_for_strangers(uint64_t now, uint64_t timeout_s);
/* Before UCX reads: have it see nothing but the end of those who asked for an endpoint towards them
 * and are gone. Any thread, no lock needed; a load while nobody asks. */
void ni_ucx_look_for_the_dead(void);

/* ---- descriptors.c --------------------------------------------------------------------------- */

/* Raise the process's soft limit, as the parameter ucx_descriptors says. */
void ni_ucx_raise_descriptors(const struct ni_config *config);
/* Whether there are enough for one more connection; otherwise it is logged. */
bool ni_ucx_may_connect(const struct ni_ucx_link *link);
/* UCX has accepted a connection, and accepts more when this returns; called from within UCX. Where
 * few descriptors are left, nobody more is let in, which is logged. */
void ni_ucx_called(int fd);
/* Now and then: let everybody in again if there are enough. */
void ni_ucx_open_doors(const struct ni_ucx_link *link);

/* ---- progress.c, wait.c ---------------------------------------------------------------------- */

/* For how long the link has been watched, in ns, never 0: the clock by which peers are given up. It
 * goes on by a tenth of a second at most from one call to the next, so that nobody is given up for
 * what he could not be heard to say: while this process was stopped, or its machine suspended, or
 * while the program did not poll. The lock is held. */
uint64_t ni_ucx_watched(struct ni_ucx_link *link);
/* Have UCX look once for what there is to do. Not 0: it did something. No other thread is in a call
 * of its worker. */
unsigned ni_ucx_step(struct ni_ucx_link *link);
unsigned ni_ucx_progress(struct ni_link *link);
bool ni_ucx_arm(struct ni_link *link, bool (*has_work)(void *core));
void ni_ucx_sleep(struct ni_link *link, uint64_t timeout_us);
void ni_ucx_wait(struct ni_link *link, uint64_t timeout_us, bool (*has_work)(void *core));
void ni_ucx_rouse(struct ni_link *link);
unsigned ni_ucx_descriptors(struct ni_link *link, int fds[NI_LINK_DESCRIPTORS]);
void ni_ucx_slept(struct ni_link *link);
void ni_ucx_wish(struct ni_link *link, uint32_t wishes);

#endif
