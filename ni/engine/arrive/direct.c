/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/arrive/arrive.h"
#include "engine/send/control.h"
#include "engine/arrive/answers.h"
#include "engine/arrive/handlers.h"

/*
 * Packets in, the frequent ones: the instances of handlers.h for packets that are stepped over
 * before, with and without locks. What they do not do goes on to ni_arrive_any.
 */

/* Each word of the packet is read once, where it is needed. */
NI_ALWAYS_INLINE ni_status atomic(struct ni *ni, struct ni_peer *peer,
                                  const struct ni_packet *packet, uint64_t word0, uint64_t word1,
                                  bool threads)
{
    unsigned tag = ni_packet_tag(word0), op = tag & 0xff, width = tag >> 8;
    const struct ni_remote where = ni_direct_remote(packet, word1);
    uint64_t token = ni_direct_field(packet, 2), old = 0;
    ni_status status;

    if (NI_UNLIKELY((width != 4 && width != 8) || op >= NI_ATOMIC_OPS ||
                    ni_packet_len(word1) != 0)) {
        return NI_ERR_PROTOCOL;
    }
    status = ni_memory_combine(ni, &where, (enum ni_atomic_op)op, width, &packet->body[3], &old,
                               threads);
    if (NI_UNLIKELY(status != NI_OK)) {
        ni_stat_add(&ni->stats.rx_refused, 1);
    }
    return ni_direct_answer(peer, token, status, old, threads);
}

NI_NOINLINE ni_status ni_arrive_atomic(struct ni *ni, struct ni_peer *peer,
                                       const struct ni_packet *packet, uint64_t word0,
                                       uint64_t word1)
{
    return NI_LIKELY(!ni->threads) ? atomic(ni, peer, packet, word0, word1, false)
                                   : atomic(ni, peer, packet, word0, word1, true);
}

bool ni_direct_read(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                    uint64_t word1)
{
    const struct ni_remote where = ni_direct_remote(packet, word1);
    uint64_t token = ni_direct_field(packet, 2), len = ni_direct_field(packet, 3);

    if (len == 0 || !ni_is_one_packet(ni, len)) {
        return false;
    }
    return NI_LIKELY(!ni->threads)
               ? ni_read_memory(ni, peer, &where, token, (uint32_t)len, NI_MODE_PLAIN)
               : ni_read_memory(ni, peer, &where, token, (uint32_t)len, NI_MODE_LOCKED);
}

static NI_NOINLINE ni_status on_read(struct ni *ni, struct ni_peer *peer,
                                     const struct ni_packet *packet, uint64_t word0, uint64_t word1)
{
    if (NI_LIKELY(ni_read_is_of_memory(packet, word0, word1)) &&
        NI_LIKELY(ni_direct_read(ni, peer, packet, word1))) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1,
                         (const uint8_t *)packet + ni_packet_head(word0), NULL);
}

/* An answer: most often all that its operation waits for. */
NI_ALWAYS_INLINE bool take_direct_answer(struct ni *ni, struct ni_peer *peer,
                                         const struct ni_packet *packet, uint64_t word0,
                                         uint64_t word1, bool data)
{
    const struct ni_answer answer = ni_answer_of(
        packet, word1, data ? NI_OK : ni_direct_status(ni_packet_tag(word0)), data, NI_MODE_PLAIN);
    struct ni_ack ack;
    uint64_t value;

    if (NI_UNLIKELY(
            !(NI_LIKELY(!ni->threads)
                  ? ni_answer_take(ni, peer, &answer, data, &ack, &value, NI_MODE_PLAIN)
                  : ni_answer_take(ni, peer, &answer, data, &ack, &value, NI_MODE_LOCKED)))) {
        return false;
    }
    ni_direct_tell(ni, &ack, answer.status, answer.status == NI_OK ? value : 0);
    return true;
}

static NI_NOINLINE ni_status on_ack(struct ni *ni, struct ni_peer *peer,
                                    const struct ni_packet *packet, uint64_t word0, uint64_t word1)
{
    return NI_LIKELY(take_direct_answer(ni, peer, packet, word0, word1, false))
               ? NI_OK
               : ni_arrive_any(ni, peer, packet, word0, word1, (const uint8_t *)packet, NULL);
}

