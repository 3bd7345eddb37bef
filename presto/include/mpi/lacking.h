/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: types and constants of what Presto does not have, so that the first thing that a
 * compiler says of a program that needs it is the name of a function (missing.h). No object of
 * these types exists. */
#ifndef PRESTO_MPI_LACKING_H
#define PRESTO_MPI_LACKING_H

/* ---- representations of data in files ---- */

typedef int MPI_Datarep_extent_function(MPI_Datatype type, MPI_Aint *extent, void *extra);
typedef int MPI_Datarep_conversion_function(void *user, MPI_Datatype type, int count, void *file,
                                            MPI_Offset position, void *extra);

#define MPI_CONVERSION_FN_NULL ((MPI_Datarep_conversion_function *)0)

/* ---- processes that come later, sessions ---- */

#define MPI_ARGVS_NULL ((char ***)0)

typedef struct presto_session *MPI_Session;

#define MPI_SESSION_NULL ((MPI_Session)0)

/* ---- the tool interface ---- */

typedef struct presto_tool_enum *MPI_T_enum;
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

#define MPI_T_ERR_MEMORY            60
#define MPI_T_ERR_NOT_INITIALIZED   61
#define MPI_T_ERR_CANNOT_INIT       62
#define MPI_T_ERR_INVALID_INDEX     63
#define MPI_T_ERR_INVALID_ITEM      64
#define MPI_T_ERR_INVALID_HANDLE    65
#define MPI_T_ERR_OUT_OF_HANDLES    66
#define MPI_T_ERR_OUT_OF_SESSIONS   67
#define MPI_T_ERR_INVALID_SESSION   68
#define MPI_T_ERR_CVAR_SET_NOT_NOW  69
#define MPI_T_ERR_CVAR_SET_NEVER    70
#define MPI_T_ERR_PVAR_NO_STARTSTOP 71
#define MPI_T_ERR_PVAR_NO_WRITE     72
#define MPI_T_ERR_PVAR_NO_ATOMIC    73
#define MPI_T_ERR_INVALID_NAME      74
#define MPI_T_ERR_INVALID           75

/* ---- how MPI 1 made datatypes ---- */

#define MPI_COMBINER_HVECTOR_INTEGER  16
#define MPI_COMBINER_HINDEXED_INTEGER 17
#define MPI_COMBINER_STRUCT_INTEGER   18

#endif
