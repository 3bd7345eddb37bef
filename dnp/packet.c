/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers and footers, packed and unpacked. */
#include "dnp/packet.h"

#define BITS(word, low, bits)    ((word) >> (low) & (((uint64_t)1 << (bits)) - 1))
#define PLACED(value, low, bits) (((uint64_t)(value) & (((uint64_t)1 << (bits)) - 1)) << (low))

/* Bits of the header's upper half that mean something. */
#define HEADER_BITS 0xfc00ffff3fffffffU

static uint64_t place_pack(struct dnp_place place)
{
    return PLACED(place.x, 0, 10) | PLACED(place.y, 10, 10) | PLACED(place.z, 20, 10);
}

static struct dnp_place place_unpack(uint64_t bits)
{
    return (struct dnp_place){(uint16_t)BITS(bits, 0, 10), (uint16_t)BITS(bits, 10, 10),
                              (uint16_t)BITS(bits, 20, 10)};
}

struct dnp_word dnp_header_pack(const struct dnp_header *header)
{
    return (struct dnp_word){
        .lo = header->address,
        .hi = place_pack(header->to) | PLACED(header->len, 32, 13) |
              PLACED(header->operation, 45, 3) | PLACED(header->port, 58, 2) |
              PLACED(header->gpu, 60, 1) | PLACED(header->gpu_id, 61, 1) |
              PLACED(header->last, 62, 1) | PLACED(header->physical, 63, 1),
    };
}

/* Whether an operation may have so much payload. */
static bool length_fits(const struct dnp_header *header)
{
    switch (header->operation) {
    case DNP_PUT:
    case DNP_ANSWER:
        return header->len <= DNP_PAYLOAD_MAX;
    case DNP_GET:
        return header->len == DNP_WORD;
    case DNP_REFUSE:
        return header->len == 0;
    default:
        return false;
    }
}

bool dnp_header_unpack(struct dnp_word word, struct dnp_header *header)
{
    *header = (struct dnp_header){
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

struct dnp_word dnp_footer_pack(const struct dnp_footer *footer)
{
    return (struct dnp_word){
        .lo = place_pack(footer->from) | PLACED(footer->port, 30, 2) | (uint64_t)footer->tag << 32,
        .hi = footer->stamp | (uint64_t)footer->crc << 32,
    };
}

struct dnp_footer dnp_footer_unpack(struct dnp_word word)
{
    return (struct dnp_footer){
        .from = place_unpack(word.lo),
        .port = (uint8_t)BITS(word.lo, 30, 2),
        .tag = (uint32_t)(word.lo >> 32),
        .stamp = (uint32_t)word.hi,
        .crc = (uint32_t)(word.hi >> 32),
    };
}

struct dnp_word dnp_request_pack(const struct dnp_request *request)
{
    return (struct dnp_word){request->address, request->len};
}

bool dnp_request_unpack(struct dnp_word word, struct dnp_request *request)
{
    *request = (struct dnp_request){word.lo, (uint32_t)word.hi};
    return word.hi >> 32 == 0;
}

struct dnp_word dnp_footer_seal(struct dnp_word footer, uint32_t crc)
{
    footer.hi = (uint32_t)footer.hi;
    footer.hi |= (uint64_t)dnp_crc(crc, &footer, 1) << 32;
    return footer;
}

bool dnp_footer_sealed(struct dnp_word footer, uint32_t crc)
{
    return dnp_word_equal(footer, dnp_footer_seal(footer, crc));
}
