/* SPDX-License-Identifier: BSD-3-Clause */
/* For lost.sh. The last rank leaves without MPI_Finalize when all have ended their checks, with the
 * exit status that -status names; without it all end well. */
#include <unistd.h>

#include "mt.h"

int main(int argc, char **argv)
{
    long status;

    mt_init(&argc, &argv);
    mt_need(2);
    status = mt_option(argc, argv, "-status", -1);
    mt_check(status < 256, "an exit status");
    if (status >= 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (mt_rank == mt_size - 1) {
            _exit((int)status);
        }
    }
    return mt_finish();
}
