/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_ARRIVE_H
#define NI_PORTALS_ARRIVE_H

#include <stdint.h>

#include "portals/entry.h"
#include "portals/message.h"

/* What peers send: incoming.c, and plain.c, which is in a hurry. */

/* A put with all its data, payload; from says all but its portal table entry. */
ni_status ni_put_arrives(struct ni *ni, unsigned pt_index, struct ni_arriving *from,
                         const uint8_t *payload);
/* The same, of which all is known; entry is what was found for it, or NULL. portals->lock is held,
 * and given back. */
ni_status ni_put_matched(struct ni *ni, struct ni_arriving *from, struct ni_entry *entry,
                         const uint8_t *payload);

ni_status ni_portals_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                            uint64_t word0, uint64_t word1, const uint8_t *payload);

ni_status ni_put_arrives_plain(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                               uint64_t word0, uint64_t word1, const uint8_t *payload);

#endif
