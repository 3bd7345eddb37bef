/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_FUSE_H
#define DNP_BOARD_FUSE_H

#include <event2/event.h>
#include <stdint.h>
#include <sys/types.h>

#include <apeni/status.h>

#include "dnp/board/device.h"

/*
 * A device as a file, by FUSE: a file system of one file, BOARD_DEVICE_NAME, is mounted on a
 * directory. Each open has an inode of its own, which is backed by the file's memory, so that what
 * a program maps is that memory itself (FUSE passthrough, Linux 6.9). We speak the kernel's
 * protocol ourselves; the libfuse of today's distributions knows no passthrough.
 *
 *   open, ioctl, poll, close --/dev/fuse--> board_file_*
 *   mmap ---------------------------------> memory, without us
 */

#define BOARD_DEVICE_NAME "apelink0"

enum { BOARD_FILES_MAX = 64 }; /* open at once */

struct board_open; /* an open file, and who waits for it */

struct board_fuse {
    struct board_device *device;
    struct event_base *base;
    int fd; /* -1: there is no device */
    const char *directory;
    struct event *readable;
    mode_t mode;
    uid_t user;
    gid_t group;
    struct board_open *files;
    unsigned count;
    uint64_t node; /* the last that was given away */
    void (*before)(void *arg), (*after)(void *arg);
    void *arg;
};

/*
 * Mount and serve from the event loop. The file gets this mode, and owner and group of the
 * directory. before(arg) and after(arg) are called when programs have asked for something, before
 * they are answered and after that. directory has to stay. A failure is logged, with what is
 * missing.
 */
ni_status board_fuse_open(struct board_fuse *fuse, struct board_device *device,
                          const char *directory, mode_t mode, struct event_base *base,
                          void (*before)(void *arg), void (*after)(void *arg), void *arg);

/* Also after a failed open. Programs that have the file open get ENOTCONN from then on. */
void board_fuse_close(struct board_fuse *fuse);

/* These channels, a bit each, have new events: wake who waits for them. */
void board_fuse_wake(struct board_fuse *fuse, unsigned channels);

#endif
