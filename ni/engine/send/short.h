/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_SHORT_H
#define NI_ENGINE_SHORT_H

#include "engine/send/direct.h"
#include "engine/send/fast.h"

/*
 * The shortest ways out, in an NI without threads: Writes and Reads of one word, and additions to
 * counters. Each does all of it, or nothing: false, and the general way (direct.h) finds everything
 * as it was.
 */

NI_ALWAYS_INLINE bool ni_short_is_word(uint64_t len)
{
    return len == sizeof(uint64_t) || len == sizeof(uint32_t);
}

/* A line and an operation, both of which are at hand. */
NI_ALWAYS_INLINE struct ni_op *ni_short_begin(struct ni_peer *peer, struct ni_line *line,
                                              uint64_t *token)
{
    if (NI_UNLIKELY(ni_line_begin(peer, line) == NULL) || NI_UNLIKELY(peer->ep->same_memory) ||
        NI_UNLIKELY(peer->ni->core.op_pool.free == NULL)) {
        return NULL;
    }
    return ni_pool_take(&peer->ni->core.op_pool, token);
}

/* The line of a Write of a word, whose length is that of one (ni_short_is_word). */
NI_ALWAYS_INLINE void ni_short_send_word(struct ni_peer *peer, struct ni_line *line,
                                         const void *src, uint32_t len, const struct ni_remote *dst,
                                         uint64_t token, uint16_t tag)
{
    line->packet->body[0] = dst->addr;
    line->packet->body[1] = dst->key;
    line->packet->body[2] = token;
    line->packet->body[3] = 0;
    line->packet->body[4] = len;
    ni_memory_copy(&line->packet->body[5], src, len);
    ni_line_publish(peer, line, ni_packet_word0(0, NI_PACKET_WRITE, NI_DIRECT_HEAD, tag),
                    ni_packet_word1(len, dst->handle));
}

/* Write a word, and have its end told. */
NI_ALWAYS_INLINE bool ni_short_post(struct ni_peer *peer, const void *src, uint32_t len,
                                    const struct ni_remote *dst, const struct ni_ack *ack)
{
    struct ni_line line;
    uint64_t token;
    struct ni_op *op = ni_short_begin(peer, &line, &token);

    if (NI_UNLIKELY(op == NULL)) {
        return false;
    }
    ni_direct_begin(peer, op, NI_OP_WRITE, len, NULL, ack);
    ni_short_send_word(peer, &line, src, len, dst, token, 0);
    return true;
}

/* Write a word of which nobody hears again but ni_flush. */
NI_ALWAYS_INLINE bool ni_short_post_unacked(struct ni_peer *peer, const void *src, uint32_t len,
                                            const struct ni_remote *dst)
{
    struct ni_line line;

    if (NI_UNLIKELY(peer->send.unacked == 0) || NI_UNLIKELY(ni_line_begin(peer, &line) == NULL)) {
        return false;
    }
    ni_short_send_word(peer, &line, src, len, dst, peer->send.unacked, NI_WRITE_UNACKED);
    return true;
}

/* Write a word of which nobody wants to hear again. */
NI_ALWAYS_INLINE bool ni_short_post_word(struct ni_peer *peer, const struct ni_remote *dst,
                                         uint64_t value, unsigned width)
{
    struct ni_line line;

    if (NI_UNLIKELY(ni_line_begin(peer, &line) == NULL)) {
        return false;
    }
    line.packet->body[0] = dst->addr;
    line.packet->body[1] = dst->key;
    line.packet->body[2] = 0;
    line.packet->body[3] = NI_WRITE_WORD;
    line.packet->body[4] = width;
    line.packet->body[5] = value;
    ni_line_publish(peer, &line, ni_packet_word0(0, NI_PACKET_WRITE, NI_DIRECT_HEAD, NI_WRITE_HOLD),
                    ni_packet_word1(width, dst->handle));
    return true;
}

/* Read a word. */
NI_ALWAYS_INLINE bool ni_short_post_read(struct ni_peer *peer, void *dst, uint32_t len,
                                         const struct ni_remote *src, const struct ni_ack *ack)
{
    struct ni_line line;
    uint64_t token;
    struct ni_op *op = ni_short_begin(peer, &line, &token);

    if (NI_UNLIKELY(op == NULL)) {
        return false;
    }
    ni_direct_begin(peer, op, NI_OP_READ, len, dst, ack);
    line.packet->body[0] = src->addr;
    line.packet->body[1] = src->key;
    line.packet->body[2] = token;
    line.packet->body[3] = len;
    line.packet->body[4] = 0;
    ni_line_publish(peer, &line, ni_packet_word0(0, NI_PACKET_READ, NI_LINE, 0),
                    ni_packet_word1(0, src->handle));
    return true;
}

#endif
