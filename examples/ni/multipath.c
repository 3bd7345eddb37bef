/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture in rows, sent over four rails. Its rows are long transfers in packets, which come in
 * any order; a flag of each says that all of it is there. Between them go messages: a row that is
 * resequenced keeps its place among these, one that is counted is there as soon as its bytes are.
 *
 * Two NIs of one process over the link inproc; ends with 0 if all rows were right when their flags
 * were up, and the resequenced ones came in order with the messages.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

enum { ROWS = 8, BYTES = 50000, RAILS = 4 };

struct picture {
    uint8_t rows[ROWS][BYTES];
    ni_word flags[ROWS];
};

static struct picture source, target;
static unsigned heard; /* messages and resequenced rows, in order */
static bool in_order = true;

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "multipath: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

/* Each says which it is. */
static void listen(void *arg, const struct ni_message_info *message)
{
    uint64_t number;

    (void)arg;
    memcpy(&number, message->data, sizeof(number));
    in_order = in_order && message->len == sizeof(number) && number == heard;
    heard++;
}

static struct ni *open_ni(struct ni_fabric *fabric)
{
    const struct ni_open_attr attr = {
        .fabric = fabric, .rails = RAILS, .multipath = NI_MULTIPATH_COUNTERS};
    struct ni *ni;

    must(ni_open(&attr, &ni), "open");
    return ni;
}

static void on_departed(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    must(status, "write");
    *(bool *)arg = true;
}

/* Both ends, and what one knows of the other. */
struct ends {
    struct ni *from, *to;
    struct ni_peer *peer;
    struct ni_rkey memory, listener; /* of `to` */
};

static void move(const struct ends *ends)
{
    (void)ni_progress(ends->from);
    (void)ni_progress(ends->to);
}

static void connect_ends(struct ends *ends, struct ni_fabric *fabric)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len;

    ends->from = open_ni(fabric);
    ends->to = open_ni(fabric);
    len = ni_address(ends->to, blob, sizeof(blob));
    must(ni_connect(ends->from, blob, len, &ends->peer), "connect");
    must(ni_region_memory(ends->to, &target, sizeof(target), NI_ACCESS_WRITE, &ends->memory),
         "memory");
    must(ni_region_consumer(ends->to, listen, NULL, 0, &ends->listener), "listener");
}

/* A row, and a note behind it; returns when the row may be painted over. */
static void send_row(const struct ends *ends, unsigned row, const struct ni_note *note,
                     enum ni_multipath how)
{
    struct ni_remote where = {.addr = (uintptr_t)target.rows[row],
                              .key = ends->memory.key,
                              .handle = ends->memory.handle};
    bool departed = false;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_departed, .arg = &departed};

    must(ni_write_multipath(ends->from, ends->peer, source.rows[row], BYTES, &where, note, &ack,
                            NULL, how),
         "write");
    while (!departed) {
        move(ends);
    }
}

static bool row_is_right(unsigned row)
{
    return memcmp(source.rows[row], target.rows[row], BYTES) == 0;
}

/* Counted: the flag is in the row's own transfer. */
static bool counted_rows(const struct ends *ends)
{
    bool good = true;

    for (unsigned row = 0; row < ROWS / 2; row++) {
        const struct ni_note flag = {
            .region = ends->memory, .addr = (uintptr_t)&target.flags[row], .value = 1};

        send_row(ends, row, &flag, NI_MULTIPATH_DEFAULT);
        while (atomic_load_explicit(&target.flags[row], memory_order_acquire) == 0) {
            move(ends);
        }
        good = good && row_is_right(row);
    }
    return good;
}

/* Resequenced: message, row, message, and so on, which the listener hears in this order. */
static bool ordered_rows(const struct ends *ends)
{
    uint64_t number = 0;
    bool good = true;

    for (unsigned row = ROWS / 2; row < ROWS; row++) {
        struct ni_note told = {.region = ends->listener, .value = number + 1};
        ni_status status;

        while ((status = ni_message(ends->from, ends->peer, ends->listener.handle, 0, NULL, 0,
                                    &number, sizeof(number))) == NI_AGAIN) {
            move(ends);
        }
        must(status, "message");
        send_row(ends, row, &told, NI_MULTIPATH_RESEQUENCE);
        number += 2;
    }
    while (heard < number) {
        move(ends);
    }
    for (unsigned row = ROWS / 2; row < ROWS; row++) {
        good = good && row_is_right(row);
    }
    return good && in_order;
}

int main(void)
{
    const struct ni_fabric_attr attr = {.seed = 7, .no_direct_copy = 1};
    uint64_t packets[RAILS];
    struct ni_fabric *fabric;
    struct ends ends;
    bool good;

    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned i = 0; i < BYTES; i++) {
            source.rows[row][i] = (uint8_t)(i * (row + 3) + i / 256);
        }
    }
    must(ni_fabric_create(&attr, &fabric), "make a fabric");
    connect_ends(&ends, fabric);
    good = counted_rows(&ends) && ordered_rows(&ends);
    good = good && ni_rails(ends.from, ends.peer, packets, RAILS) == RAILS;
    for (unsigned i = 0; i < RAILS && good; i++) {
        printf("rail %u: %llu packets\n", i, (unsigned long long)packets[i]);
    }
    printf("packets that came before an earlier one: %llu\n",
           (unsigned long long)ni_stat_read(ends.to, ni_stat_find("parts_early")));
    ni_close(ends.from);
    ni_close(ends.to);
    ni_fabric_destroy(fabric);
    return good ? 0 : 1;
}
