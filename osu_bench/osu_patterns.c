/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small messages as programs send them: the time of one step of a pattern, mean over all ranks. In
 * each step every message is written before it is sent and read after it has come. The ranks are a
 * ring, and message i of a step goes to the right if i is even and to the left if it is odd; with
 * two ranks both are the same one.
 *
 * exch: one message each way by MPI_Sendrecv
 * ring: MPI_Irecv and MPI_Isend with both neighbours, MPI_Waitall
 * halo6: likewise with six messages
 * pers: the same with persistent requests
 * any: eight receives from MPI_ANY_SOURCE, completed one by one by MPI_Testany
 * late: four messages are sent before the first receive, and received last first
 */
#include "common/bench.h"
#include "common/buffer.h"
#include "common/pattern.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define TAG_FIRST 1  /* of message 0 */
#define MOST      8  /* messages of a step */
#define LINE      64 /* bytes; one byte brings the line that it is in */

struct pattern {
    const char *name;
    const char *what;
    int messages; /* of each rank in a step */
    void (*step)(const struct osu_run *run);
};

static struct {
    const struct pattern *pattern;
    int right;
    int left;
    struct osu_buffer send;
    struct osu_buffer recv;
    MPI_Request requests[2 * MOST]; /* receives before sends */
} step;

/* Message i goes to this rank. */
static int target_of(int i)
{
    return i % 2 == 0 ? step.right : step.left;
}

/* Message i comes from this rank. */
static int source_of(int i)
{
    return i % 2 == 0 ? step.left : step.right;
}

static void irecv(const struct osu_run *run, int i, int source)
{
    MPI_Irecv(osu_buffer_slot(&step.recv, i), (int)run->size, MPI_CHAR, source, TAG_FIRST + i,
              MPI_COMM_WORLD, &step.requests[i]);
}

static void isend(const struct osu_run *run, int i)
{
    MPI_Isend(osu_buffer_slot(&step.send, i), (int)run->size, MPI_CHAR, target_of(i), TAG_FIRST + i,
              MPI_COMM_WORLD, &step.requests[step.pattern->messages + i]);
}

