/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a program as its card sees it, when buffers overlap and when what is mapped changes.
 * The board is a torus of one card.
 *
 *   dnp_device_memory VERB DEVICE
 *
 *   changes  buffers that overlap, and memory that is unmapped, moved, given back, protected
 *   limited  what fails, and that no more is pinned than the process may
 *   costs    print what it costs to register memory that is found pinned, and that is not
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dnp_device_memory.h"
#include "driver/command.h"
#include "dnp/event.h"

enum { TX = 16, EVENTS = 64, PAGES = 600, SIZE = PAGES * PAGE };

struct apelink_client device;
uint8_t *memory, *window;

void check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "dnp_device_memory: %s (%s)\n", what, strerror(errno));
        exit(1);
    }
}

void *map_at(void *address, size_t len)
{
    void *at = mmap(address, len, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | (address != NULL ? MAP_FIXED : 0), -1, 0);

    check(at != MAP_FAILED, "memory");
    return at;
}

uint32_t reg(const void *address, size_t len, uint32_t access)
{
    uint32_t handle;

    check(apelink_client_register(&device, address, len, access, &handle) == 0, "register");
    return handle;
}

void dereg(uint32_t handle)
{
    check(apelink_client_deregister(&device, handle) == 0, "deregister");
}

/* What became of a GET of bytes there into the window: 0, or a positive ni_status. */
unsigned get(const void *address, uint32_t len)
{
    struct apelink_command command = {
        .header = {.operation = APELINK_GET,
                   .address = (uintptr_t)address,
                   .port = (uint8_t)device.port,
                   .len = APELINK_WORD},
        .address = (uintptr_t)window,
        .len = len,
        .tag = APELINK_COMP_EQ,
    };
    uint8_t bytes[APELINK_COMMAND_SIZE], event[APELINK_EVENT_SIZE];

    memset(window, 0xee, len);
    apelink_command_pack(&command, bytes);
    check(apelink_client_post(&device, bytes), "the ring is full");
    check(apelink_client_wait(&device, 60000000000U) == 0 && apelink_client_event(&device, event),
          "no event");
    return apelink_word_from(event).lo >> 4 & 0x7fff;
}

bool sees(const void *address, uint32_t len)
{
    return get(address, len) == 0 && memcmp(window, address, len) == 0;
}

void fill(uint8_t *at, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) {
        at[i] = (uint8_t)(i * 11 + i / 257 + seed);
    }
}

/* Nested and overlapping ones, which come and go in any order. */
static void overlapping(void)
{
    static const struct {
        uint32_t first, len;
    } range[] = {{0, 8},    {5 * PAGE + 3, 2 * PAGE}, {4 * PAGE, 3 * PAGE + 1}, {6 * PAGE, PAGE},
                 {0, SIZE}, {7 * PAGE - 1, 2}};
    enum { RANGES = sizeof range / sizeof *range };
    uint32_t handle[RANGES];

    for (unsigned turn = 0; turn < RANGES; turn++) {
        for (unsigned i = 0; i < RANGES; i++) {
            handle[i] = reg(memory + range[i].first, range[i].len, APELINK_ACCESS_READ);
        }
        for (unsigned i = 0; i < RANGES; i++) {
            unsigned one = (i * 5 + turn) % RANGES;
            uint32_t len = range[one].len < 100000 ? range[one].len : 100000;

            check(sees(memory + range[one].first, len), "not the bytes of a buffer");
            dereg(handle[one]);
        }
        check(get(memory, 8) == -NI_ERR_ACCESS, "a buffer is left");
    }
    handle[0] = reg(memory, SIZE, APELINK_ACCESS_READ);
    check(sees(memory + SIZE - 100000, 100000), "not the last bytes");
    dereg(handle[0]);
}

/* Other memory at the same address: what the card knew of the old one must not be used. */
static void replaced(void)
{
    uint32_t handle = reg(memory, SIZE, APELINK_ACCESS_READ);

    check(sees(memory, 5000), "not the bytes");
    dereg(handle);
    check(munmap(memory + PAGE, PAGE) == 0, "munmap");
    map_at(memory + PAGE, PAGE);
    fill(memory + PAGE, PAGE, 99);
    handle = reg(memory, 3 * PAGE, APELINK_ACCESS_READ);
    check(sees(memory, 3 * PAGE), "not the bytes of new memory");
    dereg(handle);
    check(madvise(memory + PAGE, PAGE, MADV_DONTNEED) == 0, "madvise");
    handle = reg(memory, 3 * PAGE, APELINK_ACCESS_READ);
    check(sees(memory, 3 * PAGE) && memory[PAGE + 5] == 0, "not the bytes of given back memory");
    fill(memory + PAGE, PAGE, 3);
    check(sees(memory, 3 * PAGE), "not the bytes of memory that was given back");
    dereg(handle);
}

