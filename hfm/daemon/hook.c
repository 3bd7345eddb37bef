/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are called at changes of state. */
#include "hfm/daemon/hook.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "hfm/daemon/daemon.h"
#include "hfm/daemon/spawn.h"
#include "hfm/verdict.h"

enum { PATIENCE_S = 60, AGAIN_S = 5, OFTEN = 3, LATER_S = 60 };

struct hfm_hooks {
    struct hfm_daemon *daemon;
    struct event *begun, *child, *patience, *again;
    struct hfm_spawn spawn;
    char number[12], path[HFM_PATH_MAX], host[HFM_NAME_MAX], state[12], before[12], what[200];
    char *argv[7]; /* of a call: these */
    bool busy;     /* there is a call */
    pid_t pid;     /* that runs; 0: it is being started, or there is none */
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

/* Call it for a node. */
static void call(struct hfm_hooks *hooks, uint32_t node)
{
    const struct hfm_config *config = &hooks->daemon->config;
    uint32_t fault = hooks->daemon->node.known[node].fault;

    snprintf(hooks->number, sizeof hooks->number, "%u", node);
    snprintf(hooks->path, sizeof hooks->path, "%s", config->hook);
    snprintf(hooks->host, sizeof hooks->host, "%s", config->node[node].name);
    snprintf(hooks->state, sizeof hooks->state, "%s", hfm_verdict_name(hfm_verdict_of(fault)));
    snprintf(hooks->before, sizeof hooks->before, "%s", hfm_verdict_name(hooks->node[node].told));
    hfm_fault_print(fault, hooks->what, sizeof hooks->what);
    hooks->telling = hfm_verdict_of(fault);
    hooks->for_node = node;
    hooks->busy = true;
    hfm_spawn_ask(&hooks->spawn, hooks->argv);
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

    for (; !hooks->busy && number != UINT32_MAX; number = next(hooks, now, &due)) {
        struct hook_node *node = &hooks->node[number];

        node->since = 0;
        if (hfm_verdict_of(hooks->daemon->node.known[number].fault) != node->told ||
            node->failures > 0) {
            call(hooks, number);
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
    hooks->busy = false;
    take_end(hooks, hooks->for_node, status == 0);
    go_on(hooks);
}

/* It has been started, or could not be; it may have ended already. */
static void on_begun(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_hooks *hooks = arg;
    struct timeval patience = {PATIENCE_S, 0};
    int error;

    if (!hfm_spawn_take(&hooks->spawn, &hooks->pid, &error)) {
        return;
    }
    if (hooks->pid != 0) {
        event_add(hooks->patience, &patience);
        on_child(fd, what, arg);
        return;
    }
    ni_log(NI_LOG_ERROR, "apelink-hfm: hook %s: %s", hooks->path, strerror(error));
    hooks->busy = false;
    take_end(hooks, hooks->for_node, false);
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
    memcpy(hooks->argv,
           (char *[]){hooks->path, hooks->number, hooks->host, hooks->state, hooks->before,
                      hooks->what, NULL},
           sizeof hooks->argv);
    hooks->node = ni_calloc(daemon->config.nodes, sizeof *hooks->node);
    hooks->child = evsignal_new(daemon->base, SIGCHLD, on_child, hooks);
    hooks->patience = evtimer_new(daemon->base, on_patience, hooks);
    hooks->again = evtimer_new(daemon->base, on_again, hooks);
    if (hooks->node == NULL || hooks->child == NULL || hooks->patience == NULL ||
        hooks->again == NULL || event_add(hooks->child, NULL) != 0) {
        (void)hfm_hooks_close(hooks);
        return NULL;
    }
    return hooks;
}

bool hfm_hooks_start(struct hfm_hooks *hooks)
{
    if (!hfm_spawn_start(&hooks->spawn)) {
        return false;
    }
    hooks->begun =
        event_new(hooks->daemon->base, hooks->spawn.done, EV_READ | EV_PERSIST, on_begun, hooks);
    return hooks->begun != NULL && event_add(hooks->begun, NULL) == 0;
}

bool hfm_hooks_close(struct hfm_hooks *hooks)
{
    if (hooks == NULL) {
        return true;
    }
    if (hooks->begun != NULL) {
        event_free(hooks->begun);
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
    if (!hfm_spawn_stop(&hooks->spawn)) {
        return false;
    }
    ni_free(hooks);
    return true;
}

void hfm_hooks_changed(struct hfm_hooks *hooks, uint32_t number, bool acts)
{
    struct hook_node *node = &hooks->node[number];
    bool runs = hooks->busy && hooks->for_node == number;

    if (!acts && node->since == 0 && !runs) { /* the master's hook is told */
        node->told = hfm_verdict_of(hooks->daemon->node.known[number].fault);
        return;
    }
    if (node->since == 0 && acts) {
        node->since = ++hooks->turns;
    }
    go_on(hooks);
}
