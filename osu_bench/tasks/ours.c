/* SPDX-License-Identifier: BSD-3-Clause */
#include "tasks/party.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Task dispatch on the NI: each party has one, the pool is that of apeni/tasks.h. */

struct ours {
    struct arena *arena;
    unsigned index;
    struct ni *ni;
    struct ni_peer *peers[PARTIES];
    struct ni_tasks *tasks;
    struct ni_tasks *one; /* central: a master's way to the queue that is asked for one at a time */
};

static bool good(ni_status status, const char *what)
{
    if (status == NI_OK) {
        return true;
    }
    fprintf(stderr, "ni_tasks: %s: %s\n", what, ni_status_text(status));
    return false;
}

void ours_idle(void *arg)
{
    struct ours *ours = arg;

    (void)ni_progress(ours->ni);
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool make_multi(struct ours *ours, struct ni_rkey *rkey)
{
    const struct setup *setup = &ours->arena->setup;

    return good(ni_region_multi_queue(ours->ni, setup->size, setup->capacity, 0,
                                      NI_ACCESS_READ | NI_ACCESS_WRITE, rkey),
                "make a multi-reader queue");
}

static bool open_queue(struct ours *ours)
{
    const struct setup *setup = &ours->arena->setup;
    struct party *party = &ours->arena->parties[ours->index];

    if (setup->central && ours->index == KEEPER) {
        return make_multi(ours, &party->rkey) && make_multi(ours, &party->one);
    }
    if (!setup->central && !is_master(setup, ours->index)) {
        return good(ni_region_queue(ours->ni, setup->size, setup->capacity, &party->rkey),
                    "make a single-reader queue");
    }
    return true;
}

static struct ni_tasks_queue queue_of(const struct ours *ours, unsigned index)
{
    return (struct ni_tasks_queue){.peer = ours->peers[index],
                                   .rkey = ours->arena->parties[index].rkey};
}

/* Workers ask the second queue without a pool. */
static bool open_central(struct ours *ours, bool master)
{
    const struct setup *setup = &ours->arena->setup;
    struct ni_tasks_queue queue = queue_of(ours, KEEPER), one = queue;

    one.rkey = ours->arena->parties[KEEPER].one;
    return good(ni_tasks_central(ours->ni, &queue, setup->size,
                                 master ? NI_TASKS_PUT : NI_TASKS_GET, setup->window, &ours->tasks),
                "join the pool") &&
           (!master ||
            good(ni_tasks_central(ours->ni, &one, setup->size, NI_TASKS_PUT, 0, &ours->one),
                 "join the other pool"));
}

static bool open_pool(struct ours *ours)
{
    const struct setup *setup = &ours->arena->setup;
    bool master = is_master(setup, ours->index);
    struct ni_tasks_queue queues[PARTIES];

    if (setup->central) {
        return open_central(ours, master);
    }
    for (unsigned i = 0; i < setup->workers; i++) {
        queues[i] = queue_of(ours, setup->masters + i);
    }
    return good(ni_tasks_distributed(ours->ni, queues, setup->workers,
                                     master ? 0 : ours->arena->parties[ours->index].rkey.handle,
                                     setup->size, &ours->tasks),
                "join the pool");
}

static bool connect_all(struct ours *ours)
{
    for (unsigned i = 0; i < party_count(&ours->arena->setup); i++) {
        const struct party *party = &ours->arena->parties[i];

        if (i != ours->index &&
            !good(ni_connect(ours->ni, party->blob, party->blob_len, &ours->peers[i]), "connect")) {
            return false;
        }
    }
    return true;
}

struct ours *ours_open(struct arena *arena, unsigned index)
{
    struct ni_open_attr attr = {.host_processes = party_count(&arena->setup)};
    struct party *party = &arena->parties[index];
    struct ours *ours = calloc(1, sizeof(*ours));

    if (ours == NULL) {
        return NULL;
    }
    ours->arena = arena;
    ours->index = index;
    if (!good(ni_open(&attr, &ours->ni), "open an NI")) {
        return NULL;
    }
    party->blob_len = ni_address(ours->ni, party->blob, sizeof(party->blob));
    if (!open_queue(ours) || !party_barrier(arena, index, NULL, NULL) || !connect_all(ours) ||
        !open_pool(ours)) {
        return NULL;
    }
    return ours;
}

/* Requests that are out come back first, and the owner of the queue has to stay until then. */
bool ours_close(struct ours *ours)
{
    uint8_t task[TASK_MAX];
    unsigned spins = 0;
    ni_status status;
    bool ok = good(ni_tasks_stop(ours->tasks), "stop");

    if (ok && !is_master(&ours->arena->setup, ours->index)) {
        while ((status = ni_tasks_get(ours->tasks, task)) == NI_AGAIN) {
            task_relax(&spins, SPINS_NI);
        }
        ok = status == NI_ERR_CLOSED;
    }
    ok = ok && party_barrier(ours->arena, ours->index, ours_idle, ours) &&
         good(ni_tasks_close(ours->tasks), "leave the pool") &&
         (ours->one == NULL || good(ni_tasks_close(ours->one), "leave the other pool"));
    ok = ok && party_barrier(ours->arena, ours->index, ours_idle, ours);
    ni_close(ours->ni);
    free(ours);
    return ok;
}

/* ---- a round --------------------------------------------------------------------------------- */

uint64_t ours_packets(const struct ours *ours)
{
    return ni_stat_read(ours->ni, ni_stat_find("tx_packets"));
}

bool ours_put_all(struct ours *ours, enum way way)
{
    const struct setup *setup = &ours->arena->setup;
    unsigned spins = 0;
    uint8_t task[TASK_MAX] = {0};

    for (uint32_t i = 0; i < setup->tasks; i++) {
        struct task what = {.master = ours->index, .number = i};
        ni_status status;

        memcpy(task, &what, sizeof(what));
        while ((status = ni_tasks_put(way == WAY_ONE ? ours->one : ours->tasks, task)) ==
               NI_AGAIN) {
            if (ni_progress(ours->ni) == 0) {
                task_relax(&spins, SPINS_NI);
            }
        }
        if (!good(status, "put a task")) {
            return false;
        }
    }
    return true; /* a queue that we keep is served while we wait for the others */
}

/* A request, and its task before the next: the round trip of each is the worker's alone. One that
 * gets none, since the others have got all, is taken back. */
static bool get_one_by_one(struct ours *ours, uint64_t all)
{
    struct arena *arena = ours->arena;
    const struct ni_tasks_queue queue = {.peer = ours->peers[KEEPER],
                                         .rkey = arena->parties[KEEPER].one};
    uint8_t task[TASK_MAX];

    for (;;) {
        ni_word word = 0;
        const struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &word};
        bool canceled = false;
        unsigned spins = 0;
        uint64_t request, result;

        if (!good(ni_dequeue(ours->ni, queue.peer, &queue.rkey, task, arena->setup.size, &ack,
                             &request),
                  "ask for a task")) {
            return false;
        }
        /* Pairs with the release store of the ack: the task is there. */
        while ((result = atomic_load_explicit(&word, memory_order_acquire)) == 0) {
            if (!canceled && party_done(arena) == all) {
                canceled = ni_dequeue_cancel(ours->ni, queue.peer, &queue.rkey, request) == NI_OK;
            }
            if (ni_progress(ours->ni) == 0) {
                task_relax(&spins, SPINS_NI);
            }
        }
        if (ni_ack_status(result) == NI_ERR_CANCELED) {
            return true;
        }
        if (!good(ni_ack_status(result), "get a task")) {
            return false;
        }
        party_note(&arena->parties[ours->index], task);
    }
}

bool ours_get_all(struct ours *ours, enum way way)
{
    const struct setup *setup = &ours->arena->setup;
    struct party *party = &ours->arena->parties[ours->index];
    uint64_t all = setup->tasks * setup->masters;
    uint8_t task[TASK_MAX];
    unsigned spins = 0;

    if (way == WAY_ONE) {
        return get_one_by_one(ours, all);
    }
    for (;;) {
        ni_status status = ni_tasks_get(ours->tasks, task);

        if (status == NI_OK) {
            party_note(party, task);
            spins = 0;
        } else if (status != NI_AGAIN) {
            return good(status, "get a task");
        } else if (party_done(ours->arena) == all) {
            return true;
        } else {
            task_relax(&spins, SPINS_NI);
        }
    }
}
