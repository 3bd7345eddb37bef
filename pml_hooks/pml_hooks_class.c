/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of messages by their tags, by which Open MPI's collectives send. */
#include "pml_hooks/pml_hooks_count.h"

_Static_assert(MCA_COLL_BASE_TAG_ALLGATHER - MCA_COLL_BASE_TAG_SCATTERV ==
                   RECORD_CLASS_NONBLOCKING - RECORD_CLASS_COLLECTIVES - 1,
               "each collective with a tag of its own has a class");

uint32_t pml_hooks_class_of(int tag)
{
    if (tag >= 0) {
        return RECORD_CLASS_USER;
    }
    if (tag <= MCA_COLL_BASE_TAG_ALLGATHER && tag >= MCA_COLL_BASE_TAG_SCATTERV) {
        return RECORD_CLASS_COLLECTIVES + (uint32_t)(MCA_COLL_BASE_TAG_ALLGATHER - tag);
    }
    if (tag <= MCA_COLL_BASE_TAG_NONBLOCKING_BASE && tag >= MCA_COLL_BASE_TAG_NONBLOCKING_END) {
        return RECORD_CLASS_NONBLOCKING;
    }
    if (tag <= MCA_COLL_BASE_TAG_NEIGHBOR_BASE && tag >= MCA_COLL_BASE_TAG_NEIGHBOR_END) {
        return RECORD_CLASS_NEIGHBOR;
    }
    return RECORD_CLASS_OTHER;
}

uint64_t pml_hooks_count_send(struct record_peer *peer, int tag, uint32_t context, uint64_t bytes,
                              uint64_t now)
{
    return pml_hooks_count_send_by(record_threads, record_own.head, peer, tag, context, bytes, now);
}

void pml_hooks_count_receive(struct record_peer *peer, int tag, uint32_t context, uint64_t bytes,
                             bool any_source, uint64_t now)
{
    pml_hooks_count_receive_by(record_threads, record_own.head, peer, tag, context, bytes,
                               any_source, now);
}
