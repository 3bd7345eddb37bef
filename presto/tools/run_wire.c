/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks say, see core/wire_up.h. */
#include <signal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/run.h"

static void close_wire(struct run_rank *rank)
{
    if (rank->wire >= 0) {
        (void)close(rank->wire);
    }
    rank->wire = -1;
}

/* ---- table ----------------------------------------------------------------------------------- */

/* All ranks of a world, in one message. NULL: no memory. */
static uint8_t *build_table(const struct run_job *job, const struct run_world *world,
                            size_t *length)
{
    struct pri_wire_head head = {.kind = PRI_WIRE_TABLE};
    size_t most =
        sizeof(head) + (size_t)world->size * (sizeof(struct pri_wire_entry) + NI_BLOB_MAX);
    uint8_t *table = malloc(most), *to;

    if (table == NULL) {
        return NULL;
    }
    to = table + sizeof(head);
    for (int i = 0; i < world->size; i++) {
        const struct run_rank *rank = &job->ranks[world->first + i];
        const struct pri_wire_entry entry = {.host = (uint32_t)rank->host,
                                             .length = rank->blob_length};

        memcpy(to, &entry, sizeof(entry));
        memcpy(to + sizeof(entry), rank->blob, rank->blob_length);
        to += sizeof(entry) + rank->blob_length;
    }
    *length = (size_t)(to - table);
    head.length = (uint32_t)(*length - sizeof(head));
    memcpy(table, &head, sizeof(head));
    return table;
}

bool run_wire_waits(const struct run_job *job, const struct run_rank *rank)
{
    (void)job;
    return rank->wire >= 0 &&
           (rank->told < rank->world->table_length || rank->replied < rank->reply_length);
}

/* The table first, then an answer. What is left of either. */
static const uint8_t *left_of(const struct run_rank *rank, size_t *length)
{
    const struct run_world *world = rank->world;

    if (rank->told < world->table_length) {
        *length = world->table_length - rank->told;
        return world->table + rank->told;
    }
    *length = rank->reply_length - rank->replied;
    return rank->reply + rank->replied;
}

static void count_sent(struct run_rank *rank, size_t n)
{
    if (rank->told < rank->world->table_length) {
        rank->told += n;
    } else {
        rank->replied += n;
    }
}

/* Never waits: a rank that is stopped does not hold up the others. One that takes nothing has
 * ended, of which we hear otherwise. */
void run_wire_write(struct run_job *job, struct run_rank *rank)
{
    while (run_wire_waits(job, rank)) {
        size_t length;
        const uint8_t *data = left_of(rank, &length);
        ssize_t n = send(rank->wire, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            count_sent(rank, (size_t)n);
        } else if (n == 0 || errno != EINTR) {
            if (errno != EAGAIN) {
                rank->told = rank->world->table_length;
                rank->replied = rank->reply_length;
            }
            return;
        }
    }
}

void run_wire_tell(struct run_job *job, struct run_world *world)
{
    run_down_all(job, RUN_FRAME_TABLE, 0, world->table, world->table_length);
    for (int i = 0; i < world->size; i++) {
        run_wire_write(job, &job->ranks[world->first + i]);
    }
}

