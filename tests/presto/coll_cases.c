/* SPDX-License-Identifier: BSD-3-Clause */
/* See coll_cases.h. */
#include "coll_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "type/named.h"

/* ---- types and operations ------------------------------------------------------------------------- */

/* An element is packed as `units` numbers of 4 or 8 bytes. Layouts of equal data share a family. */
enum family { INTS, LONGS, DOUBLES, PLACES, MAPS, MIXED, FAMILIES };

static struct pri_type *layout[FAMILIES][3];
static struct pri_op *compose, *add_user;

/* Maps x -> a x + b modulo 2^32, one after the other: associative, not commutative. The left one is applied first. */
static void map_compose(const uint32_t *left, const uint32_t *right, uint32_t *both)
{
    uint32_t a = left[0] * right[0], b = left[1] * right[0] + right[1];

    both[0] = a;
    both[1] = b;
}

static void compose_user(void *in, void *inout, int *count, struct pri_type **type)
{
    for (int i = 0; i < *count; i++) {
        char *left = (char *)in + i * (*type)->extent, *right = (char *)inout + i * (*type)->extent;
        uint32_t a[2], b[2];

        pri_type_pack(*type, 1, left, 0, a, sizeof a);
        pri_type_pack(*type, 1, right, 0, b, sizeof b);
        map_compose(a, b, b);
        pri_type_unpack(*type, 1, right, 0, b, sizeof b);
    }
}

static void add_ints_user(void *in, void *inout, int *count, struct pri_type **type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        ((uint32_t *)inout)[i] += ((uint32_t *)in)[i];
    }
}

static struct pri_type *made(struct pri_type *type)
{
    if (type != NULL) {
        type->committed = true;
    }
    return type;
}

bool coll_cases_begin(void)
{
    struct pri_type *u32 = &presto_type_uint32;
    const int one_two[2] = {1, 2}, places[2] = {2, 0};
    struct pri_type *spaced = made(pri_type_new_vector(2, 1, 3, u32));
    struct pri_type *swapped = made(pri_type_new_indexed(2, (int[]){1, 1}, (int[]){1, 0}, u32));
    struct pri_type *wide = NULL, *mixed = made(pri_type_new_indexed(2, one_two, places, u32));

    if (spaced == NULL || swapped == NULL || mixed == NULL) {
        return false;
    }
    wide = made(pri_type_new_resized(u32, -4, 12));
    layout[INTS][0] = layout[INTS][1] = u32;
    layout[INTS][2] = wide;
    layout[LONGS][0] = layout[LONGS][1] = layout[LONGS][2] = &presto_type_int64;
    layout[DOUBLES][0] = layout[DOUBLES][1] = layout[DOUBLES][2] = &presto_type_double;
    layout[PLACES][0] = layout[PLACES][1] = layout[PLACES][2] = &presto_type_double_int;
    layout[MAPS][0] = made(pri_type_new_contiguous(2, u32));
    layout[MAPS][1] = spaced;
    layout[MAPS][2] = swapped;
    layout[MIXED][0] = made(pri_type_new_contiguous(3, u32));
    layout[MIXED][1] = mixed;
    layout[MIXED][2] = made(pri_type_new_vector(3, 1, 2, u32));
    compose = pri_op_new(compose_user, false);
    add_user = pri_op_new(add_ints_user, true);
    return wide != NULL && layout[MAPS][0] != NULL && layout[MIXED][0] != NULL &&
           layout[MIXED][2] != NULL && compose != NULL && add_user != NULL;
}

void coll_cases_end(void)
{
    pri_type_release(layout[INTS][2]);
    for (int i = 0; i < 3; i++) {
        pri_type_release(layout[MAPS][i]);
        pri_type_release(layout[MIXED][i]);
    }
    pri_op_release(compose);
    pri_op_release(add_user);
}

/* The operations of reductions: which data, and how to do it with packed elements. */
enum { ADD_INTS, XOR_INTS, USER_INTS, MAX_LONGS, ADD_DOUBLES, MAX_PLACES, COMPOSE, OPERATIONS };

static enum family operation_family(int number)
{
    static const enum family of[OPERATIONS] = {INTS, INTS, INTS, LONGS, DOUBLES, PLACES, MAPS};

    return of[number];
}

