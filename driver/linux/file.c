/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Open files: maps and poll. */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "apelink.h"

static int file_open(struct inode *inode, struct file *opened)
{
    struct apelink_card *card =
        container_of(opened->private_data, struct apelink_card, misc); /* misc_open has set it */
    struct apelink_file *file = kzalloc(sizeof *file, GFP_KERNEL);

    if (file == NULL) {
        return -ENOMEM;
    }
    kref_get(&card->kref);
    file->card = card;
    file->mapping = opened->f_mapping;
    file->port = -1;
    mutex_init(&file->lock);
    xa_init_flags(&file->buffers, XA_FLAGS_ALLOC1);
    file->on_card = RB_ROOT_CACHED;
    file->pins = RB_ROOT_CACHED;
    INIT_LIST_HEAD(&file->coming);
    INIT_LIST_HEAD(&file->dormant);
    INIT_LIST_HEAD(&file->stale);
    INIT_LIST_HEAD(&file->idle);
    INIT_LIST_HEAD(&file->dead);
    INIT_WORK(&file->undo, apelink_pins_undo);
    mutex_lock(&card->files_lock);
    list_add(&file->in_card, &card->files);
    mutex_unlock(&card->files_lock);
    opened->private_data = file;
    return 0;
}

static int file_release(struct inode *inode, struct file *opened)
{
    struct apelink_file *file = opened->private_data;
    struct apelink_card *card = file->card;

    mutex_lock(&card->files_lock);
    list_del(&file->in_card);
    mutex_unlock(&card->files_lock);
    apelink_channel_end(file);
    kfree(file);
    apelink_card_put(card);
    return 0;
}

/* A ring is memory of the kernel in one piece, which stays as long as the file. */
static int map_ring(struct vm_area_struct *area, void *ring, size_t bytes)
{
    unsigned long length = area->vm_end - area->vm_start;

    if (length > PAGE_ALIGN(bytes)) {
        return -EINVAL;
    }
    return remap_pfn_range(area, area->vm_start, virt_to_phys(ring) >> PAGE_SHIFT, length,
                           area->vm_page_prot);
}

/* Pages of doorbells come and go with channels and cards. */
static vm_fault_t on_fault(struct vm_fault *fault)
{
    struct apelink_file *file = fault->vma->vm_file->private_data;
    struct apelink_card *card = file->card;
    vm_fault_t result = VM_FAULT_SIGBUS;
    int port;

    down_read(&card->maps);
    port = apelink_port(file);
    if (!apelink_card_gone(card) && port >= 0 && fault->pgoff == port) {
        result =
            vmf_insert_pfn(fault->vma, fault->address, (card->bar_start >> PAGE_SHIFT) + 1 + port);
    }
    up_read(&card->maps);
    return result;
}

static const struct vm_operations_struct doorbell_operations = {
    .fault = on_fault,
};

static int map_doorbell(struct vm_area_struct *area)
{
    unsigned long flags = VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP;

    if (area->vm_end - area->vm_start > PAGE_SIZE) {
        return -EINVAL;
    }
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
    vm_flags_set(area, flags);
#else
    area->vm_flags |= flags;
#endif
    area->vm_ops = &doorbell_operations;
    return 0;
}

/* The port and the card's end are seen by who maps from now on. */
void apelink_file_unmap(struct apelink_file *file, int port)
{
    if (port < 0) {
        return;
    }
    down_write(&file->card->maps);
    up_write(&file->card->maps);
    unmap_mapping_range(file->mapping, (loff_t)port * PAGE_SIZE, PAGE_SIZE, 1);
}

static int file_mmap(struct file *opened, struct vm_area_struct *area)
{
    struct apelink_file *file = opened->private_data;
    u64 key = (u64)area->vm_pgoff << PAGE_SHIFT;
    int port = apelink_port(file);

    if (apelink_card_gone(file->card)) {
        return -ENODEV;
    }
    if (port < 0) {
        return -ENXIO;
    }
    if ((area->vm_flags & VM_SHARED) == 0) {
        return -EINVAL;
    }
    switch (key) {
    case APELINK_EVENT_KEY:
        return map_ring(area, file->events, file->event_bytes);
    case APELINK_TX_KEY:
        return map_ring(area, file->tx, file->tx_bytes);
    default:
        return area->vm_pgoff == port ? map_doorbell(area) : -EINVAL;
    }
}

static __poll_t file_poll(struct file *opened, poll_table *table)
{
    struct apelink_file *file = opened->private_data;
    struct apelink_card *card = file->card;
    int port = apelink_port(file);

    if (port < 0) {
        return EPOLLERR; /* also if another thread opens one now */
    }
    poll_wait(opened, &card->events[port], table);
    /* It may have ended meanwhile. */
    if (apelink_card_gone(card) || apelink_port(file) < 0) {
        return EPOLLERR;
    }
    return apelink_channel_news(card, port, READ_ONCE(apelink_doorbell(card, port)->event_rd_ptr))
               ? EPOLLIN | EPOLLRDNORM
               : 0;
}

const struct file_operations apelink_file_operations = {
    .owner = THIS_MODULE,
    .open = file_open,
    .release = file_release,
    .mmap = file_mmap,
    .poll = file_poll,
    .unlocked_ioctl = apelink_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
};
