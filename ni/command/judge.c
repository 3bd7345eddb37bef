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
    return size == NI_COMMAND_COPY_BYTES;
}

static bool is_head(const struct ni_command_slot *slot)
{
    uint32_t op = slot->word[0] >> 8 & 15;

    return op >= NI_COMMAND_WRITE && op <= NI_COMMAND_MESSAGE && (slot->word[0] & 1U << 15) == 0 &&
           (unsigned)ack_kind(slot) <= NI_COMMAND_ACK_COUNTER;
}

static bool judge_ack(struct ni_command_slot *slot)
{
    struct ni *ni = slot->region->ni;
    uint64_t where = ni_command_pair(&slot->word[1]);
    int64_t value;

    switch (ack_kind(slot)) {
    case NI_COMMAND_ACK_NONE:
        return where == 0;
    case NI_COMMAND_ACK_WORD:
        return where % sizeof(ni_word) == 0 &&
               is_owners(ni, where, sizeof(ni_word), NI_ACCESS_WRITE, &slot->ack_memory);
    default:
        return where <= UINT32_MAX && ni_counter_read(ni, (ni_handle)where, &value) == NI_OK;
    }
}

struct ni_ack ni_command_ack_of(const struct ni_command_slot *slot)
{
    uint64_t where = ni_command_pair(&slot->word[1]);

    switch (ack_kind(slot)) {
    case NI_COMMAND_ACK_WORD:
        return (struct ni_ack){.kind = NI_ACK_WORD, .word = (ni_word *)(uintptr_t)where};
    case NI_COMMAND_ACK_COUNTER:
        return (struct ni_ack){.kind = NI_ACK_COUNTER, .counter = (ni_handle)where};
    default:
        return (struct ni_ack){.kind = NI_ACK_NONE};
    }
}

static enum ni_command_reason judge_local(const struct ni_command_slot *slot,
                                          struct ni_command_order *order)
{
    unsigned access = order->op == NI_COMMAND_WRITE ? NI_ACCESS_READ : NI_ACCESS_WRITE;
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
    if (target >= region->target_count || region->targets[target].peer == NULL) {
        return NI_COMMAND_BAD_TARGET;
    }
    order->target = &region->targets[target];
    return judge_local(slot, order);
}
