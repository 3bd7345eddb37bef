/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: ranks of the job in an order. */
#include "mpi/state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/later.h"

struct pri_group presto_group_empty = {.rank = MPI_UNDEFINED};

struct pri_group *pri_group_new(int size)
{
    struct pri_group *group = malloc(sizeof(*group) + (size_t)size * sizeof(int));
    if (group == NULL) {
        return NULL;
    }
    atomic_init(&group->refs, 1);
    group->size = size;
    group->rank = MPI_UNDEFINED;
    group->held = false;
    return group;
}

void pri_group_finish(struct pri_group *group, struct pri_rank *self)
{
    bool foreign = false;
    group->rank = MPI_UNDEFINED;
    for (int i = 0; i < group->size; i++) {
        if (group->ranks[i] == self->rank) {
            group->rank = i;
        }
        foreign =
            foreign || group->ranks[i] < self->first || group->ranks[i] >= self->first + self->size;
    }
    if (NI_UNLIKELY(foreign) && !group->held) {
        group->held = true;
        pri_peers_hold(self, group->ranks, group->size, 1);
    }
}

void pri_group_retain(struct pri_group *group)
{
    if (group != &presto_group_empty) {
        atomic_fetch_add_explicit(&group->refs, 1, memory_order_relaxed);
    }
}

void pri_group_release(struct pri_group *group)
{
    /* Pairs with the other releases: the last one frees what all have read. */
    if (group != &presto_group_empty &&
        atomic_fetch_sub_explicit(&group->refs, 1, memory_order_acq_rel) == 1) {
        if (NI_UNLIKELY(group->held)) {
            pri_peers_hold(pri_self(), group->ranks, group->size, -1);
        }
        free(group);
    }
}

/* The place of a rank of the job in a group, or MPI_UNDEFINED. */
static int place_of(const struct pri_group *group, int peer)
{
    if (peer >= 0 && peer < group->size && group->ranks[peer] == peer) {
        return peer;
    }
    for (int i = 0; i < group->size; i++) {
        if (group->ranks[i] == peer) {
            return i;
        }
    }
    return MPI_UNDEFINED;
}

bool pri_group_within(const struct pri_group *group, const struct pri_group *whole)
{
    for (int i = 0; i < group->size; i++) {
        if (place_of(whole, group->ranks[i]) == MPI_UNDEFINED) {
            return false;
        }
    }
    return true;
}

