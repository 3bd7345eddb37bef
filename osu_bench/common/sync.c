/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/window.h"

static void nothing(struct osu_window *window)
{
    (void)window;
}

static void lock_peer(struct osu_window *window)
{
    MPI_Win_lock(MPI_LOCK_SHARED, window->peer, 0, window->win);
}

static void unlock_peer(struct osu_window *window)
{
    MPI_Win_unlock(window->peer, window->win);
}

/* Only rank 0 accesses in the passive modes, so only it holds a lock throughout. */
static void lock_if_origin(struct osu_window *window)
{
    if (window->rank == 0) {
        lock_peer(window);
    }
}

static void unlock_if_origin(struct osu_window *window)
{
    if (window->rank == 0) {
        unlock_peer(window);
    }
}

static void flush_peer(struct osu_window *window)
{
    MPI_Win_flush(window->peer, window->win);
}

static void flush_local_peer(struct osu_window *window)
{
    MPI_Win_flush_local(window->peer, window->win);
}

static void lock_all(struct osu_window *window)
{
    MPI_Win_lock_all(0, window->win);
}

static void unlock_all(struct osu_window *window)
{
    MPI_Win_unlock_all(window->win);
}

static void start(struct osu_window *window)
{
    MPI_Win_start(window->peer_group, 0, window->win);
}

static void complete(struct osu_window *window)
{
    MPI_Win_complete(window->win);
}

static void post(struct osu_window *window)
{
    MPI_Win_post(window->peer_group, 0, window->win);
}

static void wait_for_peer(struct osu_window *window)
{
    MPI_Win_wait(window->win);
}

static void fence(struct osu_window *window)
{
    MPI_Win_fence(0, window->win);
}

static const struct osu_sync sync_lock = {.heading = "MPI_Win_lock/unlock",
                                          .open = nothing,
                                          .begin = lock_peer,
                                          .end = unlock_peer,
                                          .expose = nothing,
                                          .await = nothing,
                                          .settle = nothing,
                                          .close = nothing};

static const struct osu_sync sync_flush = {.heading = "MPI_Win_flush",
                                           .open = lock_if_origin,
                                           .begin = nothing,
                                           .end = flush_peer,
                                           .expose = nothing,
                                           .await = nothing,
                                           .settle = nothing,
                                           .close = unlock_if_origin};

static const struct osu_sync sync_flush_local = {.heading = "MPI_Win_flush_local",
                                                 .open = lock_if_origin,
                                                 .begin = nothing,
                                                 .end = flush_local_peer,
                                                 .expose = nothing,
                                                 .await = nothing,
                                                 .settle = flush_peer,
                                                 .close = unlock_if_origin};

static const struct osu_sync sync_lock_all = {.heading = "MPI_Win_lock_all/unlock_all",
                                              .open = nothing,
                                              .begin = lock_all,
                                              .end = unlock_all,
                                              .expose = nothing,
                                              .await = nothing,
                                              .settle = nothing,
                                              .close = nothing};

static const struct osu_sync sync_pscw = {.heading = "MPI_Win_post/start/complete/wait",
                                          .active = true,
                                          .open = nothing,
                                          .begin = start,
                                          .end = complete,
                                          .expose = post,
                                          .await = wait_for_peer,
                                          .settle = nothing,
                                          .close = nothing};

static const struct osu_sync sync_fence = {.heading = "MPI_Win_fence",
                                           .active = true,
                                           .open = fence,
                                           .begin = nothing,
                                           .end = fence,
                                           .expose = nothing,
                                           .await = fence,
                                           .settle = nothing,
                                           .close = nothing};

const struct osu_sync *osu_sync_of(enum osu_sync_kind kind)
{
    switch (kind) {
    case OSU_SYNC_LOCK:
        return &sync_lock;
    case OSU_SYNC_FLUSH_LOCAL:
        return &sync_flush_local;
    case OSU_SYNC_LOCK_ALL:
        return &sync_lock_all;
    case OSU_SYNC_PSCW:
        return &sync_pscw;
    case OSU_SYNC_FENCE:
        return &sync_fence;
    case OSU_SYNC_FLUSH:
        break;
    }
    return &sync_flush;
}
