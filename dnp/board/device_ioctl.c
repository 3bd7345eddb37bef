/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs ask of a device. */
#include <errno.h>
#include <string.h>

#include "dnp/board/device.h"

/* Of a structure of version 1, as this driver knows it. */
union request {
    struct apelink_features features;
    struct apelink_channel channel;
    struct apelink_register buffer;
    struct apelink_deregister handle;
    struct apelink_access access;
    struct apelink_wait wait;
    struct apelink_list list;
};

#define RESERVED(field) apelink_all_zero(&(field), sizeof(field))

void board_device_features(const struct board_device *device, struct apelink_features *features)
{
    const struct dnp_card *card = device->card;
    const struct dnp_register_file *registers = &card->registers;

    features->version = APELINK_IOCTL_VERSION;
    features->board_version = dnp_get(registers, DNP_REG_board_version, 0);
    features->features = APELINK_FEATURE_LIST;
    features->channels = DNP_CHANNELS;
    features->channels_free = 0;
    for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
        features->channels_free += device->channel[port] == NULL && dnp_channel_idle(card, port);
    }
    features->ring_max = DNP_RING_MAX;
    features->page_size = DNP_PAGE;
    features->place = dnp_get(registers, DNP_REG_board_place, 0);
    features->torus = dnp_get(registers, DNP_REG_board_torus, 0);
}

static int get_features(const struct board_file *file, struct apelink_features *features)
{
    if (!RESERVED(features->reserved)) {
        return -EINVAL;
    }
    board_device_features(file->device, features);
    return 0;
}

static int open_channel(struct board_file *file, const struct board_caller *caller,
                        struct apelink_channel *channel)
{
    struct dnp_rings rings = {BOARD_TX_KEY, BOARD_EVENT_KEY, channel->tx_entries,
                              channel->event_entries};
    int port, status;

    if (!RESERVED(channel->reserved) || channel->reserved0 != 0 || channel->flags != 0 ||
        !board_ring_makes_sense(channel->tx_entries) ||
        !board_ring_makes_sense(channel->event_entries)) {
        return -EINVAL;
    }
    if (!file->writable) {
        return -EACCES;
    }
    port = file->port >= 0 ? -EBUSY : board_device_free_port(file->device);
    if (port < 0) {
        return port;
    }
    status = board_process_open(&file->process, caller->thread);
    if (status != 0) {
        return status;
    }
    board_file_take(file, port, &rings);
    channel->port = (uint32_t)port;
    channel->tx_key = BOARD_TX_KEY;
    channel->tx_bytes = (uint64_t)channel->tx_entries * APELINK_COMMAND_SIZE;
    channel->event_key = BOARD_EVENT_KEY;
    channel->event_bytes = (uint64_t)channel->event_entries * APELINK_EVENT_SIZE;
    channel->doorbell_key = BOARD_DOORBELL_KEY;
    channel->doorbell_bytes = BOARD_DOORBELL_BYTES;
    return 0;
}

/* The card knows it by our map of it, or else by its addresses in the process. */
static int add_buffer(struct board_file *file, struct apelink_register *buffer,
                      const struct board_area *area)
{
    struct board_map *map = board_maps_add(&file->maps, &file->process, area, buffer->address,
                                           buffer->len, file->memory_fd);
    unsigned access = ((buffer->access & APELINK_ACCESS_READ) != 0 ? NI_ACCESS_READ : 0) |
                      ((buffer->access & APELINK_ACCESS_WRITE) != 0 ? NI_ACCESS_WRITE : 0);
    ni_handle handle = 0;
    ni_status status =
        dnp_buffers_add(&file->device->card->buffers, (uint8_t)file->port, buffer->address,
                        buffer->len, access, map != NULL ? map->pages : NULL, &handle);

    if (map != NULL) {
        map->handle = handle;
    }
    if (status != NI_OK) {
        board_maps_remove(&file->maps, 0);
        return -ENOSPC;
    }
    buffer->handle = handle;
    return 0;
}

static int register_buffer(struct board_file *file, const struct board_caller *caller,
                           struct apelink_register *buffer)
{
    unsigned all = APELINK_ACCESS_READ | APELINK_ACCESS_WRITE;
    struct board_area area;

    if (!RESERVED(buffer->reserved) || buffer->reserved0 != 0 || buffer->flags != 0 ||
        buffer->len == 0 || (buffer->access & all) == 0 || (buffer->access & ~all) != 0) {
        return -EINVAL;
    }
    if (file->port < 0) {
        return -ENXIO;
    }
    if (!board_process_is(&file->process, caller->thread)) {
        return -EPERM;
    }
    if (!board_process_maps(caller->thread, buffer->address, buffer->len,
                            (buffer->access & APELINK_ACCESS_WRITE) != 0, &area)) {
        return -EFAULT;
    }
    return add_buffer(file, buffer, &area);
}

