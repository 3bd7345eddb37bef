/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_INPROC_INPROC_H
#define NI_LINK_INPROC_INPROC_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/fault_inl.h"
#include "base/list.h"
#include "base/random.h"
#include "base/stats.h"
#include "link/inproc/hooks.h"
#include "link/link.h"

/*
 * The link between NIs of one process.
 *
 *   fabric.c    the fabric: who is on it
 *   port.c      what others see of an NI
 *   link.c      life of the link of an NI, addresses
 *   endpoint.c  towards one peer: reserve, copy, wake
 *   lane.c      the memory of a lane; announcing and dropping it at the receiver
 *   settle.c    peers that close or die, lanes that come and go
 *   wire.c      packets that pass one by one: seeded order, faults
 *   wait.c      sleeping
 *
 * Objects. An NI is a private part (struct ni_inproc_link), touched by its own threads only, and a
 * shared part (struct ni_inproc_port), which everybody may hold. A lane belongs to its sender and
 * its receiver together. Ports and lanes are counted; the last holder frees them, so nobody ever
 * looks at freed memory however NIs come and go.
 *
 * A lane is made by the sender at its first packet and put into the inbox of the receiver's port;
 * the receiver's progress takes it from there. The thread that changes something that a port's
 * owner has to look at raises the port's attention, the only thing besides the fabric's epoch that
 * an idle progress reads.
 *
 *   P1 port->attention, release add     -> P2 acquire load in progress: sees inbox and lane flags
 *   E1 fabric->epoch, release add       -> E2 acquire load in progress: sees states of ports
 *   G1 lane->tx_gone, release store     -> G2 acquire load by the receiver: sees all packets
 *   G3 lane->rx_gone, release store     -> G4 acquire load by the sender: sees the verdict
 *
 * Direct or wired. A direct lane is announced to the engine, which reads packets in place: they
 * are visible at once. On a fabric with a seed, and from the moment that a fault is armed, lanes
 * are wired: progress takes packets out of them and delivers them one by one (wire.c).
 */

struct ni_inproc_port;

struct ni_fabric {
    pthread_mutex_t lock;          /* ports, count, capacity, open */
    struct ni_inproc_port **ports; /* by number, in order of opening; NULL once closed */
    uint32_t count, capacity, open;
    _Atomic uint32_t epoch; /* raised when a port closes or dies (E1) */
    uint64_t key;           /* random: names the fabric in addresses */
    uint64_t seed;
    uint32_t lines; /* of a ring */
    uint32_t bulk;  /* bytes, 0 without */
    enum ni_fabric_copy copy;
    struct {
        _Atomic uint64_t dropped, delayed, duplicated, truncated, corrupted, discarded, gaps;
    } counts;
};

enum ni_inproc_state { NI_INPROC_OPEN, NI_INPROC_CLOSED, NI_INPROC_DEAD };

/* A place for a record of the exported buffer table; the engine knows what is in it. */
struct ni_inproc_record {
    _Atomic uint64_t word; /* 0: nothing */
    uint64_t rest[3];
};
_Static_assert(sizeof(struct ni_inproc_record) == 32, "as in the buffer table");

enum { NI_INPROC_RECORDS = 64 };

struct ni_inproc_port {
    _Atomic uint32_t attention; /* P1 */
    _Atomic uint32_t state;     /* enum ni_inproc_state */
    _Atomic uint32_t sleeping;  /* futex: 1 while the owner sleeps */
    _Atomic uint32_t wishes;    /* enum ni_wish */
    _Atomic uint32_t refs;
    struct ni_fabric *fabric;
    uint32_t number;
    uint64_t address;
    pthread_mutex_t lock; /* inbox, and the state's change from open */
    struct ni_list inbox; /* struct ni_inproc_lane */
    _Alignas(64) struct ni_inproc_record records[NI_INPROC_RECORDS];
};

/* A packet between two lanes' ends. */
struct ni_inproc_packet {
    struct ni_packet *packet; /* a block of just room bytes, or NULL */
    size_t room;
    uint32_t seq;
    unsigned copies; /* times that it will still arrive */
};

