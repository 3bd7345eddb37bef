/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that are parts of arrays: their arguments are checked. */
#include "mpi/state.h"

#include <stdlib.h>

static int made(const char *function, struct pri_type *type, MPI_Datatype *out)
{
    if (type == NULL) {
        return pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
#ifdef PRI_LARGE
    type->recipe->large = true;
#endif
    *out = type;
    return MPI_SUCCESS;
}

/* What both have; MPI_SUCCESS: nothing is wrong. */
static int check(int dims, int order, const struct pri_type *old, const MPI_Datatype *out)
{
    if (old == NULL) {
        return pri_blame(MPI_ERR_TYPE, "it is MPI_DATATYPE_NULL");
    }
    if (dims < 1 || dims > PRI_TYPE_ENTRIES) {
        return pri_blame_value(MPI_ERR_ARG, "the number of dimensions", dims, 1, PRI_TYPE_ENTRIES);
    }
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
        return pri_blame(MPI_ERR_ARG, "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
    }
    return pri_no_place(out);
}

static void widen(long long *to, const pri_count *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static void widen_ints(long long *to, const int *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

int MPI_Type_create_subarray(int dims, const pri_count sizes[], const pri_count subsizes[],
                             const pri_count starts[], int order, MPI_Datatype old,
                             MPI_Datatype *type)
{
    int code = check(dims, order, old, type);
    for (int i = 0; code == MPI_SUCCESS && i < dims; i++) {
        if (subsizes[i] < 1 || sizes[i] < subsizes[i] || starts[i] < 0 ||
            starts[i] > sizes[i] - subsizes[i]) {
            code = MPI_ERR_ARG;
        }
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    const size_t n = (size_t)dims;
    long long *array = malloc(3 * n * sizeof(*array));
    struct pri_type *new = NULL;
    if (array != NULL) {
        widen(array, sizes, dims);
        widen(array + n, subsizes, dims);
        widen(array + 2 * n, starts, dims);
        new = pri_type_new_subarray(dims, array, array + n, array + 2 * n,
                                    order == MPI_ORDER_FORTRAN, old);
    }
    free(array);
    return made(__func__, new, type);
}
PRI_ALIAS(Type_create_subarray);

/* One dimension of an array that is dealt out. An MPI code. */
static int bad_deal(pri_count length, int kind, int argument, int processes)
{
    bool dflt = argument == MPI_DISTRIBUTE_DFLT_DARG;
    if (length < 1 || processes < 1 || (!dflt && argument < 1 && kind != MPI_DISTRIBUTE_NONE)) {
        return MPI_ERR_ARG;
    }
    if (kind == MPI_DISTRIBUTE_NONE) {
        return processes == 1 ? MPI_SUCCESS : MPI_ERR_ARG;
    }
    if (kind == MPI_DISTRIBUTE_BLOCK) {
        return dflt || (long long)argument * processes >= length ? MPI_SUCCESS : MPI_ERR_ARG;
    }
    return kind == MPI_DISTRIBUTE_CYCLIC ? MPI_SUCCESS : MPI_ERR_ARG;
}

int MPI_Type_create_darray(int size, int rank, int dims, const pri_count lengths[],
                           const int kinds[], const int arguments[], const int processes[],
                           int order, MPI_Datatype old, MPI_Datatype *type)
{
    long long product = 1;
    int code = check(dims, order, old, type);
    if (code == MPI_SUCCESS && (rank < 0 || rank >= size)) {
        code = pri_blame_value(MPI_ERR_ARG, "the rank", rank, 0, size - 1);
    }
    for (int i = 0; code == MPI_SUCCESS && i < dims && product <= size; i++) {
        code = bad_deal(lengths[i], kinds[i], arguments[i], processes[i]);
        product *= processes[i];
    }
    if (code == MPI_SUCCESS && product != size) {
        code = MPI_ERR_ARG;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    const size_t n = (size_t)dims;
    long long *array = malloc(4 * n * sizeof(*array));
    struct pri_type *new = NULL;
    if (array != NULL) {
        widen(array, lengths, dims);
        widen_ints(array + n, kinds, dims);
        widen_ints(array + 2 * n, arguments, dims);
        widen_ints(array + 3 * n, processes, dims);
        const struct pri_darray darray = {
            size,      rank,          dims,          array,
            array + n, array + 2 * n, array + 3 * n, order == MPI_ORDER_FORTRAN};
        new = pri_type_new_darray(&darray, old);
    }
    free(array);
    return made(__func__, new, type);
}
PRI_ALIAS(Type_create_darray);
