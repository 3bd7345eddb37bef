/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_IVSHMEM_H
#define DNP_BOARD_IVSHMEM_H

#include <event2/event.h>
#include <stdbool.h>

#include <apeni/status.h>

#include "dnp/board/machine.h"

/*
 * A card for a virtual machine: the server of QEMU's device ivshmem-doorbell, whose shared memory
 * is the BAR. The card is peer 0 with one doorbell, the machine peer 1. One machine at a time.
 *
 *   machine --doorbell of peer 0--> board_machine_rung
 *           <--vectors 0, 1 + n----
 */
struct board_ivshmem {
    struct board_machine machine;
    const char *path;
    int listener; /* -1: there is no socket */
    int client;   /* -1: no machine */
    int doorbell; /* eventfds */
    int vector[APELINK_BAR_VECTORS];
    struct event_base *base;
    struct event *on_connect;
    struct event *on_client;
    struct event *on_doorbell;
    struct event *on_beat;
    void (*after)(void *arg);
    void *arg;
};

/*
 * Serve a socket from the event loop. after(arg) is called when the driver has asked for something.
 * Paths have to stay. A failure is logged.
 */
ni_status board_ivshmem_open(struct board_ivshmem *ivshmem, struct board_device *device,
                             const char *path, const char *memory_path, struct event_base *base,
                             void (*after)(void *arg), void *arg);

/* Also after a failed open, and of zeros with listener and machine.bar_fd -1. */
void board_ivshmem_close(struct board_ivshmem *ivshmem);

/* These channels, a bit each, have new events: wake who waits for them. */
void board_ivshmem_wake(struct board_ivshmem *ivshmem, unsigned channels);

#endif
