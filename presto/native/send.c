/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages out. */
#include "core/message.h"
#include "native/native.h"

/* ---- blocking -------------------------------------------------------------------------------- */

static inline int send_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes,
                             enum pri_mode mode)
{
    struct pri_where to;
    int error = pr_target(m, dest, tag, &to);

    if (NI_LIKELY(error == PR_OK)) {
        error = pr_buffer_check(buf, bytes);
    }
    if (NI_UNLIKELY(error != PR_OK)) {
        return error;
    }
    if (NI_LIKELY(mode == PRI_STANDARD) && pri_send_short(m->rank, buf, bytes, to)) {
        return PR_OK;
    }
    return pri_send(m->rank, buf, bytes, to, mode);
}

int pr_send(pr_mgr_t m, pr_rank_t dest, const pr_word_t *buf, size_t nwords)
{
    size_t bytes;
    int error = pr_bytes(nwords, &bytes);

    return NI_LIKELY(error == PR_OK) ? send_bytes(m, dest, 0, buf, bytes, PRI_STANDARD) : error;
}

int pr_send_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes)
{
    return send_bytes(m, dest, tag, buf, bytes, PRI_STANDARD);
}

int pr_ssend_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes)
{
    return send_bytes(m, dest, tag, buf, bytes, PRI_SYNCHRONOUS);
}

/* ---- not blocking ---------------------------------------------------------------------------- */

static inline int isend_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes,
                              enum pri_mode mode, pr_req_t *r)
{
    struct pri_where to;
    struct pr_req *req;
    int error = pr_target(m, dest, tag, &to);

    if (NI_LIKELY(error == PR_OK)) {
        error = pr_buffer_check(buf, bytes);
    }
    if (NI_UNLIKELY(error != PR_OK || r == NULL)) {
        return error != PR_OK ? error : PR_ERR_REQUEST;
    }
    req = pr_req_new(m->rank);
    if (NI_UNLIKELY(req == NULL)) {
        return PR_ERR_NOMEM;
    }
    error = pri_isend_here(m->rank, buf, bytes, to, mode, &req->request);
    if (NI_UNLIKELY(error != PR_OK)) {
        pr_req_delete(m->rank, req);
        return error;
    }
    *r = req;
    return PR_OK;
}

int pr_isend(pr_mgr_t m, pr_rank_t dest, const pr_word_t *buf, size_t nwords, pr_req_t *r)
{
    size_t bytes;
    int error = pr_bytes(nwords, &bytes);

    return NI_LIKELY(error == PR_OK) ? isend_bytes(m, dest, 0, buf, bytes, PRI_STANDARD, r) : error;
}

int pr_isend_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes, pr_req_t *r)
{
    return isend_bytes(m, dest, tag, buf, bytes, PRI_STANDARD, r);
}

int pr_issend_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes, pr_req_t *r)
{
    return isend_bytes(m, dest, tag, buf, bytes, PRI_SYNCHRONOUS, r);
}
