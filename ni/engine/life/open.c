/* SPDX-License-Identifier: BSD-3-Clause */
#include "apelink_config.h"

#include <unistd.h>

#include <apeni/ni.h>

#include "base/alloc.h"
#include "base/config.h"
#include "base/log.h"
#include "base/random.h"
#include "engine/drive/place.h"
#include "engine/bulk/copy_tuner.h"
#include "engine/arrive/arrival.h"
#include "engine/send/waiting.h"
#include "engine/core/bulk.h"
#include "engine/core/deferred.h"
#include "engine/drive/faults.h"
#include "engine/drive/peer_down.h"
#include "engine/life/life.h"
#include "engine/send/control.h"
#include "engine/bulk/shared_copy_in.h"
#include "engine/bulk/transfer.h"
#include "engine/core/links.h"
#include "engine/object/counter/counter.h"
#include "engine/object/queue/multi.h"
#include "engine/core/ni.h"
#include "engine/core/noting.h"
#include "engine/object/notify/note.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "engine/core/portal_ops.h"
#include "engine/drive/progress.h"
#include "engine/object/queue/queue.h"
#include "engine/send/unacked.h"
#include "engine/core/regions.h"
#include "engine/core/stamps.h"
#include "engine/object/store/stores.h"
#include "engine/send/stream.h"
#include "engine/drive/thread.h"

/* Life of an NI. */

enum { OPEN_FLAGS = NI_THREADS | NI_LANES_EARLY | NI_PEERS_AWAY };

/* What a transfer takes is there from the start: want of memory is told only while many are under
 * way, whose ends give it back. */
static ni_status init_pool(struct ni_pool *pool, size_t size, uint32_t items)
{
    ni_status status = ni_pool_init(pool, size, items, 0);

    return status == NI_OK ? ni_pool_reserve(pool) : status;
}

static ni_status init_pools(struct ni *ni)
{
    ni_status status = init_pool(&ni->core.op_pool, sizeof(struct ni_op), 64);

    if (status == NI_OK) {
        status = init_pool(&ni->bulk.pool, sizeof(struct ni_bulk), 16);
    }
    if (status == NI_OK) {
        status = init_pool(&ni->send.control_pool, sizeof(struct ni_control), 64);
    }
    if (status == NI_OK) {
        status = init_pool(&ni->send.stream_pool, sizeof(struct ni_stream), 16);
    }
    if (status == NI_OK) {
        status = init_pool(&ni->bulk.shared_in_pool, sizeof(struct ni_shared_copy_in), 16);
    }
    return status;
}

/* In no order: source.h has it. Portals come when they are opened. */
static void register_sources(struct ni *ni)
{
    ni_stores_register(ni);
    ni_unacked_register(ni);
    ni_controls_register(ni);
    ni_streams_register(ni);
}

static void register_region_types(struct ni *ni)
{
    ni_region_ops_init(ni);
    ni_interrupts_register(ni);
    ni_queues_register(ni);
    ni_multis_register(ni);
    ni_counters_register(ni);
}

static void init_copy_tuners(struct ni *ni)
{
    uint32_t count = ni->config->bulk_both ? NI_WAY_COUNT : NI_WAY_COUNT - 1;
    bool share_cores = ni->drive.host_processes > ni->drive.host_cores;

    for (unsigned i = 0; i < NI_COPY_TUNER_CLASSES; i++) {
        ni_copy_tuner_init(&ni->bulk.copy_tuners[i], (uint32_t)ni->config->pull_trial, count,
                           share_cores);
    }
    ni_copy_tuner_init(&ni->bulk.push_tuner, (uint32_t)ni->config->pull_trial, NI_WAY_ALONE,
                       share_cores);
}

static void init_fields(struct ni *ni, const struct ni_open_attr *attr)
{
    ni->drive.place = ni_place_find(attr);
    /* The engine thread is one that may call. */
    ni->threads = (attr->flags & NI_THREADS) != 0 || ni->drive.place.placement != NI_PLACEMENT_TILE;
    ni->config = ni_config_get();
    ni->bulk.direct_min = (attr->flags & NI_PEERS_AWAY) != 0 ? NI_DIRECT_MIN_AWAY : NI_DIRECT_MIN;
    ni->send.rails = attr->rails != 0 ? attr->rails : (unsigned)ni->config->rails;
    ni->send.multipath = attr->multipath != NI_MULTIPATH_DEFAULT          ? attr->multipath
                         : ni->config->multipath == NI_MULTIPATH_BY_ORDER ? NI_MULTIPATH_RESEQUENCE
                                                                          : NI_MULTIPATH_COUNTERS;
    ni->address = ni_random_key();
    ni->life.pid = getpid();
    ni->drive.host_processes = attr->host_processes;
    ni->drive.host_cores =
        attr->host_cores != 0 ? attr->host_cores : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    init_copy_tuners(ni);
    ni_work_init(&ni->send.busy);
    ni_work_init(&ni->bulk.copying);
    ni_work_init(&ni->bulk.requests);
    ni_work_init(&ni->bulk.shared_in);
    ni_work_init(&ni->core.flushes);
    ni_work_init(&ni->portal_work);
    ni->arrive.last.queue = NI_NO_QUEUE;
    ni->arrive.last_queue.queue = NI_NO_QUEUE;
    ni_list_init(&ni->core.departed);
    ni_list_init(&ni->core.parked);
    ni_list_init(&ni->core.peers);
    ni_list_init(&ni->drive.downs);
    ni_list_init(&ni->life.forks);
    ni_list_init(&ni->object.multis);
    ni_list_init(&ni->core.deferred);
    register_sources(ni);
    register_region_types(ni);
    ni_transfers_register(ni);
    ni_send_register(ni);
    ni_parts_register(ni);
    ni_peers_register(ni);
}

