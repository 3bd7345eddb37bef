/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_LINK_H
#define NI_LINK_LINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/ni.h>
#include <apeni/status.h>

#include "link/lane.h"
#include "link/packet.h"

/*
 * The contract between the engine and a link. A link moves packets and copies memory; it knows
 * neither regions nor what packets mean. The engine knows no ring layout, socket or process.
 *
 * Life: open makes the link of an NI. blob describes how to reach it. For a peer's blob, reach says
 * whether this link can get there; connect makes an endpoint without waiting for the peer. The
 * engine composes packets in ep->tx (lane_inl.h); when that has no room, or before the link has
 * given the endpoint a lane, it calls reserve and commit, which may use another path, keep order,
 * and may set up the lane. Arriving packets are either read by the engine from lanes that the link
 * announced with core->lane_add, or delivered one by one with core->deliver from within progress.
 * disconnect and close give everything back.
 *
 * Threads: the engine serialises calls for one endpoint or peer (connect, reserve, commit, and
 * everything on ep->tx), which may come while another thread is in a call for another one, or in
 * progress. It calls progress, disconnect, lane_* and all other operations of one link from one
 * thread at a time. copy may be called by several threads at once.
 *
 * Rails. Beside tx there may be more lanes to the same peer, over which the engine spreads packets
 * that may arrive in any order (engine/send/multipath.h). The receiver polls each as it polls any
 * lane; packets keep their order within a rail. All rails of an endpoint end together.
 *
 * Failure: a link that finds a peer dead, closed or talking nonsense calls core->peer_down once,
 * from within progress, and from then on fails reserve with that status. It stays usable for all
 * other peers. When the engine has been told, nothing more is written to the endpoint's lane, and
 * it is disconnected as soon as the operations to the peer are completed and no callback of the
 * engine is under way: after progress has returned, not from within peer_down.
 */

enum { NI_LINK_DESCRIPTORS = 2 };

struct ni_link;
struct ni_ep;
struct ni_table_export;

/* What a link may call: implemented by the engine, core is its argument. */
struct ni_core_ops {
    /* A peer with this blob sends to us: returns the engine's peer, made if new, or NULL to
     * refuse. */
    struct ni_peer *(*accept)(void *core, struct ni_link *link, const void *blob, size_t len);
    /* Start and stop polling a lane. After lane_remove returns the lane is not touched any more. */
    ni_status (*lane_add)(void *core, struct ni_lane_rx *lane);
    void (*lane_remove)(void *core, struct ni_lane_rx *lane);
    /* Poll a lane no more until lane_unpark. From within progress; false: not now, it is polled
     * still. */
    bool (*lane_park)(void *core, struct ni_lane_rx *lane);
    /* Poll it again, from the next look at the lanes on. No effect on a lane that is polled. */
    void (*lane_unpark)(void *core, struct ni_lane_rx *lane);
    /* A packet in the link's own memory, `room` bytes of which may be read; valid during the
     * call. Returns NI_OK; NI_AGAIN: keep it, deliver it again later; or NI_ERR_PROTOCOL: it was
     * malformed. */
    ni_status (*deliver)(void *core, struct ni_peer *peer, const struct ni_packet *packet,
                         size_t room);
    /* Call ops->review of the endpoints that nobody holds. From within progress; now in ns. */
    void (*review)(void *core, uint64_t now);
    /* The peer is gone, or broke the protocol. */
    void (*peer_down)(void *core, struct ni_peer *peer, ni_status status);
    /* The link has looked at the clock: from within progress, holding nothing of its own; now in
     * ns. It may call ops->lose. */
    void (*tick)(void *core, uint64_t now);
};

struct ni_link_attr {
    const struct ni_core_ops *core_ops;
    void *core;
    const struct ni_open_attr *open; /* valid during open */
    uint64_t address;                /* random number that names the NI */
    unsigned rails;                  /* lanes from each sender that there may be; 1 or more */
    struct ni_stats *stats;
};

enum ni_copy_direction { NI_COPY_FROM_PEER, NI_COPY_TO_PEER };

