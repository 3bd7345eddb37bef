/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathering to one rank and its mirror image, scattering from it. Short equal parts travel along a
 * binomial tree, each rank's together with those of the ranks above it; others go between the root
 * and their rank at once. */
#include "coll/inter.h"
#include "coll/places.h"

/* One rank's view of the tree: numbers are ranks turned so that the root is 0. */
struct tree {
    int root, me;
    int bit;  /* the lowest one of me; of the root, the least power of two not below the size */
    int many; /* ranks from this one up that it stands for */
    size_t each;
};

static struct tree tree_of(const struct pri_team *team, int root, size_t each)
{
    struct tree t = {
        .root = root, .me = pri_turned(team, team->rank, root), .bit = 1, .each = each};

    while (t.bit < team->size && (t.me & t.bit) == 0) {
        t.bit <<= 1;
    }
    t.many = t.me + t.bit < team->size ? t.bit : team->size - t.me;
    return t;
}

/* Ranks that a child stands for. */
static int tree_child_many(const struct pri_team *team, const struct tree *t, int bit)
{
    int child = t->me + bit;

    return child + bit < team->size ? bit : team->size - child;
}

/* ---- gather ---------------------------------------------------------------------------------- */

/* The root's own part, unless it is in its place already. */
static void write_own_in(struct pri_sched *s, struct pri_some in, struct pri_data place)
{
    if (in.buf != PRI_IN_PLACE) {
        pri_sched_copy(s, place, pri_some_data(in));
    }
}

static void write_gather_tree(struct pri_sched *s, struct pri_some in, struct pri_some out,
                              const struct tree *t)
{
    const struct pri_team *team = s->team;
    char *temp = NULL;

    if (t->many > 1) {
        temp = pri_sched_temp(s, (size_t)t->many * t->each);
        for (int bit = 1; bit < t->bit && t->me + bit < team->size; bit <<= 1) {
            size_t bytes = (size_t)tree_child_many(team, t, bit) * t->each;

            pri_sched_recv(s, pri_unturned(team, t->me + bit, t->root),
                           pri_bytes(temp + (size_t)bit * t->each, bytes));
        }
    }
    if (t->me == 0) {
        write_own_in(s, in, pri_some_part(out, t->root));
        pri_sched_fence(s);
        for (int i = 1; i < team->size; i++) {
            pri_sched_copy(s, pri_some_part(out, pri_unturned(team, i, t->root)),
                           pri_bytes(temp + (size_t)i * t->each, t->each));
        }
        return;
    }

    int parent = pri_unturned(team, t->me - t->bit, t->root);

    if (t->many == 1) {
        pri_sched_send(s, parent, pri_some_data(in));
    } else {
        pri_sched_copy(s, pri_bytes(temp, t->each), pri_some_data(in));
        pri_sched_fence(s);
        pri_sched_send(s, parent, pri_bytes(temp, (size_t)t->many * t->each));
    }
    pri_sched_fence(s);
}

static void write_gather_straight(struct pri_sched *s, struct pri_some in, struct pri_some out,
                                  int root)
{
    const struct pri_team *team = s->team;

    if (team->rank != root) {
        pri_sched_send(s, root, pri_some_data(in));
    }
    for (int i = 0; team->rank == root && i < team->size; i++) {
        if (i != root) {
            pri_sched_recv(s, i, pri_some_part(out, i));
        }
    }
    if (team->rank == root) {
        write_own_in(s, in, pri_some_part(out, root));
    }
    pri_sched_fence(s);
}

/* Whether the parts are short enough for the tree, which takes more memory and copies but fewer
 * rounds. */
static bool tree_pays(const struct pri_team *team, size_t each)
{
    return team->size > 2 && each <= pri_coll_params(team)->gather_short;
}

int pri_coll_gather(struct pri_team *team, struct pri_some in, struct pri_some out, int root,
                    struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_GATHER, request)) {
        return pri_inter_gather(team, in, out, NULL, root, request);
    }
    bool is_root = team->rank == root;
    size_t each = is_root ? out.count * out.type->size : in.count * in.type->size;

    if (each == 0) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL) {
        if (in.buf != PRI_IN_PLACE) {
            pri_sched_hold(s, in.type);
        }
        if (is_root) {
            pri_sched_hold(s, out.type);
        }
        if (tree_pays(team, each)) {
            struct tree t = tree_of(team, root, each);

            write_gather_tree(s, in, out, &t);
        } else {
            write_gather_straight(s, in, out, root);
        }
    }
    return pri_sched_run(s, request);
}

