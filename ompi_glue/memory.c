/* SPDX-License-Identifier: BSD-3-Clause */
/* What memory a process has for the others when it leaves MPI, printed for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <apeni/stats.h>

#include "ompi_glue/component.h"

static bool wanted;

void ompi_glue_register_show_memory(void)
{
    wanted = false;
    (void)ompi_glue_declare(
        "show_memory",
        "Whether the first process of each host prints, when it leaves MPI, how "
        "much shared memory it has for those that send to it, and how much its "
        "unexpected messages took at most.",
        MCA_BASE_VAR_TYPE_BOOL, NULL, OPAL_INFO_LVL_3, &wanted);
}

static uint64_t of(const struct ni *ni, const char *statistic)
{
    return ni_stat_read(ni, ni_stat_find(statistic));
}

void ompi_glue_show_memory(const struct ni *ni)
{
    const mca_base_component_t *version = ompi_glue_self()->version;
    char *line = NULL;

    if (!wanted || ni == NULL || opal_process_info.my_local_rank != 0) {
        return;
    }
    wanted = false; /* once */
    /* At once, so that lines of several processes do not mix. */
    if (asprintf(&line,
                 "%s %s: process %u on %s has %" PRIu64 " KiB of shared memory, %" PRIu64
                 " rings in it; %" PRIu64 " times one of them became larger, %" PRIu64
                 " times a lane to others could not, %" PRIu64
                 " times one gave memory back; unexpected messages took %" PRIu64 " KiB at most\n",
                 version->mca_type_name, version->mca_component_name,
                 (unsigned)OPAL_PROC_MY_NAME.vpid, opal_process_info.nodename,
                 of(ni, "shm_bytes") >> 10, of(ni, "rings"), of(ni, "rings_grown"),
                 of(ni, "lanes_limited"), of(ni, "lanes_shrunk"),
                 (of(ni, "match_unexpected_bytes_max") + 1023) >> 10) >= 0) {
        (void)fputs(line, stderr);
        free(line);
    }
}
