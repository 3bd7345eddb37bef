/* SPDX-License-Identifier: BSD-3-Clause */
/* Subroutines that give functions of Fortran to MPI: for errors, operations, attributes, requests,
 * data in files. Included by hand.h. */

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
