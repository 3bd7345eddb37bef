/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/rma.h"
#include "common/element.h"
#include "common/pattern.h"

/*
 * Put and get move a pattern. Accumulate, fetch-and-op and compare-and-swap compute: the target
 * holds the values of its own seed, the origin sends those of its seed, and both sides know the
 * result.
 */

static size_t pass(struct osu_rma *rma, int slot)
{
    (void)rma;
    (void)slot;
    return 0;
}

static long long value_of(const struct osu_rma *rma, int rank, int slot, int element)
{
    return osu_pattern_value(osu_rma_seed(rma, rank, slot), (size_t)element);
}

/* Put: the origin's pattern arrives in the window. */

static void put_issue(struct osu_rma *rma, int slot)
{
    MPI_Put(osu_rma_local(rma, slot), rma->count, rma->datatype, rma->window.peer,
            osu_rma_displacement(rma, slot), rma->count, rma->datatype, rma->window.win);
}

static void put_prepare_origin(struct osu_rma *rma, int slot)
{
    osu_pattern_fill(osu_rma_local(rma, slot), rma->run->size,
                     osu_rma_seed(rma, rma->window.rank, slot));
}

static void put_prepare_target(struct osu_rma *rma, int slot)
{
    osu_pattern_spoil(osu_rma_own(rma, slot), rma->run->size,
                      osu_rma_seed(rma, rma->window.peer, slot));
}

static size_t put_verify_target(struct osu_rma *rma, int slot)
{
    return osu_pattern_check(osu_rma_own(rma, slot), rma->run->size,
                             osu_rma_seed(rma, rma->window.peer, slot));
}

const struct osu_rma_op osu_rma_put = {.issue = put_issue,
                                       .prepare_origin = put_prepare_origin,
                                       .prepare_target = put_prepare_target,
                                       .verify_origin = pass,
                                       .verify_target = put_verify_target};

/* Get: the window's pattern arrives in the local buffer. */

static void get_issue(struct osu_rma *rma, int slot)
{
    MPI_Get(osu_rma_local(rma, slot), rma->count, rma->datatype, rma->window.peer,
            osu_rma_displacement(rma, slot), rma->count, rma->datatype, rma->window.win);
}

static void get_prepare_origin(struct osu_rma *rma, int slot)
{
    osu_pattern_spoil(osu_rma_local(rma, slot), rma->run->size,
                      osu_rma_seed(rma, rma->window.peer, slot));
}

static void get_prepare_target(struct osu_rma *rma, int slot)
{
    osu_pattern_fill(osu_rma_own(rma, slot), rma->run->size,
                     osu_rma_seed(rma, rma->window.rank, slot));
}

static size_t get_verify_origin(struct osu_rma *rma, int slot)
{
    return osu_pattern_check(osu_rma_local(rma, slot), rma->run->size,
                             osu_rma_seed(rma, rma->window.peer, slot));
}

const struct osu_rma_op osu_rma_get = {.issue = get_issue,
                                       .prepare_origin = get_prepare_origin,
                                       .prepare_target = get_prepare_target,
                                       .verify_origin = get_verify_origin,
                                       .verify_target = pass};

/* Accumulate: the window holds the sums. */

static void store_values(struct osu_rma *rma, void *array, int slot)
{
    for (int i = 0; i < rma->count; i++) {
        osu_element_store(array, (size_t)i, rma->run->options->type,
                          value_of(rma, rma->window.rank, slot, i));
    }
}

static void acc_issue(struct osu_rma *rma, int slot)
{
    MPI_Accumulate(osu_rma_local(rma, slot), rma->count, rma->datatype, rma->window.peer,
                   osu_rma_displacement(rma, slot), rma->count, rma->datatype, MPI_SUM,
                   rma->window.win);
}

static void acc_prepare_origin(struct osu_rma *rma, int slot)
{
    store_values(rma, osu_rma_local(rma, slot), slot);
}

static void acc_prepare_target(struct osu_rma *rma, int slot)
{
    store_values(rma, osu_rma_own(rma, slot), slot);
}

