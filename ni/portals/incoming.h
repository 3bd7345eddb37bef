/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_INCOMING_H
#define NI_PORTALS_INCOMING_H

#include "portals/portals.h"

/* A packet to the PORTAL region, of a peer that may say anything. */
struct ni_packet_in {
    struct ni *ni;
    struct ni_peer *peer;
    const struct ni_packet *packet;
    const uint8_t *payload;
    uint32_t len;
    uint32_t region;
    uint16_t tag;
    bool in_bulk;
};

/* Whether fields of so many bytes lie before the payload. */
static inline bool ni_packet_in_has(const struct ni_packet_in *in, size_t size)
{
    return in->in_bulk ? size <= NI_PACKET_BULK_AT - NI_PACKET_HEADER
                       : in->len == 0 ||
                             in->payload >= (const uint8_t *)in->packet + NI_PACKET_HEADER + size;
}

/* ---- request_in.c ---------------------------------------------------------------------------- */

ni_status ni_on_get(const struct ni_packet_in *in);
ni_status ni_on_combine(const struct ni_packet_in *in);
ni_status ni_on_reply(const struct ni_packet_in *in);

#endif
