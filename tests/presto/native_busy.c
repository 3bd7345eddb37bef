/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the job, says its process id and computes until it is killed, or for two minutes.
 *     native_busy [early]    early: it computes before it joins */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <presto.h>

int main(int argc, char **argv)
{
    volatile uint64_t rounds = 0;
    pr_mgr_t manager;

    (void)argv;
    (void)alarm(120);
    if (argc == 1 && pr_init(&manager) != PR_OK) {
        return 1;
    }
    printf("%d\n", (int)getpid());
    (void)fflush(stdout);
    for (;;) {
        rounds++;
    }
}
