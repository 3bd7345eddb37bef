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
#include "hfm/daemon/daemon.h"
#include "hfm/verdict.h"

enum { PATIENCE_S = 60 };

struct hfm_hooks {
    struct hfm_daemon *daemon;
    struct event *child, *patience;
    pid_t pid; /* that runs; 0: none */
    uint32_t for_node;
    uint8_t *told;   /* of each node: the state that the hook was told last */
    uint64_t *since; /* of each node that waits: its turn; 0: it does not */
    uint64_t turns;
};

/* The node that waits longest; UINT32_MAX: none does. */
static uint32_t next(const struct hfm_hooks *hooks)
{
    uint32_t first = UINT32_MAX;

    for (uint32_t i = 0; i < hooks->daemon->config.nodes; i++) {
        if (hooks->since[i] != 0 &&
            (first == UINT32_MAX || hooks->since[i] < hooks->since[first])) {
            first = i;
        }
    }
    return first;
}

static pid_t spawn(const char *path, char *const argv[])
{
    posix_spawnattr_t how;
    const struct sched_param ordinary = {0};
    sigset_t none;
    pid_t pid = 0;
    int error;

    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSCHEDULER);
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
    snprintf(before, sizeof before, "%s", hfm_verdict_name((enum hfm_verdict)hooks->told[node]));
    hfm_fault_print(fault, what, sizeof what);
    hooks->told[node] = (uint8_t)hfm_verdict_of(fault);
    hooks->for_node = node;
    hooks->pid = spawn(path, argv);
    if (hooks->pid != 0) {
        event_add(hooks->patience, &patience);
    }
    return hooks->pid != 0;
}

static void go_on(struct hfm_hooks *hooks)
{
    for (uint32_t node = next(hooks); hooks->pid == 0 && node != UINT32_MAX; node = next(hooks)) {
        hooks->since[node] = 0;
        if (hfm_verdict_of(hooks->daemon->node.known[node].fault) !=
            (enum hfm_verdict)hooks->told[node]) {
            (void)call(hooks, node);
        }
    }
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
        ni_log(NI_LOG_WARN, "apelink-hfm: hook %s for node %u %s %d", hooks->daemon->config.hook,
               hooks->for_node, WIFSIGNALED(status) ? "ended by signal" : "exited with",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    event_del(hooks->patience);
    hooks->pid = 0;
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
    hooks->told = ni_calloc(daemon->config.nodes, sizeof *hooks->told);
    hooks->since = ni_calloc(daemon->config.nodes, sizeof *hooks->since);
    hooks->child = evsignal_new(daemon->base, SIGCHLD, on_child, hooks);
    hooks->patience = evtimer_new(daemon->base, on_patience, hooks);
    if (hooks->told == NULL || hooks->since == NULL || hooks->child == NULL ||
        hooks->patience == NULL || event_add(hooks->child, NULL) != 0) {
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
    ni_free(hooks->told);
    ni_free(hooks->since);
    ni_free(hooks);
}

void hfm_hooks_changed(struct hfm_hooks *hooks, uint32_t node, bool acts)
{
    if (!acts) {
        hooks->told[node] = (uint8_t)hfm_verdict_of(hooks->daemon->node.known[node].fault);
        return;
    }
    if (hooks->since[node] == 0) {
        hooks->since[node] = ++hooks->turns;
    }
    go_on(hooks);
}
