/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: functions that Presto does not have. A program that calls one does not compile,
 * and is told which. */
#ifndef PRESTO_MPI_MISSING_H
#define PRESTO_MPI_MISSING_H

#if defined(__has_attribute)
#if __has_attribute(error)
#define PRESTO_MISSING(name, hint)      \
    int presto_missing_MPI_##name(void) \
        __attribute__((error("MPI_" #name " is not in Presto: " hint)))
#endif
#endif
#ifndef PRESTO_MISSING
#define PRESTO_MISSING(name, hint) int presto_missing_MPI_##name(void) /* found by the linker */
#endif

/* Variables that are only given to missing functions count as used, so that there is no other
 * message. */
int presto_given(int none, ...); /* is nowhere, and never called */
#define PRESTO_USED(...) ((void)sizeof(presto_given(0, __VA_ARGS__)))

PRESTO_MISSING(Accumulate_c, "use MPI_Accumulate, whose counts are ints, and a longer datatype");
#define MPI_Accumulate_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Accumulate_c())
PRESTO_MISSING(Allgather_c, "use MPI_Allgather, whose counts are ints, and a longer datatype");
#define MPI_Allgather_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgather_c())
PRESTO_MISSING(Allgather_init, "use the nonblocking collective operation");
#define MPI_Allgather_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgather_init())
PRESTO_MISSING(Allgather_init_c, "use the nonblocking collective operation");
#define MPI_Allgather_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgather_init_c())
PRESTO_MISSING(Allgatherv_c, "use MPI_Allgatherv, whose counts are ints, and a longer datatype");
#define MPI_Allgatherv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgatherv_c())
PRESTO_MISSING(Allgatherv_init, "use the nonblocking collective operation");
#define MPI_Allgatherv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgatherv_init())
PRESTO_MISSING(Allgatherv_init_c, "use the nonblocking collective operation");
#define MPI_Allgatherv_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgatherv_init_c())
PRESTO_MISSING(Allreduce_c, "use MPI_Allreduce, whose counts are ints, and a longer datatype");
#define MPI_Allreduce_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allreduce_c())
PRESTO_MISSING(Allreduce_init, "use the nonblocking collective operation");
#define MPI_Allreduce_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allreduce_init())
PRESTO_MISSING(Allreduce_init_c, "use the nonblocking collective operation");
#define MPI_Allreduce_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allreduce_init_c())
PRESTO_MISSING(Alltoall_c, "use MPI_Alltoall, whose counts are ints, and a longer datatype");
#define MPI_Alltoall_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoall_c())
PRESTO_MISSING(Alltoall_init, "use the nonblocking collective operation");
#define MPI_Alltoall_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoall_init())
PRESTO_MISSING(Alltoall_init_c, "use the nonblocking collective operation");
#define MPI_Alltoall_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoall_init_c())
PRESTO_MISSING(Alltoallv_c, "use MPI_Alltoallv, whose counts are ints, and a longer datatype");
#define MPI_Alltoallv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallv_c())
PRESTO_MISSING(Alltoallv_init, "use the nonblocking collective operation");
#define MPI_Alltoallv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallv_init())
PRESTO_MISSING(Alltoallv_init_c, "use the nonblocking collective operation");
#define MPI_Alltoallv_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallv_init_c())
PRESTO_MISSING(Alltoallw_c, "use MPI_Alltoallw, whose counts are ints, and a longer datatype");
#define MPI_Alltoallw_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallw_c())
PRESTO_MISSING(Alltoallw_init, "use the nonblocking collective operation");
#define MPI_Alltoallw_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallw_init())
PRESTO_MISSING(Alltoallw_init_c, "use the nonblocking collective operation");
#define MPI_Alltoallw_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallw_init_c())
PRESTO_MISSING(Barrier_init, "use the nonblocking collective operation");
#define MPI_Barrier_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Barrier_init())
PRESTO_MISSING(Bcast_c, "use MPI_Bcast, whose counts are ints, and a longer datatype");
#define MPI_Bcast_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Bcast_c())
PRESTO_MISSING(Bcast_init, "use the nonblocking collective operation");
#define MPI_Bcast_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Bcast_init())
PRESTO_MISSING(Bcast_init_c, "use the nonblocking collective operation");
#define MPI_Bcast_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Bcast_init_c())
PRESTO_MISSING(Bsend_c, "use MPI_Bsend, whose counts are ints, and a longer datatype");
#define MPI_Bsend_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Bsend_c())
PRESTO_MISSING(Bsend_init_c, "use MPI_Bsend_init, whose counts are ints, and a longer datatype");
#define MPI_Bsend_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Bsend_init_c())
PRESTO_MISSING(Buffer_attach_c,
               "use MPI_Buffer_attach, whose counts are ints, and a longer datatype");
#define MPI_Buffer_attach_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Buffer_attach_c())
PRESTO_MISSING(Buffer_detach_c,
               "use MPI_Buffer_detach, whose counts are ints, and a longer datatype");
#define MPI_Buffer_detach_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Buffer_detach_c())
PRESTO_MISSING(
    Buffer_flush,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Buffer_flush(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Buffer_flush())
PRESTO_MISSING(
    Buffer_iflush,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Buffer_iflush(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Buffer_iflush())
PRESTO_MISSING(Close_port, "a Presto job has the ranks that it was started with");
#define MPI_Close_port(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Close_port())
PRESTO_MISSING(Comm_accept, "a Presto job has the ranks that it was started with");
#define MPI_Comm_accept(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_accept())
PRESTO_MISSING(
    Comm_attach_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Comm_attach_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_attach_buffer())
PRESTO_MISSING(
    Comm_attach_buffer_c,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Comm_attach_buffer_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_attach_buffer_c())
PRESTO_MISSING(Comm_connect, "a Presto job has the ranks that it was started with");
#define MPI_Comm_connect(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_connect())
PRESTO_MISSING(Comm_create_from_group, "use MPI_Init");
#define MPI_Comm_create_from_group(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_create_from_group())
PRESTO_MISSING(
    Comm_detach_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Comm_detach_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_detach_buffer())
PRESTO_MISSING(
    Comm_detach_buffer_c,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Comm_detach_buffer_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_detach_buffer_c())
PRESTO_MISSING(
    Comm_flush_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Comm_flush_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_flush_buffer())
PRESTO_MISSING(Comm_idup_with_info, "use MPI_Comm_idup and MPI_Comm_set_info");
#define MPI_Comm_idup_with_info(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_idup_with_info())
PRESTO_MISSING(
    Comm_iflush_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Comm_iflush_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_iflush_buffer())
PRESTO_MISSING(Comm_join, "a Presto job has the ranks that it was started with");
#define MPI_Comm_join(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_join())
PRESTO_MISSING(Comm_spawn, "a Presto job has the ranks that it was started with");
#define MPI_Comm_spawn(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_spawn())
PRESTO_MISSING(Comm_spawn_multiple, "a Presto job has the ranks that it was started with");
#define MPI_Comm_spawn_multiple(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_spawn_multiple())
PRESTO_MISSING(Exscan_c, "use MPI_Exscan, whose counts are ints, and a longer datatype");
#define MPI_Exscan_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Exscan_c())
PRESTO_MISSING(Exscan_init, "use the nonblocking collective operation");
#define MPI_Exscan_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Exscan_init())
PRESTO_MISSING(Exscan_init_c, "use the nonblocking collective operation");
#define MPI_Exscan_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Exscan_init_c())
PRESTO_MISSING(File_c2f,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_c2f(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_c2f())
PRESTO_MISSING(File_call_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_call_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_call_errhandler())
PRESTO_MISSING(File_close,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_close(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_close())
PRESTO_MISSING(File_create_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_create_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_create_errhandler())
PRESTO_MISSING(File_delete,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_delete(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_delete())
PRESTO_MISSING(File_f2c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_f2c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_f2c())
PRESTO_MISSING(File_get_amode,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_amode(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_amode())
PRESTO_MISSING(File_get_atomicity,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_atomicity(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_atomicity())
PRESTO_MISSING(File_get_byte_offset,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_byte_offset(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_byte_offset())
PRESTO_MISSING(File_get_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_errhandler())
PRESTO_MISSING(File_get_group,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_group(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_group())
PRESTO_MISSING(File_get_info,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_info(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_info())
PRESTO_MISSING(File_get_position,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_position(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_position())
PRESTO_MISSING(File_get_position_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_position_shared(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_position_shared())
PRESTO_MISSING(File_get_size,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_size(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_size())
PRESTO_MISSING(File_get_type_extent,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_type_extent(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_type_extent())
PRESTO_MISSING(File_get_type_extent_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_type_extent_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_type_extent_c())
PRESTO_MISSING(File_get_view,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_view(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_view())
PRESTO_MISSING(File_iread,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread())
PRESTO_MISSING(File_iread_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_all(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_all())
PRESTO_MISSING(File_iread_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_all_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_all_c())
PRESTO_MISSING(File_iread_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_at())
PRESTO_MISSING(File_iread_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at_all(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_at_all())
PRESTO_MISSING(File_iread_at_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at_all_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_at_all_c())
PRESTO_MISSING(File_iread_at_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_at_c())
PRESTO_MISSING(File_iread_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_c())
PRESTO_MISSING(File_iread_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_shared(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_shared())
PRESTO_MISSING(File_iread_shared_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_shared_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_shared_c())
PRESTO_MISSING(File_iwrite,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite())
PRESTO_MISSING(File_iwrite_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_all(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_all())
PRESTO_MISSING(File_iwrite_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_all_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_all_c())
PRESTO_MISSING(File_iwrite_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_at())
PRESTO_MISSING(File_iwrite_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at_all(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_at_all())
PRESTO_MISSING(File_iwrite_at_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at_all_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_at_all_c())
PRESTO_MISSING(File_iwrite_at_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_at_c())
PRESTO_MISSING(File_iwrite_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_c())
PRESTO_MISSING(File_iwrite_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_shared(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_shared())
PRESTO_MISSING(File_iwrite_shared_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_shared_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_shared_c())
PRESTO_MISSING(File_open,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_open(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_open())
PRESTO_MISSING(File_preallocate,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_preallocate(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_preallocate())
PRESTO_MISSING(File_read,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read())
PRESTO_MISSING(File_read_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_all())
PRESTO_MISSING(File_read_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_all_begin())
PRESTO_MISSING(File_read_all_begin_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all_begin_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_all_begin_c())
PRESTO_MISSING(File_read_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_all_c())
PRESTO_MISSING(File_read_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_all_end())
PRESTO_MISSING(File_read_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at())
PRESTO_MISSING(File_read_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at_all())
PRESTO_MISSING(File_read_at_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at_all_begin())
PRESTO_MISSING(File_read_at_all_begin_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all_begin_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at_all_begin_c())
PRESTO_MISSING(File_read_at_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at_all_c())
PRESTO_MISSING(File_read_at_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at_all_end())
PRESTO_MISSING(File_read_at_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at_c())
PRESTO_MISSING(File_read_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_c())
PRESTO_MISSING(File_read_ordered,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered())
PRESTO_MISSING(File_read_ordered_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered_begin())
PRESTO_MISSING(File_read_ordered_begin_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_begin_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered_begin_c())
PRESTO_MISSING(File_read_ordered_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered_c())
PRESTO_MISSING(File_read_ordered_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered_end())
PRESTO_MISSING(File_read_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_shared(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_shared())
PRESTO_MISSING(File_read_shared_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_shared_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_shared_c())
PRESTO_MISSING(File_seek,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_seek(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_seek())
PRESTO_MISSING(File_seek_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_seek_shared(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_seek_shared())
PRESTO_MISSING(File_set_atomicity,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_atomicity(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_set_atomicity())
PRESTO_MISSING(File_set_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_set_errhandler())
PRESTO_MISSING(File_set_info,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_info(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_set_info())
PRESTO_MISSING(File_set_size,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_size(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_set_size())
PRESTO_MISSING(File_set_view,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_view(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_set_view())
PRESTO_MISSING(File_sync,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_sync(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_sync())
PRESTO_MISSING(File_write,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write())
PRESTO_MISSING(File_write_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_all())
PRESTO_MISSING(File_write_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_all_begin())
PRESTO_MISSING(File_write_all_begin_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all_begin_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_all_begin_c())
PRESTO_MISSING(File_write_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_all_c())
PRESTO_MISSING(File_write_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_all_end())
PRESTO_MISSING(File_write_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at())
PRESTO_MISSING(File_write_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at_all())
PRESTO_MISSING(File_write_at_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at_all_begin())
PRESTO_MISSING(File_write_at_all_begin_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all_begin_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at_all_begin_c())
PRESTO_MISSING(File_write_at_all_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at_all_c())
PRESTO_MISSING(File_write_at_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at_all_end())
PRESTO_MISSING(File_write_at_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at_c())
PRESTO_MISSING(File_write_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_c())
PRESTO_MISSING(File_write_ordered,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered())
PRESTO_MISSING(File_write_ordered_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered_begin())
PRESTO_MISSING(File_write_ordered_begin_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_begin_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered_begin_c())
PRESTO_MISSING(File_write_ordered_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered_c())
PRESTO_MISSING(File_write_ordered_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered_end())
PRESTO_MISSING(File_write_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_shared(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_shared())
PRESTO_MISSING(File_write_shared_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_shared_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_shared_c())
PRESTO_MISSING(Gather_c, "use MPI_Gather, whose counts are ints, and a longer datatype");
#define MPI_Gather_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gather_c())
PRESTO_MISSING(Gather_init, "use the nonblocking collective operation");
#define MPI_Gather_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gather_init())
PRESTO_MISSING(Gather_init_c, "use the nonblocking collective operation");
#define MPI_Gather_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gather_init_c())
PRESTO_MISSING(Gatherv_c, "use MPI_Gatherv, whose counts are ints, and a longer datatype");
#define MPI_Gatherv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gatherv_c())
PRESTO_MISSING(Gatherv_init, "use the nonblocking collective operation");
#define MPI_Gatherv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gatherv_init())
PRESTO_MISSING(Gatherv_init_c, "use the nonblocking collective operation");
#define MPI_Gatherv_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gatherv_init_c())
PRESTO_MISSING(Get_accumulate_c,
               "use MPI_Get_accumulate, whose counts are ints, and a longer datatype");
#define MPI_Get_accumulate_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Get_accumulate_c())
PRESTO_MISSING(Get_c, "use MPI_Get, whose counts are ints, and a longer datatype");
#define MPI_Get_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Get_c())
PRESTO_MISSING(Get_count_c, "use MPI_Get_count, whose counts are ints, and a longer datatype");
#define MPI_Get_count_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Get_count_c())
PRESTO_MISSING(Get_elements_c,
               "use MPI_Get_elements, whose counts are ints, and a longer datatype");
#define MPI_Get_elements_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Get_elements_c())
PRESTO_MISSING(Get_hw_resource_info, "use hwloc");
#define MPI_Get_hw_resource_info(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Get_hw_resource_info())
PRESTO_MISSING(Group_from_session_pset, "use MPI_Init");
#define MPI_Group_from_session_pset(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Group_from_session_pset())
PRESTO_MISSING(Iallgather_c, "use MPI_Iallgather, whose counts are ints, and a longer datatype");
#define MPI_Iallgather_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Iallgather_c())
PRESTO_MISSING(Iallgatherv_c, "use MPI_Iallgatherv, whose counts are ints, and a longer datatype");
#define MPI_Iallgatherv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Iallgatherv_c())
PRESTO_MISSING(Iallreduce_c, "use MPI_Iallreduce, whose counts are ints, and a longer datatype");
#define MPI_Iallreduce_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Iallreduce_c())
PRESTO_MISSING(Ialltoall_c, "use MPI_Ialltoall, whose counts are ints, and a longer datatype");
#define MPI_Ialltoall_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ialltoall_c())
PRESTO_MISSING(Ialltoallv_c, "use MPI_Ialltoallv, whose counts are ints, and a longer datatype");
#define MPI_Ialltoallv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ialltoallv_c())
PRESTO_MISSING(Ialltoallw_c, "use MPI_Ialltoallw, whose counts are ints, and a longer datatype");
#define MPI_Ialltoallw_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ialltoallw_c())
PRESTO_MISSING(Ibcast_c, "use MPI_Ibcast, whose counts are ints, and a longer datatype");
#define MPI_Ibcast_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ibcast_c())
PRESTO_MISSING(Ibsend_c, "use MPI_Ibsend, whose counts are ints, and a longer datatype");
#define MPI_Ibsend_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ibsend_c())
PRESTO_MISSING(Iexscan_c, "use MPI_Iexscan, whose counts are ints, and a longer datatype");
#define MPI_Iexscan_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Iexscan_c())
PRESTO_MISSING(Igather_c, "use MPI_Igather, whose counts are ints, and a longer datatype");
#define MPI_Igather_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Igather_c())
PRESTO_MISSING(Igatherv_c, "use MPI_Igatherv, whose counts are ints, and a longer datatype");
#define MPI_Igatherv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Igatherv_c())
PRESTO_MISSING(Imrecv_c, "use MPI_Imrecv, whose counts are ints, and a longer datatype");
#define MPI_Imrecv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Imrecv_c())
PRESTO_MISSING(Ineighbor_allgather_c,
               "use MPI_Ineighbor_allgather, whose counts are ints, and a longer datatype");
#define MPI_Ineighbor_allgather_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ineighbor_allgather_c())
PRESTO_MISSING(Ineighbor_allgatherv_c,
               "use MPI_Ineighbor_allgatherv, whose counts are ints, and a longer datatype");
#define MPI_Ineighbor_allgatherv_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ineighbor_allgatherv_c())
PRESTO_MISSING(Ineighbor_alltoall_c,
               "use MPI_Ineighbor_alltoall, whose counts are ints, and a longer datatype");
#define MPI_Ineighbor_alltoall_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ineighbor_alltoall_c())
PRESTO_MISSING(Ineighbor_alltoallv_c,
               "use MPI_Ineighbor_alltoallv, whose counts are ints, and a longer datatype");
#define MPI_Ineighbor_alltoallv_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ineighbor_alltoallv_c())
PRESTO_MISSING(Ineighbor_alltoallw_c,
               "use MPI_Ineighbor_alltoallw, whose counts are ints, and a longer datatype");
#define MPI_Ineighbor_alltoallw_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ineighbor_alltoallw_c())
PRESTO_MISSING(Info_create_env, "see the porting guide");
#define MPI_Info_create_env(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Info_create_env())
PRESTO_MISSING(Info_get_string, "use MPI_Info_get_valuelen and MPI_Info_get");
#define MPI_Info_get_string(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Info_get_string())
PRESTO_MISSING(Intercomm_create_from_groups, "use MPI_Init");
#define MPI_Intercomm_create_from_groups(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Intercomm_create_from_groups())
PRESTO_MISSING(Irecv_c, "use MPI_Irecv, whose counts are ints, and a longer datatype");
#define MPI_Irecv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Irecv_c())
PRESTO_MISSING(Ireduce_c, "use MPI_Ireduce, whose counts are ints, and a longer datatype");
#define MPI_Ireduce_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ireduce_c())
PRESTO_MISSING(Ireduce_scatter_block_c,
               "use MPI_Ireduce_scatter_block, whose counts are ints, and a longer datatype");
#define MPI_Ireduce_scatter_block_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ireduce_scatter_block_c())
PRESTO_MISSING(Ireduce_scatter_c,
               "use MPI_Ireduce_scatter, whose counts are ints, and a longer datatype");
#define MPI_Ireduce_scatter_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ireduce_scatter_c())
PRESTO_MISSING(Irsend_c, "use MPI_Irsend, whose counts are ints, and a longer datatype");
#define MPI_Irsend_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Irsend_c())
PRESTO_MISSING(Iscan_c, "use MPI_Iscan, whose counts are ints, and a longer datatype");
#define MPI_Iscan_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Iscan_c())
PRESTO_MISSING(Iscatter_c, "use MPI_Iscatter, whose counts are ints, and a longer datatype");
#define MPI_Iscatter_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Iscatter_c())
PRESTO_MISSING(Iscatterv_c, "use MPI_Iscatterv, whose counts are ints, and a longer datatype");
#define MPI_Iscatterv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Iscatterv_c())
PRESTO_MISSING(Isend_c, "use MPI_Isend, whose counts are ints, and a longer datatype");
#define MPI_Isend_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Isend_c())
PRESTO_MISSING(Isendrecv, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Isendrecv())
PRESTO_MISSING(Isendrecv_c, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Isendrecv_c())
PRESTO_MISSING(Isendrecv_replace, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv_replace(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Isendrecv_replace())
PRESTO_MISSING(Isendrecv_replace_c, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv_replace_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Isendrecv_replace_c())
PRESTO_MISSING(Issend_c, "use MPI_Issend, whose counts are ints, and a longer datatype");
#define MPI_Issend_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Issend_c())
PRESTO_MISSING(Lookup_name, "a Presto job has the ranks that it was started with");
#define MPI_Lookup_name(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Lookup_name())
PRESTO_MISSING(Mrecv_c, "use MPI_Mrecv, whose counts are ints, and a longer datatype");
#define MPI_Mrecv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Mrecv_c())
PRESTO_MISSING(Neighbor_allgather_c,
               "use MPI_Neighbor_allgather, whose counts are ints, and a longer datatype");
#define MPI_Neighbor_allgather_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgather_c())
PRESTO_MISSING(Neighbor_allgather_init, "use the nonblocking collective operation");
#define MPI_Neighbor_allgather_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgather_init())
PRESTO_MISSING(Neighbor_allgather_init_c, "use the nonblocking collective operation");
#define MPI_Neighbor_allgather_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgather_init_c())
PRESTO_MISSING(Neighbor_allgatherv_c,
               "use MPI_Neighbor_allgatherv, whose counts are ints, and a longer datatype");
#define MPI_Neighbor_allgatherv_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgatherv_c())
PRESTO_MISSING(Neighbor_allgatherv_init, "use the nonblocking collective operation");
#define MPI_Neighbor_allgatherv_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgatherv_init())
PRESTO_MISSING(Neighbor_allgatherv_init_c, "use the nonblocking collective operation");
#define MPI_Neighbor_allgatherv_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgatherv_init_c())
PRESTO_MISSING(Neighbor_alltoall_c,
               "use MPI_Neighbor_alltoall, whose counts are ints, and a longer datatype");
#define MPI_Neighbor_alltoall_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoall_c())
PRESTO_MISSING(Neighbor_alltoall_init, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoall_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoall_init())
PRESTO_MISSING(Neighbor_alltoall_init_c, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoall_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoall_init_c())
PRESTO_MISSING(Neighbor_alltoallv_c,
               "use MPI_Neighbor_alltoallv, whose counts are ints, and a longer datatype");
#define MPI_Neighbor_alltoallv_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallv_c())
PRESTO_MISSING(Neighbor_alltoallv_init, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoallv_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallv_init())
PRESTO_MISSING(Neighbor_alltoallv_init_c, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoallv_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallv_init_c())
PRESTO_MISSING(Neighbor_alltoallw_c,
               "use MPI_Neighbor_alltoallw, whose counts are ints, and a longer datatype");
#define MPI_Neighbor_alltoallw_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallw_c())
PRESTO_MISSING(Neighbor_alltoallw_init, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoallw_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallw_init())
PRESTO_MISSING(Neighbor_alltoallw_init_c, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoallw_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallw_init_c())
PRESTO_MISSING(Op_create_c, "use MPI_Op_create, whose counts are ints, and a longer datatype");
#define MPI_Op_create_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Op_create_c())
PRESTO_MISSING(Open_port, "a Presto job has the ranks that it was started with");
#define MPI_Open_port(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Open_port())
PRESTO_MISSING(Pack_c, "use MPI_Pack, whose counts are ints, and a longer datatype");
#define MPI_Pack_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Pack_c())
PRESTO_MISSING(Pack_external_c,
               "use MPI_Pack_external, whose counts are ints, and a longer datatype");
#define MPI_Pack_external_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Pack_external_c())
PRESTO_MISSING(Pack_external_size_c,
               "use MPI_Pack_external_size, whose counts are ints, and a longer datatype");
#define MPI_Pack_external_size_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Pack_external_size_c())
PRESTO_MISSING(Pack_size_c, "use MPI_Pack_size, whose counts are ints, and a longer datatype");
#define MPI_Pack_size_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Pack_size_c())
PRESTO_MISSING(Parrived, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Parrived(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Parrived())
PRESTO_MISSING(Pready, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Pready(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Pready())
PRESTO_MISSING(Pready_list, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Pready_list(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Pready_list())
PRESTO_MISSING(Pready_range, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Pready_range(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Pready_range())
PRESTO_MISSING(Precv_init, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Precv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Precv_init())
PRESTO_MISSING(Psend_init, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Psend_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Psend_init())
PRESTO_MISSING(Publish_name, "a Presto job has the ranks that it was started with");
#define MPI_Publish_name(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Publish_name())
PRESTO_MISSING(Put_c, "use MPI_Put, whose counts are ints, and a longer datatype");
#define MPI_Put_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Put_c())
PRESTO_MISSING(Raccumulate_c, "use MPI_Raccumulate, whose counts are ints, and a longer datatype");
#define MPI_Raccumulate_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Raccumulate_c())
PRESTO_MISSING(Recv_c, "use MPI_Recv, whose counts are ints, and a longer datatype");
#define MPI_Recv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Recv_c())
PRESTO_MISSING(Recv_init_c, "use MPI_Recv_init, whose counts are ints, and a longer datatype");
#define MPI_Recv_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Recv_init_c())
PRESTO_MISSING(Reduce_c, "use MPI_Reduce, whose counts are ints, and a longer datatype");
#define MPI_Reduce_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_c())
PRESTO_MISSING(Reduce_init, "use the nonblocking collective operation");
#define MPI_Reduce_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_init())
PRESTO_MISSING(Reduce_init_c, "use the nonblocking collective operation");
#define MPI_Reduce_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_init_c())
PRESTO_MISSING(Reduce_local_c,
               "use MPI_Reduce_local, whose counts are ints, and a longer datatype");
#define MPI_Reduce_local_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_local_c())
PRESTO_MISSING(Reduce_scatter_block_c,
               "use MPI_Reduce_scatter_block, whose counts are ints, and a longer datatype");
#define MPI_Reduce_scatter_block_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_block_c())
PRESTO_MISSING(Reduce_scatter_block_init, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_block_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_block_init())
PRESTO_MISSING(Reduce_scatter_block_init_c, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_block_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_block_init_c())
PRESTO_MISSING(Reduce_scatter_c,
               "use MPI_Reduce_scatter, whose counts are ints, and a longer datatype");
#define MPI_Reduce_scatter_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_c())
PRESTO_MISSING(Reduce_scatter_init, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_init())
PRESTO_MISSING(Reduce_scatter_init_c, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_init_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_init_c())
PRESTO_MISSING(Register_datarep,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_Register_datarep(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Register_datarep())
PRESTO_MISSING(Register_datarep_c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_Register_datarep_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Register_datarep_c())
PRESTO_MISSING(Remove_error_class, "leave it out: what was added stays until MPI_Finalize");
#define MPI_Remove_error_class(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Remove_error_class())
PRESTO_MISSING(Remove_error_code, "leave it out: what was added stays until MPI_Finalize");
#define MPI_Remove_error_code(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Remove_error_code())
PRESTO_MISSING(Remove_error_string, "leave it out: what was added stays until MPI_Finalize");
#define MPI_Remove_error_string(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Remove_error_string())
PRESTO_MISSING(Request_get_status_all, "use MPI_Request_get_status for each request");
#define MPI_Request_get_status_all(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Request_get_status_all())
PRESTO_MISSING(Request_get_status_any, "use MPI_Request_get_status for each request");
#define MPI_Request_get_status_any(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Request_get_status_any())
PRESTO_MISSING(Request_get_status_some, "use MPI_Request_get_status for each request");
#define MPI_Request_get_status_some(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Request_get_status_some())
PRESTO_MISSING(Rget_accumulate_c,
               "use MPI_Rget_accumulate, whose counts are ints, and a longer datatype");
#define MPI_Rget_accumulate_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Rget_accumulate_c())
PRESTO_MISSING(Rget_c, "use MPI_Rget, whose counts are ints, and a longer datatype");
#define MPI_Rget_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Rget_c())
PRESTO_MISSING(Rput_c, "use MPI_Rput, whose counts are ints, and a longer datatype");
#define MPI_Rput_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Rput_c())
PRESTO_MISSING(Rsend_c, "use MPI_Rsend, whose counts are ints, and a longer datatype");
#define MPI_Rsend_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Rsend_c())
PRESTO_MISSING(Rsend_init_c, "use MPI_Rsend_init, whose counts are ints, and a longer datatype");
#define MPI_Rsend_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Rsend_init_c())
PRESTO_MISSING(Scan_c, "use MPI_Scan, whose counts are ints, and a longer datatype");
#define MPI_Scan_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scan_c())
PRESTO_MISSING(Scan_init, "use the nonblocking collective operation");
#define MPI_Scan_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scan_init())
PRESTO_MISSING(Scan_init_c, "use the nonblocking collective operation");
#define MPI_Scan_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scan_init_c())
PRESTO_MISSING(Scatter_c, "use MPI_Scatter, whose counts are ints, and a longer datatype");
#define MPI_Scatter_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatter_c())
PRESTO_MISSING(Scatter_init, "use the nonblocking collective operation");
#define MPI_Scatter_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatter_init())
PRESTO_MISSING(Scatter_init_c, "use the nonblocking collective operation");
#define MPI_Scatter_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatter_init_c())
PRESTO_MISSING(Scatterv_c, "use MPI_Scatterv, whose counts are ints, and a longer datatype");
#define MPI_Scatterv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatterv_c())
PRESTO_MISSING(Scatterv_init, "use the nonblocking collective operation");
#define MPI_Scatterv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatterv_init())
PRESTO_MISSING(Scatterv_init_c, "use the nonblocking collective operation");
#define MPI_Scatterv_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatterv_init_c())
PRESTO_MISSING(Send_c, "use MPI_Send, whose counts are ints, and a longer datatype");
#define MPI_Send_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Send_c())
PRESTO_MISSING(Send_init_c, "use MPI_Send_init, whose counts are ints, and a longer datatype");
#define MPI_Send_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Send_init_c())
PRESTO_MISSING(Sendrecv_c, "use MPI_Sendrecv, whose counts are ints, and a longer datatype");
#define MPI_Sendrecv_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Sendrecv_c())
PRESTO_MISSING(Sendrecv_replace_c,
               "use MPI_Sendrecv_replace, whose counts are ints, and a longer datatype");
#define MPI_Sendrecv_replace_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Sendrecv_replace_c())
PRESTO_MISSING(
    Session_attach_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Session_attach_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_attach_buffer())
PRESTO_MISSING(
    Session_attach_buffer_c,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Session_attach_buffer_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_attach_buffer_c())
PRESTO_MISSING(Session_call_errhandler, "use MPI_Init");
#define MPI_Session_call_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_call_errhandler())
PRESTO_MISSING(Session_create_errhandler, "use MPI_Init");
#define MPI_Session_create_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_create_errhandler())
PRESTO_MISSING(
    Session_detach_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Session_detach_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_detach_buffer())
PRESTO_MISSING(
    Session_detach_buffer_c,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Session_detach_buffer_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_detach_buffer_c())
PRESTO_MISSING(Session_finalize, "use MPI_Init");
#define MPI_Session_finalize(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_finalize())
PRESTO_MISSING(
    Session_flush_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Session_flush_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_flush_buffer())
PRESTO_MISSING(Session_get_errhandler, "use MPI_Init");
#define MPI_Session_get_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_get_errhandler())
PRESTO_MISSING(Session_get_info, "use MPI_Init");
#define MPI_Session_get_info(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_get_info())
PRESTO_MISSING(Session_get_nth_pset, "use MPI_Init");
#define MPI_Session_get_nth_pset(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_get_nth_pset())
PRESTO_MISSING(Session_get_num_psets, "use MPI_Init");
#define MPI_Session_get_num_psets(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_get_num_psets())
PRESTO_MISSING(Session_get_pset_info, "use MPI_Init");
#define MPI_Session_get_pset_info(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_get_pset_info())
PRESTO_MISSING(
    Session_iflush_buffer,
    "Presto has the one buffer of MPI_Buffer_attach, and MPI_Buffer_detach waits for it");
#define MPI_Session_iflush_buffer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_iflush_buffer())
PRESTO_MISSING(Session_init, "use MPI_Init");
#define MPI_Session_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_init())
PRESTO_MISSING(Session_set_errhandler, "use MPI_Init");
#define MPI_Session_set_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_set_errhandler())
PRESTO_MISSING(Ssend_c, "use MPI_Ssend, whose counts are ints, and a longer datatype");
#define MPI_Ssend_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ssend_c())
PRESTO_MISSING(Ssend_init_c, "use MPI_Ssend_init, whose counts are ints, and a longer datatype");
#define MPI_Ssend_init_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Ssend_init_c())
PRESTO_MISSING(Status_get_error, "use the member of MPI_Status: MPI_SOURCE, MPI_TAG or MPI_ERROR");
#define MPI_Status_get_error(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Status_get_error())
PRESTO_MISSING(Status_get_source, "use the member of MPI_Status: MPI_SOURCE, MPI_TAG or MPI_ERROR");
#define MPI_Status_get_source(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Status_get_source())
PRESTO_MISSING(Status_get_tag, "use the member of MPI_Status: MPI_SOURCE, MPI_TAG or MPI_ERROR");
#define MPI_Status_get_tag(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Status_get_tag())
PRESTO_MISSING(Status_set_elements_c,
               "use MPI_Status_set_elements, whose counts are ints, and a longer datatype");
#define MPI_Status_set_elements_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Status_set_elements_c())
PRESTO_MISSING(Status_set_error, "use the member of MPI_Status: MPI_SOURCE, MPI_TAG or MPI_ERROR");
#define MPI_Status_set_error(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Status_set_error())
PRESTO_MISSING(Status_set_source, "use the member of MPI_Status: MPI_SOURCE, MPI_TAG or MPI_ERROR");
#define MPI_Status_set_source(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Status_set_source())
PRESTO_MISSING(Status_set_tag, "use the member of MPI_Status: MPI_SOURCE, MPI_TAG or MPI_ERROR");
#define MPI_Status_set_tag(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Status_set_tag())
PRESTO_MISSING(T_category_changed,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_changed(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_category_changed())
PRESTO_MISSING(T_category_get_categories,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_categories(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_category_get_categories())
PRESTO_MISSING(T_category_get_cvars,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_cvars(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_category_get_cvars())
PRESTO_MISSING(T_category_get_index,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_index(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_category_get_index())
PRESTO_MISSING(T_category_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_info(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_category_get_info())
PRESTO_MISSING(T_category_get_num,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_num(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_category_get_num())
PRESTO_MISSING(T_category_get_pvars,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_pvars(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_category_get_pvars())
PRESTO_MISSING(T_cvar_get_index,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_get_index(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_cvar_get_index())
PRESTO_MISSING(T_cvar_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_get_info(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_cvar_get_info())
PRESTO_MISSING(T_cvar_get_num,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_get_num(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_cvar_get_num())
PRESTO_MISSING(T_cvar_handle_alloc,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_handle_alloc(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_cvar_handle_alloc())
PRESTO_MISSING(T_cvar_handle_free,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_handle_free(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_cvar_handle_free())
PRESTO_MISSING(T_cvar_read,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_read(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_cvar_read())
PRESTO_MISSING(T_cvar_write,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_write(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_cvar_write())
PRESTO_MISSING(T_enum_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_enum_get_info(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_enum_get_info())
PRESTO_MISSING(T_enum_get_item,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_enum_get_item(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_enum_get_item())
PRESTO_MISSING(T_finalize,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_finalize(...) presto_missing_MPI_T_finalize()
PRESTO_MISSING(T_init_thread,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_init_thread(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_init_thread())
PRESTO_MISSING(T_pvar_get_index,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_get_index(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_get_index())
PRESTO_MISSING(T_pvar_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_get_info(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_get_info())
PRESTO_MISSING(T_pvar_get_num,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_get_num(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_get_num())
PRESTO_MISSING(T_pvar_handle_alloc,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_handle_alloc(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_handle_alloc())
PRESTO_MISSING(T_pvar_handle_free,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_handle_free(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_handle_free())
PRESTO_MISSING(T_pvar_read,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_read(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_read())
PRESTO_MISSING(T_pvar_readreset,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_readreset(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_readreset())
PRESTO_MISSING(T_pvar_reset,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_reset(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_reset())
PRESTO_MISSING(T_pvar_session_create,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_session_create(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_session_create())
PRESTO_MISSING(T_pvar_session_free,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_session_free(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_session_free())
PRESTO_MISSING(T_pvar_start,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_start(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_start())
PRESTO_MISSING(T_pvar_stop,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_stop(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_stop())
PRESTO_MISSING(T_pvar_write,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_write(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_T_pvar_write())
PRESTO_MISSING(Type_contiguous_c,
               "use MPI_Type_contiguous, whose counts are ints, and a longer datatype");
#define MPI_Type_contiguous_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_contiguous_c())
PRESTO_MISSING(Type_create_darray_c,
               "use MPI_Type_create_darray, whose counts are ints, and a longer datatype");
#define MPI_Type_create_darray_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_darray_c())
PRESTO_MISSING(Type_create_hindexed_block_c,
               "use MPI_Type_create_hindexed_block, whose counts are ints, and a longer datatype");
#define MPI_Type_create_hindexed_block_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_hindexed_block_c())
PRESTO_MISSING(Type_create_hindexed_c,
               "use MPI_Type_create_hindexed, whose counts are ints, and a longer datatype");
#define MPI_Type_create_hindexed_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_hindexed_c())
PRESTO_MISSING(Type_create_hvector_c,
               "use MPI_Type_create_hvector, whose counts are ints, and a longer datatype");
#define MPI_Type_create_hvector_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_hvector_c())
PRESTO_MISSING(Type_create_indexed_block_c,
               "use MPI_Type_create_indexed_block, whose counts are ints, and a longer datatype");
#define MPI_Type_create_indexed_block_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_indexed_block_c())
PRESTO_MISSING(Type_create_resized_c,
               "use MPI_Type_create_resized, whose counts are ints, and a longer datatype");
#define MPI_Type_create_resized_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_resized_c())
PRESTO_MISSING(Type_create_struct_c,
               "use MPI_Type_create_struct, whose counts are ints, and a longer datatype");
#define MPI_Type_create_struct_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_struct_c())
PRESTO_MISSING(Type_create_subarray_c,
               "use MPI_Type_create_subarray, whose counts are ints, and a longer datatype");
#define MPI_Type_create_subarray_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_subarray_c())
PRESTO_MISSING(Type_get_contents_c,
               "use MPI_Type_get_contents, whose counts are ints, and a longer datatype");
#define MPI_Type_get_contents_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_get_contents_c())
PRESTO_MISSING(Type_get_envelope_c,
               "use MPI_Type_get_envelope, whose counts are ints, and a longer datatype");
#define MPI_Type_get_envelope_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_get_envelope_c())
PRESTO_MISSING(Type_get_extent_c,
               "use MPI_Type_get_extent, whose counts are ints, and a longer datatype");
#define MPI_Type_get_extent_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_get_extent_c())
PRESTO_MISSING(Type_get_true_extent_c,
               "use MPI_Type_get_true_extent, whose counts are ints, and a longer datatype");
#define MPI_Type_get_true_extent_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_get_true_extent_c())
PRESTO_MISSING(Type_get_value_index, "use the type of the pair, such as MPI_DOUBLE_INT");
#define MPI_Type_get_value_index(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_get_value_index())
PRESTO_MISSING(Type_indexed_c,
               "use MPI_Type_indexed, whose counts are ints, and a longer datatype");
#define MPI_Type_indexed_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_indexed_c())
PRESTO_MISSING(Type_size_c, "use MPI_Type_size, whose counts are ints, and a longer datatype");
#define MPI_Type_size_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_size_c())
PRESTO_MISSING(Type_vector_c, "use MPI_Type_vector, whose counts are ints, and a longer datatype");
#define MPI_Type_vector_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_vector_c())
PRESTO_MISSING(Unpack_c, "use MPI_Unpack, whose counts are ints, and a longer datatype");
#define MPI_Unpack_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Unpack_c())
PRESTO_MISSING(Unpack_external_c,
               "use MPI_Unpack_external, whose counts are ints, and a longer datatype");
#define MPI_Unpack_external_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Unpack_external_c())
PRESTO_MISSING(Unpublish_name, "a Presto job has the ranks that it was started with");
#define MPI_Unpublish_name(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Unpublish_name())
PRESTO_MISSING(Win_allocate_c,
               "use MPI_Win_allocate, whose counts are ints, and a longer datatype");
#define MPI_Win_allocate_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Win_allocate_c())
PRESTO_MISSING(Win_allocate_shared_c,
               "use MPI_Win_allocate_shared, whose counts are ints, and a longer datatype");
#define MPI_Win_allocate_shared_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Win_allocate_shared_c())
PRESTO_MISSING(Win_create_c, "use MPI_Win_create, whose counts are ints, and a longer datatype");
#define MPI_Win_create_c(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Win_create_c())
PRESTO_MISSING(Win_shared_query_c,
               "use MPI_Win_shared_query, whose counts are ints, and a longer datatype");
#define MPI_Win_shared_query_c(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Win_shared_query_c())

#endif
