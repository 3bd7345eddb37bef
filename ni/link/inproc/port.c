/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "link/inproc/inproc.h"

/*
 * What others see of an NI. Counted: held by its owner, by the fabric, by the endpoints that lead
 * to it and by the lanes that come from it.
 */

struct ni_inproc_port *ni_inproc_port_new(struct ni_fabric *fabric, uint64_t address)
{
    struct ni_inproc_port *port = ni_aligned_zero(NI_CACHE_LINE, sizeof(*port));

    if (port == NULL) {
        return NULL;
    }
    atomic_init(&port->refs, 1);
    port->fabric = fabric;
    port->address = address;
    pthread_mutex_init(&port->lock, NULL);
    ni_list_init(&port->inbox);
    return port;
}

void ni_inproc_port_hold(struct ni_inproc_port *port)
{
    atomic_fetch_add_explicit(&port->refs, 1, memory_order_relaxed);
}

void ni_inproc_port_drop(struct ni_inproc_port *port)
{
    /* Release: what we did to it comes before; acquire: what all others did, for the thread that
     * frees. */
    if (atomic_fetch_sub_explicit(&port->refs, 1, memory_order_acq_rel) == 1) {
        pthread_mutex_destroy(&port->lock);
        ni_free(port);
    }
}

ni_status ni_inproc_port_status(const struct ni_inproc_port *port)
{
    /* Pairs with the release in ni_inproc_port_end: with the state one sees its last packets. */
    switch (atomic_load_explicit(&port->state, memory_order_acquire)) {
    case NI_INPROC_OPEN:
        return NI_OK;
    case NI_INPROC_DEAD:
        return NI_ERR_PEER_DEAD;
    default:
        return NI_ERR_PEER_CLOSED;
    }
}

void ni_inproc_port_end(struct ni_inproc_port *port, enum ni_inproc_state state)
{
    uint32_t open = NI_INPROC_OPEN;

    /* Locked, so that nobody puts a lane into the inbox of a port that has ended. */
    pthread_mutex_lock(&port->lock);
    atomic_compare_exchange_strong_explicit(&port->state, &open, state, memory_order_release,
                                            memory_order_relaxed);
    pthread_mutex_unlock(&port->lock);
    for (size_t i = 0; i < NI_INPROC_RECORDS; i++) {
        atomic_store_explicit(&port->records[i].word, 0, memory_order_relaxed);
    }
    /* E1 */
    atomic_fetch_add_explicit(&port->fabric->epoch, 1, memory_order_release);
}

void ni_inproc_port_alert(struct ni_inproc_port *port)
{
    /* P1 */
    atomic_fetch_add_explicit(&port->attention, 1, memory_order_release);
    ni_inproc_wake_port(port);
}
