/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Registered buffers. */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "apelink.h"

static void free_list(struct apelink_bar_list *list)
{
    while (list != NULL) {
        struct apelink_bar_list *next = list->next != 0 ? phys_to_virt(list->next) : NULL;

        free_page((unsigned long)list);
        list = next;
    }
}

/* Fill a new list from `index` on; the index behind its last page. */
static unsigned long fill_list(struct apelink_bar_list *list, const struct apelink_pin *pin,
                               unsigned long index, unsigned long end)
{
    unsigned int n;

    for (n = 0; n < APELINK_BAR_LIST && index < end; n++, index++) {
        list->page[n] =
            page_to_phys(pin->pages[index]) | (pin->writable ? 0 : APELINK_BAR_READ_ONLY);
    }
    return index;
}

/* The pages of a buffer as the card wants them, or NULL. */
static struct apelink_bar_list *make_list(const struct apelink_pin *pin, u64 address, u64 len)
{
    unsigned long index = (address - pin->node.start) / PAGE_SIZE;
    unsigned long end = (address + len - 1 - pin->node.start) / PAGE_SIZE + 1;
    struct apelink_bar_list *first = NULL, *last = NULL;

    while (index < end) {
        struct apelink_bar_list *list = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);

        if (list == NULL) {
            free_list(first);
            return NULL;
        }
        index = fill_list(list, pin, index, end);
        if (last == NULL) {
            first = list;
        } else {
            last->next = virt_to_phys(list);
        }
        last = list;
    }
    return first;
}

/* Tell the card of a buffer; its handle there, or a negative errno. */
static int tell_card(struct apelink_file *file, const struct apelink_register *wanted,
                     struct apelink_buffer *buffer)
{
    struct apelink_bar_list *list = make_list(buffer->pin, wanted->address, wanted->len);
    struct apelink_bar_request request = {
        .operation = APELINK_BAR_REGISTER,
        .port = file->port,
        .address = wanted->address,
        .len = wanted->len,
        .access = wanted->access,
        .switched = buffer->switched,
    };
    int status;

    if (list == NULL) {
        return -ENOMEM;
    }
    if (buffer->switched != 0 && request.port < APELINK_BAR_CHANNELS) {
        WRITE_ONCE(*apelink_switch_of(file, request.port, buffer), 1);
    }
    request.list = virt_to_phys(list);
    status = apelink_ask(file->card, &request);
    free_list(list);
    buffer->card_handle = request.handle;
    return status;
}

static void drop_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    interval_tree_remove(&buffer->node, &file->on_card);
    apelink_pin_put_locked(file, buffer->pin);
    buffer->pin = NULL;
}

/* Have the card know it, which is coming and has its pin. */
static int put_on_card(struct apelink_file *file, const struct apelink_register *wanted,
                       struct apelink_buffer *buffer)
{
    bool found, any;
    int status;

    mutex_lock(&file->lock);
    found = file->port >= 0 && !buffer->gone && apelink_dormant_wake_locked(file, buffer);
    if (!found) {
        apelink_dormant_part_locked(file, buffer);
        apelink_switch_take_locked(file, buffer);
    }
    mutex_unlock(&file->lock);
    if (found) {
        return 0;
    }
    status = tell_card(file, wanted, buffer);
    if (status != -ENOSPC) {
        return status;
    }
    mutex_lock(&file->lock);
    any = apelink_dormant_part_locked(file, NULL);
    mutex_unlock(&file->lock);
    return any ? tell_card(file, wanted, buffer) : status;
}

/* From the card's pages to the program's buffer. Nothing is left if that fails, or if memory was
 * unmapped meanwhile. */
static int add(struct apelink_file *file, struct apelink_register *wanted,
               struct apelink_buffer *buffer)
{
    bool write = (wanted->access & APELINK_ACCESS_WRITE) != 0;
    int status;

