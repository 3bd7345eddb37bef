/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rounds of a two-phase access. In each, a rank tells every aggregator which pieces of its
 * window it means; then the data goes to the aggregators and from there to the file, or the other
 * way. Before data moves all ranks know whether one of them has failed, so that none waits for it.
 */
#include "io/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "type/named.h"

/* ---- which pieces ------------------------------------------------------------------------------
 */

static int rank_of(const struct pri_io_exchange *x, int aggregator)
{
    return (int)((int64_t)aggregator * x->team->size / x->rounds->aggregators);
}

static void window_of(const struct pri_io_exchange *x, int aggregator, uint64_t round, int64_t *low,
                      int64_t *high)
{
    const struct pri_io_rounds *rounds = x->rounds;
    uint64_t part = (uint64_t)aggregator * rounds->part, end = part + rounds->part;
    uint64_t begin = part + round * rounds->window, behind = begin + rounds->window;
    *low = rounds->first + (int64_t)(begin < end ? begin : end);
    *high = rounds->first + (int64_t)(behind < end ? behind : end);
    *high = *high < rounds->behind ? *high : rounds->behind;
    *low = *low < *high ? *low : *high;
}

/* Which byte of this rank's data is the first that is not before a place. */
static uint64_t data_at(const struct pri_io_access *access, int64_t place)
{
    return pri_io_stream_in(&access->io->view, access->at, access->bytes, place) - access->at;
}

static bool room_for_one(struct pri_io_exchange *x)
{
    if (x->asks_count < x->asks_room) {
        return true;
    }
    size_t room = x->asks_room == 0 ? 64 : 2 * x->asks_room;
    struct pri_io_range *asks = realloc(x->asks, room * sizeof(*asks));
    if (asks == NULL) {
        return false;
    }
    x->asks = asks;
    x->asks_room = room;
    return true;
}

static void ask(struct pri_io_exchange *x, int aggregator, uint64_t round)
{
    const struct pri_io_access *access = x->access;
    int64_t low, high;
    window_of(x, aggregator, round, &low, &high);
    int rank = rank_of(x, aggregator);
    uint64_t from = data_at(access, low), to = data_at(access, high);
    if (low >= high) {
        to = from;
    }
    if (rank == x->team->rank) {
        x->low = low;
        x->high = high;
    }
    x->from[rank] = from;
    while (from < to) {
        if (!room_for_one(x)) {
            x->error = PRI_ERR_NOMEM;
            return;
        }
        struct pri_io_range *piece = &x->asks[x->asks_count++];
        piece->place = pri_io_run(&access->io->view, access->at + from, to - from, &piece->length);
        x->out[rank].pieces++;
        x->out[rank].data += piece->length;
        from += piece->length;
    }
}

/* ---- messages ----------------------------------------------------------------------------------
 */

static int all_to_all(struct pri_io_exchange *x, void *out, void *in, size_t bytes)
{
    return pri_coll_alltoall(x->team, (struct pri_some){out, bytes, &presto_type_byte},
                             (struct pri_some){in, bytes, &presto_type_byte}, NULL);
}

/* The parts follow each other. */
static void lay_out(int *counts, int *places, int size)
{
    int at = 0;
    for (int i = 0; i < size; i++) {
        places[i] = at;
        at += counts[i];
    }
}

static int all_to_all_parts(struct pri_io_exchange *x, void *out, void *in)
{
    lay_out(x->counts_out, x->places_out, x->team->size);
    lay_out(x->counts_in, x->places_in, x->team->size);
    const struct pri_parts from = {out,  x->counts_out, x->places_out, &presto_type_byte,
                                   NULL, NULL,          NULL};
    const struct pri_parts to = {in,   x->counts_in, x->places_in, &presto_type_byte,
                                 NULL, NULL,         NULL};
    return pri_coll_alltoallv(x->team, &from, &to, NULL);
}

/* Whether any rank has failed. */
static int agree(struct pri_io_exchange *x)
{
    int error = x->error;
    int failed = pri_coll_allreduce(x->team, PRI_IN_PLACE, &error, 1, &presto_type_int,
                                    &presto_op_max, NULL);
    x->error = error != 0 ? error : failed;
    return x->error;
}

/* Memory of a round, when it is known what all ranks want. */
static bool allocate(struct pri_io_exchange *x)
{
    uint64_t out = 0, in = 0;
    x->asked_count = 0;
    for (int i = 0; i < x->team->size; i++) {
        out += x->out[i].data;
        in += x->in[i].data;
        x->asked_count += x->in[i].pieces;
    }
    x->asked = malloc(x->asked_count * sizeof(*x->asked) + 1);
    x->item = malloc(x->asked_count * sizeof(*x->item) + 1);
    x->sent = malloc(out + 1);
    x->received = malloc(in + 1);
    if (x->window == NULL && x->asked_count > 0) {
        x->window = malloc(x->rounds->window);
    }
    return x->asked != NULL && x->item != NULL && x->sent != NULL && x->received != NULL &&
           (x->window != NULL || x->asked_count == 0);
}

