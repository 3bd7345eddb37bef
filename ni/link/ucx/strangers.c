/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

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

/* Who has not asked for anything by then does so by another connection. To look takes a call of the
 * kernel, which each poll would pay. */
#define APPLY_NS UINT64_C(2000000000)

struct newcomer {
    const void *ep; /* of UCX; NULL: none */
    uint64_t since; /* ns: accepted, or an applicant */
    ino_t socket;   /* the descriptor may be somebody else's before we hear that it was closed */
    bool told;
    bool applies;
    char who[128]; /* its host and port; of an applicant, UCX's name for the connection */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct newcomer *newcomers; /* by descriptor */
static int newcomer_count;
static _Atomic unsigned applicants; /* of them; polls look at it without the lock */
static unsigned crossings; /* connections of ours that may be crossed or were, less those seen */
static ucs_log_level_t asked_for; /* by the user: more is for us */
static bool watching;

/* ---- what is noted --------------------------------------------------------------------------- */

static bool make_newcomer_room(int fd)
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

static ino_t socket_of(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 ? about.st_ino : 0;
}

static void clear(struct newcomer *newcomer)
{
    newcomer->ep = NULL;
    if (newcomer->applies) {
        newcomer->applies = false;
        (void)atomic_fetch_sub_explicit(&applicants, 1, memory_order_relaxed);
    }
}

static void note(int fd, const void *ep, const char *host)
{
    pthread_mutex_lock(&lock);
    if (fd >= 0 && make_newcomer_room(fd)) {
        clear(&newcomers[fd]);
        newcomers[fd] = (struct newcomer){.ep = ep, .since = ni_now_ns(), .socket = socket_of(fd)};
        snprintf(newcomers[fd].who, sizeof(newcomers[fd].who), "%s", host);
    }
    pthread_mutex_unlock(&lock);
}

static struct newcomer *find_newcomer(const void *ep)
{
    for (int fd = 0; fd < newcomer_count; fd++) {
        if (newcomers[fd].ep == ep) {
            return &newcomers[fd];
        }
    }
    return NULL;
}

/* True: it was noted and said nothing, and where it came from. */
static bool forget_newcomer(const void *ep, char *host, size_t size)
{
    struct newcomer *newcomer;
    bool silent;

    pthread_mutex_lock(&lock);
    newcomer = find_newcomer(ep);
    silent = newcomer != NULL && !newcomer->applies;
    if (newcomer != NULL) {
        snprintf(host, size, "%s", newcomer->who);
        clear(newcomer);
    }
    pthread_mutex_unlock(&lock);
    return silent;
}

static void apply_name(const void *ep, const char *name)
{
    struct newcomer *newcomer;

    pthread_mutex_lock(&lock);
    newcomer = find_newcomer(ep);
    if (newcomer != NULL && !newcomer->applies) {
        newcomer->applies = true;
        newcomer->since = ni_now_ns();
        (void)atomic_fetch_add_explicit(&applicants, 1, memory_order_relaxed);
        snprintf(newcomer->who, sizeof(newcomer->who), "%s", name);
    }
    pthread_mutex_unlock(&lock);
}

/* UCX sends by the connection of this name, too. */
static void accept_applicant(const char *name)
{
    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < newcomer_count; fd++) {
        if (newcomers[fd].applies && strcmp(newcomers[fd].who, name) == 0) {
            clear(&newcomers[fd]);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- connections that cross ------------------------------------------------------------------ */

/* One of ours asks to be accepted. */
static void may_cross(void)
{
    pthread_mutex_lock(&lock);
    crossings++;
    pthread_mutex_unlock(&lock);
}

/* One less. False: there was none. */
static bool take_crossing(void)
{
    bool found;

    pthread_mutex_lock(&lock);
    found = crossings != 0;
    crossings -= found;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- those who stay silent ------------------------------------------------------------------- */

/* One that has said nothing for so long, once. */
static bool find_silent(uint64_t before, char *host, size_t size)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < newcomer_count && !found; fd++) {
        if (newcomers[fd].ep != NULL && !newcomers[fd].told && !newcomers[fd].applies &&
            newcomers[fd].since < before) {
            found = newcomers[fd].told = true;
            snprintf(host, size, "%s", newcomers[fd].who);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void ni_ucx_look_for_strangers(uint64_t now, uint64_t timeout_s)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    uint64_t timeout = timeout_s * UINT64_C(1000000000);
    char host[sizeof(newcomers->who)];

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

/* ---- applicants ------------------------------------------------------------------------------ */

static bool has_socket_ended(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLRDHUP};

    return poll(&look, 1, 0) > 0;
}

static void drop_what_came(int fd)
{
    char bytes[4096];

    while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
        continue;
    }
}

static void look_at_newcomer(struct newcomer *newcomer, int fd, uint64_t now)
{
    if (has_socket_ended(fd) && socket_of(fd) == newcomer->socket) {
        drop_what_came(fd);
    } else if (now - newcomer->since > APPLY_NS) {
        clear(newcomer);
    }
}

void ni_ucx_look_for_the_dead(void)
{
    uint64_t now;

    if (atomic_load_explicit(&applicants, memory_order_relaxed) == 0) {
        return;
    }
    pthread_mutex_lock(&lock);
    now = ni_now_ns();
    for (int fd = 0; fd < newcomer_count; fd++) {
        if (newcomers[fd].applies) {
            look_at_newcomer(&newcomers[fd], fd, now);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- what UCX says --------------------------------------------------------------------------- */

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
    char host[sizeof(newcomers->who)];
    void *ep;
    int fd;

    if (sscanf(text, "tcp_iface %*s accepted connection from %127s on %*s to tcp_ep %p (fd %d)",
               host, &ep, &fd) == 3) {
        close_on_exec(fd);
        note(fd, ep, host);
        ni_ucx_called(fd);
    }
}

static void on_newcomer_end(const void *ep, const char *from)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    char host[sizeof(newcomers->who)];

    if (forget_newcomer(ep, host, sizeof(host)) && strcmp(from, "RECV_MAGIC_NUMBER") == 0 &&
        !take_crossing()) {
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
        may_cross();
    } else if (!peer_asks && strcmp(from, "WAITING_ACK") == 0 && strcmp(to, "CONNECTED") == 0) {
        (void)take_crossing(); /* it was not crossed */
    }
}

static void on_state(const char *text)
{
    char from[32], to[32], name[sizeof(newcomers->who)], uses[16] = "";
    void *ep;
    int found = sscanf(text, "tcp_ep %p: %31s -> %31s for the %127s connection %15s", &ep, from, to,
                       name, uses);

    if (found == 5) {
        on_own(from, to, strstr(uses, ":Rx]") != NULL);
    }
    if (found >= 3 && strcmp(to, "CLOSED") == 0) {
        on_newcomer_end(ep, from);
    } else if (found >= 4 && strcmp(from, "ACCEPTING") == 0 && strcmp(to, "CONNECTED") == 0) {
        apply_name(ep, name);
    } else if (found >= 4 && strcmp(to, "WAITING_ACK") == 0) {
        accept_applicant(name);
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
