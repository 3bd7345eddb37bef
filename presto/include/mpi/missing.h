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

PRESTO_MISSING(Allgather_init, "use the nonblocking collective operation");
#define MPI_Allgather_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgather_init())
PRESTO_MISSING(Allgatherv_init, "use the nonblocking collective operation");
#define MPI_Allgatherv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allgatherv_init())
PRESTO_MISSING(Allreduce_init, "use the nonblocking collective operation");
#define MPI_Allreduce_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Allreduce_init())
PRESTO_MISSING(Alltoall_init, "use the nonblocking collective operation");
#define MPI_Alltoall_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoall_init())
PRESTO_MISSING(Alltoallv_init, "use the nonblocking collective operation");
#define MPI_Alltoallv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallv_init())
PRESTO_MISSING(Alltoallw_init, "use the nonblocking collective operation");
#define MPI_Alltoallw_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Alltoallw_init())
PRESTO_MISSING(Barrier_init, "use the nonblocking collective operation");
#define MPI_Barrier_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Barrier_init())
PRESTO_MISSING(Bcast_init, "use the nonblocking collective operation");
#define MPI_Bcast_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Bcast_init())
PRESTO_MISSING(Close_port, "a Presto job has the ranks that it was started with");
#define MPI_Close_port(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Close_port())
PRESTO_MISSING(Comm_accept, "a Presto job has the ranks that it was started with");
#define MPI_Comm_accept(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_accept())
PRESTO_MISSING(Comm_connect, "a Presto job has the ranks that it was started with");
#define MPI_Comm_connect(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_connect())
PRESTO_MISSING(Comm_create_from_group, "use MPI_Init");
#define MPI_Comm_create_from_group(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_create_from_group())
PRESTO_MISSING(Comm_idup_with_info, "use MPI_Comm_idup and MPI_Comm_set_info");
#define MPI_Comm_idup_with_info(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_idup_with_info())
PRESTO_MISSING(Comm_join, "a Presto job has the ranks that it was started with");
#define MPI_Comm_join(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_join())
PRESTO_MISSING(Comm_spawn, "a Presto job has the ranks that it was started with");
#define MPI_Comm_spawn(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_spawn())
PRESTO_MISSING(Comm_spawn_multiple, "a Presto job has the ranks that it was started with");
#define MPI_Comm_spawn_multiple(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Comm_spawn_multiple())
PRESTO_MISSING(Exscan_init, "use the nonblocking collective operation");
#define MPI_Exscan_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Exscan_init())
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
PRESTO_MISSING(File_get_view,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_view(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_get_view())
PRESTO_MISSING(File_iread,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread())
PRESTO_MISSING(File_iread_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_all(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_all())
PRESTO_MISSING(File_iread_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_at())
PRESTO_MISSING(File_iread_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at_all(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_at_all())
PRESTO_MISSING(File_iread_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_shared(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iread_shared())
PRESTO_MISSING(File_iwrite,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite())
PRESTO_MISSING(File_iwrite_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_all(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_all())
PRESTO_MISSING(File_iwrite_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_at())
PRESTO_MISSING(File_iwrite_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at_all(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_at_all())
PRESTO_MISSING(File_iwrite_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_shared(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_iwrite_shared())
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
PRESTO_MISSING(File_read_at_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_at_all_end())
PRESTO_MISSING(File_read_ordered,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered())
PRESTO_MISSING(File_read_ordered_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered_begin())
PRESTO_MISSING(File_read_ordered_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_ordered_end())
PRESTO_MISSING(File_read_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_shared(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_read_shared())
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
PRESTO_MISSING(File_write_at_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_at_all_end())
PRESTO_MISSING(File_write_ordered,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered())
PRESTO_MISSING(File_write_ordered_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_begin(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered_begin())
PRESTO_MISSING(File_write_ordered_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_end(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_ordered_end())
PRESTO_MISSING(File_write_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_shared(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_File_write_shared())
PRESTO_MISSING(Gather_init, "use the nonblocking collective operation");
#define MPI_Gather_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gather_init())
PRESTO_MISSING(Gatherv_init, "use the nonblocking collective operation");
#define MPI_Gatherv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Gatherv_init())
PRESTO_MISSING(Group_from_session_pset, "use MPI_Init");
#define MPI_Group_from_session_pset(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Group_from_session_pset())
PRESTO_MISSING(Info_create_env, "see the porting guide");
#define MPI_Info_create_env(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Info_create_env())
PRESTO_MISSING(Info_get_string, "use MPI_Info_get_valuelen and MPI_Info_get");
#define MPI_Info_get_string(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Info_get_string())
PRESTO_MISSING(Intercomm_create_from_groups, "use MPI_Init");
#define MPI_Intercomm_create_from_groups(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Intercomm_create_from_groups())
PRESTO_MISSING(Isendrecv, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Isendrecv())
PRESTO_MISSING(Isendrecv_replace, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv_replace(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Isendrecv_replace())
PRESTO_MISSING(Lookup_name, "a Presto job has the ranks that it was started with");
#define MPI_Lookup_name(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Lookup_name())
PRESTO_MISSING(Neighbor_allgather_init, "use the nonblocking collective operation");
#define MPI_Neighbor_allgather_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgather_init())
PRESTO_MISSING(Neighbor_allgatherv_init, "use the nonblocking collective operation");
#define MPI_Neighbor_allgatherv_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_allgatherv_init())
PRESTO_MISSING(Neighbor_alltoall_init, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoall_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoall_init())
PRESTO_MISSING(Neighbor_alltoallv_init, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoallv_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallv_init())
PRESTO_MISSING(Neighbor_alltoallw_init, "use the nonblocking collective operation");
#define MPI_Neighbor_alltoallw_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Neighbor_alltoallw_init())
PRESTO_MISSING(Open_port, "a Presto job has the ranks that it was started with");
#define MPI_Open_port(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Open_port())
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
PRESTO_MISSING(Reduce_init, "use the nonblocking collective operation");
#define MPI_Reduce_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_init())
PRESTO_MISSING(Reduce_scatter_block_init, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_block_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_block_init())
PRESTO_MISSING(Reduce_scatter_init, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_init(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Reduce_scatter_init())
PRESTO_MISSING(Register_datarep,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_Register_datarep(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Register_datarep())
PRESTO_MISSING(Scan_init, "use the nonblocking collective operation");
#define MPI_Scan_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scan_init())
PRESTO_MISSING(Scatter_init, "use the nonblocking collective operation");
#define MPI_Scatter_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatter_init())
PRESTO_MISSING(Scatterv_init, "use the nonblocking collective operation");
#define MPI_Scatterv_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Scatterv_init())
PRESTO_MISSING(Session_call_errhandler, "use MPI_Init");
#define MPI_Session_call_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_call_errhandler())
PRESTO_MISSING(Session_create_errhandler, "use MPI_Init");
#define MPI_Session_create_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_create_errhandler())
PRESTO_MISSING(Session_finalize, "use MPI_Init");
#define MPI_Session_finalize(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_finalize())
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
PRESTO_MISSING(Session_init, "use MPI_Init");
#define MPI_Session_init(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_init())
PRESTO_MISSING(Session_set_errhandler, "use MPI_Init");
#define MPI_Session_set_errhandler(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Session_set_errhandler())
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
PRESTO_MISSING(Type_create_f90_complex, "Presto has no Fortran interface");
#define MPI_Type_create_f90_complex(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_f90_complex())
PRESTO_MISSING(Type_create_f90_integer, "Presto has no Fortran interface");
#define MPI_Type_create_f90_integer(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_f90_integer())
PRESTO_MISSING(Type_create_f90_real, "Presto has no Fortran interface");
#define MPI_Type_create_f90_real(...) \
    (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Type_create_f90_real())
PRESTO_MISSING(Unpublish_name, "a Presto job has the ranks that it was started with");
#define MPI_Unpublish_name(...) (PRESTO_USED(__VA_ARGS__), presto_missing_MPI_Unpublish_name())

#endif
