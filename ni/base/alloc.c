/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"

#include "base/clock.h"

/* For how long something has waited for memory. */

#define RECENT_NS UINT64_C(1000000000)

bool ni_memory_wait_over(struct ni_memory_wait *wait, uint64_t what, uint64_t most_ms)
{
    uint64_t now = ni_now_ns();

    if (wait->since == 0 || wait->what != what || now - wait->last > RECENT_NS) {
        *wait = (struct ni_memory_wait){.since = now, .what = what};
    }
    wait->last = now;
    return now - wait->since >= most_ms * UINT64_C(1000000);
}
