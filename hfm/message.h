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
 *    0   4  magic, "HFMM"            24   8  number: of a ping, or of a report within its session
 *    4   1  version, 1               32   4  from, the node that sends it
 *    5   1  kind                     36   4  about, the node that a report is about
 *    6   1  subject; 7   1  0                       40   4  fault now, a fault word
 *    8   8  session of the sender    44   4  the worst since the last report that was acknowledged
 *   16   8  session of the receiver  48   8  what dnp_mac makes of all before it
 *
 * Only who has the cluster's key can make one. Sessions begin with a daemon, later ones are larger.
 * A report counts if it is of its sender's latest session, names the master's and has a larger
 * number than those before; an answer if it names the asker's session and the number that is asked.
 * So what was recorded earlier does nothing. Functions of their arguments.
 */

enum { HFM_MESSAGE_SIZE = 56 };

enum hfm_kind {
    HFM_PING = 1, /* to the master */
    HFM_PONG,     /* its answer */
    HFM_REPORT,   /* to the master */
    HFM_ACK,      /* its answer */
    HFM_KINDS,
};

struct hfm_message {
    enum hfm_kind kind;
    uint32_t from;
    uint8_t subject;  /* REPORT: HFM_OWN, or the link by which it is known */
    uint32_t about;   /* REPORT */
    uint32_t fault;   /* REPORT */
    uint32_t worst;   /* REPORT */
    uint64_t session; /* not 0 */
    uint64_t answers; /* of the one to whom it goes, 0 in a PING */
    uint64_t number;  /* not 0; PONG, ACK: of the message that they answer */
};

void hfm_message_pack(const struct hfm_message *message, const struct dnp_key *key,
                      uint8_t bytes[HFM_MESSAGE_SIZE]);

/* Take any bytes. false: they are no message of this version, or made without the key. */
bool hfm_message_unpack(struct hfm_message *message, const struct dnp_key *key,
                        const uint8_t *bytes, size_t len);

#endif
