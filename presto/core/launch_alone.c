/* SPDX-License-Identifier: BSD-3-Clause */
/* A job of one process, which nobody started but the user. */
#include "core/launch.h"

static bool applies(void)
{
    return true;
}

static int join(struct pri_rank *self)
{
    self->rank = 0;
    self->size = 1;
    return PRI_OK;
}

static void describe(struct pri_rank *self, struct ni_open_attr *attr)
{
    (void)self;
    attr->host_processes = 1;
}

static int exchange(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all)
{
    (void)self;
    all[0] = *mine;
    return PRI_OK;
}

static void leave(struct pri_rank *self, bool orderly)
{
    (void)self;
    (void)orderly;
}

static void end(struct pri_rank *self, int code)
{
    (void)self;
    (void)code;
}

const struct pri_launcher pri_launch_alone = {
    .launch = PRI_LAUNCH_ALONE,
    .applies = applies,
    .join = join,
    .describe = describe,
    .exchange = exchange,
    .leave = leave,
    .abort = end,
};
