/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_PROCESS_H
#define DNP_BOARD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The memory of another process. It is that of the address space that was there at open: when the
 * process ends or executes another program, access fails, also if its number is in use again. Like
 * memory that is pinned, it is reached whatever its protection has become.
 */
struct board_process {
    int memory; /* -1: none */
    pid_t group;
};

/* The part of a process's memory in which a byte lies. */
struct board_area {
    uint64_t begin, end;
    uint64_t offset; /* of its first byte, in what is mapped */
    bool writable;
    bool anonymous; /* it is shared with others, and seems to be no file of anybody's */
};

/* Of the process to which a thread belongs. 0 or a negative errno. */
int board_process_open(struct board_process *process, pid_t thread);

/* Also of one that is not open. */
void board_process_close(struct board_process *process);

/* Whether a thread that now waits for an answer is one of this process. */
bool board_process_is(const struct board_process *process, pid_t thread);

/* Whether its address space is still that of a process. */
bool board_process_there(const struct board_process *process);

/* Whether all bytes are mapped in the process of a thread, and writable if that is wanted; area is
 * that of the first. */
bool board_process_maps(pid_t thread, uint64_t address, uint64_t len, bool writable,
                        struct board_area *area);

/* Copy between data and an address of the process. On false some bytes may have moved. */
bool board_process_copy(const struct board_process *process, bool write, uint64_t address,
                        void *data, uint32_t len);

#endif
