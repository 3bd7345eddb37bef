/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/machine.c, dnp/board/machine_memory.c, driver/apelink_bar.h. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/board/machine.h"

/* A driver that says what it likes to a board, of which nothing may be reached but its memory. */

enum { MEMORY = 64 * DNP_PAGE, TX = 8 * DNP_PAGE, EVENTS = 9 * DNP_PAGE, LIST = 10 * DNP_PAGE };

struct world {
    struct dnp_card *card;
    struct dnp_host host;
    struct board_device device;
    struct board_machine machine;
    char path[64];
    int memory_fd;
    uint8_t *memory;
};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->card = ni_aligned_zero(NI_CACHE_LINE, sizeof *world->card);
    assert_non_null(world->card);
    world->host = (struct dnp_host){board_device_dma, &world->device};
    assert_int_equal(dnp_card_init(world->card, 1024, &world->host, 0), NI_OK);
    dnp_set(&world->card->registers, DNP_REG_board_torus, 0, 1 | 1 << 10 | 1 << 20);
    board_device_init(&world->device, world->card);
    world->memory_fd = memfd_create("memory", MFD_CLOEXEC);
    assert_int_equal(ftruncate(world->memory_fd, MEMORY), 0);
    world->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, world->memory_fd, 0);
    assert_ptr_not_equal(world->memory, MAP_FAILED);
    snprintf(world->path, sizeof world->path, "/proc/self/fd/%d", world->memory_fd);
    assert_int_equal(board_machine_open(&world->machine, &world->device, world->path), 0);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;

    board_machine_close(&world->machine);
    munmap(world->memory, MEMORY);
    close(world->memory_fd);
    dnp_card_fini(world->card);
    free(world->card);
    free(world);
    return 0;
}

/* The board's answer. */
static int ask(struct world *world, struct apelink_bar_request *request)
{
    struct apelink_bar *bar = world->machine.bar;

    bar->request = *request;
    bar->posted++;
    assert_true(board_machine_rung(&world->machine));
    assert_int_equal(bar->answered, bar->posted);
    *request = bar->request;
    return request->status;
}

static int reset(struct world *world, uint64_t address, uint64_t probe)
{
    struct apelink_bar_request request = {
        .operation = APELINK_BAR_RESET, .address = address, .probe = probe};

    world->machine.bar->master = 1;
    return ask(world, &request);
}

static void begin(struct world *world)
{
    memset(world->memory, 0x5a, 8);
    assert_int_equal(reset(world, 0, 0x5a5a5a5a5a5a5a5aU), 0);
}

static int open_with(struct world *world, uint64_t tx, uint64_t events, uint32_t tx_entries,
                     uint32_t event_entries)
{
    struct apelink_bar_request request = {.operation = APELINK_BAR_OPEN,
                                          .tx_base = tx,
                                          .event_base = events,
                                          .tx_entries = tx_entries,
                                          .event_entries = event_entries};
    int status = ask(world, &request);

    return status != 0 ? status : (int)request.port;
}

/* A handle, or a negative errno. */
static int reg(struct world *world, uint32_t port, uint64_t address, uint64_t len, uint64_t list)
{
    struct apelink_bar_request request = {.operation = APELINK_BAR_REGISTER,
                                          .port = port,
                                          .address = address,
                                          .len = len,
                                          .access = APELINK_ACCESS_READ | APELINK_ACCESS_WRITE,
                                          .list = list};
    int status = ask(world, &request);

    return status != 0 ? status : (int)request.handle;
}

static int with_handle(struct world *world, uint32_t operation, uint32_t port, uint32_t handle)
{
    struct apelink_bar_request request = {.operation = operation, .port = port, .handle = handle};

    return ask(world, &request);
}

static void test_memory_is_recognized(void **state)
{
    struct world *world = *state;
    struct unit_log log;

    unit_log_start(&log);
    memset(world->memory + 4096, 1, 8);
    assert_int_equal(reset(world, 4096, 0x0101010101010102U), -ENXIO);
    unit_assert_contains(log.text, "is not the memory of the virtual machine");
    assert_int_equal(reset(world, MEMORY, 0), -ENXIO);
    assert_int_equal(reset(world, UINT64_MAX - 7, 0), -ENXIO);
    assert_int_equal(reset(world, 4097, 0x0101010101010101U), -ENXIO);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), -EINVAL); /* no memory is known */
    assert_int_equal(reset(world, 4096, 0x0101010101010101U), 0);
    world->machine.memory_path = "/nowhere/memory";
    assert_int_equal(reset(world, 4096, 0x0101010101010101U), -ENXIO);
    unit_assert_contains(log.text, "cannot be mapped: No such file");
    unit_log_stop();
}

/* Its size is no promise of how much there is, so that nothing is touched. */
static void test_memory_that_is_too_large(void **state)
{
    struct world *world = *state;
    struct unit_log log;

    unit_log_start(&log);
    assert_int_equal(ftruncate(world->memory_fd, (2LL << 30) + DNP_PAGE), 0);
    assert_int_equal(reset(world, 0, 0), -ENXIO);
    unit_assert_contains(log.text, "cannot be mapped: it is more than 2 GiB");
    unit_log_stop();
}

