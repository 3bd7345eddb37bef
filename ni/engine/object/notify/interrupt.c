/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/log.h"
#include "base/remedy.h"
#include "engine/object/notify/note.h"
#include "engine/core/regions.h"
#include "engine/bulk/transfer.h"

/* INTERRUPT regions: an eventfd each, in object 0, used under the NI's lock, which keeps it
 * open. */

static void release_interrupt(struct ni *ni, const struct ni_region_view *region)
{
    (void)ni;
    (void)close((int)region->object[0]);
}

ni_status ni_interrupt_create(struct ni *ni, struct ni_rkey *rkey, int *fd)
{
    struct ni_region_view view = {.type = NI_REGION_INTERRUPT, .access = NI_ACCESS_WRITE};
    ni_status status = ni_usable(ni);
    int made;

    if (status != NI_OK) {
        return status;
    }
    if (rkey == NULL || fd == NULL) {
        return NI_ERR_INVALID;
    }
    made = ni_descriptor_keep(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (made < 0) {
        ni_log(NI_LOG_ERROR, "no interrupt region: eventfd: %s%s", strerror(errno),
               ni_remedy(errno));
        return NI_ERR_SYSTEM;
    }
    view.object[0] = (uint64_t)made;
    status = ni_region_insert(ni, &view, rkey);
    if (status != NI_OK) {
        (void)close(made);
        return status;
    }
    *fd = made;
    return NI_OK;
}

static ni_status fire(struct ni *ni, ni_handle handle)
{
    const uint64_t one = 1;
    struct ni_region_view view;
    bool found;

    ni_lock_take(&ni->lock, ni->threads);
    found = ni_region_view(ni, handle, NI_REGION_INTERRUPT, &view);
    /* It fails when 2^64 - 2 have not been read: then its sleepers are awake. */
    if (found && write((int)view.object[0], &one, sizeof(one)) == (ssize_t)sizeof(one)) {
        ni_stat_add(&ni->stats.interrupts, 1);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return found ? NI_OK : NI_ERR_REGION;
}

ni_status ni_interrupt_raise(struct ni *ni, ni_handle interrupt)
{
    ni_status status = ni_usable(ni);

    return status == NI_OK ? fire(ni, interrupt) : status;
}

ni_status ni_interrupt_raise_remote(struct ni *ni, struct ni_peer *peer,
                                    const struct ni_rkey *interrupt, const struct ni_ack *ack)
{
    return ni_store_object(ni, peer, interrupt, NULL, 0, ack);
}

/* ---- a type of regions ----------------------------------------------------------------------- */

/* Whatever is written. */
static ni_status write_interrupt(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                                 const struct ni_region_view *region, const uint8_t *payload,
                                 uint32_t len)
{
    (void)writer;
    (void)region;
    (void)payload;
    (void)len;
    return fire(ni, handle);
}

static ni_status notify_interrupt(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                                  const struct ni_region_view *region, uint64_t value)
{
    (void)writer;
    (void)region;
    (void)value;
    return fire(ni, handle);
}

void ni_interrupts_register(struct ni *ni)
{
    static const struct ni_region_ops ops = {
        .write = write_interrupt, .notify = notify_interrupt, .release = release_interrupt};

    ni_region_type_register(ni, NI_REGION_INTERRUPT, &ops);
}
