/* SPDX-License-Identifier: BSD-3-Clause */
/* The half in C of mixed.f90: takes handles from Fortran and gives handles to it, looks at each
 * other's attributes, operations and statuses. Returns the line of what is wrong, or 0. */
#include <mpi.h>

int half_takes_(MPI_Fint *comm, MPI_Fint *type, MPI_Fint *op, MPI_Fint *status, int *keyval);
int half_gives_(MPI_Fint *comm, MPI_Fint *type, MPI_Fint *request, int *got, int *keyval);
int half_ends_(MPI_Fint *comm, MPI_Fint *type);
int half_counts_(void);
int half_ignores_(MPI_Fint *one, MPI_Fint *all, MPI_Fint *status);

#define EXPECT(condition)    \
    do {                     \
        if (!(condition)) {  \
            return __LINE__; \
        }                    \
    } while (0)

/* Of the application's own, which the profiling interface passes by. */
static int sets;

int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    sets++;
    return PMPI_Comm_set_attr(comm, keyval, value);
}

int half_counts_(void)
{
    return sets;
}

/* What Fortran means by no status is known here. */
int half_ignores_(MPI_Fint *one, MPI_Fint *all, MPI_Fint *status)
{
    EXPECT(one == MPI_F_STATUS_IGNORE && all == MPI_F_STATUSES_IGNORE);
    EXPECT(status != MPI_F_STATUS_IGNORE && status != MPI_F_STATUSES_IGNORE);
    return 0;
}

static int value_of_c = 77;

int half_takes_(MPI_Fint *comm, MPI_Fint *type, MPI_Fint *op, MPI_Fint *status, int *keyval)
{
    MPI_Comm c = MPI_Comm_f2c(*comm), copy;
    MPI_Status s;
    int size, count, flag, in[2] = {1, -7}, *set;
    MPI_Aint *number;
    EXPECT(c != MPI_COMM_NULL && MPI_Comm_c2f(c) == *comm);
    MPI_Type_size(MPI_Type_f2c(*type), &size);
    EXPECT(size == 2 * (int)sizeof(int));
    /* Fortran's function is called with the number of the datatype. */
    int out[2] = {-3, 4};
    MPI_Reduce_local(in, out, 2, MPI_INT, MPI_Op_f2c(*op));
    EXPECT(out[0] == -3 && out[1] == -7);
    EXPECT(MPI_Status_f2c(status, &s) == MPI_SUCCESS);
    MPI_Get_count(&s, MPI_INT, &count);
    EXPECT(count == 2 && s.MPI_TAG == 5);
    /* What Fortran has set is a number, and C gets its address; also of a copy. */
    MPI_Comm_get_attr(c, *keyval, &number, &flag);
    EXPECT(flag && *number == -12345678901);
    MPI_Comm_dup(c, &copy);
    MPI_Comm_get_attr(copy, *keyval, &number, &flag);
    EXPECT(flag && *number == -12345678901);
    MPI_Comm_free(&copy);
    MPI_Comm_set_attr(c, *keyval, &value_of_c);
    MPI_Comm_get_attr(c, *keyval, &set, &flag);
    EXPECT(flag && *set == 77);
    EXPECT(MPI_Comm_f2c(1) == MPI_COMM_WORLD && MPI_Comm_f2c(0) == MPI_COMM_NULL);
    EXPECT(MPI_Comm_f2c(123456) == MPI_COMM_NULL && MPI_Type_f2c(1) == MPI_DATATYPE_NULL);
    return 0;
}

int half_gives_(MPI_Fint *comm, MPI_Fint *type, MPI_Fint *request, int *got, int *keyval)
{
    MPI_Comm c;
    MPI_Datatype t;
    MPI_Request r;
    int *numbers;
    MPI_Comm_dup(MPI_COMM_SELF, &c);
    MPI_Type_contiguous(3, MPI_DOUBLE, &t);
    MPI_Irecv(got, 1, MPI_INT, 0, 3, c, &r);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, NULL);
    numbers = &value_of_c;
    MPI_Comm_set_attr(c, *keyval, numbers);
    *comm = MPI_Comm_c2f(c);
    *type = MPI_Type_c2f(t);
    *request = MPI_Request_c2f(r);
    return 0;
}

/* Fortran has freed neither. */
int half_ends_(MPI_Fint *comm, MPI_Fint *type)
{
    MPI_Comm c = MPI_Comm_f2c(*comm);
    MPI_Datatype t = MPI_Type_f2c(*type);
    EXPECT(MPI_Comm_free(&c) == MPI_SUCCESS && MPI_Type_free(&t) == MPI_SUCCESS);
    return 0;
}
