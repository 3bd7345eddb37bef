/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: datatypes and operations. */
#ifndef PRESTO_MPI_DATATYPE_H
#define PRESTO_MPI_DATATYPE_H

PRESTO_FN(int, Type_contiguous, (int count, MPI_Datatype old, MPI_Datatype *type));
PRESTO_FN(int, Type_vector,
          (int count, int length, int stride, MPI_Datatype old, MPI_Datatype *type));
PRESTO_FN(int, Type_create_f90_real, (int precision, int range, MPI_Datatype *type));
PRESTO_FN(int, Type_create_f90_complex, (int precision, int range, MPI_Datatype *type));
PRESTO_FN(int, Type_create_f90_integer, (int range, MPI_Datatype *type));
PRESTO_FN(int, Type_create_hvector,
          (int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type));
PRESTO_FN(int, Type_indexed,
          (int count, const int lengths[], const int displacements[], MPI_Datatype old,
           MPI_Datatype *type));
PRESTO_FN(int, Type_create_hindexed,
          (int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype old,
           MPI_Datatype *type));
PRESTO_FN(int, Type_create_indexed_block,
          (int count, int length, const int displacements[], MPI_Datatype old, MPI_Datatype *type));
PRESTO_FN(int, Type_create_hindexed_block,
          (int count, int length, const MPI_Aint displacements[], MPI_Datatype old,
           MPI_Datatype *type));
PRESTO_FN(int, Type_create_struct,
          (int count, const int lengths[], const MPI_Aint displacements[],
           const MPI_Datatype types[], MPI_Datatype *type));
PRESTO_FN(int, Type_create_darray,
          (int size, int rank, int dims, const int lengths[], const int kinds[],
           const int arguments[], const int processes[], int order, MPI_Datatype old,
           MPI_Datatype *type));
PRESTO_FN(int, Type_create_subarray,
          (int dims, const int sizes[], const int subsizes[], const int starts[], int order,
           MPI_Datatype old, MPI_Datatype *type));
PRESTO_FN(int, Type_create_resized,
          (MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type));
PRESTO_FN(int, Type_dup, (MPI_Datatype old, MPI_Datatype *type));
PRESTO_FN(int, Type_commit, (MPI_Datatype * type));
PRESTO_FN(int, Type_free, (MPI_Datatype * type));
PRESTO_FN(int, Type_size, (MPI_Datatype type, int *size));
PRESTO_FN(int, Type_size_x, (MPI_Datatype type, MPI_Count *size));
PRESTO_FN(int, Type_get_extent, (MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent));
PRESTO_FN(int, Type_get_extent_x, (MPI_Datatype type, MPI_Count *lb, MPI_Count *extent));
PRESTO_FN(int, Type_get_true_extent, (MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent));
PRESTO_FN(int, Type_get_true_extent_x, (MPI_Datatype type, MPI_Count *lb, MPI_Count *extent));
PRESTO_FN(int, Type_get_name, (MPI_Datatype type, char *name, int *length));
PRESTO_FN(int, Type_set_name, (MPI_Datatype type, const char *name));
PRESTO_FN(int, Type_match_size, (int typeclass, int size, MPI_Datatype *type));
PRESTO_FN(int, Type_get_envelope,
          (MPI_Datatype type, int *integers, int *addresses, int *types, int *combiner));
PRESTO_FN(int, Type_get_contents,
          (MPI_Datatype type, int max_integers, int max_addresses, int max_types, int integers[],
           MPI_Aint addresses[], MPI_Datatype types[]));
PRESTO_FN(int, Type_get_envelope_c,
          (MPI_Datatype type, MPI_Count *integers, MPI_Count *addresses, MPI_Count *large_counts,
           MPI_Count *types, int *combiner));
PRESTO_FN(int, Type_get_contents_c,
          (MPI_Datatype type, MPI_Count max_integers, MPI_Count max_addresses,
           MPI_Count max_large_counts, MPI_Count max_types, int integers[], MPI_Aint addresses[],
           MPI_Count large_counts[], MPI_Datatype types[]));
PRESTO_FN(int, Type_create_keyval,
          (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function *release, int *keyval,
           void *extra));
PRESTO_FN(int, Type_free_keyval, (int *keyval));
PRESTO_FN(int, Type_set_attr, (MPI_Datatype type, int keyval, void *value));
PRESTO_FN(int, Type_get_attr, (MPI_Datatype type, int keyval, void *value, int *flag));
PRESTO_FN(int, Type_delete_attr, (MPI_Datatype type, int keyval));

/* Removed from MPI in its third version, and in programs all the same. */
PRESTO_FN(int, Type_hvector,
          (int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type));
PRESTO_FN(int, Type_hindexed,
          (int count, int lengths[], MPI_Aint displacements[], MPI_Datatype old,
           MPI_Datatype *type));
PRESTO_FN(int, Type_struct,
          (int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[],
           MPI_Datatype *type));
PRESTO_FN(int, Type_extent, (MPI_Datatype type, MPI_Aint *extent));
PRESTO_FN(int, Type_lb, (MPI_Datatype type, MPI_Aint *lb));
PRESTO_FN(int, Type_ub, (MPI_Datatype type, MPI_Aint *ub));
PRESTO_FN(int, Address, (void *location, MPI_Aint *address));

PRESTO_FN(int, Get_address, (const void *location, MPI_Aint *address));
PRESTO_FN(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint displacement));
PRESTO_FN(MPI_Aint, Aint_diff, (MPI_Aint one, MPI_Aint other));
PRESTO_FN(int, Pack,
          (const void *in, int count, MPI_Datatype type, void *out, int size, int *position,
           MPI_Comm comm));
PRESTO_FN(int, Unpack,
          (const void *in, int size, int *position, void *out, int count, MPI_Datatype type,
           MPI_Comm comm));
PRESTO_FN(int, Pack_size, (int count, MPI_Datatype type, MPI_Comm comm, int *size));
PRESTO_FN(int, Pack_external,
          (const char representation[], const void *in, int count, MPI_Datatype type, void *out,
           MPI_Aint size, MPI_Aint *position));
PRESTO_FN(int, Unpack_external,
          (const char representation[], const void *in, MPI_Aint size, MPI_Aint *position,
           void *out, int count, MPI_Datatype type));
PRESTO_FN(int, Pack_external_size,
          (const char representation[], int count, MPI_Datatype type, MPI_Aint *size));

#define MPI_TYPE_NULL_COPY_FN   ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
PRESTO_FN(int, TYPE_DUP_FN,
          (MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag));

PRESTO_FN(int, Op_create, (MPI_User_function * function, int commutes, MPI_Op *op));
PRESTO_FN(int, Op_create_c, (MPI_User_function_c * function, int commutes, MPI_Op *op));
PRESTO_FN(int, Op_free, (MPI_Op * op));
PRESTO_FN(int, Op_commutative, (MPI_Op op, int *commutes));
PRESTO_FN(int, Reduce_local,
          (const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op));

#endif
