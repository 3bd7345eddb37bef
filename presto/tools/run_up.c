/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes up, from the ranks of other hosts to prestorun. It is judged by each host on its way.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apelink_config.h"
#include "tools/run.h"

enum { QUEUE_MAX = 1 << 20 }; /* bytes that wait for the host above before ranks are heard again */

void run_up(struct run_job *job, enum run_frame_kind kind, int number, const void *data,
            size_t length)
{
    run_link_send(job->net.parent, kind, number, data, length);
}

bool run_up_has_room(const struct run_job *job)
{
    const struct run_link *parent = job->net.parent;

    return parent == NULL || parent->kept.used - parent->kept.done < QUEUE_MAX;
}

void run_up_empty(struct run_job *job)
{
    if (!job->net.empty) {
        job->net.empty = true;
        run_up(job, RUN_FRAME_EMPTY, job->net.here, NULL, 0);
    }
}

void run_up_lost(struct run_job *job, struct run_link *link, const char *message)
{
    char text[RUN_TEXT_MAX + 1];

    link->gone = true;
    if (job->net.parent == NULL) {
        run_end_hosts(job, link->first, link->count, message);
        return;
    }
    (void)snprintf(text, sizeof(text), "%s", message != NULL ? message : "it has not answered");
    run_up(job, RUN_FRAME_LOST, link->first, text, strlen(text));
}

/* ---- what prestorun takes: false if it makes no sense ---------------------------------------- */

static uint32_t word_of(const struct run_frame *frame)
{
    uint32_t word;

    memcpy(&word, frame->data, sizeof(word));
    return word;
}

/* The second of two strings, which are all there is; NULL: it is not so. */
static const char *second_string(const struct run_frame *frame)
{
    const char *text = (const char *)frame->data;
    size_t first = strnlen(text, frame->head.length) + 1;

    if (first >= frame->head.length ||
        first + strnlen(text + first, frame->head.length - first) + 1 != frame->head.length) {
        return NULL;
    }
    return text + first;
}

/* Two names of one machine: its ranks would take each other for those of another. */
static bool take_hello(struct run_job *job, int number, const char *identity)
{
    struct run_host *hosts = job->net.hosts, *host = &hosts[number];

    if (host->heard || (host->identity = strdup(identity)) == NULL) {
        return false;
    }
    host->heard = true;
    for (int i = run_has_ranks(job, 0) ? 0 : 1; i < job->options.host_count; i++) {
        if (i != number && hosts[i].identity != NULL && !job->over &&
            strcmp(hosts[i].identity, identity) == 0) {
            run_say(job,
                    "prestorun: %.100s and %.100s are one host: give it one name in --host or "
                    "--hostfile; ending the job\n",
                    job->options.hosts[i], job->options.hosts[number]);
            run_end_all(job, 1, SIGTERM);
        }
    }
    return true;
}

static bool take_output(struct run_job *job, struct run_rank *rank, const struct run_frame *frame)
{
    const bool is_error = frame->head.kind == RUN_FRAME_ERR;
    struct run_stream *stream = is_error ? &rank->err : &rank->out;
    size_t *owed = &job->net.hosts[rank->host].owed[is_error];

    if (frame->head.length > RUN_WINDOW - *owed) {
        return false;
    }
    *owed += frame->head.length;
    if (stream->fd == RUN_ELSEWHERE) {
        run_output_take(job, rank, stream, frame->data, frame->head.length);
    }
    return true;
}

static bool take_of_rank(struct run_job *job, struct run_rank *rank, const struct run_frame *frame)
{
    switch (frame->head.kind) {
    case RUN_FRAME_STARTED:
        if (rank->was != 0 || word_of(frame) == 0 || word_of(frame) > INT32_MAX) {
            return false;
        }
        run_end_begun(job, rank, (pid_t)word_of(frame));
        return true;
    case RUN_FRAME_SAID:
        run_wire_take(job, rank, frame->data, frame->head.length);
        return true;
    case RUN_FRAME_ENDED:
        if (rank->was == 0 || rank->ended) {
            return false;
        }
        run_end_rank(job, rank, (int)word_of(frame));
        return true;
    case RUN_FRAME_RECORD:
        return run_record_take(job, rank, frame);
    case RUN_FRAME_FED:
        if (rank->number != job->options.reader || word_of(frame) > job->net.input.under_way) {
            return false;
        }
        job->net.input.under_way -= word_of(frame);
        return true;
    default:
        return take_output(job, rank, frame);
    }
}

