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

static void open_job(struct run_job *job)
{
    const struct run_app *app = job->options.apps;
    int last = app->ranks; /* of this command and those before, the number behind it */

    job->ranks = calloc((size_t)job->options.ranks, sizeof(*job->ranks));
    if (job->ranks == NULL) {
        run_no_memory();
    }
    for (int i = 0; i < job->options.ranks; i++) {
        struct run_rank *rank = &job->ranks[i];

        if (i == last) {
            last += (++app)->ranks;
        }
        rank->number = i;
        rank->app = app;
        rank->wire = rank->out.fd = rank->err.fd = -1;
        rank->err.is_error = true;
    }
    make_key(job);
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
    free(job->table);
    free(job->strangers.pid);
    free(job->ranks);
    run_options_free(&job->options);
}

int main(int argc, char **argv)
{
    struct run_job job = {.guard.fd = -1};
    int signals, code;

    if (!ni_standard_open("prestorun")) {
        return 1;
    }
    job.cores = processors();
    run_options_parse(argc, argv, job.cores, &job.options);
    signals = run_signals_open();
    if (signals < 0) {
        return 1;
    }
    open_job(&job);
    run_output_open(&job);
    run_tree_begin(&job);
    if (!run_spawn_all(&job)) {
        run_end_all(&job, 1, SIGTERM);
    }
    code = run_loop(&job, signals);
    run_report_end(&job);
    close_job(&job);
    return code;
}
