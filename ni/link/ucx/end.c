/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "link/lane_inl.h"
#include "link/ucx/ucx.h"

/*
 * Peers that come, die, close, or are given up. What a peer sent before it went is read first: for
 * GRACE_NS if it died, for PATIENCE_NS if it closed, should the engine not take it.
 *
 * A peer that was given up stays in the graves until UCX has no use for its memory.
 */

#define GRACE_NS    UINT64_C(400000000)
#define PATIENCE_NS UINT64_C(60000000000)
#define FAREWELL_NS UINT64_C(1000000000) /* for what a closing link has sent */
#define ANSWER_NS   UINT64_C(5000000000) /* for the peer to answer our bye */
#define FLUSH_NS    UINT64_C(50000000)   /* for the peer to say that it got it */

void ni_ucx_end(struct ni_ucx_peer *peer, ni_status status)
{
    ni_far_end(&peer->link->far, &peer->far, status, ni_ucx_watched(peer->link));
}

/* ---- what needs the engine ------------------------------------------------------------------- */

static bool ucx_peer_is_read(const struct ni_far_peer *far)
{
    const struct ni_ucx_peer *peer = ni_container_of(far, const struct ni_ucx_peer, far);
    const struct ni_ucx_in *in = peer->in;
    uint64_t waited;

    if (in->rx.depth != 0) {
        return false;
    }
    waited = ni_ucx_watched(peer->link) - peer->far.ending_ns;
    if (ni_far_ending(&peer->far) == NI_ERR_PROTOCOL || waited > PATIENCE_NS ||
        (waited > GRACE_NS && !peer->heard)) {
        return true;
    }
    if (peer->heard && in->rx.tail != peer->bye_position) {
        return false;
    }
    return peer->fetching == 0 && !ni_lane_has_packet(&in->rx);
}

static bool ucx_peer_known(const struct ni_far_peer *far)
{
    const struct ni_ucx_peer *peer = ni_container_of(far, const struct ni_ucx_peer, far);

    return peer->their_token != 0;
}

static struct ni_lane_rx *ucx_peer_lane(struct ni_far_peer *far)
{
    struct ni_ucx_peer *peer = ni_container_of(far, struct ni_ucx_peer, far);

    return peer->in == NULL ? NULL : &peer->in->rx;
}

static const void *ucx_peer_blob(const struct ni_far_peer *far, size_t *len)
{
    const struct ni_ucx_peer *peer = ni_container_of(far, const struct ni_ucx_peer, far);

    *len = peer->blob_len;
    return &peer->blob;
}

static void ucx_peer_gone(struct ni_far_peer *far, enum ni_far_gone how)
{
    struct ni_ucx_peer *peer = ni_container_of(far, struct ni_ucx_peer, far);

    if (far->held) {
        ni_ucx_moved(peer);
    } else {
        ni_ucx_bury(peer, how == NI_FAR_REFUSED               ? NI_UCX_REFUSED
                          : how == NI_FAR_LEFT && !far->broke ? NI_UCX_CLOSED
                                                              : NI_UCX_BROKEN);
    }
    if (how == NI_FAR_LEFT) {
        ni_ucx_graves(peer->link);
    }
}

const struct ni_far_ops ni_ucx_far_ops = {
    .known = ucx_peer_known,
    .lane = ucx_peer_lane,
    .is_read = ucx_peer_is_read,
    .blob = ucx_peer_blob,
    .gone = ucx_peer_gone,
};

/* ---- graves ---------------------------------------------------------------------------------- */

static bool ucx_peer_is_reachable(const struct ni_ucx_peer *peer)
{
    return peer->ucp != NULL && ni_far_ending(&peer->far) != NI_ERR_PEER_DEAD &&
           ni_far_ending(&peer->far) != NI_ERR_UNREACHABLE;
}

static void say_bye(struct ni_ucx_peer *peer, enum ni_ucx_bye bye)
{
    if (peer->said || !ucx_peer_is_reachable(peer) || peer->their_token == 0) {
        return;
    }
    ni_ucx_pump(peer);
    ni_ucx_sent(peer);
    peer->said = ni_ucx_tell(peer, NI_UCX_BYE, peer->out == NULL ? 0 : peer->out->sent,
                             (uint32_t)bye, NULL, 0);
}

/* It will send nothing more, so who said bye first may go. A peer that broke the protocol cannot
 * know that nothing of it is listened to. */
void ni_ucx_answer(struct ni_ucx_peer *peer)
{
    if (peer->fetching == 0) {
        say_bye(peer, peer->far.broke ? NI_UCX_BROKEN : NI_UCX_CLOSED);
    }
}

/* Begin to send what UCX has of it; nothing, if nobody is there to take it. */
static void begin_flush(struct ni_ucx_peer *peer)
{
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request;

    if (ucx_peer_is_reachable(peer) && peer->their_token != 0) {
        request = ni_ucx.ucp_ep_flush_nbx(peer->ucp, &param);
        peer->flushing = request == NULL || UCS_PTR_IS_ERR(request) ? NULL : request;
    }
}

