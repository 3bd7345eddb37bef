/* SPDX-License-Identifier: BSD-3-Clause */
/* A job of one process, which nobody started but the user. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/launch.h"
#include "core/launch_pmi2.h"

static bool applies(void)
{
    return true;
}

/* Launchers that have started several processes and told them nothing of PMIx or PMI-2: each would
 * be rank 0 of a job of its own. The variable is in no process that they did not start for this
 * job, such as a batch script. */
static const struct launcher {
    const char *processes; /* variable with their number */
    const char *name, *remedy;
} others[] = {
    {"SLURM_STEP_NUM_TASKS", "srun", "start it with srun --mpi=pmix or --mpi=pmi2"},
    {"PMI_SIZE", "a PMI launcher", "start it with prestorun or Open MPI's mpirun"},
};

/* Whether it is a rank that has started this program, not the launcher; nor srun once more, which
 * makes another step. */
static bool is_of_rank(void)
{
    const char *step = getenv(PRI_RANKS_CHILD);

    return step != NULL && strcmp(step, pri_slurm_step()) == 0;
}

static bool is_one_of_several(void)
{
    if (is_of_rank()) {
        return false;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        const char *text = getenv(others[i].processes);
        long processes = text != NULL ? strtol(text, NULL, 10) : 0;

        if (processes > 1) {
            fprintf(stderr,
                    "presto: one of %ld processes that %s has started without PMIx or PMI-2, so "
                    "that they cannot find each other: %s; for as many jobs of one rank set "
                    "PRESTO_THREADS=1\n",
                    processes, others[i].name, others[i].remedy);
            return true;
        }
    }
    return false;
}

static int join(struct pri_rank *self)
{
    if (is_one_of_several()) {
        return PRI_ERR_START;
    }
    self->rank = 0;
    self->size = 1;
    return PRI_OK;
}

static void describe(struct pri_rank *self, struct ni_open_attr *attr)
{
    (void)self;
    attr->host_processes = 1;
}

static int exchange(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all)
{
    (void)self;
    all[0] = *mine;
    return PRI_OK;
}

static void leave(struct pri_rank *self, bool orderly)
{
    (void)self;
    (void)orderly;
}

static void end(struct pri_rank *self, int status)
{
    (void)self;
    (void)status;
}

const struct pri_launcher pri_launch_alone = {
    .launch = PRI_LAUNCH_ALONE,
    .applies = applies,
    .join = join,
    .describe = describe,
    .exchange = exchange,
    .leave = leave,
    .abort = end,
};
