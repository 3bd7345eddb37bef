/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <ucs/config/global_opts.h>
#include <ucs/debug/log_def.h>

#include "base/log.h"
#include "link/ucx/newcomers.h"
#include "link/ucx/ucx.h"

/*
 * Who connects to UCX's sockets and does not speak its protocol never gets as far as our keys: UCX
 * reads eight bytes and hangs up, or waits for them without end. It tells of that with its messages
 * for debugging only. A handler of its log gets to see those, takes what it needs and drops what
 * the user did not ask for.
 *
 *   accepted                         the connection is noted, by its descriptor
 *   ... and ends without a word      logged
 *   ... and stays without greeting   logged, after ucx_timeout_s
 *   ... and has begun to greet, and  it is forgotten
 *       ends
 *   ... and greets                   it is an applicant, until UCX has read what it asks for
 *   listening, connecting            that socket, too, is closed by exec
 *
 * Of two connections that peers make to each other at the same time UCX ends one: the peer with
 * the greater address closes its own, which may have said nothing by then. So each connection of
 * ours that was crossed, or still may be, stands for one that ends without a word and is not
 * logged.
 *
 * What an applicant asks for is an endpoint towards it, and UCX 1.13 aborts the process if the
 * connection ends before it has confirmed that. It may wait for as long as the program does not
 * poll, and die waiting. So polls look whether applicants are still there, and let UCX see nothing
 * but the end of those that are not.
 *
 * The texts are those of UCX 1.13. Where they are others, nothing is noted, and nothing logged.
 */

static ucs_log_level_t asked_for; /* by the user: more is for us */
static bool watching;

/* UCX leaves its sockets to the programs that this one executes, in its place or beside it. As long
 * as one of those ran, peers would not notice that this one has ended. */
static void close_on_exec(int fd)
{
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void on_socket(const char *text)
{
    const char *number = strstr(text, "(fd=");
    int fd;

    if (number != NULL && sscanf(number, "(fd=%d", &fd) == 1) {
        close_on_exec(fd);
    }
}

static void on_accepted(const char *text)
{
    char host[NI_UCX_WHO];
    void *ep;
    int fd;

    if (sscanf(text, "tcp_iface %*s accepted connection from %127s on %*s to tcp_ep %p (fd %d)",
               host, &ep, &fd) == 3) {
        close_on_exec(fd);
        ni_ucx_newcomer_note(fd, ep, host);
        ni_ucx_called(fd);
    }
}

static void on_newcomer_end(const void *ep, const char *from)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    char host[NI_UCX_WHO];

    if (ni_ucx_newcomer_forget(ep, host, sizeof(host)) && strcmp(from, "RECV_MAGIC_NUMBER") == 0 &&
        !ni_ucx_crossing_take()) {
        ni_log_limited(
            &limit, NI_LOG_WARN,
            "ucx: a connection from %s has ended, before its other end said anything that UCX "
            "understands. It was nobody of this job unless one of its processes ended just then. "
            "If this repeats, somebody on the network tries to reach this process",
            host);
    }
}

/* A connection of ours goes on. Where the peer has asked for an endpoint, too, it says so with its
 * answer, or had said so before it. */
static void on_own(const char *from, const char *to, bool peer_asks)
{
    if (!peer_asks && strcmp(to, "WAITING_ACK") == 0) {
        ni_ucx_crossing_add();
    } else if (!peer_asks && strcmp(from, "WAITING_ACK") == 0 && strcmp(to, "CONNECTED") == 0) {
        (void)ni_ucx_crossing_take(); /* it was not crossed */
    }
}

static void on_state(const char *text)
{
    char from[32], to[32], name[NI_UCX_WHO], uses[16] = "";
    void *ep;
    int found = sscanf(text, "tcp_ep %p: %31s -> %31s for the %127s connection %15s", &ep, from, to,
                       name, uses);

    if (found == 5) {
        on_own(from, to, strstr(uses, ":Rx]") != NULL);
    }
    if (found >= 3 && strcmp(to, "CLOSED") == 0) {
        on_newcomer_end(ep, from);
    } else if (found >= 4 && strcmp(from, "ACCEPTING") == 0 && strcmp(to, "CONNECTED") == 0) {
        ni_ucx_newcomer_applies(ep, name);
    } else if (found >= 4 && strcmp(to, "WAITING_ACK") == 0) {
        ni_ucx_newcomer_accept(name);
    }
}

/* From within UCX, any thread of it. */
static ucs_log_func_rc_t on_message(const char *file, unsigned line, const char *function,
                                    ucs_log_level_t level,
                                    const ucs_log_component_config_t *component, const char *format,
                                    va_list ap)
{
    char text[256];

    (void)file;
    (void)line;
    (void)component;
    if (level == UCS_LOG_LEVEL_DEBUG && function != NULL) {
        bool accepts = strcmp(function, "uct_tcp_cm_handle_incoming_conn") == 0;
        bool changes = strcmp(function, "uct_tcp_cm_change_conn_state") == 0;
        bool opens = strcmp(function, "ucs_socket_connect") == 0 ||
                     strcmp(function, "uct_tcp_iface_listener_init") == 0;

        if (accepts || changes || opens) {
            vsnprintf(text, sizeof(text), format, ap);
            accepts ? on_accepted(text) : changes ? on_state(text) : on_socket(text);
        }
    }
    return level > asked_for && level < UCS_LOG_LEVEL_LAST ? UCS_LOG_FUNC_RC_STOP
                                                           : UCS_LOG_FUNC_RC_CONTINUE;
}

/* UCX keeps the handler until the process ends, so this code has to stay as long, also that of a
 * component which is unloaded. */
static bool stay(void)
{
    struct link_map *map;
    Dl_info info;

    return dladdr1((const void *)(uintptr_t)on_message, &info, (void **)&map, RTLD_DL_LINKMAP) !=
               0 &&
           (map->l_name[0] == '\0' || /* the program itself */
            dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != NULL);
}

void ni_ucx_watch_for_strangers(void *library)
{
    ucs_global_opts_t *options = dlsym(library, "ucs_global_opts");
    void (*push)(ucs_log_func_t handler);

    *(void **)(void *)&push = dlsym(library, "ucs_log_push_handler");
    if (watching || options == NULL || push == NULL || !stay()) {
        return;
    }
    watching = true;
    asked_for = options->log_component.log_level;
    push(on_message);
    if (asked_for < UCS_LOG_LEVEL_DEBUG) {
        options->log_component.log_level = UCS_LOG_LEVEL_DEBUG;
    }
}
