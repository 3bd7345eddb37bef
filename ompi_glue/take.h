/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_TAKE_H
#define OMPI_GLUE_TAKE_H

#include "ompi_glue/ompi_glue.h"

/*
 * Receive messages of a tag of our own, whatever a receive callback looks like. For tests: what the
 * components send goes to Open MPI's layers.
 */

/* data is valid during the call only. */
typedef void (*ompi_glue_taken_fn)(struct mca_btl_base_module_t *btl, unsigned tag,
                                   const void *data, size_t len, void *arg);

/* One tag at a time; a NULL function ends it. Not thread-safe. */
void ompi_glue_take(unsigned tag, ompi_glue_taken_fn fn, void *arg);

#endif
