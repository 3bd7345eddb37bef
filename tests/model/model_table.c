/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"
#include "rounds.h"
#include "table/table_inl.h"

/*
 * The buffer table against a plain array of regions: random additions, removals, accesses of
 * peers and searches, with handles that are live, stale or invented. Every answer must be that of
 * the array; searches are done with each kind of vector code that the processor has.
 *
 *   model_table [SEED [STEPS]]   repeats one seed
 */

enum { SEEDS = 100, STEPS = 60000, REGIONS_MAX = 1200, STALE_MAX = 64, RECORDS = 40 };

struct region {
    ni_handle handle; /* 0: free */
    struct ni_region_view view;
};

struct model {
    struct ni_table *table;
    struct ni_table_export mirror[RECORDS];
    struct ni_rng rng;
    struct ni_cpu cpu;
    uint64_t seed, step;
    uint64_t origin, space, longest; /* where regions lie, and how long they are */
    uint32_t most;                   /* regions at one time */
    uint32_t count;
    uint32_t end; /* no index was as large */
    struct region by_index[REGIONS_MAX];
    uint32_t live[REGIONS_MAX]; /* indices, in any order */
    ni_handle stale[STALE_MAX];
    uint64_t found, missed, refused, allowed; /* what the trace exercised */
};

static void fail(const struct model *model, const char *what)
{
    fprintf(stderr,
            "model_table: %s (seed %llu, step %llu, %u regions). "
            "Repeat with: model_table %llu %llu\n",
            what, (unsigned long long)model->seed, (unsigned long long)model->step, model->count,
            (unsigned long long)model->seed, (unsigned long long)model->step + 1);
    exit(1);
}

static uint64_t below(struct model *model, uint64_t n)
{
    return ni_rng_below(&model->rng, n);
}

static struct region *any_live(struct model *model)
{
    return model->count == 0 ? NULL : &model->by_index[model->live[below(model, model->count)]];
}

static struct region *region_of(struct model *model, ni_handle handle)
{
    uint32_t index = ni_handle_index(handle);

    if (handle == 0 || index >= REGIONS_MAX || model->by_index[index].handle != handle) {
        return NULL;
    }
    return &model->by_index[index];
}

/* Live, stale or invented. */
static ni_handle any_handle(struct model *model)
{
    const struct region *region = any_live(model);

    switch (below(model, 8)) {
    case 0:
        return model->stale[below(model, STALE_MAX)];
    case 1:
        return (ni_handle)ni_rng_next(&model->rng);
    case 2:
        return (ni_handle)(below(model, 4) << NI_HANDLE_INDEX_BITS | below(model, 100));
    default:
        return region != NULL ? region->handle : 0;
    }
}

static struct ni_region_view random_view(struct model *model)
{
    struct ni_region_view view = {.type = NI_REGION_MEMORY,
                                  .access = 1 + (unsigned)below(model, NI_ACCESS_ALL),
                                  .base = model->origin + below(model, model->space),
                                  .len = 1 + below(model, model->longest),
                                  .key = below(model, 3)};

    if (below(model, 6) == 0) {
        view.type = below(model, 2) == 0 ? NI_REGION_QUEUE : NI_REGION_COUNTER;
        view.object[below(model, NI_ENTRY_OBJECTS)] = ni_rng_next(&model->rng);
    }
    return view;
}

static void step_add(struct model *model)
{
    struct ni_region_view view = random_view(model);
    ni_handle handle = 0;
    uint32_t index = 0;

    if (model->count >= model->most) {
        return;
    }
    if (ni_table_insert(model->table, &view, &handle) != NI_OK) {
        fail(model, "a region was not added");
    }
    index = ni_handle_index(handle);
    if (handle >> NI_HANDLE_INDEX_BITS == 0 || index >= REGIONS_MAX ||
        model->by_index[index].handle != 0) {
        fail(model, "a new handle has generation 0, an index far off, or one in use");
    }
    for (unsigned i = 0; i < STALE_MAX; i++) {
        if (model->stale[i] == handle) {
            fail(model, "a handle came back");
        }
    }
    model->by_index[index] = (struct region){.handle = handle, .view = view};
    model->live[model->count++] = index;
    model->end = index >= model->end ? index + 1 : model->end;
}

