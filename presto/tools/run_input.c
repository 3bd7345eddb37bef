/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard input of a rank on another host: prestorun reads it, the rank's agent has a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/run.h"

/* ---- prestorun ------------------------------------------------------------------------------- */

static bool is_in_background(void)
{
    const pid_t foreground = tcgetpgrp(STDIN_FILENO);

    return foreground > 0 && foreground != getpgrp();
}

int run_input_fd(const struct run_job *job)
{
    const struct run_options *options = &job->options;
    const struct run_input *input = &job->net.input;

    if (job->net.parent != NULL || options->reader == RUN_NOBODY || options->host_of == NULL ||
        options->host_of[options->reader] == 0 || input->ended || input->under_way >= RUN_WINDOW ||
        job->ranks[options->reader].ended || is_in_background()) {
        return -1;
    }
    return STDIN_FILENO;
}

void run_input_read(struct run_job *job)
{
    struct run_input *input = &job->net.input;
    const int reader = job->options.reader;
    const size_t room = RUN_WINDOW - input->under_way;
    uint8_t data[RUN_PIECE_MAX];
    ssize_t n = read(STDIN_FILENO, data, room < sizeof(data) ? room : sizeof(data));

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    input->ended = n <= 0;
    input->under_way += n > 0 ? (size_t)n : 0;
    run_down_to(job, job->options.host_of[reader], RUN_FRAME_INPUT, reader, data,
                n > 0 ? (size_t)n : 0);
}

/* ---- an agent -------------------------------------------------------------------------------- */

void run_input_open(struct run_job *job)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) != 0) {
        run_say(job, "prestorun: no pipe for standard input: the rank reads nothing\n");
        return;
    }
    (void)dup2(fds[0], STDIN_FILENO);
    (void)close(fds[0]);
    (void)fcntl(fds[1], F_SETFL, O_NONBLOCK);
    job->net.input.fd = fds[1];
}

void run_input_close(struct run_job *job)
{
    struct run_input *input = &job->net.input;

    if (input->fd >= 0) {
        (void)close(input->fd);
    }
    free(input->bytes.data);
    *input = (struct run_input){.fd = -1, .ended = true};
}

static void tell(struct run_job *job, size_t length)
{
    const uint32_t word = (uint32_t)length;

    run_up(job, RUN_FRAME_FED, job->options.reader, &word, sizeof(word));
}

int run_input_waits_for(const struct run_job *job)
{
    const struct run_input *input = &job->net.input;

    return job->net.parent != NULL && input->bytes.used > input->bytes.done ? input->fd : -1;
}

/* What the rank does not want is read all the same, as a pipe's reader who has gone does not stop
 * the writer of a file. */
void run_input_write(struct run_job *job)
{
    struct run_input *input = &job->net.input;
    struct run_bytes *bytes = &input->bytes;
    ssize_t n = 1;

    while (n > 0 && bytes->used > bytes->done) {
        n = write(input->fd, bytes->data + bytes->done, bytes->used - bytes->done);
        if (n < 0 && errno == EINTR) {
            n = 1;
        } else if (n > 0) {
            bytes->done += (size_t)n;
            tell(job, (size_t)n);
        } else if (errno != EAGAIN) {
            run_input_close(job);
        }
    }
    if (input->ended && bytes->used == bytes->done) {
        run_input_close(job);
    }
}

void run_input_take(struct run_job *job, const uint8_t *data, size_t length)
{
    struct run_input *input = &job->net.input;

    if (input->fd < 0) {
        tell(job, length);
        return;
    }
    if (length == 0) {
        input->ended = true;
    } else if (!run_bytes_add(&input->bytes, data, length)) {
        run_input_close(job);
        return;
    }
    run_input_write(job);
}
