/* SPDX-License-Identifier: BSD-3-Clause */
/* Command packets, packed and unpacked. */
#include "driver/command.h"

enum { CODE_MAX = 0x7fff };

struct apelink_word apelink_cmd1_pack(const struct apelink_command *command)
{
    return (struct apelink_word){
        .lo = (uint64_t)(command->tag & 3) << 2 | (uint64_t)(command->code & CODE_MAX) << 4 |
              (uint64_t)(command->port & 3) << 19 | (uint64_t)command->data << 32,
        .hi = command->magic,
    };
}

struct apelink_command apelink_cmd1_unpack(struct apelink_word word)
{
    return (struct apelink_command){
        .tag = (uint8_t)(word.lo >> 2 & 3),
        .code = (uint16_t)(word.lo >> 4 & CODE_MAX),
        .port = (uint8_t)(word.lo >> 19 & 3),
        .data = (uint32_t)(word.lo >> 32),
        .magic = word.hi,
    };
}

static struct apelink_word word_at(const uint8_t *bytes, unsigned index)
{
    return apelink_word_from(bytes + (size_t)index * APELINK_WORD);
}

/* A GET's packet has its request as payload, which the card makes. */
static struct apelink_header header_on_wire(const struct apelink_command *command)
{
    struct apelink_header header = command->header;

    if (header.operation == APELINK_GET) {
        header.len = APELINK_WORD;
    }
    return header;
}

void apelink_command_pack(const struct apelink_command *command,
                          uint8_t bytes[APELINK_COMMAND_SIZE])
{
    struct apelink_header header = header_on_wire(command);

    apelink_word_to(apelink_header_pack(&header), bytes);
    apelink_word_to(apelink_footer_pack(&command->footer), bytes + APELINK_WORD);
    apelink_word_to((struct apelink_word){command->address, command->len},
                    bytes + (size_t)2 * APELINK_WORD);
    apelink_word_to(apelink_cmd1_pack(command), bytes + (size_t)3 * APELINK_WORD);
}

/* Whether CMD0 and the header agree, and the host may ask for it. */
static bool consistent(const struct apelink_command *command)
{
    const struct apelink_header *header = &command->header;

    if (header->gpu || header->gpu_id != 0 || header->physical) {
        return false; /* there is no GPU, and physical addresses are not for processes */
    }
    return header->operation == APELINK_PUT ? header->len == command->len
                                            : header->operation == APELINK_GET && command->len > 0;
}

bool apelink_command_unpack(const uint8_t bytes[APELINK_COMMAND_SIZE],
                            struct apelink_command *command)
{
    struct apelink_word cmd0 = word_at(bytes, 2), cmd1 = word_at(bytes, 3);

    *command = apelink_cmd1_unpack(cmd1);
    command->address = cmd0.lo;
    command->len = (uint32_t)cmd0.hi;
    command->footer = apelink_footer_unpack(word_at(bytes, 1));
    return apelink_header_unpack(word_at(bytes, 0), &command->header) && consistent(command) &&
           cmd0.hi >> 32 == 0 && command->tag <= APELINK_COMP_NONE && command->code == 0 &&
           apelink_word_equal(cmd1, apelink_cmd1_pack(command));
}