static void step_remove(struct model *model)
{
    ni_handle handle = any_handle(model);
    struct region *region = region_of(model, handle);

    if (ni_table_remove(model->table, handle) != (region != NULL ? NI_OK : NI_ERR_REGION)) {
        fail(model, "remove did not know what is there");
    }
    if (region == NULL) {
        return;
    }
    for (uint32_t i = 0; i < model->count; i++) {
        if (model->live[i] == ni_handle_index(handle)) {
            model->live[i] = model->live[--model->count];
            break;
        }
    }
    region->handle = 0;
    model->stale[below(model, STALE_MAX)] = handle;
}

/* An address near an edge of a region, or anywhere. */
static uint64_t any_address(struct model *model)
{
    const struct region *region = any_live(model);

    if (region == NULL || below(model, 4) == 0) {
        return below(model, 8) == 0 ? ni_rng_next(&model->rng)
                                    : model->origin + below(model, model->space);
    }
    return region->view.base + (below(model, 2) == 0 ? region->view.len : 0) + below(model, 5) - 2;
}

static uint64_t any_len(struct model *model)
{
    switch (below(model, 4)) {
    case 0:
        return below(model, 3);
    case 1:
        return ni_rng_next(&model->rng) >> below(model, 64);
    default:
        return below(model, model->longest + 2);
    }
}

/* Sums of 64-bit numbers that cannot wrap. */
static bool inside(const struct ni_region_view *view, uint64_t addr, uint64_t len)
{
    unsigned __int128 first = addr, end = first + len;
    unsigned __int128 base = view->base, limit = base + view->len;

    return first >= base && end <= limit;
}

static ni_status expected_status(const struct region *region, uint64_t key, uint64_t addr,
                                 uint64_t len, unsigned access)
{
    if (region == NULL) {
        return NI_ERR_REGION;
    }
    if (region->view.key != key) {
        return NI_ERR_KEY;
    }
    if (!inside(&region->view, addr, len)) {
        return NI_ERR_BOUNDS;
    }
    return (access & ~region->view.access) != 0 ? NI_ERR_ACCESS : NI_OK;
}

static void step_check(struct model *model)
{
    ni_handle handle = any_handle(model);
    const struct region *region = region_of(model, handle);
    uint64_t key = region != NULL && below(model, 4) != 0 ? region->view.key : below(model, 3);
    uint64_t addr = any_address(model), len = any_len(model);
    unsigned access = (unsigned)below(model, 8);
    struct ni_table_entry *entry = NULL;
    ni_status status = NI_OK, wanted = NI_OK;

    if (region != NULL && below(model, 2) == 0) {
        addr = region->view.base + below(model, region->view.len);
        len = below(model, region->view.len + 2);
    }
    wanted = expected_status(region, key, addr, len, access);
    status = ni_table_check(model->table, handle, key, addr, len, access, &entry);
    if (status != wanted || (entry != NULL) != (status == NI_OK)) {
        fail(model, "check gave another answer");
    }
    model->refused += status != NI_OK;
    model->allowed += status == NI_OK;

    if (region != NULL && region->view.type != NI_REGION_MEMORY) {
        wanted = NI_ERR_REGION;
    }
    if (ni_handle_index(handle) >= RECORDS) {
        wanted = NI_ERR_UNSUPPORTED;
    }
    if (ni_export_check(model->mirror, RECORDS, handle, key, addr, len, access) != wanted) {
        fail(model, "the mirror gave another answer");
    }
}

static void step_get(struct model *model)
{
    ni_handle handle = any_handle(model);
    const struct region *region = region_of(model, handle);
    struct ni_table_entry *entry = ni_table_get(model->table, handle);
    struct ni_region_view view;

    if ((entry != NULL) != (region != NULL)) {
        fail(model, "get did not know what is there");
    }
    if (entry == NULL) {
        return;
    }
    memset(&view, 0, sizeof(view));
    if (!ni_entry_read(entry, handle, &view) || view.type != region->view.type ||
        view.access != region->view.access || view.base != region->view.base ||
        view.len != region->view.len || view.key != region->view.key ||
        memcmp(view.object, region->view.object, sizeof(view.object)) != 0) {
        fail(model, "an entry is not what was added");
    }
}

