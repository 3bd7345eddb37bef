/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/send/unacked.h"

#include <string.h>

#include "engine/send/direct.h"
#include "engine/core/op.h"
#include "engine/send/send.h"
#include "engine/send/waiting.h"

/* Writes that are not answered one by one, and the question that ends them. See unacked.h. */

bool ni_unacked_begin(struct ni_peer *peer)
{
    struct ni_op *op =
        ni_direct_op(peer, NI_OP_UNACKED, 0, NULL, NULL, &peer->send.unacked, peer->threads);

    if (op == NULL) {
        peer->send.unacked = 0;
    }
    return op != NULL;
}

bool ni_unacked_question(struct ni_peer *peer, uint64_t token)
{
    const struct ni_packet_remote fields = {.token = token};

    if (ni_packet_reserve(peer, 1) != NI_OK) {
        return false;
    }
    peer->send.open.head = NI_LINE;
    memcpy(peer->send.open.packet->body, &fields, sizeof(fields));
    ni_packet_commit(peer, NI_PACKET_READ, NI_READ_NOTHING, 0, 0);
    return true;
}

void ni_unacked_forget(struct ni_peer *peer)
{
    peer->send.unacked = 0;
    ni_source_lower(peer, NI_SOURCE_UNACKED_QUESTION);
}

/* Ask, if there is room. */
static bool ask_now(struct ni_peer *peer)
{
    if (!ni_unacked_question(peer, peer->send.unacked)) {
        return false;
    }
    ni_unacked_forget(peer);
    return true;
}

/* It ends by itself if the peer is down. */
void ni_unacked_ask(struct ni_peer *peer)
{
    if (peer->send.unacked != 0 && !ni_source_pending(peer, NI_SOURCE_UNACKED_QUESTION) &&
        ni_peer_state(peer) == NI_OK && !ask_now(peer)) {
        ni_source_raise(peer, NI_SOURCE_UNACKED_QUESTION);
    }
}

static bool ask_for_unacked_again(struct ni_peer *peer, unsigned *sent)
{
    (void)sent;
    return ask_now(peer);
}

static void drop_unacked_question(struct ni_peer *peer, ni_status status)
{
    (void)status;
    ni_unacked_forget(peer);
}

void ni_unacked_register(struct ni *ni)
{
    static const struct ni_source_ops source = {.send = ask_for_unacked_again,
                                                .drop = drop_unacked_question};

    ni_source_register(ni, NI_SOURCE_UNACKED_QUESTION, &source);
}
