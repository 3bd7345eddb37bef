/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LIMITS_H
#define DNP_LIMITS_H

#include "driver/packet.h"

/*
 * The numbers of the card. APEnet+ 3.1.1.1 and Table 9, where not marked as ours.
 */
enum {
    DNP_PACKET_WORDS =
        2 + APELINK_PAYLOAD_MAX / APELINK_WORD, /* of the longest: with header and footer */
    DNP_LINKS = 6,
    DNP_VCS = 2,          /* receiving FIFOs of a link */
    DNP_CHANNELS = 4,     /* process ids have two bits */
    DNP_FIFO_MIN = 512,   /* words */
    DNP_FIFO_MAX = 16384, /* ours; credits count modulo 65536 */
    DNP_RED_MAX = DNP_FIFO_MAX,
    DNP_LINK_SHUT = 4,    /* a link that was down stays shut for link_timeout over this; ours */
    DNP_RING_MAX = 65536, /* entries; ours */
};

#endif
