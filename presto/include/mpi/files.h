/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: files (MPI 3.1, chapter 13). */
#ifndef PRESTO_MPI_FILES_H
#define PRESTO_MPI_FILES_H

#define MPI_FILE_NULL            ((MPI_File)0)
#define MPI_DISPLACEMENT_CURRENT (-54278278)

#define MPI_MODE_CREATE          1
#define MPI_MODE_RDONLY          2
#define MPI_MODE_WRONLY          4
#define MPI_MODE_RDWR            8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN     32
#define MPI_MODE_EXCL            64
#define MPI_MODE_APPEND          128
#define MPI_MODE_SEQUENTIAL      256

#define MPI_SEEK_SET 600
#define MPI_SEEK_CUR 602
#define MPI_SEEK_END 604

#define PRESTO_FILE_IN  void *buf, int count, MPI_Datatype type
#define PRESTO_FILE_OUT const void *buf, int count, MPI_Datatype type

PRESTO_FN(int, File_open,
          (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *file));
PRESTO_FN(int, File_close, (MPI_File * file));
PRESTO_FN(int, File_delete, (const char *filename, MPI_Info info));
PRESTO_FN(int, File_set_size, (MPI_File file, MPI_Offset size));
PRESTO_FN(int, File_preallocate, (MPI_File file, MPI_Offset size));
PRESTO_FN(int, File_get_size, (MPI_File file, MPI_Offset *size));
PRESTO_FN(int, File_get_group, (MPI_File file, MPI_Group *group));
PRESTO_FN(int, File_get_amode, (MPI_File file, int *amode));
PRESTO_FN(int, File_set_info, (MPI_File file, MPI_Info info));
PRESTO_FN(int, File_get_info, (MPI_File file, MPI_Info *info));
PRESTO_FN(int, File_set_atomicity, (MPI_File file, int flag));
PRESTO_FN(int, File_get_atomicity, (MPI_File file, int *flag));
PRESTO_FN(int, File_sync, (MPI_File file));

PRESTO_FN(int, File_set_view,
          (MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
           const char *datarep, MPI_Info info));
PRESTO_FN(int, File_get_view,
          (MPI_File file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
           char *datarep));
PRESTO_FN(int, File_get_type_extent, (MPI_File file, MPI_Datatype type, MPI_Aint *extent));
PRESTO_FN(int, File_seek, (MPI_File file, MPI_Offset offset, int whence));
PRESTO_FN(int, File_get_position, (MPI_File file, MPI_Offset *offset));
PRESTO_FN(int, File_get_byte_offset, (MPI_File file, MPI_Offset offset, MPI_Offset *disp));
PRESTO_FN(int, File_seek_shared, (MPI_File file, MPI_Offset offset, int whence));
PRESTO_FN(int, File_get_position_shared, (MPI_File file, MPI_Offset *offset));

/* ---- representations of data ---- */

typedef int MPI_Datarep_extent_function(MPI_Datatype type, MPI_Aint *extent, void *extra);
typedef int MPI_Datarep_conversion_function(void *user, MPI_Datatype type, int count, void *file,
                                            MPI_Offset position, void *extra);
typedef int MPI_Datarep_conversion_function_c(void *user, MPI_Datatype type, MPI_Count count,
                                              void *file, MPI_Offset position, void *extra);

#define MPI_CONVERSION_FN_NULL   ((MPI_Datarep_conversion_function *)0)
#define MPI_CONVERSION_FN_NULL_C ((MPI_Datarep_conversion_function_c *)0)

PRESTO_FN(int, Register_datarep,
          (const char *datarep, MPI_Datarep_conversion_function *read,
           MPI_Datarep_conversion_function *write, MPI_Datarep_extent_function *extent,
           void *extra));
PRESTO_FN(int, Register_datarep_c,
          (const char *datarep, MPI_Datarep_conversion_function_c *read,
           MPI_Datarep_conversion_function_c *write, MPI_Datarep_extent_function *extent,
           void *extra));

/* ---- data ---- */

