/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators. Their context is part of the match bits; there is nothing else to keep. */
#include <stddef.h>

#include "mtl_match/mtl_match_hot.h"

int ompi_mtl_match_add_comm(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm)
{
    (void)mtl;
    (void)comm;
    return OMPI_SUCCESS;
}

/* Drop what nobody has received: the context will be used again. first is a tag, the others have
 * the same sign. */
static void drop_all(struct ni *ni, const struct ompi_communicator_t *comm, int first)
{
    const struct ni_me me = {
        .length = SIZE_MAX,
        .match_bits = ompi_mtl_match_bits(comm, first),
        .ignore_bits = OMPI_MTL_MATCH_ANY_TAG_BITS,
        .match_id = NI_INITIATOR_ANY,
        .options = NI_ME_OP_PUT,
    };
    struct ni_event event;

    while (ni_me_probe(ni, OMPI_MTL_MATCH_PT, &me, NI_SEARCH_DELETE, &event) == NI_OK) {
        (void)ni_unexpected_drop(ni, event.unexpected);
    }
}

int ompi_mtl_match_del_comm(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm)
{
    struct ompi_mtl_match_module *module = (struct ompi_mtl_match_module *)mtl;

    if (module->ni != NULL) {
        drop_all(module->ni, comm, 0);
        drop_all(module->ni, comm, -1);
    }
    return OMPI_SUCCESS;
}
