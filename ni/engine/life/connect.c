/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <apeni/log.h>
#include <apeni/ni.h>

#include "base/alloc.h"
#include "engine/core/deferred.h"
#include "engine/core/links.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/faults.h"
#include "engine/drive/peer_down.h"
#include "engine/life/life.h"

/* From an address blob to a peer. */

bool ni_reachable(const struct ni *ni, const void *blob, size_t len, char *reason,
                  size_t reason_size)
{
    char unused[1];
    struct ni_route route;

    if (reason == NULL || reason_size == 0) {
        reason = unused;
        reason_size = sizeof(unused);
    }
    if (ni->forked) {
        snprintf(reason, reason_size, "%s", ni_status_text(NI_ERR_FORKED));
        return false;
    }
    return ni_links_route(ni, blob, len, &route, reason, reason_size) == NI_OK;
}

/* ---- what needs the progress lock, of calls that do not wait for it -------------------------- */

struct ni_peer_deferred {
    struct ni_deferred_call deferred;
    struct ni_peer *peer;
    ni_gone_fn gone;
    void *arg;
};

static ni_status do_in_turn(struct ni_peer *peer,
                            bool (*run)(struct ni *, struct ni_deferred_call *), ni_gone_fn gone,
                            void *arg)
{
    struct ni_peer_deferred *task = ni_calloc(1, sizeof(*task));

    if (task == NULL) {
        return NI_ERR_NOMEM;
    }
    task->deferred.run = run;
    task->peer = peer;
    task->gone = gone;
    task->arg = arg;
    ni_deferred_call_do(peer->ni, &task->deferred);
    return NI_OK;
}

/* ---- connect --------------------------------------------------------------------------------- */

static bool run_death(struct ni *ni, struct ni_deferred_call *deferred)
{
    struct ni_peer_deferred *task = ni_container_of(deferred, struct ni_peer_deferred, deferred);

    ni_peer_down(ni, task->peer, NI_ERR_PEER_DEAD);
    ni_free(task);
    return true;
}

/* Who calls may hold a lock that a callback waits for: so it takes the peer's lock and the NI's,
 * never the progress lock. */
ni_status ni_connect(struct ni *ni, const void *blob, size_t len, struct ni_peer **connected)
{
    char reason[256] = "";
    struct ni_peer *peer;
    struct ni_route route;
    ni_status status = ni->closing ? NI_ERR_CLOSED : ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    status = ni_links_route(ni, blob, len, &route, reason, sizeof(reason));
    if (status != NI_OK) {
        ni_log(NI_LOG_INFO, "cannot connect: %s", reason);
        return status;
    }
    status = ni_peer_get(ni, route.link, route.part, route.len, &peer);
    if (status != NI_OK) {
        return status;
    }
    ni_lock_take(&peer->lock, ni->threads);
    status = ni_peer_endpoint(peer);
    ni_lock_give(&peer->lock, ni->threads);
    if (status == NI_ERR_PEER_DEAD && do_in_turn(peer, run_death, NULL, NULL) != NI_OK) {
        return NI_ERR_NOMEM;
    }
    if (status == NI_OK || status == NI_ERR_PEER_DEAD) {
        ni_lock_take(&ni->lock, ni->threads);
        peer->core.references++;
        ni_lock_give(&ni->lock, ni->threads);
        ni_faults_meet(ni, peer, blob, len);
        *connected = peer;
    }
    return status;
}

/* ---- disconnect ------------------------------------------------------------------------------ */

static bool is_last(struct ni *ni, struct ni_peer *peer, bool forget)
{
    bool last;

    ni_lock_take(&ni->lock, ni->threads);
    last = peer->core.references != 0 && --peer->core.references == 0;
    if (last) {
        atomic_store_explicit(&peer->core.forgotten, forget, memory_order_relaxed);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return last;
}

/* The peer may go on sending to us: what it sends is still understood and answered, so the struct
 * stays, and what waits for it is still sent. */
static void let_go(struct ni *ni, struct ni_peer *peer, bool forget)
{
    bool taken;

    if (ni_usable(ni) != NI_OK) {
        return;
    }
    taken = ni_progress_lock_take(ni);
    ni_peers_walk(ni);
    if (is_last(ni, peer, forget)) {
        ni_peer_complete_all(peer, NI_ERR_CANCELED);
    }
    ni_peers_walked(ni);
    if (forget && ni->depth == 0) {
        ni_peers_sever(ni);
    } else if (forget) {
        ni->untidy |= NI_UNTIDY_PEERS;
    }
    ni_progress_lock_give(ni, taken);
}

void ni_disconnect(struct ni *ni, struct ni_peer *peer)
{
    let_go(ni, peer, false);
}

void ni_forget(struct ni *ni, struct ni_peer *peer)
{
    let_go(ni, peer, true);
}

static bool run_leave(struct ni *ni, struct ni_deferred_call *deferred)
{
    struct ni_peer_deferred *task = ni_container_of(deferred, struct ni_peer_deferred, deferred);
    ni_gone_fn gone = task->gone;
    void *arg = task->arg;

    if (ni->depth > 1) {
        /* In a poll of a callback, which may be of such an operation. */
        ni_deferred_call_add(ni, deferred);
        return false;
    }
    let_go(ni, task->peer, false);
    ni_free(task);
    if (gone != NULL) {
        gone(arg);
    }
    return true;
}

ni_status ni_leave(struct ni *ni, struct ni_peer *peer, ni_gone_fn gone, void *arg)
{
    ni_status status = ni_usable(ni);

    return status != NI_OK ? status : do_in_turn(peer, run_leave, gone, arg);
}
