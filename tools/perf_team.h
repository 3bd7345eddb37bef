/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PERF_TEAM_H
#define TOOLS_PERF_TEAM_H

#include "perf_side.h"

/*
 * Between the process that directs and its workers: a socket to each, of packets in this order.
 *
 *   worker -> director   struct perf_hello (over inproc, where there is one worker, nothing)
 *   director -> worker   struct perf_hello          of the other worker of the pair
 *   leader -> director   struct perf_ready          when the pair has exchanged messages
 *   director -> worker   struct perf_cell           until the socket is closed
 *   leader -> director   struct perf_result         for each cell
 */

struct perf_ready {
    uint64_t message_max; /* bytes */
    char describe[128];
};

/* Memory that all workers share. */
struct perf_shared {
    struct perf_pair pair[PERF_PAIRS_MAX];
    /* Leaders begin each rep together: those that have come (release), and how often all have. */
    _Alignas(256) _Atomic uint32_t arrived;
    _Atomic uint32_t rounds;
    _Atomic uint32_t last; /* by leader 0: the rep that is not begun any more */
};

struct perf_worker {
    const struct perf_setup *setup;
    struct perf_shared *shared;
    unsigned pair;
    bool leader;
    int socket;
};

/* Be a worker, until the socket is closed. */
_Noreturn void perf_worker_run(const struct perf_worker *worker);

/* Whole packets; false at the end. Fail with a sentence on errors. */
bool perf_packet_receive(int socket, void *packet, size_t size);
void perf_packet_send(int socket, const void *packet, size_t size);

#endif
