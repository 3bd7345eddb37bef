/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of registers as a document. */
#include <string.h>

#include <apeni/torus.h>

#include "dnp/limits.h"
#include "dnp/registers.h"

const char *dnp_access_name(enum dnp_access access)
{
    static const char *const names[] = {"READ", "WRITE", "CLEAR"};

    return names[access];
}

static void print_row(FILE *out, const struct dnp_register *reg)
{
    static const char *const each[] = {[NI_TORUS_DIMENSIONS] = ", of each dimension",
                                       [DNP_CHANNELS] = ", of each channel",
                                       [DNP_LINKS] = ", of each link"};

    fprintf(out, "| `%s`%s | 0x%03x | %u | %s | ", reg->name,
            reg->count > 1 ? each[reg->count] : "", (unsigned)reg->offset, reg->width,
            dnp_access_name(reg->access));
    fprintf(out, reg->reset == 0 ? "%u" : "0x%x", (unsigned)reg->reset);
    fprintf(out, " | %s | %s |\n", reg->source, reg->meaning);
}

static void print_fields(FILE *out, const struct dnp_register *reg)
{
    bool begun = false;

    for (size_t i = 0; i < dnp_field_count; i++) {
        const struct dnp_field *field = &dnp_fields[i];

        if (strcmp(field->reg, reg->name) != 0) {
            continue;
        }
        if (!begun) {
            fprintf(out, "\n## %s\n\n| bits | field | meaning |\n|---|---|---|\n", reg->name);
            begun = true;
        }
        if (field->high == field->low) {
            fprintf(out, "| %u ", field->low);
        } else {
            fprintf(out, "| %u - %u ", field->high, field->low);
        }
        fprintf(out, "| `%s` | %s |\n", field->name, field->meaning);
    }
}

void dnp_registers_print(FILE *out)
{
    fputs("# Registers of the card\n\n"
          "This file is made by `make registers` from `dnp/registers.def`.\n\n"
          "Offsets are those of BAR 5 in bytes; words have 32 bits, and of a register of 64 the "
          "less\n"
          "significant word comes first. Of a register of each link there are six, one behind the\n"
          "other, in the order X+, X-, Y+, Y-, Z+, Z-, of one of each channel four, of each\n"
          "dimension three. A host may read\n"
          "READ registers, read and write WRITE registers, and read CLEAR registers and turn bits "
          "of\n"
          "them to 0. Bits without a field are 0. The source is a table or section of APEnet+; "
          "\"name\n"
          "only\" says that the paper has neither offset nor layout, so that those are ours.\n\n"
          "| register | offset | bits | host | at reset | source | meaning |\n"
          "|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < dnp_register_count; i++) {
        print_row(out, &dnp_registers[i]);
    }
    for (size_t i = 0; i < dnp_register_count; i++) {
        print_fields(out, &dnp_registers[i]);
    }
}
