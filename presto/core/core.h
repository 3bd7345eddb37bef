/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_CORE_H
#define PRESTO_CORE_CORE_H

#include "base/list.h"
#include "core/contexts.h"
#include "core/p2p.h"
#include "core/ranks.h"

/*
 * What the folders above build on: ranks, point-to-point messages, progress. It knows no
 * communicators and no datatypes: a rank is named by its number in the job, a communicator by its
 * context, data is bytes (or a struct pri_vec that packs and unpacks).
 *
 * Life of a rank: pri_start finds out how it was started (prestorun, PMIx, as one of the threads of
 * a process, alone), opens its network interface and connects it with all others; then messages;
 * pri_stop waits for all ranks and closes.
 *
 * A message in the terms of Portals:
 *
 *   portal table entry  PRI_PT, which keeps what is unexpected
 *   match bits          63..32 context, 31..0 tag. Tags of users are 0 to INT_MAX; those of the
 *                       layers themselves may be negative. PRI_ANY_TAG matches tags of users only.
 *   match_id            the sender's rank in the job
 *   hdr_data            63..16 of what can be cancelled: its request (core/rank.h); 15..0 what the
 *                       sender is called in the communicator (pri_where.as), signed: the receiver's
 *                       status.source needs no translation
 *
 * Threads: below PRI_THREAD_MULTIPLE a rank belongs to one thread at a time. With it, all functions
 * may be called from any thread but for pri_start and pri_stop; a request belongs to one thread
 * at a time. Callbacks (pri_vec, pri_task, release) run in whichever thread makes progress.
 *
 * Errors: functions return 0 or an enum pri_error; nothing is printed but by pri_start (why it
 * could not) and pri_abort.
 */

/* ---- progress -------------------------------------------------------------------------------- */

/*
 * Something that moves on by itself: a collective operation's schedule. advance is called by
 * progress, in one thread at a time, and not while it runs; it starts sends and receives, looks
 * with pri_done at requests, and never waits. It returns true when it has nothing more to do: then
 * it is in no list any more, and may be freed by `finished` (may be NULL), which is called last.
 */
struct pri_task {
    struct ni_list link; /* the core's */
    bool (*advance)(struct pri_task *task);
    void (*finished)(struct pri_task *task);
};

/* Have progress advance it from now on. Thread-safe; also from within advance. */
void pri_task_add(struct pri_rank *self, struct pri_task *task);

/* Advance all tasks once; nothing if another thread is at it, or this one is (from within
 * advance). */
void pri_tasks_advance(struct pri_rank *self);

/* Move everything that can move without waiting; returns the number of events. */
static inline unsigned pri_progress(struct pri_rank *self)
{
    unsigned events = ni_progress(self->ni);

    if (NI_UNLIKELY(atomic_load_explicit(&self->tasks, memory_order_relaxed) != 0)) {
        pri_tasks_advance(self);
    }
    return events;
}

/* The same for a caller that looks again and again, in the program's own time: if nothing moved,
 * and others may need the core, it gives them a turn. */
void pri_look(struct pri_rank *self);

/* For loops that wait for anything: `unsigned spins = 0; while (!there) pri_relax(self, &spins);`
 * Progress; after many rounds in vain it yields, then sleeps for at most a millisecond at a
 * time. */
void pri_relax(struct pri_rank *self, unsigned *spins);
/* The same, and tell(object) says what for if that lasts: hang.h. */
static inline void pri_relax_for(struct pri_rank *self, unsigned *spins, pri_tell_fn tell,
                                 const void *object)
{
    self->relax(self, spins, tell, object);
}

/* A wait for a word of memory that another process stores, which wakes nobody. Begins with zeros.
 */
struct pri_word_wait {
    unsigned spins, yields;
    uint64_t since_ns; /* when it began to yield */
};

/* The same for loops that look at such a word: it yields many times, and looks each time. Then each
 * sleep is an eighth of the time that it has waited, so that the wait takes as much longer, or a
 * millisecond. */
void pri_relax_word(struct pri_rank *self, struct pri_word_wait *wait, pri_tell_fn tell,
                    const void *object);

/* pri_tell_fn: an unfinished request. */
void pri_request_tell(const void *request, char *text, size_t size);
/* pri_tell_fn of a struct pri_rank: the requests that nobody waits for. */
void pri_detached_tell(const void *self, char *text, size_t size);
/* What a context is called in such words: "communicator 4", or what this names it. */
void pri_context_tell(const struct pri_rank *self, uint32_t context, char *text, size_t size);
void pri_context_namer(struct pri_rank *self,
                       void (*name)(const struct pri_rank *self, uint32_t context, char *text,
                                    size_t size));

/* ---- data ------------------------------------------------------------------------------------ */

/* Buffers for short-lived data, from lists by size: cheaper than malloc for up to 128 KiB. 64-byte
 * aligned; NULL: no memory. Thread-safe. */
void *pri_buffer_get(struct pri_rank *self, size_t bytes);
void pri_buffer_put(struct pri_rank *self, void *buffer); /* NULL is allowed */

#endif
