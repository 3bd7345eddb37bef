/* SPDX-License-Identifier: BSD-3-Clause */
/* Subroutines whose meaning in Fortran is another than in C: start, attributes, functions that are
 * given to MPI. Included where NAME and CALL say what they are called and what they call. */

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

/* ---- functions that are given to MPI ---- */

#define CREATES_HANDLER(lower, name, type)                                             \
    void NAME(lower)(prf_function function, MPI_Fint * errhandler, MPI_Fint * ierror); \
    void NAME(lower)(prf_function function, MPI_Fint * errhandler, MPI_Fint * ierror)  \
    {                                                                                  \
        MPI_Errhandler errhandler_c = NULL;                                            \
        int code = CALL(name)((type *)function, &errhandler_c);                        \
        if (code == MPI_SUCCESS) {                                                     \
            presto_fortran_errhandler(errhandler_c);                                   \
        }                                                                              \
        HANDLE_OUT(Errhandler, errhandler);                                            \
        END(code);                                                                     \
    }
CREATES_HANDLER(errhandler_create, Comm_create_errhandler, MPI_Comm_errhandler_function)
CREATES_HANDLER(comm_create_errhandler, Comm_create_errhandler, MPI_Comm_errhandler_function)
CREATES_HANDLER(win_create_errhandler, Win_create_errhandler, MPI_Win_errhandler_function)
CREATES_HANDLER(file_create_errhandler, File_create_errhandler, MPI_File_errhandler_function)
#undef CREATES_HANDLER

void NAME(op_create)(prf_function function, MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror);
void NAME(op_create)(prf_function function, MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror)
{
    MPI_Op op_c = NULL;
    int code = CALL(Op_create)((MPI_User_function *)function, *commute, &op_c);
    if (code == MPI_SUCCESS) {
        presto_fortran_op(op_c);
        *op = MPI_Op_c2f(op_c);
    }
    END(code);
}

void NAME(op_create_c)(prf_function function, MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror);
void NAME(op_create_c)(prf_function function, MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror)
{
    MPI_Op op_c = NULL;
    int code = CALL(Op_create_c)((MPI_User_function_c *)function, *commute, &op_c);
    if (code == MPI_SUCCESS) {
        presto_fortran_op(op_c);
        *op = MPI_Op_c2f(op_c);
    }
    END(code);
}

