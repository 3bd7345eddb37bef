/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/tx.c, dnp/tx_fetch.c, dnp/rx.c, driver/command.c, dnp/event.c, dnp/registers.c. */
#include "dnp/crc.h"
#include "dnp_torus.h"
#include "fuzz_input.h"

/*
 * A process that writes what it likes into its ring of command packets and into registers, and a
 * neighbour that sends any packets with a right CRC. The card may write only where other cards, or
 * a GET of its own process, are allowed to: process 0 has registered one page for writing, and
 * nothing else of memory may change but the rings of events.
 */

enum { STEPS = 300, ALLOWED = DNP_PAGE };

static void write_register(struct dnp_card *card, struct input *in)
{
    uint16_t offset;
    uint32_t value;

    take(in, &offset, sizeof offset);
    take(in, &value, sizeof value);
    offset = (uint16_t)(0x400 + offset % 0x800);
    /* Where rings lie is the driver's, which does not lie. */
    if (dnp_register_at(offset) != NULL && strstr(dnp_register_at(offset)->name, "ring") != NULL) {
        return;
    }
    (void)dnp_registers_write(&card->registers, offset, value);
}

static void post(struct test_host *host, struct input *in)
{
    struct apelink_command command = {0};
    uint8_t bytes[APELINK_COMMAND_SIZE], what, port;

    take(in, &what, 1);
    take(in, &port, 1);
    take(in, bytes, what % 2 == 0 ? sizeof bytes : 8);
    if (what % 2 != 0) { /* one that makes sense, near the page */
        command.header.operation = bytes[0] % 4;
        command.header.len = command.header.operation == APELINK_PUT ? bytes[1] : 0;
        command.header.port = bytes[2] & 3;
        command.header.address = HOST_BASE + bytes[3] * 32U;
        command.address = HOST_BASE + bytes[4] * 32U;
        command.len = command.header.operation == APELINK_PUT ? bytes[1] : bytes[5] * 64U;
        command.tag = bytes[6] & 1;
        command.header.to.x = bytes[7] & 1;
        apelink_command_pack(&command, bytes);
    }
    (void)test_host_post_bytes(host, port % DNP_CHANNELS, bytes);
}

static void arrive(struct dnp_card *card, struct input *in, uint64_t now)
{
    uint8_t bytes[3 * APELINK_WORD];
    struct apelink_word word[3], control;
    struct apelink_header header = {0};
    uint32_t words;

    take(in, bytes, sizeof bytes);
    header.operation = bytes[0] % 4;
    header.len = header.operation == APELINK_GET      ? APELINK_WORD
                 : header.operation == APELINK_REFUSE ? 0
                                                      : bytes[1] % 17;
    header.port = bytes[2] & 3;
    header.physical = bytes[3] == 1;
    header.gpu = bytes[4] == 1;
    header.address = HOST_BASE + bytes[5] * 32U + bytes[6];
    word[0] = apelink_header_pack(&header);
    word[1] = apelink_word_from(bytes + APELINK_WORD);
    words = apelink_packet_words(header.len);
    word[words - 1] = dnp_footer_seal(apelink_word_from(bytes + (size_t)2 * APELINK_WORD),
                                      dnp_crc(0, word, words - 1));
    control = dnp_control_pack(&(struct dnp_control){
        .kind = DNP_START, .words = (uint16_t)words, .sent = {card->link[1].rx.seen[0]}});
    dnp_link_receive(&card->link[1], now, DNP_MAGIC);
    dnp_link_receive(&card->link[1], now, control);
    for (uint32_t i = 0; i < words; i++) {
        dnp_link_receive(&card->link[1], now, word[i]);
    }
}

static void check(struct test_host *host)
{
    for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
        for (uint32_t i = port == 0 ? ALLOWED : 0; i < HOST_SIZE; i++) {
            must(*test_host_byte(host, port, HOST_BASE + i) == 0x5a, "memory has changed");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct torus torus;
    struct input in = {data, size};
    struct test_host *host;

    torus_init(&torus, (struct ni_torus){{2, 1, 1}}, 1);
    host = &torus.host[0];
    test_host_open(host);
    memset(host->memory, 0x5a, HOST_PAGES * DNP_CHANNELS * DNP_PAGE);
    test_host_register(host, 0, HOST_BASE, ALLOWED, NI_ACCESS_ALL);
    for (int i = 0; i < STEPS && in.left > 0; i++) {
        uint8_t what;
        struct dnp_event event;

        take(&in, &what, 1);
        switch (what % 4) {
        case 0:
            write_register(host->card, &in);
            break;
        case 1:
            arrive(host->card, &in, torus.now);
            break;
        default:
            post(host, &in);
            break;
        }
        for (int cycles = what / 4; cycles > 0; cycles--) {
            (void)torus_cycle(&torus);
        }
        (void)test_host_event(host, what % DNP_CHANNELS, &event);
    }
    check(host);
    torus_fini(&torus);
    return 0;
}