/* Registered memory that goes away, or elsewhere. */
static void gone(void)
{
    uint8_t *here = map_at(NULL, 4 * PAGE), *there = map_at(NULL, 4 * PAGE), *moved;
    uint32_t handle = reg(here, PAGE, APELINK_ACCESS_READ), other;

    fill(here, 4 * PAGE, 1);
    other = reg(here + PAGE, PAGE, APELINK_ACCESS_READ);
    check(munmap(here, PAGE) == 0, "munmap");
    check(get(here, 8) == -NI_ERR_ACCESS, "unmapped memory is read");
    check(sees(here + PAGE, PAGE), "its neighbour is lost");
    dereg(handle);
    check(apelink_client_deregister(&device, handle) == -ENOENT, "deregister twice");
    moved = mremap(here + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, there);
    check(moved == there, "mremap");
    check(get(here + PAGE, 8) == -NI_ERR_ACCESS, "moved memory is read where it was");
    dereg(other);
    other = reg(there, PAGE, APELINK_ACCESS_READ);
    check(sees(there, PAGE), "moved memory is not where it is");
    dereg(other);
    munmap(there, 4 * PAGE);
}

/* A child gets copies; the buffer stays the parent's memory. */
static void forked(void)
{
    uint32_t handle = reg(memory, 4 * PAGE, APELINK_ACCESS_READ);
    int status, to_child[2];
    pid_t child;
    char c;

    check(pipe(to_child) == 0, "pipe");
    child = fork();
    if (child == 0) {
        memset(memory, 0x55, 4 * PAGE);
        close(to_child[1]);
        _exit(read(to_child[0], &c, 1) == 0 && memory[7] == 0x55 ? 0 : 1);
    }
    close(to_child[0]);
    fill(memory, 4 * PAGE, 17);
    check(sees(memory, 4 * PAGE), "not the parent's bytes, beside a child");
    close(to_child[1]);
    check(waitpid(child, &status, 0) == child && status == 0, "the child's bytes");
    memory[5] ^= 1;
    check(sees(memory, 4 * PAGE), "not the parent's bytes, after a child");
    dereg(handle);
}

/* What others may write, too, which a process that serves the device maps: it is one memory for
 * all. */
static void shared(void)
{
    uint8_t *here = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t handle;
    int status;
    pid_t child;

    check(here != MAP_FAILED, "memory");
    fill(here, 3 * PAGE, 4);
    handle = reg(here + 5, 2 * PAGE, APELINK_ACCESS_READ);
    check(sees(here + 5, 2 * PAGE), "not the bytes of shared memory");
    child = fork();
    if (child == 0) {
        fill(here, 3 * PAGE, 6);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child && status == 0 && sees(here + 5, 2 * PAGE),
          "not the bytes that a child has written into shared memory");
    check(get(here, 8) == -NI_ERR_ACCESS && get(here + 4 + 2 * PAGE, 2) == -NI_ERR_ACCESS,
          "bytes beside a buffer");
    dereg(handle);
    check(get(here + 5, 8) == -NI_ERR_ACCESS, "a buffer is left");
    munmap(here, 3 * PAGE);
}

/* Constants can be read by others, and are not changed by a GET into them. */
static void constant(void)
{
    static const uint8_t bytes[2 * PAGE] = {1, 2, 3};
    uint32_t handle = reg(bytes, sizeof bytes, APELINK_ACCESS_READ);

    check(sees(bytes, sizeof bytes), "not the bytes of constants");
    dereg(handle);
}

static void changes(void)
{
    (void)reg(window, SIZE, APELINK_ACCESS_WRITE);
    overlapping();
    replaced();
    gone();
    forked();
    shared();
    constant();
    protected();
    holed();
    raced();
    unheard();
}

int main(int argc, char **argv)
{
    check(argc == 3, "two arguments are wanted, a verb and a device");
    check(apelink_client_open(&device, argv[2], TX, EVENTS) == 0, "open");
    memory = map_at(NULL, SIZE);
    window = map_at(NULL, SIZE);
    fill(memory, SIZE, 0);
    if (strcmp(argv[1], "limited") == 0) {
        limited();
    } else if (strcmp(argv[1], "costs") == 0) {
        costs();
    } else {
        changes();
    }
    apelink_client_close(&device);
    return 0;
}
