/* SPDX-License-Identifier: BSD-3-Clause */
#include "command/command.h"

/*
 * What a descriptor may name, judged on the NI's own copy of it: pure questions to the buffer table
 * and to the targets of the region.
 */

static enum ni_command_ack ack_kind(const struct ni_command_slot *slot)
{
    return (enum ni_command_ack)(slot->word[0] >> 12 & 3);
}

/* Whether [address, address + len) is the owner's, for this access. */
static bool is_owners(struct ni *ni, uint64_t address, uint64_t len, unsigned access,
                      struct ni_rkey *rkey)
{
    return ni_region_search(ni, (const void *)(uintptr_t)address, len, rkey) == NI_OK &&
           (rkey->access & access) == access;
}

static bool is_size(enum ni_command_op op, uint32_t size)
{
    if (op == NI_COMMAND_MESSAGE) {
        return size >= NI_COMMAND_MESSAGE_BYTES && size <= NI_COMMAND_WORDS * sizeof(uint32_t);
    }
    return size ==
           (op == NI_COMMAND_WRITE_NOTIFY ? NI_COMMAND_NOTIFY_BYTES : NI_COMMAND_COPY_BYTES);
}

static bool is_head(const struct ni_command_slot *slot)
{
    uint32_t op = slot->word[0] >> 8 & 15;

    return op >= NI_COMMAND_WRITE && op <= NI_COMMAND_WRITE_NOTIFY &&
           (slot->word[0] & 1U << 15) == 0;
}

static bool judge_ack(struct ni_command_slot *slot)
{
    struct ni *ni = slot->region->ni;
    uint64_t where = ni_command_pair(&slot->word[1]);
    struct ni_region_view view;
    int64_t value;

    switch (ack_kind(slot)) {
    case NI_COMMAND_ACK_NONE:
        return where == 0;
    case NI_COMMAND_ACK_WORD:
        return where % sizeof(ni_word) == 0 &&
               is_owners(ni, where, sizeof(ni_word), NI_ACCESS_WRITE, &slot->ack_memory);
    case NI_COMMAND_ACK_INTERRUPT:
        return where <= UINT32_MAX &&
               ni_region_view(ni, (ni_handle)where, NI_REGION_INTERRUPT, &view);
    default:
        return where <= UINT32_MAX && ni_counter_read(ni, (ni_handle)where, &value) == NI_OK;
    }
}

/* Raise the interrupt of a descriptor, which is nobody's any more if it was deregistered
 * meanwhile. */
static void wake(void *arg, ni_status status, uint64_t value)
{
    const struct ni_command_slot *slot = arg;

    (void)status;
    (void)value;
    (void)ni_interrupt_raise(slot->region->ni, slot->word[1]);
}

struct ni_ack ni_command_ack_of(struct ni_command_slot *slot)
{
    uint64_t where = ni_command_pair(&slot->word[1]);

    switch (ack_kind(slot)) {
    case NI_COMMAND_ACK_WORD:
        return (struct ni_ack){.kind = NI_ACK_WORD, .word = (ni_word *)(uintptr_t)where};
    case NI_COMMAND_ACK_COUNTER:
        return (struct ni_ack){.kind = NI_ACK_COUNTER, .counter = (ni_handle)where};
    case NI_COMMAND_ACK_INTERRUPT:
        return (struct ni_ack){.kind = NI_ACK_CALL, .fn = wake, .arg = slot};
    default:
        return (struct ni_ack){.kind = NI_ACK_NONE};
    }
}

static enum ni_command_reason judge_command_local(const struct ni_command_slot *slot,
                                                  struct ni_command_order *order)
{
    unsigned access = order->op == NI_COMMAND_READ ? NI_ACCESS_WRITE : NI_ACCESS_READ;
    struct ni_rkey rkey;

    if (order->op == NI_COMMAND_MESSAGE) {
        order->len = ni_command_size(slot->word[0]) - NI_COMMAND_MESSAGE_BYTES;
        order->local = (uint8_t *)(uintptr_t)&slot->word[NI_COMMAND_MESSAGE_BYTES / 4];
        return NI_COMMAND_DONE;
    }
    order->len = slot->word[3];
    order->local = (uint8_t *)(uintptr_t)ni_command_pair(&slot->word[4]);
    order->remote = ni_command_pair(&slot->word[6]);
    return order->len == 0 ||
                   is_owners(slot->region->ni, (uintptr_t)order->local, order->len, access, &rkey)
               ? NI_COMMAND_DONE
               : NI_COMMAND_BAD_LOCAL;
}

/* The words behind those of a copy. The note's peer is that of the bytes. */
static bool judge_notice(const struct ni_command_slot *slot, struct ni_command_order *order)
{
    const struct ni_command_region *region = slot->region;
    uint32_t notice = slot->word[8], target = notice & 0xffff;
    const struct ni_target *told;

    order->note.addr = ni_command_pair(&slot->word[9]);
    order->note.value = ni_command_pair(&slot->word[11]);
    order->departs = (notice & NI_COMMAND_DEPARTED) != 0;
    order->noted = (notice & NI_COMMAND_NOTE) != 0;
    if (!order->noted) {
        return (notice & ~(uint32_t)NI_COMMAND_DEPARTED) == 0 &&
               (order->note.addr | order->note.value) == 0;
    }
    told = ni_targets_find(&region->targets, target);
    if (notice >> 18 != 0 || told == NULL || told->peer != order->target->peer) {
        return false;
    }
    order->note.region = told->rkey;
    return true;
}

enum ni_command_reason ni_command_judge(struct ni_command_slot *slot,
                                        struct ni_command_order *order)
{
    const struct ni_command_region *region = slot->region;
    uint32_t target = slot->word[0] >> 16;

    order->ack = (struct ni_ack){.kind = NI_ACK_NONE};
    order->op = (enum ni_command_op)(slot->word[0] >> 8 & 15);
    if (!is_head(slot)) {
        return NI_COMMAND_BAD_HEAD;
    }
    if (!is_size(order->op, ni_command_size(slot->word[0]))) {
        return NI_COMMAND_BAD_SIZE;
    }
    if (!judge_ack(slot)) {
        return NI_COMMAND_BAD_ACK;
    }
    order->ack = ni_command_ack_of(slot);
    order->target = ni_targets_find(&region->targets, target);
    if (order->target == NULL) {
        return NI_COMMAND_BAD_TARGET;
    }
    order->noted = order->departs = false;
    if (order->op == NI_COMMAND_WRITE_NOTIFY && !judge_notice(slot, order)) {
        return NI_COMMAND_BAD_NOTE;
    }
    return judge_command_local(slot, order);
}
