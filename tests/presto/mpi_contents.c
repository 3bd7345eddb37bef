/* SPDX-License-Identifier: BSD-3-Clause */
/* What a type of each combiner says of how it was made: the numbers, in their order, and the types;
 * and how its basic elements are counted. A plain MPI program for any number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

struct contents {
    int integers, addresses, types, combiner;
    int integer[MOST];
    MPI_Aint address[MOST];
    MPI_Datatype type[MOST];
};

static int rank, checks;

#define EXPECT(condition)                                                                    \
    do {                                                                                     \
        checks++;                                                                            \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "mpi_contents.c:%d: rank %d: %s\n", __LINE__, rank, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                    \
        }                                                                                    \
    } while (0)

#define INTS(...) ((const int[]){__VA_ARGS__}), (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))
#define AINTS(...) \
    ((const MPI_Aint[]){__VA_ARGS__}), (int)(sizeof((MPI_Aint[]){__VA_ARGS__}) / sizeof(MPI_Aint))
#define NO_AINTS NULL, 0

/* The type was made of these, and of MPI_INT or, of two types, MPI_INT and MPI_DOUBLE. It is freed.
 */
static void made_of(MPI_Datatype type, int combiner, const int *integer, int integers,
                    const MPI_Aint *address, int addresses, int types)
{
    struct contents c;
    MPI_Type_get_envelope(type, &c.integers, &c.addresses, &c.types, &c.combiner);
    EXPECT(c.combiner == combiner);
    EXPECT(c.integers == integers && c.addresses == addresses && c.types == types);
    MPI_Type_get_contents(type, MOST, MOST, MOST, c.integer, c.address, c.type);
    EXPECT(integers == 0 || memcmp(c.integer, integer, (size_t)integers * sizeof(int)) == 0);
    EXPECT(addresses == 0 || memcmp(c.address, address, (size_t)addresses * sizeof(*address)) == 0);
    EXPECT(c.type[0] == MPI_INT && (types < 2 || c.type[1] == MPI_DOUBLE));
    /* Room for one less of any is not enough. */
    if (integers > 0) {
        EXPECT(MPI_Type_get_contents(type, integers - 1, MOST, MOST, c.integer, c.address,
                                     c.type) != MPI_SUCCESS);
    }
    if (addresses > 0) {
        EXPECT(MPI_Type_get_contents(type, MOST, addresses - 1, MOST, c.integer, c.address,
                                     c.type) != MPI_SUCCESS);
    }
    EXPECT(MPI_Type_get_contents(type, MOST, MOST, types - 1, c.integer, c.address, c.type) !=
           MPI_SUCCESS);
    EXPECT(MPI_Type_get_contents(type, integers, addresses, types, c.integer, c.address, c.type) ==
           MPI_SUCCESS);
    MPI_Type_free(&type);
    EXPECT(type == MPI_DATATYPE_NULL);
}

static void regular(void)
{
    MPI_Datatype type;
    MPI_Type_dup(MPI_INT, &type);
    made_of(type, MPI_COMBINER_DUP, NULL, 0, NO_AINTS, 1);
    MPI_Type_contiguous(3, MPI_INT, &type);
    made_of(type, MPI_COMBINER_CONTIGUOUS, INTS(3), NO_AINTS, 1);
    MPI_Type_vector(3, 2, 4, MPI_INT, &type);
    made_of(type, MPI_COMBINER_VECTOR, INTS(3, 2, 4), NO_AINTS, 1);
    MPI_Type_create_hvector(3, 2, 40, MPI_INT, &type);
    made_of(type, MPI_COMBINER_HVECTOR, INTS(3, 2), AINTS(40), 1);
    MPI_Type_create_resized(MPI_INT, -8, 32, &type);
    made_of(type, MPI_COMBINER_RESIZED, NULL, 0, AINTS(-8, 32), 1);
}

