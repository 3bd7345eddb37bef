/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_private.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    REST = 300,   /* rounds of progress in which nothing is expected to happen */
    NAP_US = 100, /* between two looks, after so many in vain: who is waited for needs the cores */
};

enum command { COMMAND_NONE, COMMAND_RUN, COMMAND_QUIT };

static struct suite *current; /* for messages */

_Noreturn void suite_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s (link %s, case %s, seed %llu, pid %d)\n", file, line, what,
            current == NULL ? "?" : current->link->name, current == NULL ? "?" : current->case_name,
            current == NULL ? 0 : (unsigned long long)current->seed, (int)getpid());
    fflush(NULL);
    _exit(1);
}

static int mine = -1; /* in the process of an NI: its index */

/* Of a case that hangs: whom an NI has lost, and, if it lives here, what it says of its peers, and
 * its counters. */
static void describe(const struct suite_ni *ni)
{
    bool here =
        ni->ni != NULL && (current->link->mode != SUITE_PROCESSES || mine == (int)ni->index);
    char text[256];

    for (unsigned k = 0; k < current->n; k++) {
        if (atomic_load(&ni->downs[k]) != 0) {
            fprintf(stderr, "NI %u has lost NI %u: %s\n", ni->index, k,
                    ni_status_text((ni_status)atomic_load(&ni->down[k])));
        }
        if (here && ni->peers[k] != NULL &&
            ni_peer_describe(ni->peers[k], text, sizeof(text)) > 0) {
            fprintf(stderr, "NI %u to NI %u: %s\n", ni->index, k, text);
        }
    }
    for (size_t i = 0; here && i < ni_stat_count; i++) {
        uint64_t value = ni_stat_read(ni->ni, i);

        if (value != 0) {
            fprintf(stderr, "NI %u: %s %llu\n", ni->index, ni_stat_infos[i].name,
                    (unsigned long long)value);
        }
    }
}

static void on_alarm(int signal)
{
    (void)signal;
    for (unsigned i = 0; current != NULL && i < current->n; i++) {
        describe(&current->nis[i]);
    }
    suite_fail(__FILE__, __LINE__, "took too long");
}

/* In each process. */
static void set_limit(void)
{
    signal(SIGALRM, on_alarm);
    (void)alarm(SUITE_LIMIT_S);
}

void suite_watch(struct suite *suite)
{
    current = suite;
    set_limit();
}

void *suite_alloc(struct suite *suite, size_t size)
{
    struct suite_private *p = suite->private;
    void *block = p->arena + p->used;

    p->used += (size + PAGE - 1) / PAGE * PAGE;
    CHECK(p->used <= SUITE_ARENA);
    return block;
}

/* ---- one NI -------------------------------------------------------------------------------- */

static void note_down(void *arg, struct ni_peer *peer, ni_status status)
{
    struct suite_ni *ni = arg;
    const struct suite_ni *other = ni_peer_user(peer);

    if (other != NULL) { /* somebody we never connected to */
        atomic_store(&ni->down[other->index], status);
        atomic_fetch_add(&ni->downs[other->index], 1);
    }
}

static const char *over_rails, *in_segments;

void suite_over_rails(const char *rails, const char *segment)
{
    over_rails = rails;
    in_segments = segment;
}

static const char *stamps;

void suite_with_stamps(const char *packets)
{
    stamps = packets;
}

bool suite_is_over_rails(void)
{
    return over_rails != NULL;
}

static void set_param(const char *name, const char *value)
{
    char error[256];

    if (ni_param_set(name, value, "test", error, sizeof(error)) != NI_OK) {
        suite_fail(__FILE__, __LINE__, error);
    }
}

static void set_params(const struct suite_link *link, uint64_t seed)
{
    for (int i = 0; i < 4 && link->params[i][0] != NULL; i++) {
        set_param(link->params[i][0], link->params[i][1]);
    }
    if (stamps != NULL) {
        set_param("stamps", stamps);
    }
    if (over_rails != NULL) {
        set_param("rails", over_rails);
        set_param("multipath", seed % 2 != 0 ? "counters" : "resequence");
        set_param("segment_size", in_segments);
        set_param("ucx_segment_size", "1K");
        set_param("dev_segment_size", "1K");
        set_param("shm_copy", "copy");
    }
}

/* When a payload waits for a question: read when UCX is opened. */
static void set_variable(const struct suite_link *link)
{
    if (link->asks) {
        CHECK(setenv("UCX_RNDV_THRESH", "auto", 1) == 0);
    } else {
        CHECK(unsetenv("UCX_RNDV_THRESH") == 0);
    }
}

static unsigned host_of(const struct suite_link *link, unsigned i)
{
    return link->hosts == 0 ? 0 : link->hosts == 2 ? i % 2 : link->hosts == SUITE_NIS ? i : i / 2;
}

bool suite_is_far(const struct suite *suite, unsigned i, unsigned k)
{
    const struct suite_link *link = suite->link;

    return link->far && (link->hosts == 0 || host_of(link, i) != host_of(link, k));
}

