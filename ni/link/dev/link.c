/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/log.h"
#include "base/random.h"
#include "link/dev/dev.h"

/* Life of the link of one NI, and its address. */

static struct ni_dev_link *link_alloc(const struct ni_link_attr *attr)
{
    struct ni_dev_link *link = ni_calloc(1, sizeof(*link));

    if (link == NULL) {
        return NULL;
    }
    ni_far_init(&link->far, &ni_link_dev, &ni_dev_far_ops, attr);
    link->stats = attr->stats;
    link->config = ni_config_get();
    link->client.fd = -1;
    link->rouse_fd = -1;
    link->countdown = 1;
    link->payloads_most = NI_DEV_PAYLOADS;
    link->now_ns = UINT64_C(1000000000); /* nothing was a second ago */
    ni_list_init(&link->moved);
    ni_list_init(&link->graves);
    return link;
}

static void make_blob(struct ni_dev_link *link, uint64_t job_key, uint64_t name)
{
    const struct apelink_features *features = &link->client.features;

    link->blob = (struct ni_dev_blob){
        .magic = NI_DEV_BLOB_MAGIC,
        .version = NI_DEV_VERSION,
        .port = (uint16_t)link->client.port,
        .place = (uint32_t)features->place,
        .torus = (uint32_t)features->torus,
        .key = ni_random_key() | 1, /* not 0 */
        .job_key = job_key,
        .name = name,
        .mailbox = (uintptr_t)link->mailbox,
        .identity = (uintptr_t)&link->identity->state,
        .ring = (uint32_t)(ni_round_up_pow2(link->config->dev_lane_size) / NI_LINE),
        .bulk = (uint32_t)ni_align_up(link->config->dev_bulk_size, NI_LINE),
    };
    link->identity->state.key = link->blob.key;
}

static void link_free(struct ni_dev_link *link)
{
    apelink_client_close(&link->client);
    ni_dev_link_unmap(link);
    if (link->rouse_fd >= 0) {
        (void)close(link->rouse_fd);
    }
    pthread_mutex_destroy(&link->far.lock);
    ni_free(link);
}

static ni_status dev_open(const struct ni_link_attr *attr, struct ni_link **opened)
{
    struct ni_dev_link *link = link_alloc(attr);
    ni_status status;

    if (link == NULL) {
        ni_log(NI_LOG_ERROR, "out of memory");
        return NI_ERR_NOMEM;
    }
    status = ni_dev_card_open(link);
    if (status == NI_OK) {
        status = ni_dev_link_memory(link);
    }
    if (status == NI_OK) {
        link->rouse_fd = ni_descriptor_keep(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        status = link->rouse_fd < 0 ? NI_ERR_SYSTEM : NI_OK;
    }
    if (status == NI_OK && ni_dev_index(link, (uint32_t)link->client.features.place,
                                        link->client.port) == UINT32_MAX) {
        ni_log(NI_LOG_ERROR, "no link over the card of %s: its place is not in its torus",
               link->config->dev_device);
        status = NI_ERR_UNSUPPORTED;
    }
    if (status != NI_OK) {
        link_free(link);
        return status;
    }
    make_blob(link, attr->open->job_key, attr->address);
    *opened = &link->far.base;
    return NI_OK;
}

static void dev_close(struct ni_link *base)
{
    struct ni_dev_link *link = ni_dev_link_of(base);

    ni_dev_farewell(link);
    link_free(link);
}

static size_t dev_blob(struct ni_link *base, void *blob, size_t size)
{
    const struct ni_dev_link *link = ni_dev_link_of(base);

    return ni_far_blob(&link->blob, sizeof(link->blob), blob, size);
}

static ni_status dev_reach(struct ni_link *base, const void *blob, size_t len, char *reason,
                           size_t reason_size)
{
    struct ni_dev_blob ignored;

    return ni_dev_blob_check(ni_dev_link_of(base), blob, len, &ignored, reason, reason_size);
}

static uint64_t dev_name_of(const void *bytes, size_t len)
{
    struct ni_dev_blob blob;

    if (len != sizeof(blob)) {
        return 0;
    }
    memcpy(&blob, bytes, sizeof(blob));
    return blob.name;
}

const struct ni_link_ops ni_link_dev = {
    .name = "dev",
    .id = 4,
    .help = "processes of hosts in one torus of APEnet+ cards",
    .torus = true,
    .open = dev_open,
    .close = dev_close,
    .blob = dev_blob,
    .reach = dev_reach,
    .name_of = dev_name_of,
    .connect = ni_dev_connect,
    .disconnect = ni_dev_disconnect,
    .lose = ni_dev_lose,
    .reserve = ni_dev_reserve,
    .wake = ni_dev_wake,
    .progress = ni_dev_progress,
    .wait = ni_dev_wait,
    .arm = ni_dev_arm,
    .sleep = ni_dev_sleep,
    .descriptors = ni_dev_descriptors,
    .slept = ni_dev_slept,
    .rouse = ni_dev_rouse,
    .wish = ni_dev_wish,
    .describe = ni_dev_describe,
    .way = ni_far_way,
};
