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
    tuner->blocks = 0;
    tuner->turn_from = tuner->total;
    tuner->cost[way] = UINT64_MAX;
}

void ni_copy_tuner_init(struct ni_copy_tuner *tuner, uint32_t trial, uint32_t count, bool settled)
{
    *tuner = (struct ni_copy_tuner){
        .trial = trial, .count = count, .stay = NI_COPY_TUNER_STAY, .settled = settled};
    begin_turn(tuner, NI_WAY_PULL, trial);
}

static void close_block(struct ni_copy_tuner *tuner)
{
    if (tuner->bytes != 0) {
        tuner->blocks++;
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

/* A part of the turn of the best, at whose end it is looked at. */
static void keep_best(struct ni_copy_tuner *tuner)
{
    uint32_t part = (uint32_t)ni_min_u64(tuner->stay, NI_COPY_TUNER_NEAR);

    begin_turn(tuner, tuner->best, tuner->trial << part);
}

/* The best has a turn. */
static void begin_best(struct ni_copy_tuner *tuner)
{
    tuner->more =
        tuner->stay > NI_COPY_TUNER_NEAR ? (1U << (tuner->stay - NI_COPY_TUNER_NEAR)) - 1 : 0;
    keep_best(tuner);
}

/* The way that was best stays unless an eighth is to be gained. */
static void judge(struct ni_copy_tuner *tuner)
{
    uint64_t best_cost = tuner->cost[tuner->best], cost = tuner->cost[tuner->way];
    uint32_t longest =
        cost > best_cost + best_cost / 4 ? NI_COPY_TUNER_LONGEST : NI_COPY_TUNER_NEAR;

    if (cost < best_cost - best_cost / 8) {
        tuner->best = tuner->way;
        tuner->stay = NI_COPY_TUNER_STAY;
    } else {
        tuner->stay = (uint32_t)ni_min_u64(tuner->stay + 1, longest);
    }
    if (tuner->settled) {
        tuner->stay = (uint32_t)ni_max_u64(tuner->stay, NI_COPY_TUNER_NEAR);
    }
    tuner->judged = tuner->cost[tuner->best];
}

/* A part of the turn of the best is over. Where it has become slower what the others lost by says
 * nothing any more. */
static void end_best(struct ni_copy_tuner *tuner)
{
    if (tuner->cost[tuner->best] > tuner->judged + tuner->judged / 2) {
        tuner->stay = (uint32_t)ni_min_u64(tuner->stay, NI_COPY_TUNER_NEAR);
        tuner->more = 0;
    }
    if (tuner->more == 0) {
        begin_trial(tuner);
    } else {
        tuner->more--;
        keep_best(tuner);
    }
}

/* The turn of one way is over. */
static void next_turn(struct ni_copy_tuner *tuner)
{
    tuner->settled = tuner->settled || tuner->total >= NI_COPY_TUNER_WARM;
    if (tuner->way == tuner->best) {
        end_best(tuner);
        return;
    }
    judge(tuner);
    if (tuner->cost[next_trial(tuner)] == 0) {
        begin_trial(tuner);
    } else {
        begin_best(tuner);
    }
}

/* Whether the turn has had its reads, and not only some that may have found nothing prepared. */
static bool is_turn_over(const struct ni_copy_tuner *tuner)
{
    return tuner->left == 0 && (tuner->settled || tuner->blocks >= NI_COPY_TUNER_BLOCKS ||
                                tuner->total - tuner->turn_from >= NI_COPY_TUNER_BLOCK_BYTES);
}

enum ni_way ni_copy_tuner_begin(struct ni_copy_tuner *tuner, uint64_t now_ns)
{
    if (tuner->under_way == 0) {
        if (tuner->block >= NI_COPY_TUNER_BLOCK || tuner->left == 0) {
            close_block(tuner);
        }
        if (is_turn_over(tuner)) {
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
    tuner->total += len;
    if (--tuner->under_way == 0) {
        tuner->busy_ns += now_ns - tuner->from_ns;
    }
}
