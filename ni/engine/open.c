/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <apeni/log.h>
#include <apeni/ni.h>
#include <apeni/param.h>
#include <apeni/stats.h>

#include "base/alloc.h"
#include "base/random.h"
#include "engine/job.h"
#include "engine/ni.h"
#include "engine/op.h"
#include "engine/peer.h"
#include "engine/progress.h"
#include "engine/regions.h"
#include "engine/send.h"
#include "engine/stream.h"

/*
 * Life of an NI, and its address blob:
 *
 *   0  magic 'APNI'   4  version   5  link id   6  length of the link's part   8  the link's part
 */

enum { NI_BLOB_VERSION = 1, NI_BLOB_HEAD = 8 };
static const uint8_t blob_magic[4] = {'A', 'P', 'N', 'I'};

/* ---- fork ------------------------------------------------------------------------------------
 * ----------------------- */

static struct ni_list all_nis = {&all_nis, &all_nis};
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* A fork finds the lists of peers whole. */
static void before_fork(void)
{
    pthread_mutex_lock(&all_lock);
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, forks);

        ni_lock_take(&ni->lock, ni->threads);
    }
}

static void after_fork_in_parent(void)
{
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, forks);

        ni_lock_give(&ni->lock, ni->threads);
    }
    pthread_mutex_unlock(&all_lock);
}

/* The child must not write to lanes, and a message's inline path asks for nothing but room. */
static void bar_peer(struct ni_peer *peer)
{
    atomic_store_explicit(&peer->lock.held, 0, memory_order_relaxed);
    if (peer->ep != NULL) {
        peer->ep->tx.limit = peer->ep->tx.head;
        peer->ep->tx.lines = NULL;
    }
}

/* In the child: its NIs belong to the parent. Locks may be held by threads that do not exist here,
 * so they are made anew. */
static void after_fork_in_child(void)
{
    for (NI_LIST_EACH(node, &all_nis)) {
        struct ni *ni = ni_container_of(node, struct ni, forks);

        ni->forked = true;
        atomic_store_explicit(&ni->lock.held, 0, memory_order_relaxed);
        atomic_store_explicit(&ni->turn.held, 0, memory_order_relaxed);
        atomic_store_explicit(&ni->turn_owner, 0, memory_order_relaxed);
        for (NI_LIST_EACH(at, &ni->peers)) {
            bar_peer(ni_container_of(at, struct ni_peer, all));
        }
    }
    pthread_mutex_unlock(&all_lock); /* before_fork took it, in the thread that is us */
}

