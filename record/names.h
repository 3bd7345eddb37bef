/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include <stdint.h>

/*
 * Classes of messages: the program's own, and those of each collective.
 */
enum {
    PML_HOOKS_CLASS_USER,
    PML_HOOKS_CLASS_ALLGATHER,
    PML_HOOKS_CLASS_COLLECTIVES = PML_HOOKS_CLASS_ALLGATHER, /* the first of them */
    PML_HOOKS_CLASS_ALLGATHERV,
    PML_HOOKS_CLASS_ALLREDUCE,
    PML_HOOKS_CLASS_ALLTOALL,
    PML_HOOKS_CLASS_ALLTOALLV,
    PML_HOOKS_CLASS_ALLTOALLW,
    PML_HOOKS_CLASS_BARRIER,
    PML_HOOKS_CLASS_BCAST,
    PML_HOOKS_CLASS_EXSCAN,
    PML_HOOKS_CLASS_GATHER,
    PML_HOOKS_CLASS_GATHERV,
    PML_HOOKS_CLASS_REDUCE,
    PML_HOOKS_CLASS_REDUCE_SCATTER,
    PML_HOOKS_CLASS_REDUCE_SCATTER_BLOCK,
    PML_HOOKS_CLASS_SCAN,
    PML_HOOKS_CLASS_SCATTER,
    PML_HOOKS_CLASS_SCATTERV,
    PML_HOOKS_CLASS_NONBLOCKING,
    PML_HOOKS_CLASS_NEIGHBOR,
    PML_HOOKS_CLASS_OTHER,
    PML_HOOKS_CLASSES
};

/* A collective's tag in the record, by its class: as Open MPI's are, from -10 downwards. */
static inline int32_t record_tag_of_class(uint32_t class)
{
    return -9 - (int32_t) class;
}

/* The name of a class, such as "allreduce"; "unknown" if there is no such class. */
const char *pml_hooks_class_name(uint32_t class);

/* The name of an enum pml_hooks_call, such as "MPI_Recv". */
const char *pml_hooks_call_name(uint32_t call);

/* The name of an enum pml_hooks_fault_kind, such as "delay". */
const char *pml_hooks_fault_name(uint32_t kind);

#endif
