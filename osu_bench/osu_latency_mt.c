/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong between the threads of rank 0 and those of rank 1, MPI_THREAD_MULTIPLE. Threads share
 * the rounds of a size out among themselves: thread t of n does rounds t, t + n, and so on. Where
 * there are several senders, or data is checked, the tag names the round; since each thread does
 * its rounds in ascending order, the lowest round that is not done always has both sides working on
 * it, and nothing can lock up.
 */
#include "clock.h"
#include "common/bench.h"
#include "common/buffer.h"
#include "common/pattern.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPI allows tags up to 32767 at least; far fewer rounds than that are ever under way. */
#define TAG_MODULUS 16384
#define TAG_ANY     1

struct worker {
    pthread_t thread;
    struct osu_run *run;
    int index;
    struct osu_buffer send;
    struct osu_buffer recv;
    double mean; /* seconds of a timed round of this thread, as the sender sees it */
    int timed;   /* timed rounds */
    uint64_t errors;
};

static struct worker *workers;
static int worker_count;

static int setup(struct osu_run *run)
{
    const struct osu_options *options = run->options;
    size_t largest = osu_largest_size(options);

    worker_count = run->rank == 0 ? options->send_threads : options->recv_threads;
    workers = calloc((size_t)worker_count, sizeof(workers[0]));
    if (workers == NULL) {
        fprintf(stderr, "%s: no memory for %d threads; lower -t\n", run->bench->name, worker_count);
        worker_count = 0;
        return -1;
    }
    for (int i = 0; i < worker_count; i++) {
        workers[i].run = run;
        workers[i].index = i;
        if (osu_buffer_open(&workers[i].send, run, largest, 1) != 0 ||
            osu_buffer_open(&workers[i].recv, run, largest, 1) != 0) {
            return -1;
        }
    }
    return 0;
}

static void teardown(struct osu_run *run)
{
    (void)run;
    for (int i = 0; i < worker_count; i++) {
        osu_buffer_close(&workers[i].send);
        osu_buffer_close(&workers[i].recv);
    }
    free(workers);
    workers = NULL;
}

static void describe(const struct osu_run *run)
{
    printf("# Number of Sender threads: %d\n# Number of Receiver threads: %d\n",
           run->options->send_threads, run->options->recv_threads);
}

static void open_size(struct osu_run *run)
{
    for (int i = 0; i < worker_count; i++) {
        osu_buffer_touch(&workers[i].send, run->size, 'a');
        osu_buffer_touch(&workers[i].recv, run->size, 'b');
    }
}

static int tag_of(const struct osu_run *run, int round)
{
    if (run->options->send_threads > 1 || run->options->check) {
        return 2 + round % TAG_MODULUS;
    }
    return TAG_ANY;
}

static void play(struct worker *me, int tag)
{
    const struct osu_run *run = me->run;
    int count = (int)run->size;
    int peer = 1 - run->rank;

    if (run->rank == 0) {
        MPI_Send(me->send.base, count, MPI_CHAR, peer, tag, MPI_COMM_WORLD);
        MPI_Recv(me->recv.base, count, MPI_CHAR, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(me->recv.base, count, MPI_CHAR, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(me->send.base, count, MPI_CHAR, peer, tag, MPI_COMM_WORLD);
    }
}

/* The clock is read once before and once after the timed rounds; with -c, patterns are written and
 * read in between. */
static void *work(void *argument)
{
    struct worker *me = argument;
    struct osu_run *run = me->run;
    bool check = run->options->check;
    uint64_t begin = 0;

    me->timed = 0;
    me->errors = 0;
    for (int i = me->index; i < run->warmup + run->iterations; i += worker_count) {
        uint64_t expected = osu_pattern_seed(i, run->size, 1 - run->rank, 0);
        if (i >= run->warmup && me->timed++ == 0) {
            begin = osu_clock();
        }
        if (check) {
            osu_pattern_fill(me->send.base, run->size,
                             osu_pattern_seed(i, run->size, run->rank, 0));
            osu_pattern_spoil(me->recv.base, run->size, expected);
        }
        play(me, tag_of(run, i));
        if (check) {
            me->errors += osu_pattern_check(me->recv.base, run->size, expected);
        }
    }
    me->mean = me->timed > 0 ? (double)(osu_clock() - begin) * 1e-9 / me->timed : 0;
    return NULL;
}

static void measure(struct osu_run *run)
{
    double sum = 0;
    int counted = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < worker_count; i++) {
        int error = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        if (error != 0) {
            fprintf(stderr, "%s: cannot start thread %d: %s; lower -t\n", run->bench->name, i,
                    strerror(error));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < worker_count; i++) {
        pthread_join(workers[i].thread, NULL);
        run->errors += workers[i].errors;
        sum += workers[i].mean;
        counted += workers[i].timed > 0;
    }
    /* A thread's round is a message there and back, however many threads there are. */
    run->seconds = counted > 0 ? sum / counted * run->iterations : 0;
}

static const struct osu_bench bench = {.name = "osu_latency_mt",
                                       .title = "OSU-style MPI Multi-threaded Latency Test",
                                       .letters = "mixctM",
                                       .heading = "Latency (us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .max_ranks = 2,
                                       .thread_level = MPI_THREAD_MULTIPLE,
                                       .defaults = osu_defaults_latency,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .describe = describe,
                                       .open = open_size,
                                       .measure = measure,
                                       .scale = osu_scale_half};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
