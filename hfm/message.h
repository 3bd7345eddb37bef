/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_MESSAGE_H
#define HFM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dnp/mac.h"

/*
 * What host fault managers send each other over the service network, a datagram each (ours). Bytes,
 * the least significant first:
 *
 *    0   4  magic, "HFMM"            32   4  from, the node that sends it
 *    4   1  version, 2               36   4  about, the node that a report or news is about
 *    5   1  kind                     40   4  fault now, a fault word
 *    6   1  subject                  44   4  the worst since the last report that was acknowledged
 *    7   1  flags                    48   8  term
 *    8   8  session of the sender    56   8  have
 *   16   8  session of the receiver  64   4  via, the node that reported it
 *   24   8  number                   68   4  age, in us
 *                                    72   8  what dnp_mac makes of all before it
 *
 * Only who has the cluster's key can make one. Sessions begin with a daemon, later ones are larger.
 * A report counts if it is of its sender's latest session, names the master's term and has a larger
 * number than those before; an answer if it names the asker's session and the number that is asked;
 * anything else if it names the receiver's session and has a larger number than those of its kind
 * before. So what was recorded earlier does nothing. Functions of their arguments.
 */

enum { HFM_MESSAGE_SIZE = 80 };

enum hfm_kind {
    HFM_PING = 1, /* to each master */
    HFM_PONG,     /* its answer */
    HFM_REPORT,   /* to the master that acts */
    HFM_ACK,      /* its answer */
    HFM_ASK,      /* from a candidate or the master to the voters: a vote for a term */
    HFM_GRANT,    /* its answer, whether granted or not */
    HFM_NEWS,     /* from the master to a node: what it knows about another */
    HFM_KINDS,
};

/* Flags. */
#define HFM_FLAG_ACTS    0x01U /* PONG, ASK: the sender is the master */
#define HFM_FLAG_GRANTED 0x02U /* GRANT */
#define HFM_FLAG_ACKED   0x04U /* NEWS, REPORT: an operator has acknowledged the alarm */
#define HFM_FLAG_LEAVES  0x08U /* PING: the last one: the daemon ends as it was told */
#define HFM_FLAGS        0x0fU

struct hfm_message {
    enum hfm_kind kind;
    uint32_t from;
    uint8_t subject;  /* REPORT, NEWS: HFM_OWN, the link by which it is known, or HFM_SILENCE */
    uint8_t flags;    /* HFM_FLAG_ */
    uint32_t about;   /* REPORT, NEWS */
    uint32_t fault;   /* REPORT, NEWS */
    uint32_t worst;   /* REPORT */
    uint64_t session; /* not 0 */
    uint64_t answers; /* of the one to whom it goes; REPORT: its term; 0: not known yet */
    uint64_t
        number; /* not 0; PONG, ACK, GRANT: of the message that they answer; NEWS: its version */
    uint64_t
        term; /* PONG: of the master, 0 if it does not act; ASK; GRANT: the largest known; NEWS */
    uint64_t have;   /* PING: the version that the sender has; NEWS: the one that it follows; PONG,
                        GRANT: the asker's latest session, 0: none */
    uint32_t via;    /* NEWS */
    uint32_t age_us; /* REPORT, NEWS: how long ago it was seen otherwise for the last time */
};

void hfm_message_pack(const struct hfm_message *message, const struct dnp_key *key,
                      uint8_t bytes[HFM_MESSAGE_SIZE]);

/* Take any bytes. false: they are no message of this version, or made without the key. */
bool hfm_message_unpack(struct hfm_message *message, const struct dnp_key *key,
                        const uint8_t *bytes, size_t len);

#endif
