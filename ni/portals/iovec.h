/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_IOVEC_H
#define NI_PORTALS_IOVEC_H

#include <stdatomic.h>
#include <stdint.h>

#include "portals/kept.h"
#include "portals/message.h"

/* I/O vectors. */

/* A block to which the elements of a vector were copied: with a reference for whoever puts it, and
 * one for the put if it stays open. */
struct ni_packed {
    _Atomic uint32_t references;
    uint8_t data[];
};

void ni_packed_drop(struct ni_packed *packed); /* NULL: nothing */

/* The same entry, its length in bytes: NI_OK, or NI_PTL_ARG_INVALID. */
int ni_me_measure(const struct ni *ni, const struct ni_me *me, struct ni_me *measured);
/* Copy a message's data to where it goes, which may overlap. data: of target->mlength bytes, from an
 * offset in the entry. */
void ni_target_write(struct ni_target *target, uint64_t offset, const void *data);
/* Have it come from its initiator; ends with ni_kept_delivered. The target is a vector. */
void ni_iovec_fetch(struct ni *ni, struct ni_kept *kept);
void ni_kept_delivered(struct ni *ni, struct ni_kept *kept, enum ni_ni_fail fail);
/* ni_put of a descriptor that is a vector, or whose arguments are wrong. */
NI_COLD int ni_put_vector(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                          uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                          uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                          void *user_ptr, uint64_t hdr_data);

#endif
