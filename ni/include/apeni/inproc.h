/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_INPROC_H
#define APENI_INPROC_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * A fabric of NIs in one process: for tests, simulation and programs whose ranks are threads.
 * Thousands of NIs can share one; each belongs to its own thread, or to any if it was opened with
 * NI_THREADS.
 *
 * Without a seed packets are visible as soon as they were sent. With one, which sender's packets
 * move next is drawn from a repeatable generator: equal seeds and equal calls in one thread give
 * equal orders of events. The packets of one sender to one receiver keep their order.
 *
 * Faults (fault.h) strike packets on their way, from the moment when they are armed:
 *   drop       lost: both sides of the connection see NI_ERR_PROTOCOL once the gap is noticed
 *   truncate   arrives cut: both sides see NI_ERR_PROTOCOL
 *   corrupt    arrives with a header that no correct peer sends: both sides see NI_ERR_PROTOCOL
 *   dup        arrives twice: the second one is discarded
 *   delay      waits, and what the same sender sent after it waits behind it
 * Fabrics on which a fault was armed stay slower than others.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni_fabric;

struct ni_fabric_attr {
    /* 0: packets move as soon as they can; otherwise order between senders is random, repeatable */
    uint64_t seed;
    /* Bytes per direction of a pair that has exchanged something: 512 to 1 MiB, rounded up to a
     * power of two; 0 = 4096. */
    size_t ring_size;
    /* The same for the copy-in area, from which memory is taken as it is used: 64 to 64 MiB; 0 =
     * 16 KiB. */
    size_t bulk_size;
    int no_direct_copy; /* behave as if address spaces could not be copied directly */
};

/* Make a fabric; attr NULL is all zero. NI_ERR_INVALID (a size out of range, logged),
 * NI_ERR_NOMEM. Thread-safe. */
ni_status ni_fabric_create(const struct ni_fabric_attr *attr, struct ni_fabric **fabric);

/* All NIs on it must be closed; otherwise an error is logged and the fabric stays. NULL is
 * allowed. */
void ni_fabric_destroy(struct ni_fabric *fabric);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
