/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps memory of processes. */
#include "dnp/board/maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/dma.h"

enum { PATH = 96 };

/* The file behind an area, by which only root gets at it; -1: there is none, or one whose bytes
 * others could take away. */
static int open_area(const struct board_process *process, const struct board_area *area, int like)
{
    char path[PATH];
    struct stat status, wanted;
    int fd;

    if (!area->anonymous) {
        return -1;
    }
    snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)process->group,
             area->begin, area->end);
    fd = open(path, (area->writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    /* A name can be anybody's, such a device is the kernel's. */
    if (fd >= 0 && (fstat(fd, &status) != 0 || fstat(like, &wanted) != 0 ||
                    status.st_dev != wanted.st_dev || !S_ISREG(status.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A place for another map, or NULL. */
static struct board_map *place(struct board_maps *maps)
{
    struct board_map *more;

    for (uint32_t i = 0; i < maps->count; i++) {
        if (maps->map[i].memory == NULL) {
            return &maps->map[i];
        }
    }
    if (maps->count == BOARD_MAPS_MAX) {
        return NULL;
    }
    more = realloc(maps->map, (maps->count + 1) * sizeof *more);
    if (more == NULL) {
        return NULL;
    }
    maps->map = more;
    more[maps->count] = (struct board_map){.memory = NULL};
    return &more[maps->count++];
}

struct board_map *board_maps_add(struct board_maps *maps, const struct board_process *process,
                                 const struct board_area *area, uint64_t address, uint64_t len,
                                 int like)
{
    uint64_t first = ni_align_down(address, DNP_PAGE);
    uint64_t bytes = ni_align_up(address + len, DNP_PAGE) - first;
    struct board_map *map;
    void *memory = MAP_FAILED;
    int fd;

    if (address < area->begin ||
        !ni_range_within(address - area->begin, len, area->end - area->begin) ||
        bytes > BOARD_MAPS_BYTES - maps->bytes) {
        return NULL;
    }
    fd = open_area(process, area, like);
    map = fd >= 0 ? place(maps) : NULL;
    if (map != NULL) {
        map->pages = ni_calloc(bytes / DNP_PAGE, sizeof *map->pages);
    }
    if (map != NULL && map->pages != NULL) {
        memory = mmap(NULL, bytes, PROT_READ | (area->writable ? PROT_WRITE : 0), MAP_SHARED, fd,
                      (off_t)(area->offset + (first - area->begin)));
    }
    if (fd >= 0) {
        close(fd);
    }
    if (memory == MAP_FAILED) {
        if (map != NULL) {
            free(map->pages);
        }
        return NULL;
    }
    map->memory = memory;
    map->bytes = bytes;
    maps->bytes += bytes;
    map->writable = area->writable;
    map->handle = 0;
    for (uint64_t i = 0; i < bytes / DNP_PAGE; i++) {
        map->pages[i] = BOARD_MAPPED | (uint64_t)(map - maps->map) * BOARD_MAP_BYTES | i * DNP_PAGE;
    }
    return map;
}

static void forget(struct board_maps *maps, struct board_map *map)
{
    maps->bytes -= map->bytes;
    munmap(map->memory, map->bytes);
    free(map->pages);
    map->memory = NULL;
}

void board_maps_remove(struct board_maps *maps, ni_handle handle)
{
    for (uint32_t i = 0; i < maps->count; i++) {
        if (maps->map[i].memory != NULL && maps->map[i].handle == handle) {
            forget(maps, &maps->map[i]);
        }
    }
}

void board_maps_clear(struct board_maps *maps)
{
    for (uint32_t i = 0; i < maps->count; i++) {
        if (maps->map[i].memory != NULL) {
            forget(maps, &maps->map[i]);
        }
    }
    free(maps->map);
    *maps = (struct board_maps){.map = NULL};
}

bool board_maps_copy(const struct board_maps *maps, bool write, uint64_t address, void *data,
                     uint32_t len)
{
    uint64_t number = (address & ~BOARD_MAPPED) / BOARD_MAP_BYTES;
    uint64_t at = address % BOARD_MAP_BYTES;
    const struct board_map *map = number < maps->count ? &maps->map[number] : NULL;

    if (map == NULL || map->memory == NULL || !ni_range_within(at, len, map->bytes) ||
        (write && !map->writable)) {
        return false;
    }
    memcpy(write ? map->memory + at : data, write ? data : map->memory + at, len);
    return true;
}
