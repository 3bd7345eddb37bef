/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators. Their context is part of the match bits; there is nothing else to keep. */
#include <stddef.h>

#include "ompi_match/hot.h"

/* Drop what nobody has received: the context will be used again. first is a tag, the others have
 * the same sign. */
static void drop_all(struct ni *ni, const struct ompi_communicator_t *comm, int first)
{
    const struct ni_me me = {
        .length = SIZE_MAX,
        .match_bits = ompi_match_bits(comm, first),
        .ignore_bits = OMPI_MATCH_ANY_TAG_BITS,
        .match_id = NI_INITIATOR_ANY,
        .options = NI_ME_OP_PUT,
    };
    struct ni_event event;

    while (ni_me_probe(ni, OMPI_MATCH_PT, &me, NI_SEARCH_DELETE, &event) == NI_OK) {
        (void)ni_unexpected_drop(ni, event.unexpected);
    }
}

int ompi_match_del_comm(struct ompi_communicator_t *comm)
{
    if (ompi_match.ni != NULL) {
        drop_all(ompi_match.ni, comm, 0);
        drop_all(ompi_match.ni, comm, -1);
    }
    return OMPI_SUCCESS;
}
