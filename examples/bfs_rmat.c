/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breadth-first search on a random graph with few hubs and many leaves (RMAT, as in Graph500),
 * level by level. Vertices are dealt out to the processes in blocks. Each process makes a share of
 * the edges and sends both directions of each to the owners; in each level, the neighbours of the
 * vertices reached last go to their owners, in one exchange of all with all. Of several vertices
 * that reach another one in the same level, the smallest becomes its parent, so that the tree does
 * not depend on the number of processes.
 *
 * Check: the levels of a vertex and its parent differ by 1, those of an edge's two ends by at most
 * 1, and if one process repeats the search alone it finds the same tree.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_REACHED = -1 };

struct option {
    const char *name;
    int *value;
    int min, max;
    const char *help;
};

struct result {
    int64_t reached, edges; /* vertices; edges that start at them, both directions */
    int64_t wrong;          /* edges or vertices that are not as they must be */
    int depth;
    uint64_t checksum; /* of all parents, in any rank */
};

/* From one vertex to another. */
struct edge {
    int32_t from, to;
};

/* Things that go to each process: put in any order, then sorted by process; and what came in last.
 * Memory once taken is used again: pages that are new take longer than what is written to them. */
struct outbox {
    struct edge *items, *sorted, *in;
    int *process, *counts;
    int count, room, sorted_room, in_room;
};

/* One process's share: vertices first..first+count-1 and the edges that start at them, sorted by
 * vertex. */
struct part {
    MPI_Comm comm;
    int rank, ranks, vertices, first, count;
    MPI_Datatype edge_type;
    int32_t *start; /* [count + 1]: where a vertex's edges begin in `to` */
    int32_t *to;
    int32_t *level, *parent;
    struct outbox box;
};

static uint64_t hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void *memory(void *old, size_t count, size_t size)
{
    void *block = realloc(old, (count + 1) * size);

    if (block == NULL) {
        fprintf(stderr, "bfs_rmat: no memory for %zu items; choose a smaller --scale\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return block;
}

static int first_of(const struct part *p, int rank)
{
    return (int)((int64_t)p->vertices * rank / p->ranks);
}

static int owner(const struct part *p, int vertex)
{
    int rank = (int)(((int64_t)vertex * p->ranks) / p->vertices);

    while (vertex >= first_of(p, rank + 1)) {
        rank++;
    }
    while (vertex < first_of(p, rank)) {
        rank--;
    }
    return rank;
}

/* Edge number i: in each bit of the two vertices, one of the four quarters of the matrix, by
 * Graph500's odds. */
static struct edge make_edge(int64_t i, int scale)
{
    struct edge e = {0, 0};

    for (int bit = 0; bit < scale; bit++) {
        unsigned odds = (unsigned)(hash(hash((uint64_t)i + 1) + (uint64_t)bit) >> 32) % 100;

        e.from = 2 * e.from + (odds >= 76);
        e.to = 2 * e.to + ((odds >= 57 && odds < 76) || odds >= 95);
    }
    /* Hubs would all have small numbers: shuffle the bits' order and values. */
    uint32_t mask = (1u << scale) - 1;
    e.from = (int32_t)(((uint32_t)e.from * 2654435761u ^ 0x5bd1e995u) & mask);
    e.to = (int32_t)(((uint32_t)e.to * 2654435761u ^ 0x5bd1e995u) & mask);
    return e;
}

static void outbox_add(struct outbox *box, int process, struct edge item)
{
    if (box->count == box->room) {
        box->room = 2 * box->room + 1024;
        box->items = memory(box->items, (size_t)box->room, sizeof *box->items);
        box->process = memory(box->process, (size_t)box->room, sizeof *box->process);
    }
    box->items[box->count] = item;
    box->process[box->count++] = process;
}

static struct edge *outbox_fit(struct edge *block, int *room, int count)
{
    if (count <= *room) {
        return block;
    }
    *room = count + count / 8;
    return memory(block, (size_t)*room, sizeof *block);
}

/* Sends what is in the box, which is empty then. Returns what came in, which stays until the next
 * exchange. */
static const struct edge *outbox_exchange(struct part *p, int *received)
{
    struct outbox *box = &p->box;
    int *counts = box->counts, *displs = counts + p->ranks, *next = displs + p->ranks;
    int *in_counts = next + p->ranks, *in_displs = in_counts + p->ranks;

    memset(counts, 0, (size_t)p->ranks * sizeof *counts);
    for (int i = 0; i < box->count; i++) {
        counts[box->process[i]]++;
    }
    MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, p->comm);
    displs[0] = in_displs[0] = 0;
    for (int r = 1; r < p->ranks; r++) {
        displs[r] = displs[r - 1] + counts[r - 1];
        in_displs[r] = in_displs[r - 1] + in_counts[r - 1];
    }
    *received = in_displs[p->ranks - 1] + in_counts[p->ranks - 1];
    box->in = outbox_fit(box->in, &box->in_room, *received);
    box->sorted = outbox_fit(box->sorted, &box->sorted_room, box->count);
    memcpy(next, displs, (size_t)p->ranks * sizeof *next);
    for (int i = 0; i < box->count; i++) {
        box->sorted[next[box->process[i]]++] = box->items[i];
    }
    MPI_Alltoallv(box->sorted, counts, displs, p->edge_type, box->in, in_counts, in_displs,
                  p->edge_type, p->comm);
    box->count = 0;
    return box->in;
}

static void outbox_free(struct outbox *box)
{
    free(box->items);
    free(box->sorted);
    free(box->in);
    free(box->process);
    free(box->counts);
}

/* Sorts edges by the vertex they start at. */
static void part_sort(struct part *p, const struct edge *edges, int count)
{
    p->start = memory(NULL, (size_t)p->count + 1, sizeof *p->start);
    p->to = memory(NULL, (size_t)count, sizeof *p->to);
    memset(p->start, 0, ((size_t)p->count + 1) * sizeof *p->start);
    for (int i = 0; i < count; i++) {
        p->start[edges[i].from - p->first + 1]++;
    }
    for (int v = 0; v < p->count; v++) {
        p->start[v + 1] += p->start[v];
    }
    int32_t *next = memory(NULL, (size_t)p->count, sizeof *next);
    memcpy(next, p->start, (size_t)p->count * sizeof *next);
    for (int i = 0; i < count; i++) {
        p->to[next[edges[i].from - p->first]++] = edges[i].to;
    }
    free(next);
}

static void part_create(struct part *p, MPI_Comm comm, int scale, int edge_factor)
{
    int64_t edges = (int64_t)edge_factor << scale;
    int count;

    memset(p, 0, sizeof *p);
    p->comm = comm;
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->ranks);
    p->box.counts = memory(NULL, (size_t)p->ranks * 5, sizeof *p->box.counts);
    p->vertices = 1 << scale;
    p->first = first_of(p, p->rank);
    p->count = first_of(p, p->rank + 1) - p->first;
    MPI_Type_contiguous(2, MPI_INT32_T, &p->edge_type);
    MPI_Type_commit(&p->edge_type);
    for (int64_t i = edges * p->rank / p->ranks; i < edges * (p->rank + 1) / p->ranks; i++) {
        struct edge e = make_edge(i, scale), back = {e.to, e.from};

        outbox_add(&p->box, owner(p, e.from), e);
        outbox_add(&p->box, owner(p, back.from), back);
    }
    const struct edge *mine = outbox_exchange(p, &count);
    part_sort(p, mine, count);
    p->level = memory(NULL, (size_t)p->count, sizeof *p->level);
    p->parent = memory(NULL, (size_t)p->count, sizeof *p->parent);
    for (int v = 0; v < p->count; v++) {
        p->level[v] = p->parent[v] = NOT_REACHED;
    }
}

