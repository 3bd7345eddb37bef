/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_START_H
#define RECORD_START_H

#include <stdbool.h>
#include <stdint.h>

/* Which process it is that records, and where. */
struct record_process {
    const char *directory; /* of files in memory, the same for all processes of a host */
    uint32_t job;          /* a number that no other job of the user has now */
    uint32_t rank, size;   /* in the job */
    uint32_t peers;        /* the most that have an entry of their own, 1 to 65534 */
    bool threads;          /* several may be in MPI at the same time */
    const char *host;
    const char *below; /* what carries its messages */
};

/* Begin to record. Returns NULL, or why there is no record: a text that is valid until the next
 * call. For one thread, before anything is counted. */
const char *record_start(const struct record_process *process);

/* What comes now is the end of MPI. For one thread, after the last has counted. */
void record_finish(void);

/* All that the record says has been written elsewhere: its file goes. The memory stays: variables
 * of the program may refer to it. */
void record_stop(void);

#endif
