/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of a process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/process.h"

#include "record/record.h"

/* The kernel's flag of a process that has begun to end: it has let go of nothing yet. */
enum { EXITING = 4 };

/* The state of a process that cannot be looked at, for want of descriptors for example. */
enum { UNKNOWN = '?' };

char record_process_state(uint32_t pid, uint64_t *start)
{
    char path[32], text[1024];
    const char *behind; /* the name in parentheses, which may contain anything */
    unsigned long long number = 0;
    ssize_t length;
    unsigned flags = 0;
    char state = 0;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%u/stat", (unsigned)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT ? 0 : UNKNOWN;
    }
    length = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    behind = strrchr(text, ')');
    /* State, the flags as the sixth number behind it, the time when it started as the nineteenth.
     */
    if (behind == NULL ||
        sscanf(behind + 1,
               " %c %*s %*s %*s %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %llu",
               &state, &flags, &number) != 3) {
        return 0;
    }
    *start = number;
    return (flags & EXITING) != 0 ? 'X' : state;
}

uint64_t record_process_space(void)
{
    struct stat status;

    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

bool record_is_elsewhere(const struct record_head *head)
{
    /* The first namespace of every host has the same number. */
    return head->process_space != record_own.head->process_space ||
           strncmp(head->host, record_own.head->host, sizeof(head->host)) != 0;
}

bool record_process_lives(const struct record_head *head, bool *stopped)
{
    uint64_t start = 0;
    char state = record_process_state(head->pid, &start);

    *stopped = state == 'T' || state == 't';
    return state == UNKNOWN ||
           (state != 0 && state != 'Z' && state != 'X' && start == head->process_start);
}
