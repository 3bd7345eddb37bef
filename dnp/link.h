/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LINK_H
#define DNP_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/fifo.h"
#include "dnp/registers.h"
#include "dnp/limits.h"
#include "driver/word.h"

/*
 * One end of a torus link (APEnet+ 3.1.1.1): a word leaves and a word arrives in a cycle, at most.
 *
 *   packet from a FIFO --> dnp_link_send ----- cable ----> dnp_link_receive --> rx[virtual channel]
 *             credits <-- dnp_link_receive <-- cable ------ dnp_link_send
 *
 * A packet begins only if the receiving FIFO has room for all of it, as far as credits tell: T_RED
 * is how many words may be there. Where a packet found no room, the channel waits until fewer than
 * T_YELLOW words are there. A credit leaves every C cycles, and is put between the words of a
 * packet.
 *
 * The receiver checks length and CRC of a packet before anybody sees it (ours; so errors spread no
 * further). What is not right is dropped and counted, and nothing is sent again. Each word that the
 * other side has sent is either one of a packet received (link_words) or lost (link_lost_words);
 * Starts and credits tell of those that never arrived.
 *
 * Time is in cycles, of which a 64-bit count does not wrap. Not thread-safe.
 */

enum dnp_after_magic {
    DNP_AFTER_NONE,
    DNP_AFTER_START,
    DNP_AFTER_CREDIT,
    DNP_AFTER_LITERAL,
};

struct dnp_link_tx {
    struct dnp_fifo *from; /* of the packet that leaves; NULL: none */
    uint32_t left;         /* its words that have not left */
    uint8_t vc;
    bool started;
    enum dnp_after_magic after; /* what Magic has announced */
    uint16_t sent[DNP_VCS];
    uint16_t taken[DNP_VCS]; /* of those sent, as the last credit told */
    bool red[DNP_VCS];
    uint32_t spare;
    uint64_t told_at; /* when the last credit left, and what was in it */
    uint16_t told_taken[DNP_VCS];
    uint32_t told_spare;
};

struct dnp_link_rx {
    struct dnp_fifo fifo[DNP_VCS];
    uint16_t seen[DNP_VCS]; /* words that the other side has sent */
    uint32_t left;          /* words of the packet that arrives which are to come */
    uint32_t words;         /* of all of it */
    uint32_t crc;
    uint8_t vc;
    bool magic; /* the last word was Magic */
    bool full;  /* a word of the packet found no room, or it may be old */
    uint64_t heard_at;
    uint64_t shut_until;  /* after the neighbour was missed; no credit leaves before */
    bool opens;           /* no credit has come since */
    uint32_t spare;       /* of the last credit: a diagnostic message (dnp/lofamo/fault.h), or 0 */
    uint32_t spare_worst; /* of each field the worst since this was set to spare */
};

struct dnp_link {
    struct dnp_register_file *registers;
    unsigned index; /* enum ni_torus_direction */
    struct dnp_link_tx tx;
    struct dnp_link_rx rx;
};

/* A link that is connected now. words: room for both receiving FIFOs, size words each, a power of
 * two from DNP_FIFO_MIN to DNP_FIFO_MAX. */
void dnp_link_init(struct dnp_link *link, struct dnp_register_file *registers, unsigned index,
                   struct apelink_word *words, uint32_t size, uint64_t now);

/* Whether a packet of so many words may begin on this channel; what it asked for is remembered. */
bool dnp_link_room(struct dnp_link *link, uint8_t vc, uint32_t words);

static inline bool dnp_link_busy(const struct dnp_link *link)
{
    return link->tx.from != NULL || link->tx.after == DNP_AFTER_LITERAL;
}

/* Send the first packet of a FIFO, which must have all of its words and room at the other side. The
 * link must not be busy; it takes the words out one by one and is not busy when the last has left.
 */
void dnp_link_begin(struct dnp_link *link, struct dnp_fifo *from, uint8_t vc, uint32_t words);

/* The word that leaves in this cycle; false: none. */
bool dnp_link_send(struct dnp_link *link, uint64_t now, struct apelink_word *word);

/* The words that leave in this cycle where a cycle is not that of the hardware, n at most. Returns
 * how many. */
uint32_t dnp_link_send_burst(struct dnp_link *link, uint64_t now, struct apelink_word *words,
                             uint32_t n);

/* When the next word leaves at the latest if nothing arrives: now, if one does already. */
uint64_t dnp_link_due(const struct dnp_link *link, uint64_t now);

/* A word has arrived: any word. */
void dnp_link_receive(struct dnp_link *link, uint64_t now, struct apelink_word word);

/* The same of n words, one after the other. */
void dnp_link_receive_burst(struct dnp_link *link, uint64_t now, const struct apelink_word *words,
                            uint32_t n);

/* Whether no credit came for link_timeout; then link_up is 0. */
bool dnp_link_down(struct dnp_link *link, uint64_t now);

/* Whether no packet may leave: the link is down, or was until a moment ago. What the neighbour
 * still has from before is thrown away meanwhile, because others may have been sent round the link
 * since, and again. */
bool dnp_link_shut(const struct dnp_link *link, uint64_t now);
/* Whether none is taken: a credit less long. */
bool dnp_link_refuses(const struct dnp_link *link, uint64_t now);

/* The words of the other side that hold no room here any more. */
uint16_t dnp_link_taken(const struct dnp_link *link, uint8_t vc);

/* Words that the other side may hold of ours. */
static inline uint16_t dnp_link_outstanding(const struct dnp_link *link, uint8_t vc)
{
    return (uint16_t)(link->tx.sent[vc] - link->tx.taken[vc]);
}

#endif
