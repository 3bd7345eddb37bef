/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_SEND_H
#define NI_ENGINE_SEND_H

/*
 * The folder send: packets out, in order, one at a time or as what is left of a long stream; what
 * waits for room. It knows core. Called by whatever has something to say to a peer.
 */

#include <stddef.h>
#include <stdint.h>

#include "engine/core/peer.h"
#include "link/packet.h"

/*
 * Packets out: each is composed in place, in the lane or where the link says, between
 * ni_packet_begin and ni_packet_commit. All with the peer's lock held.
 */

/* A packet with fields of fields_len bytes and a payload of len bytes, in one line, several lines
 * or the bulk area: a place for the fields and one for the payload, whose byte number skew begins a
 * line if that is possible. NI_AGAIN if there is no room. */
ni_status ni_packet_begin(struct ni_peer *peer, uint32_t fields_len, uint32_t skew, uint32_t len,
                          uint8_t **fields, uint8_t **payload);
void ni_packet_commit(struct ni_peer *peer, unsigned kind, uint16_t tag, uint32_t len,
                      ni_handle region);

/* A place of so many lines, for a packet whose head the caller sets in peer->send.open. The peer
 * has an endpoint. */
ni_status ni_packet_reserve(struct ni_peer *peer, uint32_t lines);

/* Have a lane, if the peer's ep->max_bulk is not 0. NI_AGAIN: not now. */
ni_status ni_packet_need_lane(struct ni_peer *peer);

/* Longest payload of one packet towards the peer. */
size_t ni_packet_max(const struct ni_peer *peer);

/* A Write of one word, 4 or 8 bytes, to any region, of which nobody wants to hear again: it waits
 * for room by itself, and is counted in `held`, unless that is NULL, as long as it does. Errors:
 * NOMEM, the peer's. No lock is held. */
ni_status ni_word_post(struct ni_peer *peer, const struct ni_remote *where, uint64_t value,
                       unsigned width, _Atomic uint32_t *held);

#endif
