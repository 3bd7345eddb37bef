/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks print goes out line by line, so that lines of several ranks do not mix. Nothing here
 * waits: while nobody takes what was written no more is read from the ranks, who then wait, and
 * signals and time-outs are heeded. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/run.h"

/* ---- where it goes --------------------------------------------------------------------------- */

static int index_of(const struct run_job *job, bool is_error)
{
    return is_error && !job->one_sink;
}

static struct run_sink *sink_of(struct run_job *job, bool is_error)
{
    return &job->sinks[index_of(job, is_error)];
}

/* Pipes and terminals of our own opening, that writing there never waits: the one we have is shared
 * with the program that runs us, which may not want it changed. Files do not wait, sockets cannot
 * be opened.
 */
static int open_again(int fd, const struct stat *is)
{
    char name[32];
    int again;

    if (!S_ISFIFO(is->st_mode) && !S_ISCHR(is->st_mode)) {
        return fd;
    }
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    again = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return again >= 0 ? again : fd;
}

/* Two descriptors of a regular file may have two places in it, and never wait. */
void run_output_open(struct run_job *job)
{
    struct stat out, err;

    job->sinks[0].fd = STDOUT_FILENO;
    job->sinks[1].fd = STDERR_FILENO;
    if (fstat(STDOUT_FILENO, &out) == 0) {
        job->sinks[0].fd = open_again(STDOUT_FILENO, &out);
        if (fstat(STDERR_FILENO, &err) == 0) {
            job->one_sink =
                !S_ISREG(out.st_mode) && out.st_dev == err.st_dev && out.st_ino == err.st_ino;
            job->sinks[1].fd = open_again(STDERR_FILENO, &err);
        }
    }
}

void run_output_close(struct run_job *job)
{
    free(job->sinks[0].data);
    free(job->sinks[1].data);
}

/* Nothing is written there any more; ranks of other hosts notice it as those of this one do. */
static void drop(struct run_job *job, struct run_sink *sink)
{
    if (!sink->dead) {
        sink->dead = true;
        for (int i = 0; i < 2; i++) {
            if (sink == sink_of(job, i == 1)) {
                run_down_all(job, RUN_FRAME_DEAD, i, NULL, 0);
            }
        }
    }
    sink->used = 0;
}

/* Nothing more can be written there. Where nobody reads, the ranks get SIGPIPE when they go on, as
 * a single program would. What was lost for another reason, such as a full disk, was wanted: the
 * job has failed. */
static void lose(struct run_job *job, struct run_sink *sink, int error)
{
    drop(job, sink);
    if (error != EPIPE) {
        run_say(job, "prestorun: cannot write what the ranks print to standard %s: %s\n",
                sink == &job->sinks[0] ? "output" : "error", strerror(error));
        job->code = job->code != 0 ? job->code : 1;
    }
}

static bool is_writable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};

    return poll(&one, 1, 0) > 0;
}

/* As much as is taken without waiting. Where writing could wait there is room for PIPE_BUF bytes
 * when poll says that there is any. Returns how many bytes that was. */
static size_t write_some(struct run_job *job, struct run_sink *sink, const char *data,
                         size_t length)
{
    size_t done = 0;

    while (done < length && !sink->dead && is_writable(sink->fd)) {
        size_t rest = length - done;
        ssize_t n = write(sink->fd, data + done, rest < PIPE_BUF ? rest : PIPE_BUF);

        if (n >= 0) {
            done += (size_t)n;
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            lose(job, sink, errno);
        }
    }
    return done;
}

static bool make_room(struct run_sink *sink, size_t length)
{
    size_t room = sink->used + length;
    char *larger;

    if (room <= sink->room) {
        return true;
    }
    larger = realloc(sink->data, room);
    if (larger == NULL) {
        return false;
    }
    sink->data = larger;
    sink->room = room;
    return true;
}

/* What is not taken now is kept, behind what is kept already. */
static void write_all(struct run_job *job, struct run_sink *sink, const char *data, size_t length)
{
    size_t done = sink->used == 0 ? write_some(job, sink, data, length) : 0;

    if (sink->dead || done == length) {
        return;
    }
    if (!make_room(sink, length - done)) {
        lose(job, sink, ENOMEM);
        return;
    }
    memcpy(sink->data + sink->used, data + done, length - done);
    sink->used += length - done;
}

