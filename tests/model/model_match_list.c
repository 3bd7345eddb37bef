/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/match.h"
#include "match_trace.h"

/*
 * Posted entries against a linear walk, see match_trace.h.
 *
 *   model_match_list [SEED [STEPS]]   repeats one seed
 */

static struct ni_match_list list;
static struct ni_pool nodes;
static uint32_t noted; /* there may be something to be fetched ahead */

static void init(enum ni_simd simd)
{
    struct ni_cpu cpu = ni_cpu_probe();

    match_trace_pool(&nodes, sizeof(struct ni_match_entry));
    ni_match_list_init(&list, &nodes, 0);
    list.scan = ni_match_scan_for(ni_cpu_choose(&cpu, simd));
    ni_match_list_note(&list, &noted, 1);
}

static void fini(void)
{
    ni_match_list_fini(&list);
    ni_pool_fini(&nodes);
}

static long number_of(const struct ni_match_entry *entry)
{
    return entry == NULL ? -1 : (long)ni_pool_index(&nodes, entry);
}

static ni_status append(const struct model_item *item)
{
    return ni_match_list_append(&list, ni_pool_slot_item(&nodes, item->number), item->bits,
                                item->ignore, item->initiator);
}

static void remove_entry(uint32_t number)
{
    ni_match_list_remove(&list, ni_pool_slot_item(&nodes, number));
}

static long search(const struct model_item *header)
{
    if (noted != 0) {
        noted = 0;
        (void)ni_match_list_ahead(&list);
    }
    return number_of(ni_match_list_search(&list, header->bits, header->initiator));
}

static long next(uint32_t number, const struct model_item *header)
{
    return number_of(ni_match_list_next(&list, ni_pool_slot_item(&nodes, number), header->bits,
                                        header->initiator));
}

static size_t length(void)
{
    return ni_stat_get(&list.length);
}

static size_t most(void)
{
    return ni_stat_get(&list.counts.most);
}

int main(int argc, char **argv)
{
    static const struct match_trace_list posted = {
        .program = "model_match_list",
        .nodes = "entries",
        .wild = true,
        .init = init,
        .fini = fini,
        .append = append,
        .remove = remove_entry,
        .search = search,
        .next = next,
        .length = length,
        .most = most,
    };

    return match_trace_main(&posted, argc, argv);
}
