/* SPDX-License-Identifier: BSD-3-Clause */
/* Cables by TCP. */
#include "dnp/board/tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { LISTENER, TIMER, CABLE, GUEST }; /* whose event it is */
enum {
    RETRY_MS = 250,
    CALL_MS = 1000,    /* for a call */
    GUEST_MS = 1000,   /* for a guest's first frame */
    SILENT_MS = 2000,  /* for the other end's acknowledgement */
    WAITING_CALLS = 8, /* in the kernel's queue */
};

static bool watch(const struct board_tcp *tcp, int operation, int fd, uint32_t events,
                  uint32_t whose)
{
    struct epoll_event event = {.events = events, .data.u32 = whose};

    return epoll_ctl(tcp->poll, operation, fd, &event) == 0;
}

/* 0: never. */
static void set_timer(const struct board_tcp *tcp, unsigned ms)
{
    struct itimerspec due = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000}};

    (void)timerfd_settime(tcp->timer, 0, &due, NULL);
}

static void set_options(int fd)
{
    int on = 1;
    unsigned silent = SILENT_MS;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent, sizeof silent);
}

/* ---- who calls ------------------------------------------------------------------------------- */

static int new_socket(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* A socket with our address, of any port. -1 with errno. */
static int caller(const struct board_tcp *tcp)
{
    struct sockaddr_in here = tcp->here;
    int fd = new_socket(), error;

    here.sin_port = 0;
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&here, sizeof here) != 0) {
        error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    return fd;
}

static void call_again(struct board_tcp *tcp)
{
    board_stream_close(tcp->cable);
    tcp->calling = tcp->blocked = false;
    set_timer(tcp, RETRY_MS);
}

/* Call, or see what has become of a call. */
static void call(struct board_tcp *tcp)
{
    int fd = tcp->cable->fd;

    if (connect(fd, (const struct sockaddr *)&tcp->there, sizeof tcp->there) == 0 ||
        errno == EISCONN) {
        tcp->calling = false;
        set_timer(tcp, 0);
        (void)watch(tcp, EPOLL_CTL_MOD, fd, EPOLLIN, CABLE);
    } else if (errno != EINPROGRESS && errno != EALREADY && errno != EINTR) {
        call_again(tcp);
    }
}

static void begin_call(struct board_tcp *tcp)
{
    int fd = caller(tcp);

    board_stream_open(tcp->cable, fd);
    if (fd < 0 || !watch(tcp, EPOLL_CTL_ADD, fd, EPOLLOUT, CABLE)) {
        call_again(tcp);
        return;
    }
    set_options(fd);
    tcp->calling = true;
    set_timer(tcp, CALL_MS);
    call(tcp);
}

/* ---- who listens ----------------------------------------------------------------------------- */

