/* SPDX-License-Identifier: BSD-3-Clause */
/* The last rank ends the job with the code that the environment's ABORT_CODE is, while the others
 * wait for it. */
#include "job.h"

static void body(pr_mgr_t m, int rank, int size)
{
    const char *code = getenv("ABORT_CODE");

    CHECK(code != NULL);
    if (rank == size - 1) {
        (void)pr_abort(m, atoi(code));
    }
    (void)pr_barrier();
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
