/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_COUNTER_H
#define APENI_COUNTER_H

#include <apeni/region.h>
#include <apeni/transfer.h>

/*
 * COUNTER regions (FORTH-CC 2.3, 3.2): a signed 64-bit counter with atomic add-on-store. A session
 * of any number of transfers, over any path and in any order, arms one with minus the number of
 * bytes and names it as ack address; at zero its notifications leave, up to four.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { NI_COUNTER_NOTIFICATIONS = 4 };

/* Make a COUNTER region with an initial value. */
ni_status ni_counter_create(struct ni *ni, int64_t value, struct ni_rkey *rkey);

/* Add a notification for the next time the counter becomes zero and every later time: a local
 * ack address. NI_ERR_LIMIT beyond four. */
ni_status ni_counter_notify(struct ni *ni, ni_handle counter, const struct ni_ack *ack);

/* Add to the counter. */
ni_status ni_counter_add(struct ni *ni, ni_handle counter, int64_t value);

/* Its present value. */
ni_status ni_counter_read(struct ni *ni, ni_handle counter, int64_t *value);

/* Add value to a peer's counter; the ack is optional (NULL). */
ni_status ni_counter_add_remote(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                                int64_t value, const struct ni_ack *ack);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
