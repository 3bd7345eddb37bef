/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/bench/bench.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "match/match.h"

void *match_must_calloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        fprintf(stderr, "ni_match_list: out of memory: try fewer entries (-l, -m)\n");
        exit(1);
    }
    return memory;
}

static void must_succeed(ni_status status)
{
    if (status != NI_OK) {
        fprintf(stderr, "ni_match_list: out of memory: try fewer entries (-l, -m)\n");
        exit(1);
    }
}

void match_must_pool(struct ni_pool *pool, size_t count, size_t size)
{
    must_succeed(ni_pool_init_packed(pool, size, 0, 0));
    for (size_t i = 0; i < count; i++) {
        must_succeed(ni_pool_get(pool) != NULL ? NI_OK : NI_ERR_NOMEM);
    }
}

struct core_list {
    struct ni_match_list list;
    struct ni_pool entries;
};

static void *core_list_make(const struct match_want *want, size_t entries)
{
    struct core_list *core = ni_aligned(NI_CACHE_LINE, sizeof(*core));

    must_succeed(core != NULL ? NI_OK : NI_ERR_NOMEM);
    match_must_pool(&core->entries, entries, sizeof(struct ni_match_entry));
    ni_match_list_init(&core->list, &core->entries, 0);
    for (size_t i = 0; i < entries; i++) {
        must_succeed(ni_match_list_append(&core->list,
                                          ni_pool_slot_item(&core->entries, (uint32_t)i),
                                          want[i].bits, want[i].ignore, want[i].initiator));
    }
    return core;
}

static void core_list_end(void *list)
{
    struct core_list *core = list;

    ni_match_list_fini(&core->list);
    ni_pool_fini(&core->entries);
    ni_free(core);
}

static size_t core_list_search(void *list, uint64_t bits, uint32_t initiator)
{
    struct core_list *core = list;
    const struct ni_match_entry *found = ni_match_list_search(&core->list, bits, initiator);

    return found != NULL ? ni_pool_index(&core->entries, found) : SIZE_MAX;
}

/* The record of MATCH 3.1, a match entry and a memory descriptor in 64 bytes, of which a match
 * reads the first half. */
struct linear_entry {
    struct linear_entry *next;
    uint64_t bits;
    uint64_t dont_ignore_bits;
    uint32_t initiator;
    uint32_t options;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t threshold;
    uint32_t number;
};

_Static_assert(sizeof(struct linear_entry) == 64, "as in MATCH 3.1");

struct linear_list {
    struct linear_entry *first;
    struct linear_entry *entry;
};

/* Side by side in memory: the best that can happen to a linked list. */
static void *linear_make(const struct match_want *want, size_t entries)
{
    struct linear_list *linear = match_must_calloc(1, sizeof(*linear));
    struct linear_entry **end = &linear->first;

    linear->entry = ni_aligned_zero(NI_CACHE_LINE, entries * sizeof(*linear->entry));
    must_succeed(linear->entry != NULL ? NI_OK : NI_ERR_NOMEM);
    for (size_t i = 0; i < entries; i++) {
        linear->entry[i] = (struct linear_entry){.bits = want[i].bits,
                                                 .dont_ignore_bits = ~want[i].ignore,
                                                 .initiator = want[i].initiator,
                                                 .threshold = 1,
                                                 .number = (uint32_t)i};
        *end = &linear->entry[i];
        end = &linear->entry[i].next;
    }
    return linear;
}

static void linear_end(void *list)
{
    struct linear_list *linear = list;

    ni_free(linear->entry);
    free(linear);
}

/* The tests of MATCH Fig. 1 that depend on the header's bits and its initiator; the core's list
 * makes no others. */
static size_t linear_search(void *list, uint64_t bits, uint32_t initiator)
{
    const struct linear_list *linear = list;

    for (const struct linear_entry *entry = linear->first; entry != NULL; entry = entry->next) {
        if (((entry->bits ^ bits) & entry->dont_ignore_bits) != 0) {
            continue;
        }
        if (entry->initiator != NI_MATCH_ANY && entry->initiator != initiator) {
            continue;
        }
        return entry->number;
    }
    return SIZE_MAX;
}

struct array_list {
    struct ni_match_blocks blocks;
    struct ni_match_scan scan;
    ni_stat_t attempts;
    struct ni_match_node *node;
};

static void *array_make(const struct match_want *want, size_t entries)
{
    struct array_list *array = match_must_calloc(1, sizeof(*array));

    ni_match_blocks_init(&array->blocks);
    array->scan = ni_match_scan_for(ni_cpu_simd());
    array->node = match_must_calloc(entries, sizeof(*array->node));
    for (size_t i = 0; i < entries; i++) {
        array->node[i] =
            (struct ni_match_node){.bits = want[i].bits, .initiator = want[i].initiator};
        must_succeed(ni_match_blocks_append(&array->blocks, &array->node[i], want[i].ignore));
    }
    return array;
}

static void array_end(void *list)
{
    struct array_list *array = list;

    ni_match_blocks_fini(&array->blocks);
    free(array->node);
    free(array);
}

static size_t array_search(void *list, uint64_t bits, uint32_t initiator)
{
    struct array_list *array = list;
    const struct ni_match_node *found = ni_match_blocks_find(
        array->blocks.first, 0, array->scan.from, bits, 0, initiator, &array->attempts);

    return found != NULL ? (size_t)(found - array->node) : SIZE_MAX;
}

static const struct match_list_kind core_kind = {
    .name = "match", .make = core_list_make, .end = core_list_end, .search = core_list_search};
static const struct match_list_kind linear_kind = {
    .name = "linear", .make = linear_make, .end = linear_end, .search = linear_search};
static const struct match_list_kind array_kind = {
    .name = "array", .make = array_make, .end = array_end, .search = array_search};

const struct match_list_kind *const match_list_kinds[MATCH_LIST_KINDS] = {&core_kind, &linear_kind,
                                                                          &array_kind};
