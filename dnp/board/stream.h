/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_STREAM_H
#define DNP_BOARD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dnp/cable.h"

/*
 * Frames of a cable one behind the other over a stream of bytes, which leave and arrive in any
 * pieces. Nothing blocks, and what is held is bounded: a frame that has not left wholly, and what
 * has come of the next ones. Who sends asks board_stream_busy first. Not thread-safe.
 */

enum { BOARD_STREAM_IN = 4 * DNP_FRAME_MAX };

struct board_stream {
    int fd;            /* -1: not open */
    size_t begin, end; /* of what has come, and was not taken */
    bool drained;      /* the last read has left nothing */
    size_t left;       /* bytes of the frame in `out` that have not left: its last */
    size_t out_len;
    uint8_t out[DNP_FRAME_MAX];
    uint8_t in[BOARD_STREAM_IN];
};

/* The stream's is a socket that does not block. */
void board_stream_open(struct board_stream *stream, int fd);

/* Also of one that is not open. */
void board_stream_close(struct board_stream *stream);

/* A frame has not left wholly: `out` is not to be touched. */
static inline bool board_stream_busy(const struct board_stream *stream)
{
    return stream->left > 0;
}

/* The frame of len bytes in `out` leaves. False: the stream has ended. */
bool board_stream_send(struct board_stream *stream, size_t len);

/* So does more of what waits. */
bool board_stream_flush(struct board_stream *stream);

enum board_stream_got {
    BOARD_STREAM_FRAME,
    BOARD_STREAM_NOTHING, /* for now */
    BOARD_STREAM_ENDED,
};

/* The next frame, whose bytes stay until the next call. What is no frame is one that is too short,
 * as dnp_cable_take finds: what follows is not to be used either. */
enum board_stream_got board_stream_next(struct board_stream *stream, const uint8_t **bytes,
                                        size_t *len);

#endif