static struct pri_op *operation(int number)
{
    switch (number) {
    case ADD_INTS:
    case ADD_DOUBLES:
        return &presto_op_sum;
    case XOR_INTS:
        return &presto_op_bxor;
    case USER_INTS:
        return add_user;
    case MAX_LONGS:
        return &presto_op_max;
    case MAX_PLACES:
        return &presto_op_maxloc;
    default:
        return compose;
    }
}

static void add_doubles(const char *left, char *right)
{
    double a, b;

    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    b = a + b;
    memcpy(right, &b, sizeof b);
}

static void max_places(const char *left, char *right)
{
    double a, b;
    int i, j;

    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    memcpy(&i, left + 8, sizeof i);
    memcpy(&j, right + 8, sizeof j);
    if (a > b || (a == b && i < j)) {
        memcpy(right, left, 12);
    }
}

/* right = left op right, one packed element. */
static void operate(int number, const char *left, char *right)
{
    uint32_t a[2], b[2];
    int64_t x, y;

    switch (number) {
    case MAX_LONGS:
        memcpy(&x, left, sizeof x);
        memcpy(&y, right, sizeof y);
        if (x > y) {
            memcpy(right, left, 8);
        }
        break;
    case ADD_DOUBLES:
        add_doubles(left, right);
        break;
    case MAX_PLACES:
        max_places(left, right);
        break;
    case COMPOSE:
        memcpy(a, left, 8);
        memcpy(b, right, 8);
        map_compose(a, b, b);
        memcpy(right, b, 8);
        break;
    default:
        memcpy(a, left, 4);
        memcpy(b, right, 4);
        b[0] = number == XOR_INTS ? a[0] ^ b[0] : a[0] + b[0];
        memcpy(right, b, 4);
    }
}

/* ---- memory --------------------------------------------------------------------------------------- */

