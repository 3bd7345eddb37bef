/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_BTL_APELINK_PARTS_H
#define MCA_BTL_APELINK_PARTS_H

#include "btl_apelink/btl_apelink.h"

/*
 * Messages in parts: for the rare peer to which the link takes less than the eager limit at a time,
 * such as when there is no memory left for a ring of its own. The upper layer wants a message in
 * one piece, so the receiver puts it together.
 *
 * On the wire each part is a message whose tag is the upper layer's with MCA_BTL_APELINK_PART set,
 * and begins with struct mca_btl_apelink_part. Parts of one message leave in order and from the
 * head of the queue of what waits, so those of two messages never mix; whole messages of other
 * threads may come between.
 */

enum {
    MCA_BTL_APELINK_PART = 0x100,         /* in the core's tag, which has 16 bits */
    MCA_BTL_APELINK_PARTS_MOST = 32 << 20 /* bytes; above all limits that users can set */
};

/* Before the data of each part. */
struct mca_btl_apelink_part {
    uint32_t total;  /* bytes of the message */
    uint32_t offset; /* of this part */
};
_Static_assert(sizeof(struct mca_btl_apelink_part) == 8, "two words on the wire");

/* Whether the link to the peer takes a message of so many bytes only in parts. */
bool mca_btl_apelink_needs_parts(const mca_btl_apelink_endpoint_t *endpoint, size_t size);

/* Send what is left of a descriptor, as far as there is room; true when all of it is sent. */
bool mca_btl_apelink_push_parts(mca_btl_apelink_frag_t *frag);

/* A part has arrived; hands on the message that it completes. Parts that make no sense are dropped,
 * with what they belong to. False if this one was. */
bool mca_btl_apelink_recv_part(mca_btl_apelink_module_t *module,
                               const struct ni_message_info *message);

/* Forget messages that a peer, or with NULL all peers, will not complete. */
void mca_btl_apelink_drop_parts(mca_btl_apelink_module_t *module, const struct ni_peer *peer);

#endif
