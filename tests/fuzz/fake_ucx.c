/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_ucx.h"

#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_input.h"
#include "link/ucx/ucx.h"

enum { ENDPOINTS = 64, QUEUED = 256, PARTING_POLLS = 200, TICK_NS = 1000 };

static const char address[] = "nowhere";

struct ucp_ep {
    ucp_err_handler_t handler;
    uint64_t token;
    bool is_open, hangs_up, gone, said_bye, answered;
};

/* Something that the link has under way. */
struct request {
    struct request *next;
    ucp_ep_h ep;
    bool is_fetch, ended;
    ucp_send_nbx_callback_t sent;
    ucp_am_recv_data_nbx_callback_t fetched;
    void *user_data;
    const uint8_t *header, *data;
    uint8_t *place;
    size_t header_len, len;
};

struct message {
    uint8_t *header, *data; /* badly aligned, and no byte longer than they are */
    size_t header_len, len;
    bool here;
};

static struct {
    unsigned ways, users, ended, requests;
    bool parting;
    unsigned parting_for; /* polls */
    int fd;
    ucp_am_handler_param_t handler;
    struct ucp_ep eps[ENDPOINTS];
    unsigned ep_count;
    struct request *first, *last;
    struct message queue[QUEUED];
    unsigned said, heard;
    const void *offered; /* data that is to be fetched within the handler, or not at all */
    uint64_t seen;
} fake;

struct ni_ucx_calls ni_ucx;

/* ---- requests -------------------------------------------------------------------------------- */

static void look_at(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        fake.seen += bytes[i]; /* AddressSanitizer tells */
    }
}

/* What the link says tells us with which token to sign, and that it closes. */
static void note(const struct request *request)
{
    struct ni_ucx_head head;
    uint64_t token;

    if (request->header_len < sizeof(head)) {
        return;
    }
    memcpy(&head, request->header, sizeof(head));
    if (head.type == NI_UCX_HELLO || head.type == NI_UCX_WELCOME) {
        must(request->len > NI_UCX_HELLO_HEAD, "a hello is too short");
        memcpy(&token, request->data + offsetof(struct ni_ucx_hello, token), sizeof(token));
        request->ep->token = token;
    }
    must(!request->ep->said_bye, "it says something after bye");
    request->ep->said_bye = head.type == NI_UCX_BYE;
}

static ucs_status_t do_it(struct request *request, ucs_status_t status)
{
    if (!request->is_fetch) {
        look_at(request->header, request->header_len);
        look_at(request->data, request->len);
    } else if (status == UCS_OK) {
        memset(request->place, 0x77, request->len);
    }
    return status;
}

static void end(struct request *request, ucs_status_t status)
{
    status = do_it(request, status);
    request->ended = true;
    if (request->is_fetch) {
        request->fetched(request, status, request->len, request->user_data);
    } else {
        request->sent(request, status, request->user_data);
    }
}

static void put(struct request *request)
{
    struct request *kept = malloc(sizeof(*kept));

    must(kept != NULL, "memory");
    *kept = *request;
    if (fake.first == NULL) {
        fake.first = kept;
    } else {
        fake.last->next = kept;
    }
    fake.last = kept;
    fake.requests++;
}

static struct request *take_of(ucp_ep_h ep)
{
    struct request **at = &fake.first, *before = NULL, *found;

    while (*at != NULL && ep != NULL && (*at)->ep != ep) {
        before = *at;
        at = &(*at)->next;
    }
    found = *at;
    if (found != NULL) {
        *at = found->next;
        fake.last = fake.last == found ? before : fake.last;
    }
    return found;
}

static ucs_status_ptr_t begin(struct request *request)
{
    if ((fake.ways & FAKE_SLOW) != 0) {
        put(request);
        return fake.last;
    }
    (void)do_it(request, UCS_OK);
    return NULL;
}

static void request_free(void *request)
{
    must(((struct request *)request)->ended, "a request is freed that is under way");
    free(request);
    fake.requests--;
}

static ucs_status_t request_check(void *request)
{
    return ((struct request *)request)->ended ? UCS_OK : UCS_INPROGRESS;
}

/* ---- what the link calls --------------------------------------------------------------------- */

static ucs_status_t worker_create(ucp_context_h context, const ucp_worker_params_t *params,
                                  ucp_worker_h *worker)
{
    (void)context;
    (void)params;
    *worker = (ucp_worker_h)(void *)&fake;
    fake.fd = eventfd(0, EFD_CLOEXEC);
    return fake.fd < 0 ? UCS_ERR_IO_ERROR : UCS_OK;
}

