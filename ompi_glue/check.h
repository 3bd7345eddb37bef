/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_CHECK_H
#define OMPI_GLUE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A component is valid only inside of the Open MPI against whose headers it was compiled: struct
 * mca_btl_base_module_t has members that depend on the configuration, in front of others. Compare
 * what the running library says about itself with what was compiled: interface version, options
 * that move members, sizes of classes. Returns true, or false with a sentence in reason. Touches
 * nothing but exported data; call it before any module is handed out.
 */
bool ompi_glue_check(char *reason, size_t reason_size);

/* The version of Open MPI at compile time, such as "4.1.4". */
const char *ompi_glue_built_for(void);

#endif
