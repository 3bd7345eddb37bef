/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/device.c, dnp/board/device_ioctl.c, dnp/board/process.c, dnp/channel.c. */
#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/board/device.h"
#include "dnp/channel.h"
#include "fuzz_input.h"

/*
 * Programs that ask a device for anything and write anything into their rings and doorbells. A
 * torus of one card. What is said of memory in the address space is made to be in a small area; the
 * bytes around it must stay.
 */

enum { FILES = 6, AREA = 4 * DNP_PAGE, GUARD = DNP_PAGE, STEPS = 300 };

static _Alignas(DNP_PAGE) uint8_t memory[GUARD + AREA + GUARD];

struct world {
    struct dnp_card *card;
    struct dnp_host host;
    struct board_device device;
    struct board_file file[FILES];
    bool open[FILES];
    uint64_t now;
};

/* Keep addresses off the fuzzer's own memory: in the area, or where no program has any. */
static uint64_t tame(uint64_t address)
{
    return (address >> 63) != 0 ? address
                                : (uint64_t)(uintptr_t)memory + GUARD + address % (AREA - 1);
}

static void step(struct world *world)
{
    (void)board_device_look(&world->device);
    for (int i = 0; i < STEPS; i++) {
        (void)dnp_card_step(world->card, ++world->now);
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            struct apelink_word word;

            (void)dnp_link_send(&world->card->link[link], world->now, &word);
        }
    }
    (void)board_device_tell(&world->device);
}

static void ask(struct board_file *file, struct input *in)
{
    static const unsigned codes[] = {
        APELINK_GET_FEATURES,  APELINK_OPEN_CHANNEL,   APELINK_REGISTER, APELINK_DEREGISTER,
        APELINK_READ_REGISTER, APELINK_WRITE_REGISTER, APELINK_WAIT,     APELINK_LIST};
    struct board_caller caller = {.thread = getpid()};
    uint8_t bytes[APELINK_STRUCT_MAX + 64];
    struct apelink_wait wait;
    struct apelink_register buffer;
    uint64_t len;
    uint8_t which, mode;
    unsigned command;
    int status;

    take(in, &which, 1);
    take(in, &mode, 1);
    command = codes[which % NI_ARRAY_LENGTH(codes)];
    len = apelink_struct_first(command) + ((mode & 1) != 0 ? 16 : 0);
    caller.privileged = (mode & 2) != 0;
    if ((mode & 4) != 0) {
        take(in, &command, 4);
        take(in, &len, 2);
        len %= sizeof bytes;
    }
    memset(bytes, 0, sizeof bytes);
    take(in, bytes, len);
    if ((mode & 8) == 0 && len >= 8) {
        memcpy(bytes, &len, 8);
    }
    if ((mode & 16) == 0 && len == sizeof buffer && command == APELINK_REGISTER) {
        memcpy(&buffer, bytes, sizeof buffer);
        buffer.len %= 2 * DNP_PAGE;
        buffer.access = 1 + buffer.access % 3;
        buffer.flags = buffer.reserved0 = 0;
        buffer.reserved[0] = buffer.reserved[1] = 0;
        memcpy(bytes, &buffer, sizeof buffer);
    }
    if (len >= 24 && _IOC_NR(command) == _IOC_NR(APELINK_REGISTER)) {
        uint64_t address, bytes_long;

        memcpy(&address, bytes + 8, 8);
        memcpy(&bytes_long, bytes + 16, 8);
        address = tame(address);
        bytes_long = bytes_long % DNP_PAGE; /* the guard behind takes it */
        memcpy(bytes + 8, &address, 8);
        memcpy(bytes + 16, &bytes_long, 8);
    }
    status = board_file_ioctl(file, &caller, command, bytes, len, &wait);
    must(status <= BOARD_LATER && status > -4096, "a status without sense");
    must(status != BOARD_LATER || file->port >= 0, "a wait without a channel");
}

/* Write a command packet and ring. */
static void post(struct board_file *file, struct input *in)
{
    struct apelink_doorbell *doorbell = (struct apelink_doorbell *)(file->memory);
    struct apelink_command command = {.tag = APELINK_COMP_EQ};
    uint8_t bytes[APELINK_COMMAND_SIZE];
    uint8_t mode;
    uint16_t more[3];

    take(in, &mode, 1);
    take(in, more, sizeof more);
    if ((mode & 1) != 0) {
        take(in, bytes, sizeof bytes);
    } else {
        command.header.operation = mode >> 1 & 3;
        command.header.port = mode >> 3 & 3;
        command.header.address = tame(more[0]);
        command.address = tame(more[1]);
        command.len = more[2] % (APELINK_PAYLOAD_MAX + 2);
        command.header.len =
            command.header.operation == APELINK_GET ? APELINK_WORD : (uint16_t)command.len;
        apelink_command_pack(&command, bytes);
    }
    /* At each entry that it may be, whatever the size of the ring. */
    for (uint32_t i = 0; i < 16; i++) {
        memcpy(file->memory + BOARD_TX_KEY + i * APELINK_COMMAND_SIZE, bytes, sizeof bytes);
    }
    doorbell->wr_ptr += (mode & 64) != 0 ? more[0] : 1;
    doorbell->event_rd_ptr = (mode & 128) != 0 ? more[1] : doorbell->event_wr_ptr;
}

static void open_or_close(struct world *world, unsigned i)
{
    if (world->open[i]) {
        board_file_close(&world->file[i]);
    } else {
        must(board_file_open(&world->device, &world->file[i], i > 0) == 0, "a file");
    }
    world->open[i] = !world->open[i];
}

static void act(struct world *world, struct input *in)
{
    uint8_t verb;
    unsigned i;

    take(in, &verb, 1);
    i = verb % FILES;
    if (!world->open[i] || verb / FILES % 16 == 0) {
        open_or_close(world, i);
    } else if (verb / FILES % 4 == 1) {
        post(&world->file[i], in);
    } else if (verb / FILES % 4 == 2) {
        step(world);
    } else {
        ask(&world->file[i], in);
    }
}

/* After all have gone, nothing of them is left in the card. */
static void end(struct world *world)
{
    for (unsigned i = 0; i < FILES; i++) {
        if (world->open[i]) {
            open_or_close(world, i);
        }
    }
    for (int i = 0; i < 60; i++) {
        step(world);
    }
    for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
        must(dnp_channel_idle(world->card, port), "a channel does not become free");
    }
    for (size_t i = 0; i < GUARD; i++) {
        must(memory[i] == 0xa5, "a byte before the area has changed");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct input in = {data, size};

    memset(&world, 0, sizeof world);
    memset(memory, 0xa5, sizeof memory);
    world.card = ni_aligned_zero(NI_CACHE_LINE, sizeof *world.card);
    must(world.card != NULL, "no memory");
    world.host = (struct dnp_host){board_device_dma, &world.device};
    must(dnp_card_init(world.card, 1024, &world.host, 0) == NI_OK, "a card");
    dnp_set(&world.card->registers, DNP_REG_board_torus, 0, 1 | 1 << 10 | 1 << 20);
    board_device_init(&world.device, world.card);
    for (int i = 0; i < 64 && in.left > 0; i++) {
        act(&world, &in);
    }
    end(&world);
    dnp_card_fini(world.card);
    free(world.card);
    return 0;
}
