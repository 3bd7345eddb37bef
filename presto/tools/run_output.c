/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks print goes out line by line, so that lines of several ranks do not mix. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run.h"

static void close_stream(struct run_stream *stream)
{
    (void)close(stream->fd);
    free(stream->data);
    stream->fd = -1;
    stream->data = NULL;
    stream->used = 0;
}

/* Whoever runs us may have made our output non-blocking. */
static bool wait_writable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};

    return poll(&one, 1, -1) >= 0 || errno == EINTR;
}

/* Nothing more can be written there. Where nobody reads, the ranks get SIGPIPE when they go on, as
 * a single program would. What was lost for another reason, such as a full disk, was wanted: the
 * job has failed. */
static void lose(struct run_job *job, bool is_error)
{
    job->output_dead[is_error] = true;
    if (errno != EPIPE) {
        fprintf(stderr, "prestorun: cannot write what the ranks print to standard %s: %s\n",
                is_error ? "error" : "output", strerror(errno));
        job->code = job->code != 0 ? job->code : 1;
    }
}

static void write_all(struct run_job *job, bool is_error, const char *data, size_t length)
{
    int fd = is_error ? STDERR_FILENO : STDOUT_FILENO;

    while (length > 0 && !job->output_dead[is_error]) {
        ssize_t n = write(fd, data, length);

        if (n >= 0) {
            data += n;
            length -= (size_t)n;
        } else if (errno != EINTR && (errno != EAGAIN || !wait_writable(fd))) {
            lose(job, is_error);
        }
    }
}

/* Begin a line, or go on with one; a line of another stream that has no end is given one. */
static void begin(struct run_job *job, const struct run_rank *rank, struct run_stream *stream)
{
    const struct run_stream *unended = job->unended[stream->is_error];
    char tag[32];
    int n;

    if (unended == stream) {
        return;
    }
    if (unended != NULL) {
        write_all(job, stream->is_error, "\n", 1);
    }
    n = snprintf(tag, sizeof(tag), "[%d]<%s>:", rank->number,
                 stream->is_error ? "stderr" : "stdout");
    write_all(job, stream->is_error, tag, (size_t)n);
}

/* Write some bytes, which end with a newline or are all that there is. */
static void put(struct run_job *job, const struct run_rank *rank, struct run_stream *stream,
                const char *data, size_t length)
{
    if (!job->options.tag_output) {
        write_all(job, stream->is_error, data, length);
        return;
    }
    while (length > 0) {
        const char *newline = memchr(data, '\n', length);
        size_t line = newline != NULL ? (size_t)(newline - data) + 1 : length;

        begin(job, rank, stream);
        write_all(job, stream->is_error, data, line);
        job->unended[stream->is_error] = newline != NULL ? NULL : stream;
        data += line;
        length -= line;
    }
}

void run_output_flush(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    put(job, rank, stream, stream->data, stream->used);
    stream->used = 0;
}

bool run_output_waits(const struct run_stream *stream)
{
    return stream->used != 0;
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

void run_output_read(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    ssize_t n;

    if (stream->data == NULL) {
        stream->data = malloc(RUN_LINE_MAX);
    }
    if (stream->data == NULL || job->output_dead[stream->is_error]) {
        close_stream(stream);
        return;
    }
    n = read(stream->fd, stream->data + stream->used, RUN_LINE_MAX - stream->used);
    if (n > 0) {
        stream->used += (size_t)n;
        flush_lines(job, rank, stream);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        run_output_flush(job, rank, stream);
        close_stream(stream);
    }
}
