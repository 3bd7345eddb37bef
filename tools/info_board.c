/* SPDX-License-Identifier: BSD-3-Clause */
/* What a card says of itself, by the device of its driver. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <apeni/torus.h>

#include "base/config.h"
#include "dnp/limits.h"
#include "dnp/registers.h"
#include "driver/client.h"
#include "info.h"

struct board {
    const char *device;
    struct apelink_features features;
    struct dnp_register_file registers; /* as read one after the other, while the card works */
};

static const char *remedy(int error)
{
    switch (error) {
    case -ENOENT:
    case -ENOTDIR:
        return "see whether apelink-board serves a device there, or the module apelink.ko is "
               "loaded, and name it by --board=DEVICE";
    case -EACCES:
        return "have the board give its device a mode that lets this user in";
    case -ENOTCONN:
    case -ECONNABORTED:
    case -ENODEV:
        return "the card has gone; start apelink-board again";
    default:
        return "is it the device of a card? See docs/board.md";
    }
}

static int read_register(struct apelink_client *client, const struct dnp_register *reg,
                         struct dnp_register_file *file)
{
    for (uint32_t i = 0; i < reg->count * reg->width / 32U; i++) {
        uint32_t value;
        int error = apelink_client_read(client, reg->offset + 4 * i, &value);

        if (error != 0) {
            return error;
        }
        dnp_set(file, (enum dnp_offset)reg->offset, i, value);
    }
    return 0;
}

static bool read_board(struct board *board)
{
    struct apelink_client client;
    int error = apelink_client_open_registers(&client, board->device);

    board->features = client.features;
    for (size_t i = 0; error == 0 && i < dnp_register_count; i++) {
        error = read_register(&client, &dnp_registers[i], &board->registers);
    }
    apelink_client_close(&client);
    if (error != 0) {
        fprintf(stderr, "apeni-info: %s: %s: %s\n", board->device, strerror(-error), remedy(error));
    }
    return error == 0;
}

static uint32_t coordinate(uint64_t word, unsigned axis)
{
    return (uint32_t)(word >> 10 * axis & 0x3ff);
}

static uint64_t value_of(const struct board *board, const struct dnp_register *reg, unsigned i)
{
    enum dnp_offset offset = (enum dnp_offset)reg->offset;

    return reg->width == 64 ? dnp_get64(&board->registers, offset, i)
                            : dnp_get(&board->registers, offset, i);
}

static uint32_t wrong_packets(const struct board *board, unsigned link)
{
    return dnp_get(&board->registers, DNP_REG_link_crc_errors, link) +
           dnp_get(&board->registers, DNP_REG_link_bad_packets, link) +
           dnp_get(&board->registers, DNP_REG_link_cut_packets, link);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_register(const struct board *board, const struct dnp_register *reg)
{
    const char *before = " (";

    printf("  %-26s", reg->name);
    for (unsigned i = 0; i < reg->count; i++) {
        printf(" %" PRIu64, value_of(board, reg, i));
    }
    for (size_t i = 0; reg->count == 1 && i < dnp_field_count; i++) {
        const struct dnp_field *field = &dnp_fields[i];

        if (strcmp(field->reg, reg->name) == 0) {
            printf("%s%s %" PRIu64, before, field->name,
                   value_of(board, reg, 0) >> field->low &
                       (((uint64_t)2 << (field->high - field->low)) - 1));
            before = ", ";
        }
    }
    puts(before[0] == ',' ? ")" : "");
}

static void print_text(const struct board *board)
{
    const struct apelink_features *is = &board->features;
    const struct dnp_register_file *file = &board->registers;

    printf("Card\n  device           %s, of a %s\n", board->device,
           (is->features & APELINK_FEATURE_KERNEL) != 0 ? "kernel module" : "process");
    printf("  place            %u %u %u of a torus of %ux%ux%u\n", coordinate(is->place, 0),
           coordinate(is->place, 1), coordinate(is->place, 2), coordinate(is->torus, 0),
           coordinate(is->torus, 1), coordinate(is->torus, 2));
    printf("  channels         %u, of which %u are free\n", is->channels, is->channels_free);
    for (unsigned i = 0; i < DNP_CHANNELS; i++) {
        printf("  channel %u        %u command packets, %u refused; %u events, %u lost\n", i,
               dnp_get(file, DNP_REG_rd_ptr, i), dnp_get(file, DNP_REG_tx_refused, i),
               dnp_get(file, DNP_REG_event_wr_ptr, i), dnp_get(file, DNP_REG_event_lost, i));
    }
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        printf("  link %s          %s, packets: %" PRIu64 " sent, %" PRIu64
               " received, %u wrong, %u dropped\n",
               ni_torus_direction_name((enum ni_torus_direction)i),
               dnp_get(file, DNP_REG_link_up, i) != 0 ? "up" : "down",
               dnp_get64(file, DNP_REG_link_sent_packets, i),
               dnp_get64(file, DNP_REG_link_packets, i), wrong_packets(board, i),
               dnp_get(file, DNP_REG_link_unsent, i));
    }
    printf("\nRegisters\n");
    for (size_t i = 0; i < dnp_register_count; i++) {
        print_register(board, &dnp_registers[i]);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void print_triple(const char *name, uint64_t word)
{
    printf(", \"%s\": [%u, %u, %u]", name, coordinate(word, 0), coordinate(word, 1),
           coordinate(word, 2));
}

static void print_json(const struct board *board)
{
    const struct apelink_features *is = &board->features;
    const struct dnp_register_file *file = &board->registers;

    printf("{\n  \"board\": {\"device\": ");
    info_print_json_string(board->device);
    printf(", \"kernel\": %s", (is->features & APELINK_FEATURE_KERNEL) != 0 ? "true" : "false");
    print_triple("place", is->place);
    print_triple("torus", is->torus);
    printf(", \"channels\": %u, \"channels_free\": %u,\n  \"links\": {", is->channels,
           is->channels_free);
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        printf("%s\n    \"%s\": {\"up\": %s, \"wrong_packets\": %u}", i > 0 ? "," : "",
               ni_torus_direction_name((enum ni_torus_direction)i),
               dnp_get(file, DNP_REG_link_up, i) != 0 ? "true" : "false", wrong_packets(board, i));
    }
    printf("},\n  \"registers\": {");
    for (size_t i = 0; i < dnp_register_count; i++) {
        const struct dnp_register *reg = &dnp_registers[i];

        printf("%s\n    \"%s\": %s", i > 0 ? "," : "", reg->name, reg->count > 1 ? "[" : "");
        for (unsigned j = 0; j < reg->count; j++) {
            printf("%s%" PRIu64, j > 0 ? ", " : "", value_of(board, reg, j));
        }
        printf(reg->count > 1 ? "]" : "");
    }
    printf("}}\n}\n");
}

bool info_print_board(const char *device, enum info_format format)
{
    struct board board = {.device = device != NULL ? device : ni_config_get()->dev_device};

    if (!read_board(&board)) {
        return false;
    }
    (format == INFO_FORMAT_JSON ? print_json : print_text)(&board);
    return true;
}
