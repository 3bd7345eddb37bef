/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_DEV_DEV_H
#define NI_LINK_DEV_DEV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/bits.h"
#include "base/config.h"
#include "base/list.h"
#include "base/stats.h"
#include "driver/client.h"
#include "link/dev/wire.h"
#include "link/far/far.h"
#include "link/link.h"

/*
 * The link over an APEnet+ card: processes of hosts whose cards are in one torus. It knows nothing
 * but the interface of the card's driver (driver/).
 *
 *   wire.h      what the cards of two NIs carry and reach
 *   card.c      the channel: command packets, events, the end of the card
 *   link.c      life of the link of an NI, addresses
 *   memory.c    what the cards reach: of the link, and of each peer
 *   endpoint.c  towards one peer: its struct, reserve, wake
 *   join.c      who may talk to us: hello and welcome
 *   send.c      from the lane to PUTs, and what has to be sent again
 *   receive.c   from events to the lane
 *   fetch.c     GETs: payloads, and looks at peers
 *   watch.c     when to look at a peer, to say something again, to give up
 *   end.c       peers that die, close, or are given up
 *   progress.c  polling and sleeping
 *
 * A mirrored lane, as in the link between hosts (ucx/ucx.h). The sender composes packets in a lane
 * of its own. PUTs of up to 4096 bytes carry its lines to the same place of a stage in the
 * receiver's memory, whose card puts an event for each; the receiver copies them from the stage to
 * the lane that its engine polls. The tag of a PUT is the number of its first line. A line that
 * refers to a payload in the bulk area becomes visible when that has been fetched: by a GET, from
 * the sender's bulk area to the receiver's, both registered.
 *
 * Nothing that the cards drop is lost. The receiver takes lines in their order alone, whatever
 * comes twice, or behind a gap, is ignored; what has been received and consumed it says in a state,
 * which it PUTs to the sender now and then, and which the sender GETs if it waits for it. Lines
 * that are known not to have come are sent again. GETs that fail by time are asked again.
 *
 * Who is quiet is not given up. A GET is answered by the peer's card, whatever its process does, so
 * a peer is lost if its card says that the memory is no longer there, if another process has it,
 * if its card has not answered for dev_timeout_s, or if our own card has gone.
 *
 * What comes by the card is untrusted: the source of an event is the card's word, all else is
 * checked.
 *
 * Threads. Everything is under the link's lock, but for calls of the engine, which are made from
 * progress without it.
 */

enum { NI_DEV_GETS = 12 }; /* under way at once; cards bear 64 for all */

/* ---- objects --------------------------------------------------------------------------------- */

/* A payload that a line of the peer's lane refers to. */
struct ni_dev_fetch {
    uint32_t position;
    uint32_t offset;
    uint32_t len;
    bool asked;     /* a GET is under way */
    bool there;     /* it has come */
    uint64_t word0; /* of the line, in which it is 0 until then */
};

/* A look at the state of a peer. */
enum ni_dev_look { NI_DEV_NO_LOOK, NI_DEV_LOOK_WANTED, NI_DEV_LOOKING };

struct ni_dev_peer {
    struct ni_ep ep;
    struct ni_far_peer far;      /* its list: the link's peers or graves */
    struct ni_list moved;        /* in the link's, while something of it is under way */
    struct ni_dev_peer *next_at; /* of those at the same place and port */
    struct ni_dev_link *link;
    struct ni_dev_blob blob;

    bool greeted;  /* a hello is said until it is answered */
    bool known;    /* its hello or welcome has come: the addresses below count */
    bool hellos;   /* a hello is to be said */
    bool welcomes; /* a welcome is to be said */
    bool heard;    /* it said bye */
    bool said;     /* we did */
    bool parted;   /* it has heard ours */
    bool dirty;    /* our state is to be PUT */
    uint64_t told, state, stage, bulk; /* its addresses, of its hello */
    uint32_t bye_position;
    uint64_t buried_ns;
    uint32_t buried_at; /* command packets written by then, or by when bye was said last */
    bool flushed;       /* a look that began after bye has ended */
    uint32_t gets;      /* under way */

