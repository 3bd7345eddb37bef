/* SPDX-License-Identifier: BSD-3-Clause */
#include "tasks/tasks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"

/*
 * Central task pools: one multi-reader queue. A worker at another NI asks for some tasks at a time,
 * half a window, which come as messages to a single-reader queue of its own; it asks again when it
 * has got so many. Never more are asked for than its queue has room for. The worker whose NI keeps
 * the queue pops: it gets what no request waits for.
 *
 * A window that nobody chose grows while half of it is done in less than NI_TASKS_AHEAD_NS, by
 * which time the next half should have come, and shrinks where that takes much longer, so that long
 * tasks are left to who is free.
 */

enum {
    NI_TASKS_HALF_FIRST = 4,
    NI_TASKS_HALF_MOST = 128,
    NI_TASKS_AHEAD_NS = 50000,
    NI_TASKS_REQUESTS = 4, /* out at a time: those that have all their items may not be told yet */
};

struct ni_tasks_request {
    ni_word word; /* result; 0: none yet */
    uint64_t name;
    uint32_t count;
    bool out;
};

struct ni_tasks_central {
    struct ni_tasks tasks;
    struct ni_tasks_queue queue;
    unsigned flags;
    /* One task at a time, with an ack (see tasks.h). */
    bool carefully, carrying;
    ni_word carried; /* result; 0: none yet */
    uint8_t load[NI_QUEUE_ITEM_MAX];
    /* A worker elsewhere. */
    struct ni_rkey own; /* queue */
    uint32_t half;      /* of the window; 0: no such worker */
    uint64_t paced_ns;  /* when half was chosen last; 0: by the program */
    uint64_t paced_got; /* what had been got then */
    uint64_t asked, got;
    unsigned outs;
    bool empty;        /* nothing will come any more */
    ni_status failure; /* of a request */
    struct ni_tasks_request requests[NI_TASKS_REQUESTS];
};

/* ---- putting --------------------------------------------------------------------------------- */

static ni_status carry(struct ni_tasks_central *central)
{
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &central->carried};
    ni_status status;

    atomic_store_explicit(&central->carried, 0, memory_order_relaxed);
    status = ni_enqueue(central->tasks.ni, central->queue.peer, &central->queue.rkey, central->load,
                        central->tasks.item, &ack);
    if (status == NI_AGAIN) { /* as if the queue had said so */
        atomic_store_explicit(&central->carried, ni_ack_failure(NI_AGAIN), memory_order_relaxed);
        return NI_OK;
    }
    return status;
}

/* Whether the last task has arrived: NI_OK; if its queue was full it is sent again. */
static ni_status settle_all(struct ni_tasks_central *central)
{
    uint64_t word;
    ni_status status;

    if (!central->carrying) {
        return NI_OK;
    }
    word = atomic_load_explicit(&central->carried, memory_order_acquire);
    if (word == 0) {
        return NI_AGAIN;
    }
    status = ni_ack_status(word);
    if (status == NI_AGAIN) {
        status = carry(central);
        return status == NI_OK ? NI_AGAIN : status;
    }
    central->carrying = false;
    return status;
}

static ni_status central_put(struct ni_tasks *tasks, const void *item)
{
    struct ni_tasks_central *central = (struct ni_tasks_central *)tasks;
    ni_status status;

    if ((central->flags & NI_TASKS_PUT) == 0) {
        return NI_ERR_INVALID;
    }
    if (!central->carefully) {
        return ni_tasks_send(tasks, &central->queue, item);
    }
    status = settle_all(central);
    if (status == NI_OK) {
        memcpy(central->load, item, tasks->item);
        status = carry(central);
        central->carrying = status == NI_OK;
    }
    return status;
}

static ni_status central_put_to(struct ni_tasks *tasks, size_t worker, const void *item)
{
    (void)worker;
    return central_put(tasks, item);
}

/* ---- getting --------------------------------------------------------------------------------- */

static ni_status ask_task(struct ni_tasks_central *central, struct ni_tasks_request *request)
{
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &request->word};
    ni_status status;

    atomic_store_explicit(&request->word, 0, memory_order_relaxed);
    status = ni_dequeue_to(central->tasks.ni, central->queue.peer, &central->queue.rkey,
                           central->tasks.item, central->own.handle, central->half, &ack,
                           &request->name);
    if (status == NI_OK) {
        request->count = central->half;
        request->out = true;
        central->outs++;
        central->asked += request->count;
    }
    return status;
}

/* A request that is over. One that the queue refused, because too many wait there, is made
 * again. */
static void settle_request(struct ni_tasks_central *central, struct ni_tasks_request *request)
{
    /* Pairs with the release store of the ack: its items are in our queue. */
    uint64_t word = atomic_load_explicit(&request->word, memory_order_acquire);
    ni_status status = ni_ack_status(word);

    if (!request->out || word == 0) {
        return;
    }
    request->out = false;
    central->outs--;
    if (status == NI_AGAIN) {
        central->asked -= request->count;
    } else if (status != NI_OK && status != NI_ERR_CANCELED) {
        central->failure = status;
    }
}

/* Half a window has been got since the last look. */
static void pace(struct ni_tasks_central *central)
{
    uint64_t now = ni_now_ns(), took = now - central->paced_ns;

    if (took < NI_TASKS_AHEAD_NS) {
        central->half = (uint32_t)ni_min_u64(central->half * 2, NI_TASKS_HALF_MOST);
    } else if (took > 4 * NI_TASKS_AHEAD_NS && central->half > 1) {
        central->half /= 2;
    }
    central->paced_ns = now;
    central->paced_got = central->got;
}