/* A parameter of an NI: one of the words of a variable. */
static void set_word(const struct suite_ni *ni, const char *param, const char *variable)
{
    const char *all = getenv(variable);
    char text[512], *words[SUITE_NIS], *rest = text;
    unsigned count = 0;

    CHECK(all != NULL && strlen(all) < sizeof(text));
    strcpy(text, all);
    while (count < SUITE_NIS && (words[count] = strtok_r(rest, " ", &rest)) != NULL) {
        count++;
    }
    CHECK(count > 0);
    set_param(param, words[ni->index % count]);
}

/* The device of an NI, and what the fault manager of its host writes, if there is one. */
static void set_device(const struct suite_ni *ni)
{
    set_word(ni, "dev_device", "SUITE_DEVICES");
    if (getenv("SUITE_PAGES") != NULL) {
        set_word(ni, "fault_page", "SUITE_PAGES");
    }
}

static void open_ni(struct suite_ni *ni, void *arg)
{
    struct suite *suite = ni->suite;
    struct ni_open_attr attr = {
        .flags = suite->link->flags,
        .host_processes = suite->n,
        .fabric = suite->private->fabric,
        .hosts = suite->link->hosts,
        .host_key = host_of(suite->link, ni->index),
        .placement = suite->link->placement == 0 ? NI_PLACEMENT_TILE : suite->link->placement,
    };

    (void)arg;
    if (suite->link->card) {
        set_device(ni);
    }
    CHECK(ni_open(&attr, &ni->ni) == NI_OK);
    ni_on_peer_down(ni->ni, note_down, ni);
    ni->blob_len = ni_address(ni->ni, ni->blob, sizeof(ni->blob));
    CHECK(ni->blob_len > 0);
}

static void connect_ni(struct suite_ni *ni, void *arg)
{
    struct suite *suite = ni->suite;

    (void)arg;
    for (unsigned i = 0; i < suite->n; i++) {
        struct suite_ni *other = &suite->nis[i];

        if (i != ni->index) {
            CHECK(ni_reachable(ni->ni, other->blob, other->blob_len, NULL, 0));
            CHECK(ni_connect(ni->ni, other->blob, other->blob_len, &ni->peers[i]) == NI_OK);
            ni_peer_set_user(ni->peers[i], other);
        }
    }
}

/* Of a link that shakes hands: a peer that closes before is one that never was. */
static void await_peers(struct suite_ni *ni, void *arg)
{
    struct suite *suite = ni->suite;
    char text[128];

    (void)arg;
    for (unsigned i = 0; i < suite->n; i++) {
        while (i != ni->index && ni_peer_describe(ni->peers[i], text, sizeof(text)) > 0 &&
               strstr(text, "not answered yet") != NULL) {
            suite_turn(ni);
        }
    }
}

void suite_close_ni(struct suite_ni *ni, void *unused)
{
    (void)unused;
    ni_close(ni->ni);
    ni->ni = NULL;
}

/* ---- NIs that live elsewhere ---------------------------------------------------------------- */

static bool has_died(struct suite *suite, struct suite_server *server)
{
    return suite->link->mode == SUITE_PROCESSES && !server->gone &&
           waitpid(server->pid, NULL, WNOHANG) == server->pid;
}

static void serve(struct suite_ni *ni)
{
    struct suite_server *server = &ni->suite->private->servers[ni->index];

    for (;;) {
        switch (atomic_load_explicit(&server->command, memory_order_acquire)) {
        case COMMAND_QUIT:
            return;
        case COMMAND_RUN:
            server->fn(ni, server->arg);
            atomic_store_explicit(&server->command, COMMAND_NONE, memory_order_release);
            break;
        default:
            if (ni->ni == NULL) {
                usleep(NAP_US);
            } else if (ni_wait(ni->ni, 200) == 0) {
                sched_yield();
            }
        }
    }
}

static void *thread_main(void *arg)
{
    serve(arg);
    return NULL;
}

static void start_server(struct suite *suite, unsigned i)
{
    struct suite_server *server = &suite->private->servers[i];
    pid_t pid, parent = getpid();

    if (suite->link->mode == SUITE_THREADS) {
        CHECK(pthread_create(&server->thread, NULL, thread_main, &suite->nis[i]) == 0);
    } else if (suite->link->mode == SUITE_PROCESSES) {
        fflush(NULL);
        suite_exec_prepare(server);
        pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            mine = (int)i;
            set_limit();
            suite_exec_await(suite, server);
            if (getppid() == parent) {
                serve(&suite->nis[i]);
            }
            _exit(0);
        }
        server->pid = pid;
    }
}

static void stop_server(struct suite *suite, unsigned i)
{
    struct suite_server *server = &suite->private->servers[i];
    int status = 0;

    atomic_store_explicit(&server->command, COMMAND_QUIT, memory_order_release);
    if (suite->link->mode == SUITE_THREADS) {
        CHECK(pthread_join(server->thread, NULL) == 0);
    } else if (suite->link->mode == SUITE_PROCESSES && server->pid != 0) {
        CHECK(waitpid(server->pid, &status, 0) == server->pid && status == 0);
    }
}

/* ---- calls and waiting ---------------------------------------------------------------------- */

