/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "base/clock.h"
#include "base/log.h"
#include "link/ucx/ucx.h"

/*
 * Links that are closed, and whose peers have yet to read what they sent. A socket that is closed
 * with something in it unread is reset, and the peer may lose what it had not read: that we said
 * bye. So a link stays until each peer has answered, and nothing can be under way to it. Peers of
 * the same process answer when they are polled, so other links poll those that linger; the last one
 * waits.
 */

#define LINGER_NS  UINT64_C(6000000000) /* more than a peer is given to answer */
#define CONNECT_NS UINT64_C(1000000000) /* for those who are connecting */
#define LOOK_NS    UINT64_C(1000000)    /* from one look at the sockets to the next */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ni_list links = {&links, &links};
static _Atomic unsigned lingering;
static struct ni_stats nowhere; /* what is counted of a link whose NI is gone */

/* UCX 1.13 aborts the process if its worker is destroyed while the answer to somebody who connects
 * waits to be sent. A peer that has connected and said hello has been answered, and sent away. To
 * look takes a walk through files of /proc, which each poll of another link would pay. */
static bool is_calm(struct ni_ucx_link *link, uint64_t now)
{
    if (!ni_list_empty(&link->graves) || now < link->next_look) {
        return false;
    }
    link->next_look = now + LOOK_NS;
    return !ni_ucx_has_connections(link);
}

static bool is_late(struct ni_ucx_link *link)
{
    return ni_ucx_watched(link) - link->closed_at >
           (ni_list_empty(&link->graves) ? CONNECT_NS : LINGER_NS);
}

/* Somebody who connected says nothing, and may be stopped: what UCX has of the link stays until the
 * process ends. */
static void abandon(struct ni_ucx_link *link)
{
    ni_log(NI_LOG_DEBUG,
           "ucx: a link that is closed cannot be freed: a peer connects and does not end that");
    ni_ucx_library_keep();
    ni_list_remove(&link->linger);
}

/* With the lock. */
static void poll_lingering(void)
{
    uint64_t now = ni_now_ns();

    for (NI_LIST_EACH_SAFE(node, &links)) {
        struct ni_ucx_link *link = ni_container_of(node, struct ni_ucx_link, linger);

        (void)ni_ucx_step(link);
        ni_ucx_graves(link);
        if (is_calm(link, now)) {
            ni_list_remove(&link->linger);
            ni_ucx_link_free(link);
        } else if (is_late(link)) {
            abandon(link);
        } else {
            continue;
        }
        (void)atomic_fetch_sub_explicit(&lingering, 1, memory_order_relaxed);
    }
}

void ni_ucx_linger_poll(void)
{
    if (atomic_load_explicit(&lingering, memory_order_relaxed) != 0 &&
        pthread_mutex_trylock(&lock) == 0) {
        poll_lingering();
        pthread_mutex_unlock(&lock);
    }
}

/* Whether every link of the process is closed: nobody will poll. */
static bool nobody_is_left(void)
{
    unsigned waiting = atomic_load_explicit(&lingering, memory_order_relaxed);

    return waiting != 0 && ni_ucx_library_users() == waiting;
}

void ni_ucx_linger(struct ni_ucx_link *link)
{
    link->stats = &nowhere;
    link->closed_at = ni_ucx_watched(link);
    link->next_look = 0;
    pthread_mutex_lock(&lock);
    ni_list_push_back(&links, &link->linger);
    (void)atomic_fetch_add_explicit(&lingering, 1, memory_order_relaxed);
    poll_lingering();
    pthread_mutex_unlock(&lock);
    while (nobody_is_left()) {
        (void)sched_yield();
        ni_ucx_linger_poll();
    }
}
