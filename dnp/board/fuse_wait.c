/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that wait for events of a device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/board/fuse_protocol.h"

struct board_wait {
    struct board_wait *next;
    struct board_open *open;
    struct event *timer; /* NULL: for ever */
    uint64_t unique;
    struct apelink_wait wait;
    size_t len;
    uint8_t structure[]; /* as the program has it */
};

/* Answer, and forget. */
static void end(struct board_wait *wait, int error)
{
    struct board_wait **at = &wait->open->waits;
    struct fuse_ioctl_out out = {0};

    while (*at != wait) {
        at = &(*at)->next;
    }
    *at = wait->next;
    apelink_struct_give(wait->structure, wait->len, &wait->wait, sizeof wait->wait);
    (void)board_fuse_answer(wait->open->fuse->fd, wait->unique, error, &out, sizeof out,
                            wait->structure, wait->len);
    if (wait->timer != NULL) {
        event_free(wait->timer);
    }
    free(wait);
}

static void on_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    end(arg, -ETIMEDOUT);
}

int board_wait_begin(struct board_open *open, uint64_t unique, const struct apelink_wait *wait,
                     const void *structure, size_t len)
{
    struct board_wait *new = ni_calloc(1, sizeof *new + len);
    uint64_t us = ni_min_u64(wait->timeout_ns / 1000 + 1, (uint64_t)INT32_MAX * 1000000);
    struct timeval limit = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};

    if (new == NULL) {
        return -ENOMEM;
    }
    new->open = open;
    new->unique = unique;
    new->wait = *wait;
    new->len = len;
    memcpy(new->structure, structure, len);
    if (wait->timeout_ns != UINT64_MAX) {
        new->timer = evtimer_new(open->fuse->base, on_time, new);
        if (new->timer == NULL || evtimer_add(new->timer, &limit) != 0) {
            if (new->timer != NULL) {
                event_free(new->timer);
            }
            free(new);
            return -ENOMEM;
        }
    }
    new->next = open->waits;
    open->waits = new;
    return 0;
}

void board_wait_interrupt(struct board_fuse *fuse, uint64_t unique)
{
    for (struct board_open *open = fuse->files; open != NULL; open = open->next) {
        for (struct board_wait *wait = open->waits; wait != NULL; wait = wait->next) {
            if (wait->unique == unique) {
                end(wait, -EINTR);
                return;
            }
        }
    }
}

void board_wait_wake(struct board_open *open)
{
    struct fuse_notify_poll_wakeup_out handle = {open->poll_handle};

    for (struct board_wait *wait = open->waits, *next; wait != NULL; wait = next) {
        next = wait->next;
        if (board_file_waited(&open->file, &wait->wait)) {
            end(wait, 0);
        }
    }
    if (open->polled && (open->file.port < 0 || board_file_has_events(&open->file))) {
        open->polled = false;
        (void)board_fuse_answer(open->fuse->fd, 0, FUSE_NOTIFY_POLL, &handle, sizeof handle, NULL,
                                0);
    }
}

void board_wait_end_all(struct board_open *open, int error)
{
    while (open->waits != NULL) {
        end(open->waits, error);
    }
}
