/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_LANE_H
#define NI_LINK_LANE_H

#include <stdatomic.h>
#include <stdint.h>

#include <apeni/status.h>

#include "base/alloc.h"
#include "base/list.h"
#include "link/packet.h"

/*
 * A lane carries packets in one direction between two NIs through memory that both can reach: a
 * ring of cache lines, laid out so that a packet of any length lies contiguously, and beside it a
 * bulk area. It is the contract between the engine, which composes and reads packets in place, and
 * the links, which provide lanes.
 *
 * Protocol. The sender writes word 1 and the payload, then stores word 0 with the next sequence
 * number (release, L1). The receiver polls word 0 of the line at its tail (acquire, pairs with L1)
 * until the sequence number is the one it expects, reads the packet in place, moves its tail by
 * the packet's lines and stores the lines consumed (release, L2). The sender loads them (acquire,
 * pairs with L2) only when it finds no room: credits are cumulative, so none can be lost.
 *
 * No stale byte can look like a header: each line was last written either as a header, whose
 * sequence number is then too small, or as payload. The sender remembers which (payload_map,
 * private) and keeps this invariant: when a packet is published, the line behind it was last
 * written as a header or holds a marker with a wrong number. The marker costs a store to the line
 * that the receiver polls next, but only where header positions differ from the previous lap; runs
 * of equal packets never pay it.
 *
 * A packet that begins near the end of the ring runs on behind it. Either the ring is mapped twice
 * in a row, so that its beginning lies there, or it has ni_lane_ring_lines(lines) lines of memory,
 * of which only payload reaches the last third. Both sides must see the same layout; the protocol
 * is the same for both, because headers and markers always lie in the first `lines` lines.
 *
 * A lane may go on in a larger ring. The last packet of the ring before it says so: a NOP with the
 * tag NI_NOP_RING, of one line. It takes the line that is kept free for the marker, so that there
 * is room for it however full the ring is; nobody polls what is behind it. Lines and packets are
 * numbered on, and the next packet lies where its line's number says, in the larger ring, which is
 * zero, and free but for what is not taken yet of the smaller one. In the same way it may go back
 * to its first ring, with the tag NI_NOP_FIRST, when all before was taken.
 *
 * A short packet may ride in the line of the one before it, behind that one's payload: two that
 * are sent together then come together, where two lines come one after the other. What both have
 * in common is not repeated (struct ni_packet_rider). It takes a line of the lane as any packet
 * does, which stays as it is. Its first word is stored last (release, L3), and the receiver looks
 * there (acquire, pairs with L3) besides the line at its tail: first, where some have ridden
 * lately. Where it looks the packet before has stored 0; and that one's line stays as it is until
 * the rider is consumed, for which the sender remembers it in its payload_map.
 *
 * The bulk area is handed out in order and taken back in order, by the packets that refer to it.
 * When all is taken back the next payload starts at offset 0 again, so that a conversation stays
 * within few lines. Where nothing is free the sender may have more of it, at its end; and where the
 * end was in use then, when that is reached again: a sender that fills little has the receiver wait
 * for lines that are still in its own cache. When none of it is in use the sender may do without
 * its memory: NI_NOP_BULK says so before another packet refers to it.
 */

enum {
    NI_RAILS_MAX = 8,           /* lanes in a row from one NI to another */
    NI_LANE_SHARED_COPIES = 16, /* long transfers per direction in which both sides copy */
    NI_LANE_BULK_RECORDS = 64,  /* bulk payloads under way per lane; power of two */
    NI_LANE_STREAM = 3,         /* packets without an idle poll, from which on more are expected */
    NI_LANE_RODE = 8,           /* packets behind one that rode, among which others are expected */
    NI_LANE_SHORT = 3,          /* lines of packets that a stream may be of */
    NI_LANE_AHEAD = 4,          /* a stream with fewer lines than these behind its head */
    NI_LANE_CLAIM = 8           /* claims so many more */
};

/* A long transfer whose chunks both processes claim. Lives in the lane's shared page; the initiator
 * owns it. A question that is found late reads the fields while they are written for the next
 * transfer, and then claims nothing: so they are atomic, and read relaxed. */
struct ni_shared_copy {
    /* Bits 32-63 generation, 0-31 next chunk; claimed by compare-and-swap (J1). */
    _Atomic uint64_t claim;
    /* Chunks that the target has finished (release J2, read by the initiator with acquire). */
    _Atomic uint64_t helped;
    _Atomic uint32_t failed; /* 1: the target could not copy, the initiator does it all again */
    _Atomic uint32_t chunks;
    _Atomic uint64_t chunk;  /* bytes of all chunks but the last */
    _Atomic uint64_t local;  /* address in the initiator */
    _Atomic uint64_t remote; /* address in the target */
    _Atomic uint64_t len;
    _Atomic uint32_t is_read; /* 1: data moves from target to initiator */
    _Atomic uint32_t handle;  /* the target's region */
};
_Static_assert(sizeof(struct ni_shared_copy) == NI_LINE, "one line each");

