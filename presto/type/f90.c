/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of Fortran's numbers by what they can hold: predefined, and one for each question. */
#include <float.h>
#include <pthread.h>
#include <stdlib.h>

#include "type/named.h"

/* What Fortran says of a kind of numbers: decimal digits, and the range of exponents or digits. */
struct kind {
    int precision, range;
    struct pri_type *type;
};

/* Each list in the order of lengths: the first that suffices is the one that Fortran selects. A
 * range is the smaller of those upwards and downwards. */
static const struct kind reals[] = {
    {FLT_DIG, -FLT_MIN_10_EXP, &presto_type_real4},
    {DBL_DIG, -DBL_MIN_10_EXP, &presto_type_real8},
    {LDBL_DIG, -LDBL_MIN_10_EXP, &presto_type_long_double},
    {33, 4931, &presto_type_real16},
};
static const struct kind complexes[] = {
    {FLT_DIG, -FLT_MIN_10_EXP, &presto_type_complex8},
    {DBL_DIG, -DBL_MIN_10_EXP, &presto_type_complex16},
    {LDBL_DIG, -LDBL_MIN_10_EXP, &presto_type_c_long_double_complex},
    {33, 4931, &presto_type_complex32},
};
static const struct kind integers[] = {
    {0, 2, &presto_type_integer1},  {0, 4, &presto_type_integer2},   {0, 9, &presto_type_integer4},
    {0, 18, &presto_type_integer8}, {0, 38, &presto_type_integer16},
};

static const struct kind *select_in(const struct kind *list, size_t count, int precision, int range)
{
    for (size_t i = 0; i < count; i++) {
        if (precision <= list[i].precision && range <= list[i].range) {
            return &list[i];
        }
    }
    return NULL;
}

#define SELECT_IN(list, p, r) select_in(list, sizeof(list) / sizeof((list)[0]), p, r)

static const struct kind *select_kind(enum pri_combiner combiner, int precision, int range)
{
    switch (combiner) {
    case PRI_COMBINER_F90_REAL:
        return SELECT_IN(reals, precision, range);
    case PRI_COMBINER_F90_COMPLEX:
        return SELECT_IN(complexes, precision, range);
    default:
        return SELECT_IN(integers, precision, range);
    }
}

/* Those that were asked for. They stay as long as the process, as other predefined types do. */
static struct made {
    struct made *next;
    struct pri_type type;
    struct pri_recipe recipe;
    long long integer[2]; /* of the recipe */
    struct pri_type *like;
} * made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct made *find(enum pri_combiner combiner, const long long *integer, int ints)
{
    struct made *m = made;
    while (m != NULL && (m->recipe.combiner != combiner || m->integer[0] != integer[0] ||
                         (ints > 1 && m->integer[1] != integer[1]))) {
        m = m->next;
    }
    return m;
}

static struct made *make(enum pri_combiner combiner, const long long *integer, int ints,
                         struct pri_type *like)
{
    struct made *m = calloc(1, sizeof(*m));
    if (m == NULL) {
        return NULL;
    }
    for (int i = 0; i < ints; i++) {
        m->integer[i] = integer[i];
    }
    m->like = like;
    m->recipe = (struct pri_recipe){
        .combiner = combiner, .ints = ints, .integer = m->integer, .held = &m->like, .helds = 1};
    m->type = (struct pri_type){.size = like->size,
                                .extent = like->extent,
                                .true_extent = like->true_extent,
                                .contiguous = like->contiguous,
                                .predefined = true,
                                .committed = true,
                                .kind = like->kind,
                                .align = like->align,
                                .unit = like->unit,
                                .elements = like->elements,
                                .parts = like->parts,
                                .part = like->part,
                                .recipe = &m->recipe};
    m->next = made;
    made = m;
    return m;
}

bool pri_type_f90(enum pri_combiner combiner, int precision, int range, int absent,
                  struct pri_type **type)
{
    bool is_integer = combiner == PRI_COMBINER_F90_INTEGER;
    const long long both[2] = {precision, range}, *integer = is_integer ? &both[1] : both;
    int ints = is_integer ? 1 : 2;
    bool none = (is_integer || precision == absent) && range == absent;
    bool negative = (precision < 0 && precision != absent) || (range < 0 && range != absent);
    const struct kind *kind = none || negative
                                  ? NULL
                                  : select_kind(combiner, precision == absent ? 0 : precision,
                                                range == absent ? 0 : range);
    *type = NULL;
    if (kind == NULL) {
        return false;
    }
    pthread_mutex_lock(&lock);
    struct made *m = find(combiner, integer, ints);
    if (m == NULL) {
        m = make(combiner, integer, ints, kind->type);
    }
    pthread_mutex_unlock(&lock);
    if (m != NULL) {
        *type = &m->type;
    }
    return true;
}
