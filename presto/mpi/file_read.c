/* SPDX-License-Identifier: BSD-3-Clause */
/* How files are read. */
#include "mpi/file.h"

#define ACCESS(which, at)                                         \
    ((struct pri_file_access){.call = PRI_FILE_##which,           \
                              .write = false,                     \
                              .offset = (at),                     \
                              .data = {buf, (size_t)count, type}, \
                              .count = count})

/* ---- blocking ---- */

int MPI_File_read_at(MPI_File file, MPI_Offset offset, void *buf, pri_count count,
                     MPI_Datatype type, MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(AT, offset), status);
}
PRI_ALIAS(File_read_at);

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void *buf, pri_count count,
                         MPI_Datatype type, MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(AT_ALL, offset), status);
}
PRI_ALIAS(File_read_at_all);

int MPI_File_read(MPI_File file, void *buf, pri_count count, MPI_Datatype type, MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(NEXT, 0), status);
}
PRI_ALIAS(File_read);

int MPI_File_read_all(MPI_File file, void *buf, pri_count count, MPI_Datatype type,
                      MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(NEXT_ALL, 0), status);
}
PRI_ALIAS(File_read_all);

int MPI_File_read_shared(MPI_File file, void *buf, pri_count count, MPI_Datatype type,
                         MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(SHARED, 0), status);
}
PRI_ALIAS(File_read_shared);

int MPI_File_read_ordered(MPI_File file, void *buf, pri_count count, MPI_Datatype type,
                          MPI_Status *status)
{
    return pri_file_blocking(file, __func__, ACCESS(ORDERED, 0), status);
}
PRI_ALIAS(File_read_ordered);

/* ---- with requests ---- */

int MPI_File_iread_at(MPI_File file, MPI_Offset offset, void *buf, pri_count count,
                      MPI_Datatype type, MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(AT, offset), request);
}
PRI_ALIAS(File_iread_at);

int MPI_File_iread_at_all(MPI_File file, MPI_Offset offset, void *buf, pri_count count,
                          MPI_Datatype type, MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(AT_ALL, offset), request);
}
PRI_ALIAS(File_iread_at_all);

int MPI_File_iread(MPI_File file, void *buf, pri_count count, MPI_Datatype type,
                   MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(NEXT, 0), request);
}
PRI_ALIAS(File_iread);

int MPI_File_iread_all(MPI_File file, void *buf, pri_count count, MPI_Datatype type,
                       MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(NEXT_ALL, 0), request);
}
PRI_ALIAS(File_iread_all);

int MPI_File_iread_shared(MPI_File file, void *buf, pri_count count, MPI_Datatype type,
                          MPI_Request *request)
{
    return pri_file_request(file, __func__, ACCESS(SHARED, 0), request);
}
PRI_ALIAS(File_iread_shared);

/* ---- split ---- */

int MPI_File_read_at_all_begin(MPI_File file, MPI_Offset offset, void *buf, pri_count count,
                               MPI_Datatype type)
{
    return pri_file_begin(file, __func__, ACCESS(AT_ALL, offset));
}
PRI_ALIAS(File_read_at_all_begin);

#ifndef PRI_LARGE
int MPI_File_read_at_all_end(MPI_File file, void *buf, MPI_Status *status)
{
    (void)buf;
    return pri_file_end(file, __func__, PRI_FILE_AT_ALL, false, status);
}
PRI_ALIAS(File_read_at_all_end);
#endif

int MPI_File_read_all_begin(MPI_File file, void *buf, pri_count count, MPI_Datatype type)
{
    return pri_file_begin(file, __func__, ACCESS(NEXT_ALL, 0));
}
PRI_ALIAS(File_read_all_begin);

#ifndef PRI_LARGE
int MPI_File_read_all_end(MPI_File file, void *buf, MPI_Status *status)
{
    (void)buf;
    return pri_file_end(file, __func__, PRI_FILE_NEXT_ALL, false, status);
}
PRI_ALIAS(File_read_all_end);
#endif

int MPI_File_read_ordered_begin(MPI_File file, void *buf, pri_count count, MPI_Datatype type)
{
    return pri_file_begin(file, __func__, ACCESS(ORDERED, 0));
}
PRI_ALIAS(File_read_ordered_begin);

#ifndef PRI_LARGE
int MPI_File_read_ordered_end(MPI_File file, void *buf, MPI_Status *status)
{
    (void)buf;
    return pri_file_end(file, __func__, PRI_FILE_ORDERED, false, status);
}
PRI_ALIAS(File_read_ordered_end);
#endif
