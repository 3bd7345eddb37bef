/* SPDX-License-Identifier: BSD-3-Clause */
#include "rcache_model.h"
#include "rounds.h"

#include <stdlib.h>

/*
 * The registration cache against the model of rcache_model.h. After each step the registrations
 * that exist, their ranges and access, the statistics and the limits must be those of the model.
 *
 *   model_rcache [SEED [STEPS]]   repeats one seed
 */

enum { SEEDS = 60, STEPS = 20000 };

static uint64_t below(struct model *model, uint64_t n)
{
    return ni_rng_below(&model->rng, n);
}

static struct entry *model_of(struct model *model, const struct ni_rcache_entry *theirs)
{
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        if (model->entry[i].used != 0 && model->entry[i].theirs == theirs) {
            return &model->entry[i];
        }
    }
    return NULL;
}

static bool any_serves(const struct model *model, struct range range, unsigned access)
{
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        if (model->entry[i].used != 0 && model_serves(&model->entry[i], range, access)) {
            return true;
        }
    }
    return false;
}

/* Bytes that make these pages, not always all of their bytes. */
static void *bytes_of(struct model *model, struct range range, size_t *len)
{
    uint64_t skip = below(model, 2) == 0 ? 0 : below(model, PAGE);
    uint64_t keep = range.end - range.begin > 1 ? 1 + below(model, PAGE) : PAGE - skip;

    *len = (size_t)((range.end - range.begin - 1) * PAGE + keep - skip);
    if (range.end - range.begin == 1) {
        *len = 1 + (size_t)below(model, PAGE - skip);
    }
    return (void *)(uintptr_t)(range.begin * PAGE + skip);
}

static struct range any_range(struct model *model)
{
    uint64_t begin = 1 + below(model, PAGES);

    return (struct range){begin, begin + 1 + below(model, below(model, 4) == 0 ? 64 : 6)};
}

static void step_acquire(struct model *model)
{
    struct range range = any_range(model);
    unsigned access = 1 + (unsigned)below(model, NI_ACCESS_ALL);
    bool hit = any_serves(model, range, access);
    struct ni_rcache_entry *theirs = NULL;
    struct entry *mine = NULL;
    ni_status status = NI_OK, wanted = NI_OK;
    size_t len = 0;
    void *base = bytes_of(model, range, &len);

    if (model->held_count == HELD_MAX) {
        return;
    }
    status = ni_rcache_acquire(model->cache, base, len, access, &theirs);
    if (hit) {
        /* Which of several entries that cover it does not matter. */
        mine = theirs != NULL ? model_of(model, theirs) : NULL;
        if (status != NI_OK || mine == NULL || !model_serves(mine, range, access)) {
            model_fail(model, "an entry that covers the range was not found");
        }
        mine->holders++;
        model->stats.hits++;
    } else {
        model->stats.misses++;
        wanted = model_admit(model, range, access, &mine);
        if (status != wanted) {
            model_fail(model, "acquire gave another status");
        }
        if (mine != NULL) {
            mine->theirs = theirs;
        }
    }
    if (mine != NULL) {
        model->held[model->held_count++] = mine;
    }
}

static void step_release(struct model *model)
{
    unsigned which = 0;
    struct entry *entry = NULL;

    if (model->held_count == 0) {
        return;
    }
    which = (unsigned)below(model, model->held_count);
    entry = model->held[which];
    model->held[which] = model->held[--model->held_count];
    ni_rcache_release(model->cache, entry->theirs);
    entry->used = ++model->clock;
    entry->holders--;
    if (entry->holders == 0 && !entry->served) {
        model_end(model, entry);
    }
    model_trim(model, model->max_entries, model->max_pages);
}

static void step_invalidate(struct model *model)
{
    struct range range = any_range(model);
    size_t len = 0;
    void *base = bytes_of(model, range, &len);

    ni_rcache_invalidate(model->cache, base, len);
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        struct entry *entry = &model->entry[i];

        if (entry->used != 0 && entry->served && model_overlap(entry->range, range)) {
            model_withdraw(model, entry);
            model->stats.invalidations++;
        }
    }
}

static void step_refusals(struct model *model)
{
    static const uint64_t lens[] = {0, 0, 1, 5, 20};

    model->refuse_len = lens[below(model, 5)];
    model->refuse_access = (unsigned)below(model, 8);
    model->room = below(model, 3) == 0 ? (unsigned)below(model, 40) : ENTRIES_MAX;
}

static bool same_registration(const struct entry *entry)
{
    const struct registration *real = ni_rcache_registration(entry->theirs);

    return real->live && real->range.begin == entry->range.begin &&
           real->range.end == entry->range.end && real->access == entry->access;
}

static void compare(struct model *model)
{
    struct ni_rcache_counts stats;
    unsigned count = 0;

    ni_rcache_stats(model->cache, &stats);
    if (stats.hits != model->stats.hits || stats.misses != model->stats.misses ||
        stats.merges != model->stats.merges || stats.evictions != model->stats.evictions ||
        stats.invalidations != model->stats.invalidations) {
        model_fail(model, "the statistics count otherwise");
    }
    if (stats.entries != model->stats.entries || stats.bytes != model->stats.bytes ||
        stats.entries != model->real_count) {
        model_fail(model, "there are more or fewer registrations");
    }
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        if (model->entry[i].used != 0) {
            count++;
            if (!same_registration(&model->entry[i])) {
                model_fail(model, "a registration is gone, or has another range or access");
            }
        }
    }
    if (count != model->real_count) {
        model_fail(model, "the model has lost count");
    }
}

static void setup(struct model *model, uint64_t seed)
{
    struct ni_rcache_attr attr = {.ops = &model_registrar, .arg = model};

    *model = (struct model){.seed = seed, .room = ENTRIES_MAX};
    ni_rng_seed(&model->rng, seed);
    model->max_entries = 1 + below(model, 100);
    model->max_pages = below(model, 2) == 0 ? SIZE_MAX : 1 + (size_t)below(model, PAGES);
    attr.max_entries = model->max_entries;
    attr.max_bytes = model->max_pages == SIZE_MAX ? 0 : model->max_pages * PAGE;
    if (ni_rcache_create(&attr, &model->cache) != NI_OK) {
        model_fail(model, "no cache");
    }
}

static void run(uint64_t seed, uint64_t steps)
{
    static struct model model;

    setup(&model, seed);
    for (model.step = 0; model.step < steps; model.step++) {
        uint64_t turn = below(&model, 1000);

        if (turn < 480) {
            step_acquire(&model);
        } else if (turn < 960) {
            step_release(&model);
        } else if (turn < 995) {
            step_invalidate(&model);
        } else {
            step_refusals(&model);
        }
        compare(&model);
    }
    while (model.held_count > 0) {
        step_release(&model);
        compare(&model);
    }
    if (steps >= STEPS && (model.stats.hits == 0 || model.stats.merges == 0 ||
                           model.stats.invalidations == 0 || model.refusals == 0)) {
        model_fail(&model, "no hit, merge, invalidation or refusal: the test tests nothing");
    }
    ni_rcache_destroy(model.cache);
    if (model.real_count != 0) {
        model_fail(&model, "registrations are left");
    }
}

int main(int argc, char **argv)
{
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS;

    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0), steps);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed += test_rounds(1, 5)) {
        run(seed, steps);
    }
    return 0;
}
