/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_PINGPONG_H
#define OSU_COMMON_PINGPONG_H

/* Members of struct osu_bench for blocking ping-pong: rank r of the lower half plays with rank r +
 * half. */

#include "common/bench.h"

int osu_pingpong_setup(struct osu_run *run);
void osu_pingpong_teardown(struct osu_run *run);
void osu_pingpong_open(struct osu_run *run);
void osu_pingpong_prepare(struct osu_run *run, int round);
void osu_pingpong_round(struct osu_run *run, int round);
size_t osu_pingpong_verify(struct osu_run *run, int round);

/* False for the last of an odd number of ranks, which has nobody to play with. */
bool osu_pingpong_plays(const struct osu_run *run);

#endif
