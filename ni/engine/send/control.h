/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_CONTROL_H
#define NI_ENGINE_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"

/*
 * Control packets: requests and answers of one line. They find room, or wait in order before all
 * else that goes to their peer; Reads wait behind it, in an order of their own.
 */

/* One that waits for room in the lane. */
struct ni_control {
    struct ni_list list; /* in peer->send.controls or requests */
    uint64_t word0, word1;
    uint64_t body[6];
    uint64_t posted; /* see stamps.h */
    /* Of the caller that wants to know when it has left: one more while this waits. NULL: nobody.
     * Its memory stays until it is 0; pairs with an acquire load of that. */
    _Atomic uint32_t *held;
};

/* Send a packet whose fields are in body (up to 48 bytes, the payload included: head + len <= 64);
 * never fails for lack of room. Returns the peer's status; NI_ERR_NOMEM for a request that could
 * not be made to wait. No lock is held. */
ni_status ni_send_control(struct ni_peer *peer, unsigned kind, unsigned head, uint16_t tag,
                          uint32_t len, ni_handle region, const void *body, size_t body_len);
/* The same, composed by the caller; a copy of it waits. */
ni_status ni_send_composed(struct ni_peer *peer, const struct ni_control *control);

/* Whether one answer can be sent, or made to wait, whatever happens. The progress lock
 * is held. */
bool ni_send_can_answer(struct ni *ni);

/* Those that wait are a send source. The NI opens. */
void ni_controls_register(struct ni *ni);

#endif
