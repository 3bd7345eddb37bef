/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/pingpong.h"

#include <string.h>

#include "common/buffer.h"
#include "common/p2p.h"
#include "common/pattern.h"

#define TAG_THERE 1
#define TAG_BACK  1
#define LINE      64 /* bytes; one byte brings the line that it is in */

static struct {
    struct osu_buffer send;
    struct osu_buffer recv;
    int peer;
    bool first; /* this rank sends first */
    bool plays;
} game;

int osu_pingpong_setup(struct osu_run *run)
{
    int half = run->ranks / 2;
    size_t largest = osu_largest_size(run->options);

    game.first = run->rank < half;
    game.peer = game.first ? run->rank + half : run->rank - half;
    game.plays = run->rank < 2 * half;
    if (osu_buffer_open(&game.send, run, largest, 1) != 0) {
        return -1;
    }
    return osu_buffer_open(&game.recv, run, largest, 1);
}

void osu_pingpong_teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&game.send);
    osu_buffer_close(&game.recv);
}

void osu_pingpong_open(struct osu_run *run)
{
    osu_buffer_touch(&game.send, run->size, 'a');
    osu_buffer_touch(&game.recv, run->size, 'b');
}

bool osu_pingpong_plays(const struct osu_run *run)
{
    (void)run;
    return game.plays;
}

void osu_pingpong_prepare(struct osu_run *run, int round)
{
    osu_pattern_fill(game.send.base, run->size, osu_pattern_seed(round, run->size, run->rank, 0));
    osu_pattern_spoil(game.recv.base, run->size, osu_pattern_seed(round, run->size, game.peer, 0));
}

/* -u: what a program does with its data. With -c it has been written already. */
static void send_message(const struct osu_run *run, int round, int tag)
{
    if (run->options->used && !run->options->check) {
        memset(game.send.base, round, run->size);
    }
    osu_send(game.send.base, run->size, game.peer, tag);
}

static void receive_message(const struct osu_run *run, int tag)
{
    const volatile unsigned char *came = (const unsigned char *)game.recv.base;

    osu_recv(game.recv.base, run->size, game.peer, tag);
    if (run->options->used) {
        for (size_t i = 0; i < run->size; i += LINE) {
            (void)came[i];
        }
    }
}

void osu_pingpong_round(struct osu_run *run, int round)
{
    if (!game.plays) {
        return;
    }
    if (game.first) {
        send_message(run, round, TAG_THERE);
        receive_message(run, TAG_BACK);
    } else {
        receive_message(run, TAG_THERE);
        send_message(run, round, TAG_BACK);
    }
}

size_t osu_pingpong_verify(struct osu_run *run, int round)
{
    if (!game.plays) {
        return 0;
    }
    return osu_pattern_check(game.recv.base, run->size,
                             osu_pattern_seed(round, run->size, game.peer, 0));
}