static void worker_destroy(ucp_worker_h worker)
{
    (void)worker;
    close(fake.fd);
    fake.fd = -1;
}

static ucs_status_t worker_query(ucp_worker_h worker, ucp_worker_attr_t *attr)
{
    (void)worker;
    attr->address = malloc(sizeof(address));
    must(attr->address != NULL, "memory");
    memcpy(attr->address, address, sizeof(address));
    attr->address_length = sizeof(address);
    return UCS_OK;
}

static void release_address(ucp_worker_h worker, ucp_address_t *released)
{
    (void)worker;
    free(released);
}

static ucs_status_t get_efd(ucp_worker_h worker, int *fd)
{
    (void)worker;
    *fd = fake.fd;
    return UCS_OK;
}

static ucs_status_t arm(ucp_worker_h worker)
{
    (void)worker;
    return UCS_ERR_BUSY;
}

static ucs_status_t set_handler(ucp_worker_h worker, const ucp_am_handler_param_t *param)
{
    (void)worker;
    fake.handler = *param;
    return UCS_OK;
}

static ucs_status_t ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep)
{
    (void)worker;
    look_at((const uint8_t *)params->address, 1);
    if ((fake.ways & FAKE_REFUSES) != 0 || fake.ep_count == ENDPOINTS) {
        return UCS_ERR_UNREACHABLE;
    }
    *ep = &fake.eps[fake.ep_count++];
    (*ep)->handler = params->err_handler;
    (*ep)->is_open = true;
    return UCS_OK;
}

static ucs_status_ptr_t ep_flush(ucp_ep_h ep, const ucp_request_param_t *param)
{
    (void)param;
    must(ep->is_open, "an endpoint is flushed that is closed");
    return NULL;
}

static ucs_status_ptr_t ep_close(ucp_ep_h ep, const ucp_request_param_t *param)
{
    struct request *request;

    (void)param;
    must(ep->is_open, "an endpoint is closed twice");
    ep->is_open = false;
    while ((request = take_of(ep)) != NULL) {
        end(request, UCS_ERR_CANCELED);
    }
    return NULL;
}

static ucs_status_ptr_t am_send(ucp_ep_h ep, unsigned id, const void *header, size_t header_len,
                                const void *data, size_t len, const ucp_request_param_t *param)
{
    struct request request = {.ep = ep,
                              .sent = param->cb.send,
                              .user_data = param->user_data,
                              .header = header,
                              .header_len = header_len,
                              .data = data,
                              .len = len};

    must(id == NI_UCX_AM && ep->is_open, "it sends to nobody");
    note(&request);
    return begin(&request);
}

static ucs_status_ptr_t am_recv_data(ucp_worker_h worker, void *desc, void *place, size_t len,
                                     const ucp_request_param_t *param)
{
    struct request request = {.is_fetch = true,
                              .fetched = param->cb.recv_am,
                              .user_data = param->user_data,
                              .place = place,
                              .len = len};

    (void)worker;
    must(desc != NULL && desc == fake.offered, "data is fetched that is not offered");
    fake.offered = NULL;
    return begin(&request);
}

/* ---- progress -------------------------------------------------------------------------------- */

static void hear(const void *header, size_t header_len, void *data, size_t len, bool here)
{
    ucp_am_recv_param_t param = {.recv_attr = here ? 0 : UCP_AM_RECV_ATTR_FLAG_RNDV};
    ucs_status_t status;

    fake.offered = here ? NULL : data;
    status = fake.handler.cb(fake.handler.arg, header, header_len, data, len, &param);
    must(status == (!here && fake.offered == NULL ? UCS_INPROGRESS : UCS_OK),
         "whether data was fetched is not what is said");
    fake.offered = NULL;
}

static bool hear_one(void)
{
    struct message *message = &fake.queue[fake.heard];

    if (fake.heard == fake.said) {
        return false;
    }
    fake.heard++;
    hear(message->header + 1, message->header_len, message->data + 1, message->len, message->here);
    free(message->header);
    free(message->data);
    return true;
}

static bool end_one(void)
{
    struct request *request = take_of(NULL);
    unsigned fails;

    if (request == NULL) {
        return false;
    }
    fails = fake.ways & (request->is_fetch ? FAKE_FAILS_TO_FETCH : FAKE_FAILS_TO_SEND);
    end(request, fails != 0 && fake.ended++ % 2 != 0 ? UCS_ERR_CONNECTION_RESET : UCS_OK);
    return true;
}

