/* SPDX-License-Identifier: BSD-3-Clause */
#include "command/command.h"

/*
 * The completion monitor. For each line it keeps how many words it has seen, from the first, and
 * looks at the next one alone: a line that nobody composes costs one load, of a word that stays in
 * the cache. No word behind one that is missing can complete the descriptor, so nothing is lost by
 * not looking there. Of a queue only the first line that is not complete is looked at.
 */

/* How many words the size in a head implies. With a size that cannot be right there is nothing to
 * wait for: the head is taken alone, and judged. */
static uint8_t words_of(uint32_t head)
{
    uint32_t size = ni_command_size(head);

    return size >= NI_COMMAND_MESSAGE_BYTES && size <= NI_COMMAND_WORDS * sizeof(uint32_t)
               ? (uint8_t)ni_div_up(size, sizeof(uint32_t))
               : 1;
}

/* Whether the descriptor is all there. */
static bool is_descriptor_complete(struct ni_command_slot *slot, const struct ni_command_line *line)
{
    while (slot->wanted == 0 || slot->seen < slot->wanted) {
        uint64_t word = ni_command_load(&line->word[slot->seen]);

        if (NI_LIKELY(word >> 32 != slot->mark)) {
            return false;
        }
        slot->word[slot->seen++] = (uint32_t)word;
        if (slot->wanted == 0) {
            slot->wanted = words_of((uint32_t)word);
        }
    }
    slot->stage = NI_SLOT_TAKEN;
    return true;
}

static unsigned look_at_all(struct ni_command_region *region)
{
    struct ni_commands *commands = region->ni->commands;
    unsigned posted = 0;

    for (uint32_t i = 0; i < region->count; i++) {
        struct ni_command_slot *slot = &region->slots[i];

        if (slot->stage == NI_SLOT_COMPOSING && is_descriptor_complete(slot, &region->lines[i])) {
            ni_list_push_back(&commands->jobs, &slot->job.list);
            posted++;
        }
    }
    return posted;
}

/* A start flag releases what was held back before it. */
static unsigned look_in_order(struct ni_command_region *region)
{
    unsigned posted = 0;

    while (region->released + region->held < region->count) {
        struct ni_command_slot *slot = &region->slots[region->next];

        if (slot->stage != NI_SLOT_COMPOSING ||
            !is_descriptor_complete(slot, &region->lines[region->next])) {
            break;
        }
        region->next = region->next + 1 == region->count ? 0 : region->next + 1;
        region->held++;
        if (ni_command_starts(slot->word[0])) {
            posted += region->held;
            region->released += region->held;
            region->held = 0;
        }
    }
    if (posted != 0 && !ni_list_linked(&region->job.list)) {
        ni_list_push_back(&region->ni->commands->jobs, &region->job.list);
    }
    return posted;
}

unsigned ni_command_look(struct ni_command_region *region)
{
    unsigned posted = region->queue ? look_in_order(region) : look_at_all(region);

    if (posted != 0) {
        ni_stat_add(&region->ni->stats.commands, posted);
    }
    return posted;
}