/* First page of a lane's shared memory. */
struct ni_lane_page {
    _Alignas(64) _Atomic uint32_t consumed; /* lines, by the receiver (L2) */
    /* Not 0: the receiver may not look at the lane; the link's (ni_ep.unpolled). */
    _Alignas(64) _Atomic uint32_t unpolled;
    _Alignas(64) struct ni_shared_copy shared_copies[NI_LANE_SHARED_COPIES];
};

/* What the sender remembers of a line. */
enum ni_lane_map {
    NI_LANE_PAYLOAD = 1, /* it was last written as payload */
    NI_LANE_RIDDEN = 2,  /* its packet rides in the line before it */
};

/* The sender's view. Hot fields first. */
struct ni_lane_tx {
    uint8_t *lines;       /* the ring */
    uint32_t head;        /* line of the next packet, free running */
    uint32_t limit;       /* head of the line after the last free one */
    uint32_t mask;        /* lines - 1 */
    uint32_t seq;         /* of the next packet, never 0 */
    uint8_t *payload_map; /* one byte per line, enum ni_lane_map */
    struct ni_lane_page *page;
    uint8_t *bulk;      /* bulk area or NULL */
    uint32_t bulk_size; /* of it, what is there */
    uint32_t bulk_most; /* what may be there when it is needed */
    /* Have more of it there, up to end at least; raises bulk_size. false: there is no memory. NULL:
     * all of it is there. */
    bool (*grow)(struct ni_lane_tx *tx, uint32_t end);
    /* Called when room is asked for and the head has come to busy_at, with the nanoseconds that the
     * credits took: it may have the lane go on in another ring. NULL: nobody wants to know. */
    void (*busy)(struct ni_lane_tx *tx, uint64_t credits_ns);
    uint32_t busy_at;
    uint32_t bulk_head;                /* offset of the next free byte, 64-aligned */
    uint32_t bulk_tail;                /* offset of the oldest byte in use */
    uint32_t record_head, record_tail; /* free running */
    uint32_t warm_to;                  /* lines from the head to this one were claimed */
    uint32_t warm_bulk;
    uint32_t last_lines, last_bulk; /* size of the last packet: what to warm */
    uint32_t rides; /* the link's: packets in a row of which some may ride; 0: its peer does not see
                       all bytes of a line */
    struct ni_lane_ride {
        uint32_t seq;    /* of the packet that may ride; another: none may */
        uint32_t region; /* of the packet before it, and */
        uint64_t common; /* that one's word of which riders have the same */
        uint32_t heard;  /* what has come back, when the head was at */
        uint32_t from;
    } ride;
    uint32_t counted;  /* seq up to which the engine has counted packets */
    uint32_t run;      /* packets since the last idle poll */
    uint32_t empty;    /* packets that say nothing of the engine's user */
    uint32_t asked_at; /* the engine's: head when the link said last that it has no room */
    bool wire;         /* the link's: NI_FAULT_CORRUPT strikes here */
    bool damaged;      /* the next packet is to be */
    bool bulk_full;    /* nothing was free of the bulk area since there has been more of it */
    uint64_t bytes;    /* the engine's: payload of those that it has not counted */
    struct ni_lane_record {
        uint32_t line; /* free again when consumed passes it */
        uint32_t end;  /* bulk offset behind the payload */
    } records[NI_LANE_BULK_RECORDS];
};

struct ni_peer;

/* The receiver's view. */
struct ni_lane_rx {
    uint8_t *lines;
    uint32_t tail; /* line of the next packet, free running */
    uint32_t seq;  /* expected */
    uint32_t mask;
    uint32_t behind; /* lines of the packet that was taken last, without the first */
    uint32_t rides;  /* the link's: 1, packets of this lane may ride, or 0 */
    uint32_t rode;   /* not 0: some have lately, and may again */
    struct ni_lane_page *page;
    const uint8_t *bulk;
    uint32_t bulk_size, bulk_most; /* as the sender's */
    bool (*grow)(struct ni_lane_rx *rx, uint32_t end);
    /* A NOP with one of the tags NI_NOP_RING to NI_NOP_BULK was taken: ni_lane_rx_move, or
     * bulk_size is 0 again. NI_AGAIN: there is no memory now; NI_ERR_PROTOCOL: this lane has no
     * such ring. NULL: lanes stay as they are. */
    ni_status (*move)(struct ni_lane_rx *rx, unsigned tag);
    bool starved;   /* the packet that was looked at last lies where there is no memory yet */
    uint32_t most;  /* the engine's: packets to be taken by its next look */
    uint32_t depth; /* consumers of this lane on the stack: credits wait for the outermost */
    struct ni_memory_wait wait; /* the engine's: of the packet at the tail */
    struct ni_peer *peer;       /* the engine's, whose packets these are */
    struct ni_list parked;      /* the engine's: in a list while it is not polled */
    void *link_data;            /* the link's */
    struct ni_packet rider;     /* the last one, as a packet by itself */
};

#endif
