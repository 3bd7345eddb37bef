/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_HTTP_H
#define HFM_DAEMON_HTTP_H

struct hfm_daemon;

/*
 * The state over HTTP, to read only: / is the page, /status.json and /metrics; /health says 200 if
 * nothing is broken that nobody has acknowledged, otherwise 503.
 */
struct hfm_http;

/* Listen at the address of the configuration. NULL: failed, which is logged. */
struct hfm_http *hfm_http_open(struct hfm_daemon *daemon);
void hfm_http_close(struct hfm_http *http);

#endif
