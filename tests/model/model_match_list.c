/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/match.h"
#include "match_trace.h"

/*
 * Posted entries against a linear walk, see match_trace.h.
 *
 *   model_match_list [SEED [STEPS]]   repeats one seed
 */

static struct ni_match_list list;
static struct ni_match_entry entries[MATCH_TRACE_MOST];
static uint32_t noted; /* there may be something to be fetched ahead */

static void init(enum ni_simd simd, uint64_t seed)
{
    struct ni_cpu cpu = ni_cpu_probe();

    ni_match_list_init(&list);
    list.scan = ni_match_scan_for(ni_cpu_choose(&cpu, simd));
    /* The table's copies of what entries point to are for fetching only, whatever they are. */
    list.index.pointer = seed % 4 < 2 ? offsetof(struct ni_match_entry, ignore) : 0;
    ni_match_list_note(&list, &noted, 1);
}

static void fini(void)
{
    ni_match_list_fini(&list);
}

static long number_of(const struct ni_match_entry *entry)
{
    return entry == NULL ? -1 : entry - entries;
}

static ni_status append(const struct model_item *item)
{
    return ni_match_list_append(&list, &entries[item->number], item->bits, item->ignore,
                                item->initiator);
}

static void remove_entry(uint32_t number)
{
    ni_match_list_remove(&list, &entries[number]);
}

static long search(const struct model_item *header)
{
    if (noted != 0) {
        noted = 0;
        (void)ni_match_list_ahead(&list, sizeof(entries[0]));
    }
    return number_of(ni_match_list_search(&list, header->bits, header->initiator));
}

static long next(uint32_t number, const struct model_item *header)
{
    return number_of(ni_match_list_next(&list, &entries[number], header->bits, header->initiator));
}

static size_t length(void)
{
    return list.length;
}

static size_t most(void)
{
    return list.counts.most;
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
