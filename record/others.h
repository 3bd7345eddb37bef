/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_OTHERS_H
#define RECORD_OTHERS_H

#include "record/record.h"

/* The record of a process of this job on this host, as it was when it was looked at. */
struct record_seen {
    struct record_head head;
    struct record_call_entry calls[RECORD_CALLS];
    const char *path; /* of its file, until the visitor returns */
    int fd;           /* open for reading, until then */
    bool lives;
    bool stopped;
    bool elsewhere; /* whether it lives cannot be told: process ids are others there */
};

/* Call `visit` with each record of this job in the folder of ours, our own among them. Thread-safe.
 */
void record_each(void (*visit)(struct record_seen *seen, void *arg), void *arg);

/* Whether a record can be of a process of this job: where jobs that had the same number have left
 * theirs, those have ended before ours began. */
bool record_is_of_our_time(const struct record_head *head);

/* What the first of its threads that is in MPI does; NULL if none is. */
const struct record_call_entry *record_current_call(const struct record_seen *seen);

#endif
