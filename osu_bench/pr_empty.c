/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that does nothing but join the job and leave it: for pr_start. */
#include <presto.h>

int main(void)
{
    pr_mgr_t m;

    return pr_init(&m) != PR_OK || pr_fini(m) != PR_OK;
}
