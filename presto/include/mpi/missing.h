/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: functions that Presto does not have. A program that calls one does not compile, and is told which. */
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

PRESTO_MISSING(Accumulate, "use messages, or the put and get of apeni");
#define MPI_Accumulate(...) presto_missing_MPI_Accumulate()
PRESTO_MISSING(Allgather_init, "use the nonblocking collective operation");
#define MPI_Allgather_init(...) presto_missing_MPI_Allgather_init()
PRESTO_MISSING(Allgatherv_init, "use the nonblocking collective operation");
#define MPI_Allgatherv_init(...) presto_missing_MPI_Allgatherv_init()
PRESTO_MISSING(Allreduce_init, "use the nonblocking collective operation");
#define MPI_Allreduce_init(...) presto_missing_MPI_Allreduce_init()
PRESTO_MISSING(Alltoall_init, "use the nonblocking collective operation");
#define MPI_Alltoall_init(...) presto_missing_MPI_Alltoall_init()
PRESTO_MISSING(Alltoallv_init, "use the nonblocking collective operation");
#define MPI_Alltoallv_init(...) presto_missing_MPI_Alltoallv_init()
PRESTO_MISSING(Alltoallw_init, "use the nonblocking collective operation");
#define MPI_Alltoallw_init(...) presto_missing_MPI_Alltoallw_init()
PRESTO_MISSING(Barrier_init, "use the nonblocking collective operation");
#define MPI_Barrier_init(...) presto_missing_MPI_Barrier_init()
PRESTO_MISSING(Bcast_init, "use the nonblocking collective operation");
#define MPI_Bcast_init(...) presto_missing_MPI_Bcast_init()
PRESTO_MISSING(Close_port, "a Presto job has the ranks that it was started with");
#define MPI_Close_port(...) presto_missing_MPI_Close_port()
PRESTO_MISSING(Comm_accept, "a Presto job has the ranks that it was started with");
#define MPI_Comm_accept(...) presto_missing_MPI_Comm_accept()
PRESTO_MISSING(Comm_c2f, "Presto has no Fortran interface");
#define MPI_Comm_c2f(...) presto_missing_MPI_Comm_c2f()
PRESTO_MISSING(Comm_connect, "a Presto job has the ranks that it was started with");
#define MPI_Comm_connect(...) presto_missing_MPI_Comm_connect()
PRESTO_MISSING(Comm_create_from_group, "use MPI_Init");
#define MPI_Comm_create_from_group(...) presto_missing_MPI_Comm_create_from_group()
PRESTO_MISSING(Comm_f2c, "Presto has no Fortran interface");
#define MPI_Comm_f2c(...) presto_missing_MPI_Comm_f2c()
PRESTO_MISSING(Comm_join, "a Presto job has the ranks that it was started with");
#define MPI_Comm_join(...) presto_missing_MPI_Comm_join()
PRESTO_MISSING(Comm_remote_group,
               "Presto has intracommunicators only; use MPI_Comm_split and MPI_Comm_create");
#define MPI_Comm_remote_group(...) presto_missing_MPI_Comm_remote_group()
PRESTO_MISSING(Comm_remote_size,
               "Presto has intracommunicators only; use MPI_Comm_split and MPI_Comm_create");
