/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts that have one name. Open MPI 4.1 knows the processes of a host by the host's name: of two
 * hosts of one name, the processes of the second take those of the first for their neighbours, and
 * not each other. Communicators of those who share memory (MPI_Comm_split_type) then differ from
 * process to process, and whatever is built on them hangs. Addresses tell hosts apart whatever
 * their names; by them, each process of the second host is a host of its own.
 */
#include "ompi_glue/component.h"

bool ompi_glue_correct_locality(const struct ni *ni, opal_proc_t *proc, const void *blob,
                                size_t len)
{
    if (!OPAL_PROC_ON_LOCAL_NODE(proc->proc_flags) || !ni_elsewhere(ni, blob, len)) {
        return false;
    }
    proc->proc_flags = OPAL_PROC_NON_LOCAL;
    ompi_glue_help("same-name", "", "", "");
    return true;
}