int pri_coll_gatherv(struct pri_team *team, struct pri_some in, const struct pri_parts *out,
                     int root, struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_GATHERV, request)) {
        return pri_inter_gather(team, in, in, out, root, request);
    }
    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL && team->rank != root) {
        pri_sched_hold(s, in.type);
        pri_sched_send(s, root, pri_some_data(in));
    } else if (s != NULL) {
        pri_parts_hold(s, out, team->size);
        for (int i = 0; i < team->size; i++) {
            if (i != root) {
                pri_sched_recv(s, i, pri_parts_part(out, i));
            }
        }
        if (in.buf != PRI_IN_PLACE) {
            pri_sched_hold(s, in.type);
        }
        write_own_in(s, in, pri_parts_part(out, root));
    }
    return pri_sched_run(s, request);
}

/* ---- scatter --------------------------------------------------------------------------------- */

static void write_own_out(struct pri_sched *s, struct pri_data place, struct pri_some out)
{
    if (out.buf != PRI_IN_PLACE) {
        pri_sched_copy(s, pri_some_data(out), place);
    }
}

static void write_scatter_tree(struct pri_sched *s, struct pri_some in, struct pri_some out,
                               const struct tree *t)
{
    const struct pri_team *team = s->team;
    int parent = t->me == 0 ? 0 : pri_unturned(team, t->me - t->bit, t->root);
    char *temp = NULL;

    if (t->many == 1) {
        pri_sched_recv(s, parent, pri_some_data(out));
        pri_sched_fence(s);
        return;
    }
    temp = pri_sched_temp(s, (size_t)t->many * t->each);
    if (t->me == 0) {
        for (int i = 1; i < team->size; i++) {
            pri_sched_copy(s, pri_bytes(temp + (size_t)i * t->each, t->each),
                           pri_some_part(in, pri_unturned(team, i, t->root)));
        }
    } else {
        pri_sched_recv(s, parent, pri_bytes(temp, (size_t)t->many * t->each));
        pri_sched_fence(s);
    }
    for (int bit = t->bit >> 1; bit > 0; bit >>= 1) {
        if (t->me + bit < team->size) {
            pri_sched_send(s, pri_unturned(team, t->me + bit, t->root),
                           pri_bytes(temp + (size_t)bit * t->each,
                                     (size_t)tree_child_many(team, t, bit) * t->each));
        }
    }
    if (t->me == 0) {
        write_own_out(s, pri_some_part(in, t->root), out);
    } else {
        pri_sched_copy(s, pri_some_data(out), pri_bytes(temp, t->each));
    }
    pri_sched_fence(s);
}

static void write_scatter_straight(struct pri_sched *s, struct pri_some in, struct pri_some out,
                                   int root)
{
    const struct pri_team *team = s->team;

    if (team->rank != root) {
        pri_sched_recv(s, root, pri_some_data(out));
    }
    for (int i = 0; team->rank == root && i < team->size; i++) {
        if (i != root) {
            pri_sched_send(s, i, pri_some_part(in, i));
        }
    }
    if (team->rank == root) {
        write_own_out(s, pri_some_part(in, root), out);
    }
    pri_sched_fence(s);
}

int pri_coll_scatter(struct pri_team *team, struct pri_some in, struct pri_some out, int root,
                     struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_SCATTER, request)) {
        return pri_inter_scatter(team, in, NULL, out, root, request);
    }
    bool is_root = team->rank == root;
    size_t each = is_root ? in.count * in.type->size : out.count * out.type->size;

    if (each == 0) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL) {
        if (is_root) {
            pri_sched_hold(s, in.type);
        }
        if (out.buf != PRI_IN_PLACE) {
            pri_sched_hold(s, out.type);
        }
        if (tree_pays(team, each)) {
            struct tree t = tree_of(team, root, each);

            write_scatter_tree(s, in, out, &t);
        } else {
            write_scatter_straight(s, in, out, root);
        }
    }
    return pri_sched_run(s, request);
}

int pri_coll_scatterv(struct pri_team *team, const struct pri_parts *in, struct pri_some out,
                      int root, struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_SCATTERV, request)) {
        return pri_inter_scatter(team, out, in, out, root, request);
    }
    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL && team->rank != root) {
        pri_sched_hold(s, out.type);
        pri_sched_recv(s, root, pri_some_data(out));
    } else if (s != NULL) {
        pri_parts_hold(s, in, team->size);
        for (int i = 0; i < team->size; i++) {
            if (i != root) {
                pri_sched_send(s, i, pri_parts_part(in, i));
            }
        }
        if (out.buf != PRI_IN_PLACE) {
            pri_sched_hold(s, out.type);
        }
        write_own_out(s, pri_parts_part(in, root), out);
    }
    return pri_sched_run(s, request);
}
