/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/send/control.h"
#include "engine/send/direct.h"
#include "engine/send/send.h"
#include "engine/core/stamps.h"
#include "engine/send/waiting.h"

/*
 * Control packets. They wait in the order in which they were sent, so that one goes at once only if
 * none waits. Reads are a source of their own, which goes last.
 */

static enum ni_source source_of(const struct ni_control *control)
{
    return ni_packet_kind(control->word0) == NI_PACKET_READ ? NI_SOURCE_REQUESTS
                                                            : NI_SOURCE_CONTROLS;
}

static struct ni_list *list_of(struct ni_peer *peer, enum ni_source source)
{
    return source == NI_SOURCE_REQUESTS ? &peer->send.requests : &peer->send.controls;
}

static ni_status send_now(struct ni_peer *peer, const struct ni_control *control)
{
    struct ni_open_message *open = &peer->send.open;
    ni_status status = ni_peer_endpoint(peer);

    if (status == NI_OK) {
        ni_stamps_waited(peer, control->posted);
        status = ni_packet_reserve(peer, 1);
        ni_stamps_waited(peer, 0);
    }
    if (status != NI_OK) {
        return status;
    }
    open->head = (uint8_t)ni_packet_head(control->word0);
    memcpy(open->packet->body, control->body, sizeof(control->body));
    ni_packet_commit(peer, ni_packet_kind(control->word0), ni_packet_tag(control->word0),
                     ni_packet_len(control->word1), ni_packet_region(control->word1));
    return NI_OK;
}

/* Without memory a request can be refused, an answer cannot: it takes the spare one. */
static struct ni_control *get_control(struct ni *ni, bool answer)
{
    struct ni_control *control;

    ni_lock_take(&ni->lock, ni->threads);
    control = ni_pool_get(&ni->send.control_pool);
    if (control == NULL && answer) {
        control = ni->send.spare;
        ni->send.spare = NULL;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return control;
}

bool ni_send_can_answer(struct ni *ni)
{
    if (NI_UNLIKELY(ni->send.spare == NULL)) {
        ni->send.spare = get_control(ni, false);
    }
    return ni->send.spare != NULL;
}

static ni_status wait_for_room(struct ni_peer *peer, const struct ni_control *control)
{
    unsigned kind = ni_packet_kind(control->word0);
    bool answer = kind == NI_PACKET_ACK || kind == NI_PACKET_PUT_ACK || kind == NI_PACKET_REPLY ||
                  kind == NI_PACKET_NOP;
    struct ni_control *waits = get_control(peer->ni, answer);
    enum ni_source source = source_of(control);

    if (waits == NULL) {
        return NI_ERR_NOMEM;
    }
    *waits = *control;
    waits->posted = ni_stamps_now(peer);
    if (waits->held != NULL) {
        (void)atomic_fetch_add_explicit(waits->held, 1, memory_order_relaxed);
    }
    if (source == NI_SOURCE_REQUESTS && !ni_source_pending(peer, source)) {
        peer->send.passed = peer->send.turns = 0;
    }
    ni_list_push_back(list_of(peer, source), &waits->list);
    ni_source_raise(peer, source);
    return NI_OK;
}

ni_status ni_send_composed(struct ni_peer *peer, const struct ni_control *control)
{
    ni_status status = NI_AGAIN;

    ni_lock_take(&peer->lock, peer->threads);
    /* But for a Read it overtakes puts and streams; never others of its kind, nor what was stored
     * before. */
    if (!ni_peer_waits(peer) || ni_send_before(peer, source_of(control))) {
        status = send_now(peer, control);
    }
    if (status == NI_AGAIN) {
        status = ni_peer_state(peer) != NI_OK ? ni_peer_state(peer) : wait_for_room(peer, control);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

ni_status ni_send_control(struct ni_peer *peer, unsigned kind, unsigned head, uint16_t tag,
                          uint32_t len, ni_handle region, const void *body, size_t body_len)
{
    struct ni_control control = {.word0 = ni_packet_word0(0, kind, head, tag),
                                 .word1 = ni_packet_word1(len, region)};

    memcpy(control.body, body, body_len);
    return ni_send_composed(peer, &control);
}

/* By the detour. A peer that is going away needs no answers; its own failure is noticed
 * elsewhere. */
NI_COLD void ni_direct_answer_later(struct ni_peer *peer, uint64_t token, ni_status status,
                                    uint64_t value)
{
    struct ni_packet_ack fields = {.token = token, .value = value};

    if (token != 0) {
        (void)ni_send_control(peer, NI_PACKET_ACK, NI_LINE, (uint16_t)status, 0, 0, &fields,
                              sizeof(fields));
    }
}

static struct ni_control *first_of(struct ni_peer *peer, enum ni_source source)
{
    return ni_container_of(list_of(peer, source)->next, struct ni_control, list);
}

/* Take the first one off the list. */
static void remove_first(struct ni_peer *peer, enum ni_source source)
{
    struct ni *ni = peer->ni;
    struct ni_control *control = first_of(peer, source);

    ni_list_remove(&control->list);
    if (control->held != NULL) {
        (void)atomic_fetch_sub_explicit(control->held, 1, memory_order_release);
    }
    ni_lock_take(&ni->lock, ni->threads);
    ni_pool_put(&ni->send.control_pool, control);
    ni_lock_give(&ni->lock, ni->threads);
    if (ni_list_empty(list_of(peer, source))) {
        ni_source_lower(peer, source);
    }
}

static bool send_first_control(struct ni_peer *peer, enum ni_source source, unsigned *sent)
{
    if (send_now(peer, first_of(peer, source)) != NI_OK) {
        return false;
    }
    remove_first(peer, source);
    (*sent)++;
    return true;
}

static bool send_waiting_controls(struct ni_peer *peer, unsigned *sent)
{
    while (!ni_list_empty(&peer->send.controls)) {
        if (!send_first_control(peer, NI_SOURCE_CONTROLS, sent)) {
            return false;
        }
    }
    return true;
}

/* One goes, once it is due; all, when no data waits. */
static bool send_waiting_requests(struct ni_peer *peer, unsigned *sent)
{
    while (!ni_list_empty(&peer->send.requests)) {
        if ((peer->waiting & NI_SOURCES_OF_DATA) != 0 && !ni_request_is_due(peer)) {
            return true;
        }
        if (!send_first_control(peer, NI_SOURCE_REQUESTS, sent)) {
            return false;
        }
        peer->send.passed = peer->send.turns = 0;
    }
    return true;
}

static void drop_waiting_controls(struct ni_peer *peer, ni_status status)
{
    (void)status;
    while (!ni_list_empty(&peer->send.controls)) {
        remove_first(peer, NI_SOURCE_CONTROLS);
    }
}

static void drop_waiting_requests(struct ni_peer *peer, ni_status status)
{
    (void)status;
    while (!ni_list_empty(&peer->send.requests)) {
        remove_first(peer, NI_SOURCE_REQUESTS);
    }
}

void ni_controls_register(struct ni *ni)
{
    static const struct ni_source_ops source = {.send = send_waiting_controls,
                                                .drop = drop_waiting_controls};
    static const struct ni_source_ops requests = {.send = send_waiting_requests,
                                                  .drop = drop_waiting_requests};

    ni_source_register(ni, NI_SOURCE_CONTROLS, &source);
    ni_source_register(ni, NI_SOURCE_REQUESTS, &requests);
}