static ni_handle expected_found(const struct model *model, uint64_t start, uint64_t len)
{
    for (uint32_t i = 0; i < model->end && len != 0; i++) {
        const struct region *region = &model->by_index[i];

        if (region->handle != 0 && region->view.type == NI_REGION_MEMORY &&
            inside(&region->view, start, len)) {
            return region->handle;
        }
    }
    return 0;
}

static void step_search(struct model *model)
{
    static const enum ni_simd kinds[] = {NI_SIMD_SCALAR, NI_SIMD_AVX2, NI_SIMD_AVX512};
    uint64_t start = any_address(model), len = any_len(model);
    ni_handle wanted = expected_found(model, start, len);

    for (unsigned i = 0; i < 3; i++) {
        ni_handle found = 0;
        ni_status status = NI_OK;

        if (ni_cpu_choose(&model->cpu, kinds[i]) != kinds[i]) {
            continue;
        }
        ni_table_set_simd(model->table, kinds[i]);
        status = ni_table_search(model->table, start, len, &found);
        if (found != wanted || status != (wanted != 0 ? NI_OK : NI_ERR_NOTFOUND)) {
            fail(model, "search gave another answer");
        }
    }
    model->found += wanted != 0;
    model->missed += wanted == 0;
}

static void check_all(struct model *model)
{
    struct ni_table_entry *entry = NULL;
    uint32_t seen = 0;

    for (uint32_t i = 0; (entry = ni_table_next(model->table, &i)) != NULL; seen++) {
        if (region_of(model, ni_entry_handle(entry)) == NULL) {
            fail(model, "a region is there that should not be");
        }
    }
    if (seen != model->count) {
        fail(model, "a region is missing");
    }
}

static void setup(struct model *model, uint64_t seed)
{
    static const uint32_t most[] = {4, 20, 32, 33, 48, 150, 1000};
    static const uint64_t spaces[] = {64, 4096, 1 << 20, (uint64_t)1 << 62};
    static const uint64_t origins[] = {0, 0x7f0000000000, ((uint64_t)1 << 63) - 50};

    *model = (struct model){.seed = seed};
    ni_rng_seed(&model->rng, seed);
    model->cpu = ni_cpu_probe();
    model->most = most[below(model, 7)];
    model->space = spaces[below(model, 4)];
    model->origin = origins[below(model, 3)];
    /* From ranges that hardly touch to nests. */
    model->longest = 1 + (model->space >> below(model, 12));
    model->table = ni_aligned(NI_CACHE_LINE, sizeof(*model->table));
    if (model->table == NULL || ni_table_init(model->table) != NI_OK) {
        fail(model, "no table");
    }
    ni_table_set_export(model->table, model->mirror, RECORDS);
}

static void step(struct model *model, uint64_t adding)
{
    switch (below(model, 8)) {
    case 0:
    case 1:
    case 2:
        if (below(model, 16) < adding) {
            step_add(model);
        } else {
            step_remove(model);
        }
        break;
    case 3:
        step_get(model);
        break;
    case 4:
    case 5:
        step_check(model);
        break;
    default:
        step_search(model);
        break;
    }
    if (ni_table_count(model->table) != model->count) {
        fail(model, "the number of regions is wrong");
    }
}

static void run(uint64_t seed, uint64_t steps)
{
    static struct model model;
    uint64_t adding = 12; /* of 16 changes that are not searches or checks */

    setup(&model, seed);
    for (model.step = 0; model.step < steps; model.step++) {
        if (model.step % 4096 == 0) {
            adding = 4 + below(&model, 10); /* grow for a while, or shrink */
            check_all(&model);
        }
        step(&model, adding);
    }
    check_all(&model);
    if (steps >= STEPS &&
        (model.found == 0 || model.missed == 0 || model.allowed == 0 || model.refused == 0)) {
        fail(&model, "nothing was found, missed, allowed or refused: the test tests nothing");
    }
    ni_table_fini(model.table);
    ni_free(model.table);
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
