/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PRESTO_COLL_PARTS_H
#define TESTS_PRESTO_COLL_PARTS_H

/* What the makers of cases share; coll_cases.h is for tests. */

#include "coll_cases.h"

/* ---- coll_types.c ---------------------------------------------------------------------------- */

/* An element is packed as `units` numbers of 4 or 8 bytes. Layouts of equal data share a family. */
enum coll_family { INTS, LONGS, DOUBLES, PLACES, MAPS, MIXED, FAMILIES };

/* The operations of reductions: which data, and how to do it with packed elements. */
enum { ADD_INTS, XOR_INTS, USER_INTS, MAX_LONGS, ADD_DOUBLES, MAX_PLACES, COMPOSE, OPERATIONS };

extern struct pri_type *coll_layout[FAMILIES][3];

enum coll_family coll_operation_layout(int number);
struct pri_op *coll_operation(int number);
/* right = left op right, one packed element. */
void coll_operate(int number, const char *left, char *right);
/* A layout of c's data, for one side. */
struct pri_type *coll_another_layout(const struct coll_case *c, uint64_t *seed);

/* ---- coll_memory.c --------------------------------------------------------------------------- */

/* Memory that the caller frees; never NULL. */
void *coll_get(size_t bytes);
void coll_memory_elements(struct coll_memory *m, const struct pri_type *type, size_t count);
/* Element `first` on of what must be in the memory; with `now`, of what is in it, too. */
void coll_memory_put(struct coll_memory *m, struct pri_type *type, ptrdiff_t place, size_t count,
                     const char *packed, bool now);
/* Random packed elements; the caller frees them. */
char *coll_filled(struct pri_type *type, size_t count, uint64_t *seed);
size_t coll_random_count(uint64_t *seed);

/* ---- coll_reductions.c, coll_moves.c, coll_neighbors.c --------------------------------------- */

void coll_make_reduction(struct coll_case *c, uint64_t *seed);
int coll_start_reduction(struct coll_case *c, int r, struct pri_team *team,
                         struct pri_request *request);

bool coll_has_equal_parts(enum coll_kind kind);
bool coll_is_one_for_all(enum coll_kind kind);
/* Describes one side with a part for each of c->n ranks: in order, or with gaps. */
void coll_make_side(struct coll_case *c, int r, int side, bool gaps, uint64_t *seed);
ptrdiff_t coll_part_place(const struct coll_case *c, int r, int side, int i);
void coll_make_moves(struct coll_case *c, uint64_t *seed);
int coll_start_moves(struct coll_case *c, int r, struct pri_team *team,
                     struct pri_request *request);

void coll_make_neighborhood(struct coll_case *c, uint64_t *seed);
int coll_start_neighbors(struct coll_case *c, int r, struct pri_team *team,
                         struct pri_request *request);

#endif