static void lists(void)
{
    const int lengths[] = {2, 1, 3}, at[] = {0, 5, 9};
    const MPI_Aint bytes[] = {0, 24, 64};
    const MPI_Datatype both[] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype type;
    MPI_Type_indexed(3, lengths, at, MPI_INT, &type);
    made_of(type, MPI_COMBINER_INDEXED, INTS(3, 2, 1, 3, 0, 5, 9), NO_AINTS, 1);
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type);
    made_of(type, MPI_COMBINER_HINDEXED, INTS(3, 2, 1, 3), AINTS(0, 24, 64), 1);
    MPI_Type_create_indexed_block(3, 2, at, MPI_INT, &type);
    made_of(type, MPI_COMBINER_INDEXED_BLOCK, INTS(3, 2, 0, 5, 9), NO_AINTS, 1);
    MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type);
    made_of(type, MPI_COMBINER_HINDEXED_BLOCK, INTS(3, 2), AINTS(0, 24, 64), 1);
    MPI_Type_create_struct(2, lengths, bytes, both, &type);
    made_of(type, MPI_COMBINER_STRUCT, INTS(2, 2, 1), AINTS(0, 24), 2);
}

static void arrays(void)
{
    const int sizes[] = {6, 8}, parts[] = {2, 3}, starts[] = {1, 4};
    const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {2, 2};
    MPI_Datatype type;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
    made_of(type, MPI_COMBINER_SUBARRAY, INTS(2, 6, 8, 2, 3, 1, 4, MPI_ORDER_C), NO_AINTS, 1);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
    made_of(type, MPI_COMBINER_SUBARRAY, INTS(2, 6, 8, 2, 3, 1, 4, MPI_ORDER_FORTRAN), NO_AINTS, 1);
    MPI_Type_create_darray(4, 3, 2, sizes, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &type);
    made_of(type, MPI_COMBINER_DARRAY,
            INTS(4, 3, 2, 6, 8, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC,
                 MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 2, MPI_ORDER_C),
            NO_AINTS, 1);
}

/* A type that is given is another reference to it: it can be used when the outer one is gone, and
 * the outer one when it is. */
static void references(void)
{
    MPI_Datatype inner, outer, given;
    int bytes;
    MPI_Type_contiguous(3, MPI_INT, &inner);
    MPI_Type_contiguous(2, inner, &outer);
    MPI_Type_free(&inner);
    MPI_Type_get_contents(outer, 1, 0, 1, &bytes, NULL, &given);
    MPI_Type_free(&outer);
    MPI_Type_size(given, &bytes);
    EXPECT(bytes == 3 * (int)sizeof(int));
    MPI_Type_free(&given);
}

/* Each number of basic elements, up to those of three of the type, is what a status holds that was
 * told it. */
static void counted(MPI_Datatype type, int per_type, int size)
{
    for (int i = 0; i <= 3 * per_type; i++) {
        MPI_Status status;
        int elements, count;
        memset(&status, 0, sizeof(status));
        EXPECT(MPI_Status_set_elements(&status, type, i) == MPI_SUCCESS);
        MPI_Get_elements(&status, type, &elements);
        MPI_Get_count(&status, type, &count);
        EXPECT(elements == i);
        EXPECT(count == (i % per_type == 0 ? i / per_type : MPI_UNDEFINED));
        MPI_Get_count(&status, MPI_BYTE, &count);
        EXPECT(i % per_type != 0 || count == i / per_type * size);
    }
}

static void elements(void)
{
    const int lengths[] = {3, 2, 1};
    const MPI_Aint bytes[] = {0, 16, 64};
    MPI_Datatype mixed, holey, types[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE_INT};
    counted(MPI_SHORT, 1, sizeof(short));
    counted(MPI_DOUBLE_INT, 2, sizeof(double) + sizeof(int));
    MPI_Type_create_struct(3, lengths, bytes, types, &mixed);
    MPI_Type_commit(&mixed);
    MPI_Type_vector(2, 1, 2, mixed, &holey);
    MPI_Type_commit(&holey);
    counted(mixed, 7, 3 + 2 * sizeof(int) + sizeof(double) + sizeof(int));
    counted(holey, 14, 2 * (3 + 2 * sizeof(int) + sizeof(double) + sizeof(int)));
    MPI_Type_free(&mixed);
    MPI_Type_free(&holey);
}

