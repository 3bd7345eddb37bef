/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and operations of the cases: see coll_parts.h. */
#include "coll_parts.h"

#include <string.h>

#include "type/named.h"

struct pri_type *coll_layout[FAMILIES][3];
static struct pri_op *compose, *add_user;

/* Maps x -> a x + b modulo 2^32, one after the other: associative, not commutative. The left one is
 * applied first. */
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
    const long long one_two[2] = {1, 2}, places[2] = {2, 0};
    struct pri_type *spaced = made(pri_type_new_vector(2, 1, 3, u32));
    struct pri_type *swapped =
        made(pri_type_new_indexed(2, (long long[]){1, 1}, (long long[]){1, 0}, u32));
    struct pri_type *wide = NULL, *mixed = made(pri_type_new_indexed(2, one_two, places, u32));

    if (spaced == NULL || swapped == NULL || mixed == NULL) {
        return false;
    }
    wide = made(pri_type_new_resized(u32, -4, 12));
    coll_layout[INTS][0] = coll_layout[INTS][1] = u32;
    coll_layout[INTS][2] = wide;
    coll_layout[LONGS][0] = coll_layout[LONGS][1] = coll_layout[LONGS][2] = &presto_type_int64;
    coll_layout[DOUBLES][0] = coll_layout[DOUBLES][1] = coll_layout[DOUBLES][2] =
        &presto_type_double;
    coll_layout[PLACES][0] = coll_layout[PLACES][1] = coll_layout[PLACES][2] =
        &presto_type_double_int;
    coll_layout[MAPS][0] = made(pri_type_new_contiguous(2, u32));
    coll_layout[MAPS][1] = spaced;
    coll_layout[MAPS][2] = swapped;
    coll_layout[MIXED][0] = made(pri_type_new_contiguous(3, u32));
    coll_layout[MIXED][1] = mixed;
    coll_layout[MIXED][2] = made(pri_type_new_vector(3, 1, 2, u32));
    compose = pri_op_new(compose_user, NULL, false);
    add_user = pri_op_new(add_ints_user, NULL, true);
    return wide != NULL && coll_layout[MAPS][0] != NULL && coll_layout[MIXED][0] != NULL &&
           coll_layout[MIXED][2] != NULL && compose != NULL && add_user != NULL;
}

void coll_cases_end(void)
{
    pri_type_release(coll_layout[INTS][2]);
    for (int i = 0; i < 3; i++) {
        pri_type_release(coll_layout[MAPS][i]);
        pri_type_release(coll_layout[MIXED][i]);
    }
    pri_op_release(compose);
    pri_op_release(add_user);
}

enum coll_family coll_operation_layout(int number)
{
    static const enum coll_family of[OPERATIONS] = {INTS, INTS, INTS, LONGS, DOUBLES, PLACES, MAPS};

    return of[number];
}

struct pri_op *coll_operation(int number)
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
void coll_operate(int number, const char *left, char *right)
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

/* A layout of c's data, for one side. */
struct pri_type *coll_another_layout(const struct coll_case *c, uint64_t *seed)
{
    for (int f = 0; f < FAMILIES; f++) {
        for (int i = 0; i < 3; i++) {
            if (coll_layout[f][i] == c->type) {
                return coll_layout[f][coll_random(seed, 3)];
            }
        }
    }
    return c->type;
}
