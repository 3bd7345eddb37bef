/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as a whole: how they are opened and closed, and their sizes. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "type/named.h"

int pri_io_error(int number)
{
    switch (number) {
    case ENOENT:
        return PRI_IO_NO_SUCH_FILE;
    case EEXIST:
        return PRI_IO_EXISTS;
    case EACCES:
    case EPERM:
        return PRI_IO_ACCESS;
    case EROFS:
        return PRI_IO_READ_ONLY;
    case ENOSPC:
    case EFBIG:
        return PRI_IO_NO_SPACE;
    case EDQUOT:
        return PRI_IO_QUOTA;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
        return PRI_IO_NAME;
    case ETXTBSY:
    case EBUSY:
        return PRI_IO_IN_USE;
    case ENOMEM:
        return PRI_ERR_NOMEM;
    default:
        return PRI_IO_FAILED;
    }
}

/* The first error of any rank: collective. */
static int agree(struct pri_team *team, int error)
{
    int worst = error;
    int failed =
        pri_coll_allreduce(team, PRI_IN_PLACE, &worst, 1, &presto_type_int, &presto_op_max, NULL);
    return worst != 0 ? worst : failed;
}

/* Whether all ranks say the same: collective. 0, PRI_IO_NOT_SAME or another error. */
static int all_same(struct pri_team *team, int64_t value)
{
    int64_t range[2] = {value, -value};
    int error =
        pri_coll_allreduce(team, PRI_IN_PLACE, range, 2, &presto_type_int64, &presto_op_max, NULL);
    return error != 0 || range[0] == -range[1] ? error : PRI_IO_NOT_SAME;
}

struct pri_io_hints pri_io_hints_default(int size)
{
    return (struct pri_io_hints){
        .cb_nodes = size < 8 ? size : 8,
        .cb_buffer_size = 16 << 20,
        .read_buffer = 4 << 20,
    };
}

/* The name without the kind of file system that programs put before it. */
static const char *plain_name(const char *path)
{
    static const char *const kinds[] = {"ufs:", "nfs:"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(path, kinds[i], strlen(kinds[i])) == 0) {
            return path + strlen(kinds[i]);
        }
    }
    return path;
}

static int open_flags(unsigned mode)
{
    int flags = (mode & PRI_IO_RDWR) != 0     ? O_RDWR
                : (mode & PRI_IO_WRONLY) != 0 ? O_WRONLY
                                              : O_RDONLY;
    return flags | O_CLOEXEC;
}

/* One rank makes the file, so that EXCL means the same for all. */
static int open_file(struct pri_io *io)
{
    int flags = open_flags(io->mode), error = 0;
    if (io->team->rank == 0) {
        flags |= ((io->mode & PRI_IO_CREATE) != 0 ? O_CREAT : 0) |
                 ((io->mode & PRI_IO_EXCL) != 0 ? O_EXCL : 0);
        io->fd = open(io->path, flags, 0666);
        error = io->fd < 0 ? pri_io_error(errno) : 0;
    }
    int failed = pri_coll_bcast(io->team, &error, 1, &presto_type_int, 0, NULL);
    if (error != 0 || failed != 0) {
        return error != 0 ? error : failed;
    }
    if (io->team->rank != 0) {
        io->fd = open(io->path, flags, 0666);
        error = io->fd < 0 ? pri_io_error(errno) : 0;
    }
    return agree(io->team, error);
}

static void release(struct pri_io *io)
{
    pri_io_drop_view(io);
    if (io->fd >= 0) {
        close(io->fd);
    }
    io->fd = -1;
    pthread_mutex_destroy(&io->lock);
    free(io->path);
    free(io->spans);
    io->path = NULL;
    io->spans = NULL;
}

static int open_shared(struct pri_io *io)
{
    size_t bytes = io->team->rank == 0 ? sizeof(int64_t) : 0;
    void *base = NULL;
    int error =
        pri_rma_open(&io->shared, io->team, PRI_RMA_ALLOCATE, bytes, sizeof(int64_t), false, &base);
    if (error == 0 && io->team->rank == 0) {
        io->shared_pointer = base;
        *io->shared_pointer = io->pointer;
    }
    return agree(io->team, error); /* nobody looks at it before */
}

