/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the cables of a board. */
#include "dnp/board/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/board/board.h"

enum {
    BUFFER = 4 << 20, /* of a socket, in bytes */
    UDP_HEAD = 28,    /* of a datagram, in bytes */
};

/* Words of a frame that goes to the neighbour in one packet, as far as this host knows. */
static uint32_t words_of_frame(const struct sockaddr_in *there)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = 0;
    socklen_t len = sizeof mtu;
    uint32_t words = DNP_FRAME_ETHERNET;

    if (fd >= 0 && connect(fd, (const struct sockaddr *)there, sizeof *there) == 0 &&
        getsockopt(fd, IPPROTO_IP, IP_MTU, &mtu, &len) == 0 &&
        mtu >= UDP_HEAD + DNP_FRAME_EMPTY + APELINK_WORD) {
        words = (uint32_t)(mtu - UDP_HEAD - DNP_FRAME_EMPTY) / APELINK_WORD;
    }
    if (fd >= 0) {
        close(fd);
    }
    return (uint32_t)ni_min_u64(words, DNP_FRAME_WORDS);
}

static ni_status refused(const struct board_wire *wire, const struct sockaddr_in *here, int error)
{
    char text[INET_ADDRSTRLEN] = "";

    (void)inet_ntop(AF_INET, &here->sin_addr, text, sizeof text);
    ni_log(NI_LOG_ERROR, "apelink-board: the cable at %s cannot have the address %s:%u: %s",
           board_wire_name(wire), text, ntohs(here->sin_port), strerror(error));
    return NI_ERR_SYSTEM;
}

static ni_status open_tcp(struct board_wire *wire, const struct board_cable *cable)
{
    int error;

    wire->most = DNP_FRAME_WORDS;
    wire->tcp = ni_calloc(1, sizeof *wire->tcp);
    if (wire->tcp == NULL) {
        return NI_ERR_NOMEM;
    }
    error = board_tcp_open(wire->tcp, wire->link, &cable->here, &cable->there);
    wire->fd = wire->tcp->poll;
    return error == 0 ? NI_OK : refused(wire, &cable->here, error);
}

static ni_status open_socket(struct board_wire *wire, const struct board_cable *cable)
{
    int size = BUFFER;

    wire->most = words_of_frame(&cable->there);
    wire->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (wire->fd < 0 ||
        bind(wire->fd, (const struct sockaddr *)&cable->here, sizeof cable->here) != 0) {
        return refused(wire, &cable->here, errno);
    }
    if (setsockopt(wire->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
        (void)setsockopt(wire->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    return NI_OK;
}

static ni_status open_memory(struct board_wire *wire, const char *path)
{
    ni_status status = board_memory_open(&wire->memory, wire->link, path);
    int error = errno;

    if (status != NI_OK) {
        ni_log(NI_LOG_ERROR, "apelink-board: the cable at %s cannot go through %s: %s",
               board_wire_name(wire), path,
               error == EACCES   ? "others than this user may write it; give it to this user, with "
                                   "mode 600"
               : error == EINVAL ? "it is no file of a cable; name another, or remove it"
               : error == EBUSY  ? "a board has this end already; name another file"
                                 : strerror(error));
    }
    wire->most = DNP_FRAME_WORDS;
    wire->fd = wire->memory.bell;
    return status;
}

ni_status board_wire_open(struct board_wire *wire, event_callback_fn ready)
{
    const struct board_cable *cable = &wire->board->config.cable[wire->link];
    ni_status status;

    if (!cable->used) {
        return NI_OK;
    }
    status = cable->memory[0] != '\0' ? open_memory(wire, cable->memory)
             : cable->tcp             ? open_tcp(wire, cable)
                                      : open_socket(wire, cable);
    if (status != NI_OK) {
        return status;
    }
    wire->readable = event_new(wire->board->base, wire->fd, EV_READ | EV_PERSIST, ready, wire);
    return wire->readable != NULL && event_add(wire->readable, NULL) == 0 ? NI_OK : NI_ERR_NOMEM;
}
