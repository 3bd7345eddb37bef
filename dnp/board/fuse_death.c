/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that end while others have their file open. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dnp/board/fuse_protocol.h"

static void on_death(evutil_socket_t fd, short what, void *arg)
{
    struct board_open *open = arg;

    (void)fd;
    (void)what;
    board_wait_end_all(open, -ENXIO);
    board_file_leave(&open->file);
    board_wait_wake(open);
    board_death_forget(open);
}

int board_death_watch(struct board_open *open)
{
    open->process_fd = (int)syscall(SYS_pidfd_open, open->file.process.group, 0);
    if (open->process_fd < 0) {
        return -errno;
    }
    open->process_end = event_new(open->fuse->base, open->process_fd, EV_READ, on_death, open);
    if (open->process_end == NULL || event_add(open->process_end, NULL) != 0) {
        board_death_forget(open);
        return -ENOMEM;
    }
    return 0;
}

void board_death_forget(struct board_open *open)
{
    if (open->process_end != NULL) {
        event_free(open->process_end);
    }
    if (open->process_fd >= 0) {
        close(open->process_fd);
    }
    open->process_end = NULL;
    open->process_fd = -1;
}
