/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_NOTIFY_H
#define APENI_NOTIFY_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>
#include <apeni/status.h>
#include <apeni/transfer.h>

/*
 * Notification (FORTH-PCI III-C): who learns of a transfer, where, and when.
 *
 *   departure     the source may be used again; the data may be on its way still
 *   note          at the target, behind the last byte of the data, as part of the same transfer: a
 *                 word is written, a counter added to, an item enqueued, or a sleeper woken
 *   completion    the data is there, and so is the note: the ack of transfer.h
 *
 * A transfer of any number of packets notifies once. A note needs no packet of its own where the
 * last packet has the data with it; where the bytes are copied without packets, it is the one
 * packet.
 *
 * INTERRUPT regions are what a note, a Write, or ni_interrupt_raise wakes: each is an eventfd, so
 * that a thread may sleep on it, or on many and on sockets, too, in poll(2). Somebody has to make
 * progress on the NI meanwhile, such as a thread in ni_wait; who sleeps in ni_wait himself is woken
 * by any packet.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;

/* What happens at the target behind the data. By the type of the region:
 *   MEMORY     the aligned 8-byte word at addr becomes value (release: who sees it sees the data)
 *   COUNTER    value is added
 *   QUEUE      value is enqueued, 8 bytes; while it is full, the transfer waits, and what comes
 *              from the same peer with it
 *   INTERRUPT  its sleepers wake */
struct ni_note {
    struct ni_rkey region;
    uint64_t addr; /* MEMORY: in the peer's address space; otherwise 0 */
    uint64_t value;
};

/* As ni_write, with notification. departed is delivered once, before ack, with the bytes of the
 * transfer; also if it fails before it departed: then with the reason. Each of note, departed and
 * ack may be NULL. A note that is refused (no such region, key, bounds, access, alignment) fails
 * the transfer; whether the data was written is open then. */
ni_status ni_write_notify(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                          const struct ni_remote *dst, const struct ni_note *note,
                          const struct ni_ack *departed, const struct ni_ack *ack);

/* Make an INTERRUPT region. *fd becomes readable when it is raised, and gives the number of times
 * to read(2) of 8 bytes, which does not block; it is closed by ni_region_deregister. Errors: SYSTEM
 * (no descriptor left), NOMEM, LIMIT. */
ni_status ni_interrupt_create(struct ni *ni, struct ni_rkey *rkey, int *fd);

/* Raise one of this NI, or of a peer, whose ack (NULL: none) comes when it is raised. The first may
 * be called in a callback, such as the notification of a counter. Errors of the first: REGION; of
 * the second: NOMEM, NI_AGAIN when there is no room, and with the ack REGION, KEY. */
ni_status ni_interrupt_raise(struct ni *ni, ni_handle interrupt);
ni_status ni_interrupt_raise_remote(struct ni *ni, struct ni_peer *peer,
                                    const struct ni_rkey *interrupt, const struct ni_ack *ack);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
