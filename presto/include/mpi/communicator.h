/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: communicators, groups, attributes, topologies. */
#ifndef PRESTO_MPI_COMMUNICATOR_H
#define PRESTO_MPI_COMMUNICATOR_H

PRESTO_FN(int, Comm_rank, (MPI_Comm comm, int *rank));
PRESTO_FN(int, Comm_size, (MPI_Comm comm, int *size));
PRESTO_FN(int, Comm_compare, (MPI_Comm one, MPI_Comm other, int *result));
PRESTO_FN(int, Comm_dup, (MPI_Comm comm, MPI_Comm *copy));
PRESTO_FN(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *copy));
PRESTO_FN(int, Comm_idup, (MPI_Comm comm, MPI_Comm *copy, MPI_Request *request));
PRESTO_FN(int, Comm_idup_with_info,
          (MPI_Comm comm, MPI_Info info, MPI_Comm *copy, MPI_Request *request));
PRESTO_FN(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *part));
PRESTO_FN(int, Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part));
PRESTO_FN(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *part));
PRESTO_FN(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *part));
PRESTO_FN(int, Comm_free, (MPI_Comm * comm));
PRESTO_FN(int, Comm_disconnect, (MPI_Comm * comm));
PRESTO_FN(int, Comm_group, (MPI_Comm comm, MPI_Group *group));
PRESTO_FN(int, Comm_test_inter, (MPI_Comm comm, int *flag));
PRESTO_FN(int, Comm_remote_size, (MPI_Comm comm, int *size));
PRESTO_FN(int, Comm_remote_group, (MPI_Comm comm, MPI_Group *group));
PRESTO_FN(int, Intercomm_create,
          (MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm *inter));
PRESTO_FN(int, Intercomm_merge, (MPI_Comm inter, int high, MPI_Comm *intra));
PRESTO_FN(int, Comm_get_parent, (MPI_Comm * parent));
PRESTO_FN(int, Comm_spawn,
          (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
           MPI_Comm *intercomm, int errcodes[]));
PRESTO_FN(int, Comm_spawn_multiple,
          (int count, char *commands[], char **argvs[], const int maxprocs[],
           const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *intercomm, int errcodes[]));
PRESTO_FN(int, Comm_accept,
          (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm));
PRESTO_FN(int, Comm_connect,
          (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm));
PRESTO_FN(int, Comm_join, (int fd, MPI_Comm *intercomm));
PRESTO_FN(int, Open_port, (MPI_Info info, char *port));
PRESTO_FN(int, Close_port, (const char *port));
PRESTO_FN(int, Publish_name, (const char *service, MPI_Info info, const char *port));
PRESTO_FN(int, Unpublish_name, (const char *service, MPI_Info info, const char *port));
PRESTO_FN(int, Lookup_name, (const char *service, MPI_Info info, char *port));
PRESTO_FN(int, Comm_get_name, (MPI_Comm comm, char *name, int *length));
PRESTO_FN(int, Comm_set_name, (MPI_Comm comm, const char *name));
PRESTO_FN(int, Comm_get_info, (MPI_Comm comm, MPI_Info *info));
PRESTO_FN(int, Comm_set_info, (MPI_Comm comm, MPI_Info info));

PRESTO_FN(int, Comm_create_keyval,
          (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *release, int *keyval,
           void *extra));
PRESTO_FN(int, Comm_free_keyval, (int *keyval));
PRESTO_FN(int, Comm_set_attr, (MPI_Comm comm, int keyval, void *value));
PRESTO_FN(int, Comm_get_attr, (MPI_Comm comm, int keyval, void *value, int *flag));
PRESTO_FN(int, Comm_delete_attr, (MPI_Comm comm, int keyval));
PRESTO_FN(int, Keyval_create,
          (MPI_Copy_function * copy, MPI_Delete_function *release, int *keyval, void *extra));
PRESTO_FN(int, Keyval_free, (int *keyval));
PRESTO_FN(int, Attr_put, (MPI_Comm comm, int keyval, void *value));
PRESTO_FN(int, Attr_get, (MPI_Comm comm, int keyval, void *value, int *flag));
PRESTO_FN(int, Attr_delete, (MPI_Comm comm, int keyval));

