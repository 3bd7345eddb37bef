/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: the tool interface. */
#ifndef PRESTO_MPI_TOOL_H
#define PRESTO_MPI_TOOL_H

typedef const struct presto_tool_enum *MPI_T_enum;
typedef struct presto_tool_control *MPI_T_cvar_handle;
typedef struct presto_tool_variable *MPI_T_pvar_handle;
typedef struct presto_tool_session *MPI_T_pvar_session;

#define MPI_T_ENUM_NULL         ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL  ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL  ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)
#define MPI_T_PVAR_ALL_HANDLES  ((MPI_T_pvar_handle)1)

#define MPI_T_VERBOSITY_USER_BASIC     1
#define MPI_T_VERBOSITY_USER_DETAIL    2
#define MPI_T_VERBOSITY_USER_ALL       3
#define MPI_T_VERBOSITY_TUNER_BASIC    4
#define MPI_T_VERBOSITY_TUNER_DETAIL   5
#define MPI_T_VERBOSITY_TUNER_ALL      6
#define MPI_T_VERBOSITY_MPIDEV_BASIC   7
#define MPI_T_VERBOSITY_MPIDEV_DETAIL  8
#define MPI_T_VERBOSITY_MPIDEV_ALL     9
#define MPI_T_BIND_NO_OBJECT           0
#define MPI_T_BIND_MPI_COMM            1
#define MPI_T_BIND_MPI_DATATYPE        2
#define MPI_T_BIND_MPI_ERRHANDLER      3
#define MPI_T_BIND_MPI_FILE            4
#define MPI_T_BIND_MPI_GROUP           5
#define MPI_T_BIND_MPI_OP              6
#define MPI_T_BIND_MPI_REQUEST         7
#define MPI_T_BIND_MPI_WIN             8
#define MPI_T_BIND_MPI_MESSAGE         9
#define MPI_T_BIND_MPI_INFO            10
#define MPI_T_SCOPE_CONSTANT           0
#define MPI_T_SCOPE_READONLY           1
#define MPI_T_SCOPE_LOCAL              2
#define MPI_T_SCOPE_GROUP              3
#define MPI_T_SCOPE_GROUP_EQ           4
#define MPI_T_SCOPE_ALL                5
#define MPI_T_SCOPE_ALL_EQ             6
#define MPI_T_PVAR_CLASS_STATE         0
#define MPI_T_PVAR_CLASS_LEVEL         1
#define MPI_T_PVAR_CLASS_SIZE          2
#define MPI_T_PVAR_CLASS_PERCENTAGE    3
#define MPI_T_PVAR_CLASS_HIGHWATERMARK 4
#define MPI_T_PVAR_CLASS_LOWWATERMARK  5
#define MPI_T_PVAR_CLASS_COUNTER       6
#define MPI_T_PVAR_CLASS_AGGREGATE     7
#define MPI_T_PVAR_CLASS_TIMER         8
#define MPI_T_PVAR_CLASS_GENERIC       9

#define MPI_T_ERR_MEMORY            61
#define MPI_T_ERR_NOT_INITIALIZED   62
#define MPI_T_ERR_CANNOT_INIT       63
#define MPI_T_ERR_INVALID_INDEX     64
#define MPI_T_ERR_INVALID_ITEM      65
#define MPI_T_ERR_INVALID_HANDLE    66
#define MPI_T_ERR_OUT_OF_HANDLES    67
#define MPI_T_ERR_OUT_OF_SESSIONS   68
#define MPI_T_ERR_INVALID_SESSION   69
#define MPI_T_ERR_CVAR_SET_NOT_NOW  70
#define MPI_T_ERR_CVAR_SET_NEVER    71
#define MPI_T_ERR_PVAR_NO_STARTSTOP 72
#define MPI_T_ERR_PVAR_NO_WRITE     73
#define MPI_T_ERR_PVAR_NO_ATOMIC    74
#define MPI_T_ERR_INVALID_NAME      75
#define MPI_T_ERR_INVALID           76

PRESTO_FN(int, T_init_thread, (int required, int *provided));
PRESTO_FN(int, T_finalize, (void));

/* Of a text the length with its end is returned in *length, which is the room for it before; the
 * text may be NULL, or its length, where it is not wanted. */
PRESTO_FN(int, T_enum_get_info, (MPI_T_enum values, int *count, char *name, int *length));
PRESTO_FN(int, T_enum_get_item,
          (MPI_T_enum values, int index, int *value, char *name, int *length));

PRESTO_FN(int, T_cvar_get_num, (int *count));
PRESTO_FN(int, T_cvar_get_info,
          (int index, char *name, int *length, int *verbosity, MPI_Datatype *type,
           MPI_T_enum *values, char *help, int *help_length, int *bind, int *scope));
PRESTO_FN(int, T_cvar_get_index, (const char *name, int *index));
PRESTO_FN(int, T_cvar_handle_alloc,
          (int index, void *object, MPI_T_cvar_handle *handle, int *count));
PRESTO_FN(int, T_cvar_handle_free, (MPI_T_cvar_handle * handle));
PRESTO_FN(int, T_cvar_read, (MPI_T_cvar_handle handle, void *value));
PRESTO_FN(int, T_cvar_write, (MPI_T_cvar_handle handle, const void *value));

PRESTO_FN(int, T_pvar_get_num, (int *count));
PRESTO_FN(int, T_pvar_get_info,
          (int index, char *name, int *length, int *verbosity, int *var_class, MPI_Datatype *type,
           MPI_T_enum *values, char *help, int *help_length, int *bind, int *readonly,
           int *continuous, int *atomic));
PRESTO_FN(int, T_pvar_get_index, (const char *name, int var_class, int *index));
PRESTO_FN(int, T_pvar_session_create, (MPI_T_pvar_session * session));
PRESTO_FN(int, T_pvar_session_free, (MPI_T_pvar_session * session));
PRESTO_FN(int, T_pvar_handle_alloc,
          (MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle,
           int *count));
PRESTO_FN(int, T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle *handle));
PRESTO_FN(int, T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
PRESTO_FN(int, T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
PRESTO_FN(int, T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *value));
PRESTO_FN(int, T_pvar_write,
          (MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *value));
PRESTO_FN(int, T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
PRESTO_FN(int, T_pvar_readreset,
          (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *value));

PRESTO_FN(int, T_category_get_num, (int *count));
PRESTO_FN(int, T_category_get_info,
          (int index, char *name, int *length, char *help, int *help_length, int *cvars, int *pvars,
           int *categories));
PRESTO_FN(int, T_category_get_index, (const char *name, int *index));
PRESTO_FN(int, T_category_get_cvars, (int index, int room, int indices[]));
PRESTO_FN(int, T_category_get_pvars, (int index, int room, int indices[]));
PRESTO_FN(int, T_category_get_categories, (int index, int room, int indices[]));
PRESTO_FN(int, T_category_changed, (int *stamp));

#endif
