/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/core/ni.h"
#include "ucx_caller.h"

void caller_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

uint64_t caller_stat(const struct ni *ni, const char *name)
{
    size_t index = ni_stat_find(name);

    CHECK(index < ni_stat_count);
    return ni_stat_read(ni, index);
}

void caller_turn(struct caller *caller)
{
    (void)ni_ucx.ucp_worker_progress(caller->worker);
    (void)ni_progress(caller->ni);
}

void caller_until(struct caller *caller, const char *name, uint64_t value)
{
    uint64_t begin = ni_now_ns();

    while (caller_stat(caller->ni, name) < value) {
        caller_turn(caller);
        if (ni_now_ns() - begin > CALLER_LIMIT_S * UINT64_C(1000000000)) {
            caller_fail(__FILE__, __LINE__, name);
        }
    }
}

static ucs_status_t on_message(void *arg, const void *header, size_t header_len, void *data,
                               size_t len, const ucp_am_recv_param_t *param)
{
    struct caller *caller = arg;
    struct ni_ucx_hello hello;
    struct ni_ucx_head head;

    (void)param;
    if (header_len == sizeof(head)) {
        memcpy(&head, header, sizeof(head));
        if (head.type == NI_UCX_WELCOME && len <= sizeof(hello)) {
            memcpy(&hello, data, len);
            caller->token = hello.token;
        }
        caller->said_bye |= head.type == NI_UCX_BYE;
    }
    return UCS_OK;
}

static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)arg;
    (void)ep;
    (void)status;
}

static void make_worker(struct caller *caller, ucp_context_h context)
{
    ucp_worker_params_t params = {0};
    ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = NI_UCX_AM,
        .cb = on_message,
        .arg = caller,
    };
    ucp_worker_attr_t attr = {.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS};

    CHECK(ni_ucx.ucp_worker_create(context, &params, &caller->worker) == UCS_OK);
    CHECK(ni_ucx.ucp_worker_set_am_recv_handler(caller->worker, &handler) == UCS_OK);
    CHECK(ni_ucx.ucp_worker_query(caller->worker, &attr) == UCS_OK);
    CHECK(attr.address_length <= NI_UCX_ADDRESS);
    caller->own = (struct ni_ucx_blob){.magic = NI_UCX_BLOB_MAGIC,
                                       .version = NI_UCX_VERSION,
                                       .address_len = (uint16_t)attr.address_length,
                                       .key = ni_random_key(),
                                       .job_key = CALLER_JOB_KEY};
    memcpy(caller->own.address, attr.address, attr.address_length);
    ni_ucx.ucp_worker_release_address(caller->worker, attr.address);
}

void caller_call(struct caller *caller, struct ni *ni)
{
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                            UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                            UCP_EP_PARAM_FIELD_ERR_HANDLER,
                              .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                              .err_handler = {.cb = on_error}};
    ucp_context_h context;

    memset(caller, 0, sizeof(*caller));
    caller->ni = ni;
    CHECK(ni_ucx_library_get(&context) == NI_OK);
    make_worker(caller, context);
    CHECK(ni->link->ops->blob(ni->link, &caller->blob, sizeof(caller->blob)) > 0);
    params.address = (const ucp_address_t *)(const void *)caller->blob.address;
    CHECK(ni_ucx.ucp_ep_create(caller->worker, &params, &caller->ep) == UCS_OK);
}

static void finish(struct caller *caller, ucs_status_ptr_t request)
{
    CHECK(!UCS_PTR_IS_ERR(request));
    while (request != NULL && ni_ucx.ucp_request_check_status(request) == UCS_INPROGRESS) {
        caller_turn(caller);
    }
    if (request != NULL) {
        ni_ucx.ucp_request_free(request);
    }
}

void caller_hang_up(struct caller *caller)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};

    finish(caller, ni_ucx.ucp_ep_close_nbx(caller->ep, &param));
    ni_ucx.ucp_worker_destroy(caller->worker);
    ni_ucx_library_put();
}

void caller_say(struct caller *caller, const void *header, size_t header_len, const void *data,
                size_t len)
{
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request =
        ni_ucx.ucp_am_send_nbx(caller->ep, NI_UCX_AM, header, header_len, data, len, &param);

    if (!UCS_PTR_IS_ERR(request)) {
        finish(caller, request);
    }
}

struct ni_ucx_head caller_head(const struct caller *caller, enum ni_ucx_type type)
{
    return (struct ni_ucx_head){.magic = NI_UCX_MAGIC,
                                .version = NI_UCX_VERSION,
                                .type = (uint8_t)type,
                                .token = caller->token};
}

struct ni_ucx_hello caller_hello(const struct caller *caller, uint64_t key)
{
    return (struct ni_ucx_hello){
        .key = key, .token = 99, .ring = 64, .bulk = 1 << 16, .blob = caller->own};
}

void caller_say_this_hello(struct caller *caller, const struct ni_ucx_hello *hello)
{
    struct ni_ucx_head head = caller_head(caller, NI_UCX_HELLO);

    head.token = 0;
    caller_say(caller, &head, sizeof(head), hello,
               NI_UCX_HELLO_HEAD + NI_UCX_BLOB_HEAD + hello->blob.address_len);
}

void caller_say_hello(struct caller *caller, uint64_t key, uint64_t job_key)
{
    struct ni_ucx_hello hello = caller_hello(caller, key);

    hello.blob.job_key = job_key;
    caller_say_this_hello(caller, &hello);
}

void caller_join(struct caller *caller, struct ni *ni)
{
    uint64_t begin = ni_now_ns();

    caller_call(caller, ni);
    caller_say_hello(caller, caller->blob.key, CALLER_JOB_KEY);
    while (caller->token == 0) {
        caller_turn(caller);
        CHECK(ni_now_ns() - begin < CALLER_LIMIT_S * UINT64_C(1000000000));
    }
}

void caller_check_usable(struct ni *ni)
{
    struct ni_open_attr attr = {.job_key = CALLER_JOB_KEY};
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(ni, blob, sizeof(blob));
    uint64_t before = caller_stat(ni, "rx_packets"), begin = ni_now_ns();
    struct ni *other;
    struct ni_peer *peer;

    CHECK(ni_open(&attr, &other) == NI_OK);
    CHECK(ni_connect(other, blob, len, &peer) == NI_OK);
    while (ni_message(other, peer, 0, 0, "x", 1, NULL, 0) == NI_AGAIN) {
        (void)ni_progress(other);
        (void)ni_progress(ni); /* it has to answer first */
        CHECK(ni_now_ns() - begin < CALLER_LIMIT_S * UINT64_C(1000000000));
    }
    while (caller_stat(ni, "rx_packets") == before) {
        (void)ni_progress(other);
        (void)ni_progress(ni);
        CHECK(ni_now_ns() - begin < CALLER_LIMIT_S * UINT64_C(1000000000));
    }
    ni_close(other);
}

struct ni *caller_open_ni(void)
{
    struct ni_open_attr attr = {.job_key = CALLER_JOB_KEY};
    char error[256];
    struct ni *ni;

    ni_log_set_level(NI_LOG_ERROR);
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_open(&attr, &ni) == NI_OK);
    return ni;
}
