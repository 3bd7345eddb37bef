/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "link/lane_inl.h"
#include "link/shm/shm.h"

enum {
    ASK_AGAIN_NS = 20 * 1000 * 1000, /* between two questions to an owner that does not answer */
};

/* What an endpoint without a segment shows as its peer's sleep word. */
static const _Atomic uint32_t never_asleep, no_wishes;

/* ---- the struct ------------------------------------------------------------------------------ */

static struct ni_shm_peer *shm_peer_new(struct ni_shm_link *link, const struct ni_shm_blob *blob)
{
    struct ni_shm_peer *peer = ni_aligned_zero(NI_CACHE_LINE, sizeof(*peer));

    if (peer == NULL) {
        return NULL;
    }
    peer->ep.ops = link->base.ops;
    peer->ep.link = &link->base;
    peer->ep.rails = 1;
    peer->ep.sleeping = &never_asleep;
    peer->ep.unpolled = &never_asleep;
    peer->ep.wishes = &no_wishes;
    /* Until the peer's own sizes are known: most likely they are ours. */
    peer->ep.max_lines = ni_lane_max_lines(link->segment->geometry.counts.first / NI_LINE);
    peer->ep.max_bulk = ni_shm_max_bulk(link->segment->geometry.counts.bulk);
    peer->link = link;
    peer->key = blob->key;
    peer->process = blob->pid;
    peer->in_seat = -1;
    ni_list_init(&peer->list);
    ni_list_push_back(&link->peers, &peer->list);
    return peer;
}

/* The list is locked. */
static struct ni_shm_peer *peer_find(struct ni_shm_link *link, uint64_t key)
{
    for (NI_LIST_EACH(node, &link->peers)) {
        struct ni_shm_peer *peer = ni_container_of(node, struct ni_shm_peer, list);

        /* Acquire: pairs with E1. */
        if (peer->key == key &&
            atomic_load_explicit(&peer->status, memory_order_acquire) == NI_OK) {
            return peer;
        }
    }
    return NULL;
}

struct ni_shm_peer *ni_shm_peer_get(struct ni_shm_link *link, const struct ni_shm_blob *blob,
                                    struct ni_peer *core)
{
    struct ni_shm_peer *peer;

    pthread_mutex_lock(&link->lock);
    peer = peer_find(link, blob->key);
    if (peer == NULL) {
        peer = shm_peer_new(link, blob);
    }
    if (peer != NULL && core != NULL) {
        peer->held = true;
        peer->ep.peer = core;
    }
    pthread_mutex_unlock(&link->lock);
    return peer;
}

ni_status ni_shm_break(struct ni_shm_peer *peer, ni_status status)
{
    int none = NI_OK;

    /* E2, and through trouble (release, acquired by ni_shm_tick). */
    (void)atomic_compare_exchange_strong_explicit(&peer->broken, &none, status,
                                                  memory_order_release, memory_order_relaxed);
    atomic_store_explicit(&peer->link->trouble, 1, memory_order_release);
    return status;
}

/* ---- finding the segment --------------------------------------------------------------------- */

/* Whether the link in /proc leads to the segment of another process. */
static bool looks_right(const char *path)
{
    struct stat st;

    return ni_shm_file_named(path, NI_SHM_FILE_NAME) && stat(path, &st) == 0 &&
           !ni_shm_file_known(st.st_dev, st.st_ino);
}

/* Whether a process of our PID namespace, where nobody answers, has ended, or runs another program
 * now. One that ends, or that nobody has waited for yet, takes signals still, but has no program
 * any more; it lost that before its descriptors. */
static bool has_process_ended(const struct ni_shm_link *link, const struct ni_shm_blob *blob)
{
    char path[32], first[1];

    if (kill((pid_t)blob->pid, 0) != 0) {
        return errno == ESRCH;
    }
    snprintf(path, sizeof(path), "/proc/%u/exe", blob->pid);
    if (readlink(path, first, sizeof(first)) < 0 && errno == ENOENT) {
        return true;
    }
    return link->config->shm_copy != NI_SHM_COPY_COPY && ni_shm_identity_lost(blob);
}

/* What a peer is that nobody answers for. */
static ni_status nobody(const struct ni_shm_link *link, const struct ni_shm_peer *peer)
{
    return peer->blob.pid_ns == link->host.pid_ns && has_process_ended(link, &peer->blob)
               ? NI_ERR_PEER_DEAD
               : NI_ERR_UNREACHABLE;
}

/* Open the owner's descriptor. NI_ERR_UNREACHABLE: ask the owner, unless it is us who can have no
 * more. */
