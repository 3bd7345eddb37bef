/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LOFAMO_MANAGER_H
#define DNP_LOFAMO_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/link.h"
#include "dnp/lofamo/health.h"
#include "dnp/lofamo/lifama.h"
#include "dnp/lofamo/watch.h"
#include "dnp/registers.h"

/*
 * The DNP fault manager (APEnet+ 2.2), which works while fault_mask's enable bit is set.
 *
 *   each T_read    host_watchdog --valid?--> host's status, or host lost; made invalid
 *   each T_write   links, core, sensors, emulation, mask --> dnp_watchdog, made valid
 *                  neighbours' messages ------------------> remote_fault, dnp_watchdog
 *   after both     card's and host's status --------------> messages to the neighbours
 *
 * Neighbours are told while the host cannot tell anybody itself: while it is lost, or says that its
 * service network is not normal, or asks for it by its send bit. Otherwise there is no message.
 *
 * What the host has not seen is not lost (ours): a register that is still valid keeps the worst of
 * each field until the host makes it invalid; the next write has what is then. remote_fault is made
 * valid only when it changes, so that a host that makes it invalid has acknowledged it.
 *
 * A host that stops, says that its service network is broken or has an error is known
 *
 *   in its card                          2 T_read after it at the latest
 *   in the neighbours' cards    a credit + T_write later
 *   in the neighbours' hosts               T_read later, theirs
 *
 * Time is in cycles. Nothing happens between two times that are due. Not thread-safe.
 */
struct dnp_lofamo {
    struct dnp_register_file *registers;
    struct dnp_link *link; /* all of them */
    bool enabled;
    uint64_t read_at;
    uint64_t written_at;
    struct dnp_watch watch;
    bool put_off;  /* the next read was */
    uint32_t host; /* fault words: of the host */
    uint32_t card; /* of the card, what is masked left out */
    bool send;     /* the host asks for messages */
    struct dnp_link_health health[DNP_LINKS];
    struct dnp_core_health core;
    struct dnp_lifama lifama[DNP_LINKS];
    uint32_t shown[DNP_LINKS]; /* what remote_fault was set to */
};

/* A manager that is not enabled. All of the card's links; both have to stay. */
void dnp_lofamo_init(struct dnp_lofamo *lofamo, struct dnp_register_file *registers,
                     struct dnp_link *links);

/* When there is something to do, if no register changes: a time that has passed: now. */
uint64_t dnp_lofamo_due(const struct dnp_lofamo *lofamo);

/* Do what is due. work: what waits in the core now. */
void dnp_lofamo_step(struct dnp_lofamo *lofamo, const struct dnp_core_work *work, uint64_t now);

/* The card has been away until now, for a time that its clock does not count, perhaps together with
 * its host: it writes at once, and gives the host T_write to do so, once for each read. */
void dnp_lofamo_away(struct dnp_lofamo *lofamo, uint64_t now);

/* What neighbours are told now: a diagnostic message, or 0. */
uint32_t dnp_lofamo_message(const struct dnp_lofamo *lofamo);

#endif