    /* Towards it. */
    struct ni_lane_page out_page;
    struct ni_dev_out *out;
    size_t out_bytes;
    uint32_t out_handle;
    uint8_t *payload_map;
    uint32_t serial;    /* of ours */
    uint32_t theirs;    /* of the peer */
    uint32_t committed; /* by the engine, as it told us */
    uint32_t sent;      /* in command packets */
    uint32_t most;      /* the furthest that was; lines go again where some were lost */
    uint32_t acked;     /* received by the peer */
    uint32_t credit;    /* consumed by the peer */
    uint32_t fetched;   /* the peer has the payloads of all lines before this one */
    uint32_t gaps;      /* of its that were made good */

    /* From it. */
    struct ni_lane_rx rx;
    struct ni_lane_page in_page;
    struct ni_dev_in *in;
    size_t in_bytes;
    uint32_t in_handle;
    uint8_t *ring;       /* of the lane that the engine polls */
    uint32_t cleared;    /* lines before this one were consumed, and wiped */
    uint32_t high;       /* received */
    uint32_t credited;   /* consumed lines that it was told of */
    uint32_t bulk_bytes; /* fetched since then */
    uint32_t bulk_count;
    bool missing;                                /* something behind `high` has come */
    uint32_t fetch_head, fetch_next, fetch_tail; /* come in, to be asked next, out; free running */
    struct ni_dev_fetch fetches[NI_LANE_BULK_RECORDS];
    _Atomic uint32_t wishes;

    /* watch.c */
    enum ni_dev_look look;
    bool refused;       /* its card says that its memory is no longer there */
    bool doubted;       /* a payload did not come in time: a look has to, before any is asked for */
    uint32_t repeated;  /* where that ended the last time; acked, if nothing was */
    bool repeat;        /* the first line that is not acknowledged is to be sent again */
    uint64_t looked_ns; /* when the last look began */
    uint64_t silent_ns; /* how long its card has left looks unanswered */
    uint64_t moved_ns;  /* when something was begun, acknowledged or repeated */
    uint64_t again_ns;  /* from then to a repetition */
};

struct ni_dev_get {
    struct ni_dev_peer *peer;   /* NULL: nobody waits for it any more */
    struct ni_dev_fetch *fetch; /* NULL: a look */
    uint32_t number;
    uint64_t since_ns;
    bool used;
};

struct ni_dev_link {
    struct ni_far_link far;
    struct ni_stats *stats;
    const struct ni_config *config;
    struct apelink_client client;
    _Atomic bool gone; /* the card */
    int rouse_fd;
    _Atomic uint32_t wishes;
    uint32_t peer_count;
    struct ni_list moved;
    struct ni_list graves;
    struct ni_dev_peer **at; /* by place and port */
    bool *met;               /* likewise: somebody of this job was there */
    uint32_t nodes;
    uint32_t size[3]; /* of the torus */
    uint8_t *mailbox;
    size_t mailbox_bytes;
    struct ni_dev_identity *identity;
    size_t identity_bytes;
    struct ni_dev_get gets[NI_DEV_GETS];
    uint32_t gets_used;
    uint32_t payloads_most; /* of the GETs: fewer after one that did not come in time */
    uint32_t serial;
    uint32_t connections; /* made so far */
    uint64_t now_ns;      /* for how long it was watched, never 0: the clock of all that is here */
    uint64_t clock_ns;    /* when that was last brought up to date */
    uint64_t card_ns;     /* when the card was last looked for */
    uint32_t lost;        /* events that the card has given up, as last seen */
    uint64_t lost_ns;     /* when that changed; 0: never */
    uint32_t countdown;
    uint32_t empty_polls;  /* in a row */
    _Atomic unsigned naps; /* so many times it sleeps rather than yields */
    bool leaving;          /* it is being closed: nobody joins any more */
    struct ni_dev_blob blob;
};

static inline struct ni_dev_link *ni_dev_link_of(struct ni_link *link)
{
    return ni_container_of(link, struct ni_dev_link, far.base);
}

static inline struct ni_dev_peer *ni_dev_peer_of(struct ni_ep *ep)
{
    return ni_container_of(ep, struct ni_dev_peer, ep);
}

