/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/ucx/newcomers.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "link/ucx/ucx.h"

/* Who has not asked for anything by then does so by another connection. To look takes a call of the
 * kernel, which each poll would pay. */
#define APPLY_NS UINT64_C(2000000000)

struct newcomer {
    const void *ep; /* of UCX; NULL: none */
    uint64_t since; /* ns: accepted, or an applicant */
    ino_t socket;   /* the descriptor may be somebody else's before we hear that it was closed */
    bool told;
    bool applies;
    char who[NI_UCX_WHO]; /* its host and port; of an applicant, UCX's name for the connection */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct newcomer *newcomers; /* by descriptor */
static int newcomer_count;
static _Atomic unsigned applicants; /* of them; polls look at it without the lock */
static unsigned crossings; /* connections of ours that may be crossed or were, less those seen */

static bool make_newcomer_room(int fd)
{
    int count = 64;
    struct newcomer *more;

    if (fd < newcomer_count) {
        return true;
    }
    while (count <= fd) {
        count *= 2;
    }
    more = ni_realloc(newcomers, (size_t)count * sizeof(*more));
    if (more == NULL) {
        return false;
    }
    memset(more + newcomer_count, 0, (size_t)(count - newcomer_count) * sizeof(*more));
    newcomers = more;
    newcomer_count = count;
    return true;
}

static ino_t socket_of(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 ? about.st_ino : 0;
}

static void clear_newcomer(struct newcomer *newcomer)
{
    newcomer->ep = NULL;
    if (newcomer->applies) {
        newcomer->applies = false;
        (void)atomic_fetch_sub_explicit(&applicants, 1, memory_order_relaxed);
    }
}

void ni_ucx_newcomer_note(int fd, const void *ep, const char *host)
{
    pthread_mutex_lock(&lock);
    if (fd >= 0 && make_newcomer_room(fd)) {
        clear_newcomer(&newcomers[fd]);
        newcomers[fd] = (struct newcomer){.ep = ep, .since = ni_now_ns(), .socket = socket_of(fd)};
        snprintf(newcomers[fd].who, sizeof(newcomers[fd].who), "%s", host);
    }
    pthread_mutex_unlock(&lock);
}

static struct newcomer *find_newcomer(const void *ep)
{
    for (int fd = 0; fd < newcomer_count; fd++) {
        if (newcomers[fd].ep == ep) {
            return &newcomers[fd];
        }
    }
    return NULL;
}

bool ni_ucx_newcomer_forget(const void *ep, char *host, size_t size)
{
    struct newcomer *newcomer;
    bool silent;

    pthread_mutex_lock(&lock);
    newcomer = find_newcomer(ep);
    silent = newcomer != NULL && !newcomer->applies;
    if (newcomer != NULL) {
        snprintf(host, size, "%s", newcomer->who);
        clear_newcomer(newcomer);
    }
    pthread_mutex_unlock(&lock);
    return silent;
}

void ni_ucx_newcomer_applies(const void *ep, const char *name)
{
    struct newcomer *newcomer;

    pthread_mutex_lock(&lock);
    newcomer = find_newcomer(ep);
    if (newcomer != NULL && !newcomer->applies) {
        newcomer->applies = true;
        newcomer->since = ni_now_ns();
        (void)atomic_fetch_add_explicit(&applicants, 1, memory_order_relaxed);
        snprintf(newcomer->who, sizeof(newcomer->who), "%s", name);
    }
    pthread_mutex_unlock(&lock);
}

void ni_ucx_newcomer_accept(const char *name)
{
    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < newcomer_count; fd++) {
        if (newcomers[fd].applies && strcmp(newcomers[fd].who, name) == 0) {
            clear_newcomer(&newcomers[fd]);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- connections that cross ------------------------------------------------------------------ */

void ni_ucx_crossing_add(void)
{
    pthread_mutex_lock(&lock);
    crossings++;
    pthread_mutex_unlock(&lock);
}

bool ni_ucx_crossing_take(void)
{
    bool found;

    pthread_mutex_lock(&lock);
    found = crossings != 0;
    crossings -= found;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- those who stay silent ------------------------------------------------------------------- */

/* One that has said nothing for so long, once. */
static bool find_silent(uint64_t before, char *host, size_t size)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < newcomer_count && !found; fd++) {
        if (newcomers[fd].ep != NULL && !newcomers[fd].told && !newcomers[fd].applies &&
            newcomers[fd].since < before) {
            found = newcomers[fd].told = true;
            snprintf(host, size, "%s", newcomers[fd].who);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void ni_ucx_look_for_strangers(uint64_t now, uint64_t timeout_s)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    uint64_t timeout = timeout_s * UINT64_C(1000000000);
    char host[NI_UCX_WHO];

    while (now > timeout && find_silent(now - timeout, host, sizeof(host))) {
        ni_log_limited(
            &limit, NI_LOG_WARN,
            "ucx: %s connected %llu s ago and has not greeted since as UCX does. It is nobody of "
            "this job unless one of its processes does not get to run, and holds a file descriptor "
            "of this one. If this repeats, name a network that is yours alone in the environment "
            "variable UCX_NET_DEVICES",
            host, (unsigned long long)timeout_s);
    }
}

/* ---- applicants ------------------------------------------------------------------------------ */

static bool has_socket_ended(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLRDHUP};

    return poll(&look, 1, 0) > 0;
}

static void drop_what_came(int fd)
{
    char bytes[4096];

    while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
        continue;
    }
}

static void look_at_newcomer(struct newcomer *newcomer, int fd, uint64_t now)
{
    if (has_socket_ended(fd) && socket_of(fd) == newcomer->socket) {
        drop_what_came(fd);
    } else if (now - newcomer->since > APPLY_NS) {
        clear_newcomer(newcomer);
    }
}

void ni_ucx_look_for_the_dead(void)
{
    uint64_t now;

    if (atomic_load_explicit(&applicants, memory_order_relaxed) == 0) {
        return;
    }
    pthread_mutex_lock(&lock);
    now = ni_now_ns();
    for (int fd = 0; fd < newcomer_count; fd++) {
        if (newcomers[fd].applies) {
            look_at_newcomer(&newcomers[fd], fd, now);
        }
    }
    pthread_mutex_unlock(&lock);
}
