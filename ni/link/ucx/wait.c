/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "link/ucx/ucx.h"

/*
 * Sleeping on two descriptors: that of UCX's worker, which is armed, and one of ours, with which
 * any thread ends the sleep.
 */

static bool arm_worker(struct ni_ucx_link *link)
{
    ucs_status_t status;

    pthread_mutex_lock(&link->far.lock);
    status = ni_ucx.ucp_worker_arm(link->worker);
    pthread_mutex_unlock(&link->far.lock);
    return status == UCS_OK; /* otherwise something has arrived */
}

bool ni_ucx_arm(struct ni_link *base, bool (*has_work)(void *core))
{
    struct ni_ucx_link *link = ni_ucx_link_of(base);

    link->countdown = 1; /* time will have passed */
    return !atomic_load_explicit(&link->far.unsettled, memory_order_relaxed) &&
           atomic_load_explicit(&link->late_count, memory_order_relaxed) == 0 &&
           !has_work(link->far.core) && arm_worker(link);
}

void ni_ucx_sleep(struct ni_link *base, uint64_t timeout_us)
{
    struct ni_ucx_link *link = ni_ucx_link_of(base);
    struct pollfd fds[] = {{.fd = link->event_fd, .events = POLLIN},
                           {.fd = link->rouse_fd, .events = POLLIN}};
    struct timespec timeout = {.tv_sec = (time_t)(timeout_us / 1000000),
                               .tv_nsec = (long)(timeout_us % 1000000) * 1000};
    uint64_t count;

    if (timeout_us != 0 && ppoll(fds, 2, &timeout, NULL) > 0 && fds[1].revents != 0) {
        (void)!read(link->rouse_fd, &count, sizeof(count));
    }
}

void ni_ucx_wait(struct ni_link *base, uint64_t timeout_us, bool (*has_work)(void *core))
{
    if (ni_ucx_arm(base, has_work)) {
        ni_ucx_sleep(base, timeout_us);
    }
}

void ni_ucx_rouse(struct ni_link *base)
{
    const uint64_t one = 1;

    (void)!write(ni_ucx_link_of(base)->rouse_fd, &one, sizeof(one));
}

unsigned ni_ucx_descriptors(struct ni_link *base, int fds[NI_LINK_DESCRIPTORS])
{
    const struct ni_ucx_link *link = ni_ucx_link_of(base);

    fds[0] = link->event_fd;
    fds[1] = link->rouse_fd;
    return 2;
}

void ni_ucx_slept(struct ni_link *base)
{
    uint64_t count;

    (void)!read(ni_ucx_link_of(base)->rouse_fd, &count, sizeof(count));
}

/* Everything that is sent says it; those to whom nothing is sent hear it now. */
void ni_ucx_wish(struct ni_link *base, uint32_t wishes)
{
    struct ni_ucx_link *link = ni_ucx_link_of(base);

    atomic_store_explicit(&link->wishes, wishes, memory_order_relaxed);
    pthread_mutex_lock(&link->far.lock);
    for (NI_LIST_EACH(node, &link->far.peers)) {
        struct ni_ucx_peer *peer = ni_container_of(node, struct ni_ucx_peer, far.list);

        if (peer->their_token != 0 && !peer->said && ni_far_ending(&peer->far) == NI_OK) {
            (void)ni_ucx_tell(peer, NI_UCX_CREDIT, 0, 0, NULL, 0);
        }
    }
    pthread_mutex_unlock(&link->far.lock);
}
