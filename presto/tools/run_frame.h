/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_TOOLS_RUN_FRAME_H
#define PRESTO_TOOLS_RUN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What prestorun and its agents on other hosts tell each other, over the standard input and output
 * of what starts them (ssh). Each frame is a head and `length` bytes. Numbers are in the byte order
 * of the machine: one of another order sends kinds that are none.
 *
 *   down, towards the agents   number
 *     START    host that gets it    the job, see run_spec.c
 *     TABLE    0                    what all ranks are sent (core/wire_up.h)
 *     SIGNAL   the signal           nothing: for all ranks and what they have started
 *     INPUT    rank                 standard input for it; nothing: its end
 *     TAKEN    host                 struct run_taken: so much of what its ranks print is written
 *     DEAD     0 stdout, 1 stderr   nothing: what is printed there cannot be written any more
 *     OVER     0                    nothing: the ranks are told to end, what is left has time to
 *     LAST     0                    nothing: no rank of the job is left
 *     CLOSE    0                    nothing: end, with all that is left, and say what else there is
 *   up, towards prestorun
 *     HELLO    host, -1: unknown    version and identity of the host, two strings
 *     STARTED  rank                 uint32, its pid
 *     SAID     rank                 bytes from its socket
 *     OUT, ERR rank                 bytes that it has printed; nothing: the end
 *     ENDED    rank                 uint32, its status as of waitpid
 *     FED      rank                 uint32: so many bytes of INPUT have been written
 *     RECORD   rank                 struct run_piece and bytes: a part of its record (run_record.c)
 *     EMPTY    host                 nothing: neither a rank there nor what one has started is left
 *     TEXT     host                 a message for the user, a line
 *     LOST     host                 a message: it and those that it has started are gone, or
 *                                   about to go
 *
 * START, and what is for all hosts, is passed on to each; the rest towards the host or rank.
 */
enum run_frame_kind {
    RUN_FRAME_HELLO = 0x50524801, /* the same in all versions, as is what it says */
    RUN_FRAME_START,
    RUN_FRAME_TABLE,
    RUN_FRAME_SIGNAL,
    RUN_FRAME_INPUT,
    RUN_FRAME_TAKEN,
    RUN_FRAME_DEAD,
    RUN_FRAME_OVER,
    RUN_FRAME_LAST,
    RUN_FRAME_CLOSE,
    RUN_FRAME_STARTED,
    RUN_FRAME_SAID,
    RUN_FRAME_OUT,
    RUN_FRAME_ERR,
    RUN_FRAME_ENDED,
    RUN_FRAME_FED,
    RUN_FRAME_RECORD,
    RUN_FRAME_EMPTY,
    RUN_FRAME_TEXT,
    RUN_FRAME_LOST,
};

enum {
    RUN_PIECE_MAX = 65536, /* bytes in a frame of what is printed, read or said */
    RUN_TEXT_MAX = 511,
    RUN_START_MAX = 16 << 20,
    /* Bytes of one output of a host's ranks, or of the input, that may be under way. */
    RUN_WINDOW = 4 * RUN_PIECE_MAX,
};

struct run_frame_head {
    uint32_t kind;
    int32_t number;
    uint32_t length;
};

_Static_assert(sizeof(struct run_frame_head) == 12, "no padding");

struct run_frame {
    struct run_frame_head head;
    const uint8_t *data; /* [head.length], until the link is read again */
};

struct run_taken {
    uint32_t is_error, bytes;
};

struct run_piece {
    uint64_t offset, size; /* of these bytes in the record, and its own */
};

/* Bytes from `done` to `used`. */
struct run_bytes {
    uint8_t *data;
    size_t done, used, room;
};

/* One connection, to the host above or to one that was started here. */
struct run_link {
    int in, out;         /* -1: closed */
    bool upwards;        /* the other side is above: frames that come go down */
    bool greeted;        /* its HELLO has come */
    bool broken;         /* what came makes no sense, or memory ran out */
    bool gone;           /* it is known that its hosts are lost */
    int first, count;    /* below: numbers of the hosts that are reached by it */
    pid_t pid;           /* what runs the agent; 0: there is none, or it has ended */
    int status;          /* how it has ended, as of waitpid */
    uint64_t kill_at_ns; /* it should have ended; 0: never */
    struct run_bytes got, kept;
};

/* Add bytes; false: no memory, and nothing is added. */
bool run_bytes_add(struct run_bytes *bytes, const void *data, size_t length);

/* Send a frame, without waiting: what is not taken now is kept. Nothing if the link is closed. */
void run_link_send(struct run_link *link, enum run_frame_kind kind, int number, const void *data,
                   size_t length);
/* Write what is taken now of what was kept. */
void run_link_write(struct run_link *link);
bool run_link_waits(const struct run_link *link);

/* Read what is there; false: the other side has closed. */
bool run_link_read(struct run_link *link);
/* The next frame that is complete and has a kind and a length that may come from that side; false:
 * there is none, or the link is broken from here on. */
bool run_link_next(struct run_link *link, struct run_frame *frame);
/* What has come instead of a frame, as one line of printable characters. */
void run_link_excerpt(const struct run_link *link, char text[64]);

void run_link_close(struct run_link *link);

#endif