static inline bool ni_dev_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* Whether its card may answer a GET, as far as we know. */
static inline bool ni_dev_answers(const struct ni_dev_peer *peer)
{
    ni_status ending = ni_far_ending(&peer->far);

    return peer->in != NULL && !peer->refused && ending != NI_ERR_CABLE && ending != NI_ERR_CARD;
}

/* Something of the peer is under way now: polls look at it until that has ended. */
static inline void ni_dev_moved(struct ni_dev_peer *peer)
{
    if (!ni_list_linked(&peer->moved)) {
        ni_list_push_back(&peer->link->moved, &peer->moved);
    }
}

static inline uint8_t *ni_dev_out_ring(const struct ni_dev_peer *peer)
{
    return (uint8_t *)(peer->out + 1);
}

static inline size_t ni_dev_ring_bytes(uint32_t lines)
{
    return (size_t)(lines + lines / 2) * NI_LINE; /* ni_lane_ring_lines */
}

static inline uint8_t *ni_dev_out_bulk(const struct ni_dev_peer *peer)
{
    return ni_dev_out_ring(peer) + ni_dev_ring_bytes(peer->link->blob.ring);
}

static inline uint8_t *ni_dev_in_stage(const struct ni_dev_peer *peer)
{
    return (uint8_t *)(peer->in + 1);
}

static inline uint8_t *ni_dev_in_bulk(const struct ni_dev_peer *peer)
{
    return ni_dev_in_stage(peer) + ni_dev_ring_bytes(peer->blob.ring);
}

/* ---- card.c: the lock is held, here and below, where a function does not say otherwise ------- */

/* Open the device. Errors are logged. */
ni_status ni_dev_card_open(struct ni_dev_link *link);
/* Look whether the card is there; all peers end if it is not. */
bool ni_dev_card_there(struct ni_dev_link *link);
/* PUT bytes of ours, which are registered and stay until they were read. False: there is no room
 * now. */
struct ni_dev_put {
    const void *from;
    uint64_t to;
    uint32_t len;
    uint32_t tag;
    bool answer; /* the receiver is to say how far it is */
};
bool ni_dev_put(struct ni_dev_peer *peer, const struct ni_dev_put *put);
/* GET bytes of the peer; the event has this number. False: there is no room now. */
bool ni_dev_get(struct ni_dev_peer *peer, void *to, uint64_t from, uint32_t len, uint32_t number);
/* Take events until there are none, or so many. Returns how many. */
unsigned ni_dev_events(struct ni_dev_link *link, unsigned most);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* The link's mailbox and what is to be read. Errors are logged. */
ni_status ni_dev_link_memory(struct ni_dev_link *link);
void ni_dev_link_unmap(struct ni_dev_link *link);
/* A peer's lanes, once. Errors are logged. */
ni_status ni_dev_peer_memory(struct ni_dev_peer *peer);
void ni_dev_peer_unmap(struct ni_dev_peer *peer);

/* ---- endpoint.c ------------------------------------------------------------------------------ */

/* The peer with this blob, made if it is new; NULL without memory. */
struct ni_dev_peer *ni_dev_peer_get(struct ni_dev_link *link, const struct ni_dev_blob *blob);
void ni_dev_peer_free(struct ni_dev_peer *peer);
/* Number of a place and port; UINT32_MAX: it is not in our torus. */
uint32_t ni_dev_index(const struct ni_dev_link *link, uint32_t place, uint32_t port);

/* Without the lock: operations of the link. */
ni_status ni_dev_connect(struct ni_link *link, const void *blob, size_t len, struct ni_peer *peer,
                         struct ni_ep **ep);
void ni_dev_disconnect(struct ni_ep *ep);
void ni_dev_lose(struct ni_ep *ep, ni_status status);
ni_status ni_dev_reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet,
                         bool *in_lane);
void ni_dev_wake(struct ni_ep *ep);
int ni_dev_describe(const struct ni_ep *ep, char *text, size_t size);

/* ---- join.c ---------------------------------------------------------------------------------- */

/* NI_OK: bytes are a blob of this link, which is copied. No lock needed. */
ni_status ni_dev_blob_check(const struct ni_dev_link *link, const void *bytes, size_t len,
                            struct ni_dev_blob *blob, char *reason, size_t reason_size);
