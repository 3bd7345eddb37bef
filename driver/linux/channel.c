/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* The channel of a file, and the process that has it. */
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "apelink.h"

/* The process's memory changes. What is only protected, as by fork, stays where it is. false: that
 * would take time, which there is not. */
static bool on_change(struct mmu_interval_notifier *memory, const struct mmu_notifier_range *range,
                      unsigned long sequence)
{
    struct apelink_file *file = container_of(memory, struct apelink_file, memory);
    unsigned long first = range->start, last = range->end - 1;
    bool unmapped = range->event == MMU_NOTIFY_UNMAP;

    if (!unmapped && range->event != MMU_NOTIFY_CLEAR) {
        return true;
    }
    if (mmu_notifier_range_blockable(range)) {
        mutex_lock(&file->lock);
    } else if (!mutex_trylock(&file->lock)) {
        return false;
    } else if (unmapped && interval_tree_iter_first(&file->on_card, first, last) != NULL) {
        mutex_unlock(&file->lock);
        return false; /* the card has to be asked */
    }
    mmu_interval_set_seq(memory, sequence);
    apelink_pins_changed_locked(file, first, last);
    if (unmapped) {
        apelink_buffers_unmapped_locked(file, first, last);
    }
    mutex_unlock(&file->lock);
    return true;
}

static void leave(struct apelink_file *file)
{
    struct apelink_bar_request request = {.operation = APELINK_BAR_CLOSE};
    int port;

    mutex_lock(&file->lock);
    port = file->port;
    WRITE_ONCE(file->port, -1);
    mutex_unlock(&file->lock);
    if (port >= 0) {
        request.port = port;
        apelink_file_unmap(file, port); /* before another gets the channel */
        (void)apelink_ask(file->card, &request);
        wake_up_all(&file->card->events[port]);
    }
    mutex_lock(&file->lock);
    apelink_buffers_clear_locked(file);
    apelink_pins_clear_locked(file);
    mutex_unlock(&file->lock);
}

/* The process has ended, or executes another program. */
static void on_death(struct mmu_notifier *notifier, struct mm_struct *mm)
{
    leave(container_of(notifier, struct apelink_file, notifier));
}

static const struct mmu_notifier_ops process_operations = {
    .release = on_death,
};

static const struct mmu_interval_notifier_ops memory_operations = {
    .invalidate = on_change,
};

/* Hear of the asker's memory and its end. */
static int watch(struct apelink_file *file)
{
    struct mm_struct *mm = current->mm;
    int status;

    file->notifier.ops = &process_operations;
    status = mmu_notifier_register(&file->notifier, mm);
    if (status != 0) {
        return status;
    }
    status = mmu_interval_notifier_insert(&file->memory, mm, 0, ULONG_MAX, &memory_operations);
    if (status != 0) {
        mmu_notifier_unregister(&file->notifier, mm);
        return status;
    }
    mmgrab(mm);
    file->mm = mm;
    return 0;
}

static void free_rings(struct apelink_file *file)
{
    if (file->tx != NULL) {
        free_pages_exact(file->tx, file->tx_bytes);
    }
    if (file->events != NULL) {
        free_pages_exact(file->events, file->event_bytes);
    }
    file->tx = file->events = NULL;
}

static int make_rings(struct apelink_file *file, const struct apelink_channel *channel)
{
    gfp_t flags = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;

    file->tx_bytes = PAGE_ALIGN((size_t)channel->tx_entries * APELINK_COMMAND_BYTES);
    file->event_bytes = PAGE_ALIGN((size_t)channel->event_entries * APELINK_EVENT_BYTES);
    file->tx = alloc_pages_exact(file->tx_bytes, flags);
    file->events = alloc_pages_exact(file->event_bytes, flags);
    if (file->tx == NULL || file->events == NULL) {
        free_rings(file);
        return -ENOMEM;
    }
    return 0;
}