static void *get(size_t bytes)
{
    void *memory = malloc(bytes + 1);

    if (memory == NULL) {
        fprintf(stderr, "coll_cases: no memory for %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

/* Room for `span` bytes of data that begin `gap` bytes behind the buffer's address, all of them 0x5a. */
static void memory_make(struct coll_memory *m, size_t span, ptrdiff_t gap)
{
    m->bytes = span;
    m->mem = get(span);
    m->want = get(span);
    m->buf = m->mem - gap;
    memset(m->mem, 0x5a, span);
    memset(m->want, 0x5a, span);
}

static void memory_elements(struct coll_memory *m, const struct pri_type *type, size_t count)
{
    ptrdiff_t gap = 0;
    size_t span = count == 0 ? 0 : pri_type_span(type, count, &gap);

    memory_make(m, span, gap);
}

/* Element `first` on of what must be in the memory; with `now`, of what is in it, too. */
static void memory_put(struct coll_memory *m, struct pri_type *type, ptrdiff_t place, size_t count,
                       const char *packed, bool now)
{
    if (now) {
        pri_type_unpack(type, count, m->buf + place, 0, packed, count * type->size);
    }
    pri_type_unpack(type, count, m->want + (m->buf - m->mem) + place, 0, packed,
                    count * type->size);
}

/* ---- making a case -------------------------------------------------------------------------------- */

/* Random packed elements. Doubles are small whole numbers, so that sums are exact in any order. */
static void fill(char *packed, struct pri_type *type, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++) {
        char *at = packed + i * type->size;

        for (size_t j = 0; j < type->size; j += 4) {
            uint32_t bits = coll_random(seed, UINT32_MAX);

            memcpy(at + j, &bits, 4);
        }
        if (type == &presto_type_double || type == &presto_type_double_int) {
            double value = (double)coll_random(seed, 20) - 10;

            memcpy(at, &value, sizeof value);
        }
    }
}

static char *filled(struct pri_type *type, size_t count, uint64_t *seed)
{
    char *packed = get(count * type->size);

    fill(packed, type, count, seed);
    return packed;
}

static size_t random_count(uint64_t *seed)
{
    switch (coll_random(seed, 8)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
    case 3:
        return coll_random(seed, 2000);
    default:
        return coll_random(seed, 60);
    }
}

/* A layout of c's data, for one side. */
static struct pri_type *another(const struct coll_case *c, uint64_t *seed)
{
    for (int f = 0; f < FAMILIES; f++) {
        for (int i = 0; i < 3; i++) {
            if (layout[f][i] == c->type) {
                return layout[f][coll_random(seed, 3)];
            }
        }
    }
    return c->type;
}

/* All ranks' input, packed, reduced from rank `from` to rank `to`: the caller frees it. */
static char *reduced(const struct coll_case *c, char *const *input, int from, int to, size_t count)
{
    size_t size = c->type->size;
    char *sum = get(count * size);

    memcpy(sum, input[to], count * size);
    for (int r = to - 1; r >= from; r--) {
        for (size_t i = 0; i < count; i++) {
            operate(c->op_number, input[r] + i * size, sum + i * size);
        }
    }
    return sum;
}

static bool has_result(const struct coll_case *c, int rank)
{
    if (c->kind == COLL_REDUCE) {
        return rank == c->root;
    }
    return c->kind != COLL_EXSCAN || rank > 0;
}

/* What of the reduction rank gets: ranks from..to, elements first..first+n. */
struct share {
    int from, to;
    size_t first, n;
};

static struct share share_of(const struct coll_case *c, int rank)
{
    struct share s = {0, c->n - 1, 0, c->count};

    if (c->kind == COLL_SCAN) {
        s.to = rank;
    } else if (c->kind == COLL_EXSCAN) {
        s.to = rank - 1;
    } else if (c->kind == COLL_REDUCE_SCATTER || c->kind == COLL_REDUCE_SCATTER_BLOCK) {
        for (int i = 0; i < rank; i++) {
            s.first += (size_t)c->rank[0].counts[0][i];
        }
        s.n = (size_t)c->rank[0].counts[0][rank];
    }
    return s;
}

static void make_reduction(struct coll_case *c, uint64_t *seed)
{
    char *input[COLL_CASE_RANKS];

    c->op_number = (int)coll_random(seed, OPERATIONS);
    c->op = operation(c->op_number);
    c->type = layout[operation_family(c->op_number)][0];
    if (c->op_number == COMPOSE) {
        c->type = layout[MAPS][coll_random(seed, 3)];
    }
    if (c->kind == COLL_REDUCE_SCATTER || c->kind == COLL_REDUCE_SCATTER_BLOCK) {
        size_t each = random_count(seed) / 2;

        c->count = 0;
        for (int i = 0; i < c->n; i++) {
            if (c->kind == COLL_REDUCE_SCATTER) {
                each = random_count(seed) / 4;
            }
            c->count += each;
            for (int r = 0; r < c->n; r++) {
                c->rank[r].counts[0][i] = (int)each;
            }
        }
    }
    for (int r = 0; r < c->n; r++) {
        struct coll_rank *rank = &c->rank[r];
        bool in_place = c->in_place && (c->kind != COLL_REDUCE || r == c->root);

        input[r] = filled(c->type, c->count, seed);
        memory_elements(&rank->in, c->type, in_place ? 0 : c->count);
        memory_elements(&rank->out, c->type, c->count);
        memory_put(in_place ? &rank->out : &rank->in, c->type, 0, c->count, input[r], true);
    }
    for (int r = 0; r < c->n; r++) {
        if (has_result(c, r)) {
            struct share s = share_of(c, r);
            char *sum = reduced(c, input, s.from, s.to, c->count);

            memory_put(&c->rank[r].out, c->type, 0, s.n, sum + s.first * c->type->size, false);
            free(sum);
        }
    }
    for (int r = 0; r < c->n; r++) {
        free(input[r]);
    }
}

static bool is_equal_parts(enum coll_kind kind)
{
    return kind == COLL_GATHER || kind == COLL_SCATTER || kind == COLL_ALLGATHER ||
           kind == COLL_ALLTOALL || kind == COLL_NEIGHBOR_ALLGATHER ||
           kind == COLL_NEIGHBOR_ALLTOALL;
}

/* Elements that go from one rank to another in all operations that only move data. */
static void make_traffic(const struct coll_case *c, int elements[][COLL_CASE_RANKS], uint64_t *seed)
{
    for (int from = 0; from < c->n; from++) {
        for (int to = 0; to < c->n; to++) {
            int count = (int)random_count(seed) / 4;

            switch (c->kind) {
            case COLL_ALLTOALLV:
            case COLL_ALLTOALLW:
            case COLL_NEIGHBOR_ALLTOALLV:
                elements[from][to] = c->in_place && from > to ? elements[to][from] : count;
                break;
            case COLL_SCATTERV:
                elements[from][to] = from == c->root ? count : 0;
                break;
            case COLL_GATHERV:
                elements[from][to] = to != c->root ? 0 : count;
                break;
            case COLL_ALLGATHERV:
            case COLL_NEIGHBOR_ALLGATHERV:
                elements[from][to] = to == 0 ? count : elements[from][0];
                break;
            default:
                elements[from][to] = (int)c->count;
            }
        }
    }
}

/* Describes one side with a part for each of c->n ranks: in order, or with gaps. */
static void make_side(struct coll_case *c, int r, int side, bool gaps, uint64_t *seed)
{
    struct coll_rank *rank = &c->rank[r];
    struct coll_memory *m = side == 0 ? &rank->in : &rank->out;
    struct pri_type *type = side == 0 ? c->type : c->out_type;
    int at = 0;

    for (int i = 0; i < c->n; i++) {
        rank->types[side][i] = type;
        at += gaps ? (int)coll_random(seed, 3) : 0;
        rank->displs[side][i] = at;
        at += rank->counts[side][i];
    }
    memory_elements(m, type, (size_t)at);
    rank->parts[side] = (struct pri_parts){
        .buf = m->buf, .counts = rank->counts[side], .displs = rank->displs[side], .type = type};
    if (c->kind == COLL_ALLTOALLW) {
        for (int i = 0; i < c->n; i++) {
            rank->displs[side][i] *= (int)type->extent;
        }
        rank->parts[side].types = rank->types[side];
        rank->parts[side].type = NULL;
    }
}

static ptrdiff_t part_place(const struct coll_case *c, int r, int side, int i)
{
    const struct coll_rank *rank = &c->rank[r];
    struct pri_type *type = side == 0 ? c->type : c->out_type;

    return rank->displs[side][i] * (c->kind == COLL_ALLTOALLW ? 1 : type->extent);
}

/* Whether rank r of a rooted or an all operation sends a part of its own to each, or the same to all. */
static bool one_for_all(enum coll_kind kind)
{
    return kind == COLL_ALLGATHER || kind == COLL_ALLGATHERV || kind == COLL_GATHER ||
           kind == COLL_GATHERV || kind == COLL_NEIGHBOR_ALLGATHER ||
           kind == COLL_NEIGHBOR_ALLGATHERV;
}

static bool is_scatter(enum coll_kind kind)
{
    return kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

static bool sends(const struct coll_case *c, int r)
{
    return !is_scatter(c->kind) || r == c->root;
}

static bool receives(const struct coll_case *c, int r)
{
    return (c->kind != COLL_GATHER && c->kind != COLL_GATHERV) || r == c->root;
}

/* Both sides of rank r: how many elements each part has, and where they are. */
static void make_sides(struct coll_case *c, int r, int elements[][COLL_CASE_RANKS], uint64_t *seed)
{
    struct coll_rank *rank = &c->rank[r];
    bool gaps = !is_equal_parts(c->kind);

    for (int i = 0; i < c->n; i++) {
        rank->counts[0][i] = sends(c, r) && !one_for_all(c->kind) ? elements[r][i] : 0;
        rank->counts[1][i] = receives(c, r) && !is_scatter(c->kind) ? elements[i][r] : 0;
    }
    if (is_scatter(c->kind)) {
        rank->counts[1][0] = elements[c->root][r];
    }
    if (one_for_all(c->kind)) {
        rank->counts[0][0] = elements[r][c->root];
    }
    make_side(c, r, 0, gaps && !one_for_all(c->kind), seed);
    make_side(c, r, 1, gaps && !is_scatter(c->kind), seed);
}

/* In place at rank r? */
static bool in_place_at(const struct coll_case *c, int r)
{
    switch (c->kind) {
    case COLL_GATHER:
    case COLL_GATHERV:
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return c->in_place && r == c->root;
    default:
        return c->in_place;
    }
}

/* Puts the data that goes from one rank to another where it comes from and where it must arrive. */
static void make_part(struct coll_case *c, int from, int to, const char *packed, size_t n)
{
    int in_part = one_for_all(c->kind) ? 0 : to, out_part = is_scatter(c->kind) ? 0 : from;
    bool place_in = in_place_at(c, from), place_out = in_place_at(c, to);

    if (is_scatter(c->kind)) {
        memory_put(&c->rank[from].in, c->type, part_place(c, from, 0, in_part), n, packed, true);
        if (!(place_out && to == c->root)) {
            memory_put(&c->rank[to].out, c->out_type, 0, n, packed, false);
        }
        return;
    }
    if (!place_in) {
        memory_put(&c->rank[from].in, c->type, part_place(c, from, 0, in_part), n, packed, true);
    } else if (!one_for_all(c->kind)) {
        pri_type_unpack(c->out_type, n, c->rank[from].out.buf + part_place(c, from, 1, to), 0,
                        packed, n * c->type->size);
    } else if (from == to) {
        memory_put(&c->rank[to].out, c->out_type, part_place(c, to, 1, from), n, packed, true);
    }
    memory_put(&c->rank[to].out, c->out_type, part_place(c, to, 1, out_part), n, packed, false);
}

/* Operations that move data from each rank to each, or to and from the root. */
static void make_moves(struct coll_case *c, uint64_t *seed)
{
    static _Thread_local int elements[COLL_CASE_RANKS][COLL_CASE_RANKS];

    make_traffic(c, elements, seed);
    for (int r = 0; r < c->n; r++) {
        make_sides(c, r, elements, seed);
    }
    for (int from = 0; from < c->n; from++) {
        char *packed = NULL;

        for (int to = 0; to < c->n; to++) {
            size_t n = (size_t)elements[from][one_for_all(c->kind) ? c->root : to];

            if (!one_for_all(c->kind) || packed == NULL) {
                free(packed);
                packed = filled(c->type, n, seed);
            }
            if (sends(c, from) && receives(c, to)) {
                make_part(c, from, to, packed, n);
            }
        }
        free(packed);
    }
}

/* ---- neighbours ----------------------------------------------------------------------------------- */

/* A ring in which each rank's neighbours are `below` and `above`: with one or two ranks, twice the same. */
static void make_neighbors(struct coll_case *c, uint64_t *seed)
{
    bool open = coll_random(seed, 3) == 0; /* no neighbours beyond the ends */
    int n = c->n;

    for (int r = 0; r < n; r++) {
        struct coll_rank *rank = &c->rank[r];

        rank->sources[0] = open && r == 0 ? PRI_PROC_NULL : (r + n - 1) % n;
        rank->sources[1] = open && r == n - 1 ? PRI_PROC_NULL : (r + 1) % n;
        memcpy(rank->dests, rank->sources, sizeof rank->dests);
        rank->neighbors = (struct pri_neighbors){2, 2, rank->sources, rank->dests, true};
    }
}

/* What rank r sends to its neighbour i, which gets it as its part 1 - i. */
static void make_neighbor_part(struct coll_case *c, int r, int i, const char *packed, size_t n)
{
    int to = c->rank[r].dests[i], part = one_for_all(c->kind) ? 0 : i;

    memory_put(&c->rank[r].in, c->type, part_place(c, r, 0, part), n, packed, true);
    if (to != PRI_PROC_NULL) {
        memory_put(&c->rank[to].out, c->out_type, part_place(c, to, 1, 1 - i), n, packed, false);
    }
}

static void make_neighborhood(struct coll_case *c, uint64_t *seed)
{
    int size[COLL_CASE_RANKS][2], n = c->n;

    c->in_place = false;
    make_neighbors(c, seed);
    for (int r = 0; r < n; r++) {
        size[r][0] = is_equal_parts(c->kind) ? (int)c->count : (int)random_count(seed) / 4;
        size[r][1] = is_equal_parts(c->kind) || one_for_all(c->kind) ? size[r][0]
                                                                     : (int)random_count(seed) / 4;
    }
    for (int r = 0; r < n; r++) {
        struct coll_rank *rank = &c->rank[r];

        memset(rank->counts, 0, sizeof rank->counts);
        for (int i = 0; i < 2; i++) {
            int from = rank->sources[i];

            rank->counts[0][i] = i > 0 && one_for_all(c->kind) ? 0 : size[r][i];
            rank->counts[1][i] = size[from == PRI_PROC_NULL ? r : from][1 - i];
        }
        int ranks = c->n;

        c->n = 2; /* parts of a side */
        make_side(c, r, 0, false, seed);
        make_side(c, r, 1, !is_equal_parts(c->kind), seed);
        c->n = ranks;
    }
    for (int r = 0; r < n; r++) {
        char *packed = filled(c->type, (size_t)size[r][0], seed);

        make_neighbor_part(c, r, 0, packed, (size_t)size[r][0]);
        if (!one_for_all(c->kind)) {
            free(packed);
            packed = filled(c->type, (size_t)size[r][1], seed);
        }
        make_neighbor_part(c, r, 1, packed, (size_t)size[r][1]);
        free(packed);
    }
}

static void make_bcast(struct coll_case *c, uint64_t *seed)
{
    char *packed = filled(c->type, c->count, seed);

    for (int r = 0; r < c->n; r++) {
        struct pri_type *type = r == c->root ? c->type : c->out_type;

        memory_elements(&c->rank[r].in, type, 0);
        memory_elements(&c->rank[r].out, type, c->count);
        memory_put(&c->rank[r].out, type, 0, c->count, packed, r == c->root);
    }
    free(packed);
}

void coll_case_make(struct coll_case *c, uint64_t *seed, int n)
{
    memset(c, 0, sizeof *c);
    c->kind = (enum coll_kind)coll_random(seed, COLL_KINDS);
    c->n = n;
    c->root = (int)coll_random(seed, (unsigned)n);
    c->in_place = coll_random(seed, 3) == 0;
    c->count = random_count(seed);
    c->type = layout[coll_random(seed, FAMILIES)][coll_random(seed, 3)];
    c->out_type = another(c, seed);
    if (c->kind == COLL_BARRIER) {
        return;
    }
    if (c->kind == COLL_BCAST) {
        make_bcast(c, seed);
    } else if (c->kind <= COLL_REDUCE_SCATTER_BLOCK) {
        make_reduction(c, seed);
    } else if (c->kind >= COLL_NEIGHBOR_ALLGATHER) {
        make_neighborhood(c, seed);
    } else {
        c->count /= 8;
        make_moves(c, seed);
    }
}

void coll_case_free(struct coll_case *c)
{
    for (int r = 0; r < c->n; r++) {
        free(c->rank[r].in.mem);
        free(c->rank[r].in.want);
        free(c->rank[r].out.mem);
        free(c->rank[r].out.want);
    }
}

/* ---- starting and checking ------------------------------------------------------------------------ */

static int start_reduction(struct coll_case *c, int r, struct pri_team *team,
                           struct pri_request *request)
{
    struct coll_rank *rank = &c->rank[r];
    bool in_place = c->in_place && (c->kind != COLL_REDUCE || r == c->root);
    const void *in = in_place ? PRI_IN_PLACE : rank->in.buf;
    void *out = rank->out.buf;

    switch (c->kind) {
    case COLL_REDUCE:
        return pri_coll_reduce(team, in, r == c->root ? out : NULL, c->count, c->type, c->op,
                               c->root, request);
    case COLL_ALLREDUCE:
        return pri_coll_allreduce(team, in, out, c->count, c->type, c->op, request);
    case COLL_SCAN:
        return pri_coll_scan(team, in, out, c->count, c->type, c->op, request);
    case COLL_EXSCAN:
        return pri_coll_exscan(team, in, out, c->count, c->type, c->op, request);
    case COLL_REDUCE_SCATTER:
        return pri_coll_reduce_scatter(team, in, out, rank->counts[0], c->type, c->op, request);
    default:
        return pri_coll_reduce_scatter_block(team, in, out, (size_t)rank->counts[0][0], c->type,
                                             c->op, request);
    }
}

static int start_neighbors(struct coll_case *c, int r, struct pri_team *team,
                           struct pri_request *request)
{
    struct coll_rank *rank = &c->rank[r];
    struct pri_some in = {rank->in.buf, (size_t)rank->counts[0][0], c->type};
    struct pri_some out = {rank->out.buf, (size_t)rank->counts[1][0], c->out_type};

    switch (c->kind) {
    case COLL_NEIGHBOR_ALLGATHER:
        return pri_coll_neighbor_allgather(team, &rank->neighbors, in, out, request);
    case COLL_NEIGHBOR_ALLGATHERV:
        return pri_coll_neighbor_allgatherv(team, &rank->neighbors, in, &rank->parts[1], request);
    case COLL_NEIGHBOR_ALLTOALL:
        return pri_coll_neighbor_alltoall(team, &rank->neighbors, in, out, request);
    default:
        return pri_coll_neighbor_alltoallv(team, &rank->neighbors, &rank->parts[0], &rank->parts[1],
                                           request);
    }
}

static int start_moves(struct coll_case *c, int r, struct pri_team *team,
                       struct pri_request *request)
{
    struct coll_rank *rank = &c->rank[r];
    struct pri_some in = {rank->in.buf, (size_t)rank->counts[0][0], c->type};
    struct pri_some out = {rank->out.buf, (size_t)rank->counts[1][0], c->out_type};

    if (in_place_at(c, r)) {
        if (is_scatter(c->kind)) {
            out = (struct pri_some){.buf = PRI_IN_PLACE};
        } else {
            in = (struct pri_some){.buf = PRI_IN_PLACE};
            rank->parts[0] = (struct pri_parts){.buf = PRI_IN_PLACE};
        }
    }
    switch (c->kind) {
    case COLL_GATHER:
        return pri_coll_gather(team, in, out, c->root, request);
    case COLL_GATHERV:
        return pri_coll_gatherv(team, in, &rank->parts[1], c->root, request);
    case COLL_SCATTER:
        return pri_coll_scatter(team, in, out, c->root, request);
    case COLL_SCATTERV:
        return pri_coll_scatterv(team, &rank->parts[0], out, c->root, request);
    case COLL_ALLGATHER:
        return pri_coll_allgather(team, in, out, request);
    case COLL_ALLGATHERV:
        return pri_coll_allgatherv(team, in, &rank->parts[1], request);
    case COLL_ALLTOALL:
        return pri_coll_alltoall(team, in, out, request);
    default:
        return pri_coll_alltoallv(team, &rank->parts[0], &rank->parts[1], request);
    }
}

int coll_case_start(struct coll_case *c, int rank, struct pri_team *team,
                    struct pri_request *request)
{
    if (c->kind == COLL_BARRIER) {
        return pri_coll_barrier(team, request);
    }
    if (c->kind == COLL_BCAST) {
        return pri_coll_bcast(team, c->rank[rank].out.buf, c->count,
                              rank == c->root ? c->type : c->out_type, c->root, request);
    }
    if (c->kind <= COLL_REDUCE_SCATTER_BLOCK) {
        return start_reduction(c, rank, team, request);
    }
    if (c->kind >= COLL_NEIGHBOR_ALLGATHER) {
        return start_neighbors(c, rank, team, request);
    }
    return start_moves(c, rank, team, request);
}

static bool memory_right(const struct coll_memory *m)
{
    return m->bytes == 0 || memcmp(m->mem, m->want, m->bytes) == 0;
}

bool coll_case_check(const struct coll_case *c)
{
    static const char *const names[COLL_KINDS] = {"barrier",
                                                  "bcast",
                                                  "reduce",
                                                  "allreduce",
                                                  "scan",
                                                  "exscan",
                                                  "reduce_scatter",
                                                  "reduce_scatter_block",
                                                  "gather",
                                                  "gatherv",
                                                  "scatter",
                                                  "scatterv",
                                                  "allgather",
                                                  "allgatherv",
                                                  "alltoall",
                                                  "alltoallv",
                                                  "alltoallw",
                                                  "neighbor_allgather",
                                                  "neighbor_allgatherv",
                                                  "neighbor_alltoall",
                                                  "neighbor_alltoallv"};

    for (int r = 0; r < c->n; r++) {
        const struct coll_rank *rank = &c->rank[r];

        if (c->kind != COLL_BARRIER && (!memory_right(&rank->in) || !memory_right(&rank->out))) {
            fprintf(
                stderr,
                "%s of %zu elements of %zu bytes, operation %d, root %d, in place %d: wrong %s of "
                "rank %d of %d\n",
                names[c->kind], c->count, c->type->size, c->op_number, c->root, c->in_place,
                memory_right(&rank->in) ? "result" : "input", r, c->n);
            return false;
        }
    }
    return true;
}
