/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "link/inproc/inproc.h"

/*
 * Sleeping. The word `sleeping` of the port is a futex: 1 while the owner sleeps or is about to.
 *
 *   sleeper   store 1; look once more; sleep while it is 1; store 0
 *   sender    commit; load: 1? then store 0 and wake
 *
 * A sender's load may overtake its commit, which saves it a full fence in each packet; the sleeper
 * then misses the packet until its time is up, which the engine keeps short.
 */

static long futex(_Atomic uint32_t *word, int op, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

static bool is_link_quiet(struct ni_inproc_link *link, bool (*has_work)(void *core))
{
    struct ni_inproc_port *port = link->port;

    /* P2, E2 */
    return atomic_load_explicit(&port->attention, memory_order_acquire) == link->seen_attention &&
           atomic_load_explicit(&link->fabric->epoch, memory_order_acquire) == link->seen_epoch &&
           !link->unsettled && !ni_inproc_wire_ready(link) && !has_work(link->core);
}

bool ni_inproc_arm(struct ni_link *base, bool (*has_work)(void *core))
{
    struct ni_inproc_link *link = ni_inproc_link_of(base);
    struct ni_inproc_port *port = link->port;

    /* Sequentially consistent, so that the look below is not taken before others can see it. */
    atomic_store_explicit(&port->sleeping, 1, memory_order_seq_cst);
    if (!is_link_quiet(link, has_work)) {
        atomic_store_explicit(&port->sleeping, 0, memory_order_relaxed);
        return false;
    }
    return true;
}

void ni_inproc_sleep(struct ni_link *base, uint64_t timeout_us)
{
    struct ni_inproc_port *port = ni_inproc_link_of(base)->port;
    struct timespec timeout = {.tv_sec = (time_t)(timeout_us / 1000000),
                               .tv_nsec = (long)(timeout_us % 1000000) * 1000};

    if (timeout_us != 0) {
        (void)futex(&port->sleeping, FUTEX_WAIT, 1, &timeout);
    }
    atomic_store_explicit(&port->sleeping, 0, memory_order_relaxed);
}

void ni_inproc_rouse(struct ni_link *base)
{
    ni_inproc_wake_port(ni_inproc_link_of(base)->port);
}

void ni_inproc_wait(struct ni_link *base, uint64_t timeout_us, bool (*has_work)(void *core))
{
    if (ni_inproc_arm(base, has_work)) {
        ni_inproc_sleep(base, timeout_us);
    }
}

void ni_inproc_wake_port(struct ni_inproc_port *port)
{
    if (atomic_load_explicit(&port->sleeping, memory_order_relaxed) != 0 &&
        atomic_exchange_explicit(&port->sleeping, 0, memory_order_relaxed) != 0) {
        (void)futex(&port->sleeping, FUTEX_WAKE, 1, NULL);
    }
}

void ni_inproc_wake(struct ni_ep *ep)
{
    ni_inproc_wake_port(ni_inproc_ep_of(ep)->to);
}

void ni_inproc_wish(struct ni_link *base, uint32_t wishes)
{
    atomic_store_explicit(&ni_inproc_link_of(base)->port->wishes, wishes, memory_order_relaxed);
}
