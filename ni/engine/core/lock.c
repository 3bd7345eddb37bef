/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <stdatomic.h>

#include "base/compiler.h"
#include "engine/core/lock.h"

/* Waiting for a lock: its holder may need our core to go on. */

enum {
    NI_LOCK_SPINS = 100, /* before each look yields */
};

void ni_lock_wait(struct ni_lock *lock)
{
    do {
        for (unsigned spins = 0; atomic_load_explicit(&lock->held, memory_order_relaxed) != 0;
             spins++) {
            if (spins > NI_LOCK_SPINS) {
                sched_yield();
            }
            ni_pause();
        }
    } while (!ni_lock_try(lock));
}