static void watch_fork(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- open, close -----------------------------------------------------------------------------
 * ----------------------- */

static const struct ni_core_ops core_ops = {
    .accept = ni_peer_accept,
    .lane_add = ni_lane_add,
    .lane_remove = ni_lane_remove,
    .deliver = ni_deliver,
    .peer_down = ni_peer_down,
};

static ni_status init_pools(struct ni *ni)
{
    ni_status status = ni_pool_init(&ni->op_pool, sizeof(struct ni_op), 64, 0);

    if (status == NI_OK) {
        status = ni_pool_init(&ni->control_pool, sizeof(struct ni_control), 64, 0);
    }
    if (status == NI_OK) {
        status = ni_pool_init(&ni->stream_pool, sizeof(struct ni_stream), 16, 0);
    }
    if (status == NI_OK) {
        status = ni_pool_init(&ni->help_pool, sizeof(struct ni_help), 16, 0);
    }
    return status;
}

static void init_fields(struct ni *ni, const struct ni_open_attr *attr)
{
    ni->threads = (attr->flags & NI_THREADS) != 0;
    ni->config = ni_config_get();
    ni->address = ni_random_key();
    ni->pid = getpid();
    ni->host_processes = attr->host_processes;
    ni->host_cores =
        attr->host_cores != 0 ? attr->host_cores : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    ni_work_init(&ni->busy);
    ni_work_init(&ni->copying);
    ni_work_init(&ni->asking);
    ni_work_init(&ni->helping);
    ni_work_init(&ni->flushes);
    ni_work_init(&ni->portal_work);
    ni->last.queue = NI_NO_QUEUE;
    ni_list_init(&ni->peers);
    ni_list_init(&ni->downs);
    ni_list_init(&ni->forks);
}

static ni_status open_link(struct ni *ni, const struct ni_open_attr *attr)
{
    const struct ni_link_ops *ops = attr->fabric != NULL ? &ni_link_inproc : &ni_link_shm;
    struct ni_link_attr link_attr = {.core_ops = &core_ops,
                                     .core = ni,
                                     .open = attr,
                                     .address = ni->address,
                                     .stats = &ni->stats};
    struct ni_table_export *area;
    size_t count = 0;
    ni_status status = ops->open(&link_attr, &ni->link);

    if (status == NI_OK) {
        area = ops->export_area(ni->link, &count);
        ni_table_set_export(&ni->table, area, count);
    }
    return status;
}

static void free_ni(struct ni *ni)
{
    ni_table_fini(&ni->table);
    ni_pool_fini(&ni->op_pool);
    ni_pool_fini(&ni->control_pool);
    ni_pool_fini(&ni->stream_pool);
    ni_pool_fini(&ni->help_pool);
    ni_free(ni->lanes);
    ni_free(ni);
}

ni_status ni_open(const struct ni_open_attr *attr, struct ni **opened)
{
    static const struct ni_open_attr defaults;
    struct ni *ni;
    ni_status status = ni_config_check_environment();

    if (status != NI_OK) {
        return status;
    }
    attr = attr == NULL ? &defaults : attr;
    ni = ni_aligned_zero(NI_CACHE_LINE, sizeof(*ni));
    if (ni == NULL) {
        return NI_ERR_NOMEM;
    }
    init_fields(ni, attr);
    status = init_pools(ni);
    if (status == NI_OK) {
        status = ni_table_init(&ni->table);
    }
    if (status == NI_OK) {
        status = open_link(ni, attr);
    }
    if (status != NI_OK) {
        free_ni(ni);
        return status;
    }
    pthread_once(&fork_once, watch_fork);
    pthread_mutex_lock(&all_lock);
    ni_list_push_back(&all_nis, &ni->forks);
    pthread_mutex_unlock(&all_lock);
    *opened = ni;
    return NI_OK;
}

void ni_close(struct ni *ni)
{
    struct ni_list *next;

    if (ni == NULL) {
        return;
    }
    if (ni->forked) {
        /* All of it is the parent's; the child's copies of private memory go with the child. */
        return;
    }
    ni->closing = true;
    ni->down_fn = NULL;
    for (struct ni_list *node = ni->peers.next; node != &ni->peers; node = node->next) {
        ni_peer_down(ni, ni_container_of(node, struct ni_peer, all), NI_ERR_CLOSED);
    }
    ni_peers_settle(ni);
    if (ni->portal_ops != NULL) {
        ni->portal_ops->close(ni);
    }
    ni_regions_close(ni);
    if (ni->command_ops != NULL) {
        ni->command_ops->close(ni);
    }
    for (struct ni_list *node = ni->peers.next; node != &ni->peers; node = next) {
        next = node->next;
        ni_peer_free(ni_container_of(node, struct ni_peer, all));
    }
    ni_table_set_export(&ni->table, NULL, 0);
    ni->link->ops->close(ni->link);
    pthread_mutex_lock(&all_lock);
    ni_list_remove(&ni->forks);
    pthread_mutex_unlock(&all_lock);
    free_ni(ni);
}

/* ---- addresses -------------------------------------------------------------------------------
 * ------------------------- */

size_t ni_address(const struct ni *ni, void *blob, size_t size)
{
    uint8_t *bytes = blob;
    size_t len;

    if (size < NI_BLOB_HEAD) {
        return 0;
    }
    len = ni->link->ops->blob(ni->link, bytes + NI_BLOB_HEAD, size - NI_BLOB_HEAD);
    if (len == 0) {
        return 0;
    }
    memcpy(bytes, blob_magic, sizeof(blob_magic));
    bytes[4] = NI_BLOB_VERSION;
    bytes[5] = (uint8_t)ni->link->ops->id;
    bytes[6] = (uint8_t)len;
    bytes[7] = (uint8_t)(len >> 8);
    return NI_BLOB_HEAD + len;
}

/* The link's part of a blob that may hold anything. */
static ni_status parse(const struct ni *ni, const void *blob, size_t len, const uint8_t **part,
                       size_t *part_len, char *reason, size_t reason_size)
{
    const uint8_t *bytes = blob;

    if (len < NI_BLOB_HEAD || len > NI_BLOB_MAX ||
        memcmp(bytes, blob_magic, sizeof(blob_magic)) != 0) {
        snprintf(reason, reason_size, "not an address of a network interface (%zu bytes)", len);
        return NI_ERR_PROTOCOL;
    }
    if (bytes[4] != NI_BLOB_VERSION) {
        snprintf(reason, reason_size,
                 "its address has version %u, ours is %u: use the same release on both sides",
                 bytes[4], NI_BLOB_VERSION);
        return NI_ERR_PROTOCOL;
    }
    *part = bytes + NI_BLOB_HEAD;
    *part_len = (size_t)bytes[6] | (size_t)bytes[7] << 8;
    if (*part_len != len - NI_BLOB_HEAD) {
        snprintf(reason, reason_size, "its address is damaged (length %zu, expected %zu)",
                 len - NI_BLOB_HEAD, *part_len);
        return NI_ERR_PROTOCOL;
    }
    if (bytes[5] != ni->link->ops->id) {
        snprintf(reason, reason_size, "it uses another link than ours, %s", ni->link->ops->name);
        return NI_ERR_UNREACHABLE;
    }
    return NI_OK;
}

bool ni_reachable(const struct ni *ni, const void *blob, size_t len, char *reason,
                  size_t reason_size)
{
    char unused[1];
    const uint8_t *part;
    size_t part_len;

    if (reason == NULL || reason_size == 0) {
        reason = unused;
        reason_size = sizeof(unused);
    }
    if (ni->forked) {
        snprintf(reason, reason_size, "%s", ni_status_text(NI_ERR_FORKED));
        return false;
    }
    return parse(ni, blob, len, &part, &part_len, reason, reason_size) == NI_OK &&
           ni->link->ops->reach(ni->link, part, part_len, reason, reason_size) == NI_OK;
}

ni_status ni_connect(struct ni *ni, const void *blob, size_t len, struct ni_peer **connected)
{
    char reason[256] = "";
    struct ni_peer *peer;
    const uint8_t *part;
    size_t part_len;
    ni_status status = ni->closing ? NI_ERR_CLOSED : ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    status = parse(ni, blob, len, &part, &part_len, reason, sizeof(reason));
    if (status == NI_OK) {
        status = ni->link->ops->reach(ni->link, part, part_len, reason, sizeof(reason));
    }
    if (status != NI_OK) {
        ni_log(NI_LOG_INFO, "cannot connect: %s", reason);
        return status;
    }
    taken = ni_turn_take(ni);
    status = ni_peer_get(ni, ni->link, part, part_len, &peer);
    if (status == NI_OK) {
        ni_lock_take(&peer->lock, ni->threads);
        status = ni_peer_endpoint(peer);
        ni_lock_give(&peer->lock, ni->threads);
    }
    if (status == NI_OK) {
        peer->references++;
        *connected = peer;
    }
    ni_turn_give(ni, taken);
    return status;
}

uint64_t ni_stat_read(const struct ni *ni, size_t index)
{
    if (ni->threads && !ni->forked) {
        ni_peers_count_sent((struct ni *)(uintptr_t)ni);
    }
    if (ni->portal_ops != NULL) {
        ni->portal_ops->add_up((struct ni *)(uintptr_t)ni);
    }
    return ni_stats_value(&ni->stats, index);
}
