/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_STREAM_H
#define OSU_COMMON_STREAM_H

/*
 * Members of struct osu_bench for windows of messages in flight: a round sends or receives one
 * window. One way, the receiver answers a window with a byte, so that the sender's clock covers the
 * arrival; both ways, the peer's window is the answer. Rank r of the first half sends to rank r +
 * half; ranks beyond the pairs wait.
 */

#include "common/bench.h"

int osu_stream_setup(struct osu_run *run);
/* The same with both sides sending. */
int osu_stream_setup_both(struct osu_run *run);
void osu_stream_teardown(struct osu_run *run);
void osu_stream_open(struct osu_run *run);
void osu_stream_prepare(struct osu_run *run, int round);
void osu_stream_round(struct osu_run *run, int round);
size_t osu_stream_verify(struct osu_run *run, int round);

/* Messages per round of all pairs, counted both ways if both sides send. */
double osu_stream_messages(const struct osu_run *run);

/* True on the ranks whose clock counts: the first of each pair. */
bool osu_stream_leads(const struct osu_run *run);

/* Pairs that take part: -p, or half of the ranks. */
int osu_stream_pairs(const struct osu_run *run);

#endif
