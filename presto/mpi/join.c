/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks that have a socket between them make an intercommunicator of both. */
#include "mpi/later.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What they tell each other by the socket. Who has the lower number gives the context. */
struct card {
    char magic[8];
    uint64_t key; /* of the launcher's ranks */
    int32_t number;
    uint32_t context;
    int32_t code; /* of MPI */
};

static const char magic[8] = "presto1";

static bool write_all(int fd, const void *data, size_t length)
{
    const char *from = data;
    while (length > 0) {
        ssize_t n = write(fd, from, length);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        from += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t length)
{
    char *to = data;
    while (length > 0) {
        ssize_t n = read(fd, to, length);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        to += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* First what this rank lacks, with the remedy: without a launcher all have the same key and number.
 */
static int check(const struct card *mine, const struct card *other)
{
    if (mine->code != MPI_SUCCESS) {
        return mine->code;
    }
    if (memcmp(other->magic, magic, sizeof(magic)) != 0) {
        return pri_blame(MPI_ERR_OTHER, "at the other end of the socket is no rank that joins");
    }
    if (other->key != mine->key) {
        return pri_blame(MPI_ERR_OTHER,
                         "the other rank is not under the same prestorun: start both "
                         "jobs by one, with ':' between the commands");
    }
    if (other->number == mine->number) {
        return pri_blame(MPI_ERR_OTHER, "both ends of the socket are the same rank's");
    }
    return other->code;
}

static int join(struct pri_mpi *mpi, int fd, MPI_Comm *out)
{
    struct pri_rank *self = mpi->self;
    struct card mine = {.number = self->rank}, other;
    bool taken = false;
    memcpy(mine.magic, magic, sizeof(magic));
    mine.key = pri_later_key(self);
    mine.code = pri_later_check(mpi, MPI_ERR_OTHER);
    if (mine.code == MPI_SUCCESS) {
        mine.code = pri_mpi_code(pri_context_take(self, &mine.context));
        taken = mine.code == MPI_SUCCESS;
    }
    int code = MPI_SUCCESS;
    if (!write_all(fd, &mine, sizeof(mine)) || !read_all(fd, &other, sizeof(other))) {
        code = pri_blame(MPI_ERR_OTHER, pri_later_text("the socket %d cannot be used: %s", fd,
                                                       errno != 0 ? strerror(errno) : "closed"));
    }
    if (code == MPI_SUCCESS) {
        code = check(&mine, &other);
    }
    if (code == MPI_SUCCESS) {
        code = pri_mpi_code(pri_peers_know(self, &other.number, 1));
    }
    if (code == MPI_SUCCESS) {
        uint32_t context = mine.number < other.number ? mine.context : other.context;
        code = pri_mpi_code(
            pri_inter_create(mpi->alone, 0, pri_later_where(other.number, context), out));
    }
    if (taken) {
        pri_context_give(self, mine.context);
    }
    return code;
}

int MPI_Comm_join(int fd, MPI_Comm *out)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    int code = pri_no_place(out);
    if (code == MPI_SUCCESS) {
        *out = MPI_COMM_NULL;
        errno = 0;
        pri_peers_meet(mpi->self);
        code = join(mpi, fd, out);
        pri_peers_met(mpi->self);
    }
    return code == MPI_SUCCESS ? code : pri_fail(mpi->alone, __func__, code);
}
PRI_ALIAS(Comm_join);
