/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 starts the command that the arguments are, which has to end well; the others wait. */
#include <sys/wait.h>

#include "job.h"

static char **command;

static void body(pr_mgr_t m, int rank, int size)
{
    (void)m;
    (void)size;
    if (rank == 0) {
        int status = -1;
        pid_t pid = fork();

        if (pid == 0) {
            (void)execvp(command[0], command);
            _exit(127);
        }
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        CHECK_EQUAL(status, 0);
    }
    CHECK_EQUAL(pr_barrier(), PR_OK);
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    command = argv + 1;
    return job_main(1, argv, PR_THREAD_SINGLE, body);
}
