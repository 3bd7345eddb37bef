/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "link/ucx/ucx.h"

/*
 * Each connection takes a descriptor, or two, and UCX 1.13 aborts the process when it is called and
 * has none left to answer with. The soft limit is often 1024 where the hard one is far above.
 */

enum { RESERVE = 16 }; /* for those who call us, and the program */

void ni_ucx_raise_descriptors(const struct ni_config *config)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)config->ucx_descriptors;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return;
    }
    if (wanted > limit.rlim_max) {
        wanted = limit.rlim_max;
    }
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* what is scarce is said when it is */
    }
}

static void complain(rlim_t most)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    char parameter[96];

    ni_config_name("ucx_descriptors", parameter, sizeof(parameter));
    ni_log_limited(&limit, NI_LOG_ERROR,
                   "ucx: a peer on another host cannot be reached: all but a few of the %llu file "
                   "descriptors that this process may have are in use, and a connection takes one. "
                   "Raise the hard limit (ulimit -Hn), and %s if that is lower",
                   (unsigned long long)most, parameter);
}

bool ni_ucx_may_connect(const struct ni_ucx_link *link)
{
    struct rlimit limit;
    int lowest = fcntl(link->rouse_fd, F_DUPFD_CLOEXEC, 0); /* of those that are free */

    if (lowest >= 0) {
        (void)close(lowest);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        (lowest >= 0 && limit.rlim_cur - (rlim_t)lowest > RESERVE)) {
        return true;
    }
    complain(limit.rlim_cur);
    return false;
}
