/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/*
 * Answers with data, to gets and fetching atomics.
 *
 *   up to 24 bytes        one line, which waits for room as all answers do
 *   fits, and there is room   one packet
 *   otherwise             ni_write to the region that the initiator keeps for it, then one line
 */

struct ni_answer *ni_answer_new(struct ni *ni, uint64_t length)
{
    struct ni_answer *answer = ni_malloc(sizeof(*answer) + length);

    if (answer != NULL) {
        ni_list_init(&answer->task.list);
        ni_lock_take(&ni->lock, ni->threads);
        ni_list_push_back(&ni->portals->answers, &answer->all);
        ni_lock_give(&ni->lock, ni->threads);
    }
    return answer;
}

void ni_answer_free(struct ni *ni, struct ni_answer *answer)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_list_remove(&answer->all);
    ni_lock_give(&ni->lock, ni->threads);
    ni_free(answer);
}

/* ---- one packet ------------------------------------------------------------------------------ */

struct reply {
    struct ni_packet_ack fields;
    uint8_t data[NI_REPLY_INLINE];
};

static struct ni_packet_ack fields_of(const struct ni_request *request)
{
    return (struct ni_packet_ack){.token = request->from.token,
                                  .value = request->target.mlength,
                                  .offset = request->from.remote_offset};
}

/* In a line; data NULL: it is there already. NI_OK, or NI_ERR_NOMEM: later. */
static ni_status send_answer_line(const struct ni_request *request, const uint8_t *data)
{
    const unsigned head = NI_PACKET_HEADER + sizeof(struct ni_packet_ack);
    uint32_t len = data != NULL ? (uint32_t)request->target.mlength : 0;
    struct reply reply = {.fields = fields_of(request)};
    ni_status status;

    if (len != 0) {
        memcpy(reply.data, data, len);
    }
    status = ni_send_control(request->from.peer, NI_PACKET_REPLY, head, 0, len, NI_HANDLE_PORTAL,
                             &reply, sizeof(reply));
    /* A peer that is going away needs no answers. */
    return status == NI_ERR_NOMEM ? status : NI_OK;
}

static bool send_packet(const struct ni_request *request, const uint8_t *src)
{
    struct ni_peer *peer = request->from.peer;
    const struct ni_packet_ack fields = fields_of(request);
    uint32_t len = (uint32_t)request->target.mlength;
    uint8_t *place, *payload;
    bool sent = false;

    ni_lock_take(&peer->lock, peer->threads);
    if (request->target.mlength <= peer->ni->config->match_eager && ni_send_turn(peer) &&
        ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload) == NI_OK) {
        memcpy(place, &fields, sizeof(fields));
        if (NI_LIKELY(src != NULL)) {
            memcpy(payload, src, len);
        } else {
            ni_iovec_read(request, payload);
        }
        peer->send.overtake = false;
        ni_packet_commit(peer, NI_PACKET_REPLY, 0, len, NI_HANDLE_PORTAL);
        sent = true;
    }
    ni_lock_give(&peer->lock, peer->threads);
    return sent;
}

bool ni_answer_at_once(const struct ni_request *request, const uint8_t *src)
{
    uint8_t few[NI_REPLY_INLINE];

    if (request->target.mlength <= NI_REPLY_INLINE) {
        if (src == NULL) {
            ni_iovec_read(request, few);
            src = few;
        }
        /* Its place: see ni_send_can_answer. */
        (void)send_answer_line(request, src);
        return true;
    }
    return send_packet(request, src);
}

/* ---- written --------------------------------------------------------------------------------- */

/* Say that it is there, or why not. */
static ni_status say_answer(struct ni *ni, const struct ni_answer *answer)
{
    return answer->fail == NI_NI_OK
               ? send_answer_line(&answer->request, NULL)
               : ni_arriving_answer(ni, &answer->request.from, answer->fail, 0);
}

static void end_answer(struct ni *ni, struct ni_answer *answer)
{
    ni_request_end(ni, &answer->request, answer->fail);
    ni_answer_free(ni, answer);
}

/* Say it and end, now or when there is memory to say it. */
static void say_and_end(struct ni *ni, struct ni_portal_task *task)
{
    struct ni_answer *answer = ni_container_of(task, struct ni_answer, task);

    if (say_answer(ni, answer) != NI_OK) {
        ni_answer_again(ni, answer->request.from.peer, task, say_and_end);
    } else {
        end_answer(ni, answer);
    }
}

void ni_answer_written(struct ni_answer *answer, ni_status status)
{
    answer->fail = ni_fail_of(status);
    if (answer->fail != NI_NI_OK) {
        answer->request.target.mlength = 0;
    }
    say_and_end(answer->request.from.peer->ni, &answer->task);
}

void ni_answer_done(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    ni_answer_written(arg, status);
}

void ni_answer_write(struct ni *ni, struct ni_answer *answer, const uint8_t *src)
{
    const struct ni_request *request = &answer->request;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = ni_answer_done, .arg = answer};
    ni_status status;

    if (src == NULL) {
        ni_iovec_write(ni, answer);
        return;
    }
    status = ni_write(ni, request->from.peer, src, request->target.mlength, &request->to, &ack);
    if (status != NI_OK) {
        ni_answer_written(answer, status);
    }
}
