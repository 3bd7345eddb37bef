/* SPDX-License-Identifier: BSD-3-Clause */
#include "tasks/tasks.h"

#include "base/bits.h"
#include "base/clock.h"

/* Task pools: what both kinds have in common. */

enum { NI_TASKS_NAP_US = 100 };

bool ni_tasks_item_valid(size_t item_size)
{
    return item_size >= 4 && item_size <= NI_QUEUE_ITEM_MAX && ni_is_pow2(item_size);
}

ni_status ni_tasks_send(struct ni_tasks *tasks, const struct ni_tasks_queue *queue,
                        const void *item)
{
    return queue->peer == NULL ? ni_queue_push(tasks->ni, queue->rkey.handle, item, tasks->item)
                               : ni_message(tasks->ni, queue->peer, queue->rkey.handle, 0, NULL, 0,
                                            item, tasks->item);
}

ni_status ni_tasks_put(struct ni_tasks *tasks, const void *item)
{
    return tasks->ops->put(tasks, item);
}

ni_status ni_tasks_put_to(struct ni_tasks *tasks, size_t worker, const void *item)
{
    return tasks->ops->put_to(tasks, worker, item);
}

ni_status ni_tasks_get(struct ni_tasks *tasks, void *item)
{
    ni_status status = tasks->ops->get(tasks, item);

    /* Who asks again and again finds nothing most of the time, and has it looked for once. */
    if (status == NI_AGAIN && ni_progress(tasks->ni) != 0) {
        status = tasks->ops->get(tasks, item);
    }
    return status;
}

ni_status ni_tasks_get_wait(struct ni_tasks *tasks, void *item, uint64_t timeout_us)
{
    uint64_t now = ni_now_ns() / 1000, end = now + ni_min_u64(timeout_us, UINT64_MAX - now);
    ni_status status;

    while ((status = ni_tasks_get(tasks, item)) == NI_AGAIN) {
        if (now >= end) {
            return NI_ERR_TIMEOUT;
        }
        (void)ni_wait(tasks->ni, ni_min_u64(end - now, NI_TASKS_NAP_US));
        now = ni_now_ns() / 1000;
    }
    return status;
}

ni_status ni_tasks_stop(struct ni_tasks *tasks)
{
    return tasks->ops->stop(tasks);
}

ni_status ni_tasks_close(struct ni_tasks *tasks)
{
    return tasks == NULL ? NI_OK : tasks->ops->close(tasks);
}
