/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_DNP_FIXTURE_H
#define TESTS_UNIT_DNP_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "dnp/control.h"
#include "dnp/crc.h"
#include "dnp/fifo.h"
#include "driver/packet.h"

/* Packets as tests of links and routers need them. */

/* Put a packet with this header and footer into a FIFO, with a payload of random words, some of
 * them Magic. There must be room. */
static inline void put_packet(struct dnp_fifo *fifo, const struct apelink_header *header,
                              const struct apelink_footer *footer, struct ni_rng *rng)
{
    struct apelink_word word = apelink_header_pack(header);
    uint32_t words = apelink_packet_words(header->len) - 2;
    uint32_t crc = dnp_crc(0, &word, 1);

    dnp_fifo_put(fifo, word);
    for (uint32_t i = 0; i < words; i++) {
        word = (struct apelink_word){ni_rng_next(rng), ni_rng_next(rng)};
        if (ni_rng_below(rng, 16) == 0) {
            word = DNP_MAGIC;
        }
        if (i == words - 1 && header->len % APELINK_WORD != 0) {
            uint8_t bytes[APELINK_WORD];

            apelink_word_to(word, bytes);
            memset(bytes + header->len % APELINK_WORD, 0,
                   APELINK_WORD - header->len % APELINK_WORD);
            word = apelink_word_from(bytes);
        }
        crc = dnp_crc(crc, &word, 1);
        dnp_fifo_put(fifo, word);
    }
    dnp_fifo_put(fifo, dnp_footer_seal(apelink_footer_pack(footer), crc));
    dnp_fifo_commit(fifo);
}

/* Words of the first packet of a FIFO; 0: there is none. */
static inline uint32_t first_packet(const struct dnp_fifo *fifo, struct apelink_header *header)
{
    if (dnp_fifo_ready(fifo) == 0 || !apelink_header_unpack(dnp_fifo_peek(fifo, 0), header)) {
        return 0;
    }
    return apelink_packet_words(header->len);
}

#endif
