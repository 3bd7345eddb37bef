/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has the keys of the job and breaks the protocol of the ucx link. */
#include <string.h>

#include "base/random.h"
#include "ucx_caller.h"

enum { RANDOM_MESSAGES = 400 };

/* Each breaks the protocol in one way: it is cut off, others are not. */
static void vandal(struct ni *ni, unsigned way)
{
    static const uint8_t lines[70 * NI_LINE];
    struct ni_ucx_bulk bulk = {0};
    uint64_t malformed = caller_stat(ni, "rx_malformed");
    struct caller caller;
    size_t header_len = sizeof(bulk.head), len = NI_LINE;

    caller_join(&caller, ni);
    bulk.head = caller_head(&caller, NI_UCX_LINES);
    bulk.head.lines = 1;
    switch (way) {
    case 0: /* fewer bytes than lines */
        bulk.head.lines = 2;
        break;
    case 1: /* behind the window */
        bulk.head.position = 64;
        break;
    case 2: /* more than the ring has */
        bulk.head.lines = 65;
        len = (size_t)65 * NI_LINE;
        break;
    case 3: /* none */
        bulk.head.lines = 0;
        len = 0;
        break;
    case 4: /* reads what we never sent */
        bulk.head.consumed = 5;
        break;
    case 5: /* no such message */
        bulk.head.type = 200;
        break;
    case 6: /* a bulk payload with a short header */
        bulk.head.type = NI_UCX_BULK;
        break;
    case 7: /* outside of the bulk area */
        bulk.head.type = NI_UCX_BULK;
        bulk.line[0] = ni_packet_word0(1, NI_PACKET_MESSAGE | NI_PACKET_IN_BULK, 16, 0);
        bulk.line[1] = ni_packet_word1(NI_LINE, 0);
        bulk.line[7] = 1 << 16;
        header_len = sizeof(bulk);
        break;
    case 8: /* another length than the packet says */
        bulk.head.type = NI_UCX_BULK;
        bulk.line[0] = ni_packet_word0(1, NI_PACKET_MESSAGE | NI_PACKET_IN_BULK, 16, 0);
        bulk.line[1] = ni_packet_word1(NI_LINE + 1, 0);
        header_len = sizeof(bulk);
        break;
    default: /* a second voice */
        bulk.head.type = NI_UCX_WELCOME;
        break;
    }
    caller_say(&caller, &bulk, header_len, lines, len);
    caller_until(&caller, "rx_malformed", malformed + 1);
    caller_hang_up(&caller);
}

/* Messages of one that has all keys and says anything. */
static void babble(struct ni *ni, uint64_t seed)
{
    static uint8_t data[1 << 15];
    struct ni_ucx_bulk bulk;
    struct caller caller;
    struct ni_rng rng;

    ni_rng_seed(&rng, seed);
    caller_join(&caller, ni);
    for (unsigned i = 0; i < RANDOM_MESSAGES / 10 && !caller.said_bye; i++) {
        uint64_t lines = ni_rng_below(&rng, 8);

        for (size_t b = 0; b < sizeof(bulk); b++) {
            ((uint8_t *)&bulk)[b] = (uint8_t)ni_rng_below(&rng, 256);
        }
        bulk.head = caller_head(&caller, (enum ni_ucx_type)(2 + ni_rng_below(&rng, 4)));
        bulk.head.position = (uint32_t)ni_rng_below(&rng, 70);
        bulk.head.lines = (uint32_t)lines;
        bulk.head.wishes = (uint8_t)ni_rng_below(&rng, 256);
        for (uint64_t line = 0; line < lines; line++) { /* mostly something to look at */
            uint64_t word0 = ni_packet_word0(bulk.head.position + (uint32_t)line + 1,
                                             (unsigned)ni_rng_below(&rng, 256), 16, 0);

            memcpy(data + line * NI_LINE, &word0, sizeof(word0));
        }
        caller_say(&caller, &bulk, ni_rng_below(&rng, 2) == 0 ? sizeof(bulk) : sizeof(bulk.head),
                   data, lines * NI_LINE);
        caller_turn(&caller);
    }
    caller_hang_up(&caller);
}

int main(void)
{
    struct ni *ni = caller_open_ni();

    for (unsigned way = 0; way < 10; way++) {
        vandal(ni, way);
    }
    for (uint64_t seed = 1; seed <= 10; seed++) {
        babble(ni, seed);
    }
    caller_check_usable(ni);
    ni_close(ni);
    return 0;
}
