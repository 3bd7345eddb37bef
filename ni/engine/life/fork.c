/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>

#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/thread.h"
#include "engine/life/life.h"

/*
 * Forks. A child has all memory of its parent's NIs, and must write to none that is shared: it
 * learns that they are not its own.
 */

static struct ni_list all_nis = {&all_nis, &all_nis};
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* The child has no engine threads. They end before the fork, so that it finds nothing half-done,
 * and begin again in the parent. It does not depend on that: the fork does not wait for one that
 * waits for the progress lock, which is ours in a callback, or for a lock of the program's. */
#define NI_FORK_PATIENCE_NS UINT64_C(100000000)

static void stop_engines(void)
{
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, life.forks);

        if (ni->drive.engine != NULL && !ni->forked && !ni->drive.engine->closing &&
            !ni_progress_lock_is_ours(ni)) {
            (void)ni_engine_stop(ni, NI_FORK_PATIENCE_NS);
        }
    }
}

static void restart_engines(void)
{
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, life.forks);

        if (ni->drive.engine != NULL && !ni->forked && !ni->drive.engine->closing) {
            ni_engine_restart(ni);
        }
    }
}

void ni_fork_forget_engine(struct ni *ni)
{
    pthread_mutex_lock(&all_lock);
    ni->drive.engine->closing = true;
    pthread_mutex_unlock(&all_lock);
}

/* A fork finds the lists of peers whole. */
static void before_fork(void)
{
    pthread_mutex_lock(&all_lock);
    stop_engines();
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, life.forks);

        ni_lock_take(&ni->lock, ni->threads);
    }
}

static void after_fork_in_parent(void)
{
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, life.forks);

        ni_lock_give(&ni->lock, ni->threads);
    }
    restart_engines();
    pthread_mutex_unlock(&all_lock);
}

/* The child must not write to lanes, and a message's inline path asks for nothing but room, a store
 * that continues the open line for nothing at all: the line is the parent's. */
static void bar_peer(struct ni_peer *peer)
{
    atomic_store_explicit(&peer->lock.held, 0, memory_order_relaxed);
    peer->object.stored = 0;
    if (peer->ep != NULL) {
        peer->ep->tx.limit = peer->ep->tx.head;
        peer->ep->tx.lines = NULL;
    }
}

/* In the child: its NIs belong to the parent. Locks may be held by threads that do not exist here,
 * so they are made anew. */
static void after_fork_in_child(void)
{
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, life.forks);

        ni->forked = true;
        ni->poll_cases |= NI_POLL_FORKED;
        atomic_store_explicit(&ni->lock.held, 0, memory_order_relaxed);
        atomic_store_explicit(&ni->progress_lock.held, 0, memory_order_relaxed);
        atomic_store_explicit(&ni->progress_owner, 0, memory_order_relaxed);
        for (NI_LIST_EACH(at, &ni->core.peers)) {
            bar_peer(ni_container_of(at, struct ni_peer, core.all));
        }
    }
    pthread_mutex_unlock(&all_lock); /* before_fork took it, in the thread that is us */
}

static void watch(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void ni_fork_watch(struct ni *ni)
{
    pthread_once(&fork_once, watch);
    pthread_mutex_lock(&all_lock);
    ni_list_push_back(&all_nis, &ni->life.forks);
    pthread_mutex_unlock(&all_lock);
}

void ni_fork_unwatch(struct ni *ni)
{
    pthread_mutex_lock(&all_lock);
    ni_list_remove(&ni->life.forks);
    pthread_mutex_unlock(&all_lock);
}