static void part_free(struct part *p)
{
    MPI_Type_free(&p->edge_type);
    outbox_free(&p->box);
    free(p->start);
    free(p->to);
    free(p->level);
    free(p->parent);
}

/* Puts the neighbours of this process's vertices of a level into the box. */
static void expand(struct part *p, int level)
{
    for (int v = 0; v < p->count; v++) {
        for (int i = p->start[v]; p->level[v] == level && i < p->start[v + 1]; i++) {
            outbox_add(&p->box, owner(p, p->to[i]), (struct edge){p->first + v, p->to[i]});
        }
    }
}

/* Takes in what reached this process's vertices; returns how many were new. */
static int64_t settle(struct part *p, const struct edge *in, int count, int level)
{
    int64_t fresh = 0;

    for (int i = 0; i < count; i++) {
        int v = in[i].to - p->first;

        if (p->level[v] == NOT_REACHED) {
            p->level[v] = level;
            p->parent[v] = in[i].from;
            fresh++;
        } else if (p->level[v] == level && in[i].from < p->parent[v]) {
            p->parent[v] = in[i].from;
        }
    }
    return fresh;
}

/* Returns the number of levels. */
static int search(struct part *p, int root)
{
    int level = 0;
    int64_t fresh = 1;

    if (owner(p, root) == p->rank) {
        p->level[root - p->first] = 0;
        p->parent[root - p->first] = root;
    }
    while (fresh > 0) {
        int count;

        expand(p, level++);
        const struct edge *in = outbox_exchange(p, &count);
        fresh = settle(p, in, count, level);
        MPI_Allreduce(MPI_IN_PLACE, &fresh, 1, MPI_INT64_T, MPI_SUM, p->comm);
    }
    return level;
}

/* The rules that hold for any tree of a breadth-first search. A vertex's level goes along its
 * edges. */