static int begin(struct pri_io *io, const struct pri_io_hints *hints)
{
    struct rlimit limit;
    io->size_limit = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
                         ? limit.rlim_cur
                         : INT64_MAX;
    io->hints = *hints;
    int error = pri_coll_bcast(io->team, &io->hints, sizeof(io->hints), &presto_type_byte, 0, NULL);
    if (error == 0) {
        error = pri_io_set_view(io, 0, &presto_type_byte, &presto_type_byte, false, NULL);
    }
    if (error == 0 && (io->mode & PRI_IO_APPEND) != 0) {
        error = pri_io_end(io, &io->pointer);
    }
    return agree(io->team, error);
}

int pri_io_open(struct pri_io *io, struct pri_team *team, const char *path, unsigned mode,
                const struct pri_io_hints *hints)
{
    *io = (struct pri_io){.self = team->self, .team = team, .fd = -1, .mode = mode};
    pthread_mutex_init(&io->lock, NULL);
    io->path = strdup(plain_name(path));
    io->spans = calloc((size_t)team->size, sizeof(*io->spans));
    int error = agree(team, io->path == NULL || io->spans == NULL ? PRI_ERR_NOMEM : 0);
    if (error == 0) {
        error = all_same(team, mode);
    }
    if (error == 0) {
        error = open_file(io);
    }
    if (error == 0) {
        error = begin(io, hints);
    }
    if (error == 0) {
        error = open_shared(io);
    }
    if (error != 0) {
        release(io);
    }
    return error;
}

int pri_io_close(struct pri_io *io)
{
    int error = pri_rma_close(&io->shared);
    int failed = close(io->fd) != 0 ? pri_io_error(errno) : 0;
    io->fd = -1;
    failed = agree(io->team, failed);
    if (failed == 0 && (io->mode & PRI_IO_DELETE_ON_CLOSE) != 0) {
        if (io->team->rank == 0 && unlink(io->path) != 0) {
            failed = pri_io_error(errno);
        }
        failed = agree(io->team, failed);
    }
    release(io);
    return error != 0 ? error : failed;
}

int pri_io_delete(const char *path)
{
    return unlink(plain_name(path)) != 0 ? pri_io_error(errno) : 0;
}

int pri_io_get_size(const struct pri_io *io, int64_t *size)
{
    struct stat stat;
    if (fstat(io->fd, &stat) != 0) {
        return pri_io_error(errno);
    }
    *size = stat.st_size;
    return 0;
}

static int truncate_to(struct pri_io *io, int64_t size)
{
    if ((uint64_t)size > io->size_limit) {
        return PRI_IO_NO_SPACE;
    }
    while (ftruncate(io->fd, size) != 0) {
        if (errno != EINTR) {
            return pri_io_error(errno);
        }
    }
    return 0;
}

int pri_io_set_size(struct pri_io *io, int64_t size)
{
    int error = all_same(io->team, size);
    if (error == 0 && io->team->rank == 0) {
        error = truncate_to(io, size);
    }
    return agree(io->team, error);
}

/* Begun anew with each signal it might never end. */
static int without_signals(int fd, int64_t size)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int number;
    do {
        number = posix_fallocate(fd, 0, size);
    } while (number == EINTR);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return number;
}

static int allocate(struct pri_io *io, int64_t size)
{
    int64_t now;
    int error = pri_io_get_size(io, &now);
    if (error != 0 || size == 0) {
        return error;
    }
    if ((uint64_t)size > io->size_limit) {
        return PRI_IO_NO_SPACE;
    }
    int number = without_signals(io->fd, size);
    if (number == EOPNOTSUPP || number == EINVAL) {
        return size > now ? truncate_to(io, size) : 0;
    }
    return number != 0 ? pri_io_error(number) : 0;
}

int pri_io_preallocate(struct pri_io *io, int64_t size)
{
    int error = all_same(io->team, size);
    if (error == 0 && io->team->rank == 0) {
        error = allocate(io, size);
    }
    return agree(io->team, error);
}

int pri_io_sync(struct pri_io *io)
{
    int error = 0;
    while (fsync(io->fd) != 0) {
        if (errno == EINVAL || errno == EROFS) { /* not of a kind that has something to sync */
            break;
        }
        if (errno != EINTR) {
            error = pri_io_error(errno);
            break;
        }
    }
    return agree(io->team, error);
}
