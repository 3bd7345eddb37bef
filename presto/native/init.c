/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining the job, leaving it, facts about it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "base/clock.h"
#include "native/native.h"

/* ---- state ----------------------------------------------------------------------------------- */

static void free_state(struct pri_rank *rank, void *arg)
{
    struct pr_state *state = arg;

    while (state->managers != NULL) {
        struct pr_mgr *m = state->managers;

        state->managers = m->next;
        free(m->world);
        free(m);
    }
    while (state->free != NULL) {
        struct pr_req *req = state->free;

        state->free = req->next;
        free(req);
    }
    pthread_mutex_destroy(&state->lock);
    rank->user[PRI_USER_NATIVE] = NULL;
    free(state);
}

static struct pr_state *new_state(struct pri_rank *rank)
{
    struct pr_state *state = calloc(1, sizeof(*state));

    if (state == NULL || pri_at_stop(rank, free_state, state) != PRI_OK) {
        free(state);
        return NULL;
    }
    pthread_mutex_init(&state->lock, NULL);
    state->world = (struct pr_mgr){
        .rank = rank, .context = pri_context_world(rank), .self = rank->rank, .size = rank->size};
    rank->user[PRI_USER_NATIVE] = state;
    return pri_team_init(&state->world.team, rank, pri_context_world(rank), rank->rank, rank->size,
                         NULL) == PRI_OK
               ? state
               : NULL;
}

/* ---- init, fini ------------------------------------------------------------------------------ */

_Static_assert((int)PR_THREAD_MULTIPLE == (int)PRI_THREAD_MULTIPLE, "levels are the same");

int pr_init_thread(pr_mgr_t *m, enum pr_thread_level level)
{
    struct pri_rank *rank;
    struct pr_state *state;
    int error;

    if (m == NULL || level > PR_THREAD_MULTIPLE) {
        return PR_ERR_ARG;
    }
    error = pri_start((enum pri_thread_level)level, &rank);
    if (error != PRI_OK) {
        return error;
    }
    if (rank->first != 0) {
        fprintf(stderr,
                "presto: rank %d was started by MPI_Comm_spawn, which is for programs of MPI: call "
                "MPI_Init\n",
                rank->rank);
        pri_start_undo(rank, PRI_ERR_START);
        return PR_ERR_START;
    }
    state = new_state(rank);
    if (state == NULL) {
        pri_start_undo(rank, PRI_ERR_NOMEM);
        return PR_ERR_NOMEM;
    }
    *m = &state->world;
    return PR_OK;
}

int pr_init(pr_mgr_t *m)
{
    return pr_init_thread(m, PR_THREAD_SINGLE);
}

int pr_fini(pr_mgr_t m)
{
    if (m == NULL || m != &pr_state_of(m->rank)->world) {
        return PR_ERR_COMM;
    }
    pri_stop(m->rank);
    return PR_OK;
}

int pr_abort(pr_mgr_t m, int code)
{
    pri_abort(m == NULL ? pri_self() : m->rank, code);
}

/* ---- threads --------------------------------------------------------------------------------- */

int pr_threads(int n)
{
    return pri_threads(n);
}

int pr_thread_rank(pr_rank_t rank)
{
    if (rank < 0) {
        return PR_ERR_RANK;
    }
    pri_thread_rank(rank);
    return PR_OK;
}

/* ---- facts ----------------------------------------------------------------------------------- */

int pr_get_num_procs(pr_mgr_t m, int *n_procs)
{
    if (m == NULL || n_procs == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_ARG;
    }
    *n_procs = m->size;
    return PR_OK;
}

int pr_get_self_rank(pr_mgr_t m, pr_rank_t *rank)
{
    if (m == NULL || rank == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_ARG;
    }
    *rank = m->self;
    return PR_OK;
}

int pr_get_clock(pr_mgr_t m, pr_clock_t *clk)
{
    if (m == NULL || clk == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_ARG;
    }
    *clk = ni_cycles_to_ns(ni_cycles()) * 1e-3;
    return PR_OK;
}

int pr_get_clock_res(pr_mgr_t m, int *clk_res)
{
    double step;

    if (m == NULL || clk_res == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_ARG;
    }
    step = ni_cycles_to_ns(1);
    *clk_res = step < 1 ? 1 : (int)(step + 0.5);
    return PR_OK;
}

int pr_get_time(pr_mgr_t m, pr_time_t *tm)
{
    struct timeval now;

    if (m == NULL || tm == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_ARG;
    }
    gettimeofday(&now, NULL);
    *tm = (double)now.tv_sec * 1e3 + (double)now.tv_usec * 1e-3;
    return PR_OK;
}
