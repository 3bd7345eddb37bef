/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends to the ucx link without the keys, and who has them and breaks the protocol. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/random.h"
#include "engine/ni.h"
#include "link/ucx/ucx.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

enum { JOB_KEY = 77, RANDOM_MESSAGES = 400, LIMIT_S = 20 };

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_strangers.c:%d: %s\n", line, what);
    exit(1);
}

/* Somebody with UCX and nothing else of ours. */
struct caller {
    ucp_worker_h worker;
    ucp_ep_h ep;
    struct ni *ni; /* whom it calls */
    struct ni_ucx_blob blob;
    struct ni_ucx_blob own;
    uint64_t token; /* that it got with a welcome */
    bool said_bye;
};

static uint64_t stat(const struct ni *ni, const char *name)
{
    size_t index = ni_stat_find(name);

    CHECK(index < ni_stat_count);
    return ni_stat_read(ni, index);
}

static void turn(struct caller *caller)
{
    (void)ni_ucx.ucp_worker_progress(caller->worker);
    (void)ni_progress(caller->ni);
}

static void until(struct caller *caller, const char *name, uint64_t value)
{
    uint64_t begin = ni_now_ns();

    while (stat(caller->ni, name) < value) {
        turn(caller);
        if (ni_now_ns() - begin > LIMIT_S * UINT64_C(1000000000)) {
            fail(__LINE__, name);
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
                                       .job_key = JOB_KEY};
    memcpy(caller->own.address, attr.address, attr.address_length);
    ni_ucx.ucp_worker_release_address(caller->worker, attr.address);
}

static void call(struct caller *caller, struct ni *ni)
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
        turn(caller);
    }
    if (request != NULL) {
        ni_ucx.ucp_request_free(request);
    }
}

static void hang_up(struct caller *caller)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};

    finish(caller, ni_ucx.ucp_ep_close_nbx(caller->ep, &param));
    ni_ucx.ucp_worker_destroy(caller->worker);
    ni_ucx_library_put();
}

/* Errors are the callee's doing: it may hang up on us. */
static void say(struct caller *caller, const void *header, size_t header_len, const void *data,
                size_t len)
{
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request =
        ni_ucx.ucp_am_send_nbx(caller->ep, NI_UCX_AM, header, header_len, data, len, &param);

    if (!UCS_PTR_IS_ERR(request)) {
        finish(caller, request);
    }
}

static struct ni_ucx_head head_of(const struct caller *caller, enum ni_ucx_type type)
{
    return (struct ni_ucx_head){.magic = NI_UCX_MAGIC,
                                .version = NI_UCX_VERSION,
                                .type = (uint8_t)type,
                                .token = caller->token};
}

static void say_hello(struct caller *caller, uint64_t key, uint64_t job_key)
{
    struct ni_ucx_head head = head_of(caller, NI_UCX_HELLO);
    struct ni_ucx_hello hello = {
        .key = key, .token = 99, .ring = 64, .bulk = 1 << 16, .blob = caller->own};

    hello.blob.job_key = job_key;
    head.token = 0;
    say(caller, &head, sizeof(head), &hello,
        NI_UCX_HELLO_HEAD + NI_UCX_BLOB_HEAD + hello.blob.address_len);
}

/* ---- strangers ------------------------------------------------------------------------------- */

static void strangers(struct ni *ni)
{
    static const uint8_t noise[200] = {1, 2, 3};
    struct caller caller;
    struct ni_ucx_head head;
    uint64_t refused = 0, peers = stat(ni, "peers");

    call(&caller, ni);
    say(&caller, noise, 1, NULL, 0);
    until(&caller, "rx_strangers", ++refused);
    say(&caller, noise, sizeof(head), noise, sizeof(noise));
    until(&caller, "rx_strangers", ++refused);
    head = head_of(&caller, NI_UCX_LINES);
    head.version++;
    say(&caller, &head, sizeof(head), noise, sizeof(noise));
    until(&caller, "rx_strangers", ++refused);
    for (int type = NI_UCX_WELCOME; type <= NI_UCX_BYE + 1; type++) { /* a token that it guessed */
        head = head_of(&caller, (enum ni_ucx_type)type);
        head.token = (uint64_t)1 << 63;
        say(&caller, &head, sizeof(head), noise, sizeof(noise));
        until(&caller, "rx_strangers", ++refused);
    }
    head = head_of(&caller, NI_UCX_HELLO); /* too short */
    say(&caller, &head, sizeof(head), noise, 10);
    until(&caller, "rx_strangers", ++refused);
    say_hello(&caller, caller.blob.key + 1, JOB_KEY);
    until(&caller, "rx_strangers", ++refused);
    say_hello(&caller, caller.blob.key, JOB_KEY + 1);
    until(&caller, "rx_strangers", ++refused);
    CHECK(caller.token == 0 && !caller.said_bye);
    CHECK(stat(ni, "peers") == peers && stat(ni, "rings") == 0);
    hang_up(&caller);
}

/* ---- those of the job ------------------------------------------------------------------------ */

static void join(struct caller *caller, struct ni *ni)
{
    uint64_t begin = ni_now_ns();

    call(caller, ni);
    say_hello(caller, caller->blob.key, JOB_KEY);
    while (caller->token == 0) {
        turn(caller);
        CHECK(ni_now_ns() - begin < LIMIT_S * UINT64_C(1000000000));
    }
}

