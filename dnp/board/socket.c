/* SPDX-License-Identifier: BSD-3-Clause */
/* Unix sockets of a board. */
#include "dnp/board/socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <apeni/log.h>

int board_socket_open(const char *setting, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    strcpy(address.sun_path, path);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        ni_log(NI_LOG_ERROR, "apelink-board: a board answers at %s already", path);
        close(fd);
        return -1;
    }
    if (errno == ECONNREFUSED) {
        unlink(path); /* left behind by one that was killed */
    }
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 8) != 0) {
        ni_log(NI_LOG_ERROR, "apelink-board: %s %s: %s", setting, path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}