static int deregister(struct board_file *file, const struct apelink_deregister *handle)
{
    if (handle->reserved0 != 0) {
        return -EINVAL;
    }
    if (file->port < 0) {
        return -ENXIO;
    }
    if (dnp_buffers_remove(&file->device->card->buffers, (uint8_t)file->port, handle->handle) !=
        NI_OK) {
        return -ENOENT;
    }
    board_maps_remove(&file->maps, handle->handle);
    return 0;
}

static int error_of(ni_status status)
{
    switch (status) {
    case NI_OK:
        return 0;
    case NI_ERR_NOTFOUND:
        return -ENOENT;
    case NI_ERR_ACCESS:
        return -EPERM;
    default:
        return -EINVAL;
    }
}

int board_device_read(const struct board_device *device, uint32_t offset, uint32_t *value)
{
    return error_of(dnp_registers_read(&device->card->registers, offset, value));
}

int board_device_write(struct board_device *device, uint32_t offset, uint32_t value)
{
    if (!dnp_register_administered(offset)) {
        return -EPERM;
    }
    return error_of(dnp_registers_write(&device->card->registers, offset, value));
}

static int read_register(const struct board_file *file, struct apelink_access *access)
{
    return access->reserved != 0 ? -EINVAL
                                 : board_device_read(file->device, access->offset, &access->value);
}

static int write_register(const struct board_file *file, const struct board_caller *caller,
                          const struct apelink_access *access)
{
    if (access->reserved != 0) {
        return -EINVAL;
    }
    if (!caller->privileged || !file->writable) {
        return -EPERM;
    }
    return board_device_write(file->device, access->offset, access->value);
}

/* Who asks for a list. */
struct asker {
    const struct board_file *file;
    const struct board_caller *caller;
};

static int reach(void *arg, struct apelink_item *item)
{
    const struct asker *asker = arg;
    struct apelink_access access = {.offset = item->offset, .value = item->value};
    int status;

    if ((item->flags & APELINK_ITEM_WRITE) != 0) {
        return write_register(asker->file, asker->caller, &access);
    }
    status = read_register(asker->file, &access);
    item->value = access.value;
    return status;
}

static int do_list(const struct board_file *file, const struct board_caller *caller,
                   struct apelink_list *list)
{
    struct asker asker = {file, caller};

    return apelink_list_run(list, reach, &asker);
}

static int begin_wait(const struct board_file *file, struct apelink_wait *wait)
{
    if (wait->reserved != 0) {
        return -EINVAL;
    }
    if (file->port < 0) {
        return -ENXIO;
    }
    if (board_file_waited(file, wait)) {
        return 0;
    }
    return wait->timeout_ns == 0 ? -ETIMEDOUT : BOARD_LATER;
}

static int answer(struct board_file *file, const struct board_caller *caller, unsigned int command,
                  union request *request)
{
    switch (_IOC_NR(command)) {
    case _IOC_NR(APELINK_GET_FEATURES):
        return get_features(file, &request->features);
    case _IOC_NR(APELINK_OPEN_CHANNEL):
        return open_channel(file, caller, &request->channel);
    case _IOC_NR(APELINK_REGISTER):
        return register_buffer(file, caller, &request->buffer);
    case _IOC_NR(APELINK_DEREGISTER):
        return deregister(file, &request->handle);
    case _IOC_NR(APELINK_READ_REGISTER):
        return read_register(file, &request->access);
    case _IOC_NR(APELINK_WRITE_REGISTER):
        return write_register(file, caller, &request->access);
    case _IOC_NR(APELINK_LIST):
        return do_list(file, caller, &request->list);
    default:
        return begin_wait(file, &request->wait);
    }
}

int board_file_ioctl(struct board_file *file, const struct board_caller *caller,
                     unsigned int command, void *structure, size_t len, struct apelink_wait *wait)
{
    union request request;
    size_t own = apelink_struct_first(command); /* there is no later version */
    int status;

    if (_IOC_TYPE(command) != APELINK_IOCTL_TYPE || own == 0 ||
        _IOC_DIR(command) != (_IOC_READ | _IOC_WRITE)) {
        return -ENOTTY;
    }
    status = apelink_struct_take(&request, own, structure, len, own);
    if (status == 0) {
        status = answer(file, caller, command, &request);
    }
    if (status == 0) {
        apelink_struct_give(structure, len, &request, own);
    } else if (status == BOARD_LATER) {
        *wait = request.wait;
    }
    return status;
}