static void send_table(struct run_job *job, struct run_world *world)
{
    world->table = build_table(job, world, &world->table_length);
    if (world->table == NULL) {
        world->table_length = 0;
        run_say(job, "prestorun: no memory for the addresses of %d ranks: start fewer (-n)\n",
                world->size);
        run_end_all(job, 1, SIGTERM);
        return;
    }
    run_wire_tell(job, world);
    run_serve_joined(job, world);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A rank waits for all others: one that has ended will not come. */
static void check_missing(struct run_job *job, const struct run_world *world)
{
    for (int i = 0; i < world->size; i++) {
        const struct run_rank *rank = &job->ranks[world->first + i];

        if (rank->ended && !rank->hello && !job->over) {
            run_say(job,
                    "prestorun: rank %s has ended without joining the job, for which "
                    "others wait; ending them\n",
                    run_who(job, rank).text);
            run_end_all(job, job->code != 0 ? job->code : 1, SIGTERM);
        }
    }
}

/* It is not listened to any more. */
static void refuse(struct run_job *job, struct run_rank *rank, const struct pri_wire_head *head)
{
    job->refused++;
    if (!job->over) {
        run_say(job,
                "prestorun: rank %s says what is no message (kind %#x, %u bytes): it is of "
                "another version, use the prestorun that was installed with its library; ending "
                "the job\n",
                run_who(job, rank).text, (unsigned)head->kind, (unsigned)head->length);
    }
    run_end_all(job, 1, SIGTERM);
    close_wire(rank);
}

static void take_hello(struct run_job *job, struct run_rank *rank, const uint8_t *blob,
                       uint32_t length)
{
    if (rank->hello) {
        refuse(job, rank, &(struct pri_wire_head){.kind = PRI_WIRE_HELLO, .length = length});
        return;
    }
    memcpy(rank->blob, blob, length);
    rank->blob_length = length;
    rank->hello = true;
    job->hellos++;
    if (++rank->world->hellos == rank->world->size && !rank->world->failed) {
        send_table(job, rank->world);
    } else if (!rank->world->failed) {
        check_missing(job, rank->world);
    }
}

static void take_message(struct run_job *job, struct run_rank *rank,
                         const struct pri_wire_head *head, const uint8_t *data)
{
    int32_t code = 1;

    switch (head->kind) {
    case PRI_WIRE_HELLO:
        take_hello(job, rank, data, head->length);
        break;
    case PRI_WIRE_BYE:
        rank->bye = true;
        run_names_forget(job, rank);
        break;
    case PRI_WIRE_ABORT:
        memcpy(&code, data, head->length < sizeof(code) ? head->length : sizeof(code));
        run_end_all(job, pri_exit_status(code), SIGTERM);
        break;
    default:
        if (!run_serve_take(job, rank, head->kind, data, head->length)) {
            refuse(job, rank, head);
        }
    }
}

/* Take the messages that are complete. */
static void take_all(struct run_job *job, struct run_rank *rank)
{
    struct pri_wire_head head;

    while (rank->wire != -1 && rank->got >= sizeof(head)) {
        size_t length;

        memcpy(&head, rank->message, sizeof(head));
        length = sizeof(head) + head.length;
        if (length > sizeof(rank->message)) {
            refuse(job, rank, &head);
            return;
        }
        if (rank->got < length) {
            return;
        }
        take_message(job, rank, &head, rank->message + sizeof(head));
        rank->got -= length;
        memmove(rank->message, rank->message + length, rank->got);
    }
}

void run_wire_take(struct run_job *job, struct run_rank *rank, const uint8_t *data, size_t length)
{
    if (job->net.parent != NULL) {
        run_up(job, RUN_FRAME_SAID, rank->number, data, length);
        return;
    }
    while (length > 0 && rank->wire != -1) {
        size_t room = sizeof(rank->message) - rank->got, n = length < room ? length : room;

        memcpy(rank->message + rank->got, data, n);
        rank->got += n;
        data += n;
        length -= n;
        take_all(job, rank);
    }
}

/* False: there is nothing to read. */
static bool read_some(struct run_job *job, struct run_rank *rank)
{
    uint8_t data[sizeof(rank->message)];
    ssize_t n = recv(rank->wire, data, sizeof(data), MSG_DONTWAIT);

    if (n > 0) {
        run_wire_take(job, rank, data, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_wire(rank);
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

void run_wire_read(struct run_job *job, struct run_rank *rank)
{
    (void)read_some(job, rank);
}

void run_wire_drain(struct run_job *job, struct run_rank *rank)
{
    while (rank->wire >= 0 && read_some(job, rank)) {
        continue;
    }
}
