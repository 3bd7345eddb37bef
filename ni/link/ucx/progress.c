/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "link/lane_inl.h"
#include "link/ucx/ucx.h"

/* Polling: UCX, then the lanes of peers of which something is under way, then whatever needs the
 * engine. */

enum {
    STEPS = 8, /* of UCX in one poll, as long as it finds something and nothing has arrived */
    POLLS_PER_CLOCK = 64,
};

#define GAP_NS   UINT64_C(2000000000)
#define BLINK_NS UINT64_C(100000000)

uint64_t ni_ucx_watched(struct ni_ucx_link *link)
{
    uint64_t now = ni_now_ns(), passed = now - link->watched_at;

    link->watched_at = now;
    link->watched_ns += passed < BLINK_NS ? passed : BLINK_NS;
    return link->watched_ns;
}

/* Messages are not lost; one that stays away while those behind it arrive is a broken peer. Not all
 * gaps are seen, nor the end of each: one at another position is another one, and has its own
 * time. */
static void look_for_gap(struct ni_ucx_peer *peer, uint64_t watched)
{
    const struct ni_ucx_in *in = peer->in;

    if (in == NULL || peer->far.down || in->high == in->rx.tail || peer->fetching != 0 ||
        in->rx.depth != 0 || ni_lane_has_packet(&in->rx)) {
        peer->gap_since = 0;
    } else if (peer->gap_since == 0 || peer->gap_at != in->rx.tail) {
        peer->gap_since = watched;
        peer->gap_at = in->rx.tail;
    } else if (watched - peer->gap_since > GAP_NS) {
        ni_stat_add(&peer->link->stats->rx_malformed, 1);
        ni_ucx_end(peer, NI_ERR_PROTOCOL);
    }
}

/* Whether nothing is left to be done for it until something is sent, or comes. */
static bool ucx_peer_is_quiet(const struct ni_ucx_peer *peer)
{
    const struct ni_ucx_out *out = peer->out;
    const struct ni_ucx_in *in = peer->in;

    return peer->slot_tail == peer->slot_head && peer->hellos == 0 &&
           (out == NULL || out->sent == out->committed) &&
           (in == NULL || in->cleared == in->high) && !peer->heard && !peer->far.broke;
}

/* watched: 0 where it is not known. */
static void look_at_peer(struct ni_ucx_peer *peer, uint64_t watched)
{
    ni_ucx_sent(peer);
    ni_ucx_consumed(peer);
    if (peer->hellos != 0) {
        ni_ucx_join(peer);
    }
    ni_ucx_pump(peer);
    if (peer->heard || peer->far.broke) {
        ni_ucx_answer(peer);
    }
    if (watched != 0) {
        look_for_gap(peer, watched);
    }
}

/* The time, if it was looked at, or 0. */
static uint64_t ucx_peers_look(struct ni_ucx_link *link)
{
    uint64_t watched = 0;

    if (--link->countdown == 0) {
        link->countdown = POLLS_PER_CLOCK;
        watched = ni_ucx_watched(link);
    }
    for (NI_LIST_EACH_SAFE(node, &link->moved)) {
        struct ni_ucx_peer *peer = ni_container_of(node, struct ni_ucx_peer, moved);

        look_at_peer(peer, watched);
        if (ucx_peer_is_quiet(peer)) {
            ni_list_remove(&peer->moved);
        }
    }
    if (watched != 0) {
        ni_ucx_look_for_silence(link, link->watched_at);
        ni_ucx_open_doors(link);
    }
    return watched != 0 ? link->watched_at : 0;
}

unsigned ni_ucx_step(struct ni_ucx_link *link)
{
    ni_ucx_look_for_the_dead();
    return ni_ucx.ucp_worker_progress(link->worker);
}

unsigned ni_ucx_progress(struct ni_link *base)
{
    struct ni_ucx_link *link = ni_ucx_link_of(base);
    unsigned steps = 0;
    uint64_t now;

    pthread_mutex_lock(&link->far.lock);
    link->arrived = false;
    link->polls++;
    while (steps < STEPS && !link->arrived && ni_ucx_step(link) != 0) {
        steps++;
    }
    link->far.base.found = steps != 0;
    if (!ni_list_empty(&link->late)) {
        ni_ucx_late(link);
    }
    now = ucx_peers_look(link);
    if (!ni_list_empty(&link->graves)) {
        ni_ucx_graves(link);
    }
    pthread_mutex_unlock(&link->far.lock);
    ni_ucx_linger_poll();
    if (NI_UNLIKELY(now != 0)) {
        link->far.core_ops->tick(link->far.core, now);
    }
    return atomic_load_explicit(&link->far.unsettled, memory_order_relaxed)
               ? ni_far_settle(&link->far)
               : 0;
}
