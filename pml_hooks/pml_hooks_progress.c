/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes now and then that Open MPI makes progress. By that a process that waits in a call which is
 * not followed, such as MPI_Comm_dup, is told from one that computes. */
#include "pml_hooks/pml_hooks.h"

#include "opal/runtime/opal_progress.h"
#include "record/clock.h"

enum { EACH = 16 };

static bool noting;

/* Calls that ask and do not wait: who polls by them is not in one that is not followed. */
static uint64_t polls(const struct record_head *head)
{
    return RECORD_READ(head->tests) + RECORD_READ(head->probes_nonblocking);
}

/* Open MPI calls this when it makes progress, each eighth time. */
static int note(void)
{
    static unsigned calls; /* several threads may lose some */
    static uint64_t polled;
    struct record_head *head = record_own.head;
    unsigned call = __atomic_load_n(&calls, __ATOMIC_RELAXED);

    __atomic_store_n(&calls, call + 1, __ATOMIC_RELAXED);
    if (call % EACH == 0) {
        uint64_t now = polls(head);

        if (__atomic_exchange_n(&polled, now, __ATOMIC_RELAXED) == now) {
            __atomic_store_n(&head->progressed, record_stamp(), __ATOMIC_RELAXED);
        }
    }
    return 0;
}

void pml_hooks_progress_begin(void)
{
    noting = opal_progress_register_lp(note) == OPAL_SUCCESS;
}

void pml_hooks_progress_end(void)
{
    if (noting) {
        noting = false;
        (void)opal_progress_unregister(note);
    }
}
