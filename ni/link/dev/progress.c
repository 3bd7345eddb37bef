/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "link/dev/dev.h"

/*
 * Polling: events, then peers of which something is under way, now and then all of them, then
 * whatever needs the engine. Sleeping: on the device, which is readable when there are events, and
 * on a descriptor of ours, with which any thread ends the sleep.
 */

enum {
    EVENTS = 64, /* in one poll */
    POLLS_PER_CLOCK = 64,
    SLEEP_MAX_US = 10000, /* peers are watched */
    EMPTY_POLLS = 8,      /* without an event: the card may be waiting for this core */
    POLLS_PER_YIELD = 4,
    CROWDED_NS = 300000, /* a yield that takes longer: others want the core for long */
    NAP_NS = 20000,      /* then we sleep so long, since who wakes runs before them ... */
    CROWDED_NAPS = 100,  /* ... so many times */
};

/* ---- polling --------------------------------------------------------------------------------- */

/* Whether nothing is left to be done for it until something is sent, or comes. */
static bool is_quiet(const struct ni_dev_peer *peer)
{
    return !peer->hellos && !peer->welcomes && !peer->dirty && !peer->repeat &&
           peer->look != NI_DEV_LOOK_WANTED && peer->sent == peer->committed &&
           peer->cleared == peer->high && peer->fetch_tail == peer->fetch_head;
}

static void look_at_peers(struct ni_dev_link *link)
{
    for (NI_LIST_EACH_SAFE(node, &link->moved)) {
        struct ni_dev_peer *peer = ni_container_of(node, struct ni_dev_peer, moved);

        ni_dev_wipe(peer);
        ni_dev_fill_state(peer); /* those who look see it at once */
        ni_dev_fetch(peer);
        ni_dev_join(peer);
        ni_dev_pump(peer);
        if (is_quiet(peer) || peer->refused) {
            ni_list_remove(&peer->moved);
        }
    }
}

void ni_dev_step(struct ni_dev_link *link)
{
    unsigned events = 0;

    if (!atomic_load_explicit(&link->gone, memory_order_relaxed)) {
        events = ni_dev_events(link, EVENTS);
    }
    link->far.base.found = events != 0;
    look_at_peers(link);
    if (--link->countdown == 0 || link->leaving) {
        link->countdown = POLLS_PER_CLOCK;
        ni_dev_watch(link);
    }
}

/* Whether the core is to be lent to others: what we wait for is done by a program of this host, the
 * card, which may have no other. */
static bool lends_core(struct ni_dev_link *link)
{
    link->empty_polls = link->far.base.found ? 0 : link->empty_polls + 1;
    return link->empty_polls >= EMPTY_POLLS && link->empty_polls % POLLS_PER_YIELD == 0 &&
           (link->client.features.features & APELINK_FEATURE_KERNEL) == 0;
}

/* Where a yield lasts, the next ones sleep. */
static void lend_core(struct ni_dev_link *link)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    unsigned naps = atomic_load_explicit(&link->naps, memory_order_relaxed);
    uint64_t begun = ni_now_ns();

    ni_stat_add(&link->stats->yields, 1);
    if (naps > 0) {
        (void)nanosleep(&nap, NULL);
        naps--;
    } else {
        (void)sched_yield();
        naps = ni_now_ns() - begun > CROWDED_NS ? CROWDED_NAPS : 0;
    }
    atomic_store_explicit(&link->naps, naps, memory_order_relaxed);
}

unsigned ni_dev_progress(struct ni_link *base)
{
    struct ni_dev_link *link = ni_dev_link_of(base);
    bool lends;

    pthread_mutex_lock(&link->far.lock);
    ni_dev_step(link);
    lends = lends_core(link);
    pthread_mutex_unlock(&link->far.lock);
    if (lends) {
        lend_core(link);
    }
    return atomic_load_explicit(&link->far.unsettled, memory_order_relaxed)
               ? ni_far_settle(&link->far)
               : 0;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

static bool has_events(struct ni_dev_link *link)
{
    const struct apelink_client *client = &link->client;

    return !atomic_load_explicit(&link->gone, memory_order_relaxed) &&
           __atomic_load_n(&client->doorbell->event_wr_ptr, __ATOMIC_ACQUIRE) !=
               client->event_rd_ptr;
}

bool ni_dev_arm(struct ni_link *base, bool (*has_work)(void *core))
{
    struct ni_dev_link *link = ni_dev_link_of(base);
    bool busy;

    pthread_mutex_lock(&link->far.lock);
    link->countdown = 1; /* time will have passed */
    busy = has_events(link);
    pthread_mutex_unlock(&link->far.lock);
    return !busy && !atomic_load_explicit(&link->far.unsettled, memory_order_relaxed) &&
           !has_work(link->far.core);
}

void ni_dev_sleep(struct ni_link *base, uint64_t timeout_us)
{
    struct ni_dev_link *link = ni_dev_link_of(base);
    struct pollfd fds[] = {{.fd = link->client.fd, .events = POLLIN},
                           {.fd = link->rouse_fd, .events = POLLIN}};
    uint64_t us = timeout_us < SLEEP_MAX_US ? timeout_us : SLEEP_MAX_US, count;
    struct timespec timeout = {.tv_nsec = (long)us * 1000};

    if (us != 0 && ppoll(fds, 2, &timeout, NULL) > 0 && fds[1].revents != 0) {
        (void)!read(link->rouse_fd, &count, sizeof(count));
    }
}

void ni_dev_wait(struct ni_link *base, uint64_t timeout_us, bool (*has_work)(void *core))
{
    if (ni_dev_arm(base, has_work)) {
        ni_dev_sleep(base, timeout_us);
    }
}

void ni_dev_rouse(struct ni_link *base)
{
    const uint64_t one = 1;

    (void)!write(ni_dev_link_of(base)->rouse_fd, &one, sizeof(one));
}

unsigned ni_dev_descriptors(struct ni_link *base, int fds[NI_LINK_DESCRIPTORS])
{
    const struct ni_dev_link *link = ni_dev_link_of(base);

    fds[0] = link->client.fd;
    fds[1] = link->rouse_fd;
    return 2;
}

void ni_dev_slept(struct ni_link *base)
{
    uint64_t count;

    (void)!read(ni_dev_link_of(base)->rouse_fd, &count, sizeof(count));
}

/* Those who are sent something hear it with that, and all others now. */
void ni_dev_wish(struct ni_link *base, uint32_t wishes)
{
    struct ni_dev_link *link = ni_dev_link_of(base);

    atomic_store_explicit(&link->wishes, wishes, memory_order_relaxed);
    pthread_mutex_lock(&link->far.lock);
    for (NI_LIST_EACH(node, &link->far.peers)) {
        struct ni_dev_peer *peer = ni_container_of(node, struct ni_dev_peer, far.list);

        if (peer->known && !peer->far.down) {
            peer->dirty = true;
            ni_dev_moved(peer);
            ni_dev_pump(peer);
        }
    }
    pthread_mutex_unlock(&link->far.lock);
}
