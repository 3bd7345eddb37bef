/* SPDX-License-Identifier: BSD-3-Clause */
#include "command/command.h"

/*
 * The job list. A job is a line's, or that of a queue with released lines. Each pass serves every
 * job once after the other; one that finds no room in the network goes to the end of the list and
 * waits for the next pass. Of a queue one line is served at a time, so that a long batch takes
 * turns with others, and a line that finds no room holds up those behind it: they leave in order.
 */

static const ni_status statuses[] = {
    [NI_COMMAND_DONE] = NI_OK,
    [NI_COMMAND_BAD_SIZE] = NI_ERR_INVALID,
    [NI_COMMAND_BAD_HEAD] = NI_ERR_INVALID,
    [NI_COMMAND_BAD_ACK] = NI_ERR_REGION,
    [NI_COMMAND_BAD_TARGET] = NI_ERR_NOTFOUND,
    [NI_COMMAND_BAD_LOCAL] = NI_ERR_BOUNDS,
    [NI_COMMAND_BAD_NOTE] = NI_ERR_NOTFOUND,
};

/* Give the line back for the next descriptor. */
static void give_line_back(struct ni_command_slot *slot, ni_status status,
                           enum ni_command_reason reason)
{
    struct ni_command_region *region = slot->region;
    struct ni_command_line *line = &region->lines[slot - region->slots];

    slot->stage = NI_SLOT_COMPOSING;
    slot->seen = 0;
    slot->wanted = 0;
    slot->mark++;
    if (region->gone) {
        return;
    }
    if (NI_UNLIKELY(slot->mark == 0)) {
        /* Marks begin again: no word may be left that carries one. */
        for (unsigned i = 0; i < NI_COMMAND_WORDS; i++) {
            ni_command_publish(&line->word[i], 0);
        }
        slot->mark = 1;
    }
    /* G1 */
    ni_command_publish(&line->state, slot->mark | (uint64_t)(uint16_t)(int16_t)status << 32 |
                                         (uint64_t)reason << 48);
}

/* The owner's word is written only if it is still the owner's to write: he may have deregistered
 * the region while the operation was out. */
static void store_ack_word(struct ni *ni, const struct ni_command_slot *slot,
                           const struct ni_ack *ack, ni_status status, uint64_t value)
{
    const struct ni_rkey *memory = &slot->ack_memory;

    ni_lock_take(&ni->memory, ni->threads);
    if (ni_table_check(&ni->table, memory->handle, memory->key, (uintptr_t)ack->word,
                       sizeof(ni_word), NI_ACCESS_WRITE, NULL) == NI_OK) {
        ni_ack_deliver(ni, ack, status, value);
    }
    ni_lock_give(&ni->memory, ni->threads);
}

/* The end of a descriptor: its ack, then its line. The region is pinned. */
static void finish_command(struct ni_command_slot *slot, const struct ni_ack *ack, ni_status status,
                           enum ni_command_reason reason, uint64_t value)
{
    struct ni *ni = slot->region->ni;

    ni_stat_add(&ni->stats.commands_refused, status != NI_OK);
    if (ack->kind == NI_ACK_WORD) {
        store_ack_word(ni, slot, ack, status, value);
    } else if (ack->kind == NI_ACK_CALL || (ack->kind == NI_ACK_COUNTER && status == NI_OK)) {
        ni_ack_deliver(ni, ack, status, value);
    }
    give_line_back(slot, status, reason);
}

static void on_done(void *arg, ni_status status, uint64_t value)
{
    struct ni_command_slot *slot = arg;
    struct ni_command_region *region = slot->region;
    struct ni_ack ack = ni_command_ack_of(slot);

    finish_command(slot, &ack, status, status == NI_OK ? NI_COMMAND_DONE : NI_COMMAND_FAILED,
                   value);
    ni_command_unpin(region);
}

static ni_status start_notified(struct ni_command_slot *slot, const struct ni_command_order *order,
                                const struct ni_remote *remote, const struct ni_ack *done)
{
    return ni_write_notify(slot->region->ni, order->target->peer, order->local, order->len, remote,
                           order->noted ? &order->note : NULL, order->departs ? done : NULL,
                           order->departs ? NULL : done);
}

