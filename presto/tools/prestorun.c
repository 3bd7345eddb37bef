/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/standard.h"
#include "tools/run.h"

static int processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

_Noreturn void run_no_memory(void)
{
    fputs("prestorun: out of memory: start fewer ranks (-n)\n", stderr);
    exit(1);
}

static void make_key(struct run_job *job)
{
    uint64_t key = (uint64_t)getpid() << 32 ^ ni_now_ns();

    (void)!getrandom(&key, sizeof(key), GRND_NONBLOCK);
    snprintf(job->key, sizeof(job->key), "%016llx", (unsigned long long)(key | 1));
}

/* What is known of other hosts, and what they are told. */
static void open_net(struct run_job *job)
{
    struct run_host *hosts = calloc((size_t)job->options.host_count, sizeof(*hosts));
    struct run_bytes start = {0};
    char identity[200];

    run_identity(identity, sizeof(identity));
    if (hosts == NULL || (hosts[0].identity = strdup(identity)) == NULL ||
        (job->options.host_count > 1 && !run_spec_pack(job, &start))) {
        run_no_memory();
    }
    if (start.used > RUN_START_MAX) {
        run_options_refuse("-x", "", "the environment has more than 16 MiB, too much to be sent");
    }
    job->net.hosts = hosts;
    job->net.start = start.data;
    job->net.start_length = start.used;
}

static void open_job(struct run_job *job)
{
    run_open_ranks(job);
    make_key(job);
    open_net(job);
    if (job->options.timeout != 0) {
        job->timeout_at_ns = ni_now_ns() + (uint64_t)(job->options.timeout * 1e9);
    }
}

static void close_job(struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        free(job->ranks[i].out.data);
        free(job->ranks[i].err.data);
    }
    run_output_close(job);
    for (int i = 0; i < job->options.host_count; i++) {
        free(job->net.hosts[i].identity);
    }
    free(job->net.hosts);
    free((uint8_t *)job->net.start);
    run_serve_free(job);
    run_worlds_free(job);
    free(job->strangers.pid);
    free(job->ranks);
    run_options_free(&job->options);
}

int main(int argc, char **argv)
{
    struct run_job job = {.guard.fd = -1, .net.input.fd = -1, .world_over = run_report_end};
    int signals, code;

    if (!ni_standard_open("prestorun")) {
        return 1;
    }
    if (argc == 2 && strcmp(argv[1], "--agent") == 0) {
        return run_agent();
    }
    job.cores = processors();
    run_options_parse(argc, argv, job.cores, &job.options);
    signals = run_signals_open(false);
    if (signals < 0) {
        return 1;
    }
    open_job(&job);
    run_output_open(&job);
    run_tree_begin(&job);
    if (!run_spawn_all(&job)) {
        run_end_all(&job, 1, SIGTERM);
        run_end_hosts(&job, 1, job.options.host_count - 1, NULL);
    }
    code = run_loop(&job, signals);
    for (const struct run_world *world = job.worlds; world != NULL; world = world->next) {
        run_report_end(&job, world);
    }
    close_job(&job);
    return code;
}