static void test_channels(void **state)
{
    struct world *world = *state;

    begin(world);
    assert_int_equal(open_with(world, TX, EVENTS, 3, 4), -EINVAL);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 0), -EINVAL);
    assert_int_equal(open_with(world, TX, EVENTS, 2 * DNP_RING_MAX, 4), -EINVAL);
    assert_int_equal(open_with(world, MEMORY - 255, EVENTS, 4, 4), -EINVAL);
    assert_int_equal(open_with(world, TX, UINT64_MAX - 4, 4, 4), -EINVAL);
    for (int port = 0; port < APELINK_BAR_CHANNELS; port++) {
        assert_int_equal(open_with(world, TX, EVENTS, 4, 4), port);
    }
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), -EBUSY);
    assert_int_equal(with_handle(world, APELINK_BAR_CLOSE, APELINK_BAR_CHANNELS, 0), -ENXIO);
    assert_int_equal(with_handle(world, APELINK_BAR_CLOSE, 2, 0), 0);
    assert_int_equal(with_handle(world, APELINK_BAR_CLOSE, 2, 0), -ENXIO);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), 2);
    assert_int_equal(with_handle(world, 99, 0, 0), -EOPNOTSUPP);
    /* A driver that has gone leaves no channel. */
    world->machine.bar->master = 0;
    assert_false(board_machine_rung(&world->machine));
    assert_false(board_device_used(&world->device));
}

static void test_buffers(void **state)
{
    struct world *world = *state;
    struct apelink_bar_list *list = (struct apelink_bar_list *)(world->memory + LIST);
    int handle;

    begin(world);
    assert_int_equal(reg(world, 0, 0x10000, 8, LIST), -ENXIO);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), 0);
    memset(list, 0, sizeof *list);
    assert_int_equal(reg(world, 0, 0x10000, 0, LIST), -EINVAL);
    assert_int_equal(reg(world, 0, UINT64_MAX - 7, 8, LIST), -EINVAL);
    assert_int_equal(reg(world, 0, 0x10000, 8, LIST + 8), -EINVAL);
    assert_int_equal(reg(world, 0, 0x10000, 8, MEMORY), -EINVAL);
    assert_int_equal(reg(world, 0, 0x10000, 1ULL << 40, LIST), -ENOMEM);
    list->page[1] = MEMORY;
    assert_int_equal(reg(world, 0, 0x10fff, 2, LIST), -EINVAL);
    list->page[1] = 4096 + 2;
    assert_int_equal(reg(world, 0, 0x10fff, 2, LIST), -EINVAL);
    list->page[1] = 4096;
    handle = reg(world, 0, 0x10fff, 2, LIST);
    assert_true(handle >= 0);
    assert_int_equal(with_handle(world, APELINK_BAR_DEREGISTER, 0, (uint32_t)handle + 1), -ENOENT);
    assert_int_equal(with_handle(world, APELINK_BAR_DEREGISTER, 1, (uint32_t)handle), -ENXIO);
    assert_int_equal(with_handle(world, APELINK_BAR_DEREGISTER, 0, (uint32_t)handle), 0);
    assert_int_equal(with_handle(world, APELINK_BAR_DEREGISTER, 0, (uint32_t)handle), -ENOENT);
}

/* A machine that registers without end; the error leaves the board as it was. */
static unsigned fill_up(struct world *world, uint32_t port, uint64_t len)
{
    unsigned buffers = 0;
    int handle;

    while ((handle = reg(world, port, 0x10000, len, LIST)) >= 0) {
        assert_true(++buffers < 100000);
    }
    assert_int_equal(handle, -ENOSPC);
    return buffers;
}

static void test_buffers_without_end(void **state)
{
    struct world *world = *state;
    unsigned large, small;

    begin(world);
    for (int port = 0; port < 2; port++) {
        assert_int_equal(open_with(world, TX, EVENTS, 4, 4), port);
    }
    memset(world->memory + LIST, 0, DNP_PAGE);
    large = fill_up(world, 0, 48 * DNP_PAGE);
    assert_true(large >= 4);
    assert_int_equal(reg(world, 1, 0x10000, 48 * DNP_PAGE, LIST), -ENOSPC);
    (void)fill_up(world, 1, 1);
    /* What leaves makes room again. */
    assert_int_equal(with_handle(world, APELINK_BAR_CLOSE, 1, 0), 0);
    assert_int_equal(with_handle(world, APELINK_BAR_CLOSE, 0, 0), 0);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), 0);
    small = fill_up(world, 0, 1);
    assert_true(small > large);
    assert_int_equal(with_handle(world, APELINK_BAR_CLOSE, 0, 0), 0);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), 0);
    for (unsigned i = 0; i < 3 * small; i++) {
        int handle = reg(world, 0, 0x10000, 8, LIST);

        assert_true(handle >= 0);
        assert_int_equal(reg(world, 0, 0x10000, 8, LIST + 8), -EINVAL);
        assert_int_equal(with_handle(world, APELINK_BAR_DEREGISTER, 0, (uint32_t)handle), 0);
    }
}

