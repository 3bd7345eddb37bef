/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_MULTIPATH_H
#define APENI_MULTIPATH_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/ni.h>
#include <apeni/notify.h>
#include <apeni/transfer.h>

/*
 * Multipath (FORTH-PCI III-E, FORTH-CC 2.3): several rails, which are parallel links, from one NI
 * to another, over which the packets of a long transfer are spread. They arrive in any order and go
 * to their places at once; that all are there is found out in one of two ways.
 *
 *   NI_MULTIPATH_COUNTERS     the target counts bytes. A transfer completes as soon as its own are
 *                             there. Against messages, and other transfers, it keeps no order.
 *   NI_MULTIPATH_RESEQUENCE   the target puts headers in order. A transfer completes when all
 *                             packets sent before its last one are there, and keeps its place: a
 *                             message sent after it arrives after it, one sent before arrives
 *                             before it.
 *
 * In both, notes, acks and departures come once, when every byte is there (departure: has left).
 * Messages, puts, atomics, stores, and whatever fits one packet go over the first rail only, and
 * keep their order as they do without multipath.
 *
 * How many rails and which way is said when an NI is opened, or by the parameters `rails` and
 * `multipath`; a Write may say it for itself. The answer to a Read goes as the NI wants that sends
 * it. What is copied without packets, because the peer's memory can be reached, is not spread.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* As ni_write_notify, spread as `how` says. note, departed and ack may be NULL. Errors: INVALID
 * (how is none of enum ni_multipath), those of ni_write_notify. */
ni_status ni_write_multipath(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                             const struct ni_remote *dst, const struct ni_note *note,
                             const struct ni_ack *departed, const struct ni_ack *ack,
                             enum ni_multipath how);

/* Rails to a peer: 1 until a transfer was spread. packets[i], i < most, becomes the number of
 * packets of such transfers that went over rail i; packets may be NULL if most is 0. Any thread
 * that may call the NI. */
unsigned ni_rails(const struct ni *ni, struct ni_peer *peer, uint64_t *packets, unsigned most);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
