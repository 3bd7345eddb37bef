/* SPDX-License-Identifier: BSD-3-Clause */
/* Sockets of the state folder. They have names in the file system, so that they reach into all
 * network namespaces. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "hosts.h"

enum { FDS_MAX = 4 };

static struct sockaddr_un address_of(const char *folder, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, name);

    if (length < 0 || (size_t)length >= sizeof address.sun_path) {
        hosts_die(
            "%s/%s: this path is too long for a socket; set APELINK_HOSTS_DIR to a shorter one",
            folder, name);
    }
    return address;
}

int hosts_listen(const char *folder, const char *name)
{
    struct sockaddr_un address = address_of(folder, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 128) != 0) {
        hosts_die("cannot listen at %s: %s", address.sun_path, strerror(errno));
    }
    return fd;
}

int hosts_connect(const char *folder, const char *name)
{
    struct sockaddr_un address = address_of(folder, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

bool hosts_send_fds(int socket, const int *fds, unsigned count)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * FDS_MAX)];
    } control = {0};
    char byte = 'x';
    struct iovec iov = {&byte, 1};
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

bool hosts_receive_fds(int socket, int *fds, unsigned count)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * FDS_MAX)];
    } control;
    char byte;
    struct iovec iov = {&byte, 1};
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};

    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) {
        return false;
    }

    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    if (header == NULL || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof(int) * count)) {
        return false;
    }
    memcpy(fds, CMSG_DATA(header), sizeof(int) * count);
    return true;
}
