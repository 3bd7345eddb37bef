/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_PROCESS_H
#define RECORD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct record_head;

/* The state of a process as in /proc, X from when it begins to end, and when it started, in clock
 * ticks after the host's start; 0 if there is no such process, '?' if that cannot be told.
 * Thread-safe. */
char record_process_state(uint32_t pid, uint64_t *start);

/* The namespace of process ids that this process is in; 0 if the kernel does not tell. */
uint64_t record_process_space(void);

/* Whether the process of a record is on another host, or in another namespace of process ids: this
 * one cannot tell then whether it lives. */
bool record_is_elsewhere(const struct record_head *head);

/* Whether the process of a record lives, as far as can be told, and whether it is stopped.
 * Thread-safe. */
bool record_process_lives(const struct record_head *head, bool *stopped);

#endif
