/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of messages by their tags, by which Open MPI's collectives send. */
#include "pml_hooks/pml_hooks.h"

_Static_assert(MCA_COLL_BASE_TAG_ALLGATHER - MCA_COLL_BASE_TAG_SCATTERV ==
                   PML_HOOKS_CLASS_NONBLOCKING - PML_HOOKS_CLASS_COLLECTIVES - 1,
               "each collective with a tag of its own has a class");

uint32_t pml_hooks_class_of(int tag)
{
    if (tag >= 0) {
        return PML_HOOKS_CLASS_USER;
    }
    if (tag <= MCA_COLL_BASE_TAG_ALLGATHER && tag >= MCA_COLL_BASE_TAG_SCATTERV) {
        return PML_HOOKS_CLASS_COLLECTIVES + (uint32_t)(MCA_COLL_BASE_TAG_ALLGATHER - tag);
    }
    if (tag <= MCA_COLL_BASE_TAG_NONBLOCKING_BASE && tag >= MCA_COLL_BASE_TAG_NONBLOCKING_END) {
        return PML_HOOKS_CLASS_NONBLOCKING;
    }
    if (tag <= MCA_COLL_BASE_TAG_NEIGHBOR_BASE && tag >= MCA_COLL_BASE_TAG_NEIGHBOR_END) {
        return PML_HOOKS_CLASS_NEIGHBOR;
    }
    return PML_HOOKS_CLASS_OTHER;
}