/* All that was read, in the line of the answer. */
static NI_NOINLINE ni_status on_data(struct ni *ni, struct ni_peer *peer,
                                     const struct ni_packet *packet, uint64_t word0, uint64_t word1)
{
    if (NI_LIKELY(ni_packet_head(word0) == NI_DIRECT_READ && ni_packet_tag(word0) == NI_OK) &&
        NI_LIKELY(take_direct_answer(ni, peer, packet, word0, word1, true))) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1,
                         (const uint8_t *)packet + ni_packet_head(word0), NULL);
}

NI_ALWAYS_INLINE bool write_direct_counted(struct ni *ni, const struct ni_packet *packet,
                                           uint64_t word1, const uint8_t *payload)
{
    uint64_t counter = ni_direct_field(packet, 3);

    return ni_write_is_counted(packet, word1, counter) &&
           (NI_LIKELY(!ni->threads)
                ? ni_write_counted_memory(ni, packet, word1, counter, payload, NULL, NI_MODE_PLAIN)
                : ni_write_counted_memory(ni, packet, word1, counter, payload, NULL,
                                          NI_MODE_LOCKED));
}

/* A Write that is not whole: most often something for a counter. */
static NI_NOINLINE ni_status on_special_write(struct ni *ni, struct ni_peer *peer,
                                              const struct ni_packet *packet, uint64_t word0,
                                              uint64_t word1, const uint8_t *payload)
{
    if (payload == (const uint8_t *)&packet->body[5] &&
        (ni_packet_tag(word0) & ~NI_WRITE_HOLD) == 0 && ni_write_is_addition(packet, word1) &&
        ni_write_addition(ni, packet, word1, NULL, NI_MODE_PLAIN)) {
        return NI_OK;
    }
    if (ni_packet_tag(word0) == 0 && ni_packet_head(word0) >= NI_DIRECT_HEAD &&
        !ni_packet_in_bulk(word0) && write_direct_counted(ni, packet, word1, payload)) {
        return NI_OK;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1, payload, NULL);
}

static NI_NOINLINE ni_status on_whole_write(struct ni *ni, struct ni_peer *peer,
                                            const struct ni_packet *packet, uint64_t word0,
                                            uint64_t word1, const uint8_t *payload)
{
    const struct ni_write write = ni_write_of(packet, word0, word1, payload);

    return NI_LIKELY(!ni->threads ? ni_write_memory(ni, peer, &write, NI_MODE_PLAIN)
                                  : ni_write_memory(ni, peer, &write, NI_MODE_LOCKED))
               ? NI_OK
               : ni_arrive_any(ni, peer, packet, word0, word1, payload, NULL);
}

static NI_NOINLINE ni_status on_write(struct ni *ni, struct ni_peer *peer,
                                      const struct ni_packet *packet, uint64_t word0,
                                      uint64_t word1, const uint8_t *payload)
{
    return NI_LIKELY(ni_write_is_whole(packet, word0, word1))
               ? on_whole_write(ni, peer, packet, word0, word1, payload)
               : on_special_write(ni, peer, packet, word0, word1, payload);
}

/* The frequent ones, apart: what all kinds need together would be more than what they do. */
ni_status ni_arrive_line(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                         uint64_t word0, uint64_t word1)
{
    unsigned kind = ni_packet_kind(word0);
    const uint8_t *payload = (const uint8_t *)packet + ni_packet_head(word0);

    if (kind == NI_PACKET_ACK) {
        return ni_packet_len(word1) == 0 ? on_ack(ni, peer, packet, word0, word1)
                                         : on_data(ni, peer, packet, word0, word1);
    }
    if (NI_UNLIKELY(ni->send.spare == NULL)) {
        return ni_arrive_any(ni, peer, packet, word0, word1, payload, NULL);
    }
    if (kind == NI_PACKET_WRITE) {
        return on_write(ni, peer, packet, word0, word1, payload);
    }
    return kind == NI_PACKET_READ ? on_read(ni, peer, packet, word0, word1)
                                  : ni_arrive_atomic(ni, peer, packet, word0, word1);
}

ni_status ni_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                    uint64_t word0, uint64_t word1, const uint8_t *payload, struct ni_lane_rx *lane)
{
    if (ni_packet_is_line_of_memory(word0, word1)) {
        return ni_arrive_line(ni, peer, packet, word0, word1);
    }
    if (ni_packet_kind(word0) == NI_PACKET_WRITE && NI_LIKELY(ni->send.spare != NULL)) {
        return on_write(ni, peer, packet, word0, word1, payload);
    }
    return ni_arrive_any(ni, peer, packet, word0, word1, payload, lane);
}