struct ni_inproc_lane {
    struct ni_list list; /* in the inbox, then in the receiver's lanes */
    _Atomic uint32_t refs;
    _Atomic bool tx_gone; /* the sender commits nothing more (G1) */
    _Atomic bool rx_gone; /* the receiver takes nothing more (G3) */
    ni_status verdict;    /* with rx_gone: what the sender is to report */
    struct ni_inproc_port *from;
    uint32_t connection; /* of the sender's: the same for all of its rails */
    uint8_t *bulk;

    /* the receiver's */
    struct ni_lane_rx rx;
    bool announced;     /* the engine polls it */
    bool wired;         /* we do */
    uint32_t last_tail; /* when we looked last */
    uint32_t stuck;     /* looks since then */
    uint32_t expected;  /* wired: sequence number to arrive next */
    uint32_t asked;     /* wired: last sequence number that was asked for a delay */
    uint32_t delay;     /* wired: steps to hold everything back */
    uint32_t silent;    /* wired: steps for which a packet has been missing */
    struct ni_inproc_packet held;

    struct ni_lane_page *page;
    uint8_t *ring, *payload_map;
};

struct ni_inproc_ep {
    struct ni_ep base;
    struct ni_list list; /* in the link's eps */
    struct ni_inproc_port *to;
    uint32_t connection;
    _Atomic(struct ni_inproc_lane *) lane;          /* made by reserve, looked at by progress */
    struct ni_inproc_lane *rails[NI_RAILS_MAX - 1]; /* made by rail: the holder's of the endpoint */
    _Atomic int fate;                               /* a ni_status: why nothing more can be sent */
    bool reported;                                  /* to the engine */
};

struct ni_inproc_link {
    struct ni_link base;
    struct ni_inproc_port *port;
    struct ni_fabric *fabric;
    uint32_t seen_attention, seen_epoch;
    bool unsettled;       /* look again, although nothing was raised */
    uint32_t wired;       /* lanes that are wired */
    uint32_t connections; /* made so far */
    const struct ni_core_ops *core_ops;
    void *core;
    struct ni_stats *stats;
    pthread_mutex_t lock; /* of the list of endpoints: connects come at any time */
    struct ni_list eps;
    struct ni_list lanes; /* announced or wired */
    struct ni_rng rng;    /* fabrics with a seed */
};

/* How to reach an NI of this process. */
struct ni_inproc_blob {
    uint32_t magic;
    uint32_t number;
    uint64_t fabric;
    uint64_t address;
};
_Static_assert(sizeof(struct ni_inproc_blob) == 24, "given to other NIs");

#define NI_INPROC_BLOB_MAGIC UINT32_C(0x636f7270) /* "proc" */

static inline struct ni_inproc_blob ni_inproc_blob_of(const struct ni_inproc_port *port)
{
    return (struct ni_inproc_blob){.magic = NI_INPROC_BLOB_MAGIC,
                                   .number = port->number,
                                   .fabric = port->fabric->key,
                                   .address = port->address};
}

/* Whether any fault is armed. Those that are not ours cost us the direct lanes, no more. */
static inline bool ni_inproc_faults_armed(void)
{
    return atomic_load_explicit(&ni_fault_any_armed, memory_order_relaxed);
}

/* For the counts of a fabric, which several threads raise. */
static inline void ni_inproc_count(_Atomic uint64_t *count)
{
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

static inline struct ni_inproc_link *ni_inproc_link_of(struct ni_link *link)
{
    return ni_container_of(link, struct ni_inproc_link, base);
}

static inline struct ni_inproc_ep *ni_inproc_ep_of(struct ni_ep *ep)
{
    return ni_container_of(ep, struct ni_inproc_ep, base);
}

/* ---- fabric.c ------------------------------------------------------------------------------ */

/* Put a port on the fabric, which holds it until ni_inproc_leave. NI_ERR_NOMEM, NI_ERR_LIMIT. */
ni_status ni_inproc_join(struct ni_fabric *fabric, struct ni_inproc_port *port);
void ni_inproc_leave(struct ni_inproc_port *port);
/* The open port of an address, held for the caller; NULL if there is none. */
struct ni_inproc_port *ni_inproc_find(struct ni_fabric *fabric, const struct ni_inproc_blob *blob);

/* ---- port.c -------------------------------------------------------------------------------- */

/* A port held by the caller, or NULL. */
struct ni_inproc_port *ni_inproc_port_new(struct ni_fabric *fabric, uint64_t address);
void ni_inproc_port_hold(struct ni_inproc_port *port);
void ni_inproc_port_drop(struct ni_inproc_port *port);
/* NI_OK while open, else what its peers report. */
ni_status ni_inproc_port_status(const struct ni_inproc_port *port);
/* End a port's life; only the first call counts. */
void ni_inproc_port_end(struct ni_inproc_port *port, enum ni_inproc_state state);
/* Have the owner look at its inbox and lanes. */
void ni_inproc_port_alert(struct ni_inproc_port *port);

/* ---- endpoint.c ---------------------------------------------------------------------------- */

ni_status ni_inproc_connect(struct ni_link *link, const void *blob, size_t len,
                            struct ni_peer *peer, struct ni_ep **ep);
void ni_inproc_disconnect(struct ni_ep *ep);
ni_status ni_inproc_reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet,
                            bool *in_lane);
