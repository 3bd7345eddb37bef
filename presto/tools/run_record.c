/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that ranks of other hosts have left in memory (core/recorder.h): their agents send them,
 * and prestorun has them as if they were of its own host. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/run.h"

enum { PIECE = 32768 };

static const uint64_t largest = UINT64_C(1) << 30; /* record, bytes */

static bool name_record(const struct run_job *job, int rank, char *name, size_t size)
{
    const char *folder = getenv("PRESTO_REPORT_DIRECTORY");
    int n;

    folder = folder != NULL && folder[0] != '\0' ? folder : "/dev/shm";
    n = snprintf(name, size, "%s/apelink-hooks.%u.%" PRIu32 ".%d", folder, (unsigned)getuid(),
                 pri_job_number(strtoull(job->key, NULL, 16), 0), rank);
    return n > 0 && (size_t)n < size;
}

/* ---- an agent -------------------------------------------------------------------------------- */

/* What is there of it: the rest are zeros. */
static void send_pieces(struct run_job *job, int rank, int fd, uint64_t size)
{
    uint8_t frame[sizeof(struct run_piece) + PIECE];
    off_t at = 0;
    ssize_t n = 1;

    while (n > 0 && (at = lseek(fd, at, SEEK_DATA)) >= 0) {
        const struct run_piece piece = {.offset = (uint64_t)at, .size = size};

        n = pread(fd, frame + sizeof(piece), PIECE, at);
        if (n > 0) {
            memcpy(frame, &piece, sizeof(piece));
            run_up(job, RUN_FRAME_RECORD, rank, frame, sizeof(piece) + (size_t)n);
            at += n;
        }
    }
}

void run_record_send(struct run_job *job)
{
    char name[4096];
    struct stat facts;

    for (int i = 0; job->options.report != NULL && i < job->options.ranks; i++) {
        int fd = -1;

        if (job->ranks[i].host == job->net.here && name_record(job, i, name, sizeof(name))) {
            fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        }
        if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) {
            send_pieces(job, i, fd, (uint64_t)facts.st_size);
            (void)unlink(name);
        }
        if (fd >= 0) {
            (void)close(fd);
        }
    }
}

/* ---- prestorun ------------------------------------------------------------------------------- */

/* One that is there already is not touched: the host has the same memory. */
static bool begin(int fd, uint64_t size)
{
    return fd >= 0 && ftruncate(fd, (off_t)size) == 0;
}

bool run_record_take(struct run_job *job, struct run_rank *rank, const struct run_frame *frame)
{
    const size_t length = frame->head.length - sizeof(struct run_piece);
    const uint8_t *data = frame->data + sizeof(struct run_piece);
    struct run_piece piece;
    char name[4096];
    int fd;

    memcpy(&piece, frame->data, sizeof(piece));
    if (job->options.report == NULL || piece.size > largest || piece.offset > piece.size ||
        length > piece.size - piece.offset || !name_record(job, rank->number, name, sizeof(name))) {
        return false;
    }
    fd = open(name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | (rank->recorded ? 0 : O_CREAT | O_EXCL),
              0600);
    rank->recorded = rank->recorded || begin(fd, piece.size);
    if (rank->recorded && fd >= 0) {
        (void)!pwrite(fd, data, length, (off_t)piece.offset);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return true;
}
