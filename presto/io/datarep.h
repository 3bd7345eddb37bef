/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_IO_DATAREP_H
#define PRI_IO_DATAREP_H

/*
 * Representations of data that a program registers (MPI 3.1, 13.5.3). In the file, elements follow
 * each other byte by byte; how many bytes one of a predefined type has there says a function of the
 * program, which is asked once for each type. Other functions convert: they know the type that the
 * program reads or writes, and count predefined elements of it.
 */

#include <pthread.h>

#include "io/io.h"

/* MPI's, with plain and with large counts; one of both, or none: such data is not converted. */
struct pri_io_conversion {
    int (*plain)(void *user, struct pri_type *type, int count, void *file, long long position,
                 void *extra);
    int (*large)(void *user, struct pri_type *type, long long count, void *file, long long position,
                 void *extra);
};

struct pri_io_datarep {
    struct pri_io_datarep *next;
    int (*extent)(struct pri_type *type, ptrdiff_t *extent, void *extra);
    struct pri_io_conversion read, write;
    void *extra;
    pthread_mutex_t lock;
    struct pri_io_extent *extents; /* of types that were asked about */
    char name[];
};

/* NULL: no memory. */
struct pri_io_datarep *pri_io_datarep_new(const char *name);
void pri_io_datarep_free(struct pri_io_datarep *rep);

static inline bool pri_io_converts(const struct pri_io_conversion *conversion)
{
    return conversion->plain != NULL || conversion->large != NULL;
}

/* Has the program say how many bytes the type's predefined ones have in the file. PRI_ERR_NOMEM;
 * PRI_IO_CONVERSION: it fails, or says what cannot be. */
int pri_io_datarep_ask(struct pri_io_datarep *rep, const struct pri_type *type);
/* Bytes of an element in the file, when all its types have been asked about. */
size_t pri_io_datarep_size(struct pri_io_datarep *rep, const struct pri_type *type);

/* As pri_io_read and pri_io_write: the data is moved by `move`, piece by piece. */
typedef int pri_io_move(struct pri_io *io, bool write, uint64_t at, char *bytes, uint64_t count,
                        uint64_t *done);
int pri_io_datarep_move(struct pri_io *io, bool write, uint64_t at, const struct pri_io_data *data,
                        pri_io_move *move, uint64_t *done);

#endif
