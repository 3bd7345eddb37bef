/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_MULTIPATH_H
#define NI_ENGINE_MULTIPATH_H

#include <stdint.h>

#include "engine/core/deferred.h"
#include "engine/core/peer.h"
#include "engine/send/stream.h"
#include "link/lane.h"
#include "link/packet.h"

/*
 * Transfers spread over rails (FORTH-PCI III-E, FORTH-CC 2.3): a long Write, or the answer to a
 * long Read, leaves in parts, each on the next rail that has room, and they arrive in any order.
 * Each goes to its place in memory at once; what is left to find out is when all are there.
 *
 * One mechanism serves both ways to do that. Parts carry a number, one sequence for all that an NI
 * sends to another, and the receiver marks those that it has taken in a window of NI_PARTS_WINDOW
 * behind the oldest that is missing. So it sees each part once, however much a liar repeats. It
 * tells the sender now and then how far it is, and the sender never runs more than the window
 * ahead.
 *
 *   COUNTED   the receiver counts a transfer's bytes in a counter that the sender has chosen; the
 *             last to arrive, whichever it is, completes the transfer. A Read counts in its
 *             operation.
 *   ORDERED   the last part goes on the first rail, between the messages that were sent before and
 *             after it, and waits there until all parts before it have been taken. So headers are
 *             put in order without a buffer for them: the bits of the window are all that has to be
 *             known of the others, and nothing that the peer sends later passes the transfer's
 *             completion.
 *
 * A last part for which others are missing for so long that they must be in no rail shows that its
 * sender lies: what is sent is in its rail before the next number is given.
 */

enum {
    NI_PARTS_WINDOW = 64,     /* bits of a word */
    NI_PARTS_TELL = 16,       /* parts taken between two words to the sender */
    NI_PARTS_COUNTERS = 32,   /* counted transfers under way from one NI to another */
    NI_PARTS_LOOKS = 1 << 16, /* at a part that waits for others, of which none comes */
    NI_RAILS_RETRY = 1024,    /* transfers until rails that could not be had are asked for again */
};

/* The sender's half: under the peer's lock. */
struct ni_multipath_out {
    unsigned rails; /* that there are, the peer's own lane among them */
    unsigned most;  /* that there may be */
    unsigned retry; /* transfers until there may be more again; 0: none was refused */
    unsigned next;  /* whose turn it is */
    bool stalled;
    uint64_t seq;      /* of the next part; its lower half travels */
    uint64_t taken;    /* all parts before this one have been taken, as far as we know */
    uint32_t counters; /* bit n: a stream has it */
    /* Parts before this one may still name it. */
    uint64_t counter_end[NI_PARTS_COUNTERS];
    _Atomic uint64_t packets[NI_RAILS_MAX];
    struct ni_lane_tx rail[NI_RAILS_MAX - 1]; /* without the first */
};

/* A counted transfer, where it arrives. */
struct ni_part_count {
    bool open;
    ni_status failure;
    uint64_t token; /* of its initiator's operation */
    uint64_t total, got;
    bool noted;
    struct ni_packet_note note;
};

/* The receiver's half: of the holder of the progress lock. */
struct ni_multipath_in {
    struct ni_deferred_call tell; /* in the NI's list while the sender could not be told */
    struct ni_peer *peer;
    uint32_t base;  /* the oldest part that is missing */
    uint32_t told;  /* what the sender knows of that */
    uint64_t taken; /* bit n: part base + n has been taken */
    uint32_t looks; /* at a last part that waits, since another one came */
    bool held;      /* it has been counted as such */
    struct ni_part_count counts[NI_PARTS_COUNTERS];
};

/* Decide how a stream leaves that has not begun: its way, and its counter. NI_AGAIN: not now; the
 * peer's failure. The peer's lock is held. */
ni_status ni_multipath_choose(struct ni_stream *stream);
/* Send the next part. NI_AGAIN: no room, or the window is full. The peer's lock is held. */
ni_status ni_multipath_step(struct ni_stream *stream);
/* A stream ends: what it has is free again. The peer's lock is held. */
void ni_multipath_leave(const struct ni_stream *stream);
/* Nothing more is sent to the peer. Its lock is held. */
void ni_multipath_seal(struct ni_peer *peer);
/* Free the sender's half: the NI closes. */
void ni_multipath_free(struct ni_peer *peer);

/* The peer says that it has taken all parts before this one. */
ni_status ni_multipath_taken(struct ni_peer *peer, uint64_t seq);

#endif
