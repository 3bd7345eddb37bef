/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_PACKET_H
#define APELINK_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/word.h"

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

enum { APELINK_PAYLOAD_MAX = 4096 }; /* bytes of a packet */

enum apelink_operation {
    APELINK_PUT,    /* write the payload */
    APELINK_GET,    /* a request: one word of payload, see below */
    APELINK_ANSWER, /* write the payload; it was asked for */
    APELINK_REFUSE, /* no payload: what was asked for is not to be had */
    APELINK_OPERATIONS,
};

struct apelink_place {
    uint16_t x, y, z;
};

struct apelink_header {
    uint64_t address;
    struct apelink_place to;
    uint16_t len; /* bytes, up to APELINK_PAYLOAD_MAX */
    uint8_t operation;
    uint8_t port;
    bool gpu;
    uint8_t gpu_id;
    bool last;
    bool physical;
};

struct apelink_footer {
    struct apelink_place from;
    uint8_t port;
    uint32_t tag;
    uint32_t stamp;
    uint32_t crc;
};

/* The payload of a GET: bits 63-0 where the initiator wants the bytes, 95-64 how many. */
struct apelink_request {
    uint64_t address;
    uint32_t len;
};

/* Words of a packet with so many bytes. */
static inline uint32_t apelink_packet_words(uint32_t len)
{
    return 2 + (len + APELINK_WORD - 1) / APELINK_WORD;
}

/* Values out of the range of their bits are cut off. */
struct apelink_word apelink_header_pack(const struct apelink_header *header);
struct apelink_word apelink_footer_pack(const struct apelink_footer *footer);

/* false: bits are set that mean nothing, the length is out of range or one that the operation
 * cannot have, or the operation is none. */
bool apelink_header_unpack(struct apelink_word word, struct apelink_header *header);

/* Each word is a footer. */
struct apelink_footer apelink_footer_unpack(struct apelink_word word);

struct apelink_word apelink_request_pack(const struct apelink_request *request);

/* false: bits are set that mean nothing. */
bool apelink_request_unpack(struct apelink_word word, struct apelink_request *request);

#endif
