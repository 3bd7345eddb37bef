/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LOFAMO_LIFAMA_H
#define DNP_LOFAMO_LIFAMA_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/link.h"
#include "dnp/lofamo/fault.h"

/*
 * The link fault manager (APEnet+ 2.3): diagnostic messages in the spare bits of a link's credits.
 *
 *   message --> waiting --the one before has left--> link.tx.spare --each credit--> link.rx
 *
 * All credits carry the message, or none when there is none (ours): so one that is lost is made
 * good by the next, and a card that begins anew tells nothing old. A message that has to wait joins
 * those that wait already, of each field the worst, so that at least one credit says "broken".
 */
struct dnp_lifama {
    uint32_t waiting; /* 0: nothing waits */
};

/* This is the message now. */
static inline void dnp_lifama_tell(struct dnp_lifama *lifama, struct dnp_link *link,
                                   uint32_t message)
{
    lifama->waiting = dnp_fault_worst(lifama->waiting, message);
    if (link->tx.spare == link->tx.told_spare) {
        link->tx.spare = lifama->waiting;
        lifama->waiting = 0;
    }
}

/* Whether a message has not left yet. */
static inline bool dnp_lifama_busy(const struct dnp_link *link)
{
    return link->tx.spare != link->tx.told_spare;
}

/* What the neighbour told since this was asked last, of each field the worst: a message, or 0. */
static inline uint32_t dnp_lifama_heard(struct dnp_link *link)
{
    uint32_t heard = link->rx.spare_worst;

    link->rx.spare_worst = link->rx.spare;
    return heard;
}

#endif
