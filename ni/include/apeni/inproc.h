/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_INPROC_H
#define APENI_INPROC_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * A fabric of NIs in one process: for tests, simulation and programs whose ranks are threads.
 * Thousands of NIs can share one. With a seed, which NI's packets move next is drawn from a
 * repeatable generator; faults (fault.h) strike packets on their way.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni_fabric;

struct ni_fabric_attr {
    /* 0: packets move as soon as they can; otherwise order between senders is random, repeatable */
    uint64_t seed;
    size_t ring_size;   /* bytes per direction of a pair, 0 = 4096 */
    size_t bulk_size;   /* copy-in area per direction of a pair, 0 = 16 KiB */
    int no_direct_copy; /* behave as if address spaces could not be copied directly */
};

ni_status ni_fabric_create(const struct ni_fabric_attr *attr, struct ni_fabric **fabric);

/* All NIs on it must be closed. */
void ni_fabric_destroy(struct ni_fabric *fabric);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