static void take_call(struct board_tcp *tcp)
{
    int fd =
        tcp->guest->fd < 0 ? accept4(tcp->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;

    if (fd < 0) {
        return;
    }
    board_stream_open(tcp->guest, fd);
    set_options(fd);
    if (!watch(tcp, EPOLL_CTL_ADD, fd, EPOLLIN, GUEST)) {
        board_stream_close(tcp->guest);
        return;
    }
    (void)watch(tcp, EPOLL_CTL_MOD, tcp->listener, 0, LISTENER); /* one at a time */
    set_timer(tcp, GUEST_MS);
}

static void guest_gone(struct board_tcp *tcp)
{
    set_timer(tcp, 0);
    (void)watch(tcp, EPOLL_CTL_MOD, tcp->listener, EPOLLIN, LISTENER);
}

static void end_guest(struct board_tcp *tcp)
{
    board_stream_close(tcp->guest);
    guest_gone(tcp);
}

static void end_cable(struct board_tcp *tcp)
{
    if (tcp->listener < 0) {
        call_again(tcp);
        return;
    }
    board_stream_close(tcp->cable);
    tcp->blocked = false;
}

/* The guest is the neighbour. */
static void welcome(struct board_tcp *tcp)
{
    struct board_stream *cable = tcp->guest;

    end_cable(tcp);
    tcp->guest = tcp->cable;
    tcp->cable = cable;
    (void)watch(tcp, EPOLL_CTL_MOD, cable->fd, EPOLLIN, CABLE);
    guest_gone(tcp);
}

/* ---- what comes and goes --------------------------------------------------------------------- */

static void on_timer(struct board_tcp *tcp)
{
    uint64_t count;

    if (read(tcp->timer, &count, sizeof count) != sizeof count) {
        return; /* it was set anew */
    }
    if (tcp->listener >= 0) {
        end_guest(tcp);
    } else if (tcp->calling) {
        call_again(tcp);
    } else if (tcp->cable->fd < 0) {
        begin_call(tcp);
    }
}

void board_tcp_hear(struct board_tcp *tcp)
{
    struct epoll_event event[4];
    int count = epoll_wait(tcp->poll, event, 4, 0);

    for (int i = 0; i < count; i++) {
        if (event[i].data.u32 == TIMER) {
            on_timer(tcp);
        } else if (event[i].data.u32 == LISTENER) {
            take_call(tcp);
        } else if (event[i].data.u32 == CABLE && tcp->calling) {
            call(tcp);
        } /* others are read by who takes frames */
    }
}

/* More of a frame has left, or the cable has ended. */
static void left(struct board_tcp *tcp, bool good)
{
    bool blocked = good && board_stream_busy(tcp->cable);

    if (!good) {
        end_cable(tcp);
    } else if (blocked != tcp->blocked) {
        tcp->blocked = blocked;
        (void)watch(tcp, EPOLL_CTL_MOD, tcp->cable->fd, EPOLLIN | (blocked ? EPOLLOUT : 0U), CABLE);
    }
}

void board_tcp_send(struct board_tcp *tcp, size_t len)
{
    left(tcp, board_stream_send(tcp->cable, len));
}

struct board_stream *board_tcp_next(struct board_tcp *tcp, const uint8_t **bytes, size_t *len)
{
    enum board_stream_got got;

    if (tcp->blocked) {
        left(tcp, board_stream_flush(tcp->cable));
    }
    if (board_tcp_there(tcp)) {
        got = board_stream_next(tcp->cable, bytes, len);
        if (got == BOARD_STREAM_FRAME) {
            return tcp->cable;
        }
        if (got == BOARD_STREAM_ENDED) {
            end_cable(tcp);
        }
    }
    if (tcp->guest->fd >= 0) {
        got = board_stream_next(tcp->guest, bytes, len);
        if (got == BOARD_STREAM_FRAME) {
            return tcp->guest;
        }
        if (got == BOARD_STREAM_ENDED) {
            end_guest(tcp);
        }
    }
    return NULL;
}

void board_tcp_judge(struct board_tcp *tcp, struct board_stream *from,
                     enum dnp_frame_verdict verdict, bool news)
{
    bool refused = verdict != DNP_FRAME_GOOD && verdict != DNP_FRAME_STALE;

    if (from == tcp->cable) {
        if (refused) {
            end_cable(tcp);
        }
        return;
    }
    /* A frame that was recorded does not take a neighbour's place. */
    if (!refused && (verdict == DNP_FRAME_GOOD || news || tcp->cable->fd < 0)) {
        welcome(tcp);
    } else {
        end_guest(tcp);
    }
}

/* ---- open ------------------------------------------------------------------------------------ */

static int listen_here(struct board_tcp *tcp)
{
    int on = 1;

    tcp->listener = new_socket();
    if (tcp->listener < 0 ||
        setsockopt(tcp->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(tcp->listener, (const struct sockaddr *)&tcp->here, sizeof tcp->here) != 0 ||
        listen(tcp->listener, WAITING_CALLS) != 0 ||
        !watch(tcp, EPOLL_CTL_ADD, tcp->listener, EPOLLIN, LISTENER)) {
        return errno;
    }
    return 0;
}

/* Whether we could call from our address. */
static int call_from_here(struct board_tcp *tcp)
{
    int fd = caller(tcp);

    if (fd < 0) {
        return errno;
    }
    close(fd);
    begin_call(tcp);
    return 0;
}

int board_tcp_open(struct board_tcp *tcp, unsigned link, const struct sockaddr_in *here,
                   const struct sockaddr_in *there)
{
    tcp->here = *here;
    tcp->there = *there;
    tcp->calling = tcp->blocked = false;
    tcp->listener = -1;
    tcp->cable = &tcp->stream[0];
    tcp->guest = &tcp->stream[1];
    board_stream_open(tcp->cable, -1);
    board_stream_open(tcp->guest, -1);
    tcp->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    tcp->poll = epoll_create1(EPOLL_CLOEXEC);
    if (tcp->timer < 0 || tcp->poll < 0 || !watch(tcp, EPOLL_CTL_ADD, tcp->timer, EPOLLIN, TIMER)) {
        return errno;
    }
    return link % 2 == 0 ? call_from_here(tcp) : listen_here(tcp);
}

void board_tcp_close(struct board_tcp *tcp)
{
    int fds[] = {tcp->poll, tcp->timer, tcp->listener};

    board_stream_close(tcp->cable);
    board_stream_close(tcp->guest);
    for (unsigned i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
    tcp->poll = tcp->timer = tcp->listener = -1;
}
