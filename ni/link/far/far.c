/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "link/far/far.h"

void ni_far_init(struct ni_far_link *link, const struct ni_link_ops *link_ops,
                 const struct ni_far_ops *ops, const struct ni_link_attr *attr)
{
    link->base.ops = link_ops;
    link->ops = ops;
    link->core_ops = attr->core_ops;
    link->core = attr->core;
    ni_list_init(&link->peers);
    pthread_mutex_init(&link->lock, NULL);
}

size_t ni_far_blob(const void *own, size_t len, void *blob, size_t size)
{
    if (size < len) {
        return 0;
    }
    memcpy(blob, own, len);
    return len;
}

struct ni_long_way ni_far_way(const struct ni_ep *ep)
{
    (void)ep;
    return (struct ni_long_way){"by packets", NULL};
}

/* ---- the engine's part ----------------------------------------------------------------------- */

ni_status ni_far_hold(struct ni_far_peer *peer, struct ni_ep *ep, struct ni_peer *core)
{
    if (peer->held) {
        return NI_ERR_EXISTS;
    }
    peer->core = core;
    ep->peer = core;
    peer->held = true;
    return NI_OK;
}

static void far_lane_remove(struct ni_far_link *link, struct ni_far_peer *peer)
{
    if (peer->announced) {
        link->core_ops->lane_remove(link->core, link->ops->lane(peer));
        peer->announced = false;
    }
}

void ni_far_leave(struct ni_far_link *link, struct ni_far_peer *peer, const struct ni_ep *ep)
{
    far_lane_remove(link, peer);
    pthread_mutex_lock(&link->lock);
    peer->held = false;
    peer->down = true;
    peer->broke |= ep->broke;
    link->ops->gone(peer, NI_FAR_LEFT);
    pthread_mutex_unlock(&link->lock);
}

void ni_far_end(struct ni_far_link *link, struct ni_far_peer *peer, ni_status status, uint64_t now)
{
    int was = NI_OK;

    if (atomic_compare_exchange_strong_explicit(&peer->ending, &was, status, memory_order_relaxed,
                                                memory_order_relaxed)) {
        peer->ending_ns = now;
        ni_far_unsettle(link);
    } else if (was == NI_ERR_PEER_CLOSED && status == NI_ERR_PROTOCOL) {
        atomic_store_explicit(&peer->ending, status, memory_order_relaxed); /* not all has come */
    }
}

/* ---- what needs the engine ------------------------------------------------------------------- */

enum due { DUE_NOTHING, DUE_ACCEPT, DUE_LANE, DUE_END };

static enum due far_due(struct ni_far_link *link, struct ni_far_peer *peer)
{
    if (peer->down) {
        return DUE_NOTHING;
    }
    if (peer->core == NULL && link->ops->known(peer)) {
        return DUE_ACCEPT;
    }
    if (!peer->announced && peer->core != NULL && ni_far_ending(peer) != NI_ERR_PROTOCOL &&
        link->ops->lane(peer) != NULL) {
        return DUE_LANE;
    }
    if (ni_far_ending(peer) == NI_OK) {
        return DUE_NOTHING;
    }
    if (!peer->announced || link->ops->is_read(peer)) {
        return DUE_END;
    }
    ni_far_unsettle(link);
    return DUE_NOTHING;
}

static struct ni_far_peer *far_next_due(struct ni_far_link *link, enum due *what)
{
    struct ni_far_peer *found = NULL;

    pthread_mutex_lock(&link->lock);
    for (NI_LIST_EACH(node, &link->peers)) {
        struct ni_far_peer *peer = ni_container_of(node, struct ni_far_peer, list);

        *what = far_due(link, peer);
        if (*what != DUE_NOTHING) {
            found = peer;
            break;
        }
    }
    pthread_mutex_unlock(&link->lock);
    return found;
}

static void far_gone(struct ni_far_link *link, struct ni_far_peer *peer, enum ni_far_gone how)
{
    pthread_mutex_lock(&link->lock);
    peer->down = true;
    link->ops->gone(peer, how);
    pthread_mutex_unlock(&link->lock);
}

static void far_accept(struct ni_far_link *link, struct ni_far_peer *peer)
{
    size_t len;
    const void *blob = link->ops->blob(peer, &len);
    struct ni_peer *core = link->core_ops->accept(link->core, &link->base, blob, len);

    if (core == NULL) {
        far_gone(link, peer, NI_FAR_REFUSED);
        return;
    }
    pthread_mutex_lock(&link->lock);
    if (peer->core == NULL) { /* the engine may have connected just now */
        peer->core = core;
    }
    pthread_mutex_unlock(&link->lock);
}

static bool far_lane_add(struct ni_far_link *link, struct ni_far_peer *peer)
{
    struct ni_lane_rx *lane = link->ops->lane(peer);

    lane->peer = peer->core;
    peer->announced = link->core_ops->lane_add(link->core, lane) == NI_OK;
    return peer->announced;
}

static void far_tell(struct ni_far_link *link, struct ni_far_peer *peer)
{
    struct ni_peer *core = peer->core;
    ni_status status = ni_far_ending(peer);

    far_lane_remove(link, peer);
    peer->broke = status == NI_ERR_PROTOCOL;
    far_gone(link, peer, NI_FAR_ENDED);
    if (core != NULL) {
        link->core_ops->peer_down(link->core, core, status);
    }
}

/* Each of these may call the user, who may do anything: the list is walked anew each time. */
unsigned ni_far_settle(struct ni_far_link *link)
{
    unsigned events = 0;
    struct ni_far_peer *peer;
    enum due what;

    atomic_store_explicit(&link->unsettled, false, memory_order_relaxed);
    while ((peer = far_next_due(link, &what)) != NULL) {
        if (what == DUE_ACCEPT) {
            far_accept(link, peer);
        } else if (what == DUE_END) {
            far_tell(link, peer);
        } else if (!far_lane_add(link, peer)) {
            ni_far_unsettle(link); /* no memory: later */
            break;
        }
        events++;
    }
    return events;
}
