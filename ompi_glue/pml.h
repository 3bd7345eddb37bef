/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_PML_H
#define OMPI_GLUE_PML_H

/*
 * What a component needs of Open MPI that stands between MPI and the PML. Includes nothing of the
 * core.
 *
 *   name                  4.1                    5.0
 *   ompi_glue_comm_id     c_contextid            c_index
 */

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/mca/bml/base/base.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/hook/base/base.h"
#include "ompi/mca/hook/hook.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/message/message.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"

/* Whether processes publish, and look up, by opal_pmix: in 4.1. */
#if OMPI_MAJOR_VERSION >= 5
#define OMPI_GLUE_PUBLISHES 0
#else
#include "opal/mca/pmix/pmix.h"
#define OMPI_GLUE_PUBLISHES 1
#endif

/* The number of a communicator, the same in all its processes while it lives. */
static inline uint32_t ompi_glue_comm_id(const struct ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION >= 5
    return comm->c_index;
#else
    return comm->c_contextid;
#endif
}

/* The name of the process that is `rank` in the communicator, of the remote group where there is
 * one. */
static inline opal_process_name_t ompi_glue_peer_name(struct ompi_communicator_t *comm, int rank)
{
    return ompi_group_get_proc_name(comm->c_remote_group, rank);
}

#endif