static int64_t count_wrong(struct part *p)
{
    int64_t wrong = 0;
    int count;

    for (int v = 0; v < p->count; v++) {
        for (int i = p->start[v]; i < p->start[v + 1]; i++) {
            outbox_add(&p->box, owner(p, p->to[i]), (struct edge){p->level[v], p->to[i]});
        }
        if (p->level[v] > 0 && p->parent[v] != p->first + v) {
            outbox_add(&p->box, owner(p, p->parent[v]),
                       (struct edge){~p->level[v] - 1, p->parent[v]});
        }
    }
    const struct edge *in = outbox_exchange(p, &count);
    for (int i = 0; i < count; i++) {
        int mine = p->level[in[i].to - p->first], its = in[i].from;

        if (its < NOT_REACHED) {
            wrong += mine != -its - 3; /* of a child: it must be one more */
        } else {
            wrong += (mine == NOT_REACHED) != (its == NOT_REACHED) || abs(mine - its) > 1;
        }
    }
    return wrong;
}

static struct result run(MPI_Comm comm, int scale, int edge_factor, int root)
{
    struct part p;
    struct result r = {0, 0, 0, 0, 0};
    uint64_t mine = 0;

    part_create(&p, comm, scale, edge_factor);
    r.depth = search(&p, root);
    for (int v = 0; v < p.count; v++) {
        r.reached += p.level[v] != NOT_REACHED;
        r.edges += p.level[v] != NOT_REACHED ? p.start[v + 1] - p.start[v] : 0;
        mine ^= hash(((uint64_t)(p.first + v) << 32) + (uint32_t)p.parent[v]);
    }
    r.wrong = count_wrong(&p);
    int64_t sums[3] = {r.reached, r.edges, r.wrong};
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(&mine, &r.checksum, 1, MPI_UINT64_T, MPI_BXOR, comm);
    r.reached = sums[0];
    r.edges = sums[1];
    r.wrong = sums[2];
    part_free(&p);
    return r;
}

/* Reads the command line. Returns true to go on; otherwise *status is what the program ends
 * with. */
static bool parse(int argc, char **argv, const struct option *options, bool talk, int *status)
{
    for (int i = 1; i < argc; i += 2) {
        const struct option *o = options;
        char *end = "";

        *status = strcmp(argv[i], "--help") == 0 ? 0 : 2;
        while (o->name != NULL && strcmp(o->name, argv[i]) != 0) {
            o++;
        }
        long value = o->name != NULL && i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
        if (o->name != NULL && i + 1 < argc && *end == '\0' && value >= o->min && value <= o->max) {
            *o->value = (int)value;
            continue;
        }
        if (talk && *status != 0) {
            fprintf(stderr, "bfs_rmat: %s %s is not understood\n", argv[i],
                    i + 1 < argc ? argv[i + 1] : "without a value");
        }
        for (o = options; talk && o->name != NULL; o++) {
            fprintf(*status == 0 ? stdout : stderr, "  %-10s N  %s, %d to %d (default %d)\n",
                    o->name, o->help, o->min, o->max, *o->value);
        }
        return false;
    }
    return true;
}

/* Runs it on all processes, then perhaps on one alone, and compares. Returns the program's
 * status. */
static int run_and_check(int scale, int edge_factor, bool check, bool tell_time, int rank)
{
    int root = make_edge(0, scale).from; /* a vertex that has an edge */

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    struct result r = run(MPI_COMM_WORLD, scale, edge_factor, root);
    double seconds = MPI_Wtime() - begin;
    int right = r.wrong == 0;
    if (rank == 0 && check) {
        right = right && run(MPI_COMM_SELF, scale, edge_factor, root).checksum == r.checksum;
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("bfs_rmat: scale %d, %lld vertices and %lld edges reached in %d levels, checksum "
               "%016llx: %s\n",
               scale, (long long)r.reached, (long long)r.edges, r.depth,
               (unsigned long long)r.checksum, right ? "right" : "WRONG");
    }
    if (rank == 0 && tell_time) {
        fprintf(stderr, "bfs_rmat: %.6f s\n", seconds);
    }
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    int scale = 13, edge_factor = 16, check = 1, tell_time = 0, rank, status = 0;
    const struct option options[] = {
        {"--scale", &scale, 4, 24, "2 to this power is the number of vertices"},
        {"--edges", &edge_factor, 1, 64, "edges per vertex"},
        {"--check", &check, 0, 1, "1: one process repeats it alone and compares"},
        {"--time", &tell_time, 0, 1, "1: print the run time on standard error"},
        {NULL, NULL, 0, 0, NULL},
    };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parse(argc, argv, options, rank == 0, &status)) {
        status = run_and_check(scale, edge_factor, check != 0, tell_time != 0, rank);
    }
    MPI_Finalize();
    return status;
}
