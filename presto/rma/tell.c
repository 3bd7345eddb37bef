/* SPDX-License-Identifier: BSD-3-Clause */
/* What waits for other ranks of a window are for, in words. Each is a pri_tell_fn. */
#include <stdio.h>

#include "rma/control.h"

void pri_rma_tell_meet(const void *object, char *text, size_t size)
{
    const struct pri_rma *rma = object;

    snprintf(text, size, "all %d ranks of a window to come to its fence, or its end",
             rma->team->size);
}

void pri_rma_tell_lock(const void *object, char *text, size_t size)
{
    const struct pri_rma_target *t = object;

    snprintf(text, size, "the lock of a window at rank %d of the job, which others have", t->peer);
}

void pri_rma_tell_post(const void *object, char *text, size_t size)
{
    const struct pri_rma_target *t = object;

    snprintf(text, size, "rank %d of the job to post its part of a window", t->peer);
}

void pri_rma_tell_answer(const void *object, char *text, size_t size)
{
    const struct pri_rma_target *t = object;

    snprintf(text, size, "rank %d of the job to answer an access to its part of a window", t->peer);
}

void pri_rma_tell_completes(const void *object, char *text, size_t size)
{
    const struct pri_rma *rma = object;
    uint64_t now = atomic_load_explicit(&rma->own->completed, memory_order_relaxed);

    snprintf(text, size, "%llu ranks to complete their accesses to a window",
             (unsigned long long)(rma->completions - now));
}

void pri_rma_tell_pending(const void *object, char *text, size_t size)
{
    const struct pri_rma_target *t = object;

    snprintf(text, size, "%u accesses to a window at rank %d of the job",
             atomic_load_explicit(&t->pending, memory_order_relaxed), t->peer);
}
