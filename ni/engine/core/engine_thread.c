/* SPDX-License-Identifier: BSD-3-Clause */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/core/engine_thread.h"
#include "link/link.h"

_Thread_local char ni_thread_here;

static void futex_wake(_Atomic uint32_t *word, int count)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* W1: first the word, then a look whether somebody sleeps; sleepers do it the other way round. All
 * of these are sequentially consistent. */
void ni_engine_wake(struct ni_engine *engine)
{
    uint32_t rest;

    if (atomic_exchange(&engine->kicked, 1) != 0) {
        return;
    }
    rest = atomic_load(&engine->rest);
    if (rest == NI_REST_NAPS || rest == NI_REST_OFF) {
        futex_wake(&engine->kicked, 1);
    } else if (rest == NI_REST_SLEEPS) {
        engine->ni->link->ops->rouse(engine->ni->link);
    }
}

void ni_engine_kick(struct ni *ni)
{
    if (NI_UNLIKELY(ni_has_back_end(ni))) {
        ni_engine_wake(ni->drive.engine);
    }
}

void ni_engine_tell(struct ni_engine *engine)
{
    (void)atomic_fetch_add(&engine->news, 1);
    if (atomic_load(&engine->waiters) != 0) {
        futex_wake(&engine->news, INT32_MAX);
    }
}

void ni_engine_leave(struct ni_engine *engine)
{
    /* Release: pairs with the acquire in front.c; the progress lock does the rest. */
    if (atomic_exchange_explicit(&engine->left, 1, memory_order_release) == 0) {
        ni_engine_tell(engine);
    }
}
