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
static void open_rank(struct run_job *job, int i, const struct run_app *app)
{
    struct run_rank *rank = &job->ranks[i];
    const bool is_elsewhere = job->net.parent == NULL && job->options.host_of[i] != 0;
    const int fd = is_elsewhere ? RUN_ELSEWHERE : -1;

    *rank = (struct run_rank){.number = i, .app = app, .host = job->options.host_of[i]};
    rank->wire = rank->out.fd = rank->err.fd = fd;
    rank->err.is_error = true;
    for (int k = 0; k < i; k++) {
        rank->nth += job->ranks[k].host == rank->host;
    }
    job->alive += is_elsewhere;
}

void run_open_ranks(struct run_job *job)
{
    const struct run_app *app = job->options.apps;
    int last = app->ranks; /* of this command and those before, the number behind it */

    job->ranks = calloc((size_t)job->options.ranks, sizeof(*job->ranks));
    if (job->ranks == NULL) {
        run_no_memory();
    }
    for (int i = 0; i < job->options.ranks; i++) {
        if (i == last) {
            last += (++app)->ranks;
        }
        open_rank(job, i, app);
    }
}
