/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether hosts whose daemons are silent live. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "hfm/daemon/daemon.h"

/*
 * The kernel is asked, by a TCP connection to the daemon's port, at which nobody listens: it
 * refuses, at once, whether the daemon is there, stopped, or has ended. Each question is a new
 * connection, since TCP repeats one only after a second; an answer to the last but one comes too
 * late. A firewall that drops them makes a host one that does not answer.
 */
struct hfm_ask {
    struct hfm_daemon *daemon;
    struct event *event; /* NULL: no question is under way */
    int fd;
};

static void end_question(struct hfm_ask *ask)
{
    if (ask->event != NULL) {
        event_free(ask->event);
        close(ask->fd);
        ask->event = NULL;
    }
}

/* What the kernel there says, and no router in between. */
static bool is_answer(int error)
{
    return error == 0 || error == ECONNREFUSED || error == ECONNRESET;
}

static void take_answer(struct hfm_daemon *daemon, uint32_t about, int error)
{
    if (is_answer(error)) {
        hfm_node_answered(&daemon->node, about, ni_now_ns());
    }
}

static void on_answer(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_ask *ask = arg;
    struct hfm_daemon *daemon = ask->daemon;
    int error = ETIMEDOUT;
    socklen_t size = sizeof error;

    (void)what;
    (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    end_question(ask);
    take_answer(daemon, (uint32_t)(ask - daemon->asks), error);
}

static bool wait_for_answer(struct hfm_ask *ask)
{
    struct event *event = event_new(ask->daemon->base, ask->fd, EV_WRITE, on_answer, ask);

    if (event != NULL && event_priority_set(event, 0) == 0 && event_add(event, NULL) == 0) {
        ask->event = event;
        return true;
    }
    if (event != NULL) {
        event_free(event);
    }
    return false;
}

void hfm_ask(void *arg, uint32_t about)
{
    struct hfm_daemon *daemon = arg;
    const struct sockaddr_in *address = &daemon->config.node[about].address;
    const struct linger reset = {.l_onoff = 1};
    struct hfm_ask *ask;
    int fd, error;

    if (daemon->asks == NULL) {
        daemon->asks = ni_calloc(daemon->config.nodes, sizeof *daemon->asks);
    }
    fd = daemon->asks != NULL ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (fd < 0) {
        return; /* as if the network had lost it */
    }
    ask = &daemon->asks[about];
    end_question(ask);
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset); /* leaves no TIME_WAIT */
    error = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ? 0 : errno;
    *ask = (struct hfm_ask){.daemon = daemon, .fd = fd};
    if (error == EINPROGRESS && wait_for_answer(ask)) {
        return;
    }
    close(fd);
    take_answer(daemon, about, error);
}

void hfm_asks_close(struct hfm_daemon *daemon)
{
    for (uint32_t i = 0; daemon->asks != NULL && i < daemon->config.nodes; i++) {
        end_question(&daemon->asks[i]);
    }
    ni_free(daemon->asks);
    daemon->asks = NULL;
}
