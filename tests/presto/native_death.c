/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 is killed while the others wait for it in different ways: each gets PR_ERR_PEER, nobody
 * waits for good, and the others still reach each other. Run with prestorun --keep-going and three
 * ranks or more. */
#include <signal.h>

#include "job.h"

/* Until the death is known here, by the way given with `how`. */
static int wait_in_vain(pr_mgr_t m, int how)
{
    static unsigned char big[400000];
    struct pr_status st;
    pr_req_t reqs[2];
    int error, token;

    switch (how) {
    case 0: /* a receive by name */
        return pr_recv_bytes(m, 1, 7, &token, sizeof(token), NULL);
    case 1: /* by any name */
        return pr_recv_bytes(m, PR_ANY_SOURCE, 7, &token, sizeof(token), NULL);
    case 2: /* a probe */
        return pr_probe(m, 1, 7, &st);
    case 3: /* a long message */
        do {
            error = pr_send_bytes(m, 1, 8, big, sizeof(big));
        } while (error == PR_OK);
        return error;
    default: /* requests */
        error = pr_irecv_bytes(m, 1, 7, &token, sizeof(token), &reqs[0]);
        if (error == PR_OK) {
            error = pr_wait(m, &reqs[0]);
        }
        return error;
    }
}

/* Sends whose receiver dies when it has been asked whether it has them: their waits end. */
static void cancel_in_vain(pr_mgr_t m, size_t bytes)
{
    static unsigned char data[400000];
    struct pr_status st;
    pr_req_t req;
    int error = pr_isend_bytes(m, 1, 10, data, bytes, &req);

    if (error == PR_OK) {
        CHECK_EQUAL(pr_cancel(m, &req), PR_OK);
        error = pr_wait_status(m, &req, &st);
        CHECK(error == PR_OK || !st.cancelled);
    }
    CHECK(error == PR_OK || error == PR_ERR_PEER);
}

static void body(pr_mgr_t m, int rank, int size)
{
    int token = rank, right, left;

    CHECK(size >= 3);
    CHECK_EQUAL(pr_barrier(), PR_OK);
    if (rank == 1) {
        usleep(20000);
        (void)raise(SIGKILL);
    }
    cancel_in_vain(m, 8);
    cancel_in_vain(m, 400000);
    CHECK_EQUAL(wait_in_vain(m, rank % 5), PR_ERR_PEER);
    /* Once it is known it stays so, also of receives that begin now. */
    CHECK_EQUAL(pr_recv_bytes(m, 1, 7, &token, sizeof(token), NULL), PR_ERR_PEER);
    CHECK_EQUAL(pr_recv_bytes(m, PR_ANY_SOURCE, 7, &token, sizeof(token), NULL), PR_ERR_PEER);
    CHECK_EQUAL(pr_send_bytes(m, 1, 7, &token, sizeof(token)), PR_ERR_PEER);
    /* The others. */
    right = rank == 0 ? 2 : (rank + 1) % size;
    left = rank == 2 ? 0 : (rank + size - 1) % size;
    CHECK_EQUAL(
        pr_sendrecv_bytes(m, right, 9, &rank, sizeof(int), left, 9, &token, sizeof(int), NULL),
        PR_OK);
    CHECK_EQUAL(token, left);
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
