/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_SEND_H
#define NI_ENGINE_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/peer.h"
#include "link/packet.h"

/*
 * Packets out. One is composed in place, in the lane or where the link says, between
 * ni_packet_begin and ni_packet_commit. What finds no room waits in its peer's lists: control
 * packets (acks, requests) in order and before all else, then puts, then streams.
 */

/* A small packet that waits for room in the lane. */
struct ni_control {
    struct ni_list list;
    uint64_t word0, word1;
    uint64_t body[6];
};

/* A packet with fields of fields_len bytes and a payload of len bytes, in one line, several lines
 * or the bulk area: a place for the fields and one for the payload, whose byte number skew begins a
 * line if that is possible. NI_AGAIN if there is no room. The peer's lock is held until
 * ni_packet_commit. */
ni_status ni_packet_begin(struct ni_peer *peer, uint32_t fields_len, uint32_t skew, uint32_t len,
                          uint8_t **fields, uint8_t **payload);
void ni_packet_commit(struct ni_peer *peer, unsigned kind, uint16_t tag, uint32_t len,
                      ni_handle region);

/* Longest payload of one packet towards the peer. The peer's lock is held. */
size_t ni_packet_max(const struct ni_peer *peer);

/* Send a packet whose fields are in body (up to 48 bytes, the payload included: head + len <= 64);
 * never fails for lack of room: it waits in order. Returns the peer's status; NI_ERR_NOMEM for a
 * request that could not be made to wait. No lock is held. */
ni_status ni_send_control(struct ni_peer *peer, unsigned kind, unsigned head, uint16_t tag,
                          uint32_t len, ni_handle region, const void *body, size_t body_len);

/* Whether one answer can be sent, or made to wait, whatever happens. Whoever has the turn. */
bool ni_send_can_answer(struct ni *ni);

/* Have a put sent when there is room. The peer's lock is held. */
void ni_send_queue_put(struct ni_peer *peer, struct ni_list *put);

/* Send what waits for one peer, as far as there is room. The peer's lock is held. Returns packets
 * sent. */
unsigned ni_send_waiting(struct ni_peer *peer);

/* Send what waits; whether something else may go then. The peer's lock is held. */
bool ni_send_turn(struct ni_peer *peer);

/* Let what waits for all peers go on. */
unsigned ni_send_progress(struct ni *ni);

#endif