PRESTO_FN(int, File_read_at,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_IN, MPI_Status *status));
PRESTO_FN(int, File_read_at_all,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_IN, MPI_Status *status));
PRESTO_FN(int, File_write_at,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_OUT, MPI_Status *status));
PRESTO_FN(int, File_write_at_all,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_OUT, MPI_Status *status));
PRESTO_FN(int, File_iread_at,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_IN, MPI_Request *request));
PRESTO_FN(int, File_iread_at_all,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_IN, MPI_Request *request));
PRESTO_FN(int, File_iwrite_at,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_OUT, MPI_Request *request));
PRESTO_FN(int, File_iwrite_at_all,
          (MPI_File file, MPI_Offset offset, PRESTO_FILE_OUT, MPI_Request *request));

PRESTO_FN(int, File_read, (MPI_File file, PRESTO_FILE_IN, MPI_Status *status));
PRESTO_FN(int, File_read_all, (MPI_File file, PRESTO_FILE_IN, MPI_Status *status));
PRESTO_FN(int, File_write, (MPI_File file, PRESTO_FILE_OUT, MPI_Status *status));
PRESTO_FN(int, File_write_all, (MPI_File file, PRESTO_FILE_OUT, MPI_Status *status));
PRESTO_FN(int, File_iread, (MPI_File file, PRESTO_FILE_IN, MPI_Request *request));
PRESTO_FN(int, File_iread_all, (MPI_File file, PRESTO_FILE_IN, MPI_Request *request));
PRESTO_FN(int, File_iwrite, (MPI_File file, PRESTO_FILE_OUT, MPI_Request *request));
PRESTO_FN(int, File_iwrite_all, (MPI_File file, PRESTO_FILE_OUT, MPI_Request *request));

PRESTO_FN(int, File_read_shared, (MPI_File file, PRESTO_FILE_IN, MPI_Status *status));
PRESTO_FN(int, File_write_shared, (MPI_File file, PRESTO_FILE_OUT, MPI_Status *status));
PRESTO_FN(int, File_iread_shared, (MPI_File file, PRESTO_FILE_IN, MPI_Request *request));
PRESTO_FN(int, File_iwrite_shared, (MPI_File file, PRESTO_FILE_OUT, MPI_Request *request));
PRESTO_FN(int, File_read_ordered, (MPI_File file, PRESTO_FILE_IN, MPI_Status *status));
PRESTO_FN(int, File_write_ordered, (MPI_File file, PRESTO_FILE_OUT, MPI_Status *status));

PRESTO_FN(int, File_read_at_all_begin, (MPI_File file, MPI_Offset offset, PRESTO_FILE_IN));
PRESTO_FN(int, File_read_at_all_end, (MPI_File file, void *buf, MPI_Status *status));
PRESTO_FN(int, File_write_at_all_begin, (MPI_File file, MPI_Offset offset, PRESTO_FILE_OUT));
PRESTO_FN(int, File_write_at_all_end, (MPI_File file, const void *buf, MPI_Status *status));
PRESTO_FN(int, File_read_all_begin, (MPI_File file, PRESTO_FILE_IN));
PRESTO_FN(int, File_read_all_end, (MPI_File file, void *buf, MPI_Status *status));
PRESTO_FN(int, File_write_all_begin, (MPI_File file, PRESTO_FILE_OUT));
PRESTO_FN(int, File_write_all_end, (MPI_File file, const void *buf, MPI_Status *status));
PRESTO_FN(int, File_read_ordered_begin, (MPI_File file, PRESTO_FILE_IN));
PRESTO_FN(int, File_read_ordered_end, (MPI_File file, void *buf, MPI_Status *status));
PRESTO_FN(int, File_write_ordered_begin, (MPI_File file, PRESTO_FILE_OUT));
PRESTO_FN(int, File_write_ordered_end, (MPI_File file, const void *buf, MPI_Status *status));

PRESTO_FN(int, File_create_errhandler,
          (MPI_File_errhandler_function * function, MPI_Errhandler *errhandler));
PRESTO_FN(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler));
PRESTO_FN(int, File_get_errhandler, (MPI_File file, MPI_Errhandler *errhandler));
PRESTO_FN(int, File_call_errhandler, (MPI_File file, int error));
PRESTO_FN(MPI_Fint, File_c2f, (MPI_File file));
PRESTO_FN(MPI_File, File_f2c, (MPI_Fint file));

#endif
