/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "link/lane_inl.h"
#include "link/ucx/ucx.h"

/*
 * Packets that follow others at once. Over sockets each message of UCX is a call of the kernel, and
 * that takes twenty times as long as all else that a short packet costs. A program that sends many,
 * one right behind the other, before it polls again has them gathered: AT_ONCE leave by themselves,
 * which is as soon as can be for a request, or a header and what it announces; those behind them
 * wait for the next poll, or until enough have come together.
 *
 * The next poll may be far away, so a thread sends what has waited for ucx_gather_us. It is made
 * for the first packet that waits, and rests while none does. With the link's lock, where nothing
 * is said.
 */

enum {
    AT_ONCE = 2,
    GAP_NS = 10000, /* between packets of which the second follows at once */
    NS_PER_US = 1000,
    NS_PER_S = 1000000000,
};

/* ---- the thread ------------------------------------------------------------------------------ */

/* True: the link closes. */
static bool sleep_us(struct ni_ucx_link *link, uint64_t us)
{
    struct timespec until;
    uint64_t ns;
    int error = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    ns = (uint64_t)until.tv_nsec + us * NS_PER_US;
    until.tv_sec += (time_t)(ns / NS_PER_S);
    until.tv_nsec = (long)(ns % NS_PER_S);
    while (!link->gather.stop && error == 0) {
        error = pthread_cond_timedwait(&link->gather.moved, &link->far.lock, &until);
    }
    return link->gather.stop;
}

static void rest(struct ni_ucx_link *link)
{
    link->gather.rests = true;
    while (link->gather.rests && !link->gather.stop) {
        pthread_cond_wait(&link->gather.moved, &link->far.lock);
    }
}

static void send_gathered(struct ni_ucx_link *link)
{
    for (NI_LIST_EACH(node, &link->moved)) {
        struct ni_ucx_peer *peer = ni_container_of(node, struct ni_ucx_peer, moved);

        ni_ucx_pump(peer);
    }
}

static void *gather_main(void *arg)
{
    struct ni_ucx_link *link = arg;
    uint32_t seen, polls;

    pthread_mutex_lock(&link->far.lock);
    seen = link->gather.waited - 1;
    while (!link->gather.stop) {
        if (seen == link->gather.waited) {
            rest(link);
        }
        seen = link->gather.waited;
        polls = link->polls;
        if (!sleep_us(link, link->config->ucx_gather_us) && polls == link->polls) {
            send_gathered(link);
        }
    }
    pthread_mutex_unlock(&link->far.lock);
    return NULL;
}

/* Without it, nothing waits. */
static bool start_gatherer(struct ni_ucx_link *link)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&link->gather.thread, NULL, gather_main, link);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    link->gather.runs = error == 0;
    link->gather.fails = error != 0;
    if (error != 0) {
        ni_log_limited(
            &limit, NI_LOG_WARN,
            "ucx: packets to other hosts are not gathered, because there is no thread for it: %s; "
            "allow one more (ulimit -u), or set the parameter ucx_gather_us to 0",
            strerror(error));
        return false;
    }
    (void)pthread_setname_np(link->gather.thread, "apelink-gather");
    return true;
}

/* ---- the link's ------------------------------------------------------------------------------ */

void ni_ucx_gather_init(struct ni_ucx_link *link)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&link->gather.moved, &attr);
    pthread_condattr_destroy(&attr);
}

void ni_ucx_gather_end(struct ni_ucx_link *link)
{
    pthread_mutex_lock(&link->far.lock);
    link->gather.stop = true;
    pthread_cond_signal(&link->gather.moved);
    pthread_mutex_unlock(&link->far.lock);
    if (link->gather.runs) {
        (void)pthread_join(link->gather.thread, NULL);
    }
    pthread_cond_destroy(&link->gather.moved);
}

static bool is_bulk(const struct ni_ucx_out *out, uint32_t mask, uint32_t position)
{
    const struct ni_packet *packet =
        (const struct ni_packet *)(const void *)(out->ring + (size_t)(position & mask) * NI_LINE);

    return ni_packet_in_bulk(atomic_load_explicit(&packet->word0, memory_order_relaxed));
}

/* A program that does not poll, but does other things between its packets, has each leave at
 * once. */
static bool follows(const struct ni_ucx_peer *peer)
{
    return peer->polls == peer->link->polls && ni_now_ns() - peer->last_ns < GAP_NS;
}

void ni_ucx_left(struct ni_ucx_peer *peer)
{
    peer->last_ns = ni_now_ns();
}

bool ni_ucx_gather(struct ni_ucx_peer *peer, uint32_t committed)
{
    struct ni_ucx_link *link = peer->link;
    const struct ni_ucx_out *out = peer->out;
    uint32_t mask = peer->ep.tx.mask;

    if (!follows(peer)) {
        peer->polls = link->polls;
        peer->at_once = 0;
    }
    if (peer->at_once < AT_ONCE) {
        peer->at_once++;
        return false;
    }
    if (link->config->ucx_gather_us == 0 || link->leaving || link->gather.fails ||
        out->committed - out->sent >= ni_min_u64(NI_UCX_RUN, mask / 2) ||
        is_bulk(out, mask, committed) || (!link->gather.runs && !start_gatherer(link))) {
        return false;
    }
    peer->last_ns = ni_now_ns();
    link->gather.waited++;
    ni_stat_add(&link->stats->tx_gathered, 1);
    if (link->gather.rests) {
        link->gather.rests = false;
        pthread_cond_signal(&link->gather.moved);
    }
    return true;
}
