/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes between prestorun and the guard, with descriptors. */
#include "tools/run_note.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/run.h"

union ends_control {
    struct cmsghdr head;
    char space[CMSG_SPACE(sizeof(struct run_ends))];
};

ssize_t run_note_send(int fd, struct run_note note, const struct run_ends *ends, int flags)
{
    union ends_control control;
    struct iovec data = {.iov_base = &note, .iov_len = sizeof(note)};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    ssize_t n;

    if (ends != NULL) {
        memset(&control, 0, sizeof(control));
        control.head = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(*ends)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), ends, sizeof(*ends));
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
    }
    do {
        n = sendmsg(fd, &message, MSG_NOSIGNAL | flags);
    } while (n < 0 && errno == EINTR);
    return n;
}

ssize_t run_note_receive(int fd, struct run_note *note, struct run_ends *ends, int flags)
{
    union ends_control control;
    struct iovec data = {.iov_base = note, .iov_len = sizeof(*note)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    const struct cmsghdr *head;
    int fds[3] = {-1, -1, -1};
    size_t got = 0;
    ssize_t n;

    do {
        n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | flags);
    } while (n < 0 && errno == EINTR);
    head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head != NULL && head->cmsg_type == SCM_RIGHTS) {
        got = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        got = got < 3 ? got : 3;
        memcpy(fds, CMSG_DATA(head), got * sizeof(int));
    }
    while (got > 0 && got < 3) { /* the limit of open files has kept the others away */
        got--;
        (void)close(fds[got]);
        fds[got] = -1;
    }
    *ends = (struct run_ends){.wire = fds[0], .out = fds[1], .err = fds[2]};
    return n;
}
