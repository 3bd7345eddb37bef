/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/inproc/inproc.h"
#include "link/lane_inl.h"

/*
 * Lanes that come and go, peers that close or die.
 *
 * What a peer sent before it closed or died is read first: its lane ends, and the engine hears
 * that the peer is down, when the lane is empty, or when its receiver has not moved in PATIENCE
 * looks, because it holds the sender back.
 */

enum { PATIENCE = 256 };

/* The endpoint behind another one (NULL: the first), or NULL. They go with the poller alone. */
static struct ni_inproc_ep *ep_after(struct ni_inproc_link *link, const struct ni_inproc_ep *ep)
{
    struct ni_list *node;

    pthread_mutex_lock(&link->lock);
    node = ep != NULL ? ep->list.next : link->eps.next;
    pthread_mutex_unlock(&link->lock);
    return node != &link->eps ? ni_container_of(node, struct ni_inproc_ep, list) : NULL;
}

static struct ni_inproc_ep *find_ep(struct ni_inproc_link *link, const struct ni_inproc_port *to)
{
    struct ni_inproc_ep *ep = ep_after(link, NULL);

    while (ep != NULL && ep->to != to) {
        ep = ep_after(link, ep);
    }
    return ep;
}

/* Whether two lanes are rails of one sender. */
static bool are_rails(const struct ni_inproc_lane *a, const struct ni_inproc_lane *b)
{
    return a->from == b->from && a->connection == b->connection;
}

/* One that a consumer on the stack reads from stays, until its sender, who learns it from the
 * others, has left. */
static void end_rails(struct ni_inproc_link *link, const struct ni_inproc_lane *lane,
                      ni_status status)
{
    for (NI_LIST_EACH_SAFE(node, &link->lanes)) {
        struct ni_inproc_lane *other = ni_container_of(node, struct ni_inproc_lane, list);

        if (other != lane && other->rx.depth == 0 && are_rails(other, lane)) {
            ni_inproc_lane_end(link, other, status);
        }
    }
}

void ni_inproc_fail(struct ni_inproc_link *link, struct ni_inproc_lane *lane, ni_status status)
{
    struct ni_inproc_ep *ep = find_ep(link, lane->from);
    struct ni_peer *peer = lane->rx.peer;
    bool reported = ep != NULL && ep->reported;

    end_rails(link, lane, status);
    ni_inproc_lane_end(link, lane, status);
    if (ep != NULL && !reported) {
        ep->reported = true;
        atomic_store_explicit(&ep->fate, status, memory_order_relaxed);
    }
    if (!reported) {
        link->core_ops->peer_down(link->core, peer, status);
    }
}

/* ---- lanes that come ----------------------------------------------------------------------- */

/* A sender that ended its last lane and made another one: first things first. */
static bool has_older(struct ni_inproc_link *link, const struct ni_inproc_lane *lane)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        const struct ni_inproc_lane *other = ni_container_of(node, struct ni_inproc_lane, list);

        if (other->from == lane->from && other->connection != lane->connection) {
            return true;
        }
    }
    return false;
}

static struct ni_inproc_lane *next_in_inbox(struct ni_inproc_port *port)
{
    struct ni_list *node;

    pthread_mutex_lock(&port->lock);
    node = ni_list_pop_front(&port->inbox);
    pthread_mutex_unlock(&port->lock);
    return node == NULL ? NULL : ni_container_of(node, struct ni_inproc_lane, list);
}

static void back_to_inbox(struct ni_inproc_port *port, struct ni_inproc_lane *lane)
{
    pthread_mutex_lock(&port->lock);
    ni_list_push_front(&port->inbox, &lane->list);
    pthread_mutex_unlock(&port->lock);
}

static unsigned take_inbox(struct ni_inproc_link *link)
{
    struct ni_inproc_lane *lane;
    unsigned events = 0;

    while ((lane = next_in_inbox(link->port)) != NULL) {
        if (has_older(link, lane) || ni_inproc_lane_take(link, lane) != NI_OK) {
            back_to_inbox(link->port, lane);
            link->unsettled = true;
            break;
        }
        events++;
    }
    return events;
}

/* ---- lanes that go ------------------------------------------------------------------------- */

/* Why no more will come on a lane than what is in it, or NI_OK. */
static ni_status sender_gone(const struct ni_inproc_lane *lane)
{
    /* Before the state: who disconnects and then closes has closed. G2 */
    bool gone = atomic_load_explicit(&lane->tx_gone, memory_order_acquire);
    ni_status status = ni_inproc_port_status(lane->from);

    return status == NI_OK && gone ? NI_ERR_PEER_CLOSED : status;
}

static bool is_lane_empty(const struct ni_inproc_lane *lane)
{
    return lane->wired ? ni_inproc_wire_empty(lane) : !ni_lane_has_packet(&lane->rx);
}

/* Whether its receiver has not moved for long. */
static bool is_stuck(struct ni_inproc_lane *lane)
{
    if (lane->last_tail != lane->rx.tail) {
        lane->last_tail = lane->rx.tail;
        lane->stuck = 0;
    }
    return ++lane->stuck > PATIENCE;
}

/* Whether nothing more is taken from a lane whose sender is gone. A consumer that is on the stack
 * reads from the lane's memory. */
static bool is_lane_over(struct ni_inproc_lane *lane)
{
    return lane->rx.depth == 0 && (is_lane_empty(lane) || is_stuck(lane));
}

