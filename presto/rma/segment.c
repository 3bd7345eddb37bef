/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the ranks of a window have in common: a piece of their process if they are threads,
 * else a file without a name, which the others open by way of the process that made it. When it is
 * mapped everywhere the file is closed: what remains goes with the last mapping, whatever ends the
 * processes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rma/control.h"
#include "type/named.h"

/* What rank 0 tells the others. */
struct card {
    uint64_t address; /* in threads; 0: there is no memory */
    uint64_t device, inode, bytes;
    int64_t pid;
    int64_t fd;
    int64_t state; /* enum pri_rma_segment_state */
};

/* Bytes: allocated by one call; of windows for which it is asked what the machine has. */
enum { PIECE = 64 << 20, ASK_FROM = 16 << 20 };

/* Whether ranks may share memory: PRESTO_RMA_SHARED=0 says no, which lets the other ways be
 * tried. */
static bool allowed(void)
{
    const char *text = getenv("PRESTO_RMA_SHARED");

    if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        fprintf(stderr, "presto: PRESTO_RMA_SHARED=%s: it has to be 0 or 1; taken as 1\n", text);
    }
    return text == NULL || strcmp(text, "0") != 0;
}

static void *map(size_t bytes, int fd)
{
    int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Process ids, descriptors and numbers of files mean nothing on another host, and may name
 * something there by chance. */
static bool all_near(const struct pri_rma *rma)
{
    int i = 0;

    while (i < rma->team->size && pri_same_host(rma->self, pri_team_member(rma->team, i))) {
        i++;
    }
    return i == rma->team->size;
}

static enum pri_rma_segment_state state_of(const void *memory)
{
    return memory != NULL ? PRI_RMA_SEGMENT_OPEN : PRI_RMA_SEGMENT_NO_ROOM;
}

/* Growing a file beyond the limit raises a signal that ends the process. */
static bool size_allowed(const struct pri_rma *rma, size_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= bytes) {
        return true;
    }
    if (rma->flavor == PRI_RMA_SHARED_MEMORY) {
        fprintf(stderr,
                "presto: a window of %zu MiB to share needs a file in memory, which the file size "
                "limit forbids: raise it (ulimit -f)\n",
                (bytes >> 20) + 1);
    }
    return false;
}

/* Memory of the machine that may still be had, swap included. */
static size_t available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    size_t kib, sum = 0;
    bool any = false;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "MemAvailable: %zu", &kib) == 1 ||
            sscanf(line, "SwapFree: %zu", &kib) == 1) {
            any |= line[0] == 'M';
            sum += kib << 10;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return any ? sum : SIZE_MAX;
}

/* Have memory for a part of the file now: what lacks when a page is touched is told by a signal.
 * Each rank for what it will touch itself, which then lies near it. In pieces, as a signal makes
 * the kernel begin anew. False: there is none; where the call is forbidden nobody knows. */
static bool allocate(int fd, size_t from, size_t to)
{
    while (from < to) {
        size_t piece = to - from < PIECE ? to - from : PIECE;
        if (fallocate(fd, 0, (off_t)from, (off_t)piece) == 0) {
            from += piece;
        } else if (errno != EINTR) {
            return errno != ENOSPC && errno != ENOMEM;
        }
    }
    return true;
}

/* Rank 0: the memory and its card; *fd is open or -1. */
static enum pri_rma_segment_state make(struct pri_rma *rma, size_t bytes, size_t to,
                                       struct card *card, int *fd)
{
    struct stat st;

