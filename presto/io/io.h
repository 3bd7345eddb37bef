/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_IO_IO_H
#define PRI_IO_IO_H

/*
 * Files that the ranks of a team read and write together (MPI 3.1, chapter 13), on POSIX files.
 *
 * A rank sees of a file what its view lets through: a row of filetypes from a displacement on. What
 * it sees is a stream of bytes; an offset counts etypes in it.
 *
 * How data goes:
 *
 *   directly     each piece by pread or pwrite, to and from the program's memory if it is one block
 *                there, else by way of a buffer. Short pieces that lie close are read with what is
 *                between them (data sieving). Nothing is written but what the program gives, so
 * that ranks that write different bytes need no locks. by others    collective operations whose
 * pieces are short and lie between those of other ranks: each aggregator has a part of the file,
 * gets what the ranks want to write there, and writes it in large pieces; reading the other way
 * (two-phase).
 *
 * In atomic mode each access locks the part of the file that it spans (locks of open file
 * descriptions, which file systems of several hosts may not have: then it fails).
 *
 * Threads: with PRI_THREAD_MULTIPLE any thread may read and write; the individual pointer is the
 * rank's, and two threads that use it at once get places in any order.
 *
 * Errors: functions return 0, an enum pri_error or an enum pri_io_error. What was moved before an
 * error is told. Full disks, quotas and limits on the size of files are errors, never signals.
 */

#include <pthread.h>

#include "rma/rma.h"

enum pri_io_error {
    PRI_IO_NO_SUCH_FILE = 72,
    PRI_IO_EXISTS,
    PRI_IO_ACCESS,
    PRI_IO_READ_ONLY, /* a file system that is */
    PRI_IO_NO_SPACE,
    PRI_IO_QUOTA,
    PRI_IO_NAME,
    PRI_IO_IN_USE,
    PRI_IO_FAILED,     /* errno has no class of its own */
    PRI_IO_NOT_SAME,   /* ranks differ in an argument of a collective function */
    PRI_IO_CONVERSION, /* data that external32 does not have, or that the program cannot convert */
};

/* Access modes; the values are MPI's. */
enum {
    PRI_IO_CREATE = 1,
    PRI_IO_RDONLY = 2,
    PRI_IO_WRONLY = 4,
    PRI_IO_RDWR = 8,
    PRI_IO_DELETE_ON_CLOSE = 16,
    PRI_IO_UNIQUE_OPEN = 32,
    PRI_IO_EXCL = 64,
    PRI_IO_APPEND = 128,
    PRI_IO_SEQUENTIAL = 256
};

enum pri_io_choice { PRI_IO_AUTOMATIC, PRI_IO_ENABLE, PRI_IO_DISABLE };

/* What a program may say about its accesses. Changes nothing but the way. */
struct pri_io_hints {
    int cb_nodes;                       /* aggregators; 1 to the team's size */
    size_t cb_buffer_size;              /* bytes that an aggregator moves at once; 4 KiB to 1 GiB */
    size_t read_buffer;                 /* bytes that are read at once by data sieving; as above */
    uint8_t cb_read, cb_write, ds_read; /* enum pri_io_choice */
};

struct pri_io_view {
    int64_t disp;
    struct pri_type *etype, *filetype; /* held */
    struct pri_type *layout;           /* held: the filetype as it lies in the file */
    size_t unit;                       /* bytes of an etype in the file */
    bool external;                     /* external32 */
    struct pri_io_datarep *datarep;    /* that the program has registered; NULL: none */
    bool converted;                    /* the file is as that says */
    bool laid_out;                     /* the layout is: the program has been asked */
    enum pri_type_order order;         /* of the layout: not PRI_UNORDERED */
};

struct pri_io {
    struct pri_rank *self;
    struct pri_team *team; /* the file's own */
    char *path;
    int fd;
    unsigned mode;
    struct pri_io_view view;
    struct pri_io_hints hints;
    int64_t pointer; /* etypes */
    pthread_mutex_t lock;
    bool atomic;
    uint64_t size_limit; /* of the process: files may not be longer */
    struct pri_rma shared;
    int64_t *shared_pointer;   /* rank 0's memory in that window */
    struct pri_io_span *spans; /* [team->size]: of collective accesses */
};

/* What all ranks know of a rank's collective access. */
struct pri_io_span {
    int64_t first, behind; /* in the file; both 0: no data */
    uint64_t piece;        /* mean length */
    int64_t directly;      /* it does not go by others */
};

/* Some elements in memory. */
struct pri_io_data {
    void *buf;
    size_t count;
    struct pri_type *type;
};

/* ---- files: open.c; collective, but for pri_io_delete ------------------------------------------
 */

