/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/fault_inl.h"
#include "base/config.h"
#include "base/log.h"
#include "base/random.h"
#include "link/shm/shm.h"

/* ---- open, close ----------------------------------------------------------------------------- */

static ni_status shm_blob_make(struct ni_shm_link *link, uint64_t job_key)
{
    const struct ni_shm_segment *segment = link->segment;

    link->blob = (struct ni_shm_blob){
        .magic = NI_SHM_BLOB_MAGIC,
        .version = NI_SHM_VERSION,
        .size = sizeof(link->blob),
        .host = link->host.host,
        .address = segment->header->address,
        .key = segment->key,
        .job_key = job_key,
        .socket = ni_random_key(),
        .pid_ns = link->host.pid_ns,
        .net_ns = link->host.net_ns,
        .user_ns = link->host.user_ns,
        .pid = (uint32_t)link->pid,
        .fd = (uint32_t)segment->fd,
        .uid = link->host.uid,
    };
    return ni_shm_identity_tell(&link->blob);
}

static void shm_link_free(struct ni_shm_link *link)
{
    if (link->socket >= 0) {
        close(link->socket);
    }
    if (link->segment != NULL) {
        ni_shm_segment_put(link->segment);
    }
    pthread_mutex_destroy(&link->lock);
    ni_free(link->seats);
    ni_free(link->slots_busy);
    ni_free(link);
}

static struct ni_shm_link *shm_link_alloc(const struct ni_link_attr *attr,
                                          const struct ni_shm_counts *counts)
{
    struct ni_shm_link *link = ni_aligned_zero(NI_CACHE_LINE, sizeof(*link));

    if (link == NULL) {
        return NULL;
    }
    link->base.ops = &ni_link_shm;
    link->core_ops = attr->core_ops;
    link->core = attr->core;
    link->stats = attr->stats;
    link->config = ni_config_get();
    link->lane_from =
        (attr->open->flags & NI_LANES_EARLY) != 0 ? 0 : (uint32_t)link->config->shm_ring_after;
    link->pid = getpid();
    link->socket = -1;
    link->countdown = 1;
    link->sleeps = NI_SHM_SLEEPS;
    pthread_mutex_init(&link->lock, NULL);
    ni_list_init(&link->peers);
    ni_list_init(&link->graves);
    link->seats = ni_calloc(counts->seats, sizeof(*link->seats));
    link->slots_busy = ni_calloc(counts->slots, 1);
    if (link->seats == NULL || link->slots_busy == NULL) {
        shm_link_free(link);
        return NULL;
    }
    return link;
}

/* A fault that the parameter asks for and that could never strike is refused. What a test arms by
 * calls, maybe for an inproc NI beside this one, is its own affair. */
static ni_status check_faults(const struct ni_config *config)
{
    static const enum ni_fault_point elsewhere[] = {NI_FAULT_DROP, NI_FAULT_DELAY, NI_FAULT_DUP,
                                                    NI_FAULT_TRUNCATE};
    char name[96];

    for (size_t i = 0; config->fault[0] != '\0' && i < NI_ARRAY_LENGTH(elsewhere); i++) {
        if (ni_fault_planned(elsewhere[i])) {
            ni_config_name("fault", name, sizeof(name));
            ni_log(NI_LOG_ERROR,
                   "%s = \"%s\": shared memory has no point \"%s\", only the links inproc and ucx "
                   "have; use alloc, full, syscall or corrupt",
                   name, config->fault, ni_fault_name(elsewhere[i]));
            return NI_ERR_PARAM;
        }
    }
    return NI_OK;
}

static ni_status shm_open_link(const struct ni_link_attr *attr, struct ni_link **result)
{
    struct ni_shm_counts counts;
    ni_status status =
        ni_shm_counts_choose(ni_config_get(), attr->open->host_processes, attr->rails, &counts);
    struct ni_shm_link *link;

    if (status == NI_OK) {
        status = check_faults(ni_config_get());
    }
    if (status != NI_OK) {
        return status;
    }
    ni_shm_counts_fit(&counts, attr->open->host_processes);
    link = shm_link_alloc(attr, &counts);
    if (link == NULL) {
        ni_log(NI_LOG_ERROR, "out of memory");
        return NI_ERR_NOMEM;
    }
    status = ni_shm_segment_create(&counts, attr->address, &link->segment);
    if (status != NI_OK) {
        shm_link_free(link);
        return status;
    }
    link->header = link->segment->header;
    link->header->lanes_size = link->config->shm_lanes_size;
    ni_shm_count_memory(link);
    link->host = ni_shm_host_find(attr->open->host_key);
    status = shm_blob_make(link, attr->open->job_key);
    if (status != NI_OK) {
        shm_link_free(link);
        return status;
    }
    link->segment->socket = link->blob.socket;
    link->nonce = ni_random_key();
    link->socket = ni_shm_socket_open(&link->blob, link->nonce);
    if (link->config->shm_copy != NI_SHM_COPY_COPY) {
        ni_shm_copy_permit();
    }
    link->next_check = ni_now_ns() + link->config->peer_check_ms * UINT64_C(1000000);
    /* H1 */
    atomic_store_explicit(&link->header->state, NI_SHM_OPEN, memory_order_release);
    *result = &link->base;
    return NI_OK;
}

