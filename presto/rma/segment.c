/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the ranks of a window have in common: a piece of their process if they are threads,
 * else a file without a name, which the others open by way of the process that made it. When it is
 * mapped everywhere the file is closed: what remains goes with the last mapping, whatever ends the
 * processes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
};

/* Whether ranks may share memory: PRESTO_RMA_SHARED=0 says no, which lets the other ways be
 * tried. */
static bool allowed(void)
{
    const char *text = getenv("PRESTO_RMA_SHARED");

    if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        fprintf(stderr, "presto: PRESTO_RMA_SHARED=%s: it has to be 0 or 1; taken as 1\n", text);
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

    while (i < rma->team->size && pri_same_host(rma->self, pri_team_member(rma->team, i)))
        i++;
    return i == rma->team->size;
}

/* Rank 0: the memory and its card; *fd is open or -1. */
static void make(struct pri_rma *rma, size_t bytes, struct card *card, int *fd)
{
    struct stat st;

    *fd = -1;
    if (!allowed() || !all_near(rma))
        return;
    if (rma->self->launch == PRI_LAUNCH_THREADS || rma->team->size == 1) {
        rma->segment = map(bytes, -1);
        card->address = (uint64_t)(uintptr_t)rma->segment;
        return;
    }
    *fd = memfd_create("presto-window", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, (off_t)bytes) != 0 || fstat(*fd, &st) != 0)
        return;
    rma->segment = map(bytes, *fd);
    *card = (struct card){.address = (uint64_t)(uintptr_t)rma->segment,
                          .device = st.st_dev,
                          .inode = st.st_ino,
                          .bytes = bytes,
                          .pid = getpid(),
                          .fd = *fd};
}

/* Another rank's: only if it is that very file. */
static void *open_other(const struct card *card)
{
    char path[64];
    struct stat st;
    void *memory = NULL;

    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)card->pid, (long long)card->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && st.st_dev == card->device && st.st_ino == card->inode &&
        (uint64_t)st.st_size == card->bytes)
        memory = map(card->bytes, fd);
    close(fd);
    return memory;
}

bool pri_rma_agree(struct pri_rma *rma, bool yes)
{
    int all = yes;
    int error = pri_coll_allreduce(rma->team, PRI_IN_PLACE, &all, 1, &presto_type_int,
                                   &presto_op_min, NULL);
    return error == 0 && all != 0;
}

bool pri_rma_segment_open(struct pri_rma *rma, size_t bytes)
{
    struct card card = {0};
    int fd = -1;

    rma->segment = NULL;
    rma->segment_bytes = bytes;
    rma->owns_segment = rma->team->rank == 0 || rma->self->launch != PRI_LAUNCH_THREADS;
    if (rma->team->rank == 0)
        make(rma, bytes, &card, &fd);
    if (pri_coll_bcast(rma->team, &card, sizeof(card), &presto_type_byte, 0, NULL) != 0)
        card.address = 0;
    if (rma->team->rank != 0 && card.address != 0)
        rma->segment = rma->self->launch == PRI_LAUNCH_THREADS ? (void *)(uintptr_t)card.address
                       : allowed()                             ? open_other(&card)
                                                               : NULL;
    bool all = pri_rma_agree(rma, rma->segment != NULL);
    if (fd >= 0)
        close(fd);
    if (!all)
        pri_rma_segment_close(rma);
    return all;
}

void pri_rma_segment_close(struct pri_rma *rma)
{
    if (rma->segment != NULL && rma->owns_segment)
        munmap(rma->segment, rma->segment_bytes);
    rma->segment = NULL;
}
