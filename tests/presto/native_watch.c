/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends a rank with prestorun: a pipe in which nothing else comes. A socket that did would kill
 * the rank by an answer that is told late. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "job.h"

enum { FILES = 256 };

static bool signals(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ASYNC) != 0;
}

static void body(pr_mgr_t m, int rank, int size)
{
    int watched = 0;

    (void)m;
    (void)rank;
    (void)size;
    for (int fd = 0; fd < FILES; fd++) {
        struct stat facts;

        if (fstat(fd, &facts) == 0 && signals(fd)) {
            CHECK(S_ISFIFO(facts.st_mode));
            CHECK_EQUAL(fcntl(fd, F_GETSIG), SIGKILL);
            CHECK_EQUAL(fcntl(fd, F_GETOWN), getpid());
            watched++;
        }
    }
    CHECK_EQUAL(watched, 1);
    CHECK(getenv("PRESTO_LIFE") == NULL);
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
