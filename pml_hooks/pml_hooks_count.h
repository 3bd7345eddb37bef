/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_COUNT_H
#define PML_HOOKS_COUNT_H

/*
 * What is done for each message, inline: record/count.h by Open MPI's tags and communicators.
 * `threads` is a constant in each function: whether several threads may count at the same time.
 */

#include "pml_hooks/pml_hooks.h"
#include "record/count.h"

#define PML_HOOKS_INLINE RECORD_INLINE

/* ---- tags -------------------------------------------------------------------------------------
 */

/* The class of a tag; the program's own are found without a call. */
PML_HOOKS_INLINE uint32_t pml_hooks_class_at(int tag)
{
    return __builtin_expect(tag >= 0, 1) ? RECORD_CLASS_USER : pml_hooks_class_of(tag);
}

/* A tag as in the record. */
PML_HOOKS_INLINE int32_t pml_hooks_named_tag(int tag)
{
    return tag == MPI_ANY_TAG ? RECORD_ANY : tag;
}

/* The tag of a message that was received. pml ucx, whose tags have 24 bits, gives those of Open
 * MPI's own messages back without their sign. */
PML_HOOKS_INLINE int pml_hooks_received_tag(const ompi_status_public_t *status)
{
    int tag = status->MPI_TAG;

    return __builtin_expect(tag > (int)pml_hooks_below.pml_max_tag, 0) ? tag - (1 << 24) : tag;
}

/* ---- peers ------------------------------------------------------------------------------------
 */

PML_HOOKS_INLINE struct pml_hooks_pair *pml_hooks_pair_of(struct ompi_communicator_t *comm,
                                                          int rank)
{
    uint32_t place = (uint32_t)rank + 67 * ompi_glue_comm_id(comm);

    return &pml_hooks_pairs[place % PML_HOOKS_PAIRS];
}

PML_HOOKS_INLINE uint64_t pml_hooks_pair_key(struct ompi_communicator_t *comm, int rank)
{
    return (struct pml_hooks_pair){
        .rank = (uint32_t)rank,
        .context = ompi_glue_comm_id(comm),
    }
        .key;
}

/* Whether the pair is remembered, and its entry. No pair of a rank below 0 is. */
PML_HOOKS_INLINE bool pml_hooks_peer_known(bool threads, struct ompi_communicator_t *comm, int rank,
                                           struct record_peer **peer)
{
    const struct pml_hooks_pair *pair = pml_hooks_pair_of(comm, rank);

    if (threads) {
        /* Acquire pairs with the release in remember(). */
        bool same = __atomic_load_n(&pair->key, __ATOMIC_ACQUIRE) == pml_hooks_pair_key(comm, rank);

        *peer = same ? pair->peer : NULL;
        return same;
    }
    if (__builtin_expect(pair->rank != (uint32_t)rank || pair->context != ompi_glue_comm_id(comm),
                         0)) {
        return false;
    }
    *peer = pair->peer;
    if (*peer == NULL) {
        __builtin_unreachable();
    }
    return true;
}

/* pml_hooks_peer_of, inline where the pair is remembered. */
PML_HOOKS_INLINE struct record_peer *pml_hooks_peer_at(bool threads,
                                                       struct ompi_communicator_t *comm, int rank)
{
    struct record_peer *peer;

    return pml_hooks_peer_known(threads, comm, rank, &peer) ? peer : pml_hooks_peer_of(comm, rank);
}

/* ---- messages ---------------------------------------------------------------------------------
 */

/* A message is about to be sent. Returns its number. */
PML_HOOKS_INLINE uint64_t pml_hooks_count_send_by(bool threads, struct record_head *head,
                                                  struct record_peer *peer, int tag,
                                                  uint32_t context, uint64_t bytes, uint64_t now)
{
    return record_count_send_by(threads, head, pml_hooks_class_at(tag), peer, tag, context, bytes,
                                now);
}

/* A receive that names the peer begins. */
PML_HOOKS_INLINE void pml_hooks_announce_receive(bool threads, struct record_peer *peer, int tag,
                                                 uint32_t context, uint64_t now)
{
    record_announce_receive(threads, peer, pml_hooks_named_tag(tag), context, now);
}

/* A message has been received. */
PML_HOOKS_INLINE void pml_hooks_count_receive_by(bool threads, struct record_head *head,
                                                 struct record_peer *peer, int tag,
                                                 uint32_t context, uint64_t bytes, bool any_source,
                                                 uint64_t now)
{
    record_count_receive_by(threads, head, pml_hooks_class_at(tag), peer, tag, context, bytes,
                            any_source, now);
}

/* A call that waited from `begin` to `end` ended with a message of the peer, or one sent to it, of
 * so many bytes. */
PML_HOOKS_INLINE void pml_hooks_count_receive_wait_by(bool threads, struct record_peer *peer,
                                                      int tag, uint32_t context, uint64_t bytes,
                                                      uint64_t begin, uint64_t end)
{
    record_count_receive_wait_by(threads, pml_hooks_class_at(tag), peer, tag, context, bytes, begin,
                                 end);
}

/* The same of one message of the program's own, of a wait that is not worth asking about; there is
 * one thread, and its slice of time is that of now. */
PML_HOOKS_INLINE void pml_hooks_count_brief_wait(struct record_head *head, struct record_peer *peer,
                                                 uint64_t ticks)
{
    head->wait_ticks += ticks;
    peer->receive_wait_ticks += ticks;
    record_classes_of(head)[RECORD_CLASS_USER].wait_ticks += ticks;
}

PML_HOOKS_INLINE void pml_hooks_count_send_wait(struct record_peer *peer, uint64_t number, int tag,
                                                uint32_t context, uint64_t bytes, uint64_t begin,
                                                uint64_t end)
{
    record_count_send_wait(pml_hooks_class_at(tag), peer, number, tag, context, bytes, begin, end);
}

#endif
