/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: waiting for them. */
#include <string.h>

#include "native/native.h"

/* ---- one ------------------------------------------------------------------------------------- */

/* It is complete: tell, free. */
static inline int end(pr_mgr_t m, pr_req_t *r, struct pr_status *st)
{
    struct pr_req *req = *r;
    int error = req->request.status.error;

    if (NI_UNLIKELY(st != NULL)) {
        memcpy(st, &req->request.status, sizeof(*st));
    }
    *r = PR_REQ_NULL;
    pr_req_delete(m->rank, req);
    return error;
}

/* What no request gives. */
static NI_COLD int nothing(pr_mgr_t m, const pr_req_t *r, struct pr_status *st)
{
    if (m == NULL || r == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_REQUEST;
    }
    if (st != NULL) {
        *st = (struct pr_status){.source = PR_ANY_SOURCE, .tag = PR_ANY_TAG};
    }
    return PR_OK;
}

/* m is not NULL, and r no request or one. */
static inline int wait(pr_mgr_t m, pr_req_t *r, struct pr_status *st)
{
    if (NI_UNLIKELY(*r == PR_REQ_NULL)) {
        return nothing(m, r, st);
    }
    if (!pri_done(&(*r)->request)) {
        (void)pri_wait(&(*r)->request);
    }
    return end(m, r, st);
}

int pr_wait_status(pr_mgr_t m, pr_req_t *r, struct pr_status *st)
{
    return NI_LIKELY(m != NULL && r != NULL) ? wait(m, r, st) : nothing(m, r, st);
}

int pr_wait(pr_mgr_t m, pr_req_t *r)
{
    return pr_wait_status(m, r, NULL);
}

int pr_test_status(pr_mgr_t m, pr_req_t *r, struct pr_status *st)
{
    if (NI_UNLIKELY(m == NULL || r == NULL || *r == PR_REQ_NULL)) {
        return nothing(m, r, st);
    }
    return pri_test(&(*r)->request) ? end(m, r, st) : PR_PENDING;
}

int pr_test(pr_mgr_t m, pr_req_t *r)
{
    return pr_test_status(m, r, NULL);
}

static void release(struct pri_request *request)
{
    pr_req_delete(request->rank, ni_container_of(request, struct pr_req, request));
}

int pr_req_free(pr_mgr_t m, pr_req_t *r)
{
    struct pr_req *req;

    if (m == NULL || r == NULL || *r == PR_REQ_NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_REQUEST;
    }
    req = *r;
    *r = PR_REQ_NULL;
    pri_detach(&req->request, release);
    return PR_OK;
}

int pr_cancel(pr_mgr_t m, pr_req_t *r)
{
    if (m == NULL || r == NULL || *r == PR_REQ_NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_REQUEST;
    }
    pri_cancel(&(*r)->request);
    return PR_OK;
}

/* ---- several --------------------------------------------------------------------------------- */

int pr_waitall(pr_mgr_t m, pr_req_t *r, size_t n)
{
    int first = PR_OK;

    if (m == NULL || (r == NULL && n != 0)) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_REQUEST;
    }
    for (size_t i = 0; i < n; i++) {
        int error = wait(m, &r[i], NULL);

        first = first == PR_OK ? error : first;
    }
    return first;
}

/* The first of r[n] that is complete; n: none. *pending: there are others. */
static size_t find_complete(const pr_req_t *r, size_t n, bool *pending)
{
    *pending = false;
    for (size_t i = 0; i < n; i++) {
        if (r[i] != PR_REQ_NULL && pri_done(&r[i]->request)) {
            return i;
        }
        *pending = *pending || r[i] != PR_REQ_NULL;
    }
    return n;
}

int pr_waitany(pr_mgr_t m, pr_req_t *r, size_t n, size_t *index, struct pr_status *st)
{
    const pr_req_t none = PR_REQ_NULL;
    unsigned spins = 0;
    bool pending;

    if (m == NULL || (r == NULL && n != 0) || index == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_REQUEST;
    }
    while ((*index = find_complete(r, n, &pending)) == n && pending) {
        pri_relax(m->rank, &spins);
    }
    return *index == n ? nothing(m, &none, st) : end(m, &r[*index], st);
}
