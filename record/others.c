/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a job's processes on a host. */
#include "record/others.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/process.h"

const struct record_call_entry *record_current_call(const struct record_seen *seen)
{
    for (uint32_t i = 0; i < seen->head.call_count && i < RECORD_CALLS; i++) {
        if (seen->calls[i].depth > 0) {
            return &seen->calls[i];
        }
    }
    return NULL;
}

bool record_is_of_our_time(const struct record_head *head)
{
    const uint64_t margin = UINT64_C(30) * 1000000000;

    return head->clock_last + margin > record_own.head->clock_start;
}

/* The parts of a record that are looked at here lie in its first pages. */
static bool read_parts(struct record_seen *seen)
{
    off_t calls_at = (off_t)record_parts()[1].offset;

    return pread(seen->fd, &seen->head, sizeof(seen->head), 0) == (ssize_t)sizeof(seen->head) &&
           pread(seen->fd, seen->calls, sizeof(seen->calls), calls_at) ==
               (ssize_t)sizeof(seen->calls) &&
           seen->head.magic == RECORD_MAGIC;
}

/* A process that has ended may have written more since its record was read. */
static bool look_at(struct record_seen *seen)
{
    if (!read_parts(seen)) {
        return false;
    }
    seen->elsewhere = record_is_elsewhere(&seen->head);
    seen->lives = record_process_lives(&seen->head, &seen->stopped);
    return seen->lives || read_parts(seen);
}

void record_each(void (*visit)(struct record_seen *seen, void *arg), void *arg)
{
    char folder[sizeof(record_own.path)], prefix[64], path[2 * sizeof(folder)];
    const struct dirent *entry;
    struct record_seen seen;
    DIR *directory;

    record_folder(folder, sizeof(folder));
    record_file_name(prefix, sizeof(prefix), record_own.head->job, 0);
    prefix[strlen(prefix) - 1] = '\0'; /* without the rank */
    directory = opendir(folder);
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        seen =
            (struct record_seen){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
        if (seen.fd >= 0) {
            if (look_at(&seen)) {
                visit(&seen, arg);
            }
            (void)close(seen.fd);
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
}
