/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/core.h"
#include "native/native.h"

/* The numbers are those of the core. */
_Static_assert(
    (int)PR_ERR_ARG == (int)PRI_ERR_ARG && (int)PR_ERR_RANK == (int)PRI_ERR_RANK &&
        (int)PR_ERR_TAG == (int)PRI_ERR_TAG && (int)PR_ERR_COUNT == (int)PRI_ERR_COUNT &&
        (int)PR_ERR_BUFFER == (int)PRI_ERR_BUFFER && (int)PR_ERR_REQUEST == (int)PRI_ERR_REQUEST &&
        (int)PR_ERR_TRUNCATE == (int)PRI_ERR_TRUNCATE && (int)PR_ERR_NOMEM == (int)PRI_ERR_NOMEM &&
        (int)PR_ERR_PEER == (int)PRI_ERR_PEER && (int)PR_ERR_FORKED == (int)PRI_ERR_FORKED &&
        (int)PR_ERR_STATE == (int)PRI_ERR_STATE && (int)PR_ERR_START == (int)PRI_ERR_START &&
        (int)PR_ERR_LIMIT == (int)PRI_ERR_LIMIT && (int)PR_ERR_OP == (int)PRI_ERR_OP &&
        (int)PR_ERR_COMM == (int)PRI_ERR_COMM && (int)PR_ERR_IN_STATUS == (int)PRI_ERR_IN_STATUS &&
        (int)PR_ERR_INTERN == (int)PRI_ERR_INTERN && (int)PR_ERR_MEMORY == (int)PRI_ERR_MEMORY,
    "errors are the same");

const char *pr_error_string(int error)
{
    return error == PR_PENDING ? "not complete yet" : pri_error_text(error);
}

int pr_get_failed_rank(pr_mgr_t m, pr_rank_t *rank)
{
    if (m == NULL || rank == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_ARG;
    }
    *rank = pri_lost(m->rank); /* which says -1 for none, as PR_ANY_SOURCE */
    return PR_OK;
}
