/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of peers, found by communicator and rank. */
#include "pml_hooks/pml_hooks_count.h"

#define NO_PAIR UINT64_MAX

struct pml_hooks_pair pml_hooks_pairs[PML_HOOKS_PAIRS];

static opal_mutex_t pairs_lock = OPAL_MUTEX_STATIC_INIT;

/* Remember the entry of a pair. Under the lock. Where there are threads a pair keeps its place,
 * since another thread may be reading there. */
static void remember(struct ompi_communicator_t *comm, int rank, struct record_peer *peer)
{
    struct pml_hooks_pair *pair = pml_hooks_pair_of(comm, rank);

    if (record_threads && pair->key != NO_PAIR) {
        return;
    }
    pair->peer = peer;
    /* Release pairs with the acquire in pml_hooks_peer_known. */
    __atomic_store_n(&pair->key, pml_hooks_pair_key(comm, rank), __ATOMIC_RELEASE);
}

struct record_peer *pml_hooks_peer_of(struct ompi_communicator_t *comm, int rank)
{
    struct record_peer *peer;
    opal_process_name_t name;

    if (rank < 0 || rank >= comm->c_remote_group->grp_proc_count) {
        return &record_spare_peer;
    }
    name = ompi_glue_peer_name(comm, rank);
    OPAL_THREAD_LOCK(&pairs_lock);
    peer = record_peer(name.jobid, name.vpid);
    if (peer != &record_spare_peer) {
        remember(comm, rank, peer);
    }
    OPAL_THREAD_UNLOCK(&pairs_lock);
    return peer;
}

struct record_peer *pml_hooks_peer_named(opal_process_name_t name)
{
    struct record_peer *peer;

    OPAL_THREAD_LOCK(&pairs_lock);
    peer = record_peer(name.jobid, name.vpid);
    OPAL_THREAD_UNLOCK(&pairs_lock);
    return peer;
}

void pml_hooks_peers_forget(void)
{
    OPAL_THREAD_LOCK(&pairs_lock);
    for (size_t i = 0; i < PML_HOOKS_PAIRS; i++) {
        __atomic_store_n(&pml_hooks_pairs[i].key, NO_PAIR, __ATOMIC_RELAXED);
    }
    OPAL_THREAD_UNLOCK(&pairs_lock);
}
