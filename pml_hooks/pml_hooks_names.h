/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_NAMES_H
#define PML_HOOKS_NAMES_H

#include <stdint.h>

/*
 * Classes of messages by their tags. The program's own have tags of 0 and more; Open MPI sends
 * those of collectives with negative tags, which name the collective.
 */
enum {
    PML_HOOKS_CLASS_USER,
    PML_HOOKS_CLASS_COLLECTIVES, /* the first of them */
    PML_HOOKS_CLASS_NONBLOCKING = PML_HOOKS_CLASS_COLLECTIVES + 17,
    PML_HOOKS_CLASS_NEIGHBOR,
    PML_HOOKS_CLASS_OTHER,
    PML_HOOKS_CLASSES
};

/* The class of a message with this tag. */
uint32_t pml_hooks_class_of(int tag);

/* The name of a class, such as "allreduce"; "unknown" if there is no such class. */
const char *pml_hooks_class_name(uint32_t class);

/* The name of an enum pml_hooks_call, such as "MPI_Recv". */
const char *pml_hooks_call_name(uint32_t call);

/* The name of an enum pml_hooks_fault_kind, such as "delay". */
const char *pml_hooks_fault_name(uint32_t kind);

#endif
