/* SPDX-License-Identifier: BSD-3-Clause */
/* Reaches the memory of a process by its file in /proc. */
#include "dnp/board/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"

enum { PATH = 64, LINE = 512 };

/* The number of the process of a thread; -1: there is no such thread. */
static pid_t group_of(pid_t thread)
{
    char path[PATH], line[LINE];
    int group = -1;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    file = fopen(path, "re");
    while (file != NULL && group == -1 && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "Tgid: %d", &group);
    }
    if (file != NULL) {
        fclose(file);
    }
    return group;
}

int board_process_open(struct board_process *process, pid_t thread)
{
    char path[PATH];

    process->group = group_of(thread);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)thread);
    process->memory = open(path, O_RDWR | O_CLOEXEC);
    if (process->memory < 0) {
        return -errno;
    }
    if (process->group < 0) {
        board_process_close(process);
        return -ESRCH;
    }
    return 0;
}

void board_process_close(struct board_process *process)
{
    if (process->memory >= 0) {
        close(process->memory);
    }
    process->memory = -1;
}

bool board_process_is(const struct board_process *process, pid_t thread)
{
    return process->memory >= 0 && group_of(thread) == process->group;
}

bool board_process_there(const struct board_process *process)
{
    char byte;

    /* Nothing is mapped there, which is an error; without an address space it is the end. */
    return process->memory >= 0 && pread(process->memory, &byte, 1, 0) != 0;
}

/* A line of a map of memory. False: it is the rest of a long one. */
static bool parse(const char *line, struct board_area *area, bool *readable)
{
    char access[5] = "", name[16] = "";

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %15s", &area->begin,
               &area->end, access, &area->offset, name) < 4) {
        return false;
    }
    *readable = access[0] == 'r';
    area->writable = access[1] == 'w';
    area->anonymous = access[3] == 's' && strcmp(name, "/dev/zero") == 0;
    return true;
}

bool board_process_maps(pid_t thread, uint64_t address, uint64_t len, bool writable,
                        struct board_area *area)
{
    uint64_t left = len, at = address;
    char path[PATH], line[LINE];
    struct board_area next;
    bool readable;
    FILE *maps;

    if (!ni_range_within(address, len, INT64_MAX)) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/%d/maps", (int)thread);
    maps = fopen(path, "re");
    /* Lines are in the order of addresses. */
    while (maps != NULL && left > 0 && fgets(line, sizeof line, maps) != NULL) {
        if (!parse(line, &next, &readable) || next.end <= at) {
            continue;
        }
        if (next.begin > at || !(writable ? next.writable : readable)) {
            break;
        }
        if (at == address) {
            *area = next;
        }
        left -= ni_min_u64(left, next.end - at);
        at = next.end;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return left == 0;
}

bool board_process_copy(const struct board_process *process, bool write, uint64_t address,
                        void *data, uint32_t len)
{
    uint8_t *bytes = data;

    while (len > 0) {
        ssize_t moved = write ? pwrite(process->memory, bytes, len, (off_t)address)
                              : pread(process->memory, bytes, len, (off_t)address);

        if (moved <= 0) {
            return false;
        }
        bytes += moved;
        address += (uint64_t)moved;
        len -= (uint32_t)moved;
    }
    return true;
}