/* A predefined type without a name, made of these numbers, of so many bytes. */
static void asked_for(MPI_Datatype type, int combiner, const int *integer, int integers, int size)
{
    struct contents c;
    int bytes, length, class;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Aint external;
    MPI_Datatype same = type;
    MPI_Type_get_envelope(type, &c.integers, &c.addresses, &c.types, &c.combiner);
    EXPECT(c.combiner == combiner);
    EXPECT(c.integers == integers && c.addresses == 0 && c.types == 0);
    MPI_Type_get_contents(type, integers, 0, 0, c.integer, c.address, c.type);
    EXPECT(memcmp(c.integer, integer, (size_t)integers * sizeof(int)) == 0);
    MPI_Type_size(type, &bytes);
    EXPECT(bytes == size);
    MPI_Type_get_name(type, name, &length);
    EXPECT(length == 0);
    EXPECT(MPI_Pack_external_size("external32", 3, type, &external) == MPI_SUCCESS);
    EXPECT(external == 3 * size);
    MPI_Error_class(MPI_Type_free(&same), &class);
    EXPECT(class == MPI_ERR_TYPE && same == type);
    EXPECT(MPI_Type_commit(&same) == MPI_SUCCESS && same == type);
    counted(type, 1, size);
}

/* There is no such number. */
static void refused(int code)
{
    int class;
    MPI_Error_class(code, &class);
    EXPECT(class == MPI_ERR_ARG);
}

static void of_fortran(void)
{
    const int none = MPI_UNDEFINED;
    MPI_Datatype type, again;
    MPI_Type_create_f90_real(6, 37, &type);
    asked_for(type, MPI_COMBINER_F90_REAL, INTS(6, 37), 4);
    MPI_Type_create_f90_real(6, 37, &again);
    EXPECT(again == type);
    MPI_Type_create_f90_real(6, 36, &again);
    EXPECT(again != type);
    MPI_Type_create_f90_real(7, none, &type);
    asked_for(type, MPI_COMBINER_F90_REAL, INTS(7, none), 8);
    MPI_Type_create_f90_real(none, 307, &type);
    asked_for(type, MPI_COMBINER_F90_REAL, INTS(none, 307), 8);
    MPI_Type_create_f90_real(33, 4931, &type);
    asked_for(type, MPI_COMBINER_F90_REAL, INTS(33, 4931), 16);
    MPI_Type_create_f90_complex(6, 37, &type);
    asked_for(type, MPI_COMBINER_F90_COMPLEX, INTS(6, 37), 8);
    MPI_Type_create_f90_complex(15, 307, &again);
    asked_for(again, MPI_COMBINER_F90_COMPLEX, INTS(15, 307), 16);
    const int digits[] = {0, 2, 3, 4, 5, 9, 10, 18, 19, 38},
              sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 16, 16};
    for (int i = 0; i < 10; i++) {
        MPI_Type_create_f90_integer(digits[i], &type);
        asked_for(type, MPI_COMBINER_F90_INTEGER, &digits[i], 1, sizes[i]);
    }
    refused(MPI_Type_create_f90_real(34, 10, &type));
    refused(MPI_Type_create_f90_real(6, 4932, &type));
    refused(MPI_Type_create_f90_real(none, none, &type));
    refused(MPI_Type_create_f90_real(-1, 10, &type));
    refused(MPI_Type_create_f90_complex(6, -2, &type));
    refused(MPI_Type_create_f90_integer(39, &type));
    refused(MPI_Type_create_f90_integer(none, &type));
}

/* They are sent and reduced as what they are, also as parts of other types. */
static void used(void)
{
    double in[4] = {rank + 1, rank + 2, rank + 3, rank + 4}, out[4] = {-1, -1, -1, -1};
    int size, last;
    MPI_Datatype real, pair, copy;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = (rank + size - 1) % size;
    MPI_Type_create_f90_real(15, 307, &real);
    MPI_Allreduce(in, out, 2, real, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(out[1] - out[0] == size);
    MPI_Type_vector(2, 1, 2, real, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_dup(real, &copy);
    MPI_Sendrecv(in, 1, pair, (rank + 1) % size, 0, out, 2, copy, last, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT(out[0] == last + 1 && out[1] == last + 3);
    MPI_Type_free(&pair);
    MPI_Type_free(&copy);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    regular();
    lists();
    arrays();
    references();
    elements();
    of_fortran();
    used();
    if (rank == 0) {
        printf("MT-OK mpi_contents checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