void ni_ucx_bury(struct ni_ucx_peer *peer, enum ni_ucx_bye bye)
{
    say_bye(peer, bye);
    begin_flush(peer);
    peer->buried_at = ni_ucx_watched(peer->link);
    ni_list_remove(&peer->moved);
    ni_list_remove(&peer->far.list);
    ni_list_push_back(&peer->link->graves, &peer->far.list);
}

/* Whether a request has ended, which is then forgotten. */
static bool has_request_ended(void **request)
{
    if (*request != NULL && ni_ucx.ucp_request_check_status(*request) == UCS_INPROGRESS) {
        return false;
    }
    if (*request != NULL) {
        ni_ucx.ucp_request_free(*request);
        *request = NULL;
    }
    return true;
}

/* A flush ends when the peer's UCX has answered. What is with the kernel reaches it anyway, so that
 * is not waited for long. */
static bool is_flushed(struct ni_ucx_peer *peer)
{
    uint64_t waited = ni_ucx_watched(peer->link) - peer->buried_at;

    if (has_request_ended(&peer->flushing)) {
        return true;
    }
    if (waited < FLUSH_NS || (peer->slot_tail != peer->slot_head && waited < FAREWELL_NS)) {
        return false;
    }
    ni_ucx.ucp_request_free(peer->flushing); /* it ends with the endpoint */
    peer->flushing = NULL;
    return true;
}

/* Until it has answered, something may be on its way to us, and closing would reset the connection:
 * what it has not read by then, it might lose. */
static bool may_answer(const struct ni_ucx_peer *peer)
{
    return peer->said && !peer->heard && !peer->answered && ucx_peer_is_reachable(peer) &&
           ni_ucx_watched(peer->link) - peer->buried_at < ANSWER_NS;
}

/* Until something of it has come, the peer's part of making the connection may be waiting to be
 * sent: UCX 1.13 aborts its process if the connection ends then. */
static bool is_connecting(const struct ni_ucx_peer *peer)
{
    return peer->ucp != NULL && !peer->met && ucx_peer_is_reachable(peer);
}

static void close_endpoint(struct ni_ucx_peer *peer)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};
    ucs_status_ptr_t request = ni_ucx.ucp_ep_close_nbx(peer->ucp, &param);

    peer->closing = request == NULL || UCS_PTR_IS_ERR(request) ? NULL : request;
    peer->ucp = NULL;
}

/* Take the next step of giving it back. True: that was the last. */
static bool ucx_peer_is_over(struct ni_ucx_peer *peer)
{
    ni_ucx_sent(peer);
    if (peer->flushing != NULL && !is_flushed(peer)) {
        return false;
    }
    if (may_answer(peer) || is_connecting(peer)) {
        return false;
    }
    if (peer->ucp != NULL) {
        close_endpoint(peer);
    }
    return has_request_ended(&peer->closing) && peer->slot_tail == peer->slot_head &&
           peer->fetching == 0;
}

void ni_ucx_graves(struct ni_ucx_link *link)
{
    for (NI_LIST_EACH_SAFE(node, &link->graves)) {
        struct ni_ucx_peer *peer = ni_container_of(node, struct ni_ucx_peer, far.list);

        if (ucx_peer_is_over(peer)) {
            ni_ucx_peer_free(peer);
        }
    }
}

/* ---- the end of the link --------------------------------------------------------------------- */

/* Whether everything that was committed has been handed to UCX. */
static bool is_sent(struct ni_ucx_link *link)
{
    bool sent = true;

    for (NI_LIST_EACH(node, &link->far.peers)) {
        struct ni_ucx_peer *peer = ni_container_of(node, struct ni_ucx_peer, far.list);

        ni_ucx_sent(peer);
        ni_ucx_join(peer);
        ni_ucx_pump(peer);
        sent = sent && (peer->out == NULL || peer->out->sent == peer->out->committed ||
                        !ucx_peer_is_reachable(peer));
    }
    return sent;
}

void ni_ucx_farewell(struct ni_ucx_link *link)
{
    uint64_t begin;

    pthread_mutex_lock(&link->far.lock);
    begin = ni_ucx_watched(link);
    link->leaving = true;
    while (!is_sent(link) && ni_ucx_watched(link) - begin < FAREWELL_NS) {
        (void)ni_ucx_step(link);
    }
    while (!ni_list_empty(&link->far.peers)) {
        struct ni_ucx_peer *peer =
            ni_container_of(link->far.peers.next, struct ni_ucx_peer, far.list);

        peer->far.down = true;
        ni_ucx_bury(peer, NI_UCX_CLOSED);
    }
    pthread_mutex_unlock(&link->far.lock);
}
