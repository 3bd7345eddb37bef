/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_PACKET_H
#define DNP_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/word.h"

/*
 * A packet: header, up to 4096 bytes of payload in words of which the last is filled with zeros,
 * footer. The paper gives the bits of the command (Table 18) and says that the CRC is in the footer
 * and that events carry the footer's bits 63-0; the rest of the layout is ours.
 *
 *   header     63 -  0   address: where the payload is to be written, or read from (GET)
 *              73 - 64   x of the target      83 - 74   y      93 - 84   z
 *             108 - 96   bytes of payload
 *             111 - 109  operation
 *             123 - 122  port id, the process of the target
 *             124        the address is one of a GPU     125   which GPU
 *             126        last packet of a transfer
 *             127        the address is physical
 *
 *   footer      9 -  0   x of the source      19 - 10   y      29 - 20   z
 *              31 - 30   port id, the process of the source
 *              63 - 32   tag, which the source chooses
 *              95 - 64   time stamp of the source, in units of 4 ns
 *             127 - 96   CRC-32 of the packet with these bits 0
 *
 * All other bits are 0.
 */

enum dnp_operation {
    DNP_PUT,    /* write the payload */
    DNP_GET,    /* a request: one word of payload, see below */
    DNP_ANSWER, /* write the payload; it was asked for */
    DNP_REFUSE, /* no payload: what was asked for is not to be had */
    DNP_OPERATIONS,
};

struct dnp_place {
    uint16_t x, y, z;
};

struct dnp_header {
    uint64_t address;
    struct dnp_place to;
    uint16_t len; /* bytes, up to DNP_PAYLOAD_MAX */
    uint8_t operation;
    uint8_t port;
    bool gpu;
    uint8_t gpu_id;
    bool last;
    bool physical;
};

struct dnp_footer {
    struct dnp_place from;
    uint8_t port;
    uint32_t tag;
    uint32_t stamp;
    uint32_t crc;
};

/* The payload of a GET: bits 63-0 where the initiator wants the bytes, 95-64 how many. */
struct dnp_request {
    uint64_t address;
    uint32_t len;
};

/* Words of a packet with so many bytes. */
static inline uint32_t dnp_packet_words(uint32_t len)
{
    return 2 + (len + DNP_WORD - 1) / DNP_WORD;
}

/* Values out of the range of their bits are cut off. */
struct dnp_word dnp_header_pack(const struct dnp_header *header);
struct dnp_word dnp_footer_pack(const struct dnp_footer *footer);

/* false: bits are set that mean nothing, the length is out of range or one that the operation
 * cannot have, or the operation is none. */
bool dnp_header_unpack(struct dnp_word word, struct dnp_header *header);

/* Each word is a footer. */
struct dnp_footer dnp_footer_unpack(struct dnp_word word);

struct dnp_word dnp_request_pack(const struct dnp_request *request);

/* false: bits are set that mean nothing. */
bool dnp_request_unpack(struct dnp_word word, struct dnp_request *request);

/* The footer with the CRC that belongs to it: crc is that of header and payload. */
struct dnp_word dnp_footer_seal(struct dnp_word footer, uint32_t crc);

/* Whether this footer has the CRC that belongs to it. */
bool dnp_footer_sealed(struct dnp_word footer, uint32_t crc);

#endif
