/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are called at changes of state. */
#include "hfm/daemon/hook.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "hfm/daemon/daemon.h"
#include "hfm/verdict.h"

enum { PATIENCE_S = 60, AGAIN_S = 5, OFTEN = 3, LATER_S = 60 };

struct hfm_hooks {
    struct hfm_daemon *daemon;
    struct event *child, *patience, *again;
    pid_t pid; /* that runs; 0: none */
    uint32_t for_node;
    enum hfm_verdict telling; /* it */
    struct hook_node *node;   /* each */
    uint64_t turns;
};

struct hook_node {
    enum hfm_verdict told; /* the state that the hook was told last, and took */
    unsigned failures;     /* of the calls since then */
    uint64_t since;        /* its turn, if it waits; 0: it does not */
    uint64_t after;        /* not before, ns */
};

/* Of the nodes that may be called for now, that which waits longest; UINT32_MAX: there is none.
 * due: when there may be one. */
static uint32_t next(const struct hfm_hooks *hooks, uint64_t now, uint64_t *due)
{
    uint32_t first = UINT32_MAX;

    *due = UINT64_MAX;
    for (uint32_t i = 0; i < hooks->daemon->config.nodes; i++) {
        const struct hook_node *node = &hooks->node[i];

        if (node->since != 0 && node->after > now) {
            *due = ni_min_u64(*due, node->after);
        } else if (node->since != 0 &&
                   (first == UINT32_MAX || node->since < hooks->node[first].since)) {
            first = i;
        }
    }
    return first;
}

static pid_t spawn(const char *path, char *const argv[])
{
    posix_spawnattr_t how;
    const struct sched_param ordinary = {0};
    sigset_t none, usual;
    pid_t pid = 0;
    int error;

    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE); /* which we ignore */
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSCHEDULER);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setschedpolicy(&how, SCHED_OTHER);
    posix_spawnattr_setschedparam(&how, &ordinary);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    error = posix_spawn(&pid, path, NULL, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    if (error != 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: hook %s: %s", path, strerror(error));
        return 0;
    }
    return pid;
}

/* Call it for a node. false: it could not be started. */
static bool call(struct hfm_hooks *hooks, uint32_t node)
{
    const struct hfm_config *config = &hooks->daemon->config;
    uint32_t fault = hooks->daemon->node.known[node].fault;
    struct timeval patience = {PATIENCE_S, 0};
    char number[12], path[HFM_PATH_MAX], host[HFM_NAME_MAX], state[12], before[12], what[200];
    char *argv[] = {path, number, host, state, before, what, NULL};

    snprintf(number, sizeof number, "%u", node);
    snprintf(path, sizeof path, "%s", config->hook);
    snprintf(host, sizeof host, "%s", config->node[node].name);
    snprintf(state, sizeof state, "%s", hfm_verdict_name(hfm_verdict_of(fault)));
    snprintf(before, sizeof before, "%s", hfm_verdict_name(hooks->node[node].told));
    hfm_fault_print(fault, what, sizeof what);
    hooks->telling = hfm_verdict_of(fault);
    hooks->for_node = node;
    hooks->pid = spawn(path, argv);
    if (hooks->pid != 0) {
        event_add(hooks->patience, &patience);
    }
    return hooks->pid != 0;
}

/* A call has ended, or could not be made. One that failed is made again, with the state of then. */
static void take_end(struct hfm_hooks *hooks, uint32_t number, bool good)
{
    struct hook_node *node = &hooks->node[number];

    if (good) {
        bool ours = hooks->daemon->node.acts || node->since != 0;

        node->told =
            ours ? hooks->telling : hfm_verdict_of(hooks->daemon->node.known[number].fault);
        node->failures = 0;
        return;
    }
    node->failures++;
    node->after =
        ni_now_ns() + (node->failures < OFTEN ? AGAIN_S : LATER_S) * (uint64_t)1000000000U;
    node->since = node->since != 0 ? node->since : ++hooks->turns;
}

static void go_on(struct hfm_hooks *hooks)
{
    uint64_t now = ni_now_ns(), due;
    uint32_t number = next(hooks, now, &due);

    for (; hooks->pid == 0 && number != UINT32_MAX; number = next(hooks, now, &due)) {
        struct hook_node *node = &hooks->node[number];

        node->since = 0;
        if ((hfm_verdict_of(hooks->daemon->node.known[number].fault) != node->told ||
             node->failures > 0) &&
            !call(hooks, number)) {
            take_end(hooks, number, false);
        }
    }
    if (due != UINT64_MAX) {
        struct timeval wait = {(time_t)((due - now) / 1000000000U) + 1, 0};

        event_add(hooks->again, &wait);
    }
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    go_on(arg);
}

static void on_child(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_hooks *hooks = arg;
    int status;

    (void)fd;
    (void)what;
    if (hooks->pid == 0 || waitpid(hooks->pid, &status, WNOHANG) != hooks->pid) {
        return;
    }
    if (status != 0) {
        ni_log(NI_LOG_WARN, "apelink-hfm: hook %s for node %u %s %d; it is called again",
               hooks->daemon->config.hook, hooks->for_node,
               WIFSIGNALED(status) ? "ended by signal" : "exited with",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    event_del(hooks->patience);
    hooks->pid = 0;
    take_end(hooks, hooks->for_node, status == 0);
    go_on(hooks);
}

static void on_patience(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_hooks *hooks = arg;

    (void)fd;
    (void)what;
    if (hooks->pid != 0) {
        (void)kill(-hooks->pid, SIGKILL);
    }
}

struct hfm_hooks *hfm_hooks_open(struct hfm_daemon *daemon)
{
    struct hfm_hooks *hooks = ni_calloc(1, sizeof *hooks);

    if (hooks == NULL) {
        return NULL;
    }
    hooks->daemon = daemon;
    hooks->node = ni_calloc(daemon->config.nodes, sizeof *hooks->node);
    hooks->child = evsignal_new(daemon->base, SIGCHLD, on_child, hooks);
    hooks->patience = evtimer_new(daemon->base, on_patience, hooks);
    hooks->again = evtimer_new(daemon->base, on_again, hooks);
    if (hooks->node == NULL || hooks->child == NULL || hooks->patience == NULL ||
        hooks->again == NULL || event_add(hooks->child, NULL) != 0) {
        hfm_hooks_close(hooks);
        return NULL;
    }
    return hooks;
}

void hfm_hooks_close(struct hfm_hooks *hooks)
{
    if (hooks == NULL) {
        return;
    }
    if (hooks->child != NULL) {
        event_free(hooks->child);
    }
    if (hooks->patience != NULL) {
        event_free(hooks->patience);
    }
    if (hooks->again != NULL) {
        event_free(hooks->again);
    }
    ni_free(hooks->node);
    ni_free(hooks);
}

void hfm_hooks_changed(struct hfm_hooks *hooks, uint32_t number, bool acts)
{
    struct hook_node *node = &hooks->node[number];
    bool runs = hooks->pid != 0 && hooks->for_node == number;

    if (!acts && node->since == 0 && !runs) { /* the master's hook is told */
        node->told = hfm_verdict_of(hooks->daemon->node.known[number].fault);
        return;
    }
    if (node->since == 0 && acts) {
        node->since = ++hooks->turns;
    }
    go_on(hooks);
}