/* The engine's half of an endpoint: links embed it first in their own. */
struct ni_ep {
    const struct ni_link_ops *ops;
    struct ni_link *link;
    struct ni_peer *peer; /* set by connect */
    /* The lane. tx.lines is NULL until the link has made it; then tx.limit may only be raised by
     * the engine. While NULL, head, limit are 0, so that the engine's fast path falls through to
     * reserve. */
    struct ni_lane_tx tx;
    unsigned rails;   /* lanes to the peer that there may be, tx among them; 0 or 1: no others */
    bool copy;        /* ops->copy reaches the peer's memory (probed) */
    bool same_memory; /* the peer's addresses are valid here: plain memcpy */
    bool broke; /* the engine's, before disconnect: the peer broke the protocol, and shall know */
    _Atomic bool met; /* where ops->torus: something was said to it, or by it, so that it is missed
                       * when no way is left */
    size_t max_lines; /* longest packet that reserve gives, in lines */
    size_t max_bulk;  /* longest payload for the lane's bulk area; 0 without, at the latest when
                       * reserve has made a lane that has none */
    uint32_t
        ring_payload; /* longer payloads go to the bulk area; 0: as the engine does by itself */
    size_t segment;   /* payload of a packet of a long transfer, at most; 0: as segment_size says */
    /* The peer's exported buffer table in shared memory, or NULL. Contents untrusted. */
    const struct ni_table_export *exported;
    size_t exported_count;
    /* Not 0: the peer sleeps. Never NULL. May be read late: sleepers wake by themselves. */
    const _Atomic uint32_t *sleeping;
    /* Not 0: the peer sleeps or does not poll the lane, call ops->wake after committing. Never
     * NULL. May be read late: it looks by itself now and then. */
    const _Atomic uint32_t *unpolled;
    /* What the peer asks of those that send to it: bits of enum ni_wish. Never NULL, in the same
     * line as the word above, contents untrusted. */
    const _Atomic uint32_t *wishes;
};

/* A text for people that stays valid as long as the program. */
struct ni_long_way {
    const char *text; /* "by packets"; NULL: not known yet */
    const char *rest; /* the end of the text where it varies, or NULL */
};

enum ni_wish {
    NI_WISH_HEADERS_ONLY = 1, /* memory for unexpected messages is half used: keep data, or wait */
};

struct ni_link_ops {
    const char *name; /* "shm", "inproc", "ucx", "dev" */
    unsigned id;      /* in address blobs */
    const char *help; /* whom it reaches, for people */
    bool in_place;    /* packets appear in lanes without progress: peers write them there */
    bool torus;       /* they go through the torus of cards that the fault manager watches */

    /* Make the link of an NI; errors are logged by the link. */
    ni_status (*open)(const struct ni_link_attr *attr, struct ni_link **link);
    /* Endpoints must have been disconnected. Peers see that we closed. */
    void (*close)(struct ni_link *link);
    /* Memory that peers may read, for `count` exported table entries; NULL if the link has none, as
     * where there is no such function. */
    struct ni_table_export *(*export_area)(struct ni_link *link, size_t *count);
    /* Address blob, at most NI_BLOB_MAX - 32 bytes; returns its length. */
    size_t (*blob)(struct ni_link *link, void *blob, size_t size);
    /* NI_OK, or NI_ERR_UNREACHABLE/NI_ERR_PROTOCOL with a sentence in reason. Touches nothing. */
    ni_status (*reach)(struct ni_link *link, const void *blob, size_t len, char *reason,
                       size_t reason_size);
    /* Whether a blob, which may be anything, is of another host; NULL where the link cannot know.
     */
    bool (*elsewhere)(struct ni_link *link, const void *blob, size_t len);
    /* The random number that names the NI of a blob, which is the same in the blobs of all its
     * links; 0 if that is no blob. */
    uint64_t (*name_of)(const void *blob, size_t len);
    ni_status (*connect)(struct ni_link *link, const void *blob, size_t len, struct ni_peer *peer,
                         struct ni_ep **ep);
    void (*disconnect)(struct ni_ep *ep);

