/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/several/several.h"

#include <poll.h>
#include <time.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/list.h"

enum {
    POLLS_PER_CLOCK = 64,
    QUIET_LOOKS = 32,         /* of the far link, without anything, until it is looked at rarely */
    SLEEP_MAX_US = 20 * 1000, /* a near sender may miss the announcement: see the links */
    SLEEP_BLIND_US = 500,     /* one of the links has no descriptor */
};

struct several {
    struct ni_link base;
    struct ni_link *near, *far;
    uint32_t countdown; /* polls until the far link is thought of */
    uint32_t quiet;     /* looks at it in a row that found nothing */
    bool busy;          /* packets came meanwhile */
    bool blind;
    uint64_t packets; /* at the last look */
    uint64_t looked;  /* ns; while busy */
    const struct ni_stats *stats;
    unsigned fd_count;
    struct pollfd fds[2 * NI_LINK_DESCRIPTORS];
};

static struct several *several_of(struct ni_link *link)
{
    return ni_container_of(link, struct several, base);
}

/* ---- polling --------------------------------------------------------------------------------- */

static unsigned look_far(struct several *several)
{
    unsigned events = several->far->ops->progress(several->far);
    uint64_t packets = ni_stat_get(&several->stats->rx_packets);

    several->quiet = several->far->found || events != 0 ? 0 : several->quiet + 1;
    several->busy = several->quiet > QUIET_LOOKS && packets != several->packets;
    several->packets = packets;
    several->countdown = 1;
    if (several->busy) {
        several->looked = ni_now_ns();
        several->countdown = POLLS_PER_CLOCK;
    }
    return events;
}

static NI_NOINLINE unsigned think_of_far(struct several *several)
{
    if (several->busy && ni_now_ns() - several->looked < NI_SEVERAL_REST_NS) {
        several->countdown = POLLS_PER_CLOCK;
        return 0;
    }
    return look_far(several);
}

static unsigned several_progress(struct ni_link *base)
{
    struct several *several = several_of(base);
    unsigned events = several->near->ops->progress(several->near);

    return NI_LIKELY(--several->countdown != 0) ? events : events + think_of_far(several);
}

/* ---- sleeping -------------------------------------------------------------------------------- */

static bool several_arm(struct ni_link *base, bool (*has_work)(void *core))
{
    struct several *several = several_of(base);

    several->countdown = 1;
    several->busy = false;
    if (!several->near->ops->arm(several->near, has_work)) {
        return false;
    }
    if (!several->far->ops->arm(several->far, has_work)) {
        several->near->ops->slept(several->near);
        return false;
    }
    return true;
}

static void several_sleep(struct ni_link *base, uint64_t timeout_us)
{
    struct several *several = several_of(base);
    uint64_t us = ni_min_u64(timeout_us, several->blind ? SLEEP_BLIND_US : SLEEP_MAX_US);
    struct timespec timeout = {.tv_sec = 0, .tv_nsec = (long)us * 1000};
    struct pollfd fds[NI_ARRAY_LENGTH(several->fds)];

    /* A copy, since polling writes to it, and more than one thread may sleep. */
    for (unsigned i = 0; i < several->fd_count; i++) {
        fds[i] = several->fds[i];
    }
    if (us != 0) {
        (void)ppoll(fds, several->fd_count, &timeout, NULL);
    }
    several->near->ops->slept(several->near);
    several->far->ops->slept(several->far);
}

static void several_wait(struct ni_link *base, uint64_t timeout_us, bool (*has_work)(void *core))
{
    if (several_arm(base, has_work)) {
        several_sleep(base, timeout_us);
    }
}

/* One of them suffices. */
static void several_rouse(struct ni_link *base)
{
    struct several *several = several_of(base);

    several->far->ops->rouse(several->far);
}

static void several_wish(struct ni_link *base, uint32_t wishes)
{
    struct several *several = several_of(base);

    several->near->ops->wish(several->near, wishes);
    several->far->ops->wish(several->far, wishes);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void several_close(struct ni_link *base)
{
    struct several *several = several_of(base);

    several->far->ops->close(several->far);
    several->near->ops->close(several->near);
    ni_free(several);
}

static const struct ni_link_ops ops = {
    .name = "several",
    .help = "those of two links",
    .close = several_close,
    .progress = several_progress,
    .wait = several_wait,
    .arm = several_arm,
    .sleep = several_sleep,
    .rouse = several_rouse,
    .wish = several_wish,
};

static void add_descriptors(struct several *several, struct ni_link *link)
{
    int fds[NI_LINK_DESCRIPTORS];
    unsigned count = link->ops->descriptors(link, fds);

    for (unsigned i = 0; i < count; i++) {
        several->fds[several->fd_count++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    several->blind = several->blind || count == 0;
}

ni_status ni_several_open(struct ni_link *near, struct ni_link *far, const struct ni_stats *stats,
                          struct ni_link **opened)
{
    struct several *several = ni_calloc(1, sizeof(*several));

    if (several == NULL) {
        return NI_ERR_NOMEM;
    }
    several->base.ops = &ops;
    several->near = near;
    several->far = far;
    several->stats = stats;
    several->countdown = 1;
    add_descriptors(several, near);
    add_descriptors(several, far);
    *opened = &several->base;
    return NI_OK;
}
