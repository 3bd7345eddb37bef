/* SPDX-License-Identifier: BSD-3-Clause */
/* How files are written. */
#include "mpi/file.h"

#define ACCESS(which, at)                                                 \
    ((struct pri_file_access){.call = PRI_FILE_##which,                   \
                              .write = true,                              \
                              .offset = (at),                             \
                              .data = {(void *)buf, (size_t)count, type}, \
                              .count = count})

/* ---- blocking ---- */

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *buf, pri_count count,
                      MPI_Datatype type, MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(AT, offset), status);
}
PRI_ALIAS(File_write_at);

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void *buf, pri_count count,
                          MPI_Datatype type, MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(AT_ALL, offset), status);
}
PRI_ALIAS(File_write_at_all);

int MPI_File_write(MPI_File file, const void *buf, pri_count count, MPI_Datatype type,
                   MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(NEXT, 0), status);
}
PRI_ALIAS(File_write);

int MPI_File_write_all(MPI_File file, const void *buf, pri_count count, MPI_Datatype type,
                       MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(NEXT_ALL, 0), status);
}
PRI_ALIAS(File_write_all);

int MPI_File_write_shared(MPI_File file, const void *buf, pri_count count, MPI_Datatype type,
                          MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(SHARED, 0), status);
}
PRI_ALIAS(File_write_shared);

int MPI_File_write_ordered(MPI_File file, const void *buf, pri_count count, MPI_Datatype type,
                           MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(ORDERED, 0), status);
}
PRI_ALIAS(File_write_ordered);

/* ---- with requests ---- */

int MPI_File_iwrite_at(MPI_File file, MPI_Offset offset, const void *buf, pri_count count,
                       MPI_Datatype type, MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(AT, offset), request);
}
PRI_ALIAS(File_iwrite_at);

int MPI_File_iwrite_at_all(MPI_File file, MPI_Offset offset, const void *buf, pri_count count,
                           MPI_Datatype type, MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(AT_ALL, offset), request);
}
PRI_ALIAS(File_iwrite_at_all);

int MPI_File_iwrite(MPI_File file, const void *buf, pri_count count, MPI_Datatype type,
                    MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(NEXT, 0), request);
}
PRI_ALIAS(File_iwrite);

int MPI_File_iwrite_all(MPI_File file, const void *buf, pri_count count, MPI_Datatype type,
                        MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(NEXT_ALL, 0), request);
}
PRI_ALIAS(File_iwrite_all);

int MPI_File_iwrite_shared(MPI_File file, const void *buf, pri_count count, MPI_Datatype type,
                           MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(SHARED, 0), request);
}
PRI_ALIAS(File_iwrite_shared);

/* ---- split ---- */

int MPI_File_write_at_all_begin(MPI_File file, MPI_Offset offset, const void *buf, pri_count count,
                                MPI_Datatype type)
{
    return pri_file_begin(file, __func__, ACCESS(AT_ALL, offset));
}
PRI_ALIAS(File_write_at_all_begin);

#ifndef PRI_LARGE
int MPI_File_write_at_all_end(MPI_File file, const void *buf, MPI_Status *status)
{
    (void)buf;
    return pri_file_end(file, __func__, PRI_FILE_AT_ALL, true, status);
}
PRI_ALIAS(File_write_at_all_end);
#endif

int MPI_File_write_all_begin(MPI_File file, const void *buf, pri_count count, MPI_Datatype type)
{
    return pri_file_begin(file, __func__, ACCESS(NEXT_ALL, 0));
}
PRI_ALIAS(File_write_all_begin);

#ifndef PRI_LARGE
int MPI_File_write_all_end(MPI_File file, const void *buf, MPI_Status *status)
{
    (void)buf;
    return pri_file_end(file, __func__, PRI_FILE_NEXT_ALL, true, status);
}
PRI_ALIAS(File_write_all_end);
#endif

int MPI_File_write_ordered_begin(MPI_File file, const void *buf, pri_count count, MPI_Datatype type)
{
    return pri_file_begin(file, __func__, ACCESS(ORDERED, 0));
}
PRI_ALIAS(File_write_ordered_begin);

#ifndef PRI_LARGE
int MPI_File_write_ordered_end(MPI_File file, const void *buf, MPI_Status *status)
{
    (void)buf;
    return pri_file_end(file, __func__, PRI_FILE_ORDERED, true, status);
}
PRI_ALIAS(File_write_ordered_end);
#endif