static void release(struct pri_io_exchange *x)
{
    free(x->asked);
    free(x->item);
    free(x->sent);
    free(x->received);
    x->asked = NULL;
    x->item = NULL;
    x->sent = x->received = NULL;
}

static int send_pieces(struct pri_io_exchange *x)
{
    for (int i = 0; i < x->team->size; i++) {
        x->counts_out[i] = (int)(x->out[i].pieces * sizeof(struct pri_io_range));
        x->counts_in[i] = (int)(x->in[i].pieces * sizeof(struct pri_io_range));
    }
    return all_to_all_parts(x, x->asks, x->asked);
}

/* ---- a round -----------------------------------------------------------------------------------
 */

/* This rank's data for each aggregator, which is one range of it, in the order of ranks. */
static void pack(struct pri_io_exchange *x)
{
    const struct pri_io_data *data = &x->access->data;
    char *to = x->sent;
    for (int i = 0; i < x->team->size; i++) {
        if (x->out[i].data > 0) {
            pri_type_pack(data->type, data->count, data->buf, x->from[i], to, x->out[i].data);
        }
        to += x->out[i].data;
    }
}

static void unpack(struct pri_io_exchange *x)
{
    const struct pri_io_data *data = &x->access->data;
    const char *from = x->sent;
    for (int i = 0; i < x->team->size; i++) {
        if (x->reply_in[i] > 0) {
            pri_type_unpack(data->type, data->count, data->buf, x->from[i], from, x->reply_in[i]);
        }
        from += x->reply_in[i];
        x->access->done += x->reply_in[i];
    }
}

static int write_round(struct pri_io_exchange *x)
{
    for (int i = 0; i < x->team->size; i++) {
        x->counts_out[i] = (int)x->out[i].data;
        x->counts_in[i] = (int)x->in[i].data;
    }
    pack(x);
    int error = all_to_all_parts(x, x->sent, x->received);
    if (error == 0) {
        pri_io_sort_items(x);
        error = pri_io_write_window(x);
    }
    return error;
}

static int read_round(struct pri_io_exchange *x)
{
    int64_t end;
    pri_io_sort_items(x);
    int error = pri_io_read_window(x, &end);
    if (error != 0) {
        x->error = error;
    }
    if (agree(x) != 0) {
        return x->error;
    }
    pri_io_fill_replies(x, end);
    error = all_to_all(x, x->reply_out, x->reply_in, sizeof(*x->reply_in));
    if (error != 0) {
        return error;
    }
    for (int i = 0; i < x->team->size; i++) {
        x->counts_out[i] = (int)x->reply_out[i];
        x->counts_in[i] = (int)x->reply_in[i];
    }
    error = all_to_all_parts(x, x->received, x->sent);
    if (error == 0) {
        unpack(x);
    }
    return error;
}

static int run_round(struct pri_io_exchange *x, uint64_t round)
{
    memset(x->out, 0, (size_t)x->team->size * sizeof(*x->out));
    x->asks_count = 0;
    x->low = x->high = 0;
    for (int i = 0; i < x->rounds->aggregators && x->error == 0; i++) {
        ask(x, i, round);
    }
    int error = all_to_all(x, x->out, x->in, sizeof(*x->out));
    if (error == 0 && x->error == 0 && !allocate(x)) {
        x->error = PRI_ERR_NOMEM;
    }
    x->error = x->error != 0 ? x->error : error;
    if (agree(x) == 0) {
        error = send_pieces(x);
        error = error != 0 ? error : x->access->write ? write_round(x) : read_round(x);
        x->error = x->error != 0 ? x->error : error;
    }
    release(x);
    return agree(x);
}

/* ---- memory of all rounds ----------------------------------------------------------------------
 */

static bool begin(struct pri_io_exchange *x)
{
    size_t size = (size_t)x->team->size;
    x->out = calloc(2 * size, sizeof(*x->out));
    x->from = calloc(3 * size, sizeof(*x->from));
    x->counts_out = calloc(4 * size, sizeof(int));
    if (x->out == NULL || x->from == NULL || x->counts_out == NULL) {
        return false;
    }
    x->in = x->out + size;
    x->reply_out = x->from + size;
    x->reply_in = x->reply_out + size;
    x->places_out = x->counts_out + size;
    x->counts_in = x->places_out + size;
    x->places_in = x->counts_in + size;
    return true;
}

int pri_io_exchange(struct pri_io_access *access, const struct pri_io_rounds *rounds)
{
    struct pri_io_exchange x = {.access = access, .rounds = rounds, .team = access->io->team};
    x.error = begin(&x) ? 0 : PRI_ERR_NOMEM;
    if (agree(&x) == 0) {
        for (uint64_t i = 0; i < rounds->count && run_round(&x, i) == 0; i++) {
        }
    }
    if (access->write && x.error == 0) {
        access->done = access->bytes;
    }
    free(x.window);
    free(x.asks);
    free(x.out);
    free(x.from);
    free(x.counts_out);
    return x.error;
}
