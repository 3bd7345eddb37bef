/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/maps.c. */
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/board/device.h"

/* Buffers of a process that a board has mapped, and those that it reaches through the process. */

enum { BYTES = 4 * DNP_PAGE, AT = 100, LEN = 2 * DNP_PAGE };
#define HUGE_BYTES (BOARD_MAPS_BYTES + DNP_PAGE)

struct world {
    struct dnp_card *card;
    struct dnp_host host;
    struct board_device device;
    struct board_file file;
    struct dnp_dma dma;
};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->card = ni_aligned_zero(NI_CACHE_LINE, sizeof *world->card);
    assert_non_null(world->card);
    world->host = (struct dnp_host){board_device_dma, &world->device};
    assert_int_equal(dnp_card_init(world->card, 1024, &world->host, 0), NI_OK);
    board_device_init(&world->device, world->card);
    assert_int_equal(board_file_open(&world->device, &world->file, true), 0);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;

    board_file_close(&world->file);
    dnp_card_fini(world->card);
    free(world->card);
    free(world);
    return 0;
}

static void *map(int kind, int fd, uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, fd, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

static void ask(struct world *world, pid_t of, unsigned command, void *structure, size_t len)
{
    struct board_caller caller = {.thread = of};
    struct apelink_wait wait;

    assert_int_equal(board_file_ioctl(&world->file, &caller, command, structure, len, &wait), 0);
}

/* Register memory of a process, of which all that is said of it may be read. */
static uint32_t add(struct world *world, pid_t of, const void *at, uint64_t len)
{
    struct apelink_channel channel = {.size = sizeof channel, .tx_entries = 4, .event_entries = 4};
    struct apelink_register buffer = {
        .size = sizeof buffer, .address = (uintptr_t)at, .len = len, .access = APELINK_ACCESS_READ};

    if (world->file.port < 0) {
        ask(world, of, APELINK_OPEN_CHANNEL, &channel, sizeof channel);
    }
    ask(world, of, APELINK_REGISTER, &buffer, sizeof buffer);
    return buffer.handle;
}

/* DMA of a byte. */
static ni_status move(struct world *world, const uint8_t *at, bool write, uint8_t *byte)
{
    struct dnp_dma dma = {
        .channel = DNP_DMA_RX, .port = (uint8_t)world->file.port, .write = write, .data = byte};
    ni_status status = dnp_buffers_translate(&world->card->buffers, &dma, (uintptr_t)at, 1, 0);

    world->dma = dma;
    return status == NI_OK ? board_device_dma(&world->device, &dma) : status;
}

/* Whether the card reaches the byte by a map; one that is none has the process's address. */
static bool is_mapped(const struct world *world, const uint8_t *at)
{
    uint64_t address = world->dma.segment[0].address;

    assert_true((address & BOARD_MAPPED) != 0 || address == (uintptr_t)at);
    return (address & BOARD_MAPPED) != 0;
}

/* Without root maps of others cannot be had, and all goes through the process. */
static bool is_root(void)
{
    return geteuid() == 0;
}

static void shared_memory_is_mapped(void **state)
{
    struct world *world = *state;
    uint8_t *memory = map(MAP_SHARED | MAP_ANONYMOUS, -1, BYTES), byte = 7;
    uint8_t *last = memory + AT + LEN - 1;
    struct apelink_deregister handle = {.size = sizeof handle};

    handle.handle = add(world, getpid(), memory + AT, LEN);
    assert_int_equal(move(world, last, true, &byte), NI_OK);
    assert_int_equal(is_mapped(world, last), is_root());
    assert_int_equal(*last, 7);
    *last = 8;
    munmap(memory, BYTES);
    assert_int_equal(move(world, last, false, &byte), is_root() ? NI_OK : NI_ERR_BOUNDS);
    assert_int_equal(byte, is_root() ? 8 : 7);
    assert_int_not_equal(move(world, last + 1, false, &byte), NI_OK);
    ask(world, getpid(), APELINK_DEREGISTER, &handle, sizeof handle);
    assert_int_not_equal(move(world, last, false, &byte), NI_OK);
    assert_int_equal(world->file.maps.bytes, 0);
}

/* What was given away for one buffer is not that of another. */
static void buffers_have_maps_of_their_own(void **state)
{
    struct world *world = *state;
    uint8_t *memory = map(MAP_SHARED | MAP_ANONYMOUS, -1, BYTES), byte = 0;
    struct apelink_deregister first = {.size = sizeof first};

    memory[0] = 1;
    memory[LEN] = 2;
    first.handle = add(world, getpid(), memory, LEN);
    (void)add(world, getpid(), memory + LEN, LEN);
    assert_int_equal(move(world, memory + LEN, false, &byte), NI_OK);
    assert_int_equal(byte, 2);
    ask(world, getpid(), APELINK_DEREGISTER, &first, sizeof first);
    (void)add(world, getpid(), memory, DNP_PAGE);
    assert_int_equal(move(world, memory, false, &byte), NI_OK);
    assert_int_equal(byte, 1);
    assert_int_equal(move(world, memory + LEN, false, &byte), NI_OK);
    assert_int_equal(byte, 2);
    munmap(memory, BYTES);
}

static void private_memory_is_not(void **state)
{
    struct world *world = *state;
    uint8_t *memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1, BYTES), byte = 7;

    (void)add(world, getpid(), memory, BYTES);
    assert_int_equal(move(world, memory, true, &byte), NI_OK);
    assert_false(is_mapped(world, memory));
    assert_int_equal(memory[0], 7);
    munmap(memory, BYTES);
    assert_int_equal(move(world, memory, false, &byte), NI_ERR_BOUNDS);
}

