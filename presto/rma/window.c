/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: how they begin and end. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rma/control.h"
#include "type/named.h"

/* What each rank tells all others. */
struct card {
    uint64_t bytes, unit; /* at first; of its part */
    uint64_t base, key;   /* then; of its part */
    uint64_t control, control_key;
    uint32_t handle, control_handle;
};

static int exchange(struct pri_rma *rma, const struct card *mine, struct card *all)
{
    struct pri_some in = {(void *)mine, sizeof(*mine), &presto_type_byte};
    struct pri_some out = {all, sizeof(*mine), &presto_type_byte};
    return pri_coll_allgather(rma->team, in, out, NULL);
}

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* The segment: control blocks, then the parts that the window allocates. */
static enum pri_rma_segment_state open_segment(struct pri_rma *rma, const struct card *all,
                                               bool spread, size_t *mine)
{
    const size_t most = SIZE_MAX / 4;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    enum pri_rma_segment_state state;
    size_t at = round_up(rma->control_bytes * (size_t)rma->team->size, page);
    size_t to = rma->team->rank == 0 ? at : 0;
    bool allocates = rma->flavor == PRI_RMA_ALLOCATE || rma->flavor == PRI_RMA_SHARED_MEMORY;

    for (int i = 0; allocates && i < rma->team->size; i++) {
        rma->target[i].base = at;
        if (at > most || all[i].bytes > most - at) {
            return PRI_RMA_SEGMENT_NO_MEMORY;
        }
        at += spread ? round_up(all[i].bytes, page) : all[i].bytes;
    }
    *mine = rma->target[rma->team->rank].base;
    if (allocates) {
        to = *mine + all[rma->team->rank].bytes;
    }
    state = pri_rma_segment_open(rma, round_up(at, page), rma->team->rank == 0 ? 0 : *mine, to);
    if (state != PRI_RMA_SEGMENT_OPEN) {
        return state;
    }
    for (int i = 0; i < rma->team->size; i++) {
        struct pri_rma_target *t = &rma->target[i];
        t->control = (void *)((char *)rma->segment + rma->control_bytes * (size_t)i);
        t->direct = allocates;
        t->base += (uintptr_t)rma->segment;
    }
    return state;
}

/* This rank's own memory where there is no segment. */
static bool allocate_own(struct pri_rma *rma, size_t bytes)
{
    rma->own = aligned_alloc(64, round_up(rma->control_bytes, 64));
    rma->owns_control = true;
    if (rma->own == NULL) {
        return false;
    }
    memset(rma->own, 0, rma->control_bytes);
    if (rma->flavor != PRI_RMA_ALLOCATE) {
        return true;
    }
    rma->owns_part = true;
    return posix_memalign(&rma->part, 4096, bytes > 0 ? bytes : 1) == 0;
}

/* What others reach by the NI. */
static int register_own(struct pri_rma *rma, size_t bytes, struct card *mine)
{
    struct ni_rkey rkey = {0};
    ni_status status = NI_OK;
    bool here = rma->target[rma->team->rank].direct;
    int error = rma->registers && !here ? pri_rma_combines_open(rma) : 0;

    if (error != 0) {
        return error;
    }

    if (rma->segment == NULL) {
        status =
            ni_region_memory(rma->self->ni, rma->own, rma->control_bytes, NI_ACCESS_ALL, &rkey);
        rma->control_region = rkey.handle;
        mine->control = (uint64_t)(uintptr_t)rma->own;
        mine->control_key = rkey.key;
        mine->control_handle = rkey.handle;
    }
    mine->base = (uint64_t)(uintptr_t)rma->part;
    if (status != NI_OK || here || !rma->registers || bytes == 0) {
        return pri_rma_error_of(status);
    }
    status = ni_region_memory(rma->self->ni, rma->part, bytes, NI_ACCESS_ALL, &rkey);
    rma->region = rkey.handle;
    mine->key = rkey.key;
    mine->handle = rkey.handle;
    return status == NI_OK ? pri_rma_entry_open(rma->self, rma->part, bytes, rkey.key, &rma->entry)
                           : pri_rma_error_of(status);
}

/* What others have told. */
static void fill_targets(struct pri_rma *rma, const struct card *all)
{
    bool threads = rma->self->launch == PRI_LAUNCH_THREADS && rma->segment != NULL;
    bool runs = pri_rma_has_runs(rma);

    for (int i = 0; i < rma->team->size; i++) {
        struct pri_rma_target *t = &rma->target[i];
        bool self = i == rma->team->rank;
        t->remote = all[i].base;
        t->key = all[i].key;
        t->handle = all[i].handle;
        t->control_at =
            (struct ni_remote){all[i].control, all[i].control_key, all[i].control_handle};
        if (self && rma->segment == NULL) {
            t->control = rma->own;
        }
        if (!t->direct && (self || threads)) {
            t->direct = true;
            t->base = all[i].base;
        }
        atomic_init(&t->updates, runs ? PRI_RMA_NOT_COUNTED : PRI_RMA_NO_COUNT);
        if (rma->flavor == PRI_RMA_DYNAMIC) {
            t->base = 0;
            t->remote = 0;
        }
    }
}