/* Whether one of its sender's rails has not been taken yet: what it sent there comes first, too. */
static bool has_rails_in_inbox(const struct ni_inproc_link *link, const struct ni_inproc_lane *lane)
{
    struct ni_inproc_port *port = link->port;
    bool found = false;

    pthread_mutex_lock(&port->lock);
    for (NI_LIST_EACH(node, &port->inbox)) {
        found |= are_rails(ni_container_of(node, struct ni_inproc_lane, list), lane);
    }
    pthread_mutex_unlock(&port->lock);
    return found;
}

/* The first in the list speaks for all rails of a sender. */
static bool is_first_rail(const struct ni_inproc_link *link, const struct ni_inproc_lane *lane)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        const struct ni_inproc_lane *other = ni_container_of(node, struct ni_inproc_lane, list);

        if (are_rails(other, lane)) {
            return other == lane;
        }
    }
    return false;
}

/* Whether that is so for all rails of its sender. */
static bool all_are_over(struct ni_inproc_link *link, const struct ni_inproc_lane *lane)
{
    bool over = !has_rails_in_inbox(link, lane);

    for (NI_LIST_EACH(node, &link->lanes)) {
        struct ni_inproc_lane *other = ni_container_of(node, struct ni_inproc_lane, list);

        over &= !are_rails(other, lane) || is_lane_over(other);
    }
    return over;
}

/* Whether a packet was lost on one of them. */
static bool any_is_missing(struct ni_inproc_link *link, const struct ni_inproc_lane *lane)
{
    bool missing = false;

    for (NI_LIST_EACH(node, &link->lanes)) {
        struct ni_inproc_lane *other = ni_container_of(node, struct ni_inproc_lane, list);

        missing |= are_rails(other, lane) && other->wired && ni_inproc_wire_missing(other);
    }
    return missing;
}

/* End one lane whose sender is gone; false if there is none that can end now. */
static bool end_a_lane(struct ni_inproc_link *link)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);
        ni_status status = sender_gone(lane);

        if (status == NI_OK || !is_first_rail(link, lane)) {
            continue;
        }
        if (all_are_over(link, lane)) {
            ni_inproc_fail(link, lane, any_is_missing(link, lane) ? NI_ERR_PROTOCOL : status);
            return true;
        }
        link->unsettled = true;
    }
    return false;
}

/* ---- endpoints whose peer is gone ---------------------------------------------------------- */

static ni_status receiver_gone(const struct ni_inproc_ep *ep)
{
    /* Pairs with the release in make_lane. */
    const struct ni_inproc_lane *lane = atomic_load_explicit(&ep->lane, memory_order_acquire);
    ni_status status = (ni_status)atomic_load_explicit(&ep->fate, memory_order_relaxed);

    if (status == NI_OK) {
        status = ni_inproc_port_status(ep->to);
    }
    /* G4 */
    if (status == NI_OK && lane != NULL &&
        atomic_load_explicit(&lane->rx_gone, memory_order_acquire)) {
        status = lane->verdict;
    }
    return status;
}

static bool still_sends(struct ni_inproc_link *link, const struct ni_inproc_ep *ep)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        const struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);

        if (lane->from == ep->to && sender_gone(lane) != NI_OK) {
            return true; /* end_a_lane will report it */
        }
    }
    return false;
}

/* Report one endpoint whose peer is gone; false if there is none. */
static bool report_an_endpoint(struct ni_inproc_link *link)
{
    for (struct ni_inproc_ep *ep = ep_after(link, NULL); ep != NULL; ep = ep_after(link, ep)) {
        ni_status status = ep->reported ? NI_OK : receiver_gone(ep);

        if (status != NI_OK && !still_sends(link, ep)) {
            ep->reported = true;
            atomic_store_explicit(&ep->fate, status, memory_order_relaxed);
            link->core_ops->peer_down(link->core, ep->base.peer, status);
            return true;
        }
    }
    return false;
}

/* ---- progress ------------------------------------------------------------------------------ */

static unsigned settle_link(struct ni_inproc_link *link)
{
    unsigned events = 0;

    link->unsettled = false;
    /* Each of these may call the user, who may do anything: the lists are walked anew each time. */
    while (end_a_lane(link)) {
        events++;
    }
    events += take_inbox(link);
    while (end_a_lane(link)) {
        events++;
    }
    while (report_an_endpoint(link)) {
        events++;
    }
    return events;
}

/* A fault was armed: from now on packets pass one by one. */
static void wire_all(struct ni_inproc_link *link)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);

        if (lane->announced && lane->rx.depth == 0) {
            link->core_ops->lane_remove(link->core, &lane->rx);
            lane->announced = false;
            ni_inproc_wire_start(link, lane);
        }
    }
}

/* Whether something happened to our lanes or to others' ports since we looked. */
static bool is_raised(struct ni_inproc_link *link)
{
    /* P2, E2 */
    uint32_t attention = atomic_load_explicit(&link->port->attention, memory_order_acquire);
    uint32_t epoch = atomic_load_explicit(&link->fabric->epoch, memory_order_acquire);
    bool raised = attention != link->seen_attention || epoch != link->seen_epoch;

    link->seen_attention = attention;
    link->seen_epoch = epoch;
    return raised;
}

unsigned ni_inproc_progress(struct ni_link *base)
{
    struct ni_inproc_link *link = ni_inproc_link_of(base);
    unsigned events = 0;

    if (NI_UNLIKELY(is_raised(link) || link->unsettled)) {
        if (ni_inproc_port_status(link->port) == NI_ERR_PEER_DEAD) {
            link->unsettled = true;
            return 0;
        }
        events = settle_link(link);
    }
    if (NI_UNLIKELY(ni_inproc_faults_armed())) {
        wire_all(link);
    }
    if (NI_UNLIKELY(link->wired != 0)) {
        events += ni_inproc_wire_step(link);
    }
    return events;
}