/* As the calls of transfer.h: NI_OK, and on_done comes or has come. */
static ni_status start_command(struct ni_command_slot *slot, const struct ni_command_order *order)
{
    struct ni *ni = slot->region->ni;
    struct ni_peer *peer = order->target->peer;
    struct ni_rkey rkey = order->target->rkey; /* callbacks may change the targets */
    struct ni_remote remote = {.addr = order->remote, .key = rkey.key, .handle = rkey.handle};
    struct ni_ack done = {.kind = NI_ACK_CALL, .fn = on_done, .arg = slot};
    ni_status status = ni_peer_status(peer);

    if (status != NI_OK) {
        return status;
    }
    switch (order->op) {
    case NI_COMMAND_WRITE:
        return ni_write(ni, peer, order->local, order->len, &remote, &done);
    case NI_COMMAND_READ:
        return ni_read(ni, peer, order->local, order->len, &remote, &done);
    case NI_COMMAND_WRITE_NOTIFY:
        return start_notified(slot, order, &remote, &done);
    case NI_COMMAND_MESSAGE:
        break;
    }
    if (order->ack.kind != NI_ACK_NONE) {
        return ni_enqueue(ni, peer, &rkey, order->local, order->len, &done);
    }
    status = ni_message(ni, peer, rkey.handle, 0, NULL, 0, order->local, order->len);
    if (status == NI_OK) {
        on_done(slot, NI_OK, order->len);
    }
    return status;
}

/* Serve one descriptor; false: there is no room, try again. The region is pinned. */
static bool serve_command(struct ni_command_slot *slot)
{
    struct ni_command_region *region = slot->region;
    struct ni_command_order order;
    enum ni_command_reason reason = ni_command_judge(slot, &order);
    ni_status status;

    if (reason != NI_COMMAND_DONE) {
        finish_command(slot, &order.ack, statuses[reason], reason, 0);
        return true;
    }
    slot->stage = NI_SLOT_OUT;
    region->pins++;
    status = start_command(slot, &order);
    if (status == NI_OK) {
        return true;
    }
    region->pins--; /* not the last: the thread that serves has one */
    if (status == NI_AGAIN) {
        slot->stage = NI_SLOT_TAKEN;
        return false;
    }
    finish_command(slot, &order.ack, status, NI_COMMAND_FAILED, 0);
    return true;
}

/* The next line of a queue; whether it was served. */
static bool serve_next(struct ni_command_region *region)
{
    if (!serve_command(&region->slots[region->serve])) {
        return false;
    }
    if (!region->gone) {
        region->serve = region->serve + 1 == region->count ? 0 : region->serve + 1;
        region->released--;
    }
    return true;
}

/* One step of a job, which is in no list; if it is not done, it goes to the end of `again` (there
 * was no room) or of `more` (the next line of a queue). Returns descriptors. */
static unsigned step_command_job(struct ni_command_job *job, struct ni_list *more,
                                 struct ni_list *again)
{
    struct ni_command_region *region = job->region;
    bool served;

    region->pins++;
    served = job->slot != NULL ? serve_command(job->slot) : serve_next(region);
    if (region->gone) {
        served = true;
    } else if (!served) {
        ni_stat_add(&region->ni->stats.commands_recycled, 1);
        ni_list_push_back(again, &job->list);
    } else if (job->slot == NULL && region->released != 0) {
        ni_list_push_back(more, &job->list);
    }
    ni_command_unpin(region);
    return served;
}

unsigned ni_command_serve(struct ni *ni)
{
    struct ni_commands *commands = ni->commands;
    struct ni_list pass, *node;
    unsigned events = 0;

    /* Jobs that callbacks add by ni_command_poke wait for the next pass. */
    ni_list_init(&pass);
    ni_list_splice_back(&pass, &commands->jobs);
    while ((node = ni_list_pop_front(&pass)) != NULL) {
        events += step_command_job(ni_container_of(node, struct ni_command_job, list), &pass,
                                   &commands->jobs);
    }
    return events;
}
