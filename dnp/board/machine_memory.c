/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a virtual machine, and the lists of pages of its buffers. */
#include "dnp/board/machine_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/bits.h"

/* What a machine's buffers may take in lists of pages for each page that it has, and what a buffer
 * takes besides in the same unit; memory that lies in one piece below PCI. */
enum { ENTRIES_PER_PAGE = 16, ENTRIES_BESIDES = 16 };
#define MEMORY_MAX (2ULL << 30)

void *board_machine_at(const struct board_machine *machine, uint64_t address, uint64_t len)
{
    return machine->memory != NULL && ni_range_within(address, len, machine->memory_bytes)
               ? machine->memory + address
               : NULL;
}

void board_machine_unmap(struct board_machine *machine)
{
    if (machine->memory != NULL) {
        munmap(machine->memory, machine->memory_bytes);
    }
    machine->memory = NULL;
    machine->memory_bytes = 0;
}

/* Map the memory of which this is the file; NULL, or why that cannot be. */
static const char *map_file(struct board_machine *machine, int fd)
{
    struct stat status;
    void *memory;

    if (fd < 0 || fstat(fd, &status) != 0) {
        return strerror(errno);
    }
    if (status.st_size <= 0) {
        return "it is empty";
    }
    if ((uint64_t)status.st_size > MEMORY_MAX) {
        return "it is more than 2 GiB";
    }
    memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        return strerror(errno);
    }
    machine->memory = memory;
    machine->memory_bytes = (uint64_t)status.st_size;
    return NULL;
}

int board_machine_map(struct board_machine *machine)
{
    int fd = open(machine->memory_path, O_RDWR | O_CLOEXEC);
    const char *why = map_file(machine, fd);

    if (why != NULL) {
        ni_log(NI_LOG_ERROR,
               "apelink-board: %s, the memory of a virtual machine, cannot be mapped: %s",
               machine->memory_path, why);
    }
    if (fd >= 0) {
        close(fd);
    }
    return why != NULL ? -ENXIO : 0;
}

void board_buffer_free(struct board_machine *machine, struct board_buffer *buffer)
{
    machine->entries -= buffer->count + ENTRIES_BESIDES;
    free(buffer);
}

struct board_buffer *board_buffer_new(struct board_machine *machine, uint64_t count, int *status)
{
    uint64_t pages = machine->memory_bytes / DNP_PAGE;
    struct board_buffer *buffer = NULL;

    *status = -ENOMEM;
    if (count <= pages && machine->entries + count + ENTRIES_BESIDES > ENTRIES_PER_PAGE * pages) {
        *status = -ENOSPC;
    } else if (count <= pages) {
        buffer = ni_calloc(1, sizeof *buffer + count * sizeof *buffer->page);
    }
    if (buffer != NULL) {
        buffer->count = count;
        machine->entries += count + ENTRIES_BESIDES;
        *status = 0;
    }
    return buffer;
}

/* The driver's memory, once: it may change it. */
static uint64_t load(__u64 *shared)
{
    return atomic_load_explicit((_Atomic(uint64_t) *)shared, memory_order_relaxed);
}

int board_buffer_read(const struct board_machine *machine, uint64_t address,
                      struct board_buffer *buffer)
{
    struct apelink_bar_list *list = NULL;
    uint64_t *page = buffer->page;

    for (uint64_t i = 0; i < buffer->count; i++) {
        uint64_t one;

        if (i % APELINK_BAR_LIST == 0) {
            address = list == NULL ? address : load(&list->next);
            list =
                address % DNP_PAGE == 0 ? board_machine_at(machine, address, sizeof *list) : NULL;
        }
        if (list == NULL) {
            return -EINVAL;
        }
        one = load(&list->page[i % APELINK_BAR_LIST]);
        page[i] = one & ~(uint64_t)APELINK_BAR_READ_ONLY;
        if (page[i] % DNP_PAGE != 0 || board_machine_at(machine, page[i], DNP_PAGE) == NULL) {
            return -EINVAL;
        }
        page[i] |= one != page[i] ? BOARD_READ_ONLY : 0;
    }
    return 0;
}
