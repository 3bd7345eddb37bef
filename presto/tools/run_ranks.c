/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks before they begin. */
#include <stdlib.h>

#include "tools/run.h"

bool run_has_ranks(const struct run_job *job, int host)
{
    int i = 0;

    while (i < job->options.ranks && job->ranks[i].host != host) {
        i++;
    }
    return i < job->options.ranks;
}

/* Ranks of other hosts count as alive until prestorun hears of their end; of its own those that
 * have been started do. */
void run_open_rank(struct run_job *job, int i, const struct run_app *app, int host,
                   struct run_world *world)
{
    struct run_rank *rank = &job->ranks[i];
    const bool is_elsewhere = job->net.parent == NULL && host != 0;
    const int fd = is_elsewhere ? RUN_ELSEWHERE : -1;

    *rank = (struct run_rank){.number = i, .app = app, .host = host, .world = world};
    rank->wire = rank->out.fd = rank->err.fd = fd;
    rank->err.is_error = true;
    for (int k = 0; k < i; k++) {
        rank->nth += job->ranks[k].host == rank->host;
    }
    job->alive += is_elsewhere;
    job->opened++;
}

void run_open_ranks(struct run_job *job)
{
    const struct run_app *app = job->options.apps;
    const int room = job->options.host_count > 1 ? job->options.ranks : PRI_WIRE_NUMBERS;
    struct run_world *world = run_world_first(job);
    int last = app->ranks; /* of this command and those before, the number behind it */

    /* Pages that nobody touches cost nothing. */
    job->ranks = calloc((size_t)room, sizeof(*job->ranks));
    if (job->ranks == NULL || world == NULL) {
        run_no_memory();
    }
    for (int i = 0; i < job->options.ranks; i++) {
        if (i == last) {
            last += (++app)->ranks;
        }
        run_open_rank(job, i, app, job->options.host_of[i], world);
    }
}
