/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in, and both at once. */
#include <string.h>

#include "core/message.h"
#include "native/native.h"

_Static_assert(sizeof(struct pr_status) == sizeof(struct pri_status) &&
                   offsetof(struct pr_status, tag) == offsetof(struct pri_status, tag) &&
                   offsetof(struct pr_status, error) == offsetof(struct pri_status, error) &&
                   offsetof(struct pr_status, cancelled) ==
                       offsetof(struct pri_status, cancelled) &&
                   offsetof(struct pr_status, bytes) == offsetof(struct pri_status, bytes),
               "one is the other");

static int recv_bytes(pr_mgr_t m, pr_rank_t src, int tag, void *buf, size_t bytes,
                      struct pr_status *st)
{
    struct pri_where from;
    struct pri_status status;
    int error = pr_source(m, src, tag, &from);

    if (NI_LIKELY(error == PR_OK)) {
        error = pr_buffer_check(buf, bytes);
    }
    if (NI_UNLIKELY(error != PR_OK)) {
        return error;
    }
    if (NI_LIKELY(st == NULL)) {
        return pri_recv_here(m->rank, buf, bytes, from, NULL);
    }
    error = pri_recv_here(m->rank, buf, bytes, from, &status);
    memcpy(st, &status, sizeof(*st));
    return error;
}

int pr_recv(pr_mgr_t m, pr_rank_t src, pr_word_t *buf, size_t nwords)
{
    size_t bytes;
    int error = pr_bytes(nwords, &bytes);

    return NI_LIKELY(error == PR_OK) ? recv_bytes(m, src, 0, buf, bytes, NULL) : error;
}

int pr_recv_bytes(pr_mgr_t m, pr_rank_t src, int tag, void *buf, size_t bytes, struct pr_status *st)
{
    return recv_bytes(m, src, tag, buf, bytes, st);
}

/* ---- not blocking ---------------------------------------------------------------------------- */

int pr_irecv_bytes(pr_mgr_t m, pr_rank_t src, int tag, void *buf, size_t bytes, pr_req_t *r)
{
    struct pri_where from;
    struct pr_req *req;
    int error = pr_source(m, src, tag, &from);

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
    error = pri_irecv_here(m->rank, buf, bytes, from, PRI_REQUEST_RECV, &req->request);
    if (NI_UNLIKELY(error != PR_OK)) {
        pr_req_delete(m->rank, req);
        return error;
    }
    *r = req;
    return PR_OK;
}

int pr_irecv(pr_mgr_t m, pr_rank_t src, pr_word_t *buf, size_t nwords, pr_req_t *r)
{
    size_t bytes;
    int error = pr_bytes(nwords, &bytes);

    return NI_LIKELY(error == PR_OK) ? pr_irecv_bytes(m, src, 0, buf, bytes, r) : error;
}

/* ---- both ------------------------------------------------------------------------------------ */

int pr_sendrecv_bytes(pr_mgr_t m, pr_rank_t dest, int send_tag, const void *send_buf,
                      size_t send_bytes, pr_rank_t src, int recv_tag, void *recv_buf,
                      size_t recv_bytes, struct pr_status *st)
{
    struct pri_where to, from;
    struct pri_request received;
    int error = pr_target(m, dest, send_tag, &to), sent;

    error = error != PR_OK ? error : pr_source(m, src, recv_tag, &from);
    error = error != PR_OK ? error : pr_buffer_check(send_buf, send_bytes);
    error = error != PR_OK ? error : pr_buffer_check(recv_buf, recv_bytes);
    error = error != PR_OK ? error : pri_irecv(m->rank, recv_buf, recv_bytes, from, &received);
    if (error != PR_OK) {
        return error;
    }
    sent = pri_send(m->rank, send_buf, send_bytes, to, PRI_STANDARD);
    if (sent != PR_OK) {
        pri_cancel(&received); /* or the other side would be waited for that may not know of us */
    }
    error = pri_wait(&received);
    if (st != NULL) {
        memcpy(st, &received.status, sizeof(*st));
    }
    return sent != PR_OK ? sent : error;
}
