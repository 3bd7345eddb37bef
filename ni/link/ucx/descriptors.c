/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "link/ucx/ucx.h"

/*
 * Each connection takes a descriptor, or two, and UCX 1.13 aborts the process when it is called and
 * has none left to answer with. The soft limit is often 1024 where the hard one is far above.
 *
 * The code that calls us takes one as soon as a thread of UCX's accepts, whether the program polls
 * or not. So when few are left the kernel is told to drop whatever comes for that listening socket,
 * and what it has ready for UCX is taken from it and closed. TCP of those who are of the job calls
 * again, and gets through when descriptors are free.
 */

enum {
    RESERVE = 16, /* for the program, and those that UCX takes before we know */
    FEW = 32,     /* left: nobody more is let in */
    ENOUGH = 64,  /* left: everybody is again */
    DOORS = 16,   /* listening sockets that may be shut at a time */
};

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

static rlim_t most(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/* Whether more than so many may be had, the lowest of which is this one. */
static bool are_left(int lowest, rlim_t count)
{
    return most() > (rlim_t)lowest + count;
}

/* The lowest that is free, or -1. `open` is any that is not. */
static int find_lowest(int open)
{
    int lowest = fcntl(open, F_DUPFD_CLOEXEC, 0);

    if (lowest >= 0) {
        (void)close(lowest);
    }
    return lowest;
}

static void complain(struct ni_log_limit *limit, const char *what)
{
    char parameter[96];

    ni_config_name("ucx_descriptors", parameter, sizeof(parameter));
    ni_log_limited(limit, NI_LOG_ERROR,
                   "ucx: %s: all but a few of the %llu file descriptors that this process may have "
                   "are in use, and a connection takes one. Raise the hard limit (ulimit -Hn), and "
                   "%s if that is lower",
                   what, (unsigned long long)most(), parameter);
}

bool ni_ucx_may_connect(const struct ni_ucx_link *link)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    int lowest = find_lowest(link->rouse_fd);

    if (lowest >= 0 && are_left(lowest, RESERVE)) {
        return true;
    }
    complain(&limit, "a peer on another host cannot be reached");
    return false;
}

/* ---- those who call us ----------------------------------------------------------------------- */

/* A listening socket that is shut. Its descriptor may be somebody else's by the time it is
 * opened. */
struct door {
    int fd;
    struct sockaddr_storage name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct door doors[DOORS];
static _Atomic unsigned shut; /* of them; polls look at it without the lock */

static bool socket_name(int fd, struct sockaddr_storage *name)
{
    socklen_t len = sizeof(*name);

    memset(name, 0, sizeof(*name));
    return getsockname(fd, (struct sockaddr *)name, &len) == 0;
}

static bool listens_as(int fd, const struct sockaddr_storage *name)
{
    struct sockaddr_storage own;
    int listens = 0;
    socklen_t len = sizeof(listens);

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens != 0 &&
           socket_name(fd, &own) && memcmp(&own, name, sizeof(own)) == 0;
}

/* Where a connection came in. */
static bool find_door(int accepted, struct door *door)
{
    if (!socket_name(accepted, &door->name)) {
        return false;
    }
    for (door->fd = 0; door->fd < accepted; door->fd++) {
        if (listens_as(door->fd, &door->name)) {
            return true;
        }
    }
    return false;
}

/* With the lock, as all that looks at doors. */
static bool is_shut(const struct door *door)
{
    for (unsigned i = 0; i < atomic_load_explicit(&shut, memory_order_relaxed); i++) {
        if (doors[i].fd == door->fd &&
            memcmp(&doors[i].name, &door->name, sizeof(door->name)) == 0) {
            return true;
        }
    }
    return false;
}

static bool shut_door(const struct door *door)
{
    static struct sock_filter nothing[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
    static const struct sock_fprog drop = {1, nothing};
    unsigned count = atomic_load_explicit(&shut, memory_order_relaxed);

    if (count == DOORS ||
        setsockopt(door->fd, SOL_SOCKET, SO_ATTACH_FILTER, &drop, sizeof(drop)) != 0) {
        return false;
    }
    doors[count] = *door;
    atomic_store_explicit(&shut, count + 1, memory_order_relaxed);
    return true;
}

static bool turn_away(int accepted)
{
    struct door door;
    int fd;

    if (!find_door(accepted, &door) || (!is_shut(&door) && !shut_door(&door))) {
        return false;
    }
    while ((fd = accept4(door.fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        (void)close(fd);
    }
    return true;
}

void ni_ucx_called(int fd)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    int none = 0;
    bool away;

    /* It has the filter, too, if the kernel made it just when that was attached. */
    (void)setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof(none));
    if (are_left(fd, FEW)) {
        return;
    }
    pthread_mutex_lock(&lock);
    away = turn_away(fd);
    pthread_mutex_unlock(&lock);
    if (away) {
        complain(&limit, "nobody more can connect to this process for now");
    }
}

void ni_ucx_open_doors(const struct ni_ucx_link *link)
{
    int lowest, none = 0;

    if (atomic_load_explicit(&shut, memory_order_relaxed) == 0) {
        return;
    }
    lowest = find_lowest(link->rouse_fd);
    if (lowest < 0 || !are_left(lowest, ENOUGH)) {
        return;
    }
    pthread_mutex_lock(&lock);
    for (unsigned i = atomic_load_explicit(&shut, memory_order_relaxed); i-- > 0;) {
        if (listens_as(doors[i].fd, &doors[i].name)) {
            (void)setsockopt(doors[i].fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof(none));
        }
    }
    atomic_store_explicit(&shut, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}
