/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at messages before they are received. */
#include <string.h>

#include "native/native.h"

int pr_probe(pr_mgr_t m, pr_rank_t src, int tag, struct pr_status *st)
{
    struct pri_where from;
    struct pri_status status;
    int error = pr_source(m, src, tag, &from);

    error = error != PR_OK ? error : pri_probe(m->rank, from, &status);
    if (error == PR_OK && st != NULL) {
        memcpy(st, &status, sizeof(*st));
    }
    return error;
}

int pr_iprobe(pr_mgr_t m, pr_rank_t src, int tag, int *found, struct pr_status *st)
{
    struct pri_where from;
    struct pri_status status;
    bool there = false;
    int error = pr_source(m, src, tag, &from);

    if (error == PR_OK && found == NULL) {
        return PR_ERR_ARG;
    }
    error = error != PR_OK ? error : pri_iprobe(m->rank, from, &there, &status);
    if (error != PR_OK) {
        return error;
    }
    *found = there;
    if (there && st != NULL) {
        memcpy(st, &status, sizeof(*st));
    }
    return PR_OK;
}