#define MPI_Comm_remote_size(...) presto_missing_MPI_Comm_remote_size()
PRESTO_MISSING(Comm_spawn, "a Presto job has the ranks that it was started with");
#define MPI_Comm_spawn(...) presto_missing_MPI_Comm_spawn()
PRESTO_MISSING(Comm_spawn_multiple, "a Presto job has the ranks that it was started with");
#define MPI_Comm_spawn_multiple(...) presto_missing_MPI_Comm_spawn_multiple()
PRESTO_MISSING(Compare_and_swap, "use messages, or the put and get of apeni");
#define MPI_Compare_and_swap(...) presto_missing_MPI_Compare_and_swap()
PRESTO_MISSING(Dist_graph_create, "use MPI_Dist_graph_create_adjacent");
#define MPI_Dist_graph_create(...) presto_missing_MPI_Dist_graph_create()
PRESTO_MISSING(Errhandler_c2f, "Presto has no Fortran interface");
#define MPI_Errhandler_c2f(...) presto_missing_MPI_Errhandler_c2f()
PRESTO_MISSING(Errhandler_f2c, "Presto has no Fortran interface");
#define MPI_Errhandler_f2c(...) presto_missing_MPI_Errhandler_f2c()
PRESTO_MISSING(Exscan_init, "use the nonblocking collective operation");
#define MPI_Exscan_init(...) presto_missing_MPI_Exscan_init()
PRESTO_MISSING(Fetch_and_op, "use messages, or the put and get of apeni");
#define MPI_Fetch_and_op(...) presto_missing_MPI_Fetch_and_op()
PRESTO_MISSING(File_c2f,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_c2f(...) presto_missing_MPI_File_c2f()
PRESTO_MISSING(File_call_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_call_errhandler(...) presto_missing_MPI_File_call_errhandler()
PRESTO_MISSING(File_close,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_close(...) presto_missing_MPI_File_close()
PRESTO_MISSING(File_create_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_create_errhandler(...) presto_missing_MPI_File_create_errhandler()
PRESTO_MISSING(File_delete,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_delete(...) presto_missing_MPI_File_delete()
PRESTO_MISSING(File_f2c,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_f2c(...) presto_missing_MPI_File_f2c()
PRESTO_MISSING(File_get_amode,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_amode(...) presto_missing_MPI_File_get_amode()
PRESTO_MISSING(File_get_atomicity,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_atomicity(...) presto_missing_MPI_File_get_atomicity()
PRESTO_MISSING(File_get_byte_offset,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_byte_offset(...) presto_missing_MPI_File_get_byte_offset()
PRESTO_MISSING(File_get_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_errhandler(...) presto_missing_MPI_File_get_errhandler()
PRESTO_MISSING(File_get_group,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_group(...) presto_missing_MPI_File_get_group()
PRESTO_MISSING(File_get_info,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_info(...) presto_missing_MPI_File_get_info()
PRESTO_MISSING(File_get_position,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_position(...) presto_missing_MPI_File_get_position()
PRESTO_MISSING(File_get_position_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_position_shared(...) presto_missing_MPI_File_get_position_shared()
PRESTO_MISSING(File_get_size,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_size(...) presto_missing_MPI_File_get_size()
PRESTO_MISSING(File_get_type_extent,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_type_extent(...) presto_missing_MPI_File_get_type_extent()
PRESTO_MISSING(File_get_view,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_get_view(...) presto_missing_MPI_File_get_view()
PRESTO_MISSING(File_iread,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread(...) presto_missing_MPI_File_iread()
PRESTO_MISSING(File_iread_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_all(...) presto_missing_MPI_File_iread_all()
PRESTO_MISSING(File_iread_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at(...) presto_missing_MPI_File_iread_at()
PRESTO_MISSING(File_iread_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_at_all(...) presto_missing_MPI_File_iread_at_all()
PRESTO_MISSING(File_iread_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iread_shared(...) presto_missing_MPI_File_iread_shared()
PRESTO_MISSING(File_iwrite,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite(...) presto_missing_MPI_File_iwrite()
PRESTO_MISSING(File_iwrite_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_all(...) presto_missing_MPI_File_iwrite_all()
PRESTO_MISSING(File_iwrite_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at(...) presto_missing_MPI_File_iwrite_at()
PRESTO_MISSING(File_iwrite_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_at_all(...) presto_missing_MPI_File_iwrite_at_all()
PRESTO_MISSING(File_iwrite_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_iwrite_shared(...) presto_missing_MPI_File_iwrite_shared()
PRESTO_MISSING(File_open,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_open(...) presto_missing_MPI_File_open()
PRESTO_MISSING(File_preallocate,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_preallocate(...) presto_missing_MPI_File_preallocate()
PRESTO_MISSING(File_read,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read(...) presto_missing_MPI_File_read()
PRESTO_MISSING(File_read_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all(...) presto_missing_MPI_File_read_all()
PRESTO_MISSING(File_read_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all_begin(...) presto_missing_MPI_File_read_all_begin()
PRESTO_MISSING(File_read_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_all_end(...) presto_missing_MPI_File_read_all_end()
PRESTO_MISSING(File_read_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at(...) presto_missing_MPI_File_read_at()
PRESTO_MISSING(File_read_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all(...) presto_missing_MPI_File_read_at_all()
PRESTO_MISSING(File_read_at_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all_begin(...) presto_missing_MPI_File_read_at_all_begin()
PRESTO_MISSING(File_read_at_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_at_all_end(...) presto_missing_MPI_File_read_at_all_end()
PRESTO_MISSING(File_read_ordered,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered(...) presto_missing_MPI_File_read_ordered()
PRESTO_MISSING(File_read_ordered_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_begin(...) presto_missing_MPI_File_read_ordered_begin()
PRESTO_MISSING(File_read_ordered_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_ordered_end(...) presto_missing_MPI_File_read_ordered_end()
PRESTO_MISSING(File_read_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_read_shared(...) presto_missing_MPI_File_read_shared()
PRESTO_MISSING(File_seek,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_seek(...) presto_missing_MPI_File_seek()
PRESTO_MISSING(File_seek_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_seek_shared(...) presto_missing_MPI_File_seek_shared()
PRESTO_MISSING(File_set_atomicity,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_atomicity(...) presto_missing_MPI_File_set_atomicity()
PRESTO_MISSING(File_set_errhandler,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_errhandler(...) presto_missing_MPI_File_set_errhandler()
PRESTO_MISSING(File_set_info,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_info(...) presto_missing_MPI_File_set_info()
PRESTO_MISSING(File_set_size,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_size(...) presto_missing_MPI_File_set_size()
PRESTO_MISSING(File_set_view,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_set_view(...) presto_missing_MPI_File_set_view()
PRESTO_MISSING(File_sync,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_sync(...) presto_missing_MPI_File_sync()
PRESTO_MISSING(File_write,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write(...) presto_missing_MPI_File_write()
PRESTO_MISSING(File_write_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all(...) presto_missing_MPI_File_write_all()
PRESTO_MISSING(File_write_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all_begin(...) presto_missing_MPI_File_write_all_begin()
PRESTO_MISSING(File_write_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_all_end(...) presto_missing_MPI_File_write_all_end()
PRESTO_MISSING(File_write_at,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at(...) presto_missing_MPI_File_write_at()
PRESTO_MISSING(File_write_at_all,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all(...) presto_missing_MPI_File_write_at_all()
PRESTO_MISSING(File_write_at_all_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all_begin(...) presto_missing_MPI_File_write_at_all_begin()
PRESTO_MISSING(File_write_at_all_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_at_all_end(...) presto_missing_MPI_File_write_at_all_end()
PRESTO_MISSING(File_write_ordered,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered(...) presto_missing_MPI_File_write_ordered()
PRESTO_MISSING(File_write_ordered_begin,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_begin(...) presto_missing_MPI_File_write_ordered_begin()
PRESTO_MISSING(File_write_ordered_end,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_ordered_end(...) presto_missing_MPI_File_write_ordered_end()
PRESTO_MISSING(File_write_shared,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_File_write_shared(...) presto_missing_MPI_File_write_shared()
PRESTO_MISSING(Gather_init, "use the nonblocking collective operation");
#define MPI_Gather_init(...) presto_missing_MPI_Gather_init()
PRESTO_MISSING(Gatherv_init, "use the nonblocking collective operation");
#define MPI_Gatherv_init(...) presto_missing_MPI_Gatherv_init()
PRESTO_MISSING(Get, "use messages, or the put and get of apeni");
#define MPI_Get(...) presto_missing_MPI_Get()
PRESTO_MISSING(Get_accumulate, "use messages, or the put and get of apeni");
#define MPI_Get_accumulate(...) presto_missing_MPI_Get_accumulate()
PRESTO_MISSING(Graph_map, "use MPI_Graph_create");
#define MPI_Graph_map(...) presto_missing_MPI_Graph_map()
PRESTO_MISSING(Group_c2f, "Presto has no Fortran interface");
#define MPI_Group_c2f(...) presto_missing_MPI_Group_c2f()
PRESTO_MISSING(Group_f2c, "Presto has no Fortran interface");
#define MPI_Group_f2c(...) presto_missing_MPI_Group_f2c()
PRESTO_MISSING(Group_from_session_pset, "use MPI_Init");
#define MPI_Group_from_session_pset(...) presto_missing_MPI_Group_from_session_pset()
PRESTO_MISSING(Info_c2f, "Presto has no Fortran interface");
#define MPI_Info_c2f(...) presto_missing_MPI_Info_c2f()
PRESTO_MISSING(Info_create_env, "see the porting guide");
#define MPI_Info_create_env(...) presto_missing_MPI_Info_create_env()
PRESTO_MISSING(Info_f2c, "Presto has no Fortran interface");
#define MPI_Info_f2c(...) presto_missing_MPI_Info_f2c()
PRESTO_MISSING(Intercomm_create,
               "Presto has intracommunicators only; use MPI_Comm_split and MPI_Comm_create");
#define MPI_Intercomm_create(...) presto_missing_MPI_Intercomm_create()
PRESTO_MISSING(Intercomm_merge,
               "Presto has intracommunicators only; use MPI_Comm_split and MPI_Comm_create");
#define MPI_Intercomm_merge(...) presto_missing_MPI_Intercomm_merge()
PRESTO_MISSING(Isendrecv, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv(...) presto_missing_MPI_Isendrecv()
PRESTO_MISSING(Isendrecv_replace, "use MPI_Isend and MPI_Irecv");
#define MPI_Isendrecv_replace(...) presto_missing_MPI_Isendrecv_replace()
PRESTO_MISSING(Lookup_name, "a Presto job has the ranks that it was started with");
#define MPI_Lookup_name(...) presto_missing_MPI_Lookup_name()
PRESTO_MISSING(Message_c2f, "Presto has no Fortran interface");
#define MPI_Message_c2f(...) presto_missing_MPI_Message_c2f()
PRESTO_MISSING(Message_f2c, "Presto has no Fortran interface");
#define MPI_Message_f2c(...) presto_missing_MPI_Message_f2c()
PRESTO_MISSING(Op_c2f, "Presto has no Fortran interface");
#define MPI_Op_c2f(...) presto_missing_MPI_Op_c2f()
PRESTO_MISSING(Op_f2c, "Presto has no Fortran interface");
#define MPI_Op_f2c(...) presto_missing_MPI_Op_f2c()
PRESTO_MISSING(Open_port, "a Presto job has the ranks that it was started with");
#define MPI_Open_port(...) presto_missing_MPI_Open_port()
PRESTO_MISSING(Pack_external,
               "use MPI_Pack and MPI_Unpack: all ranks have the same data representation");
#define MPI_Pack_external(...) presto_missing_MPI_Pack_external()
PRESTO_MISSING(Pack_external_size,
               "use MPI_Pack and MPI_Unpack: all ranks have the same data representation");
#define MPI_Pack_external_size(...) presto_missing_MPI_Pack_external_size()
PRESTO_MISSING(Parrived, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Parrived(...) presto_missing_MPI_Parrived()
PRESTO_MISSING(Pready, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Pready(...) presto_missing_MPI_Pready()
PRESTO_MISSING(Precv_init, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Precv_init(...) presto_missing_MPI_Precv_init()
PRESTO_MISSING(Psend_init, "use MPI_Send_init and MPI_Recv_init");
#define MPI_Psend_init(...) presto_missing_MPI_Psend_init()
PRESTO_MISSING(Publish_name, "a Presto job has the ranks that it was started with");
#define MPI_Publish_name(...) presto_missing_MPI_Publish_name()
PRESTO_MISSING(Put, "use messages, or the put and get of apeni");
#define MPI_Put(...) presto_missing_MPI_Put()
PRESTO_MISSING(Raccumulate, "use messages, or the put and get of apeni");
#define MPI_Raccumulate(...) presto_missing_MPI_Raccumulate()
PRESTO_MISSING(Reduce_init, "use the nonblocking collective operation");
#define MPI_Reduce_init(...) presto_missing_MPI_Reduce_init()
PRESTO_MISSING(Reduce_scatter_block_init, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_block_init(...) presto_missing_MPI_Reduce_scatter_block_init()
PRESTO_MISSING(Reduce_scatter_init, "use the nonblocking collective operation");
#define MPI_Reduce_scatter_init(...) presto_missing_MPI_Reduce_scatter_init()
PRESTO_MISSING(Register_datarep,
               "MPI-IO is not part of Presto; write with POSIX I/O, each rank at its own offset");
#define MPI_Register_datarep(...) presto_missing_MPI_Register_datarep()
PRESTO_MISSING(Request_c2f, "Presto has no Fortran interface");
#define MPI_Request_c2f(...) presto_missing_MPI_Request_c2f()
PRESTO_MISSING(Request_f2c, "Presto has no Fortran interface");
#define MPI_Request_f2c(...) presto_missing_MPI_Request_f2c()
PRESTO_MISSING(Rget, "use messages, or the put and get of apeni");
#define MPI_Rget(...) presto_missing_MPI_Rget()
PRESTO_MISSING(Rget_accumulate, "use messages, or the put and get of apeni");
#define MPI_Rget_accumulate(...) presto_missing_MPI_Rget_accumulate()
PRESTO_MISSING(Rput, "use messages, or the put and get of apeni");
#define MPI_Rput(...) presto_missing_MPI_Rput()
PRESTO_MISSING(Scan_init, "use the nonblocking collective operation");
#define MPI_Scan_init(...) presto_missing_MPI_Scan_init()
PRESTO_MISSING(Scatter_init, "use the nonblocking collective operation");
#define MPI_Scatter_init(...) presto_missing_MPI_Scatter_init()
PRESTO_MISSING(Scatterv_init, "use the nonblocking collective operation");
#define MPI_Scatterv_init(...) presto_missing_MPI_Scatterv_init()
PRESTO_MISSING(Session_finalize, "use MPI_Init");
#define MPI_Session_finalize(...) presto_missing_MPI_Session_finalize()
PRESTO_MISSING(Session_get_nth_psets, "use MPI_Init");
#define MPI_Session_get_nth_psets(...) presto_missing_MPI_Session_get_nth_psets()
PRESTO_MISSING(Session_get_num_psets, "use MPI_Init");
#define MPI_Session_get_num_psets(...) presto_missing_MPI_Session_get_num_psets()
PRESTO_MISSING(Session_init, "use MPI_Init");
#define MPI_Session_init(...) presto_missing_MPI_Session_init()
PRESTO_MISSING(Status_c2f, "Presto has no Fortran interface");
#define MPI_Status_c2f(...) presto_missing_MPI_Status_c2f()
PRESTO_MISSING(Status_f2c, "Presto has no Fortran interface");
#define MPI_Status_f2c(...) presto_missing_MPI_Status_f2c()
PRESTO_MISSING(T_category_changed,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_changed(...) presto_missing_MPI_T_category_changed()
PRESTO_MISSING(T_category_get_categories,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_categories(...) presto_missing_MPI_T_category_get_categories()
PRESTO_MISSING(T_category_get_cvars,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_cvars(...) presto_missing_MPI_T_category_get_cvars()
PRESTO_MISSING(T_category_get_index,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_index(...) presto_missing_MPI_T_category_get_index()
PRESTO_MISSING(T_category_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_info(...) presto_missing_MPI_T_category_get_info()
PRESTO_MISSING(T_category_get_num,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_num(...) presto_missing_MPI_T_category_get_num()
PRESTO_MISSING(T_category_get_pvars,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_category_get_pvars(...) presto_missing_MPI_T_category_get_pvars()
PRESTO_MISSING(T_cvar_get_index,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_get_index(...) presto_missing_MPI_T_cvar_get_index()
PRESTO_MISSING(T_cvar_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_get_info(...) presto_missing_MPI_T_cvar_get_info()
PRESTO_MISSING(T_cvar_get_num,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_get_num(...) presto_missing_MPI_T_cvar_get_num()
PRESTO_MISSING(T_cvar_handle_alloc,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_handle_alloc(...) presto_missing_MPI_T_cvar_handle_alloc()
PRESTO_MISSING(T_cvar_handle_free,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_handle_free(...) presto_missing_MPI_T_cvar_handle_free()
PRESTO_MISSING(T_cvar_read,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_read(...) presto_missing_MPI_T_cvar_read()
PRESTO_MISSING(T_cvar_write,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_cvar_write(...) presto_missing_MPI_T_cvar_write()
PRESTO_MISSING(T_enum_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_enum_get_info(...) presto_missing_MPI_T_enum_get_info()
PRESTO_MISSING(T_enum_get_item,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_enum_get_item(...) presto_missing_MPI_T_enum_get_item()
PRESTO_MISSING(T_finalize,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_finalize(...) presto_missing_MPI_T_finalize()
PRESTO_MISSING(T_init_thread,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_init_thread(...) presto_missing_MPI_T_init_thread()
PRESTO_MISSING(T_pvar_get_index,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_get_index(...) presto_missing_MPI_T_pvar_get_index()
PRESTO_MISSING(T_pvar_get_info,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_get_info(...) presto_missing_MPI_T_pvar_get_info()
PRESTO_MISSING(T_pvar_get_num,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_get_num(...) presto_missing_MPI_T_pvar_get_num()
PRESTO_MISSING(T_pvar_handle_alloc,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_handle_alloc(...) presto_missing_MPI_T_pvar_handle_alloc()
PRESTO_MISSING(T_pvar_handle_free,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_handle_free(...) presto_missing_MPI_T_pvar_handle_free()
PRESTO_MISSING(T_pvar_read,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_read(...) presto_missing_MPI_T_pvar_read()
PRESTO_MISSING(T_pvar_readreset,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_readreset(...) presto_missing_MPI_T_pvar_readreset()
PRESTO_MISSING(T_pvar_reset,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_reset(...) presto_missing_MPI_T_pvar_reset()
PRESTO_MISSING(T_pvar_session_create,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_session_create(...) presto_missing_MPI_T_pvar_session_create()
PRESTO_MISSING(T_pvar_session_free,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_session_free(...) presto_missing_MPI_T_pvar_session_free()
PRESTO_MISSING(T_pvar_start,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_start(...) presto_missing_MPI_T_pvar_start()
PRESTO_MISSING(T_pvar_stop,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_stop(...) presto_missing_MPI_T_pvar_stop()
PRESTO_MISSING(T_pvar_write,
               "the tool interface is not part of Presto; apeni-info prints its statistics");
#define MPI_T_pvar_write(...) presto_missing_MPI_T_pvar_write()
PRESTO_MISSING(Type_c2f, "Presto has no Fortran interface");
#define MPI_Type_c2f(...) presto_missing_MPI_Type_c2f()
PRESTO_MISSING(Type_create_darray, "use MPI_Type_create_subarray");
#define MPI_Type_create_darray(...) presto_missing_MPI_Type_create_darray()
PRESTO_MISSING(Type_create_f90_complex, "Presto has no Fortran interface");
#define MPI_Type_create_f90_complex(...) presto_missing_MPI_Type_create_f90_complex()
PRESTO_MISSING(Type_create_f90_integer, "Presto has no Fortran interface");
#define MPI_Type_create_f90_integer(...) presto_missing_MPI_Type_create_f90_integer()
PRESTO_MISSING(Type_create_f90_real, "Presto has no Fortran interface");
#define MPI_Type_create_f90_real(...) presto_missing_MPI_Type_create_f90_real()
PRESTO_MISSING(Type_f2c, "Presto has no Fortran interface");
#define MPI_Type_f2c(...) presto_missing_MPI_Type_f2c()
PRESTO_MISSING(Unpack_external,
               "use MPI_Pack and MPI_Unpack: all ranks have the same data representation");
#define MPI_Unpack_external(...) presto_missing_MPI_Unpack_external()
PRESTO_MISSING(Unpublish_name, "a Presto job has the ranks that it was started with");
#define MPI_Unpublish_name(...) presto_missing_MPI_Unpublish_name()
PRESTO_MISSING(Win_allocate, "use messages, or the put and get of apeni");
#define MPI_Win_allocate(...) presto_missing_MPI_Win_allocate()
PRESTO_MISSING(Win_allocate_shared, "use messages, or the put and get of apeni");
#define MPI_Win_allocate_shared(...) presto_missing_MPI_Win_allocate_shared()
PRESTO_MISSING(Win_attach, "use messages, or the put and get of apeni");
#define MPI_Win_attach(...) presto_missing_MPI_Win_attach()
PRESTO_MISSING(Win_c2f, "Presto has no Fortran interface");
#define MPI_Win_c2f(...) presto_missing_MPI_Win_c2f()
PRESTO_MISSING(Win_call_errhandler, "use messages, or the put and get of apeni");
#define MPI_Win_call_errhandler(...) presto_missing_MPI_Win_call_errhandler()
PRESTO_MISSING(Win_complete, "use messages, or the put and get of apeni");
#define MPI_Win_complete(...) presto_missing_MPI_Win_complete()
PRESTO_MISSING(Win_create, "use messages, or the put and get of apeni");
#define MPI_Win_create(...) presto_missing_MPI_Win_create()
PRESTO_MISSING(Win_create_dynamic, "use messages, or the put and get of apeni");
#define MPI_Win_create_dynamic(...) presto_missing_MPI_Win_create_dynamic()
PRESTO_MISSING(Win_create_errhandler, "use messages, or the put and get of apeni");
#define MPI_Win_create_errhandler(...) presto_missing_MPI_Win_create_errhandler()
PRESTO_MISSING(Win_create_keyval, "use messages, or the put and get of apeni");
#define MPI_Win_create_keyval(...) presto_missing_MPI_Win_create_keyval()
PRESTO_MISSING(Win_delete_attr, "use messages, or the put and get of apeni");
#define MPI_Win_delete_attr(...) presto_missing_MPI_Win_delete_attr()
PRESTO_MISSING(Win_detach, "use messages, or the put and get of apeni");
#define MPI_Win_detach(...) presto_missing_MPI_Win_detach()
PRESTO_MISSING(Win_f2c, "Presto has no Fortran interface");
#define MPI_Win_f2c(...) presto_missing_MPI_Win_f2c()
PRESTO_MISSING(Win_fence, "use messages, or the put and get of apeni");
#define MPI_Win_fence(...) presto_missing_MPI_Win_fence()
PRESTO_MISSING(Win_flush, "use messages, or the put and get of apeni");
#define MPI_Win_flush(...) presto_missing_MPI_Win_flush()
PRESTO_MISSING(Win_flush_all, "use messages, or the put and get of apeni");
#define MPI_Win_flush_all(...) presto_missing_MPI_Win_flush_all()
PRESTO_MISSING(Win_flush_local, "use messages, or the put and get of apeni");
#define MPI_Win_flush_local(...) presto_missing_MPI_Win_flush_local()
PRESTO_MISSING(Win_flush_local_all, "use messages, or the put and get of apeni");
#define MPI_Win_flush_local_all(...) presto_missing_MPI_Win_flush_local_all()
PRESTO_MISSING(Win_free, "use messages, or the put and get of apeni");
#define MPI_Win_free(...) presto_missing_MPI_Win_free()
PRESTO_MISSING(Win_free_keyval, "use messages, or the put and get of apeni");
#define MPI_Win_free_keyval(...) presto_missing_MPI_Win_free_keyval()
PRESTO_MISSING(Win_get_attr, "use messages, or the put and get of apeni");
#define MPI_Win_get_attr(...) presto_missing_MPI_Win_get_attr()
PRESTO_MISSING(Win_get_errhandler, "use messages, or the put and get of apeni");
#define MPI_Win_get_errhandler(...) presto_missing_MPI_Win_get_errhandler()
PRESTO_MISSING(Win_get_group, "use messages, or the put and get of apeni");
#define MPI_Win_get_group(...) presto_missing_MPI_Win_get_group()
PRESTO_MISSING(Win_get_info, "use messages, or the put and get of apeni");
#define MPI_Win_get_info(...) presto_missing_MPI_Win_get_info()
PRESTO_MISSING(Win_get_name, "use messages, or the put and get of apeni");
#define MPI_Win_get_name(...) presto_missing_MPI_Win_get_name()
PRESTO_MISSING(Win_lock, "use messages, or the put and get of apeni");
#define MPI_Win_lock(...) presto_missing_MPI_Win_lock()
PRESTO_MISSING(Win_lock_all, "use messages, or the put and get of apeni");
#define MPI_Win_lock_all(...) presto_missing_MPI_Win_lock_all()
PRESTO_MISSING(Win_post, "use messages, or the put and get of apeni");
#define MPI_Win_post(...) presto_missing_MPI_Win_post()
PRESTO_MISSING(Win_set_attr, "use messages, or the put and get of apeni");
#define MPI_Win_set_attr(...) presto_missing_MPI_Win_set_attr()
PRESTO_MISSING(Win_set_errhandler, "use messages, or the put and get of apeni");
#define MPI_Win_set_errhandler(...) presto_missing_MPI_Win_set_errhandler()
PRESTO_MISSING(Win_set_info, "use messages, or the put and get of apeni");
#define MPI_Win_set_info(...) presto_missing_MPI_Win_set_info()
PRESTO_MISSING(Win_set_name, "use messages, or the put and get of apeni");
#define MPI_Win_set_name(...) presto_missing_MPI_Win_set_name()
PRESTO_MISSING(Win_shared_query, "use messages, or the put and get of apeni");
#define MPI_Win_shared_query(...) presto_missing_MPI_Win_shared_query()
PRESTO_MISSING(Win_start, "use messages, or the put and get of apeni");
#define MPI_Win_start(...) presto_missing_MPI_Win_start()
PRESTO_MISSING(Win_sync, "use messages, or the put and get of apeni");
#define MPI_Win_sync(...) presto_missing_MPI_Win_sync()
PRESTO_MISSING(Win_test, "use messages, or the put and get of apeni");
#define MPI_Win_test(...) presto_missing_MPI_Win_test()
PRESTO_MISSING(Win_unlock, "use messages, or the put and get of apeni");
#define MPI_Win_unlock(...) presto_missing_MPI_Win_unlock()
PRESTO_MISSING(Win_unlock_all, "use messages, or the put and get of apeni");
#define MPI_Win_unlock_all(...) presto_missing_MPI_Win_unlock_all()
PRESTO_MISSING(Win_wait, "use messages, or the put and get of apeni");
#define MPI_Win_wait(...) presto_missing_MPI_Win_wait()

#endif
