/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames over a stream. */
#include "dnp/board/stream.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"

void board_stream_open(struct board_stream *stream, int fd)
{
    stream->fd = fd;
    stream->begin = stream->end = 0;
    stream->drained = false;
    stream->left = stream->out_len = 0;
}

void board_stream_close(struct board_stream *stream)
{
    if (stream->fd >= 0) {
        close(stream->fd);
    }
    board_stream_open(stream, -1);
}

static bool for_now(int error)
{
    return error == EAGAIN || error == EINTR;
}

bool board_stream_flush(struct board_stream *stream)
{
    while (stream->left > 0) {
        ssize_t sent = send(stream->fd, stream->out + stream->out_len - stream->left, stream->left,
                            MSG_NOSIGNAL);

        if (sent < 0) {
            return for_now(errno);
        }
        stream->left -= (size_t)sent;
    }
    return true;
}

bool board_stream_send(struct board_stream *stream, size_t len)
{
    NI_ASSERT(stream->left == 0 && len <= sizeof stream->out);
    stream->left = stream->out_len = len;
    return board_stream_flush(stream);
}

/* Whether a frame, or what is none, lies at the beginning of what has come. */
static bool whole(struct board_stream *stream, const uint8_t **bytes, size_t *len)
{
    size_t there = stream->end - stream->begin;

    *bytes = stream->in + stream->begin;
    if (there < DNP_FRAME_HEAD) {
        return false;
    }
    *len = dnp_frame_length(*bytes);
    if (*len == 0) {
        *len = DNP_FRAME_HEAD; /* of which the frame is not to be told from others */
        return true;
    }
    if (there < *len) {
        return false;
    }
    stream->begin += *len;
    return true;
}

/* Read more behind what is there, of less than a frame. */
static enum board_stream_got fill(struct board_stream *stream)
{
    size_t there = stream->end - stream->begin, room = sizeof stream->in - there;
    ssize_t got;

    NI_ASSERT(there < DNP_FRAME_MAX);
    memmove(stream->in, stream->in + stream->begin, there);
    stream->begin = 0;
    stream->end = there;
    got = recv(stream->fd, stream->in + there, room, 0);
    if (got <= 0) {
        return got < 0 && for_now(errno) ? BOARD_STREAM_NOTHING : BOARD_STREAM_ENDED;
    }
    stream->end += (size_t)got;
    stream->drained = (size_t)got < room;
    return BOARD_STREAM_FRAME;
}

enum board_stream_got board_stream_next(struct board_stream *stream, const uint8_t **bytes,
                                        size_t *len)
{
    while (!whole(stream, bytes, len)) {
        enum board_stream_got got = stream->drained ? BOARD_STREAM_NOTHING : fill(stream);

        if (got != BOARD_STREAM_FRAME) {
            stream->drained = false; /* there may be more the next time */
            return got;
        }
    }
    return BOARD_STREAM_FRAME;
}
