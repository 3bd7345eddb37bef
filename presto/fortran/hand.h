/* SPDX-License-Identifier: BSD-3-Clause */
/* Subroutines whose meaning in Fortran is another than in C: start, information, and those of
 * given.h. Included where NAME and CALL say what they are called and what they call. */

void NAME(init)(MPI_Fint *ierror);
void NAME(init)(MPI_Fint *ierror)
{
    int code = CALL(Init)(NULL, NULL);
    END(code);
}

void NAME(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror);
void NAME(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
{
    int code = CALL(Init_thread)(NULL, NULL, *required, provided);
    END(code);
}

void NAME(pcontrol)(MPI_Fint *level, MPI_Fint *ierror);
void NAME(pcontrol)(MPI_Fint *level, MPI_Fint *ierror)
{
    int code = CALL(Pcontrol)(*level);
    END(code);
}

double NAME(wtime)(void);
double NAME(wtime)(void)
{
    return CALL(Wtime)();
}

double NAME(wtick)(void);
double NAME(wtick)(void)
{
    return CALL(Wtick)();
}

MPI_Aint NAME(aint_add)(MPI_Aint *base, MPI_Aint *disp);
MPI_Aint NAME(aint_add)(MPI_Aint *base, MPI_Aint *disp)
{
    return CALL(Aint_add)(*base, *disp);
}

MPI_Aint NAME(aint_diff)(MPI_Aint *one, MPI_Aint *other);
MPI_Aint NAME(aint_diff)(MPI_Aint *one, MPI_Aint *other)
{
    return CALL(Aint_diff)(*one, *other);
}

/* MPI_BOTTOM is where addresses begin, wherever the variable lies. */
void NAME(get_address)(void *location, MPI_Aint *address, MPI_Fint *ierror);
void NAME(get_address)(void *location, MPI_Aint *address, MPI_Fint *ierror)
{
    int code = MPI_SUCCESS;
    if (location == &presto_fortran_places_.bottom) {
        *address = 0;
    } else {
        code = CALL(Get_address)(location, address);
    }
    END(code);
}

/* Where the buffer was says only mpi_f08. */
void NAME(buffer_detach)(void *buffer, MPI_Fint *size, MPI_Fint *ierror);
void NAME(buffer_detach)(void *buffer, MPI_Fint *size, MPI_Fint *ierror)
{
    void *base;
    (void)buffer;
    int code = CALL(Buffer_detach)(&base, size);
    END(code);
}

void NAME_D(buffer_detach)(void **buffer, MPI_Fint *size, MPI_Fint *ierror);
void NAME_D(buffer_detach)(void **buffer, MPI_Fint *size, MPI_Fint *ierror)
{
    int code = CALL(Buffer_detach)(buffer, size);
    END(code);
}

#ifndef PRF_PLAIN
void NAME(buffer_detach_c)(void *buffer, MPI_Count *size, MPI_Fint *ierror);
void NAME(buffer_detach_c)(void *buffer, MPI_Count *size, MPI_Fint *ierror)
{
    void *base;
    (void)buffer;
    int code = CALL(Buffer_detach_c)(&base, size);
    END(code);
}

void NAME_D(buffer_detach_c)(void **buffer, MPI_Count *size, MPI_Fint *ierror);
void NAME_D(buffer_detach_c)(void **buffer, MPI_Count *size, MPI_Fint *ierror)
{
    int code = CALL(Buffer_detach_c)(buffer, size);
    END(code);
}
#endif

/* The value stays as it was if there is no such key. */
void NAME(info_get)(MPI_Fint *info, char *key, MPI_Fint *valuelen, char *value, MPI_Fint *flag,
                    MPI_Fint *ierror, size_t key_length, size_t value_length)
{
    char *key_c = key_in(key, key_length), text[MPI_MAX_INFO_VAL] = "";
    int room = *valuelen < MPI_MAX_INFO_VAL ? *valuelen : MPI_MAX_INFO_VAL - 1;
    int code = CALL(Info_get)(info_in(info), key_c, room, text, flag);
    if (code == MPI_SUCCESS && *flag) {
        prf_string_out(value, value_length, text);
    }
    free(key_c);
    END(code);
}

/* buflen counts characters, without a 0 behind them. */
void NAME(info_get_string)(MPI_Fint *info, char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag,
                           MPI_Fint *ierror, size_t key_length, size_t value_length)
{
    char *key_c = key_in(key, key_length), text[MPI_MAX_INFO_VAL + 1] = "";
    const bool wanted = *buflen > 0;
    int room = *buflen < MPI_MAX_INFO_VAL ? *buflen + wanted : MPI_MAX_INFO_VAL + 1;
    int code = CALL(Info_get_string)(info_in(info), key_c, &room, text, flag);
    if (code == MPI_SUCCESS && *flag) {
        *buflen = room - 1;
        if (wanted) {
            prf_string_out(value, value_length, text);
        }
    }
    free(key_c);
    END(code);
}

/* Of 16 bytes C has another type, which also has operations. */
void NAME(type_match_size)(MPI_Fint *typeclass, MPI_Fint *size, MPI_Fint *newtype,
                           MPI_Fint *ierror);
void NAME(type_match_size)(MPI_Fint *typeclass, MPI_Fint *size, MPI_Fint *newtype, MPI_Fint *ierror)
{
    MPI_Datatype newtype_c = NULL;
    int code = MPI_SUCCESS;
    if (*typeclass == MPI_TYPECLASS_REAL && *size == 16) {
        newtype_c = MPI_REAL16;
    } else if (*typeclass == MPI_TYPECLASS_COMPLEX && *size == 32) {
        newtype_c = MPI_COMPLEX32;
    } else {
        code = CALL(Type_match_size)(*typeclass, *size, &newtype_c);
    }
    HANDLE_OUT(Type, newtype);
    END(code);
}

/* What the program was called with is known to C only. */
void NAME(info_create_env)(MPI_Fint *info, MPI_Fint *ierror);
void NAME(info_create_env)(MPI_Fint *info, MPI_Fint *ierror)
{
    MPI_Info info_c = NULL;
    int code = CALL(Info_create_env)(0, NULL, &info_c);
    HANDLE_OUT(Info, info);
    END(code);
}

#include "fortran/given.h"

/* How many bytes a variable has, or an element of an array; any rank and type. */
void NAME_D(sizeof)(CFI_cdesc_t *x, MPI_Fint *size, MPI_Fint *ierror);
void NAME_D(sizeof)(CFI_cdesc_t *x, MPI_Fint *size, MPI_Fint *ierror)
{
    *size = (MPI_Fint)x->elem_len;
    END(MPI_SUCCESS);
}