static ni_status find_by_proc(const struct ni_shm_link *link, const struct ni_shm_blob *blob,
                              struct ni_shm_segment **segment)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    char path[64];
    int fd;

    if (blob->pid_ns == 0 || blob->pid_ns != link->host.pid_ns) {
        return NI_ERR_UNREACHABLE;
    }
    if (kill((pid_t)blob->pid, 0) != 0 && errno == ESRCH) {
        return NI_ERR_PEER_DEAD;
    }
    snprintf(path, sizeof(path), "/proc/%u/fd/%u", blob->pid, blob->fd);
    if (!looks_right(path)) {
        return NI_ERR_UNREACHABLE;
    }
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
        ni_log_limited(&limit, NI_LOG_ERROR,
                       "cannot send to process %u: %s; each process of the host takes one "
                       "descriptor, raise the limit of open files (ulimit -n)",
                       blob->pid, strerror(errno));
        return NI_ERR_LIMIT;
    }
    return fd < 0 ? NI_ERR_UNREACHABLE : ni_shm_segment_adopt(fd, blob, segment);
}

static ni_status find_segment(struct ni_shm_link *link, struct ni_shm_peer *peer)
{
    struct ni_shm_segment *segment = ni_shm_segment_find(peer->blob.key);
    ni_status status = NI_OK;

    if (segment == NULL) {
        status = find_by_proc(link, &peer->blob, &segment);
    } else if (!ni_shm_owner_alive(segment)) {
        ni_shm_segment_put(segment);
        status = NI_ERR_PEER_DEAD;
    }
    if (status == NI_OK) {
        bool same_pids = peer->blob.pid_ns == link->host.pid_ns;

        peer->pid = same_pids ? (pid_t)peer->blob.pid : 0;
        atomic_store_explicit(&peer->segment, segment, memory_order_release); /* E3 */
        return NI_OK;
    }
    return status;
}

/* The owner has to be asked; it answers from within its progress. */
static ni_status ask_owner(struct ni_shm_link *link, struct ni_shm_peer *peer)
{
    ni_status status;

    if (peer->blob.net_ns != link->host.net_ns) {
        return NI_ERR_UNREACHABLE;
    }
    pthread_mutex_lock(&link->lock); /* the poller looks for it */
    peer->asked = true;
    peer->ask_again = ni_now_ns() + ASK_AGAIN_NS;
    pthread_mutex_unlock(&link->lock);
    status = ni_shm_socket_ask(link, peer);
    if (status != NI_OK) {
        pthread_mutex_lock(&link->lock);
        peer->asked = false;
        pthread_mutex_unlock(&link->lock);
        return status;
    }
    atomic_fetch_add_explicit(&link->connecting, 1, memory_order_relaxed);
    return NI_OK;
}

void ni_shm_connect_poll(struct ni_shm_link *link, uint64_t now)
{
    pthread_mutex_lock(&link->lock);
    for (NI_LIST_EACH(node, &link->peers)) {
        struct ni_shm_peer *peer = ni_container_of(node, struct ni_shm_peer, list);

        if (!peer->asked || now < peer->ask_again) {
            continue;
        }
        peer->ask_again = now + ASK_AGAIN_NS;
        if (ni_shm_socket_ask(link, peer) != NI_OK) {
            peer->asked = false;
            atomic_fetch_sub_explicit(&link->connecting, 1, memory_order_relaxed);
            ni_shm_end(peer, nobody(link, peer));
        }
    }
    pthread_mutex_unlock(&link->lock);
}

/* ---- attaching ------------------------------------------------------------------------------- */

ni_status ni_shm_attach(struct ni_shm_peer *peer)
{
    /* Acquire: pairs with E3. */
    struct ni_shm_segment *segment = atomic_load_explicit(&peer->segment, memory_order_acquire);
    const struct ni_shm_counts *counts = &segment->geometry.counts;

    if (atomic_load_explicit(&segment->header->state, memory_order_acquire) !=
        NI_SHM_OPEN) { /* H1 */
        return NI_ERR_PEER_CLOSED;
    }
    if (!ni_shm_copy_probe(peer)) {
        return NI_ERR_UNREACHABLE;
    }
    peer->ep.max_lines = ni_lane_max_lines(counts->first / NI_LINE);
    peer->ep.max_bulk = ni_shm_max_bulk(counts->bulk);
    peer->ep.exported = counts->exports == 0 ? NULL : segment->exports;
    peer->ep.exported_count = counts->exports;
    peer->ep.sleeping = &segment->header->sleeping;
    peer->ep.unpolled = &segment->header->sleeping; /* until there is a lane */
    peer->ep.wishes = &segment->header->wishes;
    peer->lane_from = peer->link->lane_from;
    peer->stage = NI_SHM_ATTACHED;
    return NI_OK;
}

