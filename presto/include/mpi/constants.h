/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: the constants that are numbers, and the null handles. */
#ifndef PRESTO_MPI_CONSTANTS_H
#define PRESTO_MPI_CONSTANTS_H

#define MPI_VERSION    3
#define MPI_SUBVERSION 1

#define MPI_MAX_PROCESSOR_NAME         256
#define MPI_MAX_ERROR_STRING           256
#define MPI_MAX_OBJECT_NAME            64
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_INFO_KEY               36
#define MPI_MAX_INFO_VAL               256
#define MPI_MAX_PORT_NAME              1024
#define MPI_MAX_DATAREP_STRING         128

#define MPI_ANY_SOURCE     (-1)
#define MPI_ANY_TAG        (-1)
#define MPI_PROC_NULL      (-2)
#define MPI_ROOT           (-4)
#define MPI_UNDEFINED      (-32766)
#define MPI_KEYVAL_INVALID (-1)
#define MPI_BSEND_OVERHEAD 128

#define MPI_BOTTOM          ((void *)0)
#define MPI_IN_PLACE        ((void *)-1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_UNWEIGHTED      ((int *)2)
#define MPI_WEIGHTS_EMPTY   ((int *)3)
#define MPI_ARGV_NULL       ((char **)0)
#define MPI_ARGVS_NULL      ((char ***)0)

#define MPI_THREAD_SINGLE     0
#define MPI_THREAD_FUNNELED   1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE   3

#define MPI_COMM_NULL       ((MPI_Comm)0)
#define MPI_GROUP_NULL      ((MPI_Group)0)
#define MPI_DATATYPE_NULL   ((MPI_Datatype)0)
#define MPI_OP_NULL         ((MPI_Op)0)
#define MPI_REQUEST_NULL    ((MPI_Request)0)
#define MPI_MESSAGE_NULL    ((MPI_Message)0)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0)
#define MPI_INFO_NULL       ((MPI_Info)0)
#define MPI_WIN_NULL        ((MPI_Win)0)

/* Results of comparisons. */
#define MPI_IDENT     0
#define MPI_CONGRUENT 1
#define MPI_SIMILAR   2
#define MPI_UNEQUAL   3

/* Kinds of topologies, and of splits by hardware. */
#define MPI_CART             1
#define MPI_GRAPH            2
#define MPI_DIST_GRAPH       3
#define MPI_COMM_TYPE_SHARED 0

/* Predefined attributes of communicators and windows. */
#define MPI_TAG_UB            0
#define MPI_HOST              1
#define MPI_IO                2
#define MPI_WTIME_IS_GLOBAL   3
#define MPI_APPNUM            4
#define MPI_LASTUSEDCODE      5
#define MPI_UNIVERSE_SIZE     6
#define MPI_WIN_BASE          7
#define MPI_WIN_SIZE          8
#define MPI_WIN_DISP_UNIT     9
#define MPI_WIN_CREATE_FLAVOR 10
#define MPI_WIN_MODEL         11

#define MPI_WIN_FLAVOR_CREATE   1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC  3
#define MPI_WIN_FLAVOR_SHARED   4
#define MPI_WIN_UNIFIED         0
#define MPI_WIN_SEPARATE        1
#define MPI_LOCK_EXCLUSIVE      1
#define MPI_LOCK_SHARED         2
#define MPI_MODE_NOCHECK        1
#define MPI_MODE_NOPRECEDE      2
#define MPI_MODE_NOPUT          4
#define MPI_MODE_NOSTORE        8
#define MPI_MODE_NOSUCCEED      16