static bool take_of_host(struct run_job *job, int number, const struct run_frame *frame)
{
    const char *text = (const char *)frame->data;
    static const char own[] = "prestorun: ";
    char message[RUN_TEXT_MAX + 1];

    switch (frame->head.kind) {
    case RUN_FRAME_HELLO:
        return take_hello(job, number, second_string(frame));
    case RUN_FRAME_EMPTY:
        job->net.hosts[number].empty = true;
        return true;
    }
    (void)snprintf(message, sizeof(message), "%.*s", (int)frame->head.length, text);
    if (frame->head.kind == RUN_FRAME_LOST) {
        run_end_hosts(job, number, run_branch_size(&job->options, number), message);
    } else {
        message[strcspn(message, "\n")] = '\0';
        run_say(job, "prestorun: host %.100s: %.300s\n", job->options.hosts[number],
                message + (strncmp(message, own, strlen(own)) == 0 ? strlen(own) : 0));
    }
    return true;
}

/* ---- on the way ------------------------------------------------------------------------------ */

static bool is_of_rank(uint32_t kind)
{
    return kind != RUN_FRAME_HELLO && kind != RUN_FRAME_EMPTY && kind != RUN_FRAME_TEXT &&
           kind != RUN_FRAME_LOST;
}

/* The host that a frame is about, one of those that the link leads to; -1: none of them. */
static int host_of(const struct run_job *job, const struct run_link *link,
                   const struct run_frame *frame)
{
    int number = frame->head.number;

    if (is_of_rank(frame->head.kind)) {
        if (number < 0 || number >= job->options.ranks) {
            return -1;
        }
        number = job->options.host_of[number];
    }
    return number >= link->first && number < link->first + link->count ? number : -1;
}

/* The first that is heard of an agent; false: it makes no sense, or is another version. */
static bool greet(struct run_job *job, struct run_link *link, struct run_frame *frame)
{
    const char *version = (const char *)frame->data;
    char message[RUN_TEXT_MAX + 1];

    if (frame->head.kind != RUN_FRAME_HELLO || frame->head.number != -1 ||
        second_string(frame) == NULL) {
        link->broken = true;
        return false;
    }
    link->greeted = true;
    if (strcmp(version, PACKAGE_VERSION) != 0) {
        (void)snprintf(message, sizeof(message),
                       "host %.100s: %.100s there is version %.40s, and here it is %s: install the "
                       "same, or say by --prefix where it is",
                       job->options.hosts[link->first], job->options.program, version,
                       PACKAGE_VERSION);
        run_up_lost(job, link, message);
        return false;
    }
    frame->head.number = link->first;
    return true;
}

static void take(struct run_job *job, struct run_link *link, struct run_frame *frame)
{
    int host;

    if (!link->greeted && !greet(job, link, frame)) {
        return;
    }
    host = host_of(job, link, frame);
    if (host < 0 || (frame->head.kind == RUN_FRAME_HELLO && second_string(frame) == NULL)) {
        link->broken = true;
    } else if (job->net.parent != NULL) {
        run_up(job, (enum run_frame_kind)frame->head.kind, frame->head.number, frame->data,
               frame->head.length);
    } else if (!job->net.hosts[host].lost) {
        link->broken = !(is_of_rank(frame->head.kind)
                             ? take_of_rank(job, &job->ranks[frame->head.number], frame)
                             : take_of_host(job, host, frame));
    }
    link->gone = link->gone || (frame->head.kind == RUN_FRAME_LOST && host == link->first);
}

void run_up_read(struct run_job *job, struct run_link *link)
{
    const bool open = run_link_read(link);
    struct run_frame frame;

    while (!link->gone && !link->broken && run_link_next(link, &frame)) {
        take(job, link, &frame);
    }
    if (!open || link->gone) {
        run_link_close(link);
    }
}