/* ---- connect, disconnect --------------------------------------------------------------------- */

static void report(const struct ni_shm_peer *peer, ni_status status)
{
    ni_log(NI_LOG_DEBUG, "process %u cannot be reached: %s", peer->process, ni_status_text(status));
}

/* Whatever way there is to the peer's segment. */
static ni_status connect_peer(struct ni_shm_link *link, struct ni_shm_peer *peer)
{
    ni_status status = find_segment(link, peer);

    if (status == NI_OK) {
        return ni_shm_attach(peer);
    }
    if (status != NI_ERR_UNREACHABLE) {
        return status;
    }
    status = ask_owner(link, peer);
    if (status == NI_OK) {
        peer->stage = NI_SHM_CONNECTING;
    } else {
        status = nobody(link, peer);
    }
    return status;
}

static void forget_segment(struct ni_shm_peer *peer)
{
    struct ni_shm_segment *segment =
        atomic_exchange_explicit(&peer->segment, NULL, memory_order_relaxed);

    peer->ep.sleeping = &never_asleep;
    peer->ep.unpolled = &never_asleep;
    peer->ep.wishes = &no_wishes;
    peer->ep.exported = NULL;
    peer->ep.exported_count = 0;
    if (segment != NULL) {
        ni_shm_segment_put(segment);
    }
}

ni_status ni_shm_connect(struct ni_link *base, const void *bytes, size_t len, struct ni_peer *core,
                         struct ni_ep **ep)
{
    struct ni_shm_link *link = ni_shm_link_of(base);
    struct ni_shm_blob blob;
    struct ni_shm_peer *peer;
    ni_status status = ni_shm_blob_check(link, bytes, len, &blob, NULL, 0);

    if (status != NI_OK) {
        return status;
    }
    peer = ni_shm_peer_get(link, &blob, core);
    if (peer == NULL) {
        return NI_ERR_NOMEM;
    }
    if (peer->stage != NI_SHM_UNCONNECTED) {
        return NI_ERR_EXISTS;
    }
    peer->blob = blob;
    status = connect_peer(link, peer);
    if (status != NI_OK) {
        /* The struct stays in the list for the next try: the peer may be sending to us. */
        report(peer, status);
        forget_segment(peer);
        pthread_mutex_lock(&link->lock);
        peer->held = false;
        pthread_mutex_unlock(&link->lock);
        return status;
    }
    *ep = &peer->ep;
    return NI_OK;
}

/* Give back the lane and the seat at the peer. */
static void leave_peer(struct ni_shm_peer *peer)
{
    struct ni_shm_segment *segment = atomic_load_explicit(&peer->segment, memory_order_relaxed);
    uint64_t seat = atomic_exchange_explicit(&peer->out_seat, 0, memory_order_relaxed);

    peer->ep.unpolled = peer->ep.sleeping;
    if (peer->out_area != NULL) {
        ni_shm_area_put(peer->out_area);
        peer->out_area = NULL;
    }
    for (unsigned i = 0; i < NI_RAILS_MAX - 1 && peer->out_rails[i].area != NULL; i++) {
        ni_shm_area_put(peer->out_rails[i].area);
        ni_free(peer->out_rails[i].payload_map);
        peer->out_rails[i] = (struct ni_shm_rail){0};
    }
    if (seat != 0 && peer->link->pid == getpid()) {
        ni_shm_seat_leave(segment, (uint32_t)seat - 1, (uint32_t)(seat >> 32));
    }
    ni_free(peer->payload_map);
    peer->payload_map = NULL;
    peer->ep.tx = (struct ni_lane_tx){0};
}

void ni_shm_peer_free(struct ni_shm_peer *peer)
{
    struct ni_shm_link *link = peer->link;

    leave_peer(peer);
    forget_segment(peer);
    ni_shm_life_unmap(atomic_load_explicit(&peer->life, memory_order_relaxed));
    if (peer->asked) {
        atomic_fetch_sub_explicit(&link->connecting, 1, memory_order_relaxed);
    }
    if (peer->ending != NI_OK && !peer->down) {
        link->endings--;
    }
    pthread_mutex_lock(&link->lock);
    ni_list_remove(&peer->list);
    pthread_mutex_unlock(&link->lock);
    ni_free(peer);
}

void ni_shm_disconnect(struct ni_ep *ep)
{
    struct ni_shm_peer *peer = ni_shm_peer_of(ep);

    if (peer->link->pid == getpid()) {
        ni_shm_in_stop(peer, ep->broke ? NI_SHM_SEAT_BROKEN : NI_SHM_SEAT_KICKED);
    }
    ni_shm_peer_free(peer);
}
