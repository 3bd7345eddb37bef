/* SPDX-License-Identifier: BSD-3-Clause */
/* Serves QEMU's ivshmem-doorbell. */
#include "dnp/board/ivshmem.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <apeni/log.h>

#include "dnp/board/socket.h"

enum { PROTOCOL = 0, CARD = 0, MACHINE = 1, SHARED_MEMORY = -1 };

static const struct timeval beat = {0, 500000};

static void ring(int fd)
{
    const uint64_t one = 1;

    (void)!write(fd, &one, sizeof one);
}

/* A number, and a descriptor unless it is -1. */
static bool tell(int client, int64_t number, int fd)
{
    int64_t bytes = (int64_t)htole64((uint64_t)number);
    struct iovec part = {&bytes, sizeof bytes};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {.space = {0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    return sendmsg(client, &message, MSG_NOSIGNAL) == (ssize_t)sizeof bytes;
}

/* All that a new machine has to know. */
static bool greet(const struct board_ivshmem *ivshmem)
{
    int client = ivshmem->client;
    bool good = tell(client, PROTOCOL, -1) && tell(client, MACHINE, -1) &&
                tell(client, SHARED_MEMORY, ivshmem->machine.bar_fd) &&
                tell(client, CARD, ivshmem->doorbell);

    for (unsigned i = 0; i < APELINK_BAR_VECTORS && good; i++) {
        good = tell(client, MACHINE, ivshmem->vector[i]);
    }
    return good;
}

static void part(struct board_ivshmem *ivshmem)
{
    if (ivshmem->on_client != NULL) {
        event_free(ivshmem->on_client);
    }
    if (ivshmem->client >= 0) {
        close(ivshmem->client);
    }
    ivshmem->on_client = NULL;
    ivshmem->client = -1;
}

/* A machine says nothing, so what can be read is its end. */
static void on_client(evutil_socket_t fd, short what, void *arg)
{
    struct board_ivshmem *ivshmem = arg;
    char bytes[64];
    ssize_t got;

    (void)what;
    got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        part(ivshmem);
        board_machine_reset(&ivshmem->machine);
        ivshmem->after(ivshmem->arg);
    }
}

static void on_connect(evutil_socket_t fd, short what, void *arg)
{
    struct board_ivshmem *ivshmem = arg;
    int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)what;
    if (client >= 0 && ivshmem->client >= 0) {
        ni_log(NI_LOG_WARN, "apelink-board: the card at %s has a machine already", ivshmem->path);
        close(client);
        return;
    }
    if (client < 0) {
        return;
    }
    board_machine_reset(&ivshmem->machine);
    ivshmem->client = client;
    ivshmem->on_client = event_new(ivshmem->base, client, EV_READ | EV_PERSIST, on_client, ivshmem);
    if (ivshmem->on_client == NULL || event_add(ivshmem->on_client, NULL) != 0 || !greet(ivshmem)) {
        part(ivshmem);
    }
}

static void on_doorbell(evutil_socket_t fd, short what, void *arg)
{
    struct board_ivshmem *ivshmem = arg;
    uint64_t count;

    (void)what;
    (void)!read(fd, &count, sizeof count);
    if (board_machine_rung(&ivshmem->machine)) {
        ring(ivshmem->vector[0]);
    }
    ivshmem->after(ivshmem->arg);
}

static void on_beat(evutil_socket_t fd, short what, void *arg)
{
    struct board_ivshmem *ivshmem = arg;

    (void)fd;
    (void)what;
    board_machine_beat(&ivshmem->machine);
}

static bool add(struct board_ivshmem *ivshmem, struct event **event, int fd, short what,
                event_callback_fn call, const struct timeval *time)
{
    *event = event_new(ivshmem->base, fd, what | EV_PERSIST, call, ivshmem);
    return *event != NULL && event_add(*event, time) == 0;
}

static int open_all(struct board_ivshmem *ivshmem, struct board_device *device,
                    const char *memory_path)
{
    int status = board_machine_open(&ivshmem->machine, device, memory_path);

    if (status != 0) {
        return status;
    }
    ivshmem->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ivshmem->doorbell < 0) {
        return -errno;
    }
    for (unsigned i = 0; i < APELINK_BAR_VECTORS; i++) {
        ivshmem->vector[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (ivshmem->vector[i] < 0) {
            return -errno;
        }
    }
    return add(ivshmem, &ivshmem->on_connect, ivshmem->listener, EV_READ, on_connect, NULL) &&
                   add(ivshmem, &ivshmem->on_doorbell, ivshmem->doorbell, EV_READ, on_doorbell,
                       NULL) &&
                   add(ivshmem, &ivshmem->on_beat, -1, 0, on_beat, &beat)
               ? 0
               : -ENOMEM;
}

ni_status board_ivshmem_open(struct board_ivshmem *ivshmem, struct board_device *device,
                             const char *path, const char *memory_path, struct event_base *base,
                             void (*after)(void *arg), void *arg)
{
    int status;

    *ivshmem = (struct board_ivshmem){.machine.bar_fd = -1,
                                      .path = path,
                                      .client = -1,
                                      .doorbell = -1,
                                      .base = base,
                                      .after = after,
                                      .arg = arg};
    for (unsigned i = 0; i < APELINK_BAR_VECTORS; i++) {
        ivshmem->vector[i] = -1;
    }
    ivshmem->listener = board_socket_open("machine", path);
    if (ivshmem->listener < 0) {
        return NI_ERR_SYSTEM;
    }
    status = open_all(ivshmem, device, memory_path);
    if (status != 0) {
        ni_log(NI_LOG_ERROR, "apelink-board: machine %s: %s", path, strerror(-status));
    }
    return status == 0 ? NI_OK : NI_ERR_SYSTEM;
}

void board_ivshmem_close(struct board_ivshmem *ivshmem)
{
    struct event *events[] = {ivshmem->on_connect, ivshmem->on_doorbell, ivshmem->on_beat};

    if (ivshmem->listener < 0) {
        return;
    }
    board_machine_close(&ivshmem->machine);
    for (unsigned i = 0; i < 3; i++) {
        if (events[i] != NULL) {
            event_free(events[i]);
        }
    }
    for (unsigned i = 0; i < APELINK_BAR_VECTORS; i++) {
        if (ivshmem->vector[i] >= 0) {
            ring(ivshmem->vector[i]); /* it looks, and finds that we have gone */
            close(ivshmem->vector[i]);
        }
    }
    if (ivshmem->doorbell >= 0) {
        close(ivshmem->doorbell);
    }
    part(ivshmem);
    close(ivshmem->listener);
    unlink(ivshmem->path);
    ivshmem->listener = -1;
}

void board_ivshmem_wake(struct board_ivshmem *ivshmem, unsigned channels)
{
    unsigned wanted;

    if (ivshmem->client < 0) {
        return;
    }
    wanted = board_machine_wanted(&ivshmem->machine, channels);
    for (unsigned port = 0; port < APELINK_BAR_CHANNELS; port++) {
        if ((wanted & 1U << port) != 0) {
            ring(ivshmem->vector[1 + port]);
        }
    }
}
