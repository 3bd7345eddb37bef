/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_TASKS_PARTY_H
#define OSU_TASKS_PARTY_H

#include <apeni/apeni.h>

#include "tasks/locked.h"

/*
 * Who takes part: masters, which put tasks, and workers, which get them; each a thread or a process
 * with an NI of its own. All go through the same rounds: each way to dispatch in turn, several
 * times, so that the ways meet the machine in the same state.
 */

enum { PARTIES = 8, REPS = 100 };

/* WAY_ONE: of a central pool, a request for each task, as in the paper. */
enum way { WAY_TICKET = LOCK_TICKET, WAY_MCS = LOCK_MCS, WAY_NI, WAY_ONE, WAYS };

struct setup {
    bool processes; /* or threads */
    bool central;   /* or distributed: a queue for each worker */
    unsigned masters, workers;
    uint64_t tasks; /* of each master in a round */
    size_t size;    /* bytes of a task */
    uint64_t capacity;
    unsigned window; /* tasks that a worker asks for ahead */
    unsigned reps;
};

struct task {
    uint32_t master, number;
};

/* What one party alone writes, and others may read. */
struct party {
    _Alignas(APART) _Atomic uint64_t done; /* tasks, in this round */
    uint64_t sum;                          /* of their numbers */
    uint64_t first_ns, last_ns;
    uint64_t packets;         /* sent by its NI in this round */
    _Atomic uint32_t arrived; /* at the barrier */
    struct mcs_node node;
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
    struct ni_rkey rkey; /* of its queue, if it has one */
    struct ni_rkey one;  /* of that for WAY_ONE */
};

/* In memory that all share. */
struct arena {
    struct setup setup;
    _Alignas(APART) _Atomic uint32_t failed;
    _Alignas(APART) _Atomic uint32_t phase; /* of the barrier */
    struct party parties[PARTIES];
    struct locked_queue queues[LOCK_KINDS][PARTIES];
    double ns[WAYS][REPS];  /* for each task */
    double tasks_for[WAYS]; /* each packet of workers: those that they get for a request */
    _Alignas(APART) uint8_t tasks[];
};

static inline unsigned party_count(const struct setup *setup)
{
    return setup->masters + setup->workers;
}

/* Masters come first. */
static inline bool is_master(const struct setup *setup, unsigned index)
{
    return index < setup->masters;
}

/* Whose NI keeps the queue of a central pool: a master's, so that it is remote to each worker, as
 * in the paper. */
enum { KEEPER = 0 };

static inline unsigned way_count(const struct setup *setup)
{
    return setup->central ? WAYS : WAY_ONE;
}

/* What the barrier does while it waits. */
typedef void (*party_idle_fn)(void *arg);

/* Wait for all; false if one of them has failed. */
bool party_barrier(struct arena *arena, unsigned index, party_idle_fn idle, void *arg);

/* Tasks done by all in this round. */
uint64_t party_done(const struct arena *arena);
/* A worker has done a task. */
void party_note(struct party *party, const void *task);

/* ours.c: one round over NIs. */
struct ours;
struct ours *ours_open(struct arena *arena, unsigned index);
bool ours_close(struct ours *ours);
bool ours_put_all(struct ours *ours, enum way way);
bool ours_get_all(struct ours *ours, enum way way);
/* Packets that the NI has sent so far. */
uint64_t ours_packets(const struct ours *ours);
void ours_idle(void *ours);

/* party.c: run all of it; false if something went wrong. Rows of arena->ns are filled. */
struct arena *arena_new(const struct setup *setup);
void arena_free(struct arena *arena);
bool arena_run(struct arena *arena);

#endif