/* A new group is ready: with no ranks it is the empty one. */
static int finish(struct pri_group *made, MPI_Group *group)
{
    if (made->size == 0) {
        free(made);
        *group = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    pri_group_finish(made, pri_self());
    *group = made;
    return MPI_SUCCESS;
}

/* What is wrong with a group and where a result goes. */
static int check(MPI_Group group, const void *result)
{
    return group == NULL ? pri_blame(MPI_ERR_GROUP, "it is MPI_GROUP_NULL") : pri_no_place(result);
}

static int check_two(MPI_Group one, MPI_Group other, const void *result)
{
    int code = check(one, result);
    return code != MPI_SUCCESS ? code : check(other, result);
}

/* The same, with a number of something in an array. */
static int check_list(MPI_Group group, int count, const void *list, const void *result)
{
    int code = check(group, result);
    if (code == MPI_SUCCESS && count < 0) {
        code = pri_blame_value(MPI_ERR_ARG, "the count", count, 0, INT_MAX);
    }
    if (code == MPI_SUCCESS && count > 0 && list == NULL) {
        code = pri_blame(MPI_ERR_ARG, "the array is NULL");
    }
    return code;
}

int MPI_Group_size(MPI_Group group, int *size)
{
    int code = check(group, size);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    *size = group->size;
    return MPI_SUCCESS;
}
PRI_ALIAS(Group_size);

int MPI_Group_rank(MPI_Group group, int *rank)
{
    int code = check(group, rank);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    *rank = group->rank;
    return MPI_SUCCESS;
}
PRI_ALIAS(Group_rank);

int MPI_Group_compare(MPI_Group one, MPI_Group other, int *result)
{
    int code = check_two(one, other, result);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    *result = MPI_UNEQUAL;
    if (one->size != other->size) {
        return MPI_SUCCESS;
    }
    int same = MPI_IDENT;
    for (int i = 0; i < one->size; i++) {
        if (one->ranks[i] == other->ranks[i]) {
            continue;
        }
        if (place_of(other, one->ranks[i]) == MPI_UNDEFINED) {
            return MPI_SUCCESS;
        }
        same = MPI_SIMILAR;
    }
    *result = same;
    return MPI_SUCCESS;
}
PRI_ALIAS(Group_compare);

static int no_such(int rank, const struct pri_group *group)
{
    if (group->size == 0) {
        return pri_blame(MPI_ERR_RANK, "the group has no ranks");
    }
    return pri_blame_value(MPI_ERR_RANK, "one of the ranks", rank, 0, group->size - 1);
}

int MPI_Group_translate_ranks(MPI_Group from, int count, const int ranks[], MPI_Group to,
                              int translated[])
{
    int code = check_two(from, to, count > 0 ? translated : &count);
    if (code == MPI_SUCCESS) {
        code = check_list(from, count, ranks, &count);
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    for (int i = 0; i < count; i++) {
        if (ranks[i] == MPI_PROC_NULL) {
            translated[i] = MPI_PROC_NULL;
            continue;
        }
        if (ranks[i] < 0 || ranks[i] >= from->size) {
            return pri_fail(NULL, __func__, no_such(ranks[i], from));
        }
        translated[i] = place_of(to, from->ranks[ranks[i]]);
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Group_translate_ranks);

/* Those of `one` that are (or are not) in `other`, then those of `more` that are not in `one`. */
static int combine(const char *function, MPI_Group one, MPI_Group other, bool in, MPI_Group more,
                   MPI_Group *group)
{
    int code = check_two(one, other, group);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    struct pri_group *made = pri_group_new(one->size + (more != NULL ? more->size : 0));
    if (made == NULL) {
        return pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
    made->size = 0;
    for (int i = 0; i < one->size; i++) {
        if (more != NULL || (place_of(other, one->ranks[i]) != MPI_UNDEFINED) == in) {
            made->ranks[made->size++] = one->ranks[i];
        }
    }
    for (int i = 0; more != NULL && i < more->size; i++) {
        if (place_of(one, more->ranks[i]) == MPI_UNDEFINED) {
            made->ranks[made->size++] = more->ranks[i];
        }
    }
    return finish(made, group);
}

int MPI_Group_union(MPI_Group one, MPI_Group other, MPI_Group *group)
{
    return combine(__func__, one, other, true, other, group);
}
PRI_ALIAS(Group_union);

int MPI_Group_intersection(MPI_Group one, MPI_Group other, MPI_Group *group)
{
    return combine(__func__, one, other, true, NULL, group);
}
PRI_ALIAS(Group_intersection);

int MPI_Group_difference(MPI_Group one, MPI_Group other, MPI_Group *group)
{
    return combine(__func__, one, other, false, NULL, group);
}
PRI_ALIAS(Group_difference);

/* MPI_SUCCESS, or what is wrong with ranks of a group, each of which is named once. */
static int check_ranks(const struct pri_group *group, int count, const int *ranks, bool *seen)
{
    for (int i = 0; i < count; i++) {
        if (ranks[i] < 0 || ranks[i] >= group->size) {
            return no_such(ranks[i], group);
        }
        if (seen[ranks[i]]) {
            return pri_blame(MPI_ERR_RANK, "a rank is named twice");
        }
        seen[ranks[i]] = true;
    }
    return MPI_SUCCESS;
}

/* The ranks that are named, in their order, or all others. */
static int choose(const char *function, MPI_Group from, int count, const int *ranks, bool named,
                  MPI_Group *group)
{
    int code = check_list(from, count, ranks, group);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    struct pri_group *made = pri_group_new(from->size);
    bool *seen = calloc((size_t)from->size + 1, sizeof(*seen));
    code = made == NULL || seen == NULL ? MPI_ERR_NO_MEM : check_ranks(from, count, ranks, seen);
    if (code != MPI_SUCCESS) {
        free(made);
        free(seen);
        return pri_fail(NULL, function, code);
    }
    made->size = 0;
    for (int i = 0; named && i < count; i++) {
        made->ranks[made->size++] = from->ranks[ranks[i]];
    }
    for (int i = 0; !named && i < from->size; i++) {
        if (!seen[i]) {
            made->ranks[made->size++] = from->ranks[i];
        }
    }
    free(seen);
    return finish(made, group);
}

int MPI_Group_incl(MPI_Group from, int count, const int ranks[], MPI_Group *group)
{
    return choose(__func__, from, count, ranks, true, group);
}
PRI_ALIAS(Group_incl);

int MPI_Group_excl(MPI_Group from, int count, const int ranks[], MPI_Group *group)
{
    return choose(__func__, from, count, ranks, false, group);
}
PRI_ALIAS(Group_excl);

/* The ranks of ranges (first, last, step), at most `room`; -1 if a range makes no sense or there
 * are more. */
static int spread(int count, int ranges[][3], int *ranks, int room)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        int first = ranges[i][0], last = ranges[i][1], step = ranges[i][2];
        if (step == 0) {
            return -1;
        }
        for (int r = first; step > 0 ? r <= last : r >= last; r += step) {
            if (n == room) {
                return -1;
            }
            ranks[n++] = r;
        }
    }
    return n;
}

static int choose_ranges(const char *function, MPI_Group from, int count, int ranges[][3],
                         bool named, MPI_Group *group)
{
    int code = check_list(from, count, ranges, group);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    int *ranks = malloc(((size_t)from->size + 1) * sizeof(*ranks));
    if (ranks == NULL) {
        return pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
    int n = spread(count, ranges, ranks, from->size);
    code = n < 0 ? pri_fail(NULL, function, MPI_ERR_ARG)
                 : choose(function, from, n, ranks, named, group);
    free(ranks);
    return code;
}

int MPI_Group_range_incl(MPI_Group from, int count, int ranges[][3], MPI_Group *group)
{
    return choose_ranges(__func__, from, count, ranges, true, group);
}
PRI_ALIAS(Group_range_incl);

int MPI_Group_range_excl(MPI_Group from, int count, int ranges[][3], MPI_Group *group)
{
    return choose_ranges(__func__, from, count, ranges, false, group);
}
PRI_ALIAS(Group_range_excl);

int MPI_Group_free(MPI_Group *group)
{
    int code = group == NULL ? pri_no_place(group) : check(*group, group);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    pri_group_release(*group);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Group_free);
