/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/link_rx.c, dnp/control.c, driver/packet.c. */
#include "dnp/control.h"
#include "dnp/crc.h"
#include "dnp/link.h"
#include "driver/packet.h"
#include "fuzz_input.h"

/*
 * A neighbour that sends whatever it likes. Each byte of the input chooses what the next word is:
 * one of the input, Magic, an announced word with a right check, or a header or footer that fit.
 * What gets into a FIFO must be whole packets with a right CRC, and no FIFO holds more than it can.
 */

enum { SIZE = 512 };

static struct apelink_word words[DNP_VCS * SIZE];
static uint32_t crc;

static struct apelink_word choose(struct input *in)
{
    uint8_t what, bytes[APELINK_WORD];
    struct apelink_word word;
    struct dnp_control control = {0};
    struct apelink_header header = {0};

    take(in, &what, 1);
    take(in, bytes, what % 8 == 2 || what % 8 == 7 ? 0 : sizeof bytes);
    word = apelink_word_from(bytes);
    switch (what % 8) {
    case 0:
    case 1:
        crc = dnp_crc(crc, &word, 1);
        return word;
    case 2:
        return DNP_MAGIC;
    case 3:
    case 4:
        crc = 0;
        control.kind = what % 8 == 3 ? DNP_CREDIT : what < 128 ? DNP_START : DNP_LITERAL;
        control.vc = bytes[0] & 1;
        control.words = (uint16_t)(2 + bytes[1] % 8);
        control.sent[0] = (uint16_t)word.hi;
        control.sent[1] = (uint16_t)(word.hi >> 16);
        control.taken[0] = (uint16_t)(word.hi >> 32);
        return dnp_control_pack(&control);
    case 5:
    case 6:
        header.len = (uint16_t)(bytes[0] % 96);
        header.operation = bytes[1] % APELINK_OPERATIONS;
        word = apelink_header_pack(&header);
        crc = dnp_crc(0, &word, 1);
        return word;
    default:
        return dnp_footer_seal((struct apelink_word){0, 0}, crc);
    }
}

static void look(struct dnp_fifo *fifo)
{
    struct apelink_header header;
    uint32_t length, sum = 0;

    must(dnp_fifo_held(fifo) <= SIZE, "an overfull FIFO");
    while (dnp_fifo_ready(fifo) > 0) {
        must(apelink_header_unpack(dnp_fifo_peek(fifo, 0), &header), "no header");
        length = apelink_packet_words(header.len);
        must(length <= dnp_fifo_ready(fifo), "a part of a packet");
        for (sum = 0; length > 1; length--) {
            struct apelink_word word = dnp_fifo_take(fifo);

            sum = dnp_crc(sum, &word, 1);
        }
        must(dnp_footer_sealed(dnp_fifo_take(fifo), sum), "a wrong CRC");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct dnp_register_file registers;
    struct dnp_link link;

    dnp_registers_reset(&registers);
    dnp_link_init(&link, &registers, 0, words, SIZE, 0);
    for (uint64_t now = 0; in.left > 0; now++) {
        struct apelink_word word = choose(&in);

        dnp_link_receive(&link, now, word);
        (void)dnp_link_room(&link, (uint8_t)(now % 2), 2);
        (void)dnp_link_send(&link, now, &word);
        if (now % 64 == 0) {
            look(&link.rx.fifo[0]);
            look(&link.rx.fifo[1]);
        }
    }
    look(&link.rx.fifo[0]);
    look(&link.rx.fifo[1]);
    return 0;
}
