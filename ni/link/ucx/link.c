/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/log.h"
#include "base/random.h"
#include "link/ucx/ucx.h"

/* Life of the link of one NI, and its address. */

static ni_status ucx_failed(const char *what, ucs_status_t status)
{
    ni_log(NI_LOG_ERROR, "no link to other hosts: %s: UCX says \"%s\"", what,
           ni_ucx.ucs_status_string(status));
    return NI_ERR_UNSUPPORTED;
}

static ucs_status_t make_worker(struct ni_ucx_link *link, ucp_context_h context)
{
    ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = NI_UCX_AM,
        .cb = ni_ucx_on_message,
        .arg = link,
    };
    ucs_status_t status = ni_ucx.ucp_worker_create(context, &params, &link->worker);

    if (status == UCS_OK) {
        status = ni_ucx.ucp_worker_set_am_recv_handler(link->worker, &handler);
    }
    return status != UCS_OK ? status : ni_ucx.ucp_worker_get_efd(link->worker, &link->event_fd);
}

static ni_status ucx_blob_make(struct ni_ucx_link *link, uint64_t job_key, uint64_t name)
{
    ucp_worker_attr_t attr = {
        .field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS,
        .address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY,
    };
    ucs_status_t status = ni_ucx.ucp_worker_query(link->worker, &attr);
    size_t len;

    if (status != UCS_OK) {
        return ucx_failed("no address", status);
    }
    len = attr.address_length;
    if (len <= NI_UCX_ADDRESS) {
        link->blob = (struct ni_ucx_blob){.magic = NI_UCX_BLOB_MAGIC,
                                          .version = NI_UCX_VERSION,
                                          .address_len = (uint16_t)len,
                                          .key = ni_random_key(),
                                          .job_key = job_key,
                                          .name = name};
        memcpy(link->blob.address, attr.address, len);
        link->blob_len = NI_UCX_BLOB_HEAD + len;
    }
    ni_ucx.ucp_worker_release_address(link->worker, attr.address);
    if (len > NI_UCX_ADDRESS) {
        ni_log(NI_LOG_ERROR,
               "no link to other hosts: the address that UCX gives has %zu bytes, of which %d are "
               "too many; name fewer devices in the environment variable UCX_NET_DEVICES",
               len, (int)(len - NI_UCX_ADDRESS));
        return NI_ERR_LIMIT;
    }
    return NI_OK;
}

static struct ni_ucx_link *ucx_link_alloc(const struct ni_link_attr *attr)
{
    struct ni_ucx_link *link = ni_calloc(1, sizeof(*link));

    if (link == NULL) {
        return NULL;
    }
    ni_far_init(&link->far, &ni_link_ucx, &ni_ucx_far_ops, attr);
    link->stats = attr->stats;
    link->config = ni_config_get();
    link->rouse_fd = -1;
    link->countdown = 1;
    ni_list_init(&link->moved);
    ni_list_init(&link->graves);
    ni_list_init(&link->late);
    ni_ucx_gather_init(link);
    return link;
}

void ni_ucx_link_free(struct ni_ucx_link *link)
{
    if (link->worker != NULL) {
        ni_ucx.ucp_worker_destroy(link->worker);
    }
    ni_ucx_late_forget(link);
    while (!ni_list_empty(&link->graves)) { /* nothing calls UCX for them any more */
        ni_ucx_peer_free(ni_container_of(link->graves.next, struct ni_ucx_peer, far.list));
    }
    if (link->rouse_fd >= 0) {
        (void)close(link->rouse_fd);
    }
    pthread_mutex_destroy(&link->far.lock);
    ni_free(link->names);
    ni_free(link);
    ni_ucx_library_put();
}

static ni_status ucx_open(const struct ni_link_attr *attr, struct ni_link **opened)
{
    struct ni_ucx_link *link;
    ucp_context_h context;
    ucs_status_t made;
    ni_status status;

    ni_ucx_raise_descriptors(ni_config_get());
    status = ni_ucx_library_get(&context);
    if (status != NI_OK) {
        return status;
    }
    link = ucx_link_alloc(attr);
    if (link == NULL) {
        ni_ucx_library_put();
        ni_log(NI_LOG_ERROR, "out of memory");
        return NI_ERR_NOMEM;
    }
    made = make_worker(link, context);
    status = made != UCS_OK ? ucx_failed("no worker", made)
                            : ucx_blob_make(link, attr->open->job_key, attr->address);
    if (status == NI_OK) {
        link->rouse_fd = ni_descriptor_keep(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        status = link->rouse_fd < 0 ? NI_ERR_SYSTEM : NI_OK;
    }
    if (status != NI_OK) {
        ni_ucx_gather_end(link);
        ni_ucx_link_free(link);
        return status;
    }
    *opened = &link->far.base;
    return NI_OK;
}

static void ucx_close(struct ni_link *base)
{
    struct ni_ucx_link *link = ni_ucx_link_of(base);

    ni_ucx_farewell(link);
    ni_ucx_gather_end(link);
    ni_ucx_linger(link);
}

static size_t ucx_blob(struct ni_link *base, void *blob, size_t size)
{
    const struct ni_ucx_link *link = ni_ucx_link_of(base);

    return ni_far_blob(&link->blob, link->blob_len, blob, size);
}

static ni_status ucx_reach(struct ni_link *base, const void *blob, size_t len, char *reason,
                           size_t reason_size)
{
    struct ni_ucx_blob ignored;

    return ni_ucx_blob_check(ni_ucx_link_of(base), blob, len, &ignored, reason, reason_size);
}

static uint64_t ucx_name_of(const void *bytes, size_t len)
{
    struct ni_ucx_blob blob;

    if (len < NI_UCX_BLOB_HEAD) {
        return 0;
    }
    memcpy(&blob, bytes, NI_UCX_BLOB_HEAD);
    return blob.name;
}

const struct ni_link_ops ni_link_ucx = {
    .name = "ucx",
    .id = 3,
    .help = "processes of other hosts, by UCX",
    .open = ucx_open,
    .close = ucx_close,
    .blob = ucx_blob,
    .reach = ucx_reach,
    .name_of = ucx_name_of,
    .connect = ni_ucx_connect,
    .disconnect = ni_ucx_disconnect,
    .lose = ni_ucx_lose,
    .reserve = ni_ucx_reserve,
    .wake = ni_ucx_wake,
    .progress = ni_ucx_progress,
    .wait = ni_ucx_wait,
    .arm = ni_ucx_arm,
    .sleep = ni_ucx_sleep,
    .descriptors = ni_ucx_descriptors,
    .slept = ni_ucx_slept,
    .rouse = ni_ucx_rouse,
    .wish = ni_ucx_wish,
    .describe = ni_ucx_describe,
    .way = ni_far_way,
};
