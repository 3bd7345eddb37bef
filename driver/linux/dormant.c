/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/*
 * Dormant buffers: they are deregistered and switched off (apelink_bar.h), and the card still knows
 * them, for the next registration of the same bytes, which asks it nothing. Their pins are in the
 * cache; with these they end, and are stale. None overlaps a buffer that the card knows besides, or
 * one that is coming.
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "apelink.h"

enum { PATIENCE = 10000 }; /* looks at a card that moves bytes */

/* Of two files at the same moment one may not be counted. */
static unsigned long pin_cache_unasked;
module_param(pin_cache_unasked, ulong, 0444);
MODULE_PARM_DESC(pin_cache_unasked, "registrations for which the card was not asked");

void apelink_switch_free_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    if (buffer->switched != 0) {
        file->switches[buffer->switched - 1] = false;
    }
    buffer->switched = 0;
}

void apelink_buffer_forget_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    struct apelink_bar_request request = {
        .operation = APELINK_BAR_DEREGISTER, .port = file->port, .handle = buffer->card_handle};

    (void)apelink_ask(file->card, &request);
    apelink_switch_free_locked(file, buffer);
}

u32 *apelink_switch_of(const struct apelink_file *file, int port,
                       const struct apelink_buffer *buffer)
{
    return &apelink_switches(file->card)->on[port][buffer->switched - 1];
}

static bool overlaps(const struct apelink_buffer *one, const struct apelink_buffer *other)
{
    return one->node.start <= other->node.last && one->node.last >= other->node.start;
}

static bool may_sleep_locked(struct apelink_file *file, const struct apelink_buffer *buffer)
{
    unsigned long first = buffer->node.start, last = buffer->node.last;
    struct apelink_buffer *other;

    if (buffer->switched == 0 || !buffer->pin->listed || file->port < 0) {
        return false;
    }
    list_for_each_entry(other, &file->coming, link) {
        if (overlaps(buffer, other)) {
            return false;
        }
    }
    return interval_tree_iter_first(&file->on_card, first, last) == NULL;
}

/* From now on the card reaches none of it. false: it moves bytes, and does not end. */
static bool switch_off_locked(struct apelink_file *file, const struct apelink_buffer *buffer)
{
    const u32 *moving = &apelink_switches(file->card)->moving;
    u32 *on = apelink_switch_of(file, file->port, buffer), seen;
    unsigned int looks = 0;

    WRITE_ONCE(*on, 0);
    /* Against the card's, between moving and a switch: one of us sees the other. */
    smp_mb();
    /* Pairs with the card's release: bytes that it has moved are there. */
    seen = smp_load_acquire(moving);
    while (seen % 2 != 0 && smp_load_acquire(moving) == seen) {
        if (++looks == PATIENCE) {
            return false;
        }
        cpu_relax();
    }
    return true;
}

bool apelink_dormant_add_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    if (!may_sleep_locked(file, buffer) || !switch_off_locked(file, buffer)) {
        return false;
    }
    list_add_tail(&buffer->link, &file->dormant);
    return true;
}

static void make_stale_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    list_del(&buffer->link);
    list_add(&buffer->link, &file->stale);
}

void apelink_dormant_changed_locked(struct apelink_file *file, const struct apelink_pin *pin)
{
    struct apelink_buffer *buffer, *next;

    list_for_each_entry_safe(buffer, next, &file->dormant, link) {
        if (buffer->pin == pin) {
            make_stale_locked(file, buffer);
            schedule_work(&file->undo);
        }
    }
}

void apelink_dormant_forget_locked(struct apelink_file *file)
{
    struct apelink_buffer *buffer, *next;

    list_for_each_entry_safe(buffer, next, &file->stale, link) {
        list_del(&buffer->link);
        if (file->port >= 0) { /* else the card has forgotten all */
            apelink_buffer_forget_locked(file, buffer);
        }
        kfree(buffer);
    }
}

bool apelink_dormant_part_locked(struct apelink_file *file, const struct apelink_buffer *buffer)
{
    struct apelink_buffer *other, *next;
    bool any = false;

    list_for_each_entry_safe(other, next, &file->dormant, link) {
        if (buffer == NULL || overlaps(buffer, other)) {
            make_stale_locked(file, other);
            any = true;
        }
    }
    apelink_dormant_forget_locked(file);
    return any;
}

bool apelink_dormant_wake_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    struct apelink_buffer *other, *next;

    list_for_each_entry_safe(other, next, &file->dormant, link) {
        if (other->node.start == buffer->node.start && other->node.last == buffer->node.last &&
            other->access == buffer->access && other->pin == buffer->pin) {
            buffer->card_handle = other->card_handle;
            buffer->switched = other->switched;
            list_del(&other->link);
            kfree(other);
            /* Pairs with the card's acquire. */
            smp_store_release(apelink_switch_of(file, file->port, buffer), 1);
            pin_cache_unasked++;
            return true;
        }
    }
    return false;
}

void apelink_switch_take_locked(struct apelink_file *file, struct apelink_buffer *buffer)
{
    struct apelink_buffer *oldest = NULL, *other;
    u32 i = 0;

    while (i < APELINK_BAR_SWITCHES && file->switches[i]) {
        i++;
    }
    if (i == APELINK_BAR_SWITCHES) {
        list_for_each_entry(other, &file->dormant, link) {
            oldest = oldest != NULL ? oldest : other;
        }
        if (oldest == NULL) {
            return;
        }
        i = oldest->switched - 1;
        make_stale_locked(file, oldest);
        apelink_dormant_forget_locked(file);
    }
    file->switches[i] = true;
    buffer->switched = 1 + i;
}

void apelink_dormant_clear_locked(struct apelink_file *file)
{
    struct apelink_buffer *buffer, *next;

    list_for_each_entry_safe(buffer, next, &file->dormant, link) {
        make_stale_locked(file, buffer);
    }
    list_for_each_entry_safe(buffer, next, &file->stale, link) {
        list_del(&buffer->link);
        kfree(buffer);
    }
}
