/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_CABLE_H
#define DNP_CABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "dnp/mac.h"
#include "driver/packet.h"
#include "dnp/registers.h"
#include "dnp/limits.h"
#include "driver/word.h"

/*
 * A cable made of datagrams (ours): words of a link, several in a frame. Bytes of a frame, the
 * least significant first:
 *
 *    0   4  magic, "APEC"             8   8  session of the sender
 *    4   1  version, 3               16   8  session of the receiver, 0: not known
 *    5   1  link on which it left    24   8  sequence number within the session, from 1
 *    6   2  words, and from bit 11 on the logarithm of the FIFOs' size; 0: not said
 *                                    32   4  board_place    36   4  board_torus of the sender
 *   40      the words
 *    +   8  what dnp_mac makes of all before it
 *
 * A frame counts if it has the cluster's key, comes from where the torus has the neighbour, whose
 * FIFOs are as large as ours (each sends as much as its own take), is of its latest session and
 * newer than all before. Words count only if it names our session, too: frames recorded from
 * earlier sessions do nothing. What does not count is counted. Datagrams may be lost; those that
 * come out of order are. Over a stream frames follow each other, as their heads say how long they
 * are.
 *
 * Sessions are chosen when a card is switched on, later ones larger, such as nanoseconds of the
 * clock on the wall. Functions of their arguments alone; not thread-safe.
 */

enum {
    DNP_FRAME_HEAD = 40,
    DNP_FRAME_WORDS = 1024,  /* at most */
    DNP_FRAME_ETHERNET = 86, /* so that a frame fits an Ethernet packet */
    DNP_FRAME_EMPTY = DNP_FRAME_HEAD + 8,
    DNP_FRAME_MAX = DNP_FRAME_EMPTY + DNP_FRAME_WORDS * APELINK_WORD,
};

enum dnp_frame_verdict {
    DNP_FRAME_GOOD,
    DNP_FRAME_MALFORMED, /* no frame of this version */
    DNP_FRAME_STRANGER,  /* another key, or somebody has changed it */
    DNP_FRAME_MISPLACED, /* a neighbour that this cable should not lead to */
    DNP_FRAME_MISFIT,    /* a neighbour whose FIFOs have another size: it would drop words */
    DNP_FRAME_STALE,     /* older than what came before, or for an earlier session */
    DNP_FRAME_VERDICTS,
};

/* What a cable does to words, for tests. */
struct dnp_cable_faults {
    uint32_t lose_ppm;
    uint32_t corrupt_ppm;
    bool broken; /* nothing passes */
};

struct dnp_cable {
    struct dnp_key key;
    unsigned link; /* of ours */
    uint32_t fifo; /* words of each receiving FIFO, a power of two, set after init; 0: not said */
    uint64_t session;
    uint64_t sent;         /* sequence number of the last frame */
    uint64_t peer_session; /* 0: none heard of */
    uint64_t peer_sent;
    uint64_t verdicts[DNP_FRAME_VERDICTS]; /* how many frames had which */
    struct apelink_place peer_place;       /* of the last misplaced one */
    uint32_t peer_fifo;                    /* of the last misfit */
};

/* session must not be 0. */
void dnp_cable_init(struct dnp_cable *cable, const struct dnp_key *key, unsigned link,
                    uint64_t session);

/* Make the next frame of up to DNP_FRAME_WORDS words, in DNP_FRAME_MAX bytes; returns its length.
 */
size_t dnp_cable_pack(struct dnp_cable *cable, const struct dnp_register_file *registers,
                      const struct apelink_word *words, uint32_t n, uint8_t *bytes);

/* Take any bytes. If it is DNP_FRAME_GOOD, n words are to be given to the link, 0 for others. */
enum dnp_frame_verdict dnp_cable_take(struct dnp_cable *cable,
                                      const struct dnp_register_file *registers,
                                      const uint8_t *bytes, size_t len,
                                      struct apelink_word words[DNP_FRAME_WORDS], uint32_t *n);

/* Bytes of the frame that begins with these, or 0: they begin none. */
size_t dnp_frame_length(const uint8_t head[DNP_FRAME_HEAD]);

/* The same where the words go another way, which nobody else can write: DNP_FRAME_EMPTY bytes,
 * whose MAC is that of the head. */
void dnp_cable_pack_head(struct dnp_cable *cable, const struct dnp_register_file *registers,
                         uint32_t n, uint8_t bytes[DNP_FRAME_EMPTY]);
enum dnp_frame_verdict dnp_cable_take_head(struct dnp_cable *cable,
                                           const struct dnp_register_file *registers,
                                           const uint8_t bytes[DNP_FRAME_EMPTY], uint32_t *n);

/* Do to n words what faults say; returns how many are left. */
uint32_t dnp_cable_spoil(const struct dnp_cable_faults *faults, struct ni_rng *rng,
                         struct apelink_word *words, uint32_t n);

/* "good", "malformed", ... */
const char *dnp_frame_verdict_name(enum dnp_frame_verdict verdict);

#endif
