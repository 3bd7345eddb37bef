/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_CLIENT_H
#define APELINK_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/apelink_ioctl.h"
#include "driver/command.h"
#include "driver/event.h"

/*
 * A program's side of a device: one channel of a card, with its rings mapped. Command packets and
 * events are bytes here (driver/command.h, driver/event.h). A post and a look at events are stores
 * and loads; the others are ioctls. Errors are negative errno, ENOTCONN or ENODEV when the card has
 * gone. Not thread-safe.
 */

struct apelink_client {
    int fd; /* poll says POLLIN when there are events */
    uint32_t port;
    struct apelink_features features;
    struct apelink_channel channel;
    struct apelink_doorbell *doorbell;
    uint8_t *tx;
    uint8_t *events;
    uint32_t wr_ptr;
    uint32_t event_rd_ptr;
};

/* Open a device and a channel with so many entries of rings, powers of two. ENOSYS: the driver has
 * no version of the interface that is known here. EBUSY: all channels are in use. */
int apelink_client_open(struct apelink_client *client, const char *path, uint32_t tx_entries,
                        uint32_t event_entries);

/* Open a device without a channel, for its registers alone: read, write and close. ENOSYS as above.
 */
int apelink_client_open_registers(struct apelink_client *client, const char *path);

/* Also after a failed open. Events that were not taken are lost, buffers are deregistered. */
void apelink_client_close(struct apelink_client *client);

/* Let other cards reach memory: access of APELINK_ACCESS_. */
int apelink_client_register(struct apelink_client *client, const void *address, size_t len,
                            uint32_t access, uint32_t *handle);
int apelink_client_deregister(struct apelink_client *client, uint32_t handle);

/* Give a command packet to the card. false: the ring is full. */
bool apelink_client_post(struct apelink_client *client,
                         const uint8_t command[APELINK_COMMAND_SIZE]);

/* Take the next event. false: there is none. */
bool apelink_client_event(struct apelink_client *client, uint8_t event[APELINK_EVENT_SIZE]);

/* Sleep until there is an event to take. ETIMEDOUT, or EINTR: a signal came. */
int apelink_client_wait(struct apelink_client *client, uint64_t timeout_ns);

int apelink_client_read(struct apelink_client *client, uint32_t offset, uint32_t *value);
int apelink_client_write(struct apelink_client *client, uint32_t offset, uint32_t value);

/* Reach up to APELINK_LIST_ITEMS registers by one ioctl, where the features have
 * APELINK_FEATURE_LIST: done of the items, of which those that are read get their values. An error
 * is that of the item behind them. */
int apelink_client_list(struct apelink_client *client, struct apelink_item *items, uint32_t count,
                        uint32_t *done);

#endif
