/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_TCP_H
#define DNP_BOARD_TCP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dnp/board/stream.h"

/*
 * One end of a cable by TCP. That of a link X+, Y+ or Z+ calls the other, which listens:
 *
 *   calls     nobody --connect--> calling --> cable --it ends, or what comes is refused--> nobody
 *   listens   nobody --accept--> guest --its first frame is believed--> cable, instead of the one
 * before guest --it is not, or there is none within a second--> nobody
 *
 * Who calls does so again each quarter of a second. There is one guest at a time; others wait in
 * the kernel's queue. Judged are frames by who takes them. What leaves without a cable goes
 * nowhere, as on a cable that is broken: the link counts it. A cable whose other end acknowledges
 * nothing for two seconds ends. Nothing blocks. Not thread-safe.
 */
struct board_tcp {
    int poll;     /* an epoll of all of them: readable when there is something to do or to take */
    int timer;    /* until a guest has to have spoken, or until the next call */
    int listener; /* -1: it calls */
    struct sockaddr_in here, there;
    bool calling;               /* the cable is not there yet */
    bool blocked;               /* the rest of a frame waits for room in the socket */
    struct board_stream *cable; /* of the neighbour */
    struct board_stream *guest; /* of who has called */
    struct board_stream stream[2];
};

/* Open the end of a link, without a cable. 0, or errno: that of its own address. */
int board_tcp_open(struct board_tcp *tcp, unsigned link, const struct sockaddr_in *here,
                   const struct sockaddr_in *there);

/* Also after a failed open. */
void board_tcp_close(struct board_tcp *tcp);

/* `poll` was readable: call, take calls, and end those that have waited too long. */
void board_tcp_hear(struct board_tcp *tcp);

/* Whether there is a cable, and whether it takes no frame for now. */
static inline bool board_tcp_there(const struct board_tcp *tcp)
{
    return tcp->cable->fd >= 0 && !tcp->calling;
}
static inline bool board_tcp_full(const struct board_tcp *tcp)
{
    return board_tcp_there(tcp) && board_stream_busy(tcp->cable);
}

/* The frame of len bytes in the cable's `out` leaves. There has to be a cable that is not full. */
void board_tcp_send(struct board_tcp *tcp, size_t len);

/* The next frame, of the cable or of a guest; NULL: there is none. Its bytes stay until the frame
 * was judged, which has to be the next call. */
struct board_stream *board_tcp_next(struct board_tcp *tcp, const uint8_t **bytes, size_t *len);

/* What a frame that came by a stream was, and whether it was the first to know a later session of
 * the neighbour. */
void board_tcp_judge(struct board_tcp *tcp, struct board_stream *from,
                     enum dnp_frame_verdict verdict, bool news);

#endif
