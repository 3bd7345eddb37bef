/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's accesses. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/datarep.h"
#include "type/external.h"

enum {
    STAGE = 1 << 20,       /* bytes that go by way of a buffer at once */
    SIEVE_PIECE = 8 << 10, /* longer pieces are not read with what is between them */
    SIEVE_SHARE = 8        /* nor are those of which fewer than one byte in so many is wanted */
};

/* ---- pieces of the file ------------------------------------------------------------------------
 */

/* What may be written from a place on, without the signal that a limit on the size of files gives.
 */
static size_t within_limit(const struct pri_io *io, int64_t place, size_t count)
{
    if ((uint64_t)place >= io->size_limit) {
        return 0;
    }
    uint64_t room = io->size_limit - (uint64_t)place;
    return count < room ? count : (size_t)room;
}

int pri_io_piece(struct pri_io *io, bool write, int64_t place, char *bytes, size_t count,
                 size_t *done)
{
    *done = 0;
    while (*done < count) {
        int64_t at = place + (int64_t)*done;
        size_t left = count - *done;
        if (write && (left = within_limit(io, at, left)) == 0) {
            return PRI_IO_NO_SPACE;
        }
        ssize_t n = write ? pwrite(io->fd, bytes + *done, left, at)
                          : pread(io->fd, bytes + *done, left, at);
        if (n < 0 && errno != EINTR) {
            return pri_io_error(errno);
        }
        if (n == 0) {
            return write ? PRI_IO_NO_SPACE : 0;
        }
        *done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int set_lock(struct pri_io *io, short kind, int64_t first, int64_t behind)
{
    struct flock lock = {
        .l_type = kind, .l_whence = SEEK_SET, .l_start = first, .l_len = behind - first};
    while (fcntl(io->fd, F_OFD_SETLKW, &lock) != 0) {
        if (errno != EINTR) {
            return pri_io_error(errno);
        }
    }
    return 0;
}

/* In atomic mode: the file from `first` to behind `behind` belongs to this rank. */
static int lock(struct pri_io *io, bool write, int64_t first, int64_t behind)
{
    return io->atomic && behind > first ? set_lock(io, write ? F_WRLCK : F_RDLCK, first, behind)
                                        : 0;
}

static void unlock(struct pri_io *io, int64_t first, int64_t behind)
{
    if (io->atomic && behind > first) {
        set_lock(io, F_UNLCK, first, behind);
    }
}

/* ---- data sieving ------------------------------------------------------------------------------
 */

/* Whether short pieces are read with what is between them. */
static bool sieves(const struct pri_io *io, uint64_t at, uint64_t count, uint64_t piece)
{
    if (io->hints.ds_read == PRI_IO_DISABLE || piece >= count ||
        !pri_io_in_order(&io->view, at, count)) {
        return false;
    }
    if (io->hints.ds_read == PRI_IO_ENABLE) {
        return true;
    }
    uint64_t first = (uint64_t)pri_io_place(&io->view, at);
    uint64_t last = (uint64_t)pri_io_place(&io->view, at + count - 1);
    return piece < SIEVE_PIECE && (last - first) / SIEVE_SHARE < count;
}

/* Copies out of what was read, which begins at a place in the file, as far as both go. */
static uint64_t pick(const struct pri_io *io, uint64_t at, char *bytes, uint64_t count,
                     const char *read, int64_t first, size_t there)
{
    uint64_t done = 0;
    while (done < count) {
        uint64_t length;
        int64_t place = pri_io_run(&io->view, at + done, count - done, &length);
        uint64_t from = (uint64_t)(place - first);
        if (from >= there) {
            break;
        }
        if (length > there - from) {
            length = there - from;
        }
        memcpy(bytes + done, read + from, length);
        done += length;
    }
    return done;
}

/* Reads with what is between the pieces. */
static int sieve(struct pri_io *io, uint64_t at, char *bytes, uint64_t count, uint64_t *done)
{
    char *read = malloc(io->hints.read_buffer);
    int error = read == NULL ? PRI_ERR_NOMEM : 0;
    while (error == 0 && *done < count) {
        int64_t first = pri_io_place(&io->view, at + *done);
        int64_t behind = pri_io_place(&io->view, at + count - 1) + 1;
        size_t room = io->hints.read_buffer, there;
        if ((uint64_t)(behind - first) < room) {
            room = (size_t)(behind - first);
        }
        error = pri_io_piece(io, false, first, read, room, &there);
        uint64_t got = pick(io, at + *done, bytes + *done, count - *done, read, first, there);
        *done += got;
        if (there < room) {
            break;
        }
    }
    free(read);
    return error;
}

/* ---- bytes of the stream -----------------------------------------------------------------------
 */

/* Moves bytes of the stream, which lie in memory in one piece. *done: how many. */
static int move(struct pri_io *io, bool write, uint64_t at, char *bytes, uint64_t count,
                uint64_t *done)
{
    *done = 0;
    while (*done < count) {
        uint64_t length;
        int64_t place = pri_io_run(&io->view, at + *done, count - *done, &length);
        if (!write && sieves(io, at + *done, count - *done, length)) {
            return sieve(io, at, bytes, count, done);
        }
        size_t moved;
        int error = pri_io_piece(io, write, place, bytes + *done, length, &moved);
        *done += moved;
        if (error != 0 || moved < length) {
            return error;
        }
    }
    return 0;
}

/* ---- elements ----------------------------------------------------------------------------------
 */

/* Data with holes, by way of a buffer. */
static int by_stage(struct pri_io *io, bool write, uint64_t at, const struct pri_io_data *data,
                    uint64_t bytes, uint64_t *done)
{
    size_t room = bytes < STAGE ? (size_t)bytes : STAGE;
    char *stage = malloc(room);
    int error = stage == NULL ? PRI_ERR_NOMEM : 0;
    while (error == 0 && *done < bytes) {
        size_t n = bytes - *done < room ? (size_t)(bytes - *done) : room;
        uint64_t moved;
        if (write) {
            pri_type_pack(data->type, data->count, data->buf, *done, stage, n);
        }
        error = move(io, write, at + *done, stage, n, &moved);
        if (!write) {
            pri_type_unpack(data->type, data->count, data->buf, *done, stage, moved);
        }
        *done += moved;
        if (moved < n) {
            break;
        }
    }
    free(stage);
    return error;
}

/* In external32, some elements at a time; *done counts whole ones. */
static int converted(struct pri_io *io, bool write, uint64_t at, const struct pri_io_data *data,
                     size_t each, uint64_t *done)
{
    size_t native = data->type->size, count = STAGE / (each > native ? each : native);
    count = count == 0 ? 1 : count < data->count ? count : data->count;
    char *packed = malloc(count * native), *foreign = malloc(count * each);
    int error = packed == NULL || foreign == NULL ? PRI_ERR_NOMEM : 0;
    for (size_t i = 0; error == 0 && i < data->count; i += count) {
        size_t n = data->count - i < count ? data->count - i : count;
        uint64_t moved;
        if (write) {
            pri_type_pack(data->type, data->count, data->buf, i * native, packed, n * native);
            pri_external_from(data->type, n, packed, foreign);
        }
        error = move(io, write, at + i * each, foreign, n * each, &moved);
        if (!write) {
            pri_external_to(data->type, moved / each, foreign, packed);
            pri_type_unpack(data->type, data->count, data->buf, i * native, packed,
                            moved / each * native);
        }
        *done += moved / each * native;
        if (moved < n * each) {
            break;
        }
    }
    free(packed);
    free(foreign);
    return error;
}

static int by_elements(struct pri_io *io, bool write, uint64_t at, const struct pri_io_data *data,
                       uint64_t *done)
{
    uint64_t bytes = (uint64_t)data->count * data->type->size;
    const struct pri_io_datarep *datarep = io->view.datarep;
    if (io->view.converted && pri_io_converts(write ? &datarep->write : &datarep->read)) {
        return pri_io_datarep_move(io, write, at, data, move, done);
    }
    if (io->view.converted && pri_io_bytes(&io->view, data->type) != data->type->size) {
        return PRI_IO_CONVERSION; /* only the other way it is converted */
    }
    if (io->view.external) {
        return pri_external_possible(data->type)
                   ? converted(io, write, at, data, pri_io_bytes(&io->view, data->type), done)
                   : PRI_IO_CONVERSION;
    }
    if (data->type->contiguous) {
        return move(io, write, at, (char *)data->buf + data->type->true_lb, bytes, done);
    }
    return by_stage(io, write, at, data, bytes, done);
}

static int transfer(struct pri_io *io, bool write, int64_t offset, const struct pri_io_data *data,
                    size_t *done)
{
    uint64_t at = (uint64_t)offset * io->view.unit, moved = 0;
    uint64_t bytes = data->count == 0 ? 0 : data->count * pri_io_bytes(&io->view, data->type);
    *done = 0;
    if (bytes == 0) {
        return 0;
    }
    int64_t first = 0, behind = 0;
    if (io->atomic) {
        pri_io_bounds(&io->view, at, bytes, &first, &behind);
    }
    int error = lock(io, write, first, behind);
    if (error == 0) {
        error = by_elements(io, write, at, data, &moved);
        unlock(io, first, behind);
    }
    *done = moved;
    return error;
}

int pri_io_read(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done)
{
    return transfer(io, false, offset, &data, done);
}

int pri_io_write(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done)
{
    return transfer(io, true, offset, &data, done);
}