static void wait_all_sends(void)
{
    MPI_Waitall(step.pattern->messages, step.requests + step.pattern->messages,
                MPI_STATUSES_IGNORE);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void step_exchange(const struct osu_run *run)
{
    MPI_Sendrecv(step.send.base, (int)run->size, MPI_CHAR, target_of(0), TAG_FIRST, step.recv.base,
                 (int)run->size, MPI_CHAR, source_of(0), TAG_FIRST, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void step_halo(const struct osu_run *run)
{
    int messages = step.pattern->messages;

    for (int i = 0; i < messages; i++) {
        irecv(run, i, source_of(i));
    }
    for (int i = 0; i < messages; i++) {
        isend(run, i);
    }
    MPI_Waitall(2 * messages, step.requests, MPI_STATUSES_IGNORE);
}

static void step_persistent(const struct osu_run *run)
{
    (void)run;
    MPI_Startall(2 * step.pattern->messages, step.requests);
    MPI_Waitall(2 * step.pattern->messages, step.requests, MPI_STATUSES_IGNORE);
}

static void step_any(const struct osu_run *run)
{
    int messages = step.pattern->messages;
    int left = messages;

    for (int i = 0; i < messages; i++) {
        irecv(run, i, MPI_ANY_SOURCE);
    }
    for (int i = 0; i < messages; i++) {
        isend(run, i);
    }
    while (left > 0) {
        int which = MPI_UNDEFINED;
        int done = 0;

        MPI_Testany(messages, step.requests, &which, &done, MPI_STATUS_IGNORE);
        left -= done && which != MPI_UNDEFINED;
    }
    wait_all_sends();
}

static void step_late(const struct osu_run *run)
{
    for (int i = 0; i < step.pattern->messages; i++) {
        isend(run, i);
    }
    for (int i = step.pattern->messages - 1; i >= 0; i--) {
        MPI_Recv(osu_buffer_slot(&step.recv, i), (int)run->size, MPI_CHAR, source_of(i),
                 TAG_FIRST + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    wait_all_sends();
}

/* In the order of enum osu_pattern_kind. */
static const struct pattern patterns[] = {
    {"exch", "MPI_Sendrecv", 1, step_exchange},
    {"ring", "2 MPI_Irecv, 2 MPI_Isend, MPI_Waitall", 2, step_halo},
    {"halo6", "6 MPI_Irecv, 6 MPI_Isend, MPI_Waitall", 6, step_halo},
    {"pers", "6 persistent receives and sends, MPI_Startall, MPI_Waitall", 6, step_persistent},
    {"any", "8 MPI_Irecv of MPI_ANY_SOURCE, 8 MPI_Isend, MPI_Testany", 8, step_any},
    {"late", "4 MPI_Isend, then 4 MPI_Recv, last first", 4, step_late}};

/* ---- the program ----------------------------------------------------------------------------- */

static int setup(struct osu_run *run)
{
    size_t largest = osu_largest_size(run->options);

    step.pattern = &patterns[run->options->pattern];
    step.right = (run->rank + 1) % run->ranks;
    step.left = (run->rank + run->ranks - 1) % run->ranks;
    if (osu_buffer_open_dense(&step.send, run, largest, step.pattern->messages) != 0) {
        return -1;
    }
    return osu_buffer_open_dense(&step.recv, run, largest, step.pattern->messages);
}

static void teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&step.send);
    osu_buffer_close(&step.recv);
}

static void describe(const struct osu_run *run)
{
    (void)run;
    printf("# Pattern: %s: %s\n", step.pattern->name, step.pattern->what);
}

static void open_size(struct osu_run *run)
{
    int messages = step.pattern->messages;

    osu_buffer_touch(&step.send, run->size, 'a');
    osu_buffer_touch(&step.recv, run->size, 'b');
    for (int i = 0; i < messages && step.pattern->step == step_persistent; i++) {
        MPI_Recv_init(osu_buffer_slot(&step.recv, i), (int)run->size, MPI_CHAR, source_of(i),
                      TAG_FIRST + i, MPI_COMM_WORLD, &step.requests[i]);
        MPI_Send_init(osu_buffer_slot(&step.send, i), (int)run->size, MPI_CHAR, target_of(i),
                      TAG_FIRST + i, MPI_COMM_WORLD, &step.requests[messages + i]);
    }
}

static void close_size(struct osu_run *run)
{
    (void)run;
    for (int i = 0; i < 2 * step.pattern->messages && step.pattern->step == step_persistent; i++) {
        MPI_Request_free(&step.requests[i]);
    }
}

static void prepare(struct osu_run *run, int round)
{
    for (int i = 0; i < step.pattern->messages; i++) {
        osu_pattern_fill(osu_buffer_slot(&step.send, i), run->size,
                         osu_pattern_seed(round, run->size, run->rank, i));
        osu_pattern_spoil(osu_buffer_slot(&step.recv, i), run->size,
                          osu_pattern_seed(round, run->size, source_of(i), i));
    }
}

static void one_step(struct osu_run *run, int round)
{
    /* With -c they have been written already. */
    for (int i = 0; i < step.pattern->messages && !run->options->check; i++) {
        memset(osu_buffer_slot(&step.send, i), round, run->size);
    }
    step.pattern->step(run);
    for (int i = 0; i < step.pattern->messages; i++) {
        const volatile unsigned char *came = osu_buffer_slot(&step.recv, i);

        for (size_t offset = 0; offset < run->size; offset += LINE) {
            (void)came[offset];
        }
    }
}

static size_t verify(struct osu_run *run, int round)
{
    size_t wrong = 0;

    for (int i = 0; i < step.pattern->messages; i++) {
        wrong += osu_pattern_check(osu_buffer_slot(&step.recv, i), run->size,
                                   osu_pattern_seed(round, run->size, source_of(i), i));
    }
    return wrong;
}

static const struct osu_bench bench = {.name = "osu_patterns",
                                       .title = "OSU-style MPI Pattern Test",
                                       .letters = "PmixczM",
                                       .heading = "Step (us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .defaults = osu_defaults_latency,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .describe = describe,
                                       .open = open_size,
                                       .close = close_size,
                                       .prepare = prepare,
                                       .round = one_step,
                                       .verify = verify,
                                       .timed = osu_timed_everywhere};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
