/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/bulk/copy_tuner.h"

#include "base/assert.h"
#include "base/bits.h"

unsigned ni_copy_tuner_class(uint64_t len)
{
    unsigned log = ni_ilog2(len);
    unsigned class = log > NI_WAYS_FIRST ? (log - NI_WAYS_FIRST) / 2 : 0;

    return class < NI_WAYS_CLASSES ? class : NI_WAYS_CLASSES - 1;
}

static void begin_turn(struct ni_copy_tuner *ways, enum ni_way way, uint32_t reads)
{
    ways->way = way;
    ways->left = reads;
    ways->cost[way] = UINT64_MAX;
}

void ni_copy_tuner_init(struct ni_copy_tuner *ways, uint32_t trial, uint32_t count)
{
    *ways = (struct ni_copy_tuner){.trial = trial, .count = count};
    begin_turn(ways, NI_WAY_ASK, trial);
}

static void close_block(struct ni_copy_tuner *ways)
{
    if (ways->bytes != 0) {
        ways->cost[ways->way] =
            ni_min_u64(ways->cost[ways->way], ways->busy_ns * 1000 / ways->bytes);
    }
    ways->busy_ns = 0;
    ways->bytes = 0;
    ways->block = 0;
}

/* Of those that are not kept, the one whose trial comes next. */
static enum ni_way next_trial(const struct ni_copy_tuner *ways)
{
    unsigned next = ((unsigned)ways->tried + 1) % ways->count;

    return (enum ni_way)(next == (unsigned)ways->kept ? (next + 1) % ways->count : next);
}

static void begin_trial(struct ni_copy_tuner *ways)
{
    ways->tried = next_trial(ways);
    begin_turn(ways, ways->tried, ways->trial);
}

/* The turn of one way is over: try another or, after that, judge. The way that was kept stays
 * unless an eighth is to be gained. */
static void next_turn(struct ni_copy_tuner *ways)
{
    uint64_t kept_cost = ways->cost[ways->kept];

    if (ways->way == ways->kept) {
        begin_trial(ways);
        return;
    }
    if (ways->cost[ways->way] < kept_cost - kept_cost / 8) {
        ways->kept = ways->way;
    }
    if (ways->cost[next_trial(ways)] == 0) {
        begin_trial(ways);
    } else {
        begin_turn(ways, ways->kept, ways->trial * NI_WAYS_KEPT);
    }
}

enum ni_way ni_copy_tuner_begin(struct ni_copy_tuner *ways, uint64_t now_ns)
{
    if (ways->under_way == 0) {
        if (ways->block >= NI_WAYS_BLOCK || ways->left == 0) {
            close_block(ways);
        }
        if (ways->left == 0) {
            next_turn(ways);
        }
        ways->from_ns = now_ns;
    }
    ways->under_way++;
    ways->block++;
    ways->left -= ways->left != 0;
    if (ways->left == ways->trial) {
        ways->cost[ways->way] = UINT64_MAX; /* of a long turn the last reads count */
    }
    return ways->way;
}

void ni_copy_tuner_end(struct ni_copy_tuner *ways, uint64_t now_ns, uint64_t len)
{
    NI_ASSERT(ways->under_way != 0);
    ways->bytes += len;
    if (--ways->under_way == 0) {
        ways->busy_ns += now_ns - ways->from_ns;
    }
}
