/* SPDX-License-Identifier: BSD-3-Clause */
/* The state over HTTP. */
#include "hfm/daemon/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "hfm/daemon/daemon.h"

enum { HEADERS_MAX = 8192, BODY_MAX = 1024, PATIENCE_S = 20 };

struct hfm_http {
    struct hfm_daemon *daemon;
    struct evhttp *server;
};

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
    char text[INET_ADDRSTRLEN] = "";

    if (http == NULL) {
        return NULL;
    }
    http->daemon = daemon;
    http->server = evhttp_new(daemon->base);
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    if (http->server == NULL ||
        evhttp_bind_socket(http->server, text, ntohs(address->sin_port)) != 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: http %s:%u: %s", text, ntohs(address->sin_port),
               strerror(errno));
        hfm_http_close(http);
        return NULL;
    }
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
    if (http->server != NULL) {
        evhttp_free(http->server);
    }
    ni_free(http);
}
