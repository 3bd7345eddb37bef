/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: mpi/count.h mpi/types_array.c mpi/types_contents.c include/mpi/large.awk */
/* The functions with large counts. A plain MPI program for one or more ranks. */
#include "mpi_large.h"

#include <stdio.h>

int large_rank, large_size, large_checks;

void large_fail(const char *file, int line, const char *what, long long got, long long want)
{
    fprintf(stderr, "%s:%d: rank %d: %s: %lld instead of %lld\n", file, line, large_rank, what, got,
            want);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- how types are made, and what they say of it ---- */

static const MPI_Count far = 1LL << 33;

static void envelope(MPI_Datatype type, const MPI_Count want[4], int want_combiner)
{
    MPI_Count n[4];
    int combiner, none;
    OK(MPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner));
    for (int i = 0; i < 4; i++) {
        EQUAL(n[i], want[i]);
    }
    EQUAL(combiner, want_combiner);
    CLASS(MPI_Type_get_envelope(type, &none, &none, &none, &none), MPI_ERR_TYPE);
}

/* The contents have these large counts, and of types MPI_CHAR alone. */
static void contents(MPI_Datatype type, int integers, int larges, int types, const int *integer,
                     const MPI_Count *large)
{
    MPI_Count got[16];
    int got_int[16];
    MPI_Aint none[1];
    MPI_Datatype got_type[2];
    EQUAL(larges <= 16 && integers <= 16 && types <= 2, 1);
    OK(MPI_Type_get_contents_c(type, integers, 0, larges, types, got_int, none, got, got_type));
    CLASS(
        MPI_Type_get_contents_c(type, integers, 0, larges - 1, types, got_int, none, got, got_type),
        MPI_ERR_ARG);
    CLASS(MPI_Type_get_contents(type, 16, 1, 2, got_int, none, got_type), MPI_ERR_TYPE);
    for (int i = 0; i < integers; i++) {
        EQUAL(got_int[i], integer[i]);
    }
    for (int i = 0; i < larges; i++) {
        EQUAL(got[i], large[i]);
    }
    for (int i = 0; i < types; i++) {
        EQUAL(got_type[i] == MPI_CHAR, 1);
    }
}

static void measure(MPI_Datatype *type, MPI_Count want_size, MPI_Count want_lb,
                    MPI_Count want_extent)
{
    MPI_Count size, lb, extent, true_lb, true_extent;
    int small;
    OK(MPI_Type_commit(type));
    OK(MPI_Type_size_c(*type, &size));
    OK(MPI_Type_get_extent_c(*type, &lb, &extent));
    OK(MPI_Type_get_true_extent_c(*type, &true_lb, &true_extent));
    EQUAL(size, want_size);
    EQUAL(lb, want_lb);
    EQUAL(extent, want_extent);
    EQUAL(true_extent <= extent || extent == 0, 1);
    OK(MPI_Type_size(*type, &small));
    EQUAL(small, size > 0x7fffffff ? MPI_UNDEFINED : (int)size);
    OK(MPI_Type_free(type));
}

static void plain_types(void)
{
    MPI_Datatype type;
    OK(MPI_Type_contiguous_c(far, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){0, 0, 1, 1}, MPI_COMBINER_CONTIGUOUS);
    contents(type, 0, 1, 1, NULL, (MPI_Count[]){far});
    measure(&type, far, 0, far);
    OK(MPI_Type_vector_c(3, 2, far, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){0, 0, 3, 1}, MPI_COMBINER_VECTOR);
    contents(type, 0, 3, 1, NULL, (MPI_Count[]){3, 2, far});
    measure(&type, 6, 0, 2 * far + 2);
    OK(MPI_Type_create_hvector_c(far, 1, 2, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){0, 0, 3, 1}, MPI_COMBINER_HVECTOR);
    contents(type, 0, 3, 1, NULL, (MPI_Count[]){far, 1, 2});
    measure(&type, far, 0, 2 * far - 1);
    OK(MPI_Type_create_resized_c(MPI_CHAR, -far, 3 * far, &type));
    envelope(type, (MPI_Count[]){0, 0, 2, 1}, MPI_COMBINER_RESIZED);
    contents(type, 0, 2, 1, NULL, (MPI_Count[]){-far, 3 * far});
    measure(&type, 1, -far, 3 * far);
    CLASS(MPI_Type_contiguous_c(-1, MPI_CHAR, &type), MPI_ERR_COUNT);
    CLASS(MPI_Type_vector_c(1, -1, 1, MPI_CHAR, &type), MPI_ERR_ARG);
    CLASS(MPI_Type_indexed_c(far, NULL, NULL, MPI_CHAR, &type), MPI_ERR_COUNT);
}

