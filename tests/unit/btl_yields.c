/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the BTL takes its peers for processes that are often away: it has to be as the argument
 * says, "yes" or "no". */
#include "btl_apelink/btl_apelink.h"
#include "engine/bulk/transfer.h"
#include "engine/core/ni.h"
#include "ompi_glue/inside.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const mca_btl_apelink_module_t *module;
    bool away, want;
    int rank;

    MPI_Init(&argc, &argv);
    want = argc == 2 && strcmp(argv[1], "yes") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    module = (const mca_btl_apelink_module_t *)ompi_glue_btl_to(rank == 0 ? 1 : 0);
    away = module->ni->bulk.direct_min == NI_DIRECT_MIN_AWAY;
    if (away != want) {
        printf("rank %d: peers are %s away, the argument is %s\n", rank, away ? "often" : "seldom",
               argv[argc - 1]);
    }
    MPI_Finalize();
    return away == want ? 0 : 1;
}