static void release(struct pri_rma *rma)
{
    pri_rma_entry_close(rma->self, rma->entry);
    pri_rma_combines_close(rma);
    if (rma->region != 0) {
        ni_region_deregister(rma->self->ni, rma->region);
    }
    if (rma->control_region != 0) {
        ni_region_deregister(rma->self->ni, rma->control_region);
    }
    if (rma->owns_part) {
        free(rma->part);
    }
    if (rma->owns_control) {
        free(rma->own);
    }
    pri_rma_segment_close(rma);
    free(rma->target);
    free(rma->posts);
    free(rma->started);
}

static int begin_targets(struct pri_rma *rma)
{
    size_t n = (size_t)rma->team->size;

    rma->target = calloc(n, sizeof(*rma->target));
    rma->posts = calloc(n, sizeof(*rma->posts));
    if (rma->target == NULL || rma->posts == NULL) {
        return PRI_ERR_NOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        struct pri_rma_target *t = &rma->target[i];
        t->rma = rma;
        t->peer = pri_team_member(rma->team, (int)i);
        t->ni = rma->self->peers[t->peer].ni;
    }
    return 0;
}

/* The memory of all, once each rank knows the sizes. *error: this rank's. */
static void open_memory(struct pri_rma *rma, struct card *all, bool spread, void **base, int *error)
{
    const struct card *mine = &all[rma->team->rank];
    size_t at = 0;

    for (int i = 0; i < rma->team->size; i++) {
        rma->target[i].bytes = all[i].bytes;
        rma->target[i].unit = all[i].unit;
    }
    enum pri_rma_segment_state state = open_segment(rma, all, spread, &at);
    bool one = state == PRI_RMA_SEGMENT_OPEN;
    bool shares = rma->flavor == PRI_RMA_SHARED_MEMORY;
    rma->registers = !one || rma->self->launch != PRI_LAUNCH_THREADS;
    if (state == PRI_RMA_SEGMENT_NO_MEMORY || (shares && state == PRI_RMA_SEGMENT_NO_ROOM)) {
        *error = PRI_ERR_NOMEM;
    } else if (!one && shares) {
        *error = PRI_RMA_SHARED;
    } else if (!one) {
        rma->part = *base;
        *error = allocate_own(rma, mine->bytes) ? 0 : PRI_ERR_NOMEM;
    } else {
        rma->own = rma->target[rma->team->rank].control;
        rma->part = rma->target[rma->team->rank].direct ? (char *)rma->segment + at : *base;
    }
    *base = rma->part;
}

int pri_rma_open(struct pri_rma *rma, struct pri_team *team, enum pri_rma_flavor flavor,
                 size_t bytes, size_t unit, bool spread, void **base)
{
    struct card mine = {.bytes = bytes, .unit = unit};
    struct card *all = calloc((size_t)team->size, sizeof(*all));

    *rma = (struct pri_rma){.self = team->self, .team = team, .flavor = flavor};
    rma->control_bytes = pri_rma_pieces_at(team->size);
    if (flavor == PRI_RMA_DYNAMIC) {
        rma->control_bytes += PRI_RMA_PIECES * sizeof(struct pri_rma_piece);
    }
    rma->control_bytes = round_up(rma->control_bytes, 64);
    int error = begin_targets(rma);
    if (all == NULL) {
        error = PRI_ERR_NOMEM;
    }
    /* A rank that has no memory says so before the others rely on it. */
    if (!pri_rma_agree(rma, error == 0)) {
        error = error != 0 ? error : PRI_ERR_NOMEM;
    }
    if (error == 0) {
        error = exchange(rma, &mine, all);
    }
    if (error == 0) {
        open_memory(rma, all, spread, base, &error);
        if (error == 0) {
            error = register_own(rma, bytes, &mine);
        }
        if (!pri_rma_agree(rma, error == 0)) {
            error = error != 0 ? error : PRI_ERR_NOMEM;
        }
    }
    if (error == 0) {
        error = exchange(rma, &mine, all);
    }
    if (error == 0) {
        fill_targets(rma, all);
    } else {
        release(rma);
    }
    free(all);
    return error;
}

bool pri_rma_busy(const struct pri_rma *rma)
{
    return atomic_load_explicit(&rma->all, memory_order_relaxed) ||
           atomic_load_explicit(&rma->locks, memory_order_relaxed) != 0 || rma->started != NULL ||
           rma->exposed;
}

/* What the program has left attached. */
static void detach_all(struct pri_rma *rma)
{
    struct pri_rma_piece *piece = pri_rma_pieces(rma->own, rma->team->size);
    uint64_t n = atomic_load_explicit(&rma->own->pieces, memory_order_relaxed);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t handle = atomic_load_explicit(&piece[i].handle, memory_order_relaxed);
        pri_rma_entry_close(
            rma->self, (ni_me_handle)atomic_load_explicit(&piece[i].entry, memory_order_relaxed));
        if (handle != 0) {
            ni_region_deregister(rma->self->ni, (ni_handle)handle);
        }
    }
}

int pri_rma_close(struct pri_rma *rma)
{
    if (pri_rma_busy(rma)) {
        return PRI_RMA_SYNC;
    }
    for (int i = 0; i < rma->team->size; i++) {
        (void)pri_rma_drain(&rma->target[i]);
    }
    int error = pri_coll_barrier(rma->team, NULL);
    if (rma->flavor == PRI_RMA_DYNAMIC) {
        detach_all(rma);
    }
    /* Threads have the segment in common: nobody may look at it any more when its owner frees
     * it. */
    if (rma->self->launch == PRI_LAUNCH_THREADS) {
        (void)pri_coll_barrier(rma->team, NULL);
    }
    release(rma);
    return error;
}