void ni_inproc_commit(struct ni_ep *ep, struct ni_packet *packet, uint64_t word0, uint32_t lines);
ni_status ni_inproc_rail(struct ni_ep *ep, unsigned rail, struct ni_lane_tx *tx);
ni_status ni_inproc_copy(struct ni_ep *ep, enum ni_copy_direction direction, void *local,
                         uint64_t remote, size_t len);
int ni_inproc_describe(const struct ni_ep *ep, char *text, size_t size);
struct ni_long_way ni_inproc_way(const struct ni_ep *ep);

/* ---- lane.c -------------------------------------------------------------------------------- */

/* A lane from a port, held once; NULL when out of memory. */
struct ni_inproc_lane *ni_inproc_lane_new(struct ni_inproc_port *from, struct ni_lane_tx *tx);
void ni_inproc_lane_hold(struct ni_inproc_lane *lane);
void ni_inproc_lane_drop(struct ni_inproc_lane *lane);
/* The receiver takes a lane from its inbox, whose reference it takes over. NI_OK, also if the
 * engine refused the sender; else try again later. */
ni_status ni_inproc_lane_take(struct ni_inproc_link *link, struct ni_inproc_lane *lane);
/* The receiver gives a lane up: the engine stops polling it, the sender learns the verdict. */
void ni_inproc_lane_end(struct ni_inproc_link *link, struct ni_inproc_lane *lane,
                        ni_status verdict);

/* ---- settle.c ------------------------------------------------------------------------------ */

unsigned ni_inproc_progress(struct ni_link *link);
/* Nothing more can be exchanged with the process that sends on this lane, and on its other rails:
 * tell the engine, once. */
void ni_inproc_fail(struct ni_inproc_link *link, struct ni_inproc_lane *lane, ni_status status);

/* ---- wire.c -------------------------------------------------------------------------------- */

void ni_inproc_wire_start(struct ni_inproc_link *link, struct ni_inproc_lane *lane);
void ni_inproc_wire_stop(struct ni_inproc_link *link, struct ni_inproc_lane *lane);
/* Whether everything that was sent has been delivered. */
bool ni_inproc_wire_empty(const struct ni_inproc_lane *lane);
/* Whether a packet was lost and nothing has arrived since. */
bool ni_inproc_wire_missing(const struct ni_inproc_lane *lane);
/* Move some packets; returns how many. */
unsigned ni_inproc_wire_step(struct ni_inproc_link *link);
/* Whether a step could move something. */
bool ni_inproc_wire_ready(const struct ni_inproc_link *link);

/* ---- wait.c -------------------------------------------------------------------------------- */

bool ni_inproc_arm(struct ni_link *link, bool (*has_work)(void *core));
void ni_inproc_sleep(struct ni_link *link, uint64_t timeout_us);
void ni_inproc_rouse(struct ni_link *link);
void ni_inproc_wait(struct ni_link *link, uint64_t timeout_us, bool (*has_work)(void *core));
void ni_inproc_wake_port(struct ni_inproc_port *port);
void ni_inproc_wake(struct ni_ep *ep);
void ni_inproc_wish(struct ni_link *base, uint32_t wishes);

#endif
