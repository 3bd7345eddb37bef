/* SPDX-License-Identifier: BSD-3-Clause */
/* Under mpirun no process's key is on a command line or in an environment. */
#include "btl_apelink/btl_apelink.h"
#include "key_scan.h"
#include "ompi_glue/inside.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    const mca_btl_apelink_module_t *module;
    uint8_t blob[NI_BLOB_MAX];
    bool good;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    module = (const mca_btl_apelink_module_t *)ompi_glue_btl_to(rank == 0 ? 1 : 0);
    good = key_is_kept(blob, ni_address(module->ni, blob, sizeof(blob)));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return good ? 0 : 1;
}
