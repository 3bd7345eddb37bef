/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_UNLOCKED_COPY_H
#define NI_ENGINE_UNLOCKED_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/engine_thread.h"
#include "engine/core/ni.h"

/*
 * A copy that the engine thread makes without the progress lock, so that others may poll meanwhile.
 * It is on behalf of an operation or of a shared copy, `what`, which may be given up by the holder
 * of the progress lock: that one waits until the copy has ended (ni_unlocked_copy_leave). Its
 * result is accounted for by the holder of the progress lock next, mostly the thread itself.
 */

/* A copy, as struct ni_link_ops has it. */
struct ni_copy_args {
    struct ni_ep *ep;
    enum ni_copy_direction direction;
    void *local;
    uint64_t remote;
    uint64_t len;
};

/* Copy. The engine thread does it as an unlocked copy, if nobody is in a callback, and when that
 * returns `what` may be gone: then true. Otherwise false, and done has been called. The progress
 * lock is ours. */
bool ni_unlocked_copy_run(struct ni *ni, void *what, const struct ni_copy_args *copy,
                          ni_unlocked_copy_fn done);
/* Whether an unlocked copy for this is under way. Accounts for one that is over. The progress lock
 * is ours. */
bool ni_unlocked_copy_busy(struct ni *ni, const void *what);
/* This goes away: wait until nothing is copied for it. Any thread that is not the one that copies.
 */
void ni_unlocked_copy_leave(struct ni *ni, const void *what);

#endif