/* An endpoint ends, or its peer says bye to one who has. Who was not said bye to, because it never
 * spoke, hangs up after a while. */
static bool part_one(void)
{
    bool late = fake.parting && fake.parting_for++ > PARTING_POLLS;

    for (unsigned i = 0; i < fake.ep_count; i++) {
        ucp_ep_h ep = &fake.eps[i];
        struct ni_ucx_head bye = {.magic = NI_UCX_MAGIC,
                                  .version = NI_UCX_VERSION,
                                  .type = NI_UCX_BYE,
                                  .token = ep->token};

        bool parts = fake.parting && (ep->token == 0 || (late && !ep->said_bye));

        if (ep->is_open && !ep->gone && (ep->hangs_up || parts)) {
            ep->gone = true;
            ep->handler.cb(ep->handler.arg, ep, UCS_ERR_CONNECTION_RESET);
            return true;
        }
        if (fake.parting && ep->said_bye && !ep->answered) {
            ep->answered = true;
            hear(&bye, sizeof(bye), NULL, 0, true);
            return true;
        }
    }
    return false;
}

static unsigned worker_progress(ucp_worker_h worker)
{
    (void)worker;
    return end_one() || hear_one() || part_one();
}

/* ---- time ------------------------------------------------------------------------------------ */

/* The linker puts it in the place of the C library's, for all but that library itself. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    static uint64_t ns;

    must(clock == CLOCK_MONOTONIC, "it reads another clock");
    ns += TICK_NS;
    *now =
        (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
    return 0;
}

/* ---- for the fuzzer -------------------------------------------------------------------------- */

void fake_reset(void)
{
    must(fake_is_clean(), "something is left");
    memset(&fake, 0, sizeof(fake));
    fake.fd = -1;
}

void fake_set_ways(unsigned ways)
{
    fake.ways = ways;
}

static uint8_t *copy(const void *bytes, size_t len)
{
    uint8_t *made = malloc(len + 1);

    must(made != NULL, "memory");
    if (len != 0) {
        memcpy(made + 1, bytes, len);
    }
    return made;
}

void fake_say(const void *header, size_t header_len, const void *data, size_t len, bool here)
{
    if (fake.said < QUEUED) {
        fake.queue[fake.said++] = (struct message){.header = copy(header, header_len),
                                                   .data = copy(data, len),
                                                   .header_len = header_len,
                                                   .len = len,
                                                   .here = here};
    }
}

unsigned fake_unheard(void)
{
    return fake.said - fake.heard;
}

unsigned fake_endpoints(void)
{
    return fake.ep_count;
}

uint64_t fake_token(unsigned number)
{
    return fake.eps[number].token;
}

void fake_part(void)
{
    fake.parting = true;
    fake.parting_for = 0;
    fake.ways = 0;
}

void fake_hang_up(unsigned number)
{
    fake.eps[number].hangs_up = true;
}

bool fake_is_clean(void)
{
    for (unsigned i = 0; i < fake.ep_count; i++) {
        if (fake.eps[i].is_open) {
            return false;
        }
    }
    return fake.requests == 0 && fake.users == 0 && fake.heard == fake.said;
}

/* ---- in the place of library.c --------------------------------------------------------------- */

static const char *status_string(ucs_status_t status)
{
    (void)status;
    return "no reason";
}

ni_status ni_ucx_library_get(ucp_context_h *context)
{
    ni_ucx = (struct ni_ucx_calls){
        .ucp_worker_create = worker_create,
        .ucp_worker_destroy = worker_destroy,
        .ucp_worker_query = worker_query,
        .ucp_worker_release_address = release_address,
        .ucp_worker_get_efd = get_efd,
        .ucp_worker_arm = arm,
        .ucp_worker_progress = worker_progress,
        .ucp_worker_set_am_recv_handler = set_handler,
        .ucp_ep_create = ep_create,
        .ucp_ep_flush_nbx = ep_flush,
        .ucp_ep_close_nbx = ep_close,
        .ucp_am_send_nbx = am_send,
        .ucp_am_recv_data_nbx = am_recv_data,
        .ucp_request_check_status = request_check,
        .ucp_request_free = request_free,
        .ucs_status_string = status_string,
    };
    *context = NULL;
    fake.users++;
    return NI_OK;
}

void ni_ucx_library_put(void)
{
    fake.users--;
}

void ni_ucx_library_keep(void)
{
    fake.users--;
}

unsigned ni_ucx_library_users(void)
{
    return fake.users;
}
