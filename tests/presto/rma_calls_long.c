/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates of many integers: against a model that works word by word, and by all ranks at
 * once. */
#include "rma_calls.h"

enum { WORDS = 640, MOST = 300, STEPS = 48 };

/* A window, and in a dynamic one where each rank's part is; NULL in others, whose unit is a
 * word. */
struct window {
    MPI_Win win;
    MPI_Aint *at;
};

/* A kind of words. */
struct kind {
    MPI_Datatype type;
    int width, is_signed;
};

static uint64_t get_word(const struct kind *k, const char *at)
{
    int32_t narrow;
    uint64_t wide;
    if (k->width == 8) {
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, at, sizeof(narrow));
    return k->is_signed ? (uint64_t)(int64_t)narrow : (uint32_t)narrow;
}

static void put_word(const struct kind *k, char *at, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    memcpy(at, k->width == 8 ? (const void *)&value : &narrow, (size_t)k->width);
}

static MPI_Aint place(const struct window *w, int target, int word, int width)
{
    return w->at != NULL ? w->at[target] + (MPI_Aint)word * width : word;
}

static int is_less(const struct kind *k, uint64_t a, uint64_t b)
{
    return k->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* What a word becomes. */
static uint64_t model(const struct kind *k, MPI_Op op, uint64_t old, uint64_t in)
{
    if (op == MPI_SUM) {
        return old + in;
    }
    if (op == MPI_PROD) {
        return old * in;
    }
    if (op == MPI_MIN) {
        return is_less(k, in, old) ? in : old;
    }
    if (op == MPI_MAX) {
        return is_less(k, old, in) ? in : old;
    }
    if (op == MPI_BAND) {
        return old & in;
    }
    if (op == MPI_BOR) {
        return old | in;
    }
    if (op == MPI_BXOR) {
        return old ^ in;
    }
    if (op == MPI_LAND) {
        return old != 0 && in != 0;
    }
    if (op == MPI_LOR) {
        return old != 0 || in != 0;
    }
    if (op == MPI_LXOR) {
        return (old != 0) != (in != 0);
    }
    return op == MPI_REPLACE ? in : old;
}

/* One step of a rank's: words at `at` of the target, each `stride` behind the one before. */
struct step {
    MPI_Op op;
    int at, count, stride, fetch, apart;
    char in[2 * MOST * 8], old[2 * MOST * 8], want[MOST * 8];
};

static void draw(struct step *s, const struct kind *k, int i)
{
    const MPI_Op ops[] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_BAND,    MPI_BOR,
                          MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_REPLACE, MPI_NO_OP};
    const int counts[] = {1, 1, 1, 2, 3, 127, 128, 129, 257, MOST};
    uint64_t x =
        mix((uint64_t)(rank * 1000 + i) * 64 + (uint64_t)k->width * 2 + (uint64_t)k->is_signed);
    s->op = ops[x % 12];
    s->count = counts[(x >> 8) % 10];
    s->stride = 1 + (int)(x >> 16) % 2;
    s->at = (int)((x >> 24) % (uint64_t)(WORDS - s->count * s->stride + 1));
    s->fetch = s->op == MPI_NO_OP || (x >> 40) % 2;
    s->apart = (x >> 41) % 2;
    for (int n = 0; n < 2 * s->count; n++) {
        put_word(k, s->in + n * k->width, mix(x + (uint64_t)n) >> (n % 3 * 20));
    }
}

/* Starts it, and does the same to the model. */
static void step(struct step *s, const struct kind *k, char *part, const struct window *w)
{
    MPI_Aint place_there = place(w, right(), s->at, k->width);
    int near = s->apart ? 2 : 1, count = s->count;
    MPI_Datatype here, there;
    MPI_Type_vector(count, 1, near, k->type, &here);
    MPI_Type_vector(count, 1, s->stride, k->type, &there);
    MPI_Type_commit(&here);
    MPI_Type_commit(&there);
    if (s->fetch && count == 1) {
        MPI_Fetch_and_op(s->in, s->old, k->type, right(), place_there, s->op, w->win);
    } else if (s->fetch) {
        MPI_Get_accumulate(s->in, 1, here, s->old, 1, here, right(), place_there, 1, there, s->op,
                           w->win);
    } else {
        MPI_Accumulate(s->in, 1, here, right(), place_there, 1, there, s->op, w->win);
    }
    MPI_Type_free(&here);
    MPI_Type_free(&there);
    for (int i = 0; i < count; i++) {
        char *at = part + (s->at + i * s->stride) * k->width;
        uint64_t old = get_word(k, at);
        put_word(k, s->want + i * k->width, old);
        put_word(k, at, model(k, s->op, old, get_word(k, s->in + i * near * k->width)));
    }
}

