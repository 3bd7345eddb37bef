/* SPDX-License-Identifier: BSD-3-Clause */
/* However a job of the native interface is started, no rank's key is on a command line or in an
 * environment. */
#include "job.h"
#include "key_scan.h"
#include "native/native.h"

static void body(pr_mgr_t m, int rank, int size)
{
    uint8_t blob[NI_BLOB_MAX];
    char token = 0;
    size_t len = ni_address(m->rank->ni, blob, sizeof(blob));

    /* All are there, so that nobody's launcher has ended. */
    for (int i = 0; i < size; i++) {
        if (i != rank) {
            CHECK_EQUAL(pr_send_bytes(m, i, 1, &token, 1), PR_OK);
            CHECK_EQUAL(pr_recv_bytes(m, i, 1, &token, 1, NULL), PR_OK);
        }
    }
    CHECK(key_is_kept(blob, len));
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
