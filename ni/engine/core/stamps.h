/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_STAMPS_H
#define NI_ENGINE_STAMPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/stamp.h>

#include "base/clock.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "link/packet.h"

/*
 * Time stamps, see apeni/stamp.h. A NOP packet behind a packet says when that was posted and when
 * it departed, and which number it had in its lane. The receiver remembers of the last packets of
 * each peer when they arrived and were delivered, and puts the two together.
 *
 * An NI that stamps has NI_WAITING_STAMPS set in the `waiting` of its peers: no packet leaves by an
 * inline path then, all pass ni_packet_reserve and ni_packet_commit. Its polls are of a case of
 * their own (enum ni_poll_case).
 */

/* More than a callback that polls finds at once. */
enum { NI_STAMPS_PENDING = 64 };

/* A packet that has arrived, until its times are complete. */
struct ni_stamp_pending {
    uint64_t id;   /* number among the stamped packets of the peer, from 1; 0: free */
    bool departed; /* post and depart are known */
    struct ni_stamp stamp;
};

/* Of a peer. */
struct ni_peer_stamps {
    /* Sending, under the peer's lock. */
    uint64_t waited; /* when what is being sent was posted; 0: now */
    uint64_t post;   /* of the packet that is being composed */
    /* Receiving, progress lock. */
    uint64_t arrivals;
    uint32_t seqs[NI_STAMPS_PENDING]; /* of those pending: their numbers in the lane */
    struct ni_stamp_pending pending[NI_STAMPS_PENDING];
    uint64_t clock;        /* the peer's */
    int64_t told;          /* its `least` of our packets */
    int64_t least_before;  /* of the period before */
    uint64_t since;        /* when this period began */
    _Atomic int64_t least; /* least of arrive - depart of this period and the one before */
    int64_t least_of_period;
};

/* No difference is known. */
#define NI_STAMPS_NONE INT64_MAX

/* What a NOP with the tag NI_NOP_STAMP says. */
struct ni_packet_stamp {
    uint64_t post, depart;
    uint64_t clock;
    int64_t least;
    uint64_t seq;
};
_Static_assert(sizeof(struct ni_packet_stamp) <= NI_PACKET_INLINE, "in the NOP's line");

/* Of an NI. Turn. */
struct ni_stamps {
    uint64_t clock;    /* whose name this is: equal means comparable */
    uint64_t error_ns; /* of a reading */
    uint32_t room;
    uint64_t count; /* complete ones, ever */
    struct ni_stamp ring[];
};

/* Begin, if the parameter says so; NI_ERR_NOMEM. */
ni_status ni_stamps_open(struct ni *ni, uint64_t host_key);
void ni_stamps_close(struct ni *ni);
/* Of a new peer. */
ni_status ni_stamps_open_peer(struct ni_peer *peer);
void ni_stamps_close_peer(struct ni_peer *peer);

/* Whether packets of this kind are stamped. */
static inline bool ni_stamps_kind(unsigned kind)
{
    const unsigned kinds = 1U << NI_PACKET_MESSAGE | 1U << NI_PACKET_WRITE | 1U << NI_PACKET_READ |
                           1U << NI_PACKET_ATOMIC | 1U << NI_PACKET_PUT | 1U << NI_PACKET_PUT_LONG |
                           1U << NI_PACKET_GET | 1U << NI_PACKET_COMBINE;

    return (kinds >> kind % 32 & 1) != 0;
}

/* When something begins to wait; 0: that does not matter. */
static inline uint64_t ni_stamps_now(const struct ni_peer *peer)
{
    return NI_UNLIKELY(peer->stamps != NULL) ? ni_now_ns() : 0;
}

/* What is sent from here on was posted then; 0: now. The peer's lock is held, as for the next
 * two. */
static inline void ni_stamps_waited(struct ni_peer *peer, uint64_t posted)
{
    if (NI_UNLIKELY(peer->stamps != NULL)) {
        peer->stamps->waited = posted;
    }
}

/* A packet is being composed. */
void ni_stamps_begin(struct ni_peer_stamps *stamps);
/* It is about to be published with this number: what follows it. */
struct ni_packet_stamp ni_stamps_depart(const struct ni_peer *peer, uint32_t seq);

/* A packet has been found: 0, or by what ni_stamps_deliver knows it. Turn, as for the rest. */
uint64_t ni_stamps_arrive(struct ni_peer *peer, uint64_t word0, uint64_t word1);
/* It has been handed on. id may be 0. */
void ni_stamps_deliver(struct ni *ni, struct ni_peer *peer, uint64_t id);
/* What a peer says of the packet before. */
void ni_stamps_told(struct ni *ni, struct ni_peer *peer, const struct ni_packet_stamp *told);

/* The times of a peer with another clock: `least` and `told` are the least differences that were
 * seen here and there. Sets error_ns, and converts post and depart if it is known. */
void ni_stamps_convert(struct ni_stamp *stamp, int64_t least, int64_t told);

#endif
