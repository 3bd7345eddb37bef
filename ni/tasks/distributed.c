/* SPDX-License-Identifier: BSD-3-Clause */
#include "tasks/tasks.h"

#include <string.h>

#include "base/alloc.h"

/* Distributed task pools: a single-reader queue for each worker. */

struct ni_tasks_spread {
    struct ni_tasks tasks;
    ni_handle own;
    size_t next; /* worker that gets the next task */
    size_t count;
    struct ni_tasks_queue queues[];
};

static ni_status distributed_put_to(struct ni_tasks *tasks, size_t worker, const void *item)
{
    const struct ni_tasks_spread *spread = (const struct ni_tasks_spread *)tasks;

    return worker < spread->count ? ni_tasks_send(tasks, &spread->queues[worker], item)
                                  : NI_ERR_INVALID;
}

/* In turn; a worker that has no room is passed over. */
static ni_status distributed_put(struct ni_tasks *tasks, const void *item)
{
    struct ni_tasks_spread *spread = (struct ni_tasks_spread *)tasks;
    ni_status status = NI_AGAIN;

    for (size_t i = 0; i < spread->count && status == NI_AGAIN; i++) {
        status = ni_tasks_send(tasks, &spread->queues[spread->next], item);
        spread->next = spread->next + 1 == spread->count ? 0 : spread->next + 1;
    }
    return status;
}

static ni_status distributed_get(struct ni_tasks *tasks, void *item)
{
    const struct ni_tasks_spread *spread = (const struct ni_tasks_spread *)tasks;
    size_t len;
    ni_status status = spread->own == 0
                           ? NI_ERR_INVALID
                           : ni_queue_pop(tasks->ni, spread->own, item, tasks->item, &len);

    return status == NI_AGAIN && tasks->stopped ? NI_ERR_CLOSED : status;
}

static ni_status distributed_stop(struct ni_tasks *tasks)
{
    tasks->stopped = true;
    return NI_OK;
}

static ni_status distributed_close(struct ni_tasks *tasks)
{
    ni_free(tasks);
    return NI_OK;
}

static const struct ni_tasks_ops ops = {.put = distributed_put,
                                        .put_to = distributed_put_to,
                                        .get = distributed_get,
                                        .stop = distributed_stop,
                                        .close = distributed_close};

ni_status ni_tasks_distributed(struct ni *ni, const struct ni_tasks_queue *queues, size_t count,
                               ni_handle own, size_t item_size, struct ni_tasks **tasks)
{
    struct ni_tasks_spread *spread;

    if (!ni_tasks_item_valid(item_size) || (count == 0 && own == 0) || count > UINT32_MAX) {
        return NI_ERR_INVALID;
    }
    spread = ni_calloc(1, sizeof(*spread) + count * sizeof(spread->queues[0]));
    if (spread == NULL) {
        return NI_ERR_NOMEM;
    }
    spread->tasks = (struct ni_tasks){.ops = &ops, .ni = ni, .item = item_size};
    spread->own = own;
    spread->count = count;
    if (count != 0) {
        memcpy(spread->queues, queues, count * sizeof(queues[0]));
    }
    *tasks = &spread->tasks;
    return NI_OK;
}
