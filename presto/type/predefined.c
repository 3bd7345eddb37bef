/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/named.h"

#include <stddef.h>
#include <wchar.h>

/* The kind of an integer of a C type's width. */
#define PRI_INT(ctype)                     \
    (sizeof(ctype) == 1   ? PRI_KIND_INT8  \
     : sizeof(ctype) == 2 ? PRI_KIND_INT16 \
     : sizeof(ctype) == 4 ? PRI_KIND_INT32 \
                          : PRI_KIND_INT64)
#define PRI_UINT(ctype) (PRI_INT(ctype) + 1)

/* Numbers that C has nothing to count with: they travel, and no operation takes them. */
struct pri_half {
    _Alignas(2) unsigned char byte[2];
};
struct pri_half_pair {
    struct pri_half part[2];
};
struct pri_wide {
    _Alignas(16) unsigned char byte[16];
};
struct pri_wide_pair {
    struct pri_wide part[2];
};

/* A basic element is one block. */
#define X(symbol, text, ctype, kind_)                                                 \
    static const struct pri_loop symbol##_part = {.count = 1, .size = sizeof(ctype)}; \
    struct pri_type presto_type_##symbol = {.size = sizeof(ctype),                    \
                                            .extent = sizeof(ctype),                  \
                                            .true_extent = sizeof(ctype),             \
                                            .contiguous = true,                       \
                                            .predefined = true,                       \
                                            .committed = true,                        \
                                            .kind = kind_,                            \
                                            .align = _Alignof(ctype),                 \
                                            .unit = sizeof(ctype),                    \
                                            .elements = 1,                            \
                                            .parts = 1,                               \
                                            .part = &symbol##_part,                   \
                                            .name = text};
#include "type/predefined.h"
#undef X

/* A pair is a value and an index, maybe with a hole between or behind them. */
#define X(symbol, text, value, index, kind_)                                                    \
    struct pair_##symbol {                                                                      \
        value v;                                                                                \
        index i;                                                                                \
    };                                                                                          \
    static const struct pri_loop pair_##symbol##_part[] = {                                     \
        {.count = 1, .size = sizeof(value)},                                                    \
        {.count = 1,                                                                            \
         .size = sizeof(index),                                                                 \
         .disp = offsetof(struct pair_##symbol, i),                                             \
         .at = sizeof(value)}};                                                                 \
    static const struct pri_loop pair_##symbol##_one = {.count = 1,                             \
                                                        .size = sizeof(value) + sizeof(index)}; \
    struct pri_type presto_type_##symbol = {                                                    \
        .size = sizeof(value) + sizeof(index),                                                  \
        .extent = sizeof(struct pair_##symbol),                                                 \
        .true_extent = offsetof(struct pair_##symbol, i) + sizeof(index),                       \
        .contiguous = sizeof(value) + sizeof(index) == sizeof(struct pair_##symbol),            \
        .predefined = true,                                                                     \
        .committed = true,                                                                      \
        .kind = kind_,                                                                          \
        .align = _Alignof(struct pair_##symbol),                                                \
        .unit = sizeof(value) == sizeof(index) ? sizeof(value) : 0,                             \
        .elements = 2,                                                                          \
        .parts = offsetof(struct pair_##symbol, i) == sizeof(value) ? 1 : 2,                    \
        .part = offsetof(struct pair_##symbol, i) == sizeof(value) ? &pair_##symbol##_one       \
                                                                   : pair_##symbol##_part,      \
        .name = text};
#include "type/pairs.h"
#undef X

/* Marks of the bounds of structures, from the first MPI. */
struct pri_type presto_type_lb = {
    .predefined = true, .committed = true, .lb_marked = true, .align = 1, .name = "MPI_LB"};
struct pri_type presto_type_ub = {
    .predefined = true, .committed = true, .ub_marked = true, .align = 1, .name = "MPI_UB"};

#define X(symbol, ...) &presto_type_##symbol,
static struct pri_type *const named[] = {
#include "type/predefined.h"
#include "type/pairs.h"
    &presto_type_lb, &presto_type_ub};
#undef X

struct pri_type *pri_type_named(size_t index)
{
    return index < sizeof(named) / sizeof(named[0]) ? named[index] : NULL;
}

bool pri_type_pair_sizes(const struct pri_type *type, size_t size[2])
{
#define X(symbol, text, value, index, kind_) \
    if (type == &presto_type_##symbol) {     \
        size[0] = sizeof(value);             \
        size[1] = sizeof(index);             \
        return true;                         \
    }
#include "type/pairs.h"
#undef X
    return false;
}
