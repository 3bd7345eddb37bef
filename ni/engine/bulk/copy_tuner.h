/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_COPY_TUNER_H
#define NI_ENGINE_COPY_TUNER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/parts.h"

/*
 * Long reads whose bytes the kernel could copy go one of three ways: the peer is asked for them
 * first (pull_request.c), or we copy at once, with the peer's help or alone (copy.c). Which is
 * fastest depends on the processor, the kernel, the caches, on whether the peer computes, and on
 * how many are under way: by a factor of three in either direction. So it is measured: some reads
 * go another way now and then, each of the others in turn, and the fastest one stays until the next
 * trial. Trials are frequent at first, when memory is still being allocated, and become rare while
 * the others clearly lose, until the best is no longer what it was.
 *
 * What is measured is the time during which reads of about this length were under way, by their
 * bytes: for a read alone how long it takes, for many at once their bandwidth. The way changes when
 * none is under way, and the least of some blocks counts, since a process that loses its core for a
 * while says nothing.
 *
 * Not thread-safe.
 */

enum {
    NI_COPY_TUNER_FIRST = 12, /* the first: from 1 << 12 bytes */
    NI_COPY_TUNER_BLOCK = 4,  /* reads, at least */
    /* Of a turn, at least, so many or with so many bytes: the first reads may find that memory is
     * still to be allocated. */
    NI_COPY_TUNER_BLOCKS = 2,
    NI_COPY_TUNER_BLOCK_BYTES = 8 << 20,
    NI_COPY_TUNER_WARM = 32 << 20, /* bytes after which that is no longer so */
    /* Reads that go the way that has won, as many as 1 << so many trials: */
    NI_COPY_TUNER_STAY = 5,    /* at first, */
    NI_COPY_TUNER_NEAR = 7,    /* and at most where another is nearly as fast, */
    NI_COPY_TUNER_LONGEST = 11 /* or none is. */
};

/* The class of a length of 4 KiB or more. */
unsigned ni_copy_tuner_class(uint64_t len);

/* trial: reads in a trial, from 1. count: there are the first so many ways, 2 or all. settled:
 * trials are rare from the beginning, since they cost much where peers seldom run. */
void ni_copy_tuner_init(struct ni_copy_tuner *tuner, uint32_t trial, uint32_t count, bool settled);

/* A read begins: how it is to go. */
enum ni_way ni_copy_tuner_begin(struct ni_copy_tuner *tuner, uint64_t now_ns);

/* It has ended, however. */
void ni_copy_tuner_end(struct ni_copy_tuner *tuner, uint64_t now_ns, uint64_t len);

#endif
