/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames between hosts, see run_frame.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run.h"
#include "tools/run_frame.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Move what is left to the beginning. */
static void settle(struct run_bytes *bytes)
{
    if (bytes->done != 0) {
        bytes->used -= bytes->done;
        memmove(bytes->data, bytes->data + bytes->done, bytes->used);
        bytes->done = 0;
    }
}

static bool make_room(struct run_bytes *bytes, size_t length)
{
    size_t room = bytes->room == 0 ? 4096 : bytes->room;
    uint8_t *larger;

    settle(bytes);
    while (room - bytes->used < length) {
        room *= 2;
    }
    if (room == bytes->room) {
        return true;
    }
    larger = realloc(bytes->data, room);
    if (larger == NULL) {
        return false;
    }
    bytes->data = larger;
    bytes->room = room;
    return true;
}

bool run_bytes_add(struct run_bytes *bytes, const void *data, size_t length)
{
    if (!make_room(bytes, length)) {
        return false;
    }
    if (length > 0) {
        memcpy(bytes->data + bytes->used, data, length);
    }
    bytes->used += length;
    return true;
}

/* ---- out ------------------------------------------------------------------------------------- */

static void close_out(struct run_link *link)
{
    if (link->out >= 0) {
        (void)close(link->out);
    }
    link->out = -1;
    link->kept.done = link->kept.used = 0;
}

bool run_link_waits(const struct run_link *link)
{
    return link->out >= 0 && link->kept.used > link->kept.done;
}

/* That the other side is gone is seen by reading. */
void run_link_write(struct run_link *link)
{
    struct run_bytes *kept = &link->kept;

    while (run_link_waits(link)) {
        ssize_t n = write(link->out, kept->data + kept->done, kept->used - kept->done);

        if (n > 0) {
            kept->done += (size_t)n;
        } else if (n == 0 || errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            close_out(link);
        }
    }
}

void run_link_send(struct run_link *link, enum run_frame_kind kind, int number, const void *data,
                   size_t length)
{
    const struct run_frame_head head = {.kind = kind, .number = number, .length = (uint32_t)length};

    if (link->out < 0) {
        return;
    }
    if (!make_room(&link->kept, sizeof(head) + length)) {
        link->broken = true;
        close_out(link);
        return;
    }
    (void)run_bytes_add(&link->kept, &head, sizeof(head));
    (void)run_bytes_add(&link->kept, data, length);
    run_link_write(link);
}

/* ---- in -------------------------------------------------------------------------------------- */

bool run_link_read(struct run_link *link)
{
    ssize_t n;

    if (link->in < 0 || !make_room(&link->got, RUN_PIECE_MAX)) {
        link->broken = true;
        return false;
    }
    n = read(link->in, link->got.data + link->got.used, link->got.room - link->got.used);
    if (n > 0) {
        link->got.used += (size_t)n;
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Bytes that a frame of this kind has, and from which side it comes. */
static const struct rule {
    enum run_frame_kind kind;
    bool down;
    uint32_t least, most;
} rules[] = {
    {RUN_FRAME_START, true, 1, RUN_START_MAX},
    {RUN_FRAME_TABLE, true, sizeof(struct pri_wire_head),
     sizeof(struct pri_wire_head) + RUN_MAX_RANKS *(sizeof(struct pri_wire_entry) + NI_BLOB_MAX)},
    {RUN_FRAME_SIGNAL, true, 0, 0},
    {RUN_FRAME_INPUT, true, 0, RUN_PIECE_MAX},
    {RUN_FRAME_TAKEN, true, sizeof(struct run_taken), sizeof(struct run_taken)},
    {RUN_FRAME_DEAD, true, 0, 0},
    {RUN_FRAME_OVER, true, 0, 0},
    {RUN_FRAME_LAST, true, 0, 0},
    {RUN_FRAME_CLOSE, true, 0, 0},
    {RUN_FRAME_HELLO, false, 2, RUN_TEXT_MAX},
    {RUN_FRAME_STARTED, false, sizeof(uint32_t), sizeof(uint32_t)},
    {RUN_FRAME_SAID, false, 1, RUN_PIECE_MAX},
    {RUN_FRAME_OUT, false, 0, RUN_PIECE_MAX},
    {RUN_FRAME_ERR, false, 0, RUN_PIECE_MAX},
    {RUN_FRAME_ENDED, false, sizeof(uint32_t), sizeof(uint32_t)},
    {RUN_FRAME_FED, false, sizeof(uint32_t), sizeof(uint32_t)},
    {RUN_FRAME_RECORD, false, sizeof(struct run_piece) + 1, RUN_PIECE_MAX},
    {RUN_FRAME_EMPTY, false, 0, 0},
    {RUN_FRAME_TEXT, false, 1, RUN_TEXT_MAX},
    {RUN_FRAME_LOST, false, 1, RUN_TEXT_MAX},
};

static bool may_come(const struct run_link *link, const struct run_frame_head *head)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].kind == head->kind) {
            return rules[i].down == link->upwards && head->length >= rules[i].least &&
                   head->length <= rules[i].most;
        }
    }
    return false;
}

bool run_link_next(struct run_link *link, struct run_frame *frame)
{
    struct run_bytes *got = &link->got;
    size_t left = got->used - got->done;

    if (link->broken || left < sizeof(frame->head)) {
        return false;
    }
    memcpy(&frame->head, got->data + got->done, sizeof(frame->head));
    if (!may_come(link, &frame->head)) {
        link->broken = true;
        return false;
    }
    if (left - sizeof(frame->head) < frame->head.length) {
        return false;
    }
    frame->data = got->data + got->done + sizeof(frame->head);
    got->done += sizeof(frame->head) + frame->head.length;
    return true;
}

void run_link_excerpt(const struct run_link *link, char text[64])
{
    size_t left = link->got.used - link->got.done, n = 0;

    while (n < left && n < 63 && link->got.data[link->got.done + n] != '\n') {
        uint8_t byte = link->got.data[link->got.done + n];

        text[n++] = byte >= ' ' && byte <= '~' ? (char)byte : '?';
    }
    text[n] = '\0';
}

void run_link_close(struct run_link *link)
{
    close_out(link);
    if (link->in >= 0) {
        (void)close(link->in);
    }
    link->in = -1;
    free(link->got.data);
    free(link->kept.data);
    link->got = link->kept = (struct run_bytes){0};
}
