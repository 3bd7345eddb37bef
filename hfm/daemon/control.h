/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_CONTROL_H
#define HFM_DAEMON_CONTROL_H

#include <stdbool.h>

struct hfm_daemon;

/*
 * A Unix socket for the commands of apelink-hfm: who connects sends one line and gets an answer,
 * whose first line is an exit status.
 *
 *   text | json | metrics | page | acknowledge NODE | acknowledge all
 */
struct hfm_control;

/* Listen at the path of the configuration. NULL: failed, which is logged. */
struct hfm_control *hfm_control_open(struct hfm_daemon *daemon);
void hfm_control_close(struct hfm_control *control);

/* The commands' side: send a line, copy the answer to standard output. Returns the exit status; 3,
 * with a sentence, if no daemon answers. */
int hfm_control_ask(const char *path, const char *line);

#endif
