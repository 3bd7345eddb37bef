/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/bulk/copy_tuner.h"

#include "base/assert.h"
#include "base/bits.h"

unsigned ni_copy_tuner_class(uint64_t len)
{
    unsigned log = ni_ilog2(len);
    unsigned class = log > NI_COPY_TUNER_FIRST ? (log - NI_COPY_TUNER_FIRST) / 2 : 0;

    return class < NI_COPY_TUNER_CLASSES ? class : NI_COPY_TUNER_CLASSES - 1;
}

static void begin_turn(struct ni_copy_tuner *tuner, enum ni_way way, uint32_t reads)
{
    tuner->way = way;
    tuner->left = reads;
    tuner->cost[way] = UINT64_MAX;
}

void ni_copy_tuner_init(struct ni_copy_tuner *tuner, uint32_t trial, uint32_t count)
{
    *tuner = (struct ni_copy_tuner){.trial = trial, .count = count};
    begin_turn(tuner, NI_WAY_PULL, trial);
}

static void close_block(struct ni_copy_tuner *tuner)
{
    if (tuner->bytes != 0) {
        tuner->cost[tuner->way] =
            ni_min_u64(tuner->cost[tuner->way], tuner->busy_ns * 1000 / tuner->bytes);
    }
    tuner->busy_ns = 0;
    tuner->bytes = 0;
    tuner->block = 0;
}

/* Of those that are not best, the one whose trial comes next. */
static enum ni_way next_trial(const struct ni_copy_tuner *tuner)
{
    unsigned next = ((unsigned)tuner->tried + 1) % tuner->count;

    return (enum ni_way)(next == (unsigned)tuner->best ? (next + 1) % tuner->count : next);
}

static void begin_trial(struct ni_copy_tuner *tuner)
{
    tuner->tried = next_trial(tuner);
    begin_turn(tuner, tuner->tried, tuner->trial);
}

/* The turn of one way is over: try another or, after that, judge. The way that was best stays
 * unless an eighth is to be gained. */
static void next_turn(struct ni_copy_tuner *tuner)
{
    uint64_t best_cost = tuner->cost[tuner->best];

    if (tuner->way == tuner->best) {
        begin_trial(tuner);
        return;
    }
    if (tuner->cost[tuner->way] < best_cost - best_cost / 8) {
        tuner->best = tuner->way;
    }
    if (tuner->cost[next_trial(tuner)] == 0) {
        begin_trial(tuner);
    } else {
        begin_turn(tuner, tuner->best, tuner->trial * NI_COPY_TUNER_BEST);
    }
}

enum ni_way ni_copy_tuner_begin(struct ni_copy_tuner *tuner, uint64_t now_ns)
{
    if (tuner->under_way == 0) {
        if (tuner->block >= NI_COPY_TUNER_BLOCK || tuner->left == 0) {
            close_block(tuner);
        }
        if (tuner->left == 0) {
            next_turn(tuner);
        }
        tuner->from_ns = now_ns;
    }
    tuner->under_way++;
    tuner->block++;
    tuner->left -= tuner->left != 0;
    if (tuner->left == tuner->trial) {
        tuner->cost[tuner->way] = UINT64_MAX; /* of a long turn the last reads count */
    }
    return tuner->way;
}

void ni_copy_tuner_end(struct ni_copy_tuner *tuner, uint64_t now_ns, uint64_t len)
{
    NI_ASSERT(tuner->under_way != 0);
    tuner->bytes += len;
    if (--tuner->under_way == 0) {
        tuner->busy_ns += now_ns - tuner->from_ns;
    }
}
