/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_CODE_OF_H
#define OMPI_GLUE_CODE_OF_H

#include <stdbool.h>
#include <stdint.h>

/* Answers that are kept, one of each kind: a process has a few functions to ask about. */
struct ompi_glue_code_known {
    _Atomic uintptr_t yes, no;
};

/* Whether code belongs to a component or library: the file from which it was loaded has a name
 * that begins with one of the names, a list that ends with NULL. known is for these names only, and
 * zero at first. Thread-safe. */
bool ompi_glue_is_code_of(struct ompi_glue_code_known *known, uintptr_t address,
                          const char *const *names);

#endif
