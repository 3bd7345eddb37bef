/* SPDX-License-Identifier: BSD-3-Clause */
#include "tasks/locked.h"

#include <sched.h>
#include <string.h>

/* With a core for each. */
enum { SPINS_ALONE = 20000 };

static bool is_crowded;

void task_set_crowded(bool crowded)
{
    is_crowded = crowded;
}

void task_relax(unsigned *spins, enum task_spins crowded)
{
    if (++*spins < (is_crowded ? (unsigned)crowded : (unsigned)SPINS_ALONE)) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    } else {
        *spins = 0;
        sched_yield();
    }
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* A thread that is next but n waits n times as long before it looks again. */
static void ticket_take(struct lock *lock)
{
    uint32_t mine = atomic_fetch_add_explicit(&lock->ticket, 1, memory_order_relaxed);
    unsigned spins = 0;
    uint32_t now;

    /* Pairs with the release of ticket_give. */
    while ((now = atomic_load_explicit(&lock->serving, memory_order_acquire)) != mine) {
        for (uint32_t before = mine - now; before != 0; before--) {
            task_relax(&spins, SPINS_LOCKED);
        }
    }
}

static void ticket_give(struct lock *lock)
{
    uint32_t next = atomic_load_explicit(&lock->serving, memory_order_relaxed) + 1;

    atomic_store_explicit(&lock->serving, next, memory_order_release);
}

static void mcs_take(struct lock *lock, struct mcs_node *node)
{
    struct mcs_node *before;
    unsigned spins = 0;

    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&node->wait, true, memory_order_relaxed);
    /* Acquire: pairs with the release by which the last holder left; release: our node is ready. */
    before = atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
    if (before == NULL) {
        return;
    }
    atomic_store_explicit(&before->next, node, memory_order_release);
    /* Pairs with the release of mcs_give. */
    while (atomic_load_explicit(&node->wait, memory_order_acquire)) {
        task_relax(&spins, SPINS_LOCKED);
    }
}

static void mcs_give(struct lock *lock, struct mcs_node *node)
{
    struct mcs_node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    struct mcs_node *expected = node;
    unsigned spins = 0;

    if (next == NULL) {
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL,
                                                    memory_order_release, memory_order_relaxed)) {
            return;
        }
        while ((next = atomic_load_explicit(&node->next, memory_order_acquire)) == NULL) {
            task_relax(&spins, SPINS_LOCKED);
        }
    }
    atomic_store_explicit(&next->wait, false, memory_order_release);
}

static void take(struct lock *lock, struct mcs_node *node)
{
    if (lock->kind == LOCK_TICKET) {
        ticket_take(lock);
    } else {
        mcs_take(lock, node);
    }
}

static void give(struct lock *lock, struct mcs_node *node)
{
    if (lock->kind == LOCK_TICKET) {
        ticket_give(lock);
    } else {
        mcs_give(lock, node);
    }
}

/* ---- the queue ------------------------------------------------------------------------------- */

void locked_init(struct locked_queue *queue, enum lock_kind kind, uint64_t capacity, size_t size,
                 bool one_reader, uint8_t *tasks)
{
    memset(queue, 0, sizeof(*queue));
    queue->write_lock.kind = kind;
    queue->read_lock.kind = kind;
    queue->capacity = capacity;
    queue->size = size;
    queue->one_reader = one_reader;
    queue->tasks = tasks;
}

static uint8_t *place(const struct locked_queue *queue, uint64_t count)
{
    return queue->tasks + (count & (queue->capacity - 1)) * queue->size;
}

/* Under the write lock. */
static bool put(struct locked_queue *queue, const void *task)
{
    if (queue->written - queue->read_seen == queue->capacity) {
        queue->read_seen = atomic_load_explicit(&queue->head, memory_order_acquire);
        if (queue->written - queue->read_seen == queue->capacity) {
            return false;
        }
    }
    memcpy(place(queue, queue->written), task, queue->size);
    atomic_store_explicit(&queue->tail, ++queue->written, memory_order_release);
    return true;
}

bool locked_put(struct locked_queue *queue, struct mcs_node *node, const void *task)
{
    bool done;

    take(&queue->write_lock, node);
    done = put(queue, task);
    give(&queue->write_lock, node);
    return done;
}

/* Under the read lock, or by the only reader. */
static bool get(struct locked_queue *queue, void *task)
{
    if (queue->read == queue->written_seen) {
        queue->written_seen = atomic_load_explicit(&queue->tail, memory_order_acquire);
        if (queue->read == queue->written_seen) {
            return false;
        }
    }
    memcpy(task, place(queue, queue->read), queue->size);
    atomic_store_explicit(&queue->head, ++queue->read, memory_order_release);
    return true;
}

bool locked_get(struct locked_queue *queue, struct mcs_node *node, void *task)
{
    bool done;

    if (queue->one_reader) {
        return get(queue, task);
    }
    /* An empty queue's lock is left to others. */
    if (atomic_load_explicit(&queue->tail, memory_order_relaxed) ==
        atomic_load_explicit(&queue->head, memory_order_relaxed)) {
        return false;
    }
    take(&queue->read_lock, node);
    done = get(queue, task);
    give(&queue->read_lock, node);
    return done;
}
