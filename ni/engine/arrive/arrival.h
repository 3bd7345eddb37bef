/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ARRIVAL_H
#define NI_ENGINE_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "link/lane.h"
#include "link/packet.h"

/*
 * A packet that arrives, as its handler gets it: what its two words say, read once, and what the
 * handlers have in common. A handler returns as ni_arrive.
 */

struct ni_arrival {
    struct ni *ni;
    struct ni_peer *peer;
    const struct ni_packet *packet;
    const uint8_t *payload;
    struct ni_lane_rx *lane; /* NULL if it came outside of a lane */
    ni_handle region;
    uint32_t len;
    uint16_t tag;
    bool in_bulk;
    bool unacked; /* a Write of which only a refusal is answered */
};

typedef ni_status (*ni_arrive_fn)(const struct ni_arrival *arrival);

/* Whether fields of so many bytes lie before the payload in its packet. */
static inline bool ni_arrival_has_fields(const struct ni_arrival *a, size_t size)
{
    return a->in_bulk
               ? size <= NI_PACKET_BULK_AT - NI_PACKET_HEADER
               : a->len == 0 || a->payload >= (const uint8_t *)a->packet + NI_PACKET_HEADER + size;
}

/* What a packet with these fields names. */
static inline struct ni_remote ni_arrival_remote(const struct ni_arrival *a,
                                                 const struct ni_packet_remote *fields)
{
    return (struct ni_remote){.addr = fields->addr, .key = fields->key, .handle = a->region};
}

/* Bytes of a Write of `compare` bytes, at this offset of it; a refusal is counted. */
ni_status ni_arrival_write(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                           uint64_t offset, const void *from, uint32_t len);
/* Count a refusal. Returns why. */
ni_status ni_arrival_refuse(const struct ni_arrival *a, ni_status why);
/* Answer the peer that asked with a token; 0: nobody wants to know. */
ni_status ni_arrival_answer(const struct ni_arrival *a, uint64_t token, ni_status status,
                            uint64_t value);
/* The same, if it is a refusal. */
ni_status ni_arrival_answer_refusal(const struct ni_arrival *a, uint64_t token, ni_status status);

/* Say that a Write was refused of which only that is answered. */
void ni_answer_unacked(struct ni_peer *peer, uint64_t token, ni_status status);
/* arrive_write.c */
ni_status ni_on_message(const struct ni_arrival *a);
ni_status ni_on_write(const struct ni_arrival *a);
/* arrive_queue.c: what concerns queues but messages to one by its handle */
ni_status ni_on_queue_message(const struct ni_arrival *a);
ni_status ni_on_enqueue(const struct ni_arrival *a, const struct ni_packet_remote *fields);
/* Whether a Read names a queue. */
bool ni_arrival_reads_queue(const struct ni_arrival *a);
ni_status ni_on_dequeue(const struct ni_arrival *a, const struct ni_packet_remote *fields);
/* arrive_note.c */
/* The last packet of a Write, with a note. */
ni_status ni_on_noted(const struct ni_arrival *a, const struct ni_packet_remote *fields);

/* A note whose data is there. NI_AGAIN: not now; nobody was called. */
ni_status ni_note_carry_out(const struct ni_arrival *a, const struct ni_packet_note *note);
/* multipath_in.c */
/* A part arrives; as ni_arrive. */
ni_status ni_on_part(const struct ni_arrival *a, const struct ni_packet_remote *fields);
/* The NI opens. */
void ni_parts_register(struct ni *ni);
/* arrive_read.c */
ni_status ni_on_read(const struct ni_arrival *a);
ni_status ni_on_ack(const struct ni_arrival *a);

#endif