    buffer->node.start = wanted->address;
    buffer->node.last = wanted->address + wanted->len - 1;
    buffer->access = wanted->access;
    mutex_lock(&file->lock);
    list_add(&buffer->link, &file->coming);
    mutex_unlock(&file->lock);
    buffer->pin = apelink_pin_get(file, buffer->node.start & PAGE_MASK,
                                  buffer->node.last | ~PAGE_MASK, write);
    status = PTR_ERR_OR_ZERO(buffer->pin);
    if (status == 0) {
        status = put_on_card(file, wanted, buffer);
    }
    mutex_lock(&file->lock);
    list_del(&buffer->link);
    if (status == 0 && buffer->gone) {
        apelink_buffer_forget_locked(file, buffer);
        status = -EFAULT;
    }
    if (status == 0) {
        interval_tree_insert(&buffer->node, &file->on_card);
        xa_store(&file->buffers, wanted->handle, buffer, GFP_NOWAIT); /* its place is reserved */
    } else {
        apelink_switch_free_locked(file, buffer);
        if (!IS_ERR(buffer->pin)) {
            apelink_pin_put_locked(file, buffer->pin);
        }
    }
    mutex_unlock(&file->lock);
    return status;
}

int apelink_buffer_register(struct apelink_file *file, struct apelink_register *wanted)
{
    struct apelink_buffer *buffer;
    int status;

    if (apelink_port(file) < 0) {
        return -ENXIO;
    }
    if (current->mm != file->mm) {
        return -EPERM;
    }
    if (wanted->len > TASK_SIZE || wanted->address > TASK_SIZE - wanted->len) {
        return -EFAULT;
    }
    buffer = kzalloc(sizeof *buffer, GFP_KERNEL_ACCOUNT);
    if (buffer == NULL) {
        return -ENOMEM;
    }
    status = xa_alloc(&file->buffers, &wanted->handle, NULL, xa_limit_31b, GFP_KERNEL_ACCOUNT);
    if (status == 0) {
        status = add(file, wanted, buffer);
        if (status != 0) {
            xa_release(&file->buffers, wanted->handle);
        }
    }
    if (status != 0) {
        kfree(buffer);
    }
    return status;
}

/* It is registered no longer, and dormant if that may be. */
static void give_back_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    struct apelink_pin *pin = buffer->pin;

    interval_tree_remove(&buffer->node, &file->on_card);
    if (!apelink_dormant_add_locked(file, buffer)) {
        apelink_buffer_forget_locked(file, buffer);
        kfree(buffer);
    }
    apelink_pin_put_locked(file, pin); /* the cache may be full, and it is stale at once */
}

int apelink_buffer_deregister(struct apelink_file *file, u32 handle)
{
    struct apelink_buffer *buffer;

    if (apelink_port(file) < 0) {
        return -ENXIO;
    }
    mutex_lock(&file->lock);
    buffer = xa_load(&file->buffers, handle);
    if (buffer != NULL) {
        xa_erase(&file->buffers, handle);
        if (buffer->pin != NULL) {
            give_back_locked(file, buffer);
        } else {
            kfree(buffer);
        }
    }
    mutex_unlock(&file->lock);
    return buffer != NULL ? 0 : -ENOENT;
}

static struct apelink_buffer *first_buffer(struct apelink_file *file, unsigned long first,
                                           unsigned long last)
{
    struct interval_tree_node *node = interval_tree_iter_first(&file->on_card, first, last);

    return node != NULL ? container_of(node, struct apelink_buffer, node) : NULL;
}

void apelink_buffers_unmapped_locked(struct apelink_file *file, unsigned long first,
                                     unsigned long last)
{
    struct apelink_buffer *buffer;

    while ((buffer = first_buffer(file, first, last)) != NULL) {
        apelink_buffer_forget_locked(file, buffer);
        drop_locked(file, buffer);
    }
    list_for_each_entry(buffer, &file->coming, link) {
        if (buffer->node.start <= last && buffer->node.last >= first) {
            buffer->gone = true;
        }
    }
}

void apelink_buffers_clear_locked(struct apelink_file *file)
{
    struct apelink_buffer *buffer;

    while ((buffer = first_buffer(file, 0, ULONG_MAX)) != NULL) {
        drop_locked(file, buffer);
    }
    apelink_dormant_clear_locked(file);
}