static void shm_close(struct ni_link *base)
{
    struct ni_shm_link *link = ni_shm_link_of(base);
    bool forked = link->pid != getpid();

    if (!forked) {
        /* H1. First the word, then the lock: who finds no lock on an open segment takes us for
         * dead. */
        atomic_store_explicit(&link->header->state, NI_SHM_CLOSED, memory_order_release);
        ni_shm_segment_unlock(link->segment);
    }
    while (!ni_list_empty(&link->peers)) {
        struct ni_shm_peer *peer = ni_container_of(link->peers.next, struct ni_shm_peer, list);

        if (!forked) {
            ni_shm_in_stop(peer, NI_SHM_SEAT_KICKED);
        }
        ni_shm_peer_free(peer);
    }
    while (!ni_list_empty(&link->graves)) {
        struct ni_shm_grave *grave =
            ni_container_of(ni_list_pop_front(&link->graves), struct ni_shm_grave, list);

        ni_shm_area_put(grave->area);
        ni_free(grave->rail);
        ni_free(grave);
    }
    shm_link_free(link);
}

/* ---- the rest of the table ------------------------------------------------------------------- */

static struct ni_table_export *shm_export_area(struct ni_link *base, size_t *count)
{
    const struct ni_shm_link *link = ni_shm_link_of(base);

    *count = link->segment->geometry.counts.exports;
    return *count == 0 ? NULL : link->segment->exports;
}

static size_t shm_blob(struct ni_link *base, void *blob, size_t size)
{
    const struct ni_shm_link *link = ni_shm_link_of(base);

    if (size < sizeof(link->blob)) {
        return 0;
    }
    memcpy(blob, &link->blob, sizeof(link->blob));
    return sizeof(link->blob);
}

static ni_status shm_reach(struct ni_link *base, const void *blob, size_t len, char *reason,
                           size_t reason_size)
{
    struct ni_shm_blob ignored;

    return ni_shm_blob_check(ni_shm_link_of(base), blob, len, &ignored, reason, reason_size);
}

static uint64_t shm_name_of(const void *bytes, size_t len)
{
    struct ni_shm_blob blob;

    if (len != sizeof(blob)) {
        return 0;
    }
    memcpy(&blob, bytes, sizeof(blob));
    return blob.address;
}

static unsigned shm_progress(struct ni_link *base)
{
    struct ni_shm_link *link = ni_shm_link_of(base);
    /* Relaxed: who finds something here looks again with acquire. */
    uint64_t called = atomic_load_explicit(&link->header->posted, memory_order_relaxed) |
                      atomic_load_explicit(&link->header->attention, memory_order_relaxed) |
                      atomic_load_explicit(&link->header->bells, memory_order_relaxed);
    bool due = --link->countdown == 0;

    if (NI_LIKELY(called == 0 && !due && !link->retry)) {
        return 0;
    }
    return ni_shm_tick(link, due);
}

static int shm_describe(const struct ni_ep *ep, char *text, size_t size)
{
    const struct ni_shm_peer *peer = (const struct ni_shm_peer *)(const void *)ep;
    const char *packets = ep->tx.lines != NULL ? "own ring" : "shared queue";

    if (peer->stage == NI_SHM_CONNECTING) {
        return snprintf(text, size,
                        "shm: process %u was asked for its memory and has not answered yet",
                        peer->process);
    }
    if (ep->same_memory) {
        return snprintf(text, size, "shm: same process; packets: %s; long: plain copies", packets);
    }
    if (ep->copy) {
        return snprintf(text, size, "shm: process %u; packets: %s; long: process_vm_readv",
                        peer->process, packets);
    }
    return snprintf(text, size,
                    "shm: process %u; packets: %s; long: through shared memory, because "
                    "process_vm_readv is %s",
                    peer->process, packets, peer->copy_reason);
}

static struct ni_long_way shm_way(const struct ni_ep *ep)
{
    const struct ni_shm_peer *peer = (const struct ni_shm_peer *)(const void *)ep;

    if (peer->stage == NI_SHM_CONNECTING) {
        return (struct ni_long_way){NULL, NULL};
    }
    if (ep->same_memory) {
        return (struct ni_long_way){"by plain copies within the process", NULL};
    }
    if (ep->copy) {
        return (struct ni_long_way){"by process_vm_readv", NULL};
    }
    return (struct ni_long_way){"through shared memory, because process_vm_readv is",
                                peer->copy_reason};
}

const struct ni_link_ops ni_link_shm = {
    .name = "shm",
    .id = 1,
    .help = "processes of this host",
    .in_place = true,
    .open = shm_open_link,
    .close = shm_close,
    .export_area = shm_export_area,
    .blob = shm_blob,
    .reach = shm_reach,
    .elsewhere = ni_shm_elsewhere,
    .name_of = shm_name_of,
    .connect = ni_shm_connect,
    .disconnect = ni_shm_disconnect,
    .reserve = ni_shm_reserve,
    .rail = ni_shm_rail,
    .commit = ni_shm_commit,
    .review = ni_shm_review,
    .copy = ni_shm_copy,
    .wake = ni_shm_wake,
    .progress = shm_progress,
    .wait = ni_shm_wait,
    .arm = ni_shm_arm,
    .sleep = ni_shm_sleep,
    .descriptors = ni_shm_descriptors,
    .slept = ni_shm_slept,
    .rouse = ni_shm_rouse,
    .wish = ni_shm_wish,
    .describe = shm_describe,
    .way = shm_way,
};
