/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* What programs ask. The answers are those of the device that FUSE serves. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "apelink.h"
#include "driver/apelink_layout.h"

#define IS_SIZE(type, bytes)        static_assert(sizeof(struct type) == (bytes));
#define IS_AT(type, member, offset) static_assert(offsetof(struct type, member) == (offset));
APELINK_LAYOUTS(IS_SIZE, IS_AT)

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

static int get_features(struct apelink_file *file, struct apelink_features *features)
{
    struct apelink_bar_request request = {.operation = APELINK_BAR_FEATURES};
    int status;

    if (!RESERVED(features->reserved)) {
        return -EINVAL;
    }
    status = apelink_ask(file->card, &request);
    if (status == 0) {
        *features = request.features;
        features->version = APELINK_IOCTL_VERSION;
        features->features =
            APELINK_FEATURE_KERNEL | APELINK_FEATURE_PIN_CACHE | APELINK_FEATURE_LIST;
        features->ring_max = APELINK_BAR_RING_MAX;
        features->page_size = PAGE_SIZE;
    }
    return status;
}

static bool ring_makes_sense(u32 entries)
{
    return is_power_of_2(entries) && entries <= APELINK_BAR_RING_MAX;
}

static bool may_write(const struct file *opened)
{
    return (opened->f_mode & (FMODE_READ | FMODE_WRITE)) == (FMODE_READ | FMODE_WRITE);
}

static int open_channel(struct file *opened, struct apelink_channel *channel)
{
    if (!RESERVED(channel->reserved) || channel->reserved0 != 0 || channel->flags != 0 ||
        !ring_makes_sense(channel->tx_entries) || !ring_makes_sense(channel->event_entries)) {
        return -EINVAL;
    }
    if (!may_write(opened)) {
        return -EACCES;
    }
    return apelink_channel_open(opened->private_data, channel);
}

static int register_buffer(struct apelink_file *file, struct apelink_register *buffer)
{
    u32 all = APELINK_ACCESS_READ | APELINK_ACCESS_WRITE;

    if (!RESERVED(buffer->reserved) || buffer->reserved0 != 0 || buffer->flags != 0 ||
        buffer->len == 0 || (buffer->access & all) == 0 || (buffer->access & ~all) != 0) {
        return -EINVAL;
    }
    return apelink_buffer_register(file, buffer);
}

static int reach_register(struct apelink_file *file, u32 operation, struct apelink_access *access)
{
    struct apelink_bar_request request = {
        .operation = operation, .offset = access->offset, .value = access->value};
    int status = apelink_ask(file->card, &request);

    if (status == 0 && operation == APELINK_BAR_READ) {
        access->value = request.value;
    }
    return status;
}

static int read_register(struct apelink_file *file, struct apelink_access *access)
{
    return access->reserved != 0 ? -EINVAL : reach_register(file, APELINK_BAR_READ, access);
}

static int write_register(struct file *opened, struct apelink_access *access)
{
    if (access->reserved != 0) {
        return -EINVAL;
    }
    if (!may_write(opened) || !capable(CAP_SYS_ADMIN)) {
        return -EPERM;
    }
    return reach_register(opened->private_data, APELINK_BAR_WRITE, access);
}

static int reach(void *opened, struct apelink_item *item)
{
    struct apelink_access access = {.offset = item->offset, .value = item->value};
    int status;

    if ((item->flags & APELINK_ITEM_WRITE) != 0) {
        return write_register(opened, &access);
    }
    status = read_register(((struct file *)opened)->private_data, &access);
    item->value = access.value;
    return status;
}

static int answer(struct file *opened, unsigned int command, union request *request)
{
    struct apelink_file *file = opened->private_data;

    switch (_IOC_NR(command)) {
    case _IOC_NR(APELINK_GET_FEATURES):
        return get_features(file, &request->features);
    case _IOC_NR(APELINK_OPEN_CHANNEL):
        return open_channel(opened, &request->channel);
    case _IOC_NR(APELINK_REGISTER):
        return register_buffer(file, &request->buffer);
    case _IOC_NR(APELINK_DEREGISTER):
        return request->handle.reserved0 != 0
                   ? -EINVAL
                   : apelink_buffer_deregister(file, request->handle.handle);
    case _IOC_NR(APELINK_READ_REGISTER):
        return read_register(file, &request->access);
    case _IOC_NR(APELINK_WRITE_REGISTER):
        return write_register(opened, &request->access);
    case _IOC_NR(APELINK_LIST):
        return apelink_list_run(&request->list, reach, opened);
    default:
        return request->wait.reserved != 0 ? -EINVAL : apelink_channel_wait(file, &request->wait);
    }
}

/* The program does not get the answer, so that it could never give the buffer back. A channel that
 * it does not hear of ends with the file. */
static void undo(struct apelink_file *file, unsigned int command, const union request *request)
{
    if (_IOC_NR(command) == _IOC_NR(APELINK_REGISTER)) {
        (void)apelink_buffer_deregister(file, request->buffer.handle);
    }
}

long apelink_ioctl(struct file *opened, unsigned int command, unsigned long argument)
{
    void __user *program = (void __user *)argument;
    u64 own = apelink_struct_first(command), given = _IOC_SIZE(command);
    union request request;
    void *structure;
    int status;

    if (_IOC_TYPE(command) != APELINK_IOCTL_TYPE || own == 0 ||
        _IOC_DIR(command) != (_IOC_READ | _IOC_WRITE)) {
        return -ENOTTY;
    }
    if (given < own || given > APELINK_STRUCT_MAX) {
        return -EINVAL;
    }
    structure = memdup_user(program, given);
    if (IS_ERR(structure)) {
        return PTR_ERR(structure);
    }
    status = apelink_struct_take(&request, own, structure, given, own);
    if (status == 0) {
        status = answer(opened, command, &request);
    }
    if (status == 0) {
        apelink_struct_give(structure, given, &request, own);
        if (copy_to_user(program, structure, given) != 0) {
            undo(opened->private_data, command, &request);
            status = -EFAULT;
        }
    }
    kfree(structure);
    return status;
}
