/* SPDX-License-Identifier: BSD-3-Clause */
/* The state over HTTP. */
#include "hfm/daemon/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "hfm/daemon/daemon.h"

enum { HEADERS_MAX = 8192, BODY_MAX = 1024, PATIENCE_S = 20 };
/* Readers wait while the daemon has so many files; others need some. How often to look. */
enum { FILES_MAX = 256, AGAIN_MS = 500 };

struct hfm_http {
    struct hfm_daemon *daemon;
    struct evhttp *server;
    struct evconnlistener *listener;
    struct event *again;
};

static struct hfm_http *listening; /* for libevent's callback of errors, which has no argument */

/* Whether there is a file for one more reader. */
static bool has_file(void)
{
    struct rlimit limit = {FILES_MAX, FILES_MAX};
    int lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

    if (lowest < 0) {
        return false;
    }
    close(lowest);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    return (uint64_t)lowest < ni_min_u64(FILES_MAX, limit.rlim_cur / 2);
}

static void pause_listening(struct hfm_http *http)
{
    struct timeval wait = {0, AGAIN_MS * 1000};

    evconnlistener_disable(http->listener);
    event_add(http->again, &wait);
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_http *http = arg;

    (void)fd;
    (void)what;
    if (!has_file() || evconnlistener_enable(http->listener) != 0) {
        pause_listening(http);
    }
}

/* Nobody could be accepted: as long as that is so the socket stays readable. */
static void on_error(struct evconnlistener *listener, void *arg)
{
    (void)listener;
    (void)arg;
    pause_listening(listening);
}

/* Somebody has been accepted. NULL: libevent makes what it needs. */
static struct bufferevent *on_reader(struct event_base *base, void *arg)
{
    (void)base;
    if (!has_file()) {
        pause_listening(arg);
    }
    return NULL;
}

/* What one prints, as an answer. */
static void reply(struct evhttp_request *request, struct hfm_http *http, const char *type,
                  void (*print)(FILE *, const struct hfm_state *))
{
    struct evbuffer *body = evbuffer_new();
    struct hfm_state state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL || body == NULL) {
        evhttp_send_error(request, 503, "no memory");
    } else {
        hfm_daemon_state(http->daemon, &state);
        print(out, &state);
        fflush(out);
        evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type", type);
        evhttp_add_header(evhttp_request_get_output_headers(request), "Cache-Control", "no-store");
        evbuffer_add(body, text, size);
        evhttp_send_reply(request, 200, "OK", body);
    }
    if (out != NULL) {
        fclose(out);
    }
    free(text);
    if (body != NULL) {
        evbuffer_free(body);
    }
}

static void on_page(struct evhttp_request *request, void *arg)
{
    reply(request, arg, "text/html; charset=utf-8", hfm_print_page);
}

static void on_json(struct evhttp_request *request, void *arg)
{
    reply(request, arg, "application/json", hfm_print_json);
}

static void on_metrics(struct evhttp_request *request, void *arg)
{
    reply(request, arg, "text/plain; version=0.0.4; charset=utf-8", hfm_print_metrics);
}

static void on_health(struct evhttp_request *request, void *arg)
{
    struct hfm_http *http = arg;
    struct hfm_state state;

    hfm_daemon_state(http->daemon, &state);
    if (hfm_print_exit(&state) <= HFM_EXIT_SICK) {
        evhttp_send_reply(request, 200, "OK", NULL);
    } else {
        evhttp_send_error(request, 503, "something is broken");
    }
}

struct hfm_http *hfm_http_open(struct hfm_daemon *daemon)
{
    const struct sockaddr_in *address = &daemon->config.http;
    struct hfm_http *http = ni_calloc(1, sizeof *http);
    struct evhttp_bound_socket *bound = NULL;
    char text[INET_ADDRSTRLEN] = "";

    if (http == NULL) {
        return NULL;
    }
    http->daemon = daemon;
    http->server = evhttp_new(daemon->base);
    http->again = evtimer_new(daemon->base, on_again, http);
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    if (http->server != NULL && http->again != NULL) {
        bound = evhttp_bind_socket_with_handle(http->server, text, ntohs(address->sin_port));
    }
    if (bound == NULL) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: http %s:%u: %s", text, ntohs(address->sin_port),
               strerror(errno));
        hfm_http_close(http);
        return NULL;
    }
    listening = http;
    http->listener = evhttp_bound_socket_get_listener(bound);
    evconnlistener_set_error_cb(http->listener, on_error);
    evhttp_set_bevcb(http->server, on_reader, http);
    evhttp_set_allowed_methods(http->server, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
    evhttp_set_max_headers_size(http->server, HEADERS_MAX);
    evhttp_set_max_body_size(http->server, BODY_MAX);
    evhttp_set_timeout(http->server, PATIENCE_S);
    evhttp_set_cb(http->server, "/", on_page, http);
    evhttp_set_cb(http->server, "/status.json", on_json, http);
    evhttp_set_cb(http->server, "/metrics", on_metrics, http);
    evhttp_set_cb(http->server, "/health", on_health, http);
    return http;
}

void hfm_http_close(struct hfm_http *http)
{
    if (http == NULL) {
        return;
    }
    if (http->again != NULL) {
        event_free(http->again);
    }
    if (http->server != NULL) {
        evhttp_free(http->server);
    }
    ni_free(http);
}
