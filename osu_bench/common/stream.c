/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/stream.h"
#include "common/buffer.h"
#include "common/p2p.h"
#include "common/pattern.h"

#include <stdio.h>
#include <stdlib.h>

#define TAG_DATA   100
#define TAG_ANSWER 101

static struct {
    struct osu_buffer send;
    struct osu_buffer recv;
    osu_request *requests; /* a window for each direction */
    int peer;
    bool leads;
    bool sends;
    bool receives;
} flow;

int osu_stream_pairs(const struct osu_run *run)
{
    return run->options->pairs != 0 ? run->options->pairs : run->ranks / 2;
}

static int set_up(struct osu_run *run, bool both)
{
    const struct osu_options *options = run->options;
    int pairs = osu_stream_pairs(run);
    size_t largest = osu_largest_size(options);
    /* With -c each message of a window needs its own memory, or one would hide what another did. */
    int slots = options->check || options->multiple ? options->window : 1;

    flow.leads = run->rank < pairs;
    flow.peer = flow.leads ? run->rank + pairs : run->rank - pairs;
    flow.sends = flow.leads || (both && run->rank < 2 * pairs);
    flow.receives = (!flow.leads || both) && run->rank < 2 * pairs;
    flow.requests = calloc((size_t)options->window * 2, sizeof(flow.requests[0]));
    if (flow.requests == NULL) {
        fprintf(stderr, "%s: no memory for %d requests; lower -W\n", run->bench->name,
                options->window * 2);
        return -1;
    }
    if (osu_buffer_open(&flow.send, run, largest, slots) != 0) {
        return -1;
    }
    return osu_buffer_open(&flow.recv, run, largest, slots);
}

int osu_stream_setup(struct osu_run *run)
{
    return set_up(run, false);
}

int osu_stream_setup_both(struct osu_run *run)
{
    return set_up(run, true);
}

void osu_stream_teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&flow.send);
    osu_buffer_close(&flow.recv);
    free(flow.requests);
    flow.requests = NULL;
}

void osu_stream_open(struct osu_run *run)
{
    if (flow.sends) {
        osu_buffer_touch(&flow.send, run->size, 'a');
    }
    if (flow.receives) {
        osu_buffer_touch(&flow.recv, run->size, 'b');
    }
}

bool osu_stream_leads(const struct osu_run *run)
{
    (void)run;
    return flow.leads;
}

double osu_stream_messages(const struct osu_run *run)
{
    int ways = flow.sends && flow.receives ? 2 : 1;
    return (double)osu_stream_pairs(run) * ways * run->options->window;
}

void osu_stream_prepare(struct osu_run *run, int round)
{
    for (int slot = 0; slot < run->options->window; slot++) {
        if (flow.sends) {
            osu_pattern_fill(osu_buffer_slot(&flow.send, slot), run->size,
                             osu_pattern_seed(round, run->size, run->rank, slot));
        }
        if (flow.receives) {
            osu_pattern_spoil(osu_buffer_slot(&flow.recv, slot), run->size,
                              osu_pattern_seed(round, run->size, flow.peer, slot));
        }
    }
}

size_t osu_stream_verify(struct osu_run *run, int round)
{
    size_t wrong = 0;
    for (int slot = 0; flow.receives && slot < run->options->window; slot++) {
        wrong += osu_pattern_check(osu_buffer_slot(&flow.recv, slot), run->size,
                                   osu_pattern_seed(round, run->size, flow.peer, slot));
    }
    return wrong;
}

static void post_receives(const struct osu_run *run, osu_request *requests)
{
    for (int slot = 0; slot < run->options->window; slot++) {
        osu_irecv(osu_buffer_slot(&flow.recv, slot), run->size, flow.peer, TAG_DATA,
                  &requests[slot]);
    }
}

static void post_sends(const struct osu_run *run, osu_request *requests)
{
    for (int slot = 0; slot < run->options->window; slot++) {
        osu_isend(osu_buffer_slot(&flow.send, slot), run->size, flow.peer, TAG_DATA,
                  &requests[slot]);
    }
}

static void answer(bool give)
{
    char byte = 0;
    if (give) {
        osu_send(&byte, 1, flow.peer, TAG_ANSWER);
    } else {
        osu_recv(&byte, 1, flow.peer, TAG_ANSWER);
    }
}

void osu_stream_round(struct osu_run *run, int round)
{
    int window = run->options->window;
    int count = 0;

    (void)round;
    if (flow.receives) {
        post_receives(run, flow.requests);
        count += window;
    }
    if (flow.sends) {
        post_sends(run, flow.requests + count);
        count += window;
    }
    if (count == 0) {
        return;
    }
    osu_waitall(flow.requests, count);
    if (count == window) {
        answer(flow.receives);
    }
}
