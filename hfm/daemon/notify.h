/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_NOTIFY_H
#define HFM_DAEMON_NOTIFY_H

#include <stdint.h>

/* What systemd is told, by a datagram to $NOTIFY_SOCKET: nothing if it did not start us. */
struct hfm_notify {
    int fd;
    uint64_t period; /* of the watchdog, ns; 0: none is wanted */
    uint64_t due;
};

void hfm_notify_open(struct hfm_notify *notify);
void hfm_notify_close(struct hfm_notify *notify);

/* Say such as "READY=1". */
void hfm_notify_say(const struct hfm_notify *notify, const char *text);

/* Keep the watchdog; now in ns. */
void hfm_notify_alive(struct hfm_notify *notify, uint64_t now);

#endif