/* A file whose bytes somebody may take away, which would end a board that had mapped it. */
static void a_file_is_not(void **state)
{
    struct world *world = *state;
    int fd = memfd_create("/dev/zero", MFD_CLOEXEC);
    uint8_t *memory, byte = 7;

    assert_int_equal(ftruncate(fd, BYTES), 0);
    memory = map(MAP_SHARED, fd, BYTES);
    (void)add(world, getpid(), memory, BYTES);
    assert_int_equal(move(world, memory, true, &byte), NI_OK);
    assert_false(is_mapped(world, memory));
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(move(world, memory, false, &byte), NI_ERR_BOUNDS);
    munmap(memory, BYTES);
    close(fd);
}

static void what_is_read_only_stays_so(void **state)
{
    struct world *world = *state;
    uint8_t *memory = map(MAP_SHARED | MAP_ANONYMOUS, -1, BYTES), byte = 0;

    memory[0] = 5;
    assert_int_equal(mprotect(memory, BYTES, PROT_READ), 0);
    (void)add(world, getpid(), memory, BYTES);
    assert_int_equal(move(world, memory, false, &byte), NI_OK);
    assert_int_equal(byte, 5);
    assert_int_equal(move(world, memory, true, &byte), NI_ERR_BOUNDS);
    munmap(memory, BYTES);
}

/* More than a board keeps lists of pages for goes through the process. */
static void too_much_is_not(void **state)
{
    struct world *world = *state;
    uint8_t *memory = map(MAP_SHARED | MAP_ANONYMOUS, -1, HUGE_BYTES), byte = 7;

    (void)add(world, getpid(), memory, HUGE_BYTES);
    assert_int_equal(move(world, memory, true, &byte), NI_OK);
    assert_false(is_mapped(world, memory));
    assert_int_equal(memory[0], 7);
    munmap(memory, HUGE_BYTES);
}

/* Its memory is still there, but it is no longer its memory. */
static void it_ends_with_the_process(void **state)
{
    struct world *world = *state;
    uint8_t *memory = map(MAP_SHARED | MAP_ANONYMOUS, -1, BYTES), byte = 7;
    pid_t child = fork();

    if (child == 0) {
        pause();
        _exit(0);
    }
    (void)add(world, child, memory, BYTES);
    assert_int_equal(move(world, memory, true, &byte), NI_OK);
    assert_int_equal(memory[0], 7);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    world->file.seen_ns = 0; /* a moment later */
    assert_int_equal(move(world, memory, true, &byte), NI_ERR_BOUNDS);
    munmap(memory, BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shared_memory_is_mapped, setup, teardown),
        cmocka_unit_test_setup_teardown(buffers_have_maps_of_their_own, setup, teardown),
        cmocka_unit_test_setup_teardown(private_memory_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_read_only_stays_so, setup, teardown),
        cmocka_unit_test_setup_teardown(too_much_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(it_ends_with_the_process, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
