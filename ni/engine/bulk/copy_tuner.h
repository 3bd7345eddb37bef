/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_COPY_TUNER_H
#define NI_ENGINE_COPY_TUNER_H

#include <stdint.h>

/*
 * Long reads whose bytes the kernel could copy go one of three ways: the peer is asked for them
 * first (pull_request.c), or we copy at once, with the peer's help or alone (copy.c). Which is
 * fastest depends on the processor, the kernel, the caches, on whether the peer computes, and on
 * how many are under way: by a factor of three in either direction. So it is measured: some reads
 * go another way now and then, each of the others in turn, and the fastest one stays until the next
 * trial.
 *
 * What is measured is the time during which reads of about this length were under way, by their
 * bytes: for a read alone how long it takes, for many at once their bandwidth. The way changes when
 * none is under way, and the least of some blocks counts, since a process that loses its core for a
 * while says nothing.
 *
 * Not thread-safe.
 */

enum ni_way {
    NI_WAY_PULL,
    NI_WAY_COPY,
    NI_WAY_ALONE,
};

enum {
    NI_WAY_COUNT = 3,
    /* Each for lengths up to four times as long as those of the one before. */
    NI_COPY_TUNER_CLASSES = 5,
    NI_COPY_TUNER_FIRST = 12, /* the first: from 1 << 12 bytes */
    NI_COPY_TUNER_BLOCK = 4,  /* reads, at least */
    NI_COPY_TUNER_BEST = 128, /* times a trial: reads that go the way that has won */
};

/* Reads of one class. */
struct ni_copy_tuner {
    uint64_t from_ns;            /* since when some are under way */
    uint64_t busy_ns;            /* of this block: for how long some were */
    uint64_t bytes;              /* of those that have ended */
    uint64_t cost[NI_WAY_COUNT]; /* picoseconds for a byte, by way: the least of the blocks of its
                               last turn, or of the end of that; 0: it had none yet */
    uint32_t block;              /* reads in it */
    uint32_t under_way;
    uint32_t trial; /* reads in a trial */
    uint32_t left;  /* reads of this turn to come */
    uint32_t count; /* the first so many ways there are */
    enum ni_way way;
    enum ni_way best;  /* as fast as any: another way has its turn as a trial */
    enum ni_way tried; /* the last one that had a trial */
};

/* The class of a length of 4 KiB or more. */
unsigned ni_copy_tuner_class(uint64_t len);

/* trial: reads in a trial, from 1. count: there are the first so many ways, 2 or all. */
void ni_copy_tuner_init(struct ni_copy_tuner *tuner, uint32_t trial, uint32_t count);

/* A read begins: how it is to go. */
enum ni_way ni_copy_tuner_begin(struct ni_copy_tuner *tuner, uint64_t now_ns);

/* It has ended, however. */
void ni_copy_tuner_end(struct ni_copy_tuner *tuner, uint64_t now_ns, uint64_t len);

#endif