/* How a datatype was made. */
#define MPI_COMBINER_NAMED          0
#define MPI_COMBINER_DUP            1
#define MPI_COMBINER_CONTIGUOUS     2
#define MPI_COMBINER_VECTOR         3
#define MPI_COMBINER_HVECTOR        4
#define MPI_COMBINER_INDEXED        5
#define MPI_COMBINER_HINDEXED       6
#define MPI_COMBINER_INDEXED_BLOCK  7
#define MPI_COMBINER_HINDEXED_BLOCK 8
#define MPI_COMBINER_STRUCT         9
#define MPI_COMBINER_SUBARRAY       10
#define MPI_COMBINER_DARRAY         11
#define MPI_COMBINER_RESIZED        12
#define MPI_COMBINER_F90_REAL       13
#define MPI_COMBINER_F90_COMPLEX    14
#define MPI_COMBINER_F90_INTEGER    15
#define MPI_ORDER_C                 56
#define MPI_ORDER_FORTRAN           57
#define MPI_DISTRIBUTE_BLOCK        121
#define MPI_DISTRIBUTE_CYCLIC       122
#define MPI_DISTRIBUTE_NONE         123
#define MPI_DISTRIBUTE_DFLT_DARG    (-49767)
#define MPI_TYPECLASS_INTEGER       1
#define MPI_TYPECLASS_REAL          2
#define MPI_TYPECLASS_COMPLEX       3

/* Classes of errors. */
#define MPI_SUCCESS                   0
#define MPI_ERR_BUFFER                1
#define MPI_ERR_COUNT                 2
#define MPI_ERR_TYPE                  3
#define MPI_ERR_TAG                   4
#define MPI_ERR_COMM                  5
#define MPI_ERR_RANK                  6
#define MPI_ERR_REQUEST               7
#define MPI_ERR_ROOT                  8
#define MPI_ERR_GROUP                 9
#define MPI_ERR_OP                    10
#define MPI_ERR_TOPOLOGY              11
#define MPI_ERR_DIMS                  12
#define MPI_ERR_ARG                   13
#define MPI_ERR_UNKNOWN               14
#define MPI_ERR_TRUNCATE              15
#define MPI_ERR_OTHER                 16
#define MPI_ERR_INTERN                17
#define MPI_ERR_IN_STATUS             18
#define MPI_ERR_PENDING               19
#define MPI_ERR_ACCESS                20
#define MPI_ERR_AMODE                 21
#define MPI_ERR_ASSERT                22
#define MPI_ERR_BAD_FILE              23
#define MPI_ERR_BASE                  24
#define MPI_ERR_CONVERSION            25
#define MPI_ERR_DISP                  26
#define MPI_ERR_DUP_DATAREP           27
#define MPI_ERR_FILE_EXISTS           28
#define MPI_ERR_FILE_IN_USE           29
#define MPI_ERR_FILE                  30
#define MPI_ERR_INFO_KEY              31
#define MPI_ERR_INFO_NOKEY            32
#define MPI_ERR_INFO_VALUE            33
#define MPI_ERR_INFO                  34
#define MPI_ERR_IO                    35
#define MPI_ERR_KEYVAL                36
#define MPI_ERR_LOCKTYPE              37
#define MPI_ERR_NAME                  38
#define MPI_ERR_NO_MEM                39
#define MPI_ERR_NOT_SAME              40
#define MPI_ERR_NO_SPACE              41
#define MPI_ERR_NO_SUCH_FILE          42
#define MPI_ERR_PORT                  43
#define MPI_ERR_QUOTA                 44
#define MPI_ERR_READ_ONLY             45
#define MPI_ERR_RMA_CONFLICT          46
#define MPI_ERR_RMA_SYNC              47
#define MPI_ERR_SERVICE               48
#define MPI_ERR_SIZE                  49
#define MPI_ERR_SPAWN                 50
#define MPI_ERR_UNSUPPORTED_DATAREP   51
#define MPI_ERR_UNSUPPORTED_OPERATION 52
#define MPI_ERR_WIN                   53
#define MPI_ERR_RMA_ATTACH            54
#define MPI_ERR_RMA_FLAVOR            55
#define MPI_ERR_RMA_RANGE             56
#define MPI_ERR_RMA_SHARED            57
#define MPIX_ERR_PROC_FAILED          58
#define MPIX_ERR_PROC_FAILED_PENDING  59
#define MPIX_ERR_REVOKED              60
#define MPI_ERR_LASTCODE              99

#endif