/* Before there is a link: what else can fail says why itself. */
static ni_status init_all(struct ni *ni, const struct ni_open_attr *attr)
{
    ni_status status;

    init_fields(ni, attr);
    status = init_pools(ni);
    if (status == NI_OK) {
        status = ni_table_init(&ni->table);
    }
    /* With TILE one waits for the first long put. A fabric's NIs are moved by its program alone. */
    if (status == NI_OK &&
        (ni_has_back_end(ni) || (ni->config->away_us != 0 && attr->fabric == NULL))) {
        status = ni_engine_make(ni, (attr->flags & NI_THREADS) == 0);
    }
    if (status == NI_OK) {
        status = ni_stamps_open(ni, attr->host_key);
    }
    if (status == NI_OK) {
        status = ni_faults_open(ni, attr->fabric != NULL);
    }
    if (status == NI_ERR_NOMEM) {
        ni_log(NI_LOG_ERROR, "out of memory");
    }
    return status;
}

static void free_ni(struct ni *ni)
{
    ni_table_fini(&ni->table);
    ni_pool_fini(&ni->core.op_pool);
    ni_pool_fini(&ni->bulk.pool);
    ni_pool_fini(&ni->send.control_pool);
    ni_pool_fini(&ni->send.stream_pool);
    ni_pool_fini(&ni->bulk.shared_in_pool);
    ni_queue_names_free(ni);
    ni_engine_free(ni);
    ni_stamps_close(ni);
    ni_faults_close(ni);
    ni_free(ni->core.lanes);
    ni_free(ni);
}

static ni_status start_engine(struct ni *ni)
{
    char text[256];
    ni_status status = ni_has_back_end(ni) ? ni_engine_start(ni) : NI_OK;

    if (status == NI_OK && ni_log_enabled(NI_LOG_DEBUG)) {
        (void)ni_placement_describe(ni, text, sizeof(text));
        ni_log(NI_LOG_DEBUG, "placement %s", text);
    }
    return status;
}

/* Says what is wrong. */
static bool attr_is_sound(const struct ni_open_attr *attr)
{
    if ((attr->flags & ~(unsigned)OPEN_FLAGS) != 0 ||
        (unsigned)attr->placement > NI_PLACEMENT_SPLIT) {
        ni_log(NI_LOG_ERROR,
               "ni_open: flags are 0x%x, of which 0x%x may be set, and placement %d, which can be "
               "0 to %d",
               attr->flags, (unsigned)OPEN_FLAGS, (int)attr->placement, NI_PLACEMENT_SPLIT);
        return false;
    }
    if (attr->rails > NI_RAILS_MAX || (unsigned)attr->multipath > NI_MULTIPATH_NONE) {
        ni_log(NI_LOG_ERROR,
               "ni_open: rails is %u, which can be 0 to %d, and multipath %d, which can be 0 to %d",
               attr->rails, NI_RAILS_MAX, (int)attr->multipath, NI_MULTIPATH_NONE);
        return false;
    }
    return true;
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
    if (!attr_is_sound(attr)) {
        return NI_ERR_INVALID;
    }
    ni = ni_aligned_zero(NI_CACHE_LINE, sizeof(*ni));
    if (ni == NULL) {
        ni_log(NI_LOG_ERROR, "out of memory");
        return NI_ERR_NOMEM;
    }
    status = init_all(ni, attr);
    if (status == NI_OK) {
        status = ni_links_open(ni, attr);
    }
    if (status != NI_OK) {
        free_ni(ni);
        return status;
    }
    ni_fork_watch(ni);
    status = start_engine(ni);
    if (status != NI_OK) {
        ni_close(ni);
        return status;
    }
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
    if (ni->drive.engine != NULL) {
        ni_fork_forget_engine(ni);
        (void)ni_engine_stop(ni, UINT64_MAX);
        (void)ni_front_hand_out(ni);
    }
    ni->closing = true;
    ni->drive.down_fn = NULL;
    for (struct ni_list *node = ni->core.peers.next; node != &ni->core.peers; node = node->next) {
        ni_peer_down(ni, ni_container_of(node, struct ni_peer, core.all), NI_ERR_CLOSED);
    }
    ni_peers_settle(ni);
    (void)ni_noting_deliver(ni);
    if (ni->portal_ops != NULL) {
        ni->portal_ops->close(ni);
    }
    ni_regions_close(ni);
    (void)ni_multis_progress(ni); /* those that went earlier: nobody is left to be told */
    (void)ni_deferred_calls_run(ni);
    if (ni->command_ops != NULL) {
        ni->command_ops->close(ni);
    }
    if (ni->qp_ops != NULL) {
        ni->qp_ops->close(ni);
    }
    for (struct ni_list *node = ni->core.peers.next; node != &ni->core.peers; node = next) {
        next = node->next;
        ni_peer_end(ni_container_of(node, struct ni_peer, core.all));
    }
    ni_links_close(ni);
    ni_fork_unwatch(ni);
    free_ni(ni);
}
