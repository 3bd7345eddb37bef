/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "link/inproc/inproc.h"

/*
 * Life of the link of one NI, and its address.
 */

static ni_status inproc_open(const struct ni_link_attr *attr, struct ni_link **opened)
{
    struct ni_fabric *fabric = attr->open->fabric;
    struct ni_inproc_link *link;
    uint64_t seed;
    ni_status status;

    if (fabric == NULL) {
        ni_log(NI_LOG_ERROR, "the link inproc needs a fabric: set ni_open_attr.fabric to one "
                             "that ni_fabric_create has made");
        return NI_ERR_INVALID;
    }
    link = ni_calloc(1, sizeof(*link));
    if (link == NULL) {
        return NI_ERR_NOMEM;
    }
    link->port = ni_inproc_port_new(fabric, attr->address);
    status = link->port == NULL ? NI_ERR_NOMEM : ni_inproc_join(fabric, link->port);
    if (status != NI_OK) {
        if (link->port != NULL) {
            ni_inproc_port_drop(link->port);
        }
        ni_free(link);
        return status;
    }
    link->base.ops = &ni_link_inproc;
    link->fabric = fabric;
    link->core_ops = attr->core_ops;
    link->core = attr->core;
    link->stats = attr->stats;
    pthread_mutex_init(&link->lock, NULL);
    ni_list_init(&link->eps);
    ni_list_init(&link->lanes);
    seed = fabric->seed + link->port->number;
    ni_rng_seed(&link->rng, ni_splitmix64(&seed));
    *opened = &link->base;
    return NI_OK;
}

/* Lanes that their receiver has not taken yet. */
static void empty_inbox(struct ni_inproc_link *link)
{
    struct ni_inproc_port *port = link->port;
    struct ni_list lanes;

    ni_list_init(&lanes);
    pthread_mutex_lock(&port->lock);
    ni_list_splice_back(&lanes, &port->inbox);
    pthread_mutex_unlock(&port->lock);
    for (NI_LIST_EACH_SAFE(node, &lanes)) {
        ni_inproc_lane_end(link, ni_container_of(node, struct ni_inproc_lane, list),
                           NI_ERR_PEER_CLOSED);
    }
}

static void inproc_close(struct ni_link *base)
{
    struct ni_inproc_link *link = ni_inproc_link_of(base);

    ni_inproc_port_end(link->port, NI_INPROC_CLOSED);
    for (NI_LIST_EACH_SAFE(node, &link->eps)) {
        ni_inproc_disconnect(&ni_container_of(node, struct ni_inproc_ep, list)->base);
    }
    for (NI_LIST_EACH_SAFE(node, &link->lanes)) {
        ni_inproc_lane_end(link, ni_container_of(node, struct ni_inproc_lane, list),
                           NI_ERR_PEER_CLOSED);
    }
    empty_inbox(link);
    ni_inproc_leave(link->port);
    ni_inproc_port_drop(link->port);
    pthread_mutex_destroy(&link->lock);
    ni_free(link);
}

static struct ni_table_export *inproc_export_area(struct ni_link *base, size_t *count)
{
    struct ni_inproc_link *link = ni_inproc_link_of(base);

    *count = NI_INPROC_RECORDS;
    return (struct ni_table_export *)(void *)link->port->records;
}

static size_t inproc_blob(struct ni_link *base, void *blob, size_t size)
{
    struct ni_inproc_blob own = ni_inproc_blob_of(ni_inproc_link_of(base)->port);

    if (size < sizeof(own)) {
        return 0;
    }
    memcpy(blob, &own, sizeof(own));
    return sizeof(own);
}

static ni_status inproc_reach(struct ni_link *base, const void *bytes, size_t len, char *reason,
                              size_t reason_size)
{
    struct ni_inproc_link *link = ni_inproc_link_of(base);
    struct ni_inproc_blob blob;
    struct ni_inproc_port *port;

    if (len != sizeof(blob)) {
        snprintf(reason, reason_size, "its address has %zu bytes, not %zu", len, sizeof(blob));
        return NI_ERR_PROTOCOL;
    }
    memcpy(&blob, bytes, sizeof(blob));
    if (blob.magic != NI_INPROC_BLOB_MAGIC) {
        snprintf(reason, reason_size, "its address is not one of the link inproc");
        return NI_ERR_PROTOCOL;
    }
    if (blob.fabric != link->fabric->key) {
        snprintf(reason, reason_size, "it is on another fabric, or in another process");
        return NI_ERR_UNREACHABLE;
    }
    port = ni_inproc_find(link->fabric, &blob);
    if (port == NULL) {
        snprintf(reason, reason_size, "there is no interface %u on this fabric any more",
                 blob.number);
        return NI_ERR_UNREACHABLE;
    }
    ni_inproc_port_drop(port);
    return NI_OK;
}

static uint64_t inproc_name_of(const void *bytes, size_t len)
{
    struct ni_inproc_blob blob;

    if (len != sizeof(blob)) {
        return 0;
    }
    memcpy(&blob, bytes, sizeof(blob));
    return blob.address;
}

const struct ni_link_ops ni_link_inproc = {
    .name = "inproc",
    .id = 2,
    .help = "this process",
    .in_place = true,
    .open = inproc_open,
    .close = inproc_close,
    .export_area = inproc_export_area,
    .blob = inproc_blob,
    .reach = inproc_reach,
    .name_of = inproc_name_of,
    .connect = ni_inproc_connect,
    .disconnect = ni_inproc_disconnect,
    .reserve = ni_inproc_reserve,
    .rail = ni_inproc_rail,
    .commit = ni_inproc_commit,
    .copy = ni_inproc_copy,
    .wake = ni_inproc_wake,
    .progress = ni_inproc_progress,
    .wait = ni_inproc_wait,
    .arm = ni_inproc_arm,
    .sleep = ni_inproc_sleep,
    .rouse = ni_inproc_rouse,
    .wish = ni_inproc_wish,
    .describe = ni_inproc_describe,
    .way = ni_inproc_way,
};