/* Each breaks the protocol in one way: it is cut off, others are not. */
static void vandal(struct ni *ni, unsigned way)
{
    static const uint8_t lines[70 * NI_LINE];
    struct ni_ucx_bulk bulk = {0};
    uint64_t malformed = stat(ni, "rx_malformed");
    struct caller caller;
    size_t header_len = sizeof(bulk.head), len = NI_LINE;

    join(&caller, ni);
    bulk.head = head_of(&caller, NI_UCX_LINES);
    bulk.head.lines = 1;
    switch (way) {
    case 0: /* fewer bytes than lines */
        bulk.head.lines = 2;
        break;
    case 1: /* behind the window */
        bulk.head.position = 64;
        break;
    case 2: /* more than the ring has */
        bulk.head.lines = 65;
        len = (size_t)65 * NI_LINE;
        break;
    case 3: /* none */
        bulk.head.lines = 0;
        len = 0;
        break;
    case 4: /* reads what we never sent */
        bulk.head.consumed = 5;
        break;
    case 5: /* no such message */
        bulk.head.type = 200;
        break;
    case 6: /* a bulk payload with a short header */
        bulk.head.type = NI_UCX_BULK;
        break;
    case 7: /* outside of the bulk area */
        bulk.head.type = NI_UCX_BULK;
        bulk.line[0] = ni_packet_word0(1, NI_PACKET_MESSAGE | NI_PACKET_IN_BULK, 16, 0);
        bulk.line[1] = ni_packet_word1(NI_LINE, 0);
        bulk.line[7] = 1 << 16;
        header_len = sizeof(bulk);
        break;
    case 8: /* another length than the packet says */
        bulk.head.type = NI_UCX_BULK;
        bulk.line[0] = ni_packet_word0(1, NI_PACKET_MESSAGE | NI_PACKET_IN_BULK, 16, 0);
        bulk.line[1] = ni_packet_word1(NI_LINE + 1, 0);
        header_len = sizeof(bulk);
        break;
    default: /* a second voice */
        bulk.head.type = NI_UCX_WELCOME;
        break;
    }
    say(&caller, &bulk, header_len, lines, len);
    until(&caller, "rx_malformed", malformed + 1);
    hang_up(&caller);
}

/* Messages of one that has all keys and says anything. */
static void babble(struct ni *ni, uint64_t seed)
{
    static uint8_t data[1 << 15];
    struct ni_ucx_bulk bulk;
    struct caller caller;
    struct ni_rng rng;

    ni_rng_seed(&rng, seed);
    join(&caller, ni);
    for (unsigned i = 0; i < RANDOM_MESSAGES / 10 && !caller.said_bye; i++) {
        uint64_t lines = ni_rng_below(&rng, 8);

        for (size_t b = 0; b < sizeof(bulk); b++) {
            ((uint8_t *)&bulk)[b] = (uint8_t)ni_rng_below(&rng, 256);
        }
        bulk.head = head_of(&caller, (enum ni_ucx_type)(2 + ni_rng_below(&rng, 4)));
        bulk.head.position = (uint32_t)ni_rng_below(&rng, 70);
        bulk.head.lines = (uint32_t)lines;
        bulk.head.wishes = (uint8_t)ni_rng_below(&rng, 256);
        for (uint64_t line = 0; line < lines; line++) { /* mostly something to look at */
            uint64_t word0 = ni_packet_word0(bulk.head.position + (uint32_t)line + 1,
                                             (unsigned)ni_rng_below(&rng, 256), 16, 0);

            memcpy(data + line * NI_LINE, &word0, sizeof(word0));
        }
        say(&caller, &bulk, ni_rng_below(&rng, 2) == 0 ? sizeof(bulk) : sizeof(bulk.head), data,
            lines * NI_LINE);
        turn(&caller);
    }
    hang_up(&caller);
}

/* Whether it works still, for those that keep to the rules. */
static void check_usable(struct ni *ni)
{
    struct ni_open_attr attr = {.job_key = JOB_KEY};
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(ni, blob, sizeof(blob));
    uint64_t before = stat(ni, "rx_packets"), begin = ni_now_ns();
    struct ni *other;
    struct ni_peer *peer;

    CHECK(ni_open(&attr, &other) == NI_OK);
    CHECK(ni_connect(other, blob, len, &peer) == NI_OK);
    while (ni_message(other, peer, 0, 0, "x", 1, NULL, 0) == NI_AGAIN) {
        (void)ni_progress(other);
        (void)ni_progress(ni); /* it has to answer first */
        CHECK(ni_now_ns() - begin < LIMIT_S * UINT64_C(1000000000));
    }
    while (stat(ni, "rx_packets") == before) {
        (void)ni_progress(other);
        (void)ni_progress(ni);
        CHECK(ni_now_ns() - begin < LIMIT_S * UINT64_C(1000000000));
    }
    ni_close(other);
}

int main(void)
{
    struct ni_open_attr attr = {.job_key = JOB_KEY};
    char error[256];
    struct ni *ni;

    ni_log_set_level(NI_LOG_ERROR);
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_open(&attr, &ni) == NI_OK);
    strangers(ni);
    for (unsigned way = 0; way < 10; way++) {
        vandal(ni, way);
    }
    for (uint64_t seed = 1; seed <= 10; seed++) {
        babble(ni, seed);
    }
    check_usable(ni);
    ni_close(ni);
    return 0;
}
