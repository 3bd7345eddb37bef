/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of Fortran's numbers by what they can hold (MPI 3.1, 17.1.9). */
#include "mpi/state.h"

_Static_assert((int)PRI_COMBINER_F90_REAL == MPI_COMBINER_F90_REAL &&
                   (int)PRI_COMBINER_F90_COMPLEX == MPI_COMBINER_F90_COMPLEX &&
                   (int)PRI_COMBINER_F90_INTEGER == MPI_COMBINER_F90_INTEGER,
               "the envelope has the same numbers");

static int create(const char *function, enum pri_combiner combiner, int precision, int range,
                  MPI_Datatype *out)
{
    struct pri_type *type;
    int code = pri_no_place(out);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, function, code);
    }
    if (!pri_type_f90(combiner, precision, range, MPI_UNDEFINED, &type)) {
        return pri_fail(NULL, function,
                        pri_blame(MPI_ERR_ARG, "no number has this precision and range; one of "
                                               "them may be MPI_UNDEFINED, none negative"));
    }
    if (type == NULL) {
        return pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
    *out = type;
    return MPI_SUCCESS;
}

int MPI_Type_create_f90_real(int precision, int range, MPI_Datatype *type)
{
    return create(__func__, PRI_COMBINER_F90_REAL, precision, range, type);
}
PRI_ALIAS(Type_create_f90_real);

int MPI_Type_create_f90_complex(int precision, int range, MPI_Datatype *type)
{
    return create(__func__, PRI_COMBINER_F90_COMPLEX, precision, range, type);
}
PRI_ALIAS(Type_create_f90_complex);

int MPI_Type_create_f90_integer(int range, MPI_Datatype *type)
{
    return create(__func__, PRI_COMBINER_F90_INTEGER, MPI_UNDEFINED, range, type);
}
PRI_ALIAS(Type_create_f90_integer);
