/* SPDX-License-Identifier: BSD-3-Clause */
/* What systemd is told. */
#include "hfm/daemon/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.h"

/* The process that the watchdog is meant for. */
static int is_ours(const char *pid)
{
    return pid == NULL || atoi(pid) == (int)getpid();
}

void hfm_notify_open(struct hfm_notify *notify)
{
    const char *path = getenv("NOTIFY_SOCKET"), *usec = getenv("WATCHDOG_USEC");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = path != NULL ? strlen(path) : 0;
    uint64_t period;

    *notify = (struct hfm_notify){.fd = -1};
    if (length < 2 || length >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@')) {
        return;
    }
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') {
        address.sun_path[0] = '\0';
    }
    notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (notify->fd >= 0 &&
        connect(notify->fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) != 0) {
        close(notify->fd);
        notify->fd = -1;
    }
    if (usec != NULL && is_ours(getenv("WATCHDOG_PID")) &&
        ni_number_parse(usec, strlen(usec), false, &period) == NULL) {
        notify->period = period * 1000 / 2;
    }
    unsetenv("NOTIFY_SOCKET"); /* hooks must not speak for us */
}

void hfm_notify_close(struct hfm_notify *notify)
{
    if (notify->fd >= 0) {
        close(notify->fd);
        notify->fd = -1;
    }
}

void hfm_notify_say(const struct hfm_notify *notify, const char *text)
{
    if (notify->fd >= 0) {
        (void)!send(notify->fd, text, strlen(text), MSG_NOSIGNAL);
    }
}

void hfm_notify_alive(struct hfm_notify *notify, uint64_t now)
{
    if (notify->period != 0 && now >= notify->due) {
        hfm_notify_say(notify, "WATCHDOG=1");
        notify->due = now + notify->period / 2;
    }
}
