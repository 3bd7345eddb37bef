/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <ucs/config/global_opts.h>
#include <ucs/debug/log_def.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
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
 *   ... and greets, or has begun to  it is forgotten: UCX itself ends one of two connections that
 *       do so and ends                 peers have made to each other at the same time
 *
 * The texts are those of UCX 1.13. Where they are others, nothing is noted, and nothing logged.
 */

struct newcomer {
    const void *ep; /* of UCX; NULL: none */
    uint64_t since; /* ns */
    bool told;
    char host[64]; /* and its port */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct newcomer *newcomers; /* by descriptor */
static int newcomer_count;
static ucs_log_level_t asked_for; /* by the user: more is for us */
static bool watching;

/* ---- what is noted --------------------------------------------------------------------------- */

static bool make_room(int fd)
{
    int count = 64;
    struct newcomer *more;

    if (fd < newcomer_count) {
        return true;
    }
    while (count <= fd) {
        count *= 2;
    }
    more = ni_realloc(newcomers, (size_t)count * sizeof(*more));
    if (more == NULL) {
        return false;
    }
    memset(more + newcomer_count, 0, (size_t)(count - newcomer_count) * sizeof(*more));
    newcomers = more;
    newcomer_count = count;
    return true;
}

static void note(int fd, const void *ep, const char *host)
{
    pthread_mutex_lock(&lock);
    if (fd >= 0 && make_room(fd)) {
        newcomers[fd] = (struct newcomer){.ep = ep, .since = ni_now_ns()};
        snprintf(newcomers[fd].host, sizeof(newcomers[fd].host), "%s", host);
    }
    pthread_mutex_unlock(&lock);
}

/* True: it was noted, and where it came from. */
static bool forget(const void *ep, char *host, size_t size)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < newcomer_count && !found; fd++) {
        if (newcomers[fd].ep == ep) {
            found = true;
            newcomers[fd].ep = NULL;
            snprintf(host, size, "%s", newcomers[fd].host);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* One that has said nothing for so long, once. */
static bool find_silent(uint64_t before, char *host, size_t size)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < newcomer_count && !found; fd++) {
        if (newcomers[fd].ep != NULL && !newcomers[fd].told && newcomers[fd].since < before) {
            found = newcomers[fd].told = true;
            snprintf(host, size, "%s", newcomers[fd].host);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void ni_ucx_look_for_strangers(uint64_t now, uint64_t timeout_s)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    uint64_t timeout = timeout_s * UINT64_C(1000000000);
    char host[sizeof(newcomers->host)];

    while (now > timeout && find_silent(now - timeout, host, sizeof(host))) {
        ni_log_limited(
            &limit, NI_LOG_WARN,
            "ucx: %s connected %llu s ago and has not greeted since as UCX does. It is nobody of "
            "this job unless one of its processes does not get to run, and holds a file descriptor "
            "of this one. If this repeats, name a network that is yours alone in the environment "
            "variable UCX_NET_DEVICES",
            host, (unsigned long long)timeout_s);
    }
}

/* ---- what UCX says --------------------------------------------------------------------------- */

static void on_accepted(const char *text)
{
    char host[sizeof(newcomers->host)];
    void *ep;
    int fd;

    if (sscanf(text, "tcp_iface %*s accepted connection from %63s on %*s to tcp_ep %p (fd %d)",
               host, &ep, &fd) == 3) {
        note(fd, ep, host);
        ni_ucx_called(fd);
    }
}

static void on_state(const char *text)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    char from[32], to[32], host[sizeof(newcomers->host)];
    void *ep;

    if (sscanf(text, "tcp_ep %p: %31s -> %31s", &ep, from, to) == 3 &&
        strcmp(to, "ACCEPTING") != 0 && forget(ep, host, sizeof(host)) &&
        strcmp(from, "RECV_MAGIC_NUMBER") == 0 && strcmp(to, "CLOSED") == 0) {
        ni_log_limited(
            &limit, NI_LOG_WARN,
            "ucx: a connection from %s has ended, before whoever made it said anything that UCX "
            "understands. If this repeats, somebody on the network tries to reach this process",
            host);
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

        if (accepts || changes) {
            vsnprintf(text, sizeof(text), format, ap);
            accepts ? on_accepted(text) : on_state(text);
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