    if (!allowed() || !all_near(rma)) {
        return PRI_RMA_SEGMENT_APART;
    }
    if (rma->self->launch == PRI_LAUNCH_THREADS || rma->team->size == 1) {
        rma->segment = map(bytes, -1);
        card->address = (uint64_t)(uintptr_t)rma->segment;
        return state_of(rma->segment);
    }
    if (!size_allowed(rma, bytes)) {
        return PRI_RMA_SEGMENT_APART;
    }
    /* The kernel would not refuse, but kill whom it likes. */
    if (bytes >= ASK_FROM && bytes > available()) {
        return PRI_RMA_SEGMENT_NO_MEMORY;
    }
    *fd = memfd_create("presto-window", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, (off_t)bytes) != 0 || fstat(*fd, &st) != 0) {
        return PRI_RMA_SEGMENT_APART;
    }
    if (!allocate(*fd, 0, to)) {
        return PRI_RMA_SEGMENT_NO_MEMORY;
    }
    rma->segment = map(bytes, *fd);
    *card = (struct card){.address = (uint64_t)(uintptr_t)rma->segment,
                          .device = st.st_dev,
                          .inode = st.st_ino,
                          .bytes = bytes,
                          .pid = getpid(),
                          .fd = *fd};
    return state_of(rma->segment);
}

/* Another rank's: only if it is that very file. */
static enum pri_rma_segment_state open_other(struct pri_rma *rma, const struct card *card,
                                             size_t from, size_t to)
{
    char path[64];
    struct stat st;
    enum pri_rma_segment_state state = PRI_RMA_SEGMENT_APART;

    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)card->pid, (long long)card->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return state;
    }
    if (fstat(fd, &st) == 0 && st.st_dev == card->device && st.st_ino == card->inode &&
        (uint64_t)st.st_size == card->bytes) {
        state = PRI_RMA_SEGMENT_NO_MEMORY;
        if (allocate(fd, from, to)) {
            rma->segment = map(card->bytes, fd);
            state = state_of(rma->segment);
        }
    }
    close(fd);
    return state;
}

/* What rank 0 has made, for another. */
static enum pri_rma_segment_state join(struct pri_rma *rma, const struct card *card, size_t from,
                                       size_t to)
{
    if (card->state != PRI_RMA_SEGMENT_OPEN || card->address == 0) {
        return PRI_RMA_SEGMENT_APART;
    }
    if (rma->self->launch != PRI_LAUNCH_THREADS) {
        return allowed() ? open_other(rma, card, from, to) : PRI_RMA_SEGMENT_APART;
    }
    rma->segment = (void *)(uintptr_t)card->address;
    return PRI_RMA_SEGMENT_OPEN;
}

/* The least of what the ranks say; `failed` if that cannot be known. */
static int least(struct pri_rma *rma, int mine, int failed)
{
    int all = mine;
    int error = pri_coll_allreduce(rma->team, PRI_IN_PLACE, &all, 1, &presto_type_int,
                                   &presto_op_min, NULL);
    return error == 0 ? all : failed;
}

bool pri_rma_agree(struct pri_rma *rma, bool yes)
{
    return least(rma, yes, 0) != 0;
}

enum pri_rma_segment_state pri_rma_segment_open(struct pri_rma *rma, size_t bytes, size_t from,
                                                size_t to)
{
    struct card card = {0};
    enum pri_rma_segment_state state = PRI_RMA_SEGMENT_APART;
    int fd = -1;

    rma->segment = NULL;
    rma->segment_bytes = bytes;
    rma->owns_segment = rma->team->rank == 0 || rma->self->launch != PRI_LAUNCH_THREADS;
    if (rma->team->rank == 0) {
        state = make(rma, bytes, to, &card, &fd);
        card.state = state;
    }
    if (pri_coll_bcast(rma->team, &card, sizeof(card), &presto_type_byte, 0, NULL) != 0) {
        card.address = 0;
    }
    if (rma->team->rank != 0) {
        state = join(rma, &card, from, to);
    }
    state = (enum pri_rma_segment_state)least(rma, (int)state, PRI_RMA_SEGMENT_APART);
    if (fd >= 0) {
        close(fd);
    }
    if (state != PRI_RMA_SEGMENT_OPEN) {
        pri_rma_segment_close(rma);
    }
    return state;
}

void pri_rma_segment_close(struct pri_rma *rma)
{
    if (rma->segment != NULL && rma->owns_segment) {
        munmap(rma->segment, rma->segment_bytes);
    }
    rma->segment = NULL;
}
