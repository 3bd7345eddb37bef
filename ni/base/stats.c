/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/stats.h"

#include <string.h>

#include "base/bits.h"

const struct ni_stat_info ni_stat_infos[] = {
#define NI_STAT_ROW(field, kind, unit, help) {#field, NI_STAT_##kind, unit, help},
#include "base/stats.def"
#undef NI_STAT_ROW
};

const size_t ni_stat_count = NI_ARRAY_LENGTH(ni_stat_infos);

static const size_t stat_offsets[] = {
#define NI_STAT_ROW(field, kind, unit, help) offsetof(struct ni_stats, field),
#include "base/stats.def"
#undef NI_STAT_ROW
};

static ni_stat_t *stat_at(const struct ni_stats *stats, size_t index)
{
    return (ni_stat_t *)((char *)stats + stat_offsets[index]);
}

void ni_stats_init(struct ni_stats *stats)
{
    for (size_t i = 0; i < NI_ARRAY_LENGTH(stat_offsets); i++) {
        atomic_init(stat_at(stats, i), 0);
    }
}

uint64_t ni_stats_value(const struct ni_stats *stats, size_t index)
{
    if (index >= NI_ARRAY_LENGTH(stat_offsets)) {
        return 0;
    }
    return ni_stat_get(stat_at(stats, index));
}

size_t ni_stat_find(const char *name)
{
    size_t i = 0;

    while (i < ni_stat_count && strcmp(ni_stat_infos[i].name, name) != 0) {
        i++;
    }
    return i;
}
