/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "link/ucx/ucx.h"

/*
 * Connections that fall silent: a cable is pulled, a host loses its power. Nobody says so, and TCP
 * is patient: it repeats what is not acknowledged for a quarter of an hour. We give it
 * ucx_timeout_s.
 *
 * What counts are answers of the peer's system, not of its process, which may compute for hours, be
 * stopped, and leave our data unread. So TCP_USER_TIMEOUT will not do: it also ends connections
 * whose receiver has no room, although it answers each probe. We look at each socket ourselves, and
 * have TCP ask often enough: by keepalive where nothing is under way, by repeating where something
 * is.
 *
 * A connection that is given up is shut down, which UCX takes for its end, and so the peer dies as
 * any other. UCX tells nobody its sockets, but the descriptor of a worker, with which one sleeps,
 * is an epoll of epolls of sockets, whose members the kernel lists. On networks without sockets
 * nothing is found and nothing done: those have time-outs of their own.
 */

#ifndef TCP_RTO_MAX_MS /* Linux 6.15 */
#define TCP_RTO_MAX_MS 44
#endif

enum {
    DEPTH = 3,            /* epolls in epolls */
    UNANSWERED = 2,       /* repetitions or probes, besides the time */
    PROBES = 16,          /* the kernel's own end of an idle connection is after ours */
    RTO_MAX_LEAST = 1000, /* ms, as the kernel has it */
    RTO_MAX_MOST = 120000,
};

#define LOOKS_PER_TIMEOUT 8
#define LOOK_NS_MOST      UINT64_C(2000000000)

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static void set_option(int fd, int level, int option, int value)
{
    /* The kernel may not know it; then questions are asked more rarely. */
    (void)setsockopt(fd, level, option, &value, sizeof(value));
}

/* Have TCP ask the peer's system several times within the time-out. */
static void ask_often(int fd, int timeout_s)
{
    int idle = at_least(timeout_s / 4, 1), known = 0;
    uint32_t rto_max = (uint32_t)at_least(timeout_s * 1000 / 4, RTO_MAX_LEAST);
    socklen_t len = sizeof(known);

    if (getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &known, &len) == 0 && known == idle) {
        return; /* that was here */
    }
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, at_least(timeout_s / 8, 1));
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
    set_option(fd, IPPROTO_TCP, TCP_RTO_MAX_MS, (int)least(rto_max, RTO_MAX_MOST));
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
}

/* Whether the peer's system has been asked and has not answered. The time alone is not enough: it
 * also passes where there is nothing to answer. */
static bool is_silent(const struct tcp_info *info, int timeout_s)
{
    uint32_t heard_ms = least(info->tcpi_last_ack_recv, info->tcpi_last_data_recv);

    return heard_ms > (uint32_t)timeout_s * 1000 &&
           (info->tcpi_retransmits >= UNANSWERED || info->tcpi_probes >= UNANSWERED);
}

static void name_host(int fd, char *name, size_t size)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer = {0};
    socklen_t len = sizeof(peer);
    const void *address = &peer.v4.sin_addr;

    snprintf(name, size, "with an unknown address");
    if (getpeername(fd, &peer.any, &len) == 0) {
        if (peer.any.sa_family == AF_INET6) {
            address = &peer.v6.sin6_addr;
        }
        (void)inet_ntop(peer.any.sa_family, address, name, (socklen_t)size);
    }
}

static void give_up(int fd, int timeout_s)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    char host[INET6_ADDRSTRLEN], parameter[96];

    name_host(fd, host, sizeof(host));
    ni_config_name("ucx_timeout_s", parameter, sizeof(parameter));
    ni_log_limited(
        &limit, NI_LOG_ERROR,
        "ucx: the host %s has not answered for %d s: the connection to a process there is "
        "given up. See whether the host and the network between are up. If they may be away "
        "for longer, set %s to more seconds",
        host, timeout_s, parameter);
    (void)shutdown(fd, SHUT_RDWR);
}

/* What is done with each socket of a worker. */
struct look {
    void (*at)(int fd, const struct tcp_info *info, void *arg);
    void *arg;
};

/* False: it is no socket of TCP. */
static bool look_at_socket(int fd, const struct look *look)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);

    memset(&info, 0, sizeof(info));
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0) {
        return false;
    }
    look->at(fd, &info, look->arg);
    return true;
}

/* The members of an epoll; of anything else there are none. */
static void look_at_epoll(int epoll, const struct look *look, int depth)
{
    char path[64], line[256];
    FILE *list;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", epoll);
    list = fopen(path, "re");
    while (list != NULL && fgets(line, sizeof(line), list) != NULL) {
        if (sscanf(line, "tfd: %d", &fd) == 1 && !look_at_socket(fd, look) && depth > 1) {
            look_at_epoll(fd, look, depth - 1);
        }
    }
    if (list != NULL) {
        (void)fclose(list);
    }
}

static void check_socket(int fd, const struct tcp_info *info, void *arg)
{
    int timeout_s = *(const int *)arg;

    if (info->tcpi_state == TCP_ESTABLISHED) {
        ask_often(fd, timeout_s);
        if (is_silent(info, timeout_s)) {
            give_up(fd, timeout_s);
        }
    }
}

static void count_socket(int fd, const struct tcp_info *info, void *arg)
{
    (void)fd;
    *(unsigned *)arg += info->tcpi_state == TCP_ESTABLISHED || info->tcpi_state == TCP_SYN_SENT ||
                        info->tcpi_state == TCP_SYN_RECV;
}

bool ni_ucx_has_connections(const struct ni_ucx_link *link)
{
    unsigned found = 0;
    const struct look look = {count_socket, &found};

    look_at_epoll(link->event_fd, &look, DEPTH);
    return found != 0;
}

void ni_ucx_look_for_silence(struct ni_ucx_link *link, uint64_t now)
{
    uint64_t timeout_s = link->config->ucx_timeout_s, wait;
    int seconds = (int)timeout_s;
    const struct look look = {check_socket, &seconds};

    if (timeout_s == 0 || now < link->next_look) {
        return;
    }
    wait = timeout_s * UINT64_C(1000000000) / LOOKS_PER_TIMEOUT;
    link->next_look = now + (wait < LOOK_NS_MOST ? wait : LOOK_NS_MOST);
    look_at_epoll(link->event_fd, &look, DEPTH);
    ni_ucx_look_for_strangers(now, timeout_s);
}