static size_t acc_verify_target(struct osu_rma *rma, int slot)
{
    size_t wrong = 0;
    for (int i = 0; i < rma->count; i++) {
        wrong += osu_element_check(osu_rma_own(rma, slot), (size_t)i, rma->run->options->type,
                                   value_of(rma, rma->window.rank, slot, i) +
                                       value_of(rma, rma->window.peer, slot, i));
    }
    return wrong;
}

const struct osu_rma_op osu_rma_accumulate = {.typed = true,
                                              .issue = acc_issue,
                                              .prepare_origin = acc_prepare_origin,
                                              .prepare_target = acc_prepare_target,
                                              .verify_origin = pass,
                                              .verify_target = acc_verify_target};

/* Fetch-and-op: the origin gets what the window held, the window holds the sum. */

static void fop_issue(struct osu_rma *rma, int slot)
{
    MPI_Fetch_and_op(&rma->operand[1], &rma->operand[0], rma->datatype, rma->window.peer,
                     osu_rma_displacement(rma, slot), MPI_SUM, rma->window.win);
}

static void atomic_prepare_target(struct osu_rma *rma, int slot)
{
    osu_element_store(osu_rma_own(rma, slot), 0, rma->run->options->type,
                      value_of(rma, rma->window.rank, slot, 0));
}

static void fop_prepare_origin(struct osu_rma *rma, int slot)
{
    enum osu_type type = rma->run->options->type;
    osu_element_store(&rma->operand[0], 0, type, value_of(rma, rma->window.peer, slot, 0) + 1);
    osu_element_store(&rma->operand[1], 0, type, value_of(rma, rma->window.rank, slot, 0));
}

static size_t atomic_verify_origin(struct osu_rma *rma, int slot)
{
    return osu_element_check(&rma->operand[0], 0, rma->run->options->type,
                             value_of(rma, rma->window.peer, slot, 0));
}

static size_t fop_verify_target(struct osu_rma *rma, int slot)
{
    return osu_element_check(osu_rma_own(rma, slot), 0, rma->run->options->type,
                             value_of(rma, rma->window.rank, slot, 0) +
                                 value_of(rma, rma->window.peer, slot, 0));
}

const struct osu_rma_op osu_rma_fetch_and_op = {.typed = true,
                                                .issue = fop_issue,
                                                .prepare_origin = fop_prepare_origin,
                                                .prepare_target = atomic_prepare_target,
                                                .verify_origin = atomic_verify_origin,
                                                .verify_target = fop_verify_target};

/* Compare-and-swap: each third comparison is made to fail, and must leave the window as it was. */

static bool swap_fits(const struct osu_rma *rma)
{
    return rma->round % 3 != 2;
}

/* What the swap writes: differs from the old value and from the one compared with. */
static long long swap_value(long long old)
{
    return old + 2;
}

static void cas_issue(struct osu_rma *rma, int slot)
{
    MPI_Compare_and_swap(&rma->operand[1], &rma->operand[2], &rma->operand[0], rma->datatype,
                         rma->window.peer, osu_rma_displacement(rma, slot), rma->window.win);
}

static void cas_prepare_origin(struct osu_rma *rma, int slot)
{
    enum osu_type type = rma->run->options->type;
    long long old = value_of(rma, rma->window.peer, slot, 0);

    osu_element_store(&rma->operand[0], 0, type, old + 1);
    osu_element_store(&rma->operand[1], 0, type, swap_value(old));
    osu_element_store(&rma->operand[2], 0, type, swap_fits(rma) ? old : old + 1);
}

static size_t cas_verify_target(struct osu_rma *rma, int slot)
{
    long long old = value_of(rma, rma->window.rank, slot, 0);
    return osu_element_check(osu_rma_own(rma, slot), 0, rma->run->options->type,
                             swap_fits(rma) ? swap_value(old) : old);
}

const struct osu_rma_op osu_rma_compare_and_swap = {.typed = true,
                                                    .issue = cas_issue,
                                                    .prepare_origin = cas_prepare_origin,
                                                    .prepare_target = atomic_prepare_target,
                                                    .verify_origin = atomic_verify_origin,
                                                    .verify_target = cas_verify_target};
