/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include <stdint.h>

/*
 * Classes of messages: the program's own, and those of each collective.
 */
enum {
    RECORD_CLASS_USER,
    RECORD_CLASS_ALLGATHER,
    RECORD_CLASS_COLLECTIVES = RECORD_CLASS_ALLGATHER, /* the first of them */
    RECORD_CLASS_ALLGATHERV,
    RECORD_CLASS_ALLREDUCE,
    RECORD_CLASS_ALLTOALL,
    RECORD_CLASS_ALLTOALLV,
    RECORD_CLASS_ALLTOALLW,
    RECORD_CLASS_BARRIER,
    RECORD_CLASS_BCAST,
    RECORD_CLASS_EXSCAN,
    RECORD_CLASS_GATHER,
    RECORD_CLASS_GATHERV,
    RECORD_CLASS_REDUCE,
    RECORD_CLASS_REDUCE_SCATTER,
    RECORD_CLASS_REDUCE_SCATTER_BLOCK,
    RECORD_CLASS_SCAN,
    RECORD_CLASS_SCATTER,
    RECORD_CLASS_SCATTERV,
    RECORD_CLASS_NONBLOCKING,
    RECORD_CLASS_NEIGHBOR,
    RECORD_CLASS_OTHER,
    RECORD_CLASSES
};

/* A collective's tag in the record, by its class: as Open MPI's are, from -10 downwards. */
static inline int32_t record_tag_of_class(uint32_t class)
{
    return -9 - (int32_t) class;
}

/* The name of a class, such as "allreduce"; "unknown" if there is no such class. */
const char *record_class_name(uint32_t class);

/* The name of an enum record_call, such as "MPI_Recv". */
const char *record_call_name(uint32_t call);

/* The name of an enum record_fault_kind, such as "delay". */
const char *record_fault_name(uint32_t kind);

#endif
