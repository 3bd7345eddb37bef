/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's side of a device. */
#include "driver/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int ask(const struct apelink_client *client, unsigned long command, void *structure)
{
    return ioctl(client->fd, command, structure) < 0 ? -errno : 0;
}

static int map(const struct apelink_client *client, uint64_t key, uint64_t bytes, void **at)
{
    *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd, (off_t)key);
    if (*at == MAP_FAILED) {
        *at = NULL;
        return -errno;
    }
    return 0;
}

static int map_all(struct apelink_client *client)
{
    const struct apelink_channel *channel = &client->channel;
    void *doorbell, *tx = NULL, *events = NULL;
    int error = map(client, channel->doorbell_key, channel->doorbell_bytes, &doorbell);

    if (error == 0) {
        error = map(client, channel->tx_key, channel->tx_bytes, &tx);
    }
    if (error == 0) {
        error = map(client, channel->event_key, channel->event_bytes, &events);
    }
    client->doorbell = doorbell;
    client->tx = tx;
    client->events = events;
    return error;
}

int apelink_client_open_registers(struct apelink_client *client, const char *path)
{
    int error;

    *client = (struct apelink_client){.features.size = sizeof client->features};
    client->fd = open(path, O_RDWR | O_CLOEXEC);
    if (client->fd < 0) {
        return -errno;
    }
    error = ask(client, APELINK_GET_FEATURES, &client->features);
    if (error == 0 && client->features.version < APELINK_IOCTL_VERSION) {
        error = -ENOSYS;
    }
    return error;
}

int apelink_client_open(struct apelink_client *client, const char *path, uint32_t tx_entries,
                        uint32_t event_entries)
{
    int error = apelink_client_open_registers(client, path);

    client->channel = (struct apelink_channel){
        .size = sizeof client->channel, .tx_entries = tx_entries, .event_entries = event_entries};
    if (error == 0) {
        error = ask(client, APELINK_OPEN_CHANNEL, &client->channel);
    }
    if (error == 0) {
        client->port = client->channel.port;
        error = map_all(client);
    }
    return error;
}

void apelink_client_close(struct apelink_client *client)
{
    if (client->doorbell != NULL) {
        munmap(client->doorbell, client->channel.doorbell_bytes);
    }
    if (client->tx != NULL) {
        munmap(client->tx, client->channel.tx_bytes);
    }
    if (client->events != NULL) {
        munmap(client->events, client->channel.event_bytes);
    }
    if (client->fd >= 0) {
        close(client->fd);
    }
    client->fd = -1;
}

int apelink_client_register(struct apelink_client *client, const void *address, size_t len,
                            uint32_t access, uint32_t *handle)
{
    struct apelink_register buffer = {
        .size = sizeof buffer, .address = (uintptr_t)address, .len = len, .access = access};
    int error = ask(client, APELINK_REGISTER, &buffer);

    *handle = buffer.handle;
    return error;
}

int apelink_client_deregister(struct apelink_client *client, uint32_t handle)
{
    struct apelink_deregister structure = {.size = sizeof structure, .handle = handle};

    return ask(client, APELINK_DEREGISTER, &structure);
}

/* Pairs with the card's release. */
static uint32_t load(const __u32 *word)
{
    return atomic_load_explicit((const _Atomic(uint32_t) *)word, memory_order_acquire);
}

/* Pairs with the card's acquire. */
static void store(__u32 *word, uint32_t value)
{
    atomic_store_explicit((_Atomic(uint32_t) *)word, value, memory_order_release);
}

bool apelink_client_post(struct apelink_client *client, const uint8_t command[APELINK_COMMAND_SIZE])
{
    uint32_t entries = client->channel.tx_entries;

    if (client->wr_ptr - load(&client->doorbell->rd_ptr) >= entries) {
        return false;
    }
    memcpy(client->tx + (size_t)(client->wr_ptr & (entries - 1)) * APELINK_COMMAND_SIZE, command,
           APELINK_COMMAND_SIZE);
    store(&client->doorbell->wr_ptr, ++client->wr_ptr);
    return true;
}

bool apelink_client_event(struct apelink_client *client, uint8_t event[APELINK_EVENT_SIZE])
{
    uint32_t entry = client->event_rd_ptr & (client->channel.event_entries - 1);

    if (load(&client->doorbell->event_wr_ptr) == client->event_rd_ptr) {
        return false;
    }
    memcpy(event, client->events + (size_t)entry * APELINK_EVENT_SIZE, APELINK_EVENT_SIZE);
    store(&client->doorbell->event_rd_ptr, ++client->event_rd_ptr);
    return true;
}

int apelink_client_wait(struct apelink_client *client, uint64_t timeout_ns)
{
    struct apelink_wait wait = {
        .size = sizeof wait, .timeout_ns = timeout_ns, .seen = client->event_rd_ptr};

    if (load(&client->doorbell->event_wr_ptr) != client->event_rd_ptr) {
        return 0;
    }
    return ask(client, APELINK_WAIT, &wait);
}

int apelink_client_read(struct apelink_client *client, uint32_t offset, uint32_t *value)
{
    struct apelink_access access = {.size = sizeof access, .offset = offset};
    int error = ask(client, APELINK_READ_REGISTER, &access);

    *value = access.value;
    return error;
}

int apelink_client_write(struct apelink_client *client, uint32_t offset, uint32_t value)
{
    struct apelink_access access = {.size = sizeof access, .offset = offset, .value = value};

    return ask(client, APELINK_WRITE_REGISTER, &access);
}

int apelink_client_list(struct apelink_client *client, struct apelink_item *items, uint32_t count,
                        uint32_t *done)
{
    struct apelink_list list = {.size = sizeof list, .count = count};
    size_t len = count * sizeof *items;
    int error;

    *done = 0;
    if (count > APELINK_LIST_ITEMS) {
        return -EINVAL;
    }
    memcpy(list.item, items, len);
    error = ask(client, APELINK_LIST, &list);
    if (error != 0) {
        return error;
    }
    memcpy(items, list.item, len);
    *done = list.done;
    return -(int)list.error;
}