#define CREATES_KEYVAL(lower, name, object, language, extra_type)                            \
    void NAME(lower)(prf_function copy, prf_function release, MPI_Fint * keyval,             \
                     extra_type * extra, MPI_Fint * ierror);                                 \
    void NAME(lower)(prf_function copy, prf_function release, MPI_Fint * keyval,             \
                     extra_type * extra, MPI_Fint * ierror)                                  \
    {                                                                                        \
        int code = CALL(name)((MPI_##object##_copy_attr_function *)copy,                     \
                              (MPI_##object##_delete_attr_function *)release, keyval, NULL); \
        if (code == MPI_SUCCESS) {                                                           \
            presto_fortran_keyval(*keyval, language, *extra);                                \
        }                                                                                    \
        END(code);                                                                           \
    }
CREATES_KEYVAL(keyval_create, Comm_create_keyval, Comm, PRESTO_FORTRAN_OLD, MPI_Fint)
CREATES_KEYVAL(comm_create_keyval, Comm_create_keyval, Comm, PRESTO_FORTRAN, MPI_Aint)
CREATES_KEYVAL(type_create_keyval, Type_create_keyval, Type, PRESTO_FORTRAN, MPI_Aint)
CREATES_KEYVAL(win_create_keyval, Win_create_keyval, Win, PRESTO_FORTRAN, MPI_Aint)
#undef CREATES_KEYVAL

/* Attributes, as they are and as in MPI 1, where they are plain integers. */
#define ATTRIBUTES(set, get, kind, name, value_type)                                              \
    void NAME(set)(MPI_Fint * object, MPI_Fint * keyval, value_type * value, MPI_Fint * ierror);  \
    void NAME(set)(MPI_Fint * object, MPI_Fint * keyval, value_type * value, MPI_Fint * ierror)   \
    {                                                                                             \
        int code = presto_fortran_##kind##_set(CALL(name##_set_attr), kind##_in(object), *keyval, \
                                               *value);                                           \
        END(code);                                                                                \
    }                                                                                             \
    void NAME(get)(MPI_Fint * object, MPI_Fint * keyval, value_type * value, MPI_Fint * flag,     \
                   MPI_Fint * ierror);                                                            \
    void NAME(get)(MPI_Fint * object, MPI_Fint * keyval, value_type * value, MPI_Fint * flag,     \
                   MPI_Fint * ierror)                                                             \
    {                                                                                             \
        MPI_Aint number = 0;                                                                      \
        int code = presto_fortran_##kind##_get(CALL(name##_get_attr), kind##_in(object), *keyval, \
                                               &number, flag);                                    \
        if (code == MPI_SUCCESS && *flag) {                                                       \
            *value = (value_type)number;                                                          \
        }                                                                                         \
        END(code);                                                                                \
    }
ATTRIBUTES(attr_put, attr_get, comm, Comm, MPI_Fint)
ATTRIBUTES(comm_set_attr, comm_get_attr, comm, Comm, MPI_Aint)
ATTRIBUTES(type_set_attr, type_get_attr, type, Type, MPI_Aint)
ATTRIBUTES(win_set_attr, win_get_attr, win, Win, MPI_Aint)
#undef ATTRIBUTES

/* Given to MPI_Comm_create_keyval and its like. */
#define COPIES(object, value_type)                                                              \
    void NAME(object##null_copy_fn)(MPI_Fint * handle, MPI_Fint * keyval, value_type * extra,   \
                                    value_type * in, value_type * out, MPI_Fint * flag,         \
                                    MPI_Fint * ierror);                                         \
    void NAME(object##null_copy_fn)(MPI_Fint * handle, MPI_Fint * keyval, value_type * extra,   \
                                    value_type * in, value_type * out, MPI_Fint * flag,         \
                                    MPI_Fint * ierror)                                          \
    {                                                                                           \
        (void)handle, (void)keyval, (void)extra, (void)in, (void)out;                           \
        *flag = 0;                                                                              \
        END(MPI_SUCCESS);                                                                       \
    }                                                                                           \
    void NAME(object##dup_fn)(MPI_Fint * handle, MPI_Fint * keyval, value_type * extra,         \
                              value_type * in, value_type * out, MPI_Fint * flag,               \
                              MPI_Fint * ierror);                                               \
    void NAME(object##dup_fn)(MPI_Fint * handle, MPI_Fint * keyval, value_type * extra,         \
                              value_type * in, value_type * out, MPI_Fint * flag,               \
                              MPI_Fint * ierror)                                                \
    {                                                                                           \
        (void)handle, (void)keyval, (void)extra;                                                \
        *out = *in;                                                                             \
        *flag = 1;                                                                              \
        END(MPI_SUCCESS);                                                                       \
    }                                                                                           \
    void NAME(object##null_delete_fn)(MPI_Fint * handle, MPI_Fint * keyval, value_type * value, \
                                      value_type * extra, MPI_Fint * ierror);                   \
    void NAME(object##null_delete_fn)(MPI_Fint * handle, MPI_Fint * keyval, value_type * value, \
                                      value_type * extra, MPI_Fint * ierror)                    \
    {                                                                                           \
        (void)handle, (void)keyval, (void)value, (void)extra;                                   \
        END(MPI_SUCCESS);                                                                       \
    }
COPIES(, MPI_Fint)
COPIES(comm_, MPI_Aint)
COPIES(type_, MPI_Aint)
COPIES(win_, MPI_Aint)
#undef COPIES

/* ---- requests that the application completes ---- */

struct NAME(general) {
    void (*query)(MPI_Aint *extra, MPI_Fint *status, MPI_Fint *ierror);
    void (*release)(MPI_Aint *extra, MPI_Fint *ierror);
    void (*cancel)(MPI_Aint *extra, MPI_Fint *complete, MPI_Fint *ierror);
    MPI_Aint extra;
};

static int query_general(void *state, MPI_Status *status)
{
    struct NAME(general) *general = state;
    MPI_Fint code = MPI_SUCCESS, words[MPI_F_STATUS_SIZE];
    memcpy(words, status, sizeof(*status));
    general->query(&general->extra, words, &code);
    memcpy(status, words, sizeof(*status));
    return code;
}

static int release_general(void *state)
{
    struct NAME(general) *general = state;
    MPI_Fint code = MPI_SUCCESS;
    general->release(&general->extra, &code);
    free(general);
    return code;
}

static int cancel_general(void *state, int complete)
{
    struct NAME(general) *general = state;
    MPI_Fint code = MPI_SUCCESS, flag = complete != 0;
    general->cancel(&general->extra, &flag, &code);
    return code;
}

void NAME(grequest_start)(prf_function query, prf_function release, prf_function cancel,
                          MPI_Aint *extra, MPI_Fint *request, MPI_Fint *ierror);
void NAME(grequest_start)(prf_function query, prf_function release, prf_function cancel,
                          MPI_Aint *extra, MPI_Fint *request, MPI_Fint *ierror)
{
    struct NAME(general) *general = prf_room(1, sizeof(*general));
    MPI_Request request_c = NULL;
    general->query = (void (*)(MPI_Aint *, MPI_Fint *, MPI_Fint *))query;
    general->release = (void (*)(MPI_Aint *, MPI_Fint *))release;
    general->cancel = (void (*)(MPI_Aint *, MPI_Fint *, MPI_Fint *))cancel;
    general->extra = *extra;
    int code =
        CALL(Grequest_start)(query_general, release_general, cancel_general, general, &request_c);
    if (code != MPI_SUCCESS) {
        free(general);
    }
    HANDLE_OUT(Request, request);
    END(code);
}

/* ---- representations of data in files ---- */

/* What is registered stays as long as MPI does. */
struct NAME(datarep) {
    prf_function read, write, extent;
    MPI_Aint extra;
};

static int extent_of_datarep(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    struct NAME(datarep) *rep = state;
    MPI_Fint number = MPI_Type_c2f(type), code = MPI_SUCCESS;
    ((void (*)(MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Fint *))rep->extent)(&number, extent,
                                                                            &rep->extra, &code);
    return code;
}

#define CONVERTS(name, direction, count_type)                                          \
    static int name(void *user, MPI_Datatype type, count_type count, void *file,       \
                    MPI_Offset position, void *state)                                  \
    {                                                                                  \
        struct NAME(datarep) *rep = state;                                             \
        MPI_Fint number = MPI_Type_c2f(type), code = MPI_SUCCESS;                      \
        ((void (*)(void *, MPI_Fint *, count_type *, void *, MPI_Offset *, MPI_Aint *, \
                   MPI_Fint *))rep->direction)(user, &number, &count, file, &position, \
                                               &rep->extra, &code);                    \
        return code;                                                                   \
    }
CONVERTS(read_datarep, read, int)
CONVERTS(write_datarep, write, int)
CONVERTS(read_datarep_c, read, MPI_Count)
CONVERTS(write_datarep_c, write, MPI_Count)
#undef CONVERTS

#ifdef PRF_HAS_NULLS
PRF_NULL_CONVERSION(PRF_NULL(conversion_fn_null))
PRF_NULL_CONVERSION(PRF_NULL(conversion_fn_null_c))
#else
/* Weak: the object that has them is not linked for these. */
__attribute__((weak)) void PRF_NULL(conversion_fn_null)(void);
__attribute__((weak)) void PRF_NULL(conversion_fn_null_c)(void);
#endif

#define REGISTERS(lower, name, suffix)                                                             \
    void NAME(lower)(char *datarep, prf_function read, prf_function write, prf_function extent,    \
                     MPI_Aint *extra, MPI_Fint *ierror, size_t datarep_length)                     \
    {                                                                                              \
        struct NAME(datarep) *rep = prf_room(1, sizeof(*rep));                                     \
        char *datarep_c = prf_string(datarep, datarep_length, false);                              \
        *rep = (struct NAME(datarep)){read, write, extent, *extra};                                \
        int code = CALL(name)(                                                                     \
            datarep_c, read == PRF_NULL(conversion_fn_null##suffix) ? NULL : read_datarep##suffix, \
            write == PRF_NULL(conversion_fn_null##suffix) ? NULL : write_datarep##suffix,          \
            extent_of_datarep, rep);                                                               \
        if (code != MPI_SUCCESS) {                                                                 \
            free(rep);                                                                             \
        }                                                                                          \
        free(datarep_c);                                                                           \
        END(code);                                                                                 \
    }
REGISTERS(register_datarep, Register_datarep, )
REGISTERS(register_datarep_c, Register_datarep_c, _c)
#undef REGISTERS

/* How many bytes a variable has, or an element of an array; any rank and type. */
void NAME_D(sizeof)(CFI_cdesc_t *x, MPI_Fint *size, MPI_Fint *ierror);
void NAME_D(sizeof)(CFI_cdesc_t *x, MPI_Fint *size, MPI_Fint *ierror)
{
    *size = (MPI_Fint)x->elem_len;
    END(MPI_SUCCESS);
}
