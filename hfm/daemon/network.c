/* SPDX-License-Identifier: BSD-3-Clause */
/* The service network: UDP. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/clock.h"
#include "hfm/daemon/daemon.h"

enum { BUFFER = 4 << 20, MOST = 1024 /* messages that are taken at once */, BATCH = 16 };

int hfm_network_open(const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), size = BUFFER;
    char text[INET_ADDRSTRLEN] = "";

    if (fd < 0 || bind(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
        inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
        ni_log(NI_LOG_ERROR, "apelink-hfm: %s:%u, the address of this node: %s", text,
               ntohs(address->sin_port), strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size); /* net.core.rmem_max */
    }
    return fd;
}

void hfm_network_send(void *arg, uint32_t to, const struct hfm_message *message)
{
    struct hfm_daemon *daemon = arg;
    const struct sockaddr_in *address = &daemon->config.node[to].address;
    uint8_t bytes[HFM_MESSAGE_SIZE];

    hfm_message_pack(message, &daemon->key, bytes);
    daemon->counts.sent++;
    if (sendto(daemon->socket, bytes, sizeof bytes, 0, (const struct sockaddr *)address,
               sizeof *address) < 0) {
        daemon->counts.unsent++; /* as if the network had lost it */
    }
}

/* One that has come. */
static void take(struct hfm_daemon *daemon, const uint8_t *bytes, size_t length)
{
    struct hfm_message message;

    if (!hfm_message_unpack(&message, &daemon->key, bytes, length) ||
        message.from == daemon->config.here) {
        daemon->counts.refused++;
        return;
    }
    daemon->counts.received++;
    hfm_node_take(&daemon->node, &message, ni_now_ns());
}

/* What comes after a batch that is not full makes the socket readable again. */
void hfm_network_drain(struct hfm_daemon *daemon)
{
    uint8_t bytes[BATCH][HFM_MESSAGE_SIZE + 1];
    struct iovec part[BATCH];
    struct mmsghdr batch[BATCH];
    int came = BATCH;

    for (int i = 0; i < BATCH; i++) {
        part[i] = (struct iovec){bytes[i], sizeof bytes[i]};
        batch[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &part[i], .msg_iovlen = 1}};
    }
    for (int taken = 0; taken < MOST && came == BATCH; taken += came) {
        came = recvmmsg(daemon->socket, batch, BATCH, MSG_DONTWAIT, NULL);
        for (int i = 0; i < came; i++) {
            take(daemon, bytes[i], batch[i].msg_len);
        }
    }
}
