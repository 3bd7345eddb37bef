/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "link/ucx/ucx.h"

/*
 * Links that are closed, and whose peers have yet to read what they sent. A socket that is closed with
 * something in it unread is reset, and the peer may lose what it had not read: that we said bye. So a
 * link stays until each peer has answered, and nothing can be under way to it. Peers of the same
 * process answer when they are polled, so other links poll those that linger; the last one waits.
 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ni_list links = {&links, &links};
static _Atomic unsigned lingering;
static struct ni_stats nowhere; /* what is counted of a link whose NI is gone */

/* With the lock. */
static void poll_all(void)
{
    for (NI_LIST_EACH_SAFE(node, &links)) {
        struct ni_ucx_link *link = ni_container_of(node, struct ni_ucx_link, linger);

        (void)ni_ucx.ucp_worker_progress(link->worker);
        ni_ucx_graves(link);
        if (ni_list_empty(&link->graves)) {
            ni_list_remove(&link->linger);
            ni_ucx_link_free(link);
            (void)atomic_fetch_sub_explicit(&lingering, 1, memory_order_relaxed);
        }
    }
}

void ni_ucx_linger_poll(void)
{
    if (atomic_load_explicit(&lingering, memory_order_relaxed) != 0 &&
        pthread_mutex_trylock(&lock) == 0) {
        poll_all();
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
    pthread_mutex_lock(&lock);
    ni_list_push_back(&links, &link->linger);
    (void)atomic_fetch_add_explicit(&lingering, 1, memory_order_relaxed);
    poll_all();
    pthread_mutex_unlock(&lock);
    while (nobody_is_left()) {
        (void)sched_yield();
        ni_ucx_linger_poll();
    }
}
