/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes as Fortran sets and gets them: numbers. */
#include "mpi/number.h"
#include "mpi/win.h"

void presto_fortran_keyval(int keyval, enum presto_language language, MPI_Aint extra)
{
    pri_keyval_fortran(pri_mpi(), keyval, language, extra);
}

/* What C's pointer is in Fortran: a number that somebody else has, or the address itself. */
static MPI_Aint number_at(const void *value, bool is_int)
{
    return is_int ? *(const int *)value : (MPI_Aint)value;
}

int presto_fortran_comm_set(int (*set)(MPI_Comm, int, void *), MPI_Comm comm, int keyval,
                            MPI_Aint number)
{
    int code = set(comm, keyval, NULL);
    if (code == MPI_SUCCESS) {
        pri_attr_fortran(pri_comm_of(comm)->attributes, keyval, number);
    }
    return code;
}

int presto_fortran_comm_get(int (*get)(MPI_Comm, int, void *, int *), MPI_Comm comm, int keyval,
                            MPI_Aint *number, int *flag)
{
    void *value = NULL;
    int code = get(comm, keyval, &value, flag);
    if (code == MPI_SUCCESS && *flag) {
        bool own = pri_attr_is_fortran(pri_comm_of(comm)->attributes, keyval);
        *number = own ? *(MPI_Aint *)value : number_at(value, keyval <= MPI_UNIVERSE_SIZE);
    }
    return code;
}

int presto_fortran_type_set(int (*set)(MPI_Datatype, int, void *), MPI_Datatype type, int keyval,
                            MPI_Aint number)
{
    int code = set(type, keyval, NULL);
    if (code == MPI_SUCCESS) {
        pri_attr_fortran(type->attributes, keyval, number);
    }
    return code;
}

int presto_fortran_type_get(int (*get)(MPI_Datatype, int, void *, int *), MPI_Datatype type,
                            int keyval, MPI_Aint *number, int *flag)
{
    void *value = NULL;
    int code = get(type, keyval, &value, flag);
    if (code == MPI_SUCCESS && *flag) {
        bool own = pri_attr_is_fortran(type->attributes, keyval);
        *number = own ? *(MPI_Aint *)value : number_at(value, false);
    }
    return code;
}

int presto_fortran_win_set(int (*set)(MPI_Win, int, void *), MPI_Win win, int keyval,
                           MPI_Aint number)
{
    int code = set(win, keyval, NULL);
    if (code == MPI_SUCCESS) {
        pri_attr_fortran(win->attributes, keyval, number);
    }
    return code;
}

int presto_fortran_win_get(int (*get)(MPI_Win, int, void *, int *), MPI_Win win, int keyval,
                           MPI_Aint *number, int *flag)
{
    void *value = NULL;
    int code = get(win, keyval, &value, flag);
    if (code != MPI_SUCCESS || !*flag) {
        return code;
    }
    if (keyval == MPI_WIN_SIZE || pri_attr_is_fortran(win->attributes, keyval)) {
        *number = *(MPI_Aint *)value;
    } else {
        *number = number_at(value, keyval > MPI_WIN_SIZE && keyval <= MPI_WIN_MODEL);
    }
    return code;
}
