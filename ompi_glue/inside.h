/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_INSIDE_H
#define OMPI_GLUE_INSIDE_H

/*
 * What no MPI call leads to. For tests, which run in an MPI program over pml ob1, between MPI_Init
 * and MPI_Finalize. Not thread-safe.
 */

#include "ompi_glue/mtl.h"

#include "ompi/mca/bml/base/base.h"
#include "ompi/mca/pml/pml.h"

/* The first BTL that reaches a rank of MPI_COMM_WORLD. */
static inline mca_btl_base_module_t *ompi_glue_btl_to(int rank)
{
    mca_bml_base_endpoint_t *endpoint =
        mca_bml_base_get_endpoint(ompi_comm_peer_lookup(&ompi_mpi_comm_world.comm, rank));

    return mca_bml_base_btl_array_get_index(&endpoint->btl_send, 0)->btl;
}

/* Send len bytes of anything to a rank of MPI_COMM_WORLD with a tag of the BTLs, through the first
 * BTL that reaches it. False if it could not be sent. */
static inline bool ompi_glue_send_raw(int rank, unsigned tag, size_t len)
{
    mca_bml_base_endpoint_t *endpoint =
        mca_bml_base_get_endpoint(ompi_comm_peer_lookup(&ompi_mpi_comm_world.comm, rank));
    mca_bml_base_btl_t *way = mca_bml_base_btl_array_get_index(&endpoint->btl_send, 0);
    mca_btl_base_descriptor_t *message = way->btl->btl_alloc(
        way->btl, way->btl_endpoint, MCA_BTL_NO_ORDER, len, MCA_BTL_DES_FLAGS_BTL_OWNERSHIP);

    return message != NULL &&
           way->btl->btl_send(way->btl, way->btl_endpoint, message, (mca_btl_base_tag_t)tag) >= 0;
}

/* Have the pml print its state and that of the BTLs, as one asks for it from a debugger. */
static inline bool ompi_glue_dump(void)
{
    return mca_pml.pml_dump(&ompi_mpi_comm_world.comm, 1) == OMPI_SUCCESS;
}

#endif
