/* SPDX-License-Identifier: BSD-3-Clause */
#include "apelink_config.h"

#include "engine/core/links.h"

#include <apeni/log.h>

#include "base/config.h"
#include "engine/core/lanes.h"
#include "engine/core/peer.h"
#include "engine/drive/faults.h"
#include "engine/drive/peer_down.h"
#include "engine/drive/progress.h"
#include "engine/life/life.h"
#include "link/several/several.h"

/* Which links an NI has. */

static const struct ni_core_ops core_ops = {
    .accept = ni_peer_accept,
    .lane_add = ni_lane_add,
    .lane_remove = ni_lane_gone,
    .lane_park = ni_lane_park,
    .lane_unpark = ni_lane_unpark,
    .deliver = ni_deliver,
    .review = ni_lanes_review,
    .tick = ni_faults_tick,
    .peer_down = ni_peer_ended,
};

static ni_status open_one(struct ni *ni, const struct ni_open_attr *attr,
                          const struct ni_link_ops *ops)
{
    struct ni_link_attr link_attr = {.core_ops = &core_ops,
                                     .core = ni,
                                     .open = attr,
                                     .address = ni->address,
                                     .rails = ni->send.rails,
                                     .stats = &ni->stats};
    ni_status status = ops->open(&link_attr, &ni->life.links[ni->life.link_count]);

    ni->life.link_count += status == NI_OK;
    return status;
}

static ni_status open_ucx(struct ni *ni, const struct ni_open_attr *attr)
{
#ifdef NI_HAVE_UCX
    return open_one(ni, attr, &ni_link_ucx);
#else
    char name[96];

    (void)ni;
    (void)attr;
    ni_config_name("links", name, sizeof(name));
    ni_log(NI_LOG_ERROR,
           "%s asks for ucx, but this was built without UCX: install it and its development files, "
           "and configure anew",
           name);
    return NI_ERR_UNSUPPORTED;
#endif
}

/* Where it was not asked for by name, its absence means that other hosts are not reached. */
static void try_ucx(struct ni *ni, const struct ni_open_attr *attr)
{
#ifdef NI_HAVE_UCX
    if (open_ucx(ni, attr) == NI_OK) {
        return;
    }
#else
    (void)ni;
#endif
    ni_log(NI_LOG_INFO, "no link reaches the other %u hosts of the job", attr->hosts - 1);
}

/* What one NI in one process uses is the program's choice; between processes it is the user's. */
static ni_status open_all(struct ni *ni, const struct ni_open_attr *attr)
{
    enum ni_links_value wanted = (enum ni_links_value)ni->config->links;
    ni_status status;

    if (attr->fabric != NULL) {
        return open_one(ni, attr, &ni_link_inproc);
    }
    if (wanted == NI_LINKS_UCX) {
        return open_ucx(ni, attr);
    }
    status = open_one(ni, attr, &ni_link_shm);
    if (status == NI_OK && wanted == NI_LINKS_DEV) {
        return open_one(ni, attr, &ni_link_dev);
    }
    if (status == NI_OK && wanted == NI_LINKS_BOTH) {
        status = open_ucx(ni, attr);
    } else if (status == NI_OK && wanted == NI_LINKS_AUTO && attr->hosts > 1) {
        try_ucx(ni, attr);
    }
    return status;
}

/* Make one of them. */
static ni_status join_link(struct ni *ni)
{
    ni_status status = NI_OK;

    ni->link = ni->life.links[0];
    if (ni->life.link_count > 1) {
        status = ni_several_open(ni->life.links[0], ni->life.links[1], &ni->stats, &ni->link);
    }
    if (status == NI_ERR_NOMEM) {
        ni_log(NI_LOG_ERROR, "out of memory");
    }
    return status;
}

ni_status ni_links_open(struct ni *ni, const struct ni_open_attr *attr)
{
    struct ni_table_export *area = NULL;
    size_t count = 0;
    ni_status status = open_all(ni, attr);

    if (status == NI_OK) {
        status = join_link(ni);
    }
    if (status != NI_OK) {
        while (ni->life.link_count != 0) {
            ni->life.link_count--;
            ni->life.links[ni->life.link_count]->ops->close(ni->life.links[ni->life.link_count]);
        }
        return status;
    }
    /* The first is the only one that shares memory. */
    if (ni->life.links[0]->ops->export_area != NULL) {
        area = ni->life.links[0]->ops->export_area(ni->life.links[0], &count);
    }
    ni_table_set_export(&ni->table, area, count);
    return NI_OK;
}

void ni_links_close(struct ni *ni)
{
    ni_table_set_export(&ni->table, NULL, 0);
    ni->link->ops->close(ni->link);
}
