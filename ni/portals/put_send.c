/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/send/fast.h"
#include "engine/core/stamps.h"
#include "engine/drive/thread.h"
#include "portals/portals.h"

/* Packets of puts, and puts that wait for room. */

enum {
    PUTS_IN_A_ROW = 8, /* then a segment of a stream */
};

/* ---- packets: the peer's lock is held -------------------------------------------------------- */

void ni_put_ask(struct ni_put *put)
{
    struct ni *ni = put->peer->ni;

    ni_lock_take(&ni->lock, ni->threads);
    put->asked = true;
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_put_progress_async(struct ni_put *put)
{
    struct ni *ni = put->peer->ni;

    if (!ni_async_progress_possible(ni) || (put->options & NI_MD_ATTENDED) != 0 ||
        ni_peer_copies(put->peer) || put->peer->ep->same_memory) {
        return;
    }
    ni_lock_take(&ni->lock, ni->threads);
    if (!put->async) {
        put->async = true;
        ni_async_progress_need(ni);
    }
    ni_lock_give(&ni->lock, ni->threads);
}

ni_status ni_put_send_eager(struct ni_peer *peer, const struct ni_put_header *header,
                            struct ni_put *open)
{
    bool ack = open != NULL;
    uint32_t len = (uint32_t)header->length;
    const struct ni_packet_put put = {header->match_bits, header->hdr_data};
    const struct ni_packet_put_more more = {ack ? header->token : 0, header->remote_offset};
    bool with_more = ack || header->remote_offset != 0;
    uint16_t tag = (uint16_t)(header->pt_index | (with_more ? NI_PUT_MORE : 0));
    uint8_t *fields, *payload;
    ni_status status = ni_packet_begin(peer, sizeof(put) + (with_more ? sizeof(more) : 0), 0, len,
                                       &fields, &payload);

    if (status != NI_OK) {
        return status;
    }
    memcpy(fields, &put, sizeof(put));
    if (with_more) {
        memcpy(fields + sizeof(put), &more, sizeof(more));
    }
    if (len != 0) {
        ni_msg_copy(peer, payload, header->src, len);
    }
    if (open != NULL) {
        ni_put_ask(open);
    }
    ni_packet_commit(peer, NI_PACKET_PUT, tag, len, NI_HANDLE_PORTAL);
    return NI_OK;
}

ni_status ni_put_expose(struct ni_put *put, void *memory, unsigned access)
{
    struct ni *ni = put->peer->ni;
    ni_status status = NI_OK;

    if (put->rkey.handle == 0) {
        status = ni_region_memory(ni, memory, put->header.length, access, &put->rkey);
    }
    /* Others that end make room for it. */
    if (status == NI_ERR_LIMIT ||
        (status == NI_ERR_NOMEM &&
         !ni_memory_wait_over(&put->wait, 0, ni->config->memory_wait_ms))) {
        return NI_AGAIN;
    }
    return status;
}

static ni_status send_long(struct ni_put *put)
{
    const struct ni_put_header *header = &put->header;
    struct ni_peer *peer = put->peer;
    uint16_t tag;
    bool with_more = header->remote_offset != 0 || header->length > UINT32_MAX;
    struct ni_packet_put_long fields = {.match_bits = header->match_bits,
                                        .hdr_data = header->hdr_data,
                                        .token = header->token,
                                        .addr = (uintptr_t)header->src,
                                        .length = (uint32_t)header->length};
    const struct ni_packet_put_long_more more = {header->remote_offset, header->length};
    uint32_t len = with_more ? sizeof(more) : 0;
    uint8_t *place, *payload;
    ni_status status = ni_put_expose(put, (void *)(uintptr_t)header->src, NI_ACCESS_READ);

    if (status == NI_OK) {
        status = ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload);
    }
    if (status != NI_OK) {
        return status;
    }
    fields.key = put->rkey.key;
    fields.handle = put->rkey.handle;
    memcpy(place, &fields, sizeof(fields));
    memcpy(payload, &more, len);
    tag = (uint16_t)(header->pt_index | (with_more ? NI_PUT_MORE : 0));
    ni_put_progress_async(put);
    ni_put_ask(put);
    ni_packet_commit(peer, NI_PACKET_PUT_LONG, tag, len, NI_HANDLE_PORTAL);
    return NI_OK;
}

bool ni_put_goes_long(struct ni_peer *peer, uint64_t length)
{
    if (length <= NI_PUT_ORDERED) {
        return false;
    }
    return length > peer->ni->config->match_eager || length > ni_packet_max(peer) ||
           ni_put_unwanted(peer);
}

void ni_put_hold(struct ni_put *put)
{
    if ((put->options & NI_MD_UNTIL_MATCHED) != 0 && put->extra == NULL && !put->ack &&
        put->header.length <= NI_PUT_ORDERED && ni_put_unwanted(put->peer)) {
        put->held = true;
        put->ack = true;
        put->told = false;
    }
}

/* ---- waiting for room ------------------------------------------------------------------------ */

/* An eager put that waited has left, and wants no answer. */
static void sent_late(struct ni *ni, struct ni_portal_task *task)
{
    ni_put_finish(ni, ni_container_of(task, struct ni_put, task), NI_NI_OK, 0, 0);
}

/* There has been no memory for a put that waited. */
static void fail_late(struct ni *ni, struct ni_portal_task *task)
{
    ni_put_finish(ni, ni_container_of(task, struct ni_put, task), NI_NI_NO_SPACE, 0, 0);
}

