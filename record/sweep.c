/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that nobody has removed. */
#include "record/sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "record/process.h"
#include "record/record.h"

/* Until when a process has kept its record, in seconds of CLOCK_REALTIME: where it does not say,
 * its file's time. */
static uint64_t last_second(const struct record_head *head, const struct stat *status)
{
    if (head->magic != RECORD_MAGIC || head->clock_last < head->clock_start) {
        return (uint64_t)status->st_mtime;
    }
    return head->start_seconds + (head->clock_last - head->clock_start) / 1000000000u;
}

/* A record of this version, or one that was never begun. Where process ids are others than here,
 * the process of a record seems to have ended; while it lives it keeps the record young. */
static bool is_stale(int folder, const char *name, uint64_t age_s)
{
    struct record_head head = {0};
    struct stat status;
    bool stale = false, stopped;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == getuid() &&
        pread(fd, &head, sizeof(head), 0) >= 0 &&
        (head.magic == 0 || head.version == RECORD_VERSION)) {
        stale = last_second(&head, &status) + age_s < (uint64_t)time(NULL) &&
                !record_process_lives(&head, &stopped);
    }
    (void)close(fd);
    return stale;
}

unsigned record_sweep(const char *folder, uint64_t age_s)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    unsigned removed = 0;
    char prefix[32];

    (void)snprintf(prefix, sizeof(prefix), "apelink-hooks.%u.", (unsigned)getuid());
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
            is_stale(dirfd(directory), entry->d_name, age_s) &&
            unlinkat(dirfd(directory), entry->d_name, 0) == 0) {
            removed++;
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return removed;
}
