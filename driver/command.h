/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_COMMAND_H
#define APELINK_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/packet.h"
#include "driver/word.h"

/*
 * A command packet (APEnet+ 3.1.1.2): four words that the host writes into a ring.
 *
 *   header   as the packet shall have it
 *   footer   likewise; source, port id, time stamp and CRC are the card's, whatever is written here
 *   CMD0      63 -   0  PUT: where the payload is; GET: where the bytes shall go. Virtual addresses
 *             95 -  64  how many bytes: of a PUT those of the header, of a GET up to 2^32 - 1
 *   CMD1     as in Table 9:
 *              3 -   2  tag: 0 asks for a completion event, 1 does not
 *             18 -   4  code: 0; in the event 0, or what went wrong as a positive ni_status
 *             20 -  19  port id; in the event that of the channel
 *             63 -  32  data, which comes back in the event
 *            127 -  64  magic, which comes back in the event; the paper's TX queue entry address
 *
 * CMD0's layout is ours, and so is that a GET is a command. All other bits are 0. A command packet
 * that makes no sense is answered by an event, asked for or not.
 */

enum { APELINK_COMMAND_WORDS = 4, APELINK_COMMAND_SIZE = APELINK_COMMAND_WORDS * APELINK_WORD };
enum { APELINK_COMP_EQ = 0, APELINK_COMP_NONE = 1 };

struct apelink_command {
    struct apelink_header header;
    struct apelink_footer footer;
    uint64_t address; /* CMD0 */
    uint32_t len;
    uint8_t tag; /* CMD1 */
    uint16_t code;
    uint8_t port;
    uint32_t data;
    uint64_t magic;
};

void apelink_command_pack(const struct apelink_command *command,
                          uint8_t bytes[APELINK_COMMAND_SIZE]);

/* Any bytes. false: they make no sense; the fields of CMD1 are filled all the same. */
bool apelink_command_unpack(const uint8_t bytes[APELINK_COMMAND_SIZE],
                            struct apelink_command *command);

/* The first word of a completion event of this command. */
struct apelink_word apelink_cmd1_pack(const struct apelink_command *command);

/* The fields of CMD1, from the first word of a completion event; all others are 0. */
struct apelink_command apelink_cmd1_unpack(struct apelink_word word);

#endif