/* Only this rank writes to the part of the one to its right: operations of one origin are carried
 * out in their order. */
static void against_model(const struct kind *k, const struct window *w, char *part)
{
    struct step *steps = calloc(STEPS, sizeof(*steps));
    char *want = calloc(WORDS, 8), *got = calloc(WORDS, 8);
    memset(part, 0, WORDS * 8);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, w->win);
    for (int i = 0; i < STEPS; i++) {
        draw(&steps[i], k, i);
        step(&steps[i], k, want, w);
        if (i % 16 == 15) {
            MPI_Win_flush(right(), w->win);
        }
    }
    for (int i = 0; i < STEPS; i++) {
        for (int n = 0; steps[i].fetch && n < steps[i].count; n++) {
            EQUAL(get_word(k, steps[i].old + n * (steps[i].apart ? 2 : 1) * k->width),
                  get_word(k, steps[i].want + n * k->width));
        }
    }
    MPI_Get(got, WORDS, k->type, right(), place(w, right(), 0, k->width), WORDS, k->type, w->win);
    MPI_Win_unlock_all(w->win);
    EQUAL(memcmp(got, want, (size_t)(WORDS * k->width)), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    free(steps);
    free(want);
    free(got);
}

/* All ranks count in the same words: each old value of a word comes once. */
static void contended(const struct window *w, char *part)
{
    enum { LONG = 200, ROUNDS = 6 };
    int64_t ones[LONG], old[LONG], sum[LONG] = {0}, all[LONG], one = 1, none;
    MPI_Request request;
    MPI_Aint first = place(w, 0, 0, 8), behind = place(w, 0, LONG, 8);
    int n = size * ROUNDS;
    memset(part, 0, WORDS * 8);
    for (int i = 0; i < LONG; i++) {
        ones[i] = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, w->win);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Accumulate(&one, 1, MPI_INT64_T, 0, behind, 1, MPI_INT64_T, MPI_SUM, w->win);
        MPI_Rget_accumulate(ones, LONG, MPI_INT64_T, old, LONG, MPI_INT64_T, 0, first, LONG,
                            MPI_INT64_T, MPI_SUM, w->win, &request);
        MPI_Fetch_and_op(&one, &none, MPI_INT64_T, 0, behind, MPI_SUM, w->win);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_flush(0, w->win);
        for (int i = 0; i < LONG; i++) {
            sum[i] += old[i];
        }
    }
    MPI_Win_unlock_all(w->win);
    MPI_Allreduce(sum, all, LONG, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < LONG; i++) {
        EQUAL(all[i], n * (n - 1) / 2);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win);
    memcpy(old, part, sizeof(old));
    memcpy(&none, part + LONG * 8, sizeof(none));
    MPI_Win_unlock(rank, w->win);
    EQUAL(none, rank == 0 ? 2 * n : 0);
    for (int i = 0; i < LONG; i++) {
        EQUAL(old[i], rank == 0 ? n : 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Of `part`, or of memory that the window allocates. */
static void open_window(struct window *w, int flavor, int width, char **part)
{
    MPI_Aint mine;
    w->at = NULL;
    if (flavor == MPI_WIN_FLAVOR_ALLOCATE) {
        MPI_Win_allocate(WORDS * 8, width, MPI_INFO_NULL, MPI_COMM_WORLD, part, &w->win);
        return;
    }
    *part = calloc(WORDS, 8);
    if (flavor == MPI_WIN_FLAVOR_CREATE) {
        MPI_Win_create(*part, WORDS * 8, width, MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
        return;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
    MPI_Win_attach(w->win, *part, WORDS * 8);
    MPI_Get_address(*part, &mine);
    w->at = malloc((size_t)size * sizeof(mine));
    MPI_Allgather(&mine, 1, MPI_AINT, w->at, 1, MPI_AINT, MPI_COMM_WORLD);
}

static void close_window(struct window *w, int flavor, char *part)
{
    if (flavor == MPI_WIN_FLAVOR_DYNAMIC) {
        MPI_Win_detach(w->win, part);
    }
    MPI_Win_free(&w->win);
    if (flavor != MPI_WIN_FLAVOR_ALLOCATE) {
        free(part);
    }
    free(w->at);
}

void rma_long(int flavor)
{
    const struct kind kinds[] = {
        {MPI_INT32_T, 4, 1}, {MPI_UINT32_T, 4, 0}, {MPI_INT64_T, 8, 1}, {MPI_UINT64_T, 8, 0}};
    for (int i = 0; i < 4; i++) {
        struct window w;
        char *part;
        open_window(&w, flavor, kinds[i].width, &part);
        against_model(&kinds[i], &w, part);
        if (kinds[i].width == 8) {
            contended(&w, part);
        }
        close_window(&w, flavor, part);
    }
}
