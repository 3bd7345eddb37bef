/* SPDX-License-Identifier: BSD-3-Clause */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "link/shm/shm.h"

/*
 * Polling: each poll looks at one line of our header; each 64th at the clock; each millisecond at
 * the socket; each peer_check_ms the kernel is asked who lives. All checks are made in the same
 * poll: for 128 peers it takes some 100 us. Some times in shm_keep_ms the memory of lanes is
 * reviewed that we send by: a few loads for each.
 *
 * Sleeping: the sleeper announces it, looks once more, and sleeps until it is woken or the time is
 * over. A sender that publishes a packet and then finds the announcement wakes it. There is no
 * fence between its two steps, which would cost every packet some 20 ns: so its load may come
 * before the announcement while the sleeper looks before the packet, and then the sleeper sleeps on
 * for the rest of its time. That is rare, and the time is short.
 *
 * Who sleeps on several links sleeps on descriptors, here that of the socket, and says so in the
 * announcement.
 */

enum {
    POLLS_PER_CLOCK = 64,
    POLLS_WHILE_ENDING = 8,
    TICK_NS = 1000 * 1000,
    REVIEWS = 16,             /* of lanes' memory in shm_keep_ms */
    SLEEP_MAX_US = 20 * 1000, /* others may wait for us to answer on the socket */
};

void ni_shm_count_memory(struct ni_shm_link *link)
{
    ni_stat_set(&link->stats->shm_bytes, ni_shm_file_held(link->segment));
}

static uint64_t check_interval(const struct ni_shm_link *link)
{
    return link->config->peer_check_ms * UINT64_C(1000000);
}

/* What the clock brings. */
static void look_at_clock(struct ni_shm_link *link)
{
    uint64_t now = ni_now_ns();

    if (now < link->next_tick && link->endings == 0) {
        return;
    }
    link->next_tick = now + TICK_NS;
    ni_shm_park_quiet(link);
    ni_shm_socket_poll(link);
    if (atomic_load_explicit(&link->connecting, memory_order_relaxed) != 0) {
        ni_shm_connect_poll(link, now);
    }
    if (link->config->shm_keep_ms != 0 && now >= link->next_review) {
        link->next_review = now + link->config->shm_keep_ms * UINT64_C(1000000) / REVIEWS;
        link->core_ops->review(link->core, now);
    }
    if (now >= link->next_check) {
        link->next_check = now + check_interval(link);
        ni_shm_watch(link, true);
        ni_shm_count_memory(link); /* senders that have left give theirs back */
    }
    link->core_ops->tick(link->core, now);
}

unsigned ni_shm_tick(struct ni_shm_link *link, bool due)
{
    unsigned events = ni_shm_receive(link);
    /* Acquire: pairs with the release stores in ni_shm_attention and ni_shm_break. */
    bool called = atomic_exchange_explicit(&link->header->attention, 0, memory_order_acquire) != 0;
    bool trouble = atomic_exchange_explicit(&link->trouble, 0, memory_order_acquire) != 0;

    if (called || trouble) {
        ni_shm_watch(link, false);
    }
    if (atomic_load_explicit(&link->header->bells, memory_order_relaxed) != 0) {
        ni_shm_answer_bells(link);
    }
    if (due) {
        look_at_clock(link);
        link->countdown = POLLS_PER_CLOCK;
    }
    if (link->endings != 0) {
        ni_shm_end_poll(link, ni_now_ns());
        link->countdown = POLLS_WHILE_ENDING;
    }
    return events;
}

void ni_shm_wake(struct ni_ep *ep)
{
    struct ni_shm_segment *segment =
        atomic_load_explicit(&ni_shm_peer_of(ep)->segment, memory_order_relaxed);

    ni_shm_ring(ni_shm_peer_of(ep));
    if (segment != NULL) {
        ni_shm_segment_wake(segment);
    }
}

void ni_shm_wish(struct ni_link *base, uint32_t wishes)
{
    struct ni_shm_link *link = ni_shm_link_of(base);

    atomic_store_explicit(&link->header->wishes, wishes, memory_order_relaxed);
}

static bool anything(struct ni_shm_link *link)
{
    return link->retry || ni_shm_parked_have(link) ||
           atomic_load_explicit(&link->header->bells, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&link->header->posted, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&link->header->attention, memory_order_relaxed) != 0;
}

bool ni_shm_arm(struct ni_link *base, bool (*has_work)(void *core))
{
    struct ni_shm_link *link = ni_shm_link_of(base);
    _Atomic uint32_t *word = &link->header->sleeping;

    ni_shm_announce_sleep(link);
    /* Sequentially consistent, against the loads that follow. */
    atomic_store_explicit(word, (uint32_t)link->sleeps, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    /* Time will have passed: look at the clock, and, if that wakes us, at the socket. */
    link->countdown = 1;
    if (link->sleeps == NI_SHM_SLEEPS_ON_SOCKET) {
        link->next_tick = 0;
    }
    if (anything(link) || has_work(link->core)) {
        atomic_store_explicit(word, 0, memory_order_relaxed);
        return false;
    }
    return true;
}

void ni_shm_sleep(struct ni_link *base, uint64_t timeout_us)
{
    _Atomic uint32_t *word = &ni_shm_link_of(base)->header->sleeping;
    uint64_t us = timeout_us < SLEEP_MAX_US ? timeout_us : SLEEP_MAX_US;
    struct timespec timeout = {.tv_sec = 0, .tv_nsec = (long)us * 1000};

    if (us != 0) {
        (void)syscall(SYS_futex, word, FUTEX_WAIT, 1, &timeout, NULL, 0);
    }
    atomic_store_explicit(word, 0, memory_order_relaxed);
}

unsigned ni_shm_descriptors(struct ni_link *base, int fds[NI_LINK_DESCRIPTORS])
{
    struct ni_shm_link *link = ni_shm_link_of(base);

    if (link->socket < 0) {
        return 0;
    }
    link->sleeps = NI_SHM_SLEEPS_ON_SOCKET;
    fds[0] = link->socket;
    return 1;
}

void ni_shm_slept(struct ni_link *base)
{
    atomic_store_explicit(&ni_shm_link_of(base)->header->sleeping, 0, memory_order_relaxed);
}

void ni_shm_rouse(struct ni_link *base)
{
    ni_shm_segment_wake(ni_shm_link_of(base)->segment);
}

void ni_shm_wait(struct ni_link *base, uint64_t timeout_us, bool (*has_work)(void *core))
{
    if (ni_shm_arm(base, has_work)) {
        ni_shm_sleep(base, timeout_us);
    }
}
