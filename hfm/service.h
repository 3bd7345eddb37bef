/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_SERVICE_H
#define HFM_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/lofamo/fault.h"

/*
 * The service network monitor of Table 7: an snet_ping to the master each period. If no snet_pong
 * has come by the end of it, another is sent and another period waited; if none comes then, the
 * service network is broken, until one comes.
 *
 *   normal --a period without a pong--> asking again --another--> broken
 *   any of them --pong--> normal
 *
 * A period at whose end the monitor is late, by another or more, does not count, however often that
 * is so (ours): who was late accuses nobody. Those before and after it do, as if there had been
 * none between. Pongs that came have to be given to it before a step. A function of its state and
 * the time, which is in any unit. Not thread-safe.
 */
struct hfm_service {
    uint64_t period;
    uint64_t asked_at;
    uint64_t asked;  /* number of the last ping, from 1; 0: none */
    unsigned missed; /* periods without a pong that count, one behind the other: 2 at most */
    bool answered;   /* a pong came since the last ping */
};

/* The first ping is due at once. */
void hfm_service_init(struct hfm_service *service, uint64_t period, uint64_t now);

/* When there is something to do. */
uint64_t hfm_service_due(const struct hfm_service *service);

/* Do what is due. Returns whether to send a ping with the number `asked`. */
bool hfm_service_step(struct hfm_service *service, uint64_t now);

/* A pong has come, with the number of the ping that it answers. Those of pings that are older than
 * the last two, or were never sent, say nothing. */
void hfm_service_pong(struct hfm_service *service, uint64_t number);

/* DNP_NORMAL or DNP_BROKEN. */
enum dnp_status hfm_service_status(const struct hfm_service *service);

#endif