static int open_on_card(struct apelink_file *file, struct apelink_channel *channel)
{
    struct apelink_bar_request request = {
        .operation = APELINK_BAR_OPEN,
        .tx_base = virt_to_phys(file->tx),
        .event_base = virt_to_phys(file->events),
        .tx_entries = channel->tx_entries,
        .event_entries = channel->event_entries,
    };
    int status = apelink_ask(file->card, &request);

    if (status == 0 && request.port >= APELINK_BAR_CHANNELS) {
        status = -EPROTO;
    }
    if (status != 0) {
        return status;
    }
    status = watch(file);
    if (status != 0) {
        request.operation = APELINK_BAR_CLOSE;
        (void)apelink_ask(file->card, &request);
        return status;
    }
    channel->port = request.port;
    return 0;
}

int apelink_channel_open(struct apelink_file *file, struct apelink_channel *channel)
{
    int status;

    if (xchg(&file->opened, true)) {
        return -EBUSY;
    }
    status = make_rings(file, channel);
    if (status == 0) {
        status = open_on_card(file, channel);
    }
    if (status != 0) {
        free_rings(file);
        WRITE_ONCE(file->opened, false);
        return status;
    }
    channel->tx_key = APELINK_TX_KEY;
    channel->tx_bytes = (u64)channel->tx_entries * APELINK_COMMAND_BYTES;
    channel->event_key = APELINK_EVENT_KEY;
    channel->event_bytes = (u64)channel->event_entries * APELINK_EVENT_BYTES;
    channel->doorbell_key = (u64)channel->port * APELINK_BAR_PAGE;
    channel->doorbell_bytes = APELINK_BAR_PAGE;
    /* Pairs with the acquire of apelink_port: rings and mm are there. */
    smp_store_release(&file->port, (int)channel->port);
    return 0;
}

void apelink_channel_end(struct apelink_file *file)
{
    struct apelink_buffer *buffer;
    unsigned long handle;

    if (file->mm != NULL) {
        mmu_notifier_unregister(&file->notifier, file->mm); /* on_death, unless it has been */
        mmu_interval_notifier_remove(&file->memory);
        flush_work(&file->undo);
        mmdrop(file->mm);
    }
    xa_for_each(&file->buffers, handle, buffer) {
        kfree(buffer);
    }
    xa_destroy(&file->buffers);
    free_rings(file);
}

bool apelink_channel_news(struct apelink_card *card, int port, u32 seen)
{
    const struct apelink_doorbell *doorbell = apelink_doorbell(card, port);

    if (READ_ONCE(doorbell->event_wr_ptr) != seen) {
        return true;
    }
    WRITE_ONCE(card->bar->wanted[port], 1);
    /* Pairs with the card's, between event_wr_ptr and wanted: one of us sees the other. */
    smp_mb();
    return READ_ONCE(doorbell->event_wr_ptr) != seen;
}

int apelink_channel_wait(struct apelink_file *file, struct apelink_wait *wait)
{
    struct apelink_card *card = file->card;
    ktime_t limit = wait->timeout_ns < KTIME_MAX ? ns_to_ktime(wait->timeout_ns) : KTIME_MAX;
    int port = apelink_port(file), status;

    if (port < 0) {
        return -ENXIO;
    }
    status = wait_event_interruptible_hrtimeout(card->events[port],
                                                apelink_card_gone(card) || apelink_port(file) < 0 ||
                                                    apelink_channel_news(card, port, wait->seen),
                                                limit);
    if (apelink_card_gone(card)) {
        return -ENODEV;
    }
    if (apelink_port(file) < 0) {
        return -ENXIO;
    }
    wait->event_wr_ptr = READ_ONCE(apelink_doorbell(card, port)->event_wr_ptr);
    if (wait->event_wr_ptr != wait->seen) {
        return 0;
    }
    return status == -ETIME ? -ETIMEDOUT : -EINTR;
}
