/* SPDX-License-Identifier: BSD-3-Clause */
/* Individual and shared pointers. The shared one is a word of rank 0's window. */
#include "io/io.h"

#include <stdlib.h>

#include "type/named.h"

int64_t pri_io_take(struct pri_io *io, int64_t etypes)
{
    pthread_mutex_lock(&io->lock);
    int64_t at = io->pointer;
    io->pointer += etypes;
    pthread_mutex_unlock(&io->lock);
    return at;
}

/* What was there; by: the operation's number. */
static int update(struct pri_io *io, int64_t by, const struct pri_op *op, int64_t *was)
{
    const struct pri_rma_at at = {0, 0, 1, &presto_type_int64};
    int error = pri_rma_lock(&io->shared, 0, false, true);
    if (error != 0) {
        return error;
    }
    error = pri_rma_accumulate(&io->shared, (struct pri_rma_data){&by, 1, &presto_type_int64},
                               (struct pri_rma_data){was, 1, &presto_type_int64}, at, op, NULL);
    int failed = pri_rma_unlock(&io->shared, 0);
    return error != 0 ? error : failed;
}

int pri_io_shared_take(struct pri_io *io, int64_t etypes, int64_t *offset)
{
    pthread_mutex_lock(&io->lock); /* one epoch of this rank at a time */
    int error = update(io, etypes, &presto_op_sum, offset);
    pthread_mutex_unlock(&io->lock);
    return error;
}

int pri_io_shared_set(struct pri_io *io, int64_t offset)
{
    int64_t was;
    pthread_mutex_lock(&io->lock);
    int error = update(io, offset, &presto_op_replace, &was);
    pthread_mutex_unlock(&io->lock);
    return error;
}

int pri_io_ordered_take(struct pri_io *io, int64_t etypes, int64_t *offset)
{
    struct pri_team *team = io->team;
    int64_t before = 0, total[3] = {0, 0, 0}; /* how many all ranks take, from where, error */
    int error =
        pri_coll_exscan(team, &etypes, &before, 1, &presto_type_int64, &presto_op_sum, NULL);
    int failed =
        pri_coll_allreduce(team, &etypes, total, 1, &presto_type_int64, &presto_op_sum, NULL);
    error = error != 0 ? error : failed;
    if (team->rank == 0) {
        before = 0;
        total[2] = error != 0 ? error : pri_io_shared_take(io, total[0], &total[1]);
    }
    failed = pri_coll_bcast(team, total, 3, &presto_type_int64, 0, NULL);
    error = error != 0 ? error : failed != 0 ? failed : (int)total[2];
    *offset = total[1] + before;
    return error;
}
