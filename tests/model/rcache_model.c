/* SPDX-License-Identifier: BSD-3-Clause */
#include "rcache_model.h"

#include <stdio.h>
#include <stdlib.h>

void model_fail(const struct model *model, const char *what)
{
    fprintf(stderr,
            "model_rcache: %s (seed %llu, step %llu). Repeat with: model_rcache %llu %llu\n", what,
            (unsigned long long)model->seed, (unsigned long long)model->step,
            (unsigned long long)model->seed, (unsigned long long)model->step + 1);
    exit(1);
}

/* What the registrar says, given how many registrations there are. */
static ni_status judge(const struct model *model, struct range range, unsigned access,
                       unsigned count)
{
    if (model->refuse_len != 0 && range.end - range.begin >= model->refuse_len) {
        return NI_ERR_UNSUPPORTED;
    }
    if ((access & model->refuse_access) != 0 && range.begin <= PAGES / 2 && range.end > PAGES / 2) {
        return NI_ERR_ACCESS;
    }
    return count >= model->room ? NI_ERR_LIMIT : NI_OK;
}

static ni_status real_reg(void *arg, void *base, size_t len, unsigned access, void **registration)
{
    struct model *model = arg;
    uint64_t begin = (uintptr_t)base / PAGE;
    struct range range = {begin, begin + len / PAGE};
    ni_status status = judge(model, range, access, model->real_count);

    if (len == 0 || len % PAGE != 0 || (uintptr_t)base % PAGE != 0) {
        model_fail(model, "a range is not whole pages");
    }
    if (status != NI_OK) {
        model->refusals++;
        return status;
    }
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        if (!model->real[i].live) {
            model->real[i] = (struct registration){range, access, true};
            model->real_count++;
            *registration = &model->real[i];
            return NI_OK;
        }
    }
    model_fail(model, "more registrations than can be");
}

static void real_dereg(void *arg, void *registration)
{
    struct registration *old = registration;
    struct model *model = arg;

    if (!old->live) {
        model_fail(model, "a registration was ended twice");
    }
    old->live = false;
    model->real_count--;
}

/* The cache calls these only if it has no registrar of its own. */
ni_status ni_region_memory(struct ni *ni, void *base, size_t len, unsigned access,
                           struct ni_rkey *rkey)
{
    (void)ni, (void)base, (void)len, (void)access, (void)rkey;
    abort();
}

ni_status ni_region_deregister(struct ni *ni, ni_handle handle)
{
    (void)ni, (void)handle;
    abort();
}

const struct ni_rcache_ops model_registrar = {real_reg, real_dereg};

bool model_overlap(struct range a, struct range b)
{
    return a.begin < b.end && b.begin < a.end;
}

bool model_serves(const struct entry *entry, struct range range, unsigned access)
{
    return entry->served && entry->range.begin <= range.begin && entry->range.end >= range.end &&
           (access & ~entry->access) == 0;
}

void model_end(struct model *model, struct entry *entry)
{
    model->stats.entries--;
    model->stats.bytes -= (entry->range.end - entry->range.begin) * PAGE;
    entry->used = 0;
}

void model_withdraw(struct model *model, struct entry *entry)
{
    entry->served = false;
    if (entry->holders == 0) {
        model_end(model, entry);
    }
}

static struct entry *model_make(struct model *model, struct range range, unsigned access)
{
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        struct entry *entry = &model->entry[i];

        if (entry->used == 0) {
            *entry = (struct entry){.range = range,
                                    .access = access,
                                    .holders = 1,
                                    .served = true,
                                    .used = ++model->clock};
            model->stats.entries++;
            model->stats.bytes += (range.end - range.begin) * PAGE;
            return entry;
        }
    }
    model_fail(model, "the model is full");
}

void model_trim(struct model *model, size_t max_entries, size_t max_pages)
{
    for (;;) {
        struct entry *oldest = NULL;
        size_t count = 0, pages = 0;

        for (unsigned i = 0; i < ENTRIES_MAX; i++) {
            struct entry *entry = &model->entry[i];

            if (entry->used != 0 && entry->holders == 0) {
                count++;
                pages += entry->range.end - entry->range.begin;
                oldest = oldest == NULL || entry->used < oldest->used ? entry : oldest;
            }
        }
        if (count <= max_entries && pages <= max_pages) {
            return;
        }
        model_withdraw(model, oldest);
        model->stats.evictions++;
    }
}

static struct entry *model_merge(struct model *model, struct range range, unsigned access)
{
    struct range hull = range;
    bool any = false;

    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        const struct entry *entry = &model->entry[i];

        if (entry->used != 0 && entry->served && model_overlap(entry->range, range)) {
            hull.begin = entry->range.begin < hull.begin ? entry->range.begin : hull.begin;
            hull.end = entry->range.end > hull.end ? entry->range.end : hull.end;
            access |= entry->access;
            any = true;
        }
    }
    if (!any || judge(model, hull, access, (unsigned)model->stats.entries) != NI_OK) {
        return NULL;
    }
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        struct entry *entry = &model->entry[i];

        if (entry->used != 0 && entry->served && model_overlap(entry->range, range)) {
            model_withdraw(model, entry);
        }
    }
    model->stats.merges++;
    return model_make(model, hull, access);
}

ni_status model_admit(struct model *model, struct range range, unsigned access,
                      struct entry **entry)
{
    ni_status status = NI_OK;

    *entry = model_merge(model, range, access);
    if (*entry != NULL) {
        return NI_OK;
    }
    status = judge(model, range, access, (unsigned)model->stats.entries);
    if (status == NI_ERR_LIMIT) {
        model_trim(model, 0, 0);
        status = judge(model, range, access, (unsigned)model->stats.entries);
    }
    if (status == NI_OK) {
        *entry = model_make(model, range, access);
    }
    return status;
}
