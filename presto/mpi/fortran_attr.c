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

int presto_fortran_comm_set(MPI_Comm comm, int keyval, MPI_Aint number)
{
    int code = MPI_Comm_set_attr(comm, keyval, NULL);
    if (code == MPI_SUCCESS) {
        pri_attr_fortran(pri_comm_of(comm)->attributes, keyval, number);
    }
    return code;
}

int presto_fortran_comm_get(MPI_Comm comm, int keyval, MPI_Aint *number, int *flag)
{
    void *value = NULL;
    int code = MPI_Comm_get_attr(comm, keyval, &value, flag);
    if (code == MPI_SUCCESS && *flag) {
        bool own = pri_attr_is_fortran(pri_comm_of(comm)->attributes, keyval);
        *number = own ? *(MPI_Aint *)value : number_at(value, keyval <= MPI_UNIVERSE_SIZE);
    }
    return code;
}

int presto_fortran_type_set(MPI_Datatype type, int keyval, MPI_Aint number)
{
    int code = MPI_Type_set_attr(type, keyval, NULL);
    if (code == MPI_SUCCESS) {
        pri_attr_fortran(type->attributes, keyval, number);
    }
    return code;
}

int presto_fortran_type_get(MPI_Datatype type, int keyval, MPI_Aint *number, int *flag)
{
    void *value = NULL;
    int code = MPI_Type_get_attr(type, keyval, &value, flag);
    if (code == MPI_SUCCESS && *flag) {
        bool own = pri_attr_is_fortran(type->attributes, keyval);
        *number = own ? *(MPI_Aint *)value : number_at(value, false);
    }
    return code;
}

int presto_fortran_win_set(MPI_Win win, int keyval, MPI_Aint number)
{
    int code = MPI_Win_set_attr(win, keyval, NULL);
    if (code == MPI_SUCCESS) {
        pri_attr_fortran(win->attributes, keyval, number);
    }
    return code;
}

int presto_fortran_win_get(MPI_Win win, int keyval, MPI_Aint *number, int *flag)
{
    void *value = NULL;
    int code = MPI_Win_get_attr(win, keyval, &value, flag);
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
