/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/pingpong.h"
#include "common/buffer.h"
#include "common/p2p.h"
#include "common/pattern.h"

#define TAG_THERE 1
#define TAG_BACK  1

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
    if (osu_buffer_open(&game.send, run, largest, 1) != 0)
        return -1;
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

void osu_pingpong_round(struct osu_run *run, int round)
{
    (void)round;
    if (!game.plays)
        return;
    if (game.first) {
        osu_send(game.send.base, run->size, game.peer, TAG_THERE);
        osu_recv(game.recv.base, run->size, game.peer, TAG_BACK);
    } else {
        osu_recv(game.recv.base, run->size, game.peer, TAG_THERE);
        osu_send(game.send.base, run->size, game.peer, TAG_BACK);
    }
}

size_t osu_pingpong_verify(struct osu_run *run, int round)
{
    if (!game.plays)
        return 0;
    return osu_pattern_check(game.recv.base, run->size,
                             osu_pattern_seed(round, run->size, game.peer, 0));
}