#define MPI_COMM_NULL_COPY_FN   ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_NULL_COPY_FN        ((MPI_Copy_function *)0)
#define MPI_NULL_DELETE_FN      ((MPI_Delete_function *)0)
#define MPI_DUP_FN              MPI_COMM_DUP_FN
PRESTO_FN(int, COMM_DUP_FN,
          (MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag));

PRESTO_FN(int, Group_size, (MPI_Group group, int *size));
PRESTO_FN(int, Group_rank, (MPI_Group group, int *rank));
PRESTO_FN(int, Group_compare, (MPI_Group one, MPI_Group other, int *result));
PRESTO_FN(int, Group_translate_ranks,
          (MPI_Group from, int count, const int ranks[], MPI_Group to, int translated[]));
PRESTO_FN(int, Group_union, (MPI_Group one, MPI_Group other, MPI_Group *group));
PRESTO_FN(int, Group_intersection, (MPI_Group one, MPI_Group other, MPI_Group *group));
PRESTO_FN(int, Group_difference, (MPI_Group one, MPI_Group other, MPI_Group *group));
PRESTO_FN(int, Group_incl, (MPI_Group from, int count, const int ranks[], MPI_Group *group));
PRESTO_FN(int, Group_excl, (MPI_Group from, int count, const int ranks[], MPI_Group *group));
PRESTO_FN(int, Group_range_incl, (MPI_Group from, int count, int ranges[][3], MPI_Group *group));
PRESTO_FN(int, Group_range_excl, (MPI_Group from, int count, int ranges[][3], MPI_Group *group));
PRESTO_FN(int, Group_free, (MPI_Group * group));

PRESTO_FN(int, Topo_test, (MPI_Comm comm, int *kind));
PRESTO_FN(int, Dims_create, (int ranks, int count, int dims[]));
PRESTO_FN(int, Cart_create,
          (MPI_Comm comm, int count, const int dims[], const int periods[], int reorder,
           MPI_Comm *cart));
PRESTO_FN(int, Cartdim_get, (MPI_Comm comm, int *count));
PRESTO_FN(int, Cart_get, (MPI_Comm comm, int room, int dims[], int periods[], int coords[]));
PRESTO_FN(int, Cart_rank, (MPI_Comm comm, const int coords[], int *rank));
PRESTO_FN(int, Cart_coords, (MPI_Comm comm, int rank, int room, int coords[]));
PRESTO_FN(int, Cart_shift, (MPI_Comm comm, int dimension, int by, int *source, int *dest));
PRESTO_FN(int, Cart_sub, (MPI_Comm comm, const int remains[], MPI_Comm *part));
PRESTO_FN(int, Cart_map,
          (MPI_Comm comm, int count, const int dims[], const int periods[], int *rank));

PRESTO_FN(int, Graph_create,
          (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
           MPI_Comm *graph));
PRESTO_FN(int, Graphdims_get, (MPI_Comm comm, int *nodes, int *edges));
PRESTO_FN(int, Graph_get,
          (MPI_Comm comm, int index_room, int edges_room, int index[], int edges[]));
PRESTO_FN(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int *count));
PRESTO_FN(int, Graph_neighbors, (MPI_Comm comm, int rank, int room, int neighbors[]));
PRESTO_FN(int, Graph_map,
          (MPI_Comm comm, int nodes, const int index[], const int edges[], int *rank));
PRESTO_FN(int, Dist_graph_create,
          (MPI_Comm comm, int n, const int sources[], const int degrees[], const int dests[],
           const int *weights, MPI_Info info, int reorder, MPI_Comm *graph));
PRESTO_FN(int, Dist_graph_create_adjacent,
          (MPI_Comm comm, int indegree, const int sources[], const int *sourceweights,
           int outdegree, const int dests[], const int *destweights, MPI_Info info, int reorder,
           MPI_Comm *graph));
PRESTO_FN(int, Dist_graph_neighbors_count,
          (MPI_Comm comm, int *indegree, int *outdegree, int *weighted));
PRESTO_FN(int, Dist_graph_neighbors,
          (MPI_Comm comm, int in_room, int sources[], int *sourceweights, int out_room, int dests[],
           int *destweights));

#endif