void run_say(struct run_job *job, const char *format, ...)
{
    char text[512];
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (n > 0 && job->net.parent != NULL) {
        run_up(job, RUN_FRAME_TEXT, job->net.here, text, strlen(text));
    } else if (n > 0) {
        write_all(job, sink_of(job, true), text,
                  (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
    }
}

int run_output_waits_for(const struct run_job *job, int which)
{
    return job->sinks[which].used != 0 ? job->sinks[which].fd : -1;
}

bool run_output_waits(const struct run_job *job)
{
    return job->sinks[0].used != 0 || job->sinks[1].used != 0;
}

void run_output_write(struct run_job *job)
{
    for (int i = 0; i < 2; i++) {
        struct run_sink *sink = &job->sinks[i];
        size_t done = write_some(job, sink, sink->data, sink->used);

        /* It may have been lost meanwhile. */
        if (sink->used != 0) {
            sink->used -= done;
            memmove(sink->data, sink->data + done, sink->used);
        }
    }
}

void run_output_give_up(struct run_job *job)
{
    drop(job, &job->sinks[0]);
    drop(job, &job->sinks[1]);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void close_stream(struct run_stream *stream)
{
    if (stream->fd >= 0) {
        (void)close(stream->fd);
    }
    free(stream->data);
    stream->fd = -1;
    stream->data = NULL;
    stream->used = 0;
}

/* Begin a line, or go on with one; a line of another stream that has no end is given one. */
static void begin(struct run_job *job, const struct run_rank *rank, struct run_stream *stream)
{
    struct run_sink *sink = sink_of(job, stream->is_error);
    char tag[32];
    int n;

    if (sink->unended == stream) {
        return;
    }
    if (sink->unended != NULL) {
        write_all(job, sink, "\n", 1);
    }
    n = snprintf(tag, sizeof(tag), "[%d]<%s>:", rank->number,
                 stream->is_error ? "stderr" : "stdout");
    write_all(job, sink, tag, (size_t)n);
}

/* Write some bytes, which end with a newline or are all that there is. */
static void put(struct run_job *job, const struct run_rank *rank, struct run_stream *stream,
                const char *data, size_t length)
{
    struct run_sink *sink = sink_of(job, stream->is_error);

    if (!job->options.tag_output) {
        write_all(job, sink, data, length);
        return;
    }
    while (length > 0) {
        const char *newline = memchr(data, '\n', length);
        size_t line = newline != NULL ? (size_t)(newline - data) + 1 : length;

        begin(job, rank, stream);
        write_all(job, sink, data, line);
        sink->unended = newline != NULL ? NULL : stream;
        data += line;
        length -= line;
    }
}

void run_output_flush(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    put(job, rank, stream, stream->data, stream->used);
    stream->used = 0;
}

bool run_output_is_written(const struct run_job *job, bool is_error)
{
    return job->sinks[index_of(job, is_error)].used == 0;
}

bool run_output_is_partial(const struct run_job *job, const struct run_stream *stream)
{
    return stream->used != 0 && run_output_is_written(job, stream->is_error);
}

bool run_output_takes(const struct run_job *job, const struct run_stream *stream)
{
    return stream->fd >= 0 &&
           (job->net.parent != NULL
                ? job->net.credit[stream->is_error] > 0 || job->sinks[stream->is_error].dead
                : run_output_is_written(job, stream->is_error));
}

/* All complete lines; if the buffer is one line and full, that. */
static void flush_lines(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    const char *last = memrchr(stream->data, '\n', stream->used);
    size_t length = last != NULL ? (size_t)(last - stream->data) + 1 : 0;

    if (length == 0 && stream->used == RUN_LINE_MAX) {
        length = stream->used;
    }
    put(job, rank, stream, stream->data, length);
    stream->used -= length;
    memmove(stream->data, stream->data + length, stream->used);
}

static void take(struct run_job *job, struct run_rank *rank, struct run_stream *stream, size_t n)
{
    stream->used += n;
    flush_lines(job, rank, stream);
}

void run_output_end(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    if (job->net.parent != NULL) {
        run_up(job, stream->is_error ? RUN_FRAME_ERR : RUN_FRAME_OUT, rank->number, NULL, 0);
    } else {
        run_output_flush(job, rank, stream);
    }
    close_stream(stream);
}

/* Room for more of it; false: it is closed, and nobody wants more. */
static bool has_room(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    if (stream->data == NULL) {
        stream->data = malloc(RUN_LINE_MAX);
    }
    if (stream->data == NULL || sink_of(job, stream->is_error)->dead) {
        run_output_end(job, rank, stream);
    }
    return stream->fd != -1;
}

void run_output_take(struct run_job *job, struct run_rank *rank, struct run_stream *stream,
                     const uint8_t *data, size_t length)
{
    if (length == 0) {
        run_output_end(job, rank, stream);
    }
    while (length > 0 && has_room(job, rank, stream)) {
        size_t room = RUN_LINE_MAX - stream->used, n = length < room ? length : room;

        memcpy(stream->data + stream->used, data, n);
        take(job, rank, stream, n);
        data += n;
        length -= n;
    }
}

/* An agent leaves lines to prestorun. */
static void pass_on(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    size_t credit = job->net.credit[stream->is_error];
    ssize_t n = read(stream->fd, stream->data, credit < RUN_PIECE_MAX ? credit : RUN_PIECE_MAX);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        run_output_end(job, rank, stream);
        return;
    }
    job->net.credit[stream->is_error] -= (size_t)n;
    run_up(job, stream->is_error ? RUN_FRAME_ERR : RUN_FRAME_OUT, rank->number, stream->data,
           (size_t)n);
}

void run_output_read(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    ssize_t n;

    if (!run_output_takes(job, stream)) {
        return;
    }
    if (!has_room(job, rank, stream)) {
        return;
    }
    if (job->net.parent != NULL) {
        pass_on(job, rank, stream);
        return;
    }
    n = read(stream->fd, stream->data + stream->used, RUN_LINE_MAX - stream->used);
    if (n > 0) {
        take(job, rank, stream, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        run_output_end(job, rank, stream);
    }
}
