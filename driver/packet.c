/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers and footers, packed and unpacked. */
#include "driver/packet.h"

#define BITS(word, low, bits)    ((word) >> (low) & (((uint64_t)1 << (bits)) - 1))
#define PLACED(value, low, bits) (((uint64_t)(value) & (((uint64_t)1 << (bits)) - 1)) << (low))

/* Bits of the header's upper half that mean something. */
#define HEADER_BITS 0xfc00ffff3fffffffU

static uint64_t place_pack(struct apelink_place place)
{
    return PLACED(place.x, 0, 10) | PLACED(place.y, 10, 10) | PLACED(place.z, 20, 10);
}

static struct apelink_place place_unpack(uint64_t bits)
{
    return (struct apelink_place){(uint16_t)BITS(bits, 0, 10), (uint16_t)BITS(bits, 10, 10),
                                  (uint16_t)BITS(bits, 20, 10)};
}

struct apelink_word apelink_header_pack(const struct apelink_header *header)
{
    return (struct apelink_word){
        .lo = header->address,
        .hi = place_pack(header->to) | PLACED(header->len, 32, 13) |
              PLACED(header->operation, 45, 3) | PLACED(header->port, 58, 2) |
              PLACED(header->gpu, 60, 1) | PLACED(header->gpu_id, 61, 1) |
              PLACED(header->last, 62, 1) | PLACED(header->physical, 63, 1),
    };
}

/* Whether an operation may have so much payload. */
static bool length_fits(const struct apelink_header *header)
{
    switch (header->operation) {
    case APELINK_PUT:
    case APELINK_ANSWER:
        return header->len <= APELINK_PAYLOAD_MAX;
    case APELINK_GET:
        return header->len == APELINK_WORD;
    case APELINK_REFUSE:
        return header->len == 0;
    default:
        return false;
    }
}

bool apelink_header_unpack(struct apelink_word word, struct apelink_header *header)
{
    *header = (struct apelink_header){
        .address = word.lo,
        .to = place_unpack(word.hi),
        .len = (uint16_t)BITS(word.hi, 32, 13),
        .operation = (uint8_t)BITS(word.hi, 45, 3),
        .port = (uint8_t)BITS(word.hi, 58, 2),
        .gpu = BITS(word.hi, 60, 1) != 0,
        .gpu_id = (uint8_t)BITS(word.hi, 61, 1),
        .last = BITS(word.hi, 62, 1) != 0,
        .physical = BITS(word.hi, 63, 1) != 0,
    };
    return (word.hi & ~HEADER_BITS) == 0 && length_fits(header);
}

struct apelink_word apelink_footer_pack(const struct apelink_footer *footer)
{
    return (struct apelink_word){
        .lo = place_pack(footer->from) | PLACED(footer->port, 30, 2) | (uint64_t)footer->tag << 32,
        .hi = footer->stamp | (uint64_t)footer->crc << 32,
    };
}

struct apelink_footer apelink_footer_unpack(struct apelink_word word)
{
    return (struct apelink_footer){
        .from = place_unpack(word.lo),
        .port = (uint8_t)BITS(word.lo, 30, 2),
        .tag = (uint32_t)(word.lo >> 32),
        .stamp = (uint32_t)word.hi,
        .crc = (uint32_t)(word.hi >> 32),
    };
}

struct apelink_word apelink_request_pack(const struct apelink_request *request)
{
    return (struct apelink_word){request->address, request->len};
}

bool apelink_request_unpack(struct apelink_word word, struct apelink_request *request)
{
    *request = (struct apelink_request){word.lo, (uint32_t)word.hi};
    return word.hi >> 32 == 0;
}