ni_status ni_put_send_open(struct ni_put *put, bool *is_long)
{
    ni_status status = NI_ERR_LIMIT;

    if (put->extra != NULL) {
        *is_long = false;
        return ni_request_send(put, put->ack ? put : NULL);
    }
    *is_long = put->is_long || ni_put_goes_long(put->peer, put->header.length);
    if (!*is_long) {
        status = ni_put_send_eager(put->peer, &put->header, put->ack ? put : NULL);
    }
    if (status != NI_ERR_LIMIT) {
        return status;
    }
    *is_long = true;
    put->is_long = true;
    put->told = false;
    return send_long(put);
}

void ni_put_wait(struct ni_put *put)
{
    ni_list_push_back(&put->peer->put_queue, &put->queue);
    ni_source_raise(put->peer, NI_SOURCE_PUTS);
}

/* One was taken off the queue for good. The peer's lock is held. */
static void left_queue(struct ni_peer *peer)
{
    if (ni_list_empty(&peer->put_queue)) {
        ni_source_lower(peer, NI_SOURCE_PUTS);
    }
}

/* Send the first put of the peer's queue: NI_OK, or NI_AGAIN. */
static ni_status send_first(struct ni_peer *peer)
{
    struct ni_put *put = ni_container_of(peer->put_queue.next, struct ni_put, queue);
    ni_status status = ni_peer_endpoint(peer);
    bool is_long, wants_answer;

    if (status != NI_OK) {
        return status;
    }
    /* Out of the queue first: see ni_put_ask. */
    ni_list_remove(&put->queue);
    ni_put_hold(put);
    wants_answer = put->ack;
    ni_stamps_waited(peer, put->posted);
    status = ni_put_send_open(put, &is_long);
    ni_stamps_waited(peer, 0);
    if (NI_UNLIKELY(status == NI_ERR_NOMEM)) {
        left_queue(peer);
        ni_task_add(peer->ni, &put->task, fail_late);
        return NI_OK;
    }
    if (status != NI_OK) {
        ni_list_push_front(&peer->put_queue, &put->queue);
        return status;
    }
    left_queue(peer);
    if (!is_long && !wants_answer) {
        ni_task_add(peer->ni, &put->task, sent_late);
    }
    return NI_OK;
}

/* Puts go in the order in which they were made, and streams have their turn after some. */
static bool send_waiting_puts(struct ni_peer *peer, unsigned *sent)
{
    for (unsigned i = 0; i < PUTS_IN_A_ROW && !ni_list_empty(&peer->put_queue); i++) {
        if (send_first(peer) != NI_OK) {
            break;
        }
        (*sent)++;
    }
    return true;
}

/* They end with all puts to the peer. */
static void drop_waiting_puts(struct ni_peer *peer, ni_status status)
{
    (void)status;
    while (ni_list_pop_front(&peer->put_queue) != NULL) {
    }
}

static void unqueue(struct ni_put *put)
{
    struct ni_peer *peer = put->peer;

    ni_lock_take(&peer->lock, peer->threads);
    if (ni_list_linked(&put->queue)) {
        ni_list_remove(&put->queue);
        left_queue(peer);
    }
    ni_lock_give(&peer->lock, peer->threads);
}

static void complete_puts(struct ni_peer *peer, ni_status status)
{
    struct ni *ni = peer->ni;
    size_t count;

    /* Those that events start meanwhile are not meant. */
    ni_lock_take(&ni->lock, ni->threads);
    count = ni_list_length(&peer->puts);
    ni_lock_give(&ni->lock, ni->threads);
    while (count-- != 0) {
        struct ni_put *put = NULL;

        ni_lock_take(&ni->lock, ni->threads);
        if (!ni_list_empty(&peer->puts)) {
            put = ni_container_of(peer->puts.next, struct ni_put, all);
        }
        ni_lock_give(&ni->lock, ni->threads);
        if (put == NULL) {
            return;
        }
        unqueue(put);
        ni_put_finish(ni, put, ni_fail_of(status), 0, 0);
    }
}

/* Messages that a program has claimed, answers, tasks and events may be for any peer. */
static bool is_named_by_portals(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;
    struct ni_portals *portals = ni->portals;
    bool named;

    if (ni_work_count(&ni->portal_work) != 0 || ni_later_any(ni)) {
        return true;
    }
    ni_portals_lock(ni);
    named = !ni_list_empty(&peer->puts) || !ni_list_empty(&portals->answers) ||
            ni_pool_out(&portals->unexpected) != portals->headers;
    for (unsigned i = 0; i < NI_PT_COUNT && !named; i++) {
        struct ni_pt *pt = portals->pt[i];

        named =
            pt != NULL && pt->allocated &&
            ni_match_headers_search(&pt->unexpected, 0, UINT64_MAX, peer->core.initiator) != NULL;
    }
    ni_portals_unlock(ni);
    return named;
}

void ni_puts_register(struct ni *ni)
{
    static const struct ni_source_ops source = {.send = send_waiting_puts,
                                                .drop = drop_waiting_puts};
    static const struct ni_peer_ops ops = {.complete = complete_puts, .names = is_named_by_portals};

    ni_source_register(ni, NI_SOURCE_PUTS, &source);
    ni_peer_ops_register(ni, NI_FOLDER_PORTALS, &ops);
}
