/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include <stdint.h>

/*
 * Classes of messages: the program's own, and those of each collective.
 */
enum {
    PML_HOOKS_CLASS_USER,
    PML_HOOKS_CLASS_COLLECTIVES, /* the first of them */
    PML_HOOKS_CLASS_NONBLOCKING = PML_HOOKS_CLASS_COLLECTIVES + 17,
    PML_HOOKS_CLASS_NEIGHBOR,
    PML_HOOKS_CLASS_OTHER,
    PML_HOOKS_CLASSES
};

/* The name of a class, such as "allreduce"; "unknown" if there is no such class. */
const char *pml_hooks_class_name(uint32_t class);

/* The name of an enum pml_hooks_call, such as "MPI_Recv". */
const char *pml_hooks_call_name(uint32_t call);

/* The name of an enum pml_hooks_fault_kind, such as "delay". */
const char *pml_hooks_fault_name(uint32_t kind);

#endif