/* Opens a file that all ranks name alike, with the view of bytes from its beginning on. The hints
 * are this rank's; rank 0's hold. Nothing is left if it fails. */
int pri_io_open(struct pri_io *io, struct pri_team *team, const char *path, unsigned mode,
                const struct pri_io_hints *hints);
/* The first error of what is closed and, with DELETE_ON_CLOSE, deleted; it is closed in any case.
 */
int pri_io_close(struct pri_io *io);
int pri_io_delete(const char *path);

/* Bytes. */
int pri_io_get_size(const struct pri_io *io, int64_t *size);
int pri_io_set_size(struct pri_io *io, int64_t size);
/* Memory of the device for the first bytes of the file. */
int pri_io_preallocate(struct pri_io *io, int64_t size);
int pri_io_sync(struct pri_io *io);

/* The hints that hold unless a program says something else. */
struct pri_io_hints pri_io_hints_default(int size);

/* The error of errno. */
int pri_io_error(int number);

/* ---- views: view.c -----------------------------------------------------------------------------
 */

/* Not collective by itself; pointers are set by the caller. The types are held. PRI_ERR_OP: they do
 * not fit, or their data is not in the order of the file; PRI_IO_CONVERSION. */
int pri_io_set_view(struct pri_io *io, int64_t disp, struct pri_type *etype,
                    struct pri_type *filetype, bool external, struct pri_io_datarep *datarep);
/* To be called before places are looked for, and with the type of data (or NULL) before that is
 * moved: what the program says of its own representation it is asked no sooner. The same errors,
 * and PRI_ERR_NOMEM. */
int pri_io_prepare(struct pri_io *io, const struct pri_type *type);
void pri_io_drop_view(struct pri_io *io);

/* Where byte `at` of what the view lets through is in the file, and how many of the `limit` bytes
 * behind it lie without a gap. */
int64_t pri_io_run(const struct pri_io_view *view, uint64_t at, uint64_t limit, uint64_t *length);
static inline int64_t pri_io_place(const struct pri_io_view *view, uint64_t at)
{
    uint64_t length;
    return pri_io_run(view, at, 1, &length);
}
/* Whether so many bytes from byte `at` on, not 0, lie one behind the other in the file. */
bool pri_io_in_order(const struct pri_io_view *view, uint64_t at, uint64_t bytes);
/* What part of the file has them all. */
void pri_io_bounds(const struct pri_io_view *view, uint64_t at, uint64_t bytes, int64_t *first,
                   int64_t *behind);
/* The first byte of what the view lets through that is not before a place in the file; the first of
 * those from byte `at` on, which are in order, or at + bytes. */
uint64_t pri_io_stream_at(const struct pri_io_view *view, int64_t place);
uint64_t pri_io_stream_in(const struct pri_io_view *view, uint64_t at, uint64_t bytes,
                          int64_t place);
/* The offset of the first etype that is wholly behind the end of the file. */
int pri_io_end(struct pri_io *io, int64_t *offset);

/* Bytes in the file of an element of memory. */
size_t pri_io_bytes(const struct pri_io_view *view, const struct pri_type *type);

/* ---- data: data.c, collective.c ----------------------------------------------------------------
 */

/* From an offset on. *done: bytes of memory that were moved, less than asked for at the end of the
 * file, or with an error. */
int pri_io_read(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done);
int pri_io_write(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done);
/* Collective. */
int pri_io_read_all(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done);
int pri_io_write_all(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done);

/* Bytes from one element to the next in a file of this view. PRI_ERR_NOMEM, PRI_IO_CONVERSION. */
int pri_io_extent(struct pri_io *io, struct pri_type *type, ptrdiff_t *bytes);

/* Etypes in an access. */
int64_t pri_io_etypes(const struct pri_io *io, struct pri_io_data data);

/* ---- pointers: pointer.c -----------------------------------------------------------------------
 */

/* Where `etypes` begin, behind which the individual pointer is now. */
int64_t pri_io_take(struct pri_io *io, int64_t etypes);
/* The same of the pointer that all ranks share. */
int pri_io_shared_take(struct pri_io *io, int64_t etypes, int64_t *offset);
int pri_io_shared_set(struct pri_io *io, int64_t offset);
/* Collective: in the order of ranks. */
int pri_io_ordered_take(struct pri_io *io, int64_t etypes, int64_t *offset);

/* ---- private to io/ ----------------------------------------------------------------------------
 */

/* One piece of the file. Less than `count` was moved only at the end of the file, or with an
 * error. */
int pri_io_piece(struct pri_io *io, bool write, int64_t place, char *bytes, size_t count,
                 size_t *done);
#endif