/* Have as many tasks under way as there may be. */
static void refill(struct ni_tasks_central *central)
{
    if (central->paced_ns != 0 && central->got - central->paced_got >= central->half) {
        pace(central);
    }
    for (unsigned i = 0; i < NI_TASKS_REQUESTS; i++) {
        struct ni_tasks_request *request = &central->requests[i];
        ni_status status = NI_OK;

        settle_request(central, request);
        if (!request->out && !central->tasks.stopped && central->failure == NI_OK &&
            central->asked - central->got <= central->half) {
            status = ask_task(central, request);
        }
        if (status != NI_OK && status != NI_AGAIN && status != NI_ERR_NOMEM) {
            central->failure = status;
        }
    }
}

static ni_status pop(struct ni_tasks_central *central, void *item)
{
    size_t len;

    return ni_queue_pop(central->tasks.ni, central->own.handle, item, central->tasks.item, &len);
}

static ni_status get_asked(struct ni_tasks_central *central, void *item)
{
    ni_status status = pop(central, item);

    if (status == NI_OK) {
        central->got++;
        if (central->asked - central->got <= central->half) {
            refill(central);
        }
        return NI_OK;
    }
    refill(central);
    if (central->outs != 0 || (central->failure == NI_OK && !central->tasks.stopped)) {
        return status;
    }
    status = pop(central, item); /* what came before the last request was over */
    if (status == NI_AGAIN) {
        central->empty = true;
        status = central->failure != NI_OK ? central->failure : NI_ERR_CLOSED;
    }
    return status;
}

static ni_status central_get(struct ni_tasks *tasks, void *item)
{
    struct ni_tasks_central *central = (struct ni_tasks_central *)tasks;
    ni_status status;
    size_t len;

    if ((central->flags & NI_TASKS_GET) == 0) {
        return NI_ERR_INVALID;
    }
    if (central->carrying) {
        (void)settle_all(central);
    }
    if (central->queue.peer != NULL) {
        return get_asked(central, item);
    }
    if (tasks->stopped) {
        return NI_ERR_CLOSED; /* what is left is for others */
    }
    status = ni_queue_pop(tasks->ni, central->queue.rkey.handle, item, tasks->item, &len);
    return status;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static ni_status central_stop(struct ni_tasks *tasks)
{
    struct ni_tasks_central *central = (struct ni_tasks_central *)tasks;
    ni_status status = NI_OK;

    tasks->stopped = true;
    for (unsigned i = 0; i < NI_TASKS_REQUESTS && status == NI_OK; i++) {
        if (central->requests[i].out) {
            status = ni_dequeue_cancel(tasks->ni, central->queue.peer, &central->queue.rkey,
                                       central->requests[i].name);
        }
    }
    return status;
}

static void free_pool(struct ni_tasks_central *central)
{
    if (central->own.handle != 0) {
        (void)ni_region_deregister(central->tasks.ni, central->own.handle);
    }
    ni_free(central);
}

static ni_status central_close(struct ni_tasks *tasks)
{
    struct ni_tasks_central *central = (struct ni_tasks_central *)tasks;

    if (central->outs != 0 || (central->asked != 0 && !central->empty) ||
        (central->carrying && settle_all(central) == NI_AGAIN)) {
        return NI_AGAIN;
    }
    free_pool(central);
    return NI_OK;
}

static const struct ni_tasks_ops ops = {.put = central_put,
                                        .put_to = central_put_to,
                                        .get = central_get,
                                        .stop = central_stop,
                                        .close = central_close};

/* Of a worker elsewhere; 0: ours to choose. */
static ni_status open_window(struct ni_tasks_central *central, unsigned window)
{
    size_t room = 2 * (size_t)NI_TASKS_HALF_MOST;

    central->half = NI_TASKS_HALF_FIRST;
    if (window != 0) {
        central->half = (window + 1) / 2;
        room = 2 * (size_t)central->half;
    } else {
        central->paced_ns = ni_now_ns();
    }
    return ni_region_queue(central->tasks.ni, central->tasks.item, room, &central->own);
}

ni_status ni_tasks_central(struct ni *ni, const struct ni_tasks_queue *queue, size_t item_size,
                           unsigned flags, unsigned window, struct ni_tasks **tasks)
{
    bool elsewhere = (flags & NI_TASKS_GET) != 0 && queue->peer != NULL;
    struct ni_tasks_central *central;
    ni_status status = NI_OK;

    if (!ni_tasks_item_valid(item_size) || flags == 0 ||
        (flags & ~(unsigned)(NI_TASKS_PUT | NI_TASKS_GET)) != 0 || window > NI_TASKS_WINDOW) {
        return NI_ERR_INVALID;
    }
    central = ni_calloc(1, sizeof(*central));
    if (central == NULL) {
        return NI_ERR_NOMEM;
    }
    central->tasks = (struct ni_tasks){.ops = &ops, .ni = ni, .item = item_size};
    central->queue = *queue;
    central->flags = flags;
    central->carefully = flags == (NI_TASKS_PUT | NI_TASKS_GET) && elsewhere;
    if (elsewhere) {
        status = open_window(central, window);
    }
    if (status != NI_OK) {
        free_pool(central);
        return status;
    }
    *tasks = &central->tasks;
    return NI_OK;
}
