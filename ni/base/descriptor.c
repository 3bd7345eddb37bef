/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int ni_descriptor_keep(int fd)
{
    int kept = fd, error;

    if (fd >= 0 && fd <= STDERR_FILENO) {
        kept = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        error = errno;
        (void)close(fd);
        errno = error;
    }
    return kept;
}
