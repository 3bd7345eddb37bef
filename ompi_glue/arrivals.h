/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_ARRIVALS_H
#define OMPI_GLUE_ARRIVALS_H

/*
 * What BTLs call for a message that has come: the parameters of that function, how they are passed
 * on, and the message's tag among them.
 */

#include "ompi_config.h"

#include "opal/mca/btl/btl.h"

#if OMPI_MAJOR_VERSION >= 5
#define OMPI_GLUE_ARRIVAL \
    struct mca_btl_base_module_t *btl, const mca_btl_base_receive_descriptor_t *descriptor
#define OMPI_GLUE_ARRIVED     btl, descriptor
#define OMPI_GLUE_ARRIVAL_TAG descriptor->tag
#else
#define OMPI_GLUE_ARRIVAL                                      \
    struct mca_btl_base_module_t *btl, mca_btl_base_tag_t tag, \
        mca_btl_base_descriptor_t *descriptor, void *data
#define OMPI_GLUE_ARRIVED     btl, tag, descriptor, data
#define OMPI_GLUE_ARRIVAL_TAG tag
#endif

#endif