static void indexed_types(void)
{
    const MPI_Count length[2] = {1, far}, disp[2] = {far, 3 * far};
    const MPI_Datatype both[2] = {MPI_CHAR, MPI_CHAR};
    MPI_Datatype type;
    OK(MPI_Type_indexed_c(2, length, disp, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){0, 0, 5, 1}, MPI_COMBINER_INDEXED);
    contents(type, 0, 5, 1, NULL, (MPI_Count[]){2, 1, far, far, 3 * far});
    measure(&type, far + 1, far, 3 * far);
    OK(MPI_Type_create_hindexed_c(2, length, disp, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){0, 0, 5, 1}, MPI_COMBINER_HINDEXED);
    contents(type, 0, 5, 1, NULL, (MPI_Count[]){2, 1, far, far, 3 * far});
    measure(&type, far + 1, far, 3 * far);
    OK(MPI_Type_create_indexed_block_c(2, far, disp, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){0, 0, 4, 1}, MPI_COMBINER_INDEXED_BLOCK);
    contents(type, 0, 4, 1, NULL, (MPI_Count[]){2, far, far, 3 * far});
    measure(&type, 2 * far, far, 3 * far);
    OK(MPI_Type_create_hindexed_block_c(2, 4, disp, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){0, 0, 4, 1}, MPI_COMBINER_HINDEXED_BLOCK);
    contents(type, 0, 4, 1, NULL, (MPI_Count[]){2, 4, far, 3 * far});
    measure(&type, 8, far, 2 * far + 4);
    OK(MPI_Type_create_struct_c(2, length, disp, both, &type));
    envelope(type, (MPI_Count[]){0, 0, 5, 2}, MPI_COMBINER_STRUCT);
    contents(type, 0, 5, 2, NULL, (MPI_Count[]){2, 1, far, far, 3 * far});
    measure(&type, far + 1, far, 3 * far);
}

static void array_types(void)
{
    const MPI_Count sizes[2] = {far, 1 << 20}, parts[2] = {1 << 20, 1 << 19}, starts[2] = {5, 7};
    const int cyclic[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    const int dflt[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {4, 1};
    MPI_Datatype type;
    OK(MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){2, 0, 6, 1}, MPI_COMBINER_SUBARRAY);
    contents(type, 2, 6, 1, (int[]){2, MPI_ORDER_C},
             (MPI_Count[]){far, 1 << 20, 1 << 20, 1 << 19, 5, 7});
    measure(&type, 1LL << 39, 0, far << 20);
    OK(MPI_Type_create_darray_c(4, 1, 2, sizes, cyclic, dflt, grid, MPI_ORDER_C, MPI_CHAR, &type));
    envelope(type, (MPI_Count[]){10, 0, 2, 1}, MPI_COMBINER_DARRAY);
    contents(type, 10, 2, 1,
             (int[]){4, 1, 2, cyclic[0], cyclic[1], dflt[0], dflt[1], 4, 1, MPI_ORDER_C},
             (MPI_Count[]){far, 1 << 20});
    measure(&type, far / 4 << 20, 0, far << 20);
    CLASS(MPI_Type_create_subarray_c(2, parts, sizes, starts, MPI_ORDER_C, MPI_CHAR, &type),
          MPI_ERR_ARG);
}

/* The large functions know types that others made. */
static void other_types(void)
{
    MPI_Datatype type, of;
    MPI_Count n[4], none[1];
    MPI_Aint place;
    int combiner, integer[2];
    OK(MPI_Type_create_hvector(3, 4, 50, MPI_INT, &type));
    OK(MPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner));
    EQUAL(n[0] * 1000 + n[1] * 100 + n[2] * 10 + n[3], 2101);
    OK(MPI_Type_get_contents_c(type, 2, 1, 0, 1, integer, &place, none, &of));
    EQUAL(integer[0] * 10 + integer[1], 34);
    EQUAL(place, 50);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_get_envelope_c(MPI_INT, &n[0], &n[1], &n[2], &n[3], &combiner));
    EQUAL(n[0] + n[1] + n[2] + n[3], 0);
    EQUAL(combiner, MPI_COMBINER_NAMED);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &large_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &large_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    plain_types();
    indexed_types();
    array_types();
    other_types();
    large_few();
    large_many();
    MPI_Barrier(MPI_COMM_WORLD);
    if (large_rank == 0) {
        printf("MT-OK mpi_large checks=%d\n", large_checks);
    }
    MPI_Finalize();
    return 0;
}
