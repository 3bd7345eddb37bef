/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What no MPI call leads to, from inside of Open MPI: rank 0 sends rank 1 messages with a tag that nobody
 * takes there, then all print the state of what they communicate through. btl_inside.sh reads it.
 */
#include "ompi_glue/mtl.h"

#include "ompi/mca/bml/base/base.h"
#include "ompi/mca/pml/pml.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 0x9d, MESSAGES = 3, BYTES = 16 };

static void send_to(int rank)
{
    mca_bml_base_endpoint_t *endpoint =
        mca_bml_base_get_endpoint(ompi_comm_peer_lookup(MPI_COMM_WORLD, rank));
    mca_bml_base_btl_t *way = mca_bml_base_btl_array_get_index(&endpoint->btl_send, 0);
    mca_btl_base_descriptor_t *message = way->btl->btl_alloc(
        way->btl, way->btl_endpoint, MCA_BTL_NO_ORDER, BYTES, MCA_BTL_DES_FLAGS_BTL_OWNERSHIP);

    if (message == NULL ||
        way->btl->btl_send(way->btl, way->btl_endpoint, message, (mca_btl_base_tag_t)TAG) < 0) {
        fprintf(stderr, "btl_inside: cannot send\n");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES && rank == 0; i++) {
        send_to(1);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* comes after them */
    if (mca_pml.pml_dump(MPI_COMM_WORLD, 1) != OMPI_SUCCESS) {
        return 1;
    }
    MPI_Finalize();
    return 0;
}
