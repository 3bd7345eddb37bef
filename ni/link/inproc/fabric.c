/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/log.h>

#include "base/alloc.h"
#include "link/inproc/inproc.h"
#include "link/lane_inl.h"

/*
 * The fabric: which NIs are on it, and what they have in common.
 */

enum {
    RING_DEFAULT = 4096,
    RING_MIN = 8 * NI_LINE,
    RING_MAX = 1 << 20,
    BULK_DEFAULT = 16384,
    BULK_MAX = 64 << 20,
    PORTS_FIRST = 16,
    PORTS_MAX = 1 << 30,
};

static ni_status check_size(const char *name, size_t value, size_t min, size_t max)
{
    if (value >= min && value <= max) {
        return NI_OK;
    }
    ni_log(NI_LOG_ERROR, "ni_fabric_create: %s is %zu; it can be %zu to %zu bytes", name, value,
           min, max);
    return NI_ERR_INVALID;
}

ni_status ni_fabric_create(const struct ni_fabric_attr *attr, struct ni_fabric **created)
{
    static const struct ni_fabric_attr defaults;
    const struct ni_fabric_attr *wanted = attr == NULL ? &defaults : attr;
    size_t ring = wanted->ring_size == 0 ? RING_DEFAULT : wanted->ring_size;
    size_t bulk = wanted->bulk_size == 0 ? BULK_DEFAULT : wanted->bulk_size;
    ni_status status = check_size("ring_size", ring, RING_MIN, RING_MAX);
    struct ni_fabric *fabric;

    if (status == NI_OK) {
        status = check_size("bulk_size", bulk, NI_LINE, BULK_MAX);
    }
    if (status != NI_OK) {
        return status;
    }
    fabric = ni_calloc(1, sizeof(*fabric));
    if (fabric == NULL) {
        return NI_ERR_NOMEM;
    }
    fabric->key = ni_random_key();
    fabric->seed = wanted->seed;
    fabric->lines = (uint32_t)(ni_round_up_pow2(ring) / NI_LINE);
    fabric->bulk = (uint32_t)ni_align_up(bulk, NI_LINE);
    fabric->copy = wanted->no_direct_copy ? NI_FABRIC_BY_PACKETS : NI_FABRIC_SAME_MEMORY;
    pthread_mutex_init(&fabric->lock, NULL);
    *created = fabric;
    return NI_OK;
}

void ni_fabric_destroy(struct ni_fabric *fabric)
{
    uint32_t open;

    if (fabric == NULL) {
        return;
    }
    pthread_mutex_lock(&fabric->lock);
    open = fabric->open;
    pthread_mutex_unlock(&fabric->lock);
    if (open != 0) {
        ni_log(NI_LOG_ERROR,
               "ni_fabric_destroy: %u interfaces are still open on the fabric; it stays. "
               "Close them with ni_close first",
               open);
        return;
    }
    pthread_mutex_destroy(&fabric->lock);
    ni_free(fabric->ports);
    ni_free(fabric);
}

/* Room for one more port. The fabric is locked. */
static ni_status grow_fabric(struct ni_fabric *fabric)
{
    uint32_t capacity = fabric->capacity == 0 ? PORTS_FIRST : 2 * fabric->capacity;
    struct ni_inproc_port **ports;

    if (fabric->count < fabric->capacity) {
        return NI_OK;
    }
    if (capacity > PORTS_MAX) {
        return NI_ERR_LIMIT;
    }
    ports = ni_realloc(fabric->ports, capacity * sizeof(struct ni_inproc_port *));
    if (ports == NULL) {
        return NI_ERR_NOMEM;
    }
    fabric->ports = ports;
    fabric->capacity = capacity;
    return NI_OK;
}

ni_status ni_inproc_join(struct ni_fabric *fabric, struct ni_inproc_port *port)
{
    ni_status status;

    pthread_mutex_lock(&fabric->lock);
    status = grow_fabric(fabric);
    if (status == NI_OK) {
        port->number = fabric->count;
        fabric->ports[fabric->count++] = port;
        fabric->open++;
        ni_inproc_port_hold(port);
    }
    pthread_mutex_unlock(&fabric->lock);
    return status;
}

void ni_inproc_leave(struct ni_inproc_port *port)
{
    struct ni_fabric *fabric = port->fabric;

    pthread_mutex_lock(&fabric->lock);
    fabric->ports[port->number] = NULL;
    pthread_mutex_unlock(&fabric->lock);
    ni_inproc_port_drop(port);
    /* Last: from now on the fabric may be destroyed. */
    pthread_mutex_lock(&fabric->lock);
    fabric->open--;
    pthread_mutex_unlock(&fabric->lock);
}

struct ni_inproc_port *ni_inproc_find(struct ni_fabric *fabric, const struct ni_inproc_blob *blob)
{
    struct ni_inproc_port *port = NULL;

    pthread_mutex_lock(&fabric->lock);
    if (blob->number < fabric->count) {
        port = fabric->ports[blob->number];
    }
    if (port != NULL && (port->address != blob->address || ni_inproc_port_status(port) != NI_OK)) {
        port = NULL;
    }
    if (port != NULL) {
        ni_inproc_port_hold(port);
    }
    pthread_mutex_unlock(&fabric->lock);
    return port;
}

/* ---- hooks --------------------------------------------------------------------------------- */

void ni_fabric_set_copy(struct ni_fabric *fabric, enum ni_fabric_copy copy)
{
    pthread_mutex_lock(&fabric->lock);
    fabric->copy = copy;
    pthread_mutex_unlock(&fabric->lock);
}

bool ni_fabric_kill(struct ni_fabric *fabric, uint32_t number)
{
    struct ni_inproc_port *port = NULL;
    bool open;

    pthread_mutex_lock(&fabric->lock);
    if (number < fabric->count) {
        port = fabric->ports[number];
    }
    open = port != NULL && ni_inproc_port_status(port) == NI_OK;
    if (open) {
        ni_inproc_port_end(port, NI_INPROC_DEAD);
    }
    pthread_mutex_unlock(&fabric->lock);
    return open;
}

void ni_fabric_get_counts(struct ni_fabric *fabric, struct ni_fabric_counts *counts)
{
    counts->dropped = ni_stat_get(&fabric->counts.dropped);
    counts->delayed = ni_stat_get(&fabric->counts.delayed);
    counts->duplicated = ni_stat_get(&fabric->counts.duplicated);
    counts->truncated = ni_stat_get(&fabric->counts.truncated);
    counts->corrupted = ni_stat_get(&fabric->counts.corrupted);
    counts->discarded = ni_stat_get(&fabric->counts.discarded);
    counts->gaps = ni_stat_get(&fabric->counts.gaps);
}
