/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/datarep.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE = 1 << 20 }; /* bytes of the file that are converted at once */

/* What the program has said of a predefined type. */
struct pri_io_extent {
    struct pri_io_extent *next;
    const struct pri_type *type;
    size_t bytes;
};

struct pri_io_datarep *pri_io_datarep_new(const char *name)
{
    struct pri_io_datarep *rep = calloc(1, sizeof(*rep) + strlen(name) + 1);
    if (rep != NULL) {
        strcpy(rep->name, name);
        pthread_mutex_init(&rep->lock, NULL);
    }
    return rep;
}

void pri_io_datarep_free(struct pri_io_datarep *rep)
{
    while (rep->extents != NULL) {
        struct pri_io_extent *gone = rep->extents;
        rep->extents = gone->next;
        free(gone);
    }
    pthread_mutex_destroy(&rep->lock);
    free(rep);
}

/* ---- sizes ------------------------------------------------------------------------------------
 */

/* NULL: the type has not been asked about. */
static const struct pri_io_extent *find(struct pri_io_datarep *rep, const struct pri_type *type)
{
    pthread_mutex_lock(&rep->lock);
    const struct pri_io_extent *extent = rep->extents;
    while (extent != NULL && extent->type != type) {
        extent = extent->next;
    }
    pthread_mutex_unlock(&rep->lock);
    return extent;
}

/* The program is asked without the lock, perhaps by two threads. */
static int ask(struct pri_io_datarep *rep, const struct pri_type *type)
{
    ptrdiff_t bytes = -1;
    if (find(rep, type) != NULL) {
        return 0;
    }
    if (rep->extent((struct pri_type *)type, &bytes, rep->extra) != 0 || bytes < 0 ||
        bytes > INT_MAX) {
        return PRI_IO_CONVERSION;
    }
    struct pri_io_extent *extent = malloc(sizeof(*extent));
    if (extent == NULL) {
        return PRI_ERR_NOMEM;
    }
    pthread_mutex_lock(&rep->lock);
    *extent = (struct pri_io_extent){rep->extents, type, (size_t)bytes};
    rep->extents = extent;
    pthread_mutex_unlock(&rep->lock);
    return 0;
}

int pri_io_datarep_ask(struct pri_io_datarep *rep, const struct pri_type *type)
{
    const struct pri_recipe *recipe = type->recipe;
    int error = 0;
    if (type->size == 0) {
        return 0;
    }
    if (type->predefined) {
        return ask(rep, type);
    }
    for (int k = 0; k < recipe->types && error == 0; k++) {
        error = pri_io_datarep_ask(rep, recipe->type[k]);
    }
    return error;
}

size_t pri_io_datarep_size(struct pri_io_datarep *rep, const struct pri_type *type)
{
    const struct pri_recipe *recipe = type->recipe;
    size_t bytes = 0;
    if (type->size == 0) {
        return 0;
    }
    if (type->predefined) {
        const struct pri_io_extent *extent = find(rep, type);
        return extent != NULL ? extent->bytes : 0;
    }
    if (recipe->combiner != PRI_COMBINER_STRUCT) {
        return type->size / recipe->type[0]->size * pri_io_datarep_size(rep, recipe->type[0]);
    }
    for (int k = 0; k < recipe->types; k++) {
        bytes += (size_t)recipe->integer[1 + k] * pri_io_datarep_size(rep, recipe->type[k]);
    }
    return bytes;
}

/* Predefined elements of one element. */
static uint64_t items_of(const struct pri_type *type)
{
    const struct pri_recipe *recipe = type->recipe;
    uint64_t items = 0;
    if (type->size == 0) {
        return 0;
    }
    if (type->predefined) {
        return 1;
    }
    if (recipe->combiner != PRI_COMBINER_STRUCT) {
        return type->size / recipe->type[0]->size * items_of(recipe->type[0]);
    }
    for (int k = 0; k < recipe->types; k++) {
        items += (uint64_t)recipe->integer[1 + k] * items_of(recipe->type[k]);
    }
    return items;
}

/* ---- data -------------------------------------------------------------------------------------
 */

static int convert(const struct pri_io_datarep *rep, bool write, const struct pri_io_data *data,
                   uint64_t position, uint64_t count, void *file)
{
    const struct pri_io_conversion *with = write ? &rep->write : &rep->read;
    int code = with->plain != NULL ? with->plain(data->buf, data->type, (int)count, file,
                                                 (long long)position, rep->extra)
                                   : with->large(data->buf, data->type, (long long)count, file,
                                                 (long long)position, rep->extra);
    return code == 0 ? 0 : PRI_IO_CONVERSION;
}

/* Some elements at a time; *done counts whole ones. */
int pri_io_datarep_move(struct pri_io *io, bool write, uint64_t at, const struct pri_io_data *data,
                        pri_io_move *move, uint64_t *done)
{
    const struct pri_io_datarep *rep = io->view.datarep;
    const size_t each = pri_io_bytes(&io->view, data->type);
    const uint64_t items = items_of(data->type);
    size_t count = each > STAGE ? 1 : STAGE / each;
    count = count < data->count ? count : data->count;
    if (items > INT_MAX && (write ? rep->write.plain : rep->read.plain) != NULL) {
        return PRI_IO_CONVERSION;
    }
    if (count > 1 && items * count > INT_MAX) {
        count = INT_MAX / items;
    }
    char *file = malloc(count * each);
    int error = file == NULL ? PRI_ERR_NOMEM : 0;
    for (size_t i = 0; error == 0 && i < data->count; i += count) {
        size_t n = data->count - i < count ? data->count - i : count;
        uint64_t moved;
        if (write && (error = convert(rep, true, data, i * items, n * items, file)) != 0) {
            break;
        }
        error = move(io, write, at + i * each, file, n * each, &moved);
        uint64_t whole = moved / each;
        if (!write && whole > 0 && convert(rep, false, data, i * items, whole * items, file) != 0) {
            error = PRI_IO_CONVERSION;
            break;
        }
        *done += whole * data->type->size;
        if (whole < n) {
            break;
        }
    }
    free(file);
    return error;
}
