/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that were not expected, or have failed. */
#include <stdio.h>

#include "ompi_match/hot.h"

/* A ready send has found no receive, which MPI calls an error of the program. Its message is
 * received all the same, and the first one is told. */
static NI_COLD void note_ready(const struct ni_event *event)
{
    char source[16], tag[16];

    if (atomic_fetch_add_explicit(&ompi_match.unready, 1, memory_order_relaxed) == 0) {
        snprintf(source, sizeof(source), "%d", (int)(uint32_t)event->hdr_data);
        snprintf(tag, sizeof(tag), "%d", ompi_match_tag(event->match_bits));
        ompi_glue_help("ready-unposted", OPAL_NAME_PRINT(OPAL_PROC_MY_NAME), source, tag);
    }
}

int ompi_match_examine(const struct ni_event *event, const struct ompi_request_t *user)
{
    if (event->type == NI_EVENT_PUT_OVERFLOW &&
        NI_UNLIKELY((event->hdr_data >> 32 & OMPI_MATCH_READY) != 0)) {
        note_ready(event);
    }
    return ompi_match_failure(event, user);
}
