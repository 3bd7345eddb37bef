/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TASKS_TASKS_H
#define NI_TASKS_TASKS_H

#include <stdatomic.h>

#include <apeni/ni.h>
#include <apeni/tasks.h>

/*
 * Task pools inside: one table of functions for each kind. Built on the public interface alone.
 */

struct ni_tasks_ops {
    ni_status (*put)(struct ni_tasks *tasks, const void *item);
    ni_status (*put_to)(struct ni_tasks *tasks, size_t worker, const void *item);
    ni_status (*get)(struct ni_tasks *tasks, void *item); /* without progress */
    ni_status (*stop)(struct ni_tasks *tasks);
    ni_status (*close)(struct ni_tasks *tasks); /* NI_OK: it is freed */
};

struct ni_tasks {
    const struct ni_tasks_ops *ops;
    struct ni *ni;
    size_t item; /* bytes */
    bool stopped;
};

/* Whether there can be items of so many bytes. */
bool ni_tasks_item_valid(size_t item_size);
/* Put an item into a queue of the pool: a message, without an ack. */
ni_status ni_tasks_send(struct ni_tasks *tasks, const struct ni_tasks_queue *queue,
                        const void *item);

#endif