/* Bytes at a virtual address of channel 0, as the card moves them. */
static ni_status move(struct world *world, bool write, uint64_t address, uint8_t *data,
                      uint32_t len)
{
    struct dnp_dma dma = {.channel = DNP_DMA_RX, .port = 0, .write = write, .data = data};
    ni_status status = dnp_buffers_translate(&world->card->buffers, &dma, address, len, 0);

    return status != NI_OK ? status : board_device_dma(&world->device, &dma);
}

static void test_transfers(void **state)
{
    struct world *world = *state;
    struct apelink_bar_list *list = (struct apelink_bar_list *)(world->memory + LIST);
    uint8_t data[100];

    begin(world);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), 0);
    memset(list, 0, sizeof *list);
    list->page[0] = 20 * DNP_PAGE;
    list->page[1] = 13 * DNP_PAGE;
    list->page[2] = 15 * DNP_PAGE | APELINK_BAR_READ_ONLY;
    assert_true(reg(world, 0, 0x10000, 3 * DNP_PAGE, LIST) >= 0);
    memset(world->memory + 11 * DNP_PAGE, 7, MEMORY - 11 * DNP_PAGE);
    memset(data, 9, sizeof data);
    assert_int_equal(move(world, true, 0x10000 + DNP_PAGE - 40, data, 100), NI_OK);
    assert_int_equal(world->memory[21 * DNP_PAGE - 41], 7);
    assert_memory_equal(world->memory + 21 * DNP_PAGE - 40, data, 40);
    assert_int_equal(world->memory[21 * DNP_PAGE], 7);
    assert_memory_equal(world->memory + 13 * DNP_PAGE, data + 40, 60);
    assert_int_equal(world->memory[13 * DNP_PAGE + 60], 7);
    assert_int_equal(move(world, false, 0x12000, data, 100), NI_OK);
    assert_int_equal(data[50], 7);
    assert_int_equal(move(world, true, 0x12000, data, 100), NI_ERR_BOUNDS);
    world->machine.bar->master = 0;
    assert_int_equal(move(world, false, 0x12000, data, 100), NI_ERR_PEER_CLOSED);
}

/* A buffer that has a switch is there while that is not 0; of other channels there are others. */
static void test_switches(void **state)
{
    struct world *world = *state;
    struct apelink_bar_switches *switches =
        (void *)((uint8_t *)world->machine.bar + (1 + APELINK_BAR_CHANNELS) * DNP_PAGE);
    struct apelink_bar_request request = {.operation = APELINK_BAR_REGISTER,
                                          .address = 0x10000,
                                          .len = 100,
                                          .access = APELINK_ACCESS_READ,
                                          .list = LIST,
                                          .switched = APELINK_BAR_SWITCHES + 1};
    uint8_t data[100];
    uint32_t moving;

    begin(world);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), 0);
    memset(world->memory + LIST, 0, DNP_PAGE);
    assert_int_equal(ask(world, &request), -EINVAL);
    request.switched = APELINK_BAR_SWITCHES;
    assert_int_equal(ask(world, &request), 0);
    switches->on[0][0] = switches->on[1][APELINK_BAR_SWITCHES - 1] = 1;
    assert_int_equal(move(world, false, 0x10000, data, 100), NI_ERR_BOUNDS);
    switches->on[0][APELINK_BAR_SWITCHES - 1] = 1;
    assert_int_equal(move(world, false, 0x10000, data, 100), NI_OK);
    switches->on[0][APELINK_BAR_SWITCHES - 1] = 0;
    assert_int_equal(move(world, false, 0x10000, data, 100), NI_ERR_BOUNDS);
    assert_int_equal(dnp_buffers_check(&world->card->buffers, 0, 0x10000, 100, NI_ACCESS_READ),
                     NI_ERR_BOUNDS);
    assert_int_equal(with_handle(world, APELINK_BAR_DEREGISTER, 0, request.handle), 0);
    /* Odd while the card works, whatever the driver has written there. */
    moving = switches->moving;
    assert_int_equal(moving % 2, 0);
    board_device_moves(&world->device, true);
    assert_int_equal(switches->moving, moving + 1);
    switches->moving = 77;
    board_device_moves(&world->device, false);
    assert_int_equal(switches->moving, moving + 2);
}

static void test_who_waits_is_woken_once(void **state)
{
    struct world *world = *state;

    begin(world);
    assert_int_equal(open_with(world, TX, EVENTS, 4, 4), 0);
    assert_int_equal(board_machine_wanted(&world->machine, 0xf), 0);
    world->machine.bar->wanted[0] = 1;
    world->machine.bar->wanted[1] = 1; /* nobody has it */
    assert_int_equal(board_machine_wanted(&world->machine, 0xe), 0);
    assert_int_equal(board_machine_wanted(&world->machine, 0xf), 1);
    assert_int_equal(board_machine_wanted(&world->machine, 0xf), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_memory_is_recognized, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_that_is_too_large, setup, teardown),
        cmocka_unit_test_setup_teardown(test_channels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_buffers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_buffers_without_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_transfers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_switches, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_waits_is_woken_once, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
