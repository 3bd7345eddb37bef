/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LIMITS_H
#define DNP_LIMITS_H

/*
 * The numbers of the card. APEnet+ 3.1.1.1 and Table 9, where not marked as ours.
 */
enum {
    DNP_WORD = 16,                                     /* bytes that move in one cycle */
    DNP_PAYLOAD_MAX = 4096,                            /* bytes of a packet */
    DNP_PACKET_WORDS = 2 + DNP_PAYLOAD_MAX / DNP_WORD, /* of the longest: with header and footer */
    DNP_LINKS = 6,
    DNP_VCS = 2,          /* receiving FIFOs of a link */
    DNP_CHANNELS = 4,     /* process ids have two bits */
    DNP_FIFO_MIN = 512,   /* words */
    DNP_FIFO_MAX = 16384, /* ours; credits count modulo 65536 */
    DNP_RED_MAX = DNP_FIFO_MAX,
    DNP_RING_MAX = 65536, /* entries; ours */
};

#endif
