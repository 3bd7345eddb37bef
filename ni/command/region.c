/* SPDX-License-Identifier: BSD-3-Clause */
#include "command/command.h"

/* Life of command regions, their targets, and when their monitor runs. */

enum { NI_MARK_FIRST = 1 };

static void free_region(struct ni_command_region *region)
{
    ni_targets_free(&region->targets);
    ni_free(region);
}

void ni_command_unpin(struct ni_command_region *region)
{
    if (--region->pins == 0 && region->gone) {
        free_region(region);
    }
}

/* ---- what the engine calls ------------------------------------------------------------------- */

static unsigned run_commands(struct ni *ni)
{
    struct ni_commands *commands = ni->commands;
    unsigned events = 0;

    if (commands->serving) {
        return 0; /* a callback of ours polls */
    }
    for (NI_LIST_EACH(node, &commands->regions)) {
        (void)ni_command_look(ni_container_of(node, struct ni_command_region, all));
    }
    if (!ni_list_empty(&commands->jobs)) {
        commands->serving = true;
        events = ni_command_serve(ni);
        commands->serving = false;
    }
    return events;
}

/* Operations that are out complete, but touch the lines no more; jobs that wait are dropped. */
static void release_commands(struct ni *ni, const struct ni_region_view *view)
{
    struct ni_command_region *region = (struct ni_command_region *)(uintptr_t)view->object[0];

    region->gone = true;
    ni_list_remove(&region->all);
    ni_list_remove(&region->job.list);
    for (uint32_t i = 0; i < region->count; i++) {
        ni_list_remove(&region->slots[i].job.list);
    }
    if (ni_list_empty(&ni->commands->regions)) {
        ni->untidy &= ~(uint32_t)NI_UNTIDY_COMMANDS;
    }
    if (region->pins == 0) {
        free_region(region);
    }
}

static void close_commands(struct ni *ni)
{
    ni_free(ni->commands);
    ni->commands = NULL;
    ni->command_ops = NULL;
}

static const struct ni_region_ops region_ops = {.release = release_commands,
                                                .under_progress_lock = true};

static const struct ni_command_ops ops = {.progress = run_commands, .close = close_commands};

/* ---- public ---------------------------------------------------------------------------------- */

/* The progress lock is ours. */
static ni_status open_commands(struct ni *ni)
{
    struct ni_commands *commands;

    if (ni->commands != NULL) {
        return NI_OK;
    }
    commands = ni_calloc(1, sizeof(*commands));
    if (commands == NULL) {
        return NI_ERR_NOMEM;
    }
    ni_list_init(&commands->regions);
    ni_list_init(&commands->jobs);
    ni->commands = commands;
    ni->command_ops = &ops;
    ni_region_type_register(ni, NI_REGION_COMMAND, &region_ops);
    return NI_OK;
}

static void init_slot(struct ni_command_region *region, uint32_t i)
{
    struct ni_command_slot *slot = &region->slots[i];
    struct ni_command_line *line = &region->lines[i];

    ni_list_init(&slot->job.list);
    slot->job.region = region;
    slot->job.slot = slot;
    slot->region = region;
    slot->mark = NI_MARK_FIRST;
    for (unsigned w = 0; w < NI_COMMAND_WORDS; w++) {
        ni_command_publish(&line->word[w], 0);
    }
    ni_command_publish(&line->state, slot->mark); /* G1 */
}

static struct ni_command_region *new_region(struct ni *ni, struct ni_command_line *lines,
                                            uint32_t count, unsigned flags)
{
    struct ni_command_region *region =
        ni_calloc(1, sizeof(*region) + count * sizeof(region->slots[0]));

    if (region != NULL) {
        ni_list_init(&region->all);
        ni_list_init(&region->job.list);
        region->job.region = region;
        region->ni = ni;
        region->lines = lines;
        region->count = count;
        region->queue = (flags & NI_COMMAND_QUEUE) != 0;
        for (uint32_t i = 0; i < count; i++) {
            init_slot(region, i);
        }
    }
    return region;
}

/* The progress lock is ours. */
static ni_status add_region(struct ni *ni, struct ni_command_line *lines, uint32_t count,
                            unsigned flags, ni_handle *command)
{
    struct ni_region_view view = {
        .type = NI_REGION_COMMAND, .base = (uintptr_t)lines, .len = count * sizeof(*lines)};
    struct ni_command_region *region;
    struct ni_rkey rkey;
    ni_status status = open_commands(ni);

    if (status != NI_OK) {
        return status;
    }
    region = new_region(ni, lines, count, flags);
    if (region == NULL) {
        return NI_ERR_NOMEM;
    }
    view.object[0] = (uintptr_t)region;
    status = ni_region_insert(ni, &view, &rkey);
    if (status != NI_OK) {
        free_region(region);
        return status;
    }
    ni_list_push_back(&ni->commands->regions, &region->all);
    ni->untidy |= NI_UNTIDY_COMMANDS;
    *command = rkey.handle;
    return NI_OK;
}

ni_status ni_region_command(struct ni *ni, struct ni_command_line *lines, size_t count,
                            unsigned flags, ni_handle *command)
{
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    if (lines == NULL || (uintptr_t)lines % sizeof(*lines) != 0 || count == 0 ||
        count > NI_COMMAND_LINES || (flags & ~(unsigned)NI_COMMAND_QUEUE) != 0) {
        return NI_ERR_INVALID;
    }
    taken = ni_progress_lock_take(ni);
    status = add_region(ni, lines, (uint32_t)count, flags, command);
    ni_progress_lock_give(ni, taken);
    return status;
}

/* The progress lock is ours: it keeps the region from being freed. */
static struct ni_command_region *find_command_region(const struct ni *ni, ni_handle command)
{
    struct ni_region_view view;

    return ni_region_view(ni, command, NI_REGION_COMMAND, &view)
               ? (struct ni_command_region *)(uintptr_t)view.object[0]
               : NULL;
}

static struct ni_targets *command_targets(const struct ni *ni, ni_handle command)
{
    struct ni_command_region *region = find_command_region(ni, command);

    return region != NULL ? &region->targets : NULL;
}

ni_status ni_command_target(struct ni *ni, ni_handle command, struct ni_peer *peer,
                            const struct ni_rkey *rkey, uint16_t *target)
{
    return ni_targets_add(ni, command, command_targets, peer, rkey, target);
}

ni_status ni_command_untarget(struct ni *ni, ni_handle command, uint16_t target)
{
    return ni_targets_remove(ni, command, command_targets, target);
}

ni_status ni_command_poke(struct ni *ni, ni_handle command)
{
    struct ni_command_region *region;
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    taken = ni_progress_lock_take(ni);
    region = find_command_region(ni, command);
    if (region == NULL) {
        status = NI_ERR_REGION;
    } else if (ni->commands->serving) {
        status = NI_AGAIN;
    } else if (ni_command_look(region) != 0 || !ni_list_empty(&ni->commands->jobs)) {
        ni->commands->serving = true;
        (void)ni_command_serve(ni);
        ni->commands->serving = false;
    }
    ni_progress_lock_give(ni, taken);
    return status;
}

const char *ni_command_reason_text(enum ni_command_reason reason)
{
    static const char *const texts[] = {
#define NI_COMMAND_TEXT(name, text) [NI_COMMAND_##name] = text,
        NI_COMMAND_REASON_LIST(NI_COMMAND_TEXT)
#undef NI_COMMAND_TEXT
    };

    return (size_t)reason < NI_ARRAY_LENGTH(texts) ? texts[reason] : "unknown reason";
}
