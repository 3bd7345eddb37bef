/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ENGINE_THREAD_H
#define NI_ENGINE_ENGINE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/list.h"
#include "engine/core/ni.h"

/*
 * What the engine thread and its callers know of each other, and how they wake each other. What the
 * thread does: drive/thread.h.
 */

/* What it copies without the progress lock: bulk/unlocked_copy.h. */
typedef void (*ni_unlocked_copy_fn)(struct ni *ni, void *what, ni_status status, uint64_t len);

struct ni_unlocked_copy {
    void *_Atomic what;    /* NULL: none is under way. Changed by the holder of the progress lock */
    _Atomic uint32_t over; /* the copy has ended (E1, release); then status says how */
    ni_status status;
    uint64_t len;
    ni_unlocked_copy_fn done;
};

struct ni_engine {
    struct ni *ni;
    bool callbacks_on_caller;
    _Atomic bool running; /* there is a thread */
    _Atomic bool begun;   /* TILE: the first put has asked for it */
    bool closing;         /* forks leave it alone; under the lock of fork.c */
    pthread_t thread;
    _Atomic uintptr_t self; /* names the thread; see ni_thread_self */
    _Atomic bool stop;
    _Atomic bool ended;
    struct ni_unlocked_copy unlocked_copy;
    struct ni_list done; /* struct ni_op that a caller is to complete; under the NI's lock */
    /* the thread's own */
    uint32_t answered; /* of `calls` */
    uint32_t seen;     /* of `polls` */
    uint64_t seen_ns;  /* when it changed */
    uint64_t since_ns; /* when there was nothing to do; 0: there is */
    uint64_t sleep_us;
    uint64_t look_us; /* TILE: between two looks whether callers poll */

    NI_LINE_ALIGNED _Atomic uint32_t polls;  /* changes while callers poll */
    _Atomic uint32_t waiters;                /* callers that sleep, or are about to */
    NI_LINE_ALIGNED _Atomic uint32_t news;   /* futex of the callers: changes with each event */
    _Atomic uint32_t left;                   /* something waits for a caller */
    NI_LINE_ALIGNED _Atomic uint32_t kicked; /* futex of the thread: there is more to do */
    _Atomic uint32_t rest;                   /* enum ni_rest */
    _Atomic uint32_t calls; /* TILE: changes when a put needs asynchronous progress */
};

/* OFF: with TILE, as long as no put needs asynchronous progress. */
enum ni_rest { NI_REST_AWAKE, NI_REST_NAPS, NI_REST_SLEEPS, NI_REST_OFF };

/* A thread is named by where its copy of this is. */
extern _Thread_local char ni_thread_here __attribute__((visibility("hidden")));

/* Names the calling thread; never 0. */
static inline uintptr_t ni_thread_self(void)
{
    return (uintptr_t)&ni_thread_here;
}

/* Whether this is the NI's engine thread. */
static inline bool ni_engine_is_self(const struct ni *ni)
{
    return ni->drive.engine != NULL &&
           atomic_load_explicit(&ni->drive.engine->self, memory_order_relaxed) == ni_thread_self();
}

/* Whether callbacks have to wait for a caller: in an engine thread whose NI has its callbacks on
 * the caller. */
static inline bool ni_engine_defers(const struct ni *ni)
{
    return ni->drive.engine != NULL && ni->drive.engine->callbacks_on_caller &&
           ni_engine_is_self(ni);
}

/* There is more for the thread to do: wake it if it rests. Any thread. */
void ni_engine_wake(struct ni_engine *engine);
/* The same if it is the thread of a back end. Costs a read-modify-write: for what is rare. NULL
 * engine allowed. */
void ni_engine_kick(struct ni *ni);
/* Something happened of which callers that sleep may want to know. The thread. */
void ni_engine_tell(struct ni_engine *engine);
/* Something waits for a caller. The thread. */
void ni_engine_leave(struct ni_engine *engine);

#endif
