/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fault_inl.h"
#include "base/log.h"
#include "link/shm/shm.h"

/*
 * Copies between address spaces, by process_vm_readv and process_vm_writev, each of which makes
 * sure of whom it copies from or to (identity.c). Whether the kernel allows them depends on users,
 * namespaces, capabilities, security modules, seccomp filters; so it is tried with each peer, and
 * everybody remains able to do without.
 */

enum {
    /* The kernel copies at most 2 GiB less a page per call. */
    COPY_MAX = 1 << 30,
};

static pthread_once_t permit_once = PTHREAD_ONCE_INIT;

/*
 * The security module Yama, in its mode 1, lets only ancestors copy, unless the target declares
 * somebody. Peers are not known yet when they should be declared, so anybody is: any process of the
 * same user, which is what kernels without Yama allow anyway. Nothing is changed in other modes,
 * nor without Yama.
 */
static void permit(void)
{
    char mode = 0;
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return;
    }
    if (read(fd, &mode, 1) == 1 && mode == '1') {
        (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    }
    close(fd);
}

void ni_shm_copy_permit(void)
{
    pthread_once(&permit_once, permit);
}

/* Looked for with the first bytes that are copied, which few peers have. */
static const struct ni_shm_life *life_of(struct ni_shm_peer *peer)
{
    /* Pairs with the release below. */
    const struct ni_shm_life *life = atomic_load_explicit(&peer->life, memory_order_acquire);
    const struct ni_shm_life *found;

    if (NI_LIKELY(life != NULL)) {
        return life;
    }
    found = ni_shm_life_map(&peer->blob, peer->pid);
    found = found != NULL ? found : &ni_shm_no_life;
    /* Pairs with the acquire above, and with itself where another thread was first. */
    if (!atomic_compare_exchange_strong_explicit(&peer->life, &life, found, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        ni_shm_life_unmap(found);
        return life;
    }
    return found;
}

/* One call of the kernel: bytes copied, or -1 with errno. */
static ssize_t call_kernel(struct ni_shm_peer *peer, enum ni_copy_direction direction, void *local,
                           uint64_t remote, size_t len)
{
    if (ni_fault(NI_FAULT_SYSCALL)) {
        errno = EPERM;
        return -1;
    }
    return ni_shm_identity_copy(&peer->blob, len != 0 ? life_of(peer) : NULL, peer->pid, direction,
                                local, remote, len);
}

/* All bytes, none to see whether it can be done; 0 or an errno. */
static int copy_all(struct ni_shm_peer *peer, enum ni_copy_direction direction, void *local,
                    uint64_t remote, size_t len)
{
    uint8_t *here = local;

    for (;;) {
        ssize_t n = call_kernel(peer, direction, here, remote, len < COPY_MAX ? len : COPY_MAX);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno;
        }
        if ((size_t)n == len) {
            return 0;
        }
        if (n == 0) {
            return EFAULT;
        }
        here += n;
        remote += (uint64_t)n;
        len -= (size_t)n;
    }
}

/* ---- finding out ----------------------------------------------------------------------------- */

static const char *reason_of(int error)
{
    switch (error) {
    case ESRCH:
        return "of no use: its process number belongs to another process here, or to none";
    case ENXIO:
        return "of no use: its memory is not there, or cannot be had";
    case EPERM:
        return "not permitted (user namespace, container, seccomp filter or ptrace_scope)";
    case ENOSYS:
        return "not known to the kernel";
    default:
        return "refused by the kernel";
    }
}

/* Why copies through the kernel do not work, or NULL. */
static const char *probe_copy(struct ni_shm_peer *peer)
{
    int error;

    if (peer->pid == 0) {
        return "of no use: its process number is not known in this pid namespace";
    }
    error = copy_all(peer, NI_COPY_FROM_PEER, NULL, 0, 0);
    if (error == 0) {
        error = copy_all(peer, NI_COPY_TO_PEER, NULL, 0, 0);
    }
    return error == 0 ? NULL : reason_of(error);
}

static void set_copy(struct ni_shm_peer *peer, const char *reason)
{
    peer->copy_reason = reason;
    /* Read by other threads as a plain field; see ni_shm_copy. */
    __atomic_store_n(&peer->ep.copy, reason == NULL, __ATOMIC_RELAXED);
}

bool ni_shm_copy_probe(struct ni_shm_peer *peer)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    const struct ni_shm_segment *segment =
        atomic_load_explicit(&peer->segment, memory_order_relaxed);
    uint64_t wanted = peer->link->config->shm_copy;
    const char *reason;

    peer->ep.same_memory = false;
    if (wanted == NI_SHM_COPY_COPY) {
        set_copy(peer, "excluded by the parameter shm_copy");
        return true;
    }
    if (segment->own) {
        peer->ep.same_memory = true;
        set_copy(peer, NULL);
        return true;
    }
    reason = probe_copy(peer);
    if (reason != NULL) {
        ni_log_limited(&limit, wanted == NI_SHM_COPY_PROCESS_VM ? NI_LOG_ERROR : NI_LOG_INFO,
                       "long messages to and from process %u go through shared memory: "
                       "process_vm_readv is %s%s",
                       peer->process, reason,
                       wanted == NI_SHM_COPY_PROCESS_VM
                           ? "; parameter shm_copy demands it, so the peer is given up"
                           : "");
    }
    set_copy(peer, reason);
    return reason == NULL || wanted != NI_SHM_COPY_PROCESS_VM;
}

/* ---- copying --------------------------------------------------------------------------------- */

static ni_status copy_here(enum ni_copy_direction direction, void *local, uint64_t remote,
                           size_t len)
{
    void *there = (void *)(uintptr_t)remote;

    memmove(direction == NI_COPY_FROM_PEER ? local : there,
            direction == NI_COPY_FROM_PEER ? there : local, len);
    return NI_OK;
}

static ni_status copy_failed(struct ni_shm_peer *peer, int error)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);

    /* The page that says who it is cannot be had, maybe for want of memory, or because only its
     * first thread has ended: the lock decides. */
    if (error == ENXIO &&
        !ni_shm_owner_alive(atomic_load_explicit(&peer->segment, memory_order_relaxed))) {
        error = ESRCH;
    }
    switch (error) {
    case EFAULT:
        return NI_ERR_BOUNDS;
    case ESRCH:
        return ni_shm_break(peer, NI_ERR_PEER_DEAD);
    case ENOMEM:
        return NI_ERR_NOMEM;
    default:
        set_copy(peer, reason_of(error));
        ni_log_limited(&limit, NI_LOG_INFO,
                       "long messages to and from process %u go through shared memory from now on: "
                       "process_vm_readv is %s",
                       peer->process, reason_of(error));
        return NI_ERR_UNSUPPORTED;
    }
}

ni_status ni_shm_copy(struct ni_ep *ep, enum ni_copy_direction direction, void *local,
                      uint64_t remote, size_t len)
{
    struct ni_shm_peer *peer = ni_shm_peer_of(ep);
    int error;

    if (ep->same_memory) {
        return copy_here(direction, local, remote, len);
    }
    if (peer->pid == 0) {
        return NI_ERR_UNSUPPORTED;
    }
    error = copy_all(peer, direction, local, remote, len);
    return error == 0 ? NI_OK : copy_failed(peer, error);
}