/* Something was PUT into the mailbox, by the card and port of this number. */
void ni_dev_on_mail(struct ni_dev_link *link, uint32_t index, uint32_t len);
/* Say hello until it is answered. */
ni_status ni_dev_greet(struct ni_dev_peer *peer);
/* Send what of hello and welcome is due. */
void ni_dev_join(struct ni_dev_peer *peer);
/* Count and log what nobody is known to have sent. */
void ni_dev_stranger(struct ni_dev_link *link, const char *what);

/* ---- send.c ---------------------------------------------------------------------------------- */

/* Hand over what is committed, and our state if it is due. */
void ni_dev_pump(struct ni_dev_peer *peer);
/* What a peer says of itself: a copy. */
void ni_dev_on_state(struct ni_dev_peer *peer, const struct ni_dev_state *state);
/* Fill in our state. */
void ni_dev_fill_state(struct ni_dev_peer *peer);

/* ---- receive.c ------------------------------------------------------------------------------- */

/* A PUT into the peer's part of our memory. */
void ni_dev_on_put(struct ni_dev_peer *peer, const struct apelink_header *header, uint32_t tag);
/* Whether this address is in what the peer may write. */
bool ni_dev_is_in(const struct ni_dev_peer *peer, uint64_t address);
/* A payload has come: its line and those of others that have may be read. */
void ni_dev_fetched(struct ni_dev_peer *peer);
/* Wipe what the engine has consumed. */
void ni_dev_wipe(struct ni_dev_peer *peer);
/* The peer broke the protocol. */
void ni_dev_broken(struct ni_dev_peer *peer);

/* ---- fetch.c --------------------------------------------------------------------------------- */

/* Ask for payloads, as many as may be under way, and for a look. */
void ni_dev_fetch(struct ni_dev_peer *peer);
/* A GET has ended; code as in its event. */
void ni_dev_on_get(struct ni_dev_link *link, uint32_t number, unsigned code);
/* How many payloads are asked for at once to begin with. */
enum { NI_DEV_PAYLOADS = 4 };
/* The event of those from before link->lost_ns may never come: ask again. */
void ni_dev_lost_gets(struct ni_dev_link *link);

/* ---- watch.c --------------------------------------------------------------------------------- */

/* The clock, and when it is time the card and all peers. It goes on by a tenth of a second at most
 * from one call to the next, so that nobody is given up for what he could not be heard to say. */
void ni_dev_watch(struct ni_dev_link *link);
/* Something of it was begun or acknowledged. */
void ni_dev_touch(struct ni_dev_peer *peer);
/* A look has ended: the state that it got, or NULL: not in time. */
void ni_dev_looked(struct ni_dev_peer *peer, const struct ni_dev_state *state);

/* ---- end.c ----------------------------------------------------------------------------------- */

extern const struct ni_far_ops ni_dev_far_ops;
/* The peer goes, with this status: what it sent is read first. */
void ni_dev_end(struct ni_dev_peer *peer, ni_status status);
/* Say bye, and move it to the graves. */
void ni_dev_bury(struct ni_dev_peer *peer, enum ni_dev_bye bye);
/* Free those of whom nothing is under way any more. */
void ni_dev_graves(struct ni_dev_link *link);
/* The link closes: say bye to all, and wait for a bounded time until it was heard. */
void ni_dev_farewell(struct ni_dev_link *link);

/* ---- progress.c ------------------------------------------------------------------------------ */

unsigned ni_dev_progress(struct ni_link *link);
/* With the lock: a poll without the engine. */
void ni_dev_step(struct ni_dev_link *link);
bool ni_dev_arm(struct ni_link *link, bool (*has_work)(void *core));
void ni_dev_sleep(struct ni_link *link, uint64_t timeout_us);
void ni_dev_wait(struct ni_link *link, uint64_t timeout_us, bool (*has_work)(void *core));
void ni_dev_rouse(struct ni_link *link);
unsigned ni_dev_descriptors(struct ni_link *link, int fds[NI_LINK_DESCRIPTORS]);
void ni_dev_slept(struct ni_link *link);
void ni_dev_wish(struct ni_link *link, uint32_t wishes);

#endif
