/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAG_ADDRESS 7

static void *pages(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes) != 0) {
        fprintf(stderr, "no memory for a window of %zu bytes; lower the largest size (-m) or -W\n",
                bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* The parts of a dynamic window are found by their addresses. */
static MPI_Aint exchange_addresses(const struct osu_window *window)
{
    MPI_Aint mine;
    MPI_Aint theirs;

    MPI_Get_address(window->base, &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, window->peer, TAG_ADDRESS, &theirs, 1, MPI_AINT, window->peer,
                 TAG_ADDRESS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return theirs;
}

static void create(struct osu_window *window)
{
    MPI_Aint bytes = (MPI_Aint)window->bytes;

    if (window->kind == OSU_WINDOW_ALLOCATE) {
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->base, &window->win);
        memset(window->base, 0, window->bytes);
        return;
    }
    window->base = pages(window->bytes);
    memset(window->base, 0, window->bytes);
    if (window->kind == OSU_WINDOW_CREATE) {
        MPI_Win_create(window->base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->win);
        return;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window->win);
    MPI_Win_attach(window->win, window->base, bytes);
    window->remote = exchange_addresses(window);
}

void osu_window_open(struct osu_window *window, const struct osu_run *run, size_t bytes)
{
    MPI_Group everyone;

    *window = (struct osu_window){.rank = run->rank,
                                  .peer = 1 - run->rank,
                                  .bytes = bytes,
                                  .kind = run->options->window_kind,
                                  .sync = osu_sync_of(run->options->sync_kind)};
    create(window);
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    MPI_Group_incl(everyone, 1, &window->peer, &window->peer_group);
    MPI_Group_free(&everyone);
    MPI_Barrier(MPI_COMM_WORLD);
    window->sync->open(window);
}

void osu_window_close(struct osu_window *window)
{
    window->sync->close(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (window->kind == OSU_WINDOW_DYNAMIC) {
        MPI_Win_detach(window->win, window->base);
    }
    MPI_Win_free(&window->win);
    if (window->kind != OSU_WINDOW_ALLOCATE) {
        free(window->base);
    }
    MPI_Group_free(&window->peer_group);
}

/* Between the epochs of an active target the own part may be touched freely. */
void osu_window_touch_begin(struct osu_window *window)
{
    if (!window->sync->active) {
        MPI_Win_lock(MPI_LOCK_SHARED, window->rank, 0, window->win);
    }
}

void osu_window_touch_end(struct osu_window *window)
{
    if (!window->sync->active) {
        MPI_Win_unlock(window->rank, window->win);
    }
}

void osu_window_describe(const struct osu_options *options)
{
    static const char *const kinds[] = {"MPI_Win_create", "MPI_Win_allocate",
                                        "MPI_Win_create_dynamic"};
    printf("# Window creation: %s\n", kinds[options->window_kind]);
    printf("# Synchronization: %s\n", osu_sync_of(options->sync_kind)->heading);
}
