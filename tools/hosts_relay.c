/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A relay passes Ethernet frames between two interfaces, late, at a rate, or not at all: what the
 * kernel's netem does where it is compiled in.
 *
 * A frame is what a host's network stack hands to its interface. For TCP that can be up to 64 KiB
 * that a real card would cut into packets, with the checksum left to the card; what the card would
 * have to do travels in front of the frame (PACKET_VNET_HDR) and is handed on.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "hosts.h"

enum { FRAME_MAX = (1 << 16) + 256, BATCH = 64 };

#define QUEUE_BYTES_MAX ((size_t)64 << 20)

struct frame {
    struct frame *before; /* leaves no later than this one */
    struct frame *after;
    uint64_t due;
    size_t size;
    unsigned char bytes[]; /* a struct virtio_net_hdr, then the frame */
};

/* One way. Frames under way are sorted by when they are due. */
struct way {
    int from, to;
    struct frame *first, *last;
    size_t queued;    /* bytes */
    uint64_t free_at; /* when the link has sent what was given to it, at its rate */
    uint64_t random;
    const struct hosts_link *link;
    struct hosts_relay_counts *counts;
};

static int open_interface(const char *name)
{
    int on = 1, buffer = 16 << 20;
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                  .sll_protocol = htons(ETH_P_ALL),
                                  .sll_ifindex = (int)if_nametoindex(name)};

    /* Before bind, so that no frame comes without its header or is one that we have sent. */
    if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        hosts_die("cannot relay frames of %s: %s", name, strerror(errno));
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer);
    return fd;
}

/* When a frame that comes now has to leave. */
static uint64_t due_of(struct way *way, size_t size)
{
    const struct hosts_link *link = way->link;
    uint64_t at = ni_now_ns();

    if (link->bits_per_sec != 0) {
        at = at > way->free_at ? at : way->free_at;
        at += (uint64_t)((double)size * 8e9 / (double)link->bits_per_sec);
        way->free_at = at;
    }
    at += link->delay_ns;
    if (link->jitter_ns != 0) {
        uint64_t shift = ni_splitmix64(&way->random) % (2 * link->jitter_ns + 1);

        at = at + shift > link->jitter_ns ? at + shift - link->jitter_ns : 0;
    }
    if (!link->reorder && way->last != NULL && at < way->last->due) {
        at = way->last->due;
    }
    return at;
}

static void queue(struct way *way, struct frame *frame)
{
    struct frame *before = way->last;

    while (before != NULL && before->due > frame->due) {
        before = before->before;
    }
    frame->before = before;
    frame->after = before != NULL ? before->after : way->first;
    *(frame->after != NULL ? &frame->after->before : &way->last) = frame;
    *(before != NULL ? &before->after : &way->first) = frame;
    way->queued += frame->size;
}

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); /* for people: no order needed */
}

static void take(struct way *way, const unsigned char *bytes, size_t size)
{
    struct frame *frame;

    if (ni_splitmix64(&way->random) % 1000000 < way->link->loss_ppm) {
        count(&way->counts->lost);
        return;
    }
    frame = way->queued + size <= QUEUE_BYTES_MAX ? malloc(sizeof *frame + size) : NULL;
    if (frame == NULL) {
        count(&way->counts->full);
        return;
    }
    frame->size = size;
    frame->due = due_of(way, size - sizeof(struct virtio_net_hdr));
    memcpy(frame->bytes, bytes, size);
    queue(way, frame);
}

static void receive(struct way *way)
{
    static unsigned char bytes[FRAME_MAX];

    for (int i = 0; i < BATCH; i++) {
        ssize_t size = recv(way->from, bytes, sizeof bytes, MSG_TRUNC);

        if (size > (ssize_t)sizeof bytes) {
            count(&way->counts->full);
        } else if (size > (ssize_t)sizeof(struct virtio_net_hdr)) {
            take(way, bytes, (size_t)size);
        } else {
            return;
        }
    }
}

/* Send what is due. Returns when the next one is; UINT64_MAX: there is none. */
static uint64_t send_due(struct way *way)
{
    uint64_t now = ni_now_ns();

    while (way->first != NULL && way->first->due <= now) {
        struct frame *frame = way->first;

        if (send(way->to, frame->bytes, frame->size, 0) < 0 && errno == EAGAIN) {
            return now + 100000;
        }
        /* Other errors are the cable's: an interface that is down, or a frame too long for it. */
        way->first = frame->after;
        *(way->first != NULL ? &way->first->before : &way->last) = NULL;
        way->queued -= frame->size;
        count(&way->counts->passed);
        free(frame);
    }
    return way->first != NULL ? way->first->due : UINT64_MAX;
}

static void wait_for(struct pollfd polled[2], uint64_t due)
{
    uint64_t now = ni_now_ns();
    uint64_t left = due > now ? due - now : 0;
    struct timespec timeout = {(time_t)(left / 1000000000), (long)(left % 1000000000)};

    ppoll(polled, 2, due == UINT64_MAX ? NULL : &timeout, NULL);
}

_Noreturn void hosts_relay(const char *a, const char *b, const struct hosts_port *port)
{
    struct pollfd polled[2] = {{.events = POLLIN}, {.events = POLLIN}};
    struct way ways[2];

    /* What the switch has open is not ours: its lock, and the client that waits for an answer. */
    close_range(STDERR_FILENO + 1, ~0U, 0);
    polled[0].fd = open_interface(a);
    polled[1].fd = open_interface(b);
    hosts_leave_client(port->folder);

    for (int i = 0; i < 2; i++) {
        ways[i] = (struct way){.link = &port->link, .counts = &port->counts[i]};
        ways[i].from = polled[i].fd;
        ways[i].to = polled[1 - i].fd;
        ways[i].random = port->link.seed * 2 + (uint64_t)i;
    }
    for (;;) {
        uint64_t due[2];

        receive(&ways[0]);
        receive(&ways[1]);
        due[0] = send_due(&ways[0]);
        due[1] = send_due(&ways[1]);
        wait_for(polled, due[0] < due[1] ? due[0] : due[1]);
    }
}