static void progress_here(struct suite *suite)
{
    for (unsigned i = 0; i < suite->n; i++) {
        if (!suite->private->servers[i].gone && suite->nis[i].ni != NULL) {
            (void)ni_progress(suite->nis[i].ni);
        }
    }
}

static void check_servers(struct suite *suite)
{
    for (unsigned i = 0; i < suite->n; i++) {
        if (has_died(suite, &suite->private->servers[i])) {
            suite_fail(__FILE__, __LINE__, "the process of an NI has ended");
        }
    }
}

/* One step of waiting for others, after so many. */
static void relax(struct suite *suite, unsigned steps)
{
    if (suite->link->mode == SUITE_HERE) {
        progress_here(suite);
        return;
    }
    check_servers(suite);
    if (steps < REST) {
        sched_yield();
    } else {
        usleep(NAP_US);
    }
}

void suite_begin(struct suite *suite, unsigned i, suite_fn fn, void *arg)
{
    struct suite_server *server = &suite->private->servers[i];

    CHECK(!server->running && !server->gone);
    server->running = true;
    if (suite->link->mode == SUITE_HERE) {
        fn(&suite->nis[i], arg);
        return;
    }
    server->fn = fn;
    server->arg = arg;
    atomic_store_explicit(&server->command, COMMAND_RUN, memory_order_release);
}

void suite_end(struct suite *suite, unsigned i)
{
    struct suite_server *server = &suite->private->servers[i];

    CHECK(server->running);
    for (unsigned steps = 0;
         atomic_load_explicit(&server->command, memory_order_acquire) != COMMAND_NONE; steps++) {
        relax(suite, steps);
    }
    server->running = false;
}

void suite_call(struct suite *suite, unsigned i, suite_fn fn, void *arg)
{
    suite_begin(suite, i, fn, arg);
    suite_end(suite, i);
}

void suite_until(struct suite *suite, bool (*condition)(void *arg), void *arg)
{
    for (unsigned steps = 0; !condition(arg); steps++) {
        relax(suite, steps);
    }
}

void suite_until_count(struct suite *suite, const _Atomic uint64_t *count, uint64_t value)
{
    for (unsigned steps = 0; atomic_load(count) < value; steps++) {
        relax(suite, steps);
    }
    CHECK(atomic_load(count) == value);
}

void suite_rest(struct suite *suite)
{
    for (unsigned steps = 0; steps < REST; steps++) {
        relax(suite, steps);
    }
    if (suite->link->mode != SUITE_HERE) {
        usleep(20000);
    }
}

void suite_turn(struct suite_ni *ni)
{
    if (ni->suite->link->mode == SUITE_HERE) {
        progress_here(ni->suite);
    } else if (ni_progress(ni->ni) == 0) {
        sched_yield();
    }
}

void suite_kill(struct suite *suite, unsigned i)
{
    struct suite_server *server = &suite->private->servers[i];

    if (suite->link->mode == SUITE_PROCESSES) {
        CHECK(kill(server->pid, SIGKILL) == 0);
        CHECK(waitpid(server->pid, NULL, 0) == server->pid);
        server->pid = 0;
    } else {
        CHECK(ni_fabric_kill(suite->private->fabric, i));
    }
    server->gone = true;
}

void suite_freeze(struct suite *suite, unsigned i, bool frozen)
{
    CHECK(suite->link->mode == SUITE_PROCESSES);
    CHECK(kill(suite->private->servers[i].pid, frozen ? SIGSTOP : SIGCONT) == 0);
}

void suite_close(struct suite *suite, unsigned i)
{
    suite_call(suite, i, suite_close_ni, NULL);
}

void suite_open(struct suite *suite, unsigned i)
{
    suite_call(suite, i, open_ni, NULL);
}

/* ---- all of them ---------------------------------------------------------------------------- */

void suite_start(struct suite *suite)
{
    const struct suite_link *link = suite->link;
    struct ni_fabric_attr attr = {.seed = link->seeded ? suite->seed : 0};

    ni_rng_seed(&suite->rng, suite->seed);
    set_params(link, suite->seed);
    set_variable(link);
    if (link->inproc) {
        CHECK(ni_fabric_create(&attr, &suite->private->fabric) == NI_OK);
        ni_fabric_set_copy(suite->private->fabric, over_rails != NULL
                                                       ? NI_FABRIC_BY_PACKETS
                                                       : (enum ni_fabric_copy)link->copy);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite->nis[i].suite = suite;
        suite->nis[i].index = i;
        start_server(suite, i);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, open_ni, NULL);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, connect_ni, NULL);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, await_peers, NULL);
    }
}

void suite_stop(struct suite *suite)
{
    for (unsigned i = 0; i < suite->n; i++) {
        struct suite_server *server = &suite->private->servers[i];

        if (suite->link->mode == SUITE_HERE || !server->gone) {
            server->gone = false;
            suite_call(suite, i, suite_close_ni, NULL);
        }
    }
    for (unsigned i = 0; i < suite->n; i++) {
        if (suite->link->mode != SUITE_HERE) {
            stop_server(suite, i);
        }
    }
    ni_fabric_destroy(suite->private->fabric);
}
