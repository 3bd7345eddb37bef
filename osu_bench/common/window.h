/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_WINDOW_H
#define OSU_COMMON_WINDOW_H

/*
 * A one-sided window between two ranks and the ways to synchronise it.
 *
 * Passive target (lock, flush, flush_local, lock_all): rank 0 accesses the window of rank 1, which
 * calls nothing. Active target (pscw, fence): each access by one side is an exposure by the other,
 * so both sides take part.
 */

#include "common/bench.h"

#include <mpi.h>

struct osu_window;

/* What one -s option does. No member is NULL. */
struct osu_sync {
    const char *heading; /* as printed: "MPI_Win_flush" */
    bool active;
    void (*open)(struct osu_window *window);  /* once per size, before the rounds */
    void (*begin)(struct osu_window *window); /* origin: before its operations */
    void (*end)(struct osu_window *window); /* origin: after them; they are done at least locally */
    void (*expose)(
        struct osu_window *window); /* active target: before the operations of the origin */
    void (*await)(struct osu_window *window);  /* active target: until they have arrived */
    void (*settle)(struct osu_window *window); /* origin: until they are done at the target */
    void (*close)(struct osu_window *window);  /* once per size, after the rounds */
};

struct osu_window {
    MPI_Win win;
    const struct osu_sync *sync;
    unsigned char *base; /* this rank's part */
    size_t bytes;        /* of each part */
    MPI_Aint remote;     /* displacement of the first byte of the peer's part */
    int rank;
    int peer;
    MPI_Group peer_group;
    enum osu_window_kind kind;
};

/* Make a window of bytes on each of the two ranks, page-aligned and touched. MPI errors are
 * fatal. */
void osu_window_open(struct osu_window *window, const struct osu_run *run, size_t bytes);
void osu_window_close(struct osu_window *window);

/* Around loads and stores of the own part by -c, so that they are legal in the separate memory
 * model as well. */
void osu_window_touch_begin(struct osu_window *window);
void osu_window_touch_end(struct osu_window *window);

/* Print the two header lines that name window and synchronisation. */
void osu_window_describe(const struct osu_options *options);

/* The operations of -s kind. */
const struct osu_sync *osu_sync_of(enum osu_sync_kind kind);

#endif
