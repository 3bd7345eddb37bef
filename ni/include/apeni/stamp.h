/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_STAMP_H
#define APENI_STAMP_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * Time stamps: when a packet was posted, departed, arrived and was delivered. An NI whose parameter
 * `stamps` is not 0 has each packet with a message, a request or data of one followed by another
 * that says when it was posted and when it departed, and keeps what it has learnt of the last
 * `stamps` packets that arrived so. Both NIs need it: the sender sends times, the receiver keeps
 * them. With 0 nothing of this runs.
 *
 *   post     the call began that the packet is of; a packet that waited for room was posted then,
 *            too. One that the program was refused (NI_AGAIN) was posted when it asked again.
 *   depart   it was published to its receiver, or handed to the link between hosts
 *   arrive   the receiver found it
 *   deliver  the receiver had done what it asks for: its consumer or handler has returned, its
 *            bytes are in memory, in the queue or with the unexpected messages. Of a long put and
 *            of a get that is so for the header; the data moves afterwards.
 *
 * A transfer of several packets has these times for each of them. What needs no packet, such as
 * memory that the kernel copies, has none, nor have answers and the parts of a transfer over
 * several rails.
 *
 * Clock. All are nanoseconds of CLOCK_MONOTONIC of the receiver's host. Each is read within
 * error_ns of its event, which is what the clock takes to be read. Where the sender has another
 * clock, because it is on another host, its two times are converted by the difference of the
 * clocks, known from the fastest packets in both directions in the last second or two: error_ns is
 * half of the time that these took together, and the truth of the converted times is within that.
 * It is NI_STAMP_UNKNOWN as long as nothing has come back; post and depart are then the sender's
 * own numbers.
 *
 * What the mode costs: a line more for each packet, and none of the inline ways. Nothing else
 * changes: writes without an ack are answered together then, too, and refused ones are told by
 * ni_flush.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;

#define NI_STAMP_UNKNOWN UINT64_MAX

struct ni_stamp {
    struct ni_peer *source;
    const char
        *kind;    /* "message", "write", "read", "atomic", "put", "long put", "get", "combine" */
    uint32_t len; /* payload of the packet in bytes */
    uint16_t tag; /* of a message; index of a put in the portal table */
    uint64_t post, depart, arrive, deliver; /* ns */
    uint64_t error_ns;
};

/* Copy up to *count of what is kept, oldest first, from number *next on, which is 0 at first; sets
 * *count to how many there were, and *next to what comes after them. What was written over
 * meanwhile is left out. NI_ERR_INVALID; NI_ERR_UNSUPPORTED: the NI keeps none. Takes the progress
 * lock. */
ni_status ni_stamps_read(struct ni *ni, uint64_t *next, struct ni_stamp *stamps, size_t *count);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
