/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_TASKS_LOCKED_H
#define OSU_TASKS_LOCKED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Queues of tasks by software alone, between threads, or processes that share memory at the same
 * address: a circular buffer, written under one lock and read under another (or under none by a
 * single reader), each with what it protects on a line of its own. The other side's count is looked
 * at again only where the last look says full or empty, so that neither line moves with each task.
 */

enum { APART = 128, TASK_MAX = 64 }; /* prefetchers fetch lines in pairs */

enum lock_kind { LOCK_TICKET, LOCK_MCS, LOCK_KINDS };

/* Of one party, for one lock at a time. */
struct mcs_node {
    _Alignas(APART) struct mcs_node *_Atomic next;
    atomic_bool wait;
};

struct lock {
    enum lock_kind kind;
    _Atomic uint32_t ticket, serving;
    struct mcs_node *_Atomic tail;
};

struct locked_queue {
    _Alignas(APART) struct lock write_lock;
    uint64_t written;   /* the writers' own count */
    uint64_t read_seen; /* what they know of the reader's */
    _Alignas(APART) struct lock read_lock;
    uint64_t read;
    uint64_t written_seen;
    _Alignas(APART) _Atomic uint64_t tail; /* written: release, pairs with the readers' acquire */
    _Alignas(APART) _Atomic uint64_t head; /* read: release, pairs with the writers' acquire */
    _Alignas(APART) uint64_t capacity;     /* a power of two */
    size_t size;
    bool one_reader;
    uint8_t *tasks; /* capacity times size bytes */
};

void locked_init(struct locked_queue *queue, enum lock_kind kind, uint64_t capacity, size_t size,
                 bool one_reader, uint8_t *tasks);
/* False: full, or empty. */
bool locked_put(struct locked_queue *queue, struct mcs_node *node, const void *task);
bool locked_get(struct locked_queue *queue, struct mcs_node *node, void *task);

/* What everybody does who waits: pause, and yield at times. Where parties share cores, after as
 * many looks as were found best: with 25 and fewer, locks are at times held by who does not run in
 * whole rounds, and the queues take twenty times as long. */
enum task_spins { SPINS_LOCKED = 50, SPINS_NI = 4 };

void task_relax(unsigned *spins, enum task_spins crowded);
void task_set_crowded(bool crowded);

#endif
