/* SPDX-License-Identifier: BSD-3-Clause */
/* Command packets, packed and unpacked. */
#include "dnp/command.h"

enum { CODE_MAX = 0x7fff };

struct dnp_word dnp_cmd1_pack(const struct dnp_command *command)
{
    return (struct dnp_word){
        .lo = (uint64_t)(command->tag & 3) << 2 | (uint64_t)(command->code & CODE_MAX) << 4 |
              (uint64_t)(command->port & 3) << 19 | (uint64_t)command->data << 32,
        .hi = command->magic,
    };
}

static void cmd1_unpack(struct dnp_word word, struct dnp_command *command)
{
    command->tag = (uint8_t)(word.lo >> 2 & 3);
    command->code = (uint16_t)(word.lo >> 4 & CODE_MAX);
    command->port = (uint8_t)(word.lo >> 19 & 3);
    command->data = (uint32_t)(word.lo >> 32);
    command->magic = word.hi;
}

static struct dnp_word word_at(const uint8_t *bytes, unsigned index)
{
    return dnp_word_from(bytes + (size_t)index * DNP_WORD);
}

/* A GET's packet has its request as payload, which the card makes. */
static struct dnp_header header_on_wire(const struct dnp_command *command)
{
    struct dnp_header header = command->header;

    if (header.operation == DNP_GET) {
        header.len = DNP_WORD;
    }
    return header;
}

void dnp_command_pack(const struct dnp_command *command, uint8_t bytes[DNP_COMMAND_SIZE])
{
    struct dnp_header header = header_on_wire(command);

    dnp_word_to(dnp_header_pack(&header), bytes);
    dnp_word_to(dnp_footer_pack(&command->footer), bytes + DNP_WORD);
    dnp_word_to((struct dnp_word){command->address, command->len}, bytes + (size_t)2 * DNP_WORD);
    dnp_word_to(dnp_cmd1_pack(command), bytes + (size_t)3 * DNP_WORD);
}

/* Whether CMD0 and the header agree, and the host may ask for it. */
static bool consistent(const struct dnp_command *command)
{
    const struct dnp_header *header = &command->header;

    if (header->gpu || header->gpu_id != 0 || header->physical) {
        return false; /* there is no GPU, and physical addresses are not for processes */
    }
    return header->operation == DNP_PUT ? header->len == command->len
                                        : header->operation == DNP_GET && command->len > 0;
}

bool dnp_command_unpack(const uint8_t bytes[DNP_COMMAND_SIZE], struct dnp_command *command)
{
    struct dnp_word cmd0 = word_at(bytes, 2), cmd1 = word_at(bytes, 3);

    *command = (struct dnp_command){.address = cmd0.lo, .len = (uint32_t)cmd0.hi};
    cmd1_unpack(cmd1, command);
    command->footer = dnp_footer_unpack(word_at(bytes, 1));
    return dnp_header_unpack(word_at(bytes, 0), &command->header) && consistent(command) &&
           cmd0.hi >> 32 == 0 && command->tag <= DNP_COMP_NONE && command->code == 0 &&
           dnp_word_equal(cmd1, dnp_cmd1_pack(command));
}
