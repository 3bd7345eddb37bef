/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: managers made of managers. */
#include <stdlib.h>

#include "native/native.h"

/* What a rank tells all others. */
struct wish {
    int color, key;
    int rank;         /* in the old group */
    uint32_t context; /* for a new group, should this rank lead it */
};

static int compare(const void *left, const void *right)
{
    const struct wish *a = left, *b = right;

    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->rank - b->rank;
}

/* Leave those of our color, in the new order; how many. */
static int choose(struct wish *all, int size, int color)
{
    int n = 0;

    for (int i = 0; i < size; i++) {
        if (all[i].color == color) {
            all[n++] = all[i];
        }
    }
    qsort(all, (size_t)n, sizeof(*all), compare);
    return n;
}

static struct pr_mgr *new_manager(const struct pr_mgr *m, const struct wish *all, int n)
{
    struct pr_mgr *group = calloc(1, sizeof(*group));

    if (group == NULL) {
        return NULL;
    }
    group->world = calloc((size_t)n, sizeof(*group->world));
    if (group->world == NULL) {
        free(group);
        return NULL;
    }
    group->rank = m->rank;
    group->context = all[0].context;
    group->size = n;
    for (int i = 0; i < n; i++) {
        group->world[i] = pr_to_world(m, all[i].rank);
        group->self = all[i].rank == m->self ? i : group->self;
    }
    if (pri_team_init(&group->team, m->rank, group->context, group->self, n, group->world) !=
        PRI_OK) {
        free(group->world);
        free(group);
        return NULL;
    }
    return group;
}

static void enlist(struct pr_mgr *group)
{
    struct pr_state *state = pr_state_of(group->rank);

    pthread_mutex_lock(&state->lock);
    group->next = state->managers;
    state->managers = group;
    pthread_mutex_unlock(&state->lock);
}

static void unlist(struct pr_mgr *group)
{
    struct pr_state *state = pr_state_of(group->rank);
    struct pr_mgr **place;

    pthread_mutex_lock(&state->lock);
    for (place = &state->managers; *place != group; place = &(*place)->next) {
        continue;
    }
    *place = group->next;
    pthread_mutex_unlock(&state->lock);
}

/* The exchange has been done: our own group, if any. */
static int take_part(pr_mgr_t m, struct wish *all, int color, uint32_t mine, pr_mgr_t *group)
{
    int n = choose(all, m->size, color);

    *group = color == PR_UNDEFINED ? NULL : new_manager(m, all, n);
    if (*group == NULL || (*group)->context != mine) {
        pri_context_give(m->rank, mine);
    }
    if (*group == NULL) {
        return color == PR_UNDEFINED ? PR_OK : PR_ERR_NOMEM;
    }
    enlist(*group);
    return PR_OK;
}

int pr_split(pr_mgr_t m, int color, int key, pr_mgr_t *group)
{
    struct wish mine, *all;
    int error;

    if (m == NULL || group == NULL) {
        return m == NULL ? PR_ERR_COMM : PR_ERR_ARG;
    }
    mine = (struct wish){.color = color, .key = key, .rank = m->self};
    error = pri_context_take(m->rank, &mine.context);
    if (error != PRI_OK) {
        return error;
    }
    all = calloc((size_t)m->size, sizeof(*all));
    error = all == NULL ? (int)PR_ERR_NOMEM : pr_allgather(m, &mine, sizeof(mine), all);
    if (error == PR_OK) {
        error = take_part(m, all, color, mine.context, group);
    } else {
        pri_context_give(m->rank, mine.context);
    }
    free(all);
    return error;
}

int pr_group_free(pr_mgr_t *group)
{
    struct pr_mgr *m = group == NULL ? NULL : *group;

    if (m == NULL || m->world == NULL) {
        return PR_ERR_COMM; /* of pr_init: that ends with pr_fini */
    }
    (void)pri_coll_barrier(&m->team, NULL);
    pri_team_fini(&m->team);
    unlist(m);
    pri_context_give(m->rank, m->context);
    free(m->world);
    free(m);
    *group = NULL;
    return PR_OK;
}
