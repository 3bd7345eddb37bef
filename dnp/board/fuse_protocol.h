/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_FUSE_PROTOCOL_H
#define DNP_BOARD_FUSE_PROTOCOL_H

#include <linux/fuse.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "dnp/board/fuse.h"

/*
 * What the parts of the FUSE device share, and what of the protocol is newer than the headers of
 * Linux 6.1: passthrough, of 7.40.
 */

enum { FUSE_REQUEST_MAX = 1 << 16, FUSE_ANSWER_MAX = 1 << 14 };

#define BOARD_FUSE_INIT_EXT     (1U << 30)
#define BOARD_FUSE_PASSTHROUGH  (1U << 5) /* of flags2 */
#define BOARD_FOPEN_PASSTHROUGH (1U << 7)

struct board_fuse_init_out {
    uint32_t major;
    uint32_t minor;
    uint32_t max_readahead;
    uint32_t flags;
    uint16_t max_background;
    uint16_t congestion_threshold;
    uint32_t max_write;
    uint32_t time_gran;
    uint16_t max_pages;
    uint16_t map_alignment;
    uint32_t flags2;
    uint32_t max_stack_depth;
    uint32_t unused[6];
};

struct board_fuse_open_out {
    uint64_t fh;
    uint32_t open_flags;
    int32_t backing_id;
};

struct board_fuse_backing_map {
    int32_t fd;
    uint32_t flags;
    uint64_t padding;
};

#define BOARD_FUSE_BACKING_OPEN  _IOW(229, 1, struct board_fuse_backing_map)
#define BOARD_FUSE_BACKING_CLOSE _IOW(229, 2, uint32_t)

struct board_wait;

struct board_open {
    struct board_open *next;
    struct board_fuse *fuse;
    struct board_file file;
    uint64_t node;
    int backing; /* the kernel's number of the memory; opening uses it after our answer */
    uint64_t poll_handle;
    bool polled; /* the kernel wants to hear of events */
    struct board_wait *waits;
    int process_fd; /* becomes readable when the channel's process ends; -1: no channel */
    struct event *process_end;
};

/* Mount and shake hands with the kernel; the fd, or -1, which is logged. fills user and group. */
int board_fuse_mount(struct board_fuse *fuse);
void board_fuse_unmount(const char *directory);

/* Answer a request: error as a negative errno, or 0 and two parts of so many bytes. false: who
 * asked has gone, and the kernel acts as if nobody had answered. */
bool board_fuse_answer(int fd, uint64_t unique, int error, const void *first, size_t first_len,
                       const void *second, size_t second_len);

/* In fuse_death.c: give the channel back when its process ends, also while others have the file
 * open, such as a child of it. 0 or a negative errno. */
int board_death_watch(struct board_open *open);
void board_death_forget(struct board_open *open);

/* A program waits: the answer to this request is its structure of len bytes. */
int board_wait_begin(struct board_open *open, uint64_t unique, const struct apelink_wait *wait,
                     const void *structure, size_t len);

/* A signal has come. No effect if the wait has ended already. */
void board_wait_interrupt(struct board_fuse *fuse, uint64_t unique);

/* Answer those for which there are events, and tell the kernel of them if it wants to hear. */
void board_wait_wake(struct board_open *open);

/* All end with this error. */
void board_wait_end_all(struct board_open *open, int error);

#endif