    /* Room for a packet of `lines` lines when ep->tx has none. Returns NI_OK and the place,
     * NI_AGAIN, or the peer's failure. The place may be in ep->tx (then *in_lane is true and the
     * engine commits it with ni_lane_commit) or elsewhere (ops->commit). */
    ni_status (*reserve)(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet,
                         bool *in_lane);
    /* Make rail number `rail`, 1 to ep->rails - 1, one after the other, once there is ep->tx. The
     * engine keeps *tx. If that is a lane already, it has no room: why? NI_OK: made; NI_AGAIN: not
     * now; NI_ERR_NOMEM, NI_ERR_UNSUPPORTED: do without it and those behind it; the peer's failure.
     * NULL where ep->rails is never more than 1. */
    ni_status (*rail)(struct ni_ep *ep, unsigned rail, struct ni_lane_tx *tx);
    /* Publish a packet that reserve gave outside of the lane; word0 without sequence number. NULL
     * where reserve gives none. */
    void (*commit)(struct ni_ep *ep, struct ni_packet *packet, uint64_t word0, uint32_t lines);

    /* Give back memory of the lane that is not used; now as for core->review. By the endpoint's
     * holder, while nothing waits and no packet is begun. NULL: it stays. */
    void (*review)(struct ni_ep *ep, uint64_t now);

    /* Copy between this process and the peer. NI_OK; NI_ERR_UNSUPPORTED if the medium refuses it
     * (ep->copy is cleared); NI_ERR_BOUNDS if the peer's memory is not there; NI_ERR_PEER_DEAD:
     * core->peer_down follows. NULL where ep->copy is never set. */
    ni_status (*copy)(struct ni_ep *ep, enum ni_copy_direction direction, void *local,
                      uint64_t remote, size_t len);
    /* The peer may not look: see ni_ep.unpolled. By the endpoint's holder. */
    void (*wake)(struct ni_ep *ep);

    /* Cheap enough to be called at each poll: connections, deliver, liveness (rarely). Returns
     * the number of events. */
    unsigned (*progress)(struct ni_link *link);
    /* Sleep until something may have arrived or timeout_us have passed. Announces the sleep,
     * looks once more (has_work tells whether the engine's lanes have anything), sleeps.
     * Spurious returns are fine. */
    void (*wait)(struct ni_link *link, uint64_t timeout_us, bool (*has_work)(void *core));
    /* The same in two steps, for an engine thread that lets others poll meanwhile. arm announces
     * and looks; false: something is there already, and nothing is announced. Then sleep, which is
     * all that may be called while others call the link; it ends the announcement. */
    bool (*arm)(struct ni_link *link, bool (*has_work)(void *core));
    void (*sleep)(struct ni_link *link, uint64_t timeout_us);
    /* For links that sleep together (several.h); NULL: this one cannot. The descriptors of which
     * one becomes readable when something arrives, or rouse is called, while the link is armed;
     * returns their number, which is 0 if it has none now. From the first call on, armed means
     * that. */
    unsigned (*descriptors)(struct ni_link *link, int fds[NI_LINK_DESCRIPTORS]);
    /* The end of a sleep on them, in the place of sleep: also that may be called while others call
     * the link. */
    void (*slept)(struct ni_link *link);
    /* End a sleep, or the one that begins now. Any thread. */
    void (*rouse)(struct ni_link *link);
    /* Tell all who send to us: bits of enum ni_wish. One caller at a time changes them. */
    void (*wish)(struct ni_link *link, uint32_t wishes);
    /* For people: mechanism of copies, state. As snprintf. */
    int (*describe)(const struct ni_ep *ep, char *text, size_t size);
    /* How long messages go to the endpoint's peer, and why so; for people. */
    struct ni_long_way (*way)(const struct ni_ep *ep);
    /* The peer's host has failed: end the peer as one that was found dead, NI_ERR_PEER_DEAD; or no
     * way through the torus is left, NI_ERR_CABLE. core->peer_down follows, when what it had sent
     * is read. NULL: the link knows better. */
    void (*lose)(struct ni_ep *ep, ni_status status);
};

struct ni_link {
    const struct ni_link_ops *ops;
    /* Of a link that asks the kernel in each progress: whether the last found anything. Others are
     * polled less often in its favour, or it in theirs (several.h). */
    bool found;
};

extern const struct ni_link_ops ni_link_shm;
extern const struct ni_link_ops ni_link_inproc;
extern const struct ni_link_ops ni_link_ucx; /* where UCX was found when this was built */
extern const struct ni_link_ops ni_link_dev;

/* Why a blob is none that can be reached, for ops->reach; reason may be NULL. Returns status. */
ni_status ni_link_refuse(ni_status status, const char *why, char *reason, size_t reason_size);

/* All of them. */
extern const struct ni_link_ops *const ni_links[];
extern const size_t ni_link_count;

#endif
