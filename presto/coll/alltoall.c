/* SPDX-License-Identifier: BSD-3-Clause */
/* All exchange with all. */
#include "coll/inter.h"
#include "coll/places.h"

/* Each pair by itself, a window of ranks at a time, nearest first: no two ranks begin with the same
 * one. */
static void write_pairs(struct pri_sched *s, const struct pri_places *in,
                        const struct pri_places *out)
{
    const struct pri_team *team = s->team;
    int window = (int)pri_coll_params(team)->window, size = team->size;

    for (int first = 1; first < size; first += window) {
        int end = first + window < size ? first + window : size;

        for (int ahead = first; ahead < end; ahead++) {
            int from = pri_unturned(team, size - ahead, team->rank);

            pri_sched_recv(s, from, pri_place(out, from));
        }
        for (int ahead = first; ahead < end; ahead++) {
            int to = pri_unturned(team, ahead, team->rank);

            pri_sched_send(s, to, pri_place(in, to));
        }
        if (first == 1) {
            pri_sched_copy(s, pri_place(out, team->rank), pri_place(in, team->rank));
        }
        pri_sched_fence(s);
    }
    if (size == 1) {
        pri_sched_copy(s, pri_place(out, 0), pri_place(in, 0));
    }
}

/* In place: what goes out is packed first. */
static void write_pairs_in_place(struct pri_sched *s, const struct pri_places *p)
{
    const struct pri_team *team = s->team;
    int window = (int)pri_coll_params(team)->window, size = team->size;
    size_t all = 0, at = 0;

    for (int i = 0; i < size; i++) {
        all += i == team->rank ? 0 : pri_data_size(pri_place(p, i));
    }

    char *temp = all == 0 ? NULL : pri_sched_temp(s, all);

    for (int ahead = 1; ahead < size && all > 0; ahead++) {
        struct pri_data part = pri_place(p, pri_unturned(team, ahead, team->rank));

        pri_sched_copy(s, pri_bytes(temp + at, pri_data_size(part)), part);
        at += pri_data_size(part);
    }
    at = 0;
    for (int ahead = 1; ahead < size && all > 0; ahead++) {
        int to = pri_unturned(team, ahead, team->rank);
        int from = pri_unturned(team, size - ahead, team->rank);
        size_t bytes = pri_data_size(pri_place(p, to));

        pri_sched_recv(s, from, pri_place(p, from));
        pri_sched_send(s, to, pri_bytes(temp + at, bytes));
        at += bytes;
        if (ahead % window == 0) {
            pri_sched_fence(s);
        }
    }
    pri_sched_fence(s);
}

/* Bruck et al., 1997: part i (of the rank i ahead) has to travel i ranks ahead. In round k, all
 * parts with bit k in their number travel 2^k ranks together. In the end part i is that of the rank
 * i behind. */
static void write_bruck(struct pri_sched *s, const struct pri_places *in,
                        const struct pri_places *out, size_t each)
{
    const struct pri_team *team = s->team;
    int size = team->size, me = team->rank;
    size_t half = (size_t)(size + 1) / 2 * each;
    char *parts = pri_sched_temp(s, (size_t)size * each);
    char *give = pri_sched_temp(s, half), *take = pri_sched_temp(s, half);

    for (int i = 0; i < size; i++) {
        pri_sched_copy(s, pri_bytes(parts + (size_t)i * each, each),
                       pri_place(in, pri_unturned(team, i, me)));
    }
    for (int bit = 1; bit < size; bit <<= 1) {
        size_t bytes = 0;

        for (int i = bit; i < size; i = (i + 1) | bit, bytes += each) {
            pri_sched_copy(s, pri_bytes(give + bytes, each),
                           pri_bytes(parts + (size_t)i * each, each));
        }
        pri_sched_recv(s, pri_unturned(team, size - bit, me), pri_bytes(take, bytes));
        pri_sched_send(s, pri_unturned(team, bit, me), pri_bytes(give, bytes));
        pri_sched_fence(s);
        bytes = 0;
        for (int i = bit; i < size; i = (i + 1) | bit, bytes += each) {
            pri_sched_copy(s, pri_bytes(parts + (size_t)i * each, each),
                           pri_bytes(take + bytes, each));
        }
    }
    for (int i = 0; i < size; i++) {
        int from = i == 0 ? me : pri_unturned(team, size - i, me);

        pri_sched_copy(s, pri_place(out, from), pri_bytes(parts + (size_t)i * each, each));
    }
}

int pri_coll_alltoall(struct pri_team *team, struct pri_some in, struct pri_some out,
                      struct pri_request *request)
{
    if (pri_coll_open(team, RECORD_CLASS_ALLTOALL, request)) {
        return pri_inter_exchange(team, in, false, out, request);
    }
    bool in_place = in.buf == PRI_IN_PLACE;
    size_t each = out.count * out.type->size;
    struct pri_places from = {.some = in_place ? out : in}, to = {.some = out};

    if (each == 0) {
        return pri_sched_nothing(team, request);
    }

    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL) {
        pri_places_hold(s, &from, team->size);
        pri_places_hold(s, &to, team->size);
        if (team->size >= 8 && each <= pri_coll_params(team)->alltoall_short) {
            write_bruck(s, &from, &to, each);
        } else if (in_place) {
            write_pairs_in_place(s, &to);
        } else {
            write_pairs(s, &from, &to);
        }
    }
    return pri_sched_run(s, request);
}

int pri_coll_alltoallv(struct pri_team *team, const struct pri_parts *in,
                       const struct pri_parts *out, struct pri_request *request)
{
    if (pri_coll_open(team, out->types == NULL ? RECORD_CLASS_ALLTOALLV : RECORD_CLASS_ALLTOALLW,
                      request)) {
        return pri_inter_exchangev(team, in, out, request);
    }
    struct pri_places from = {.parts = in}, to = {.parts = out};
    struct pri_sched *s = pri_sched_get(team);

    if (s != NULL) {
        pri_places_hold(s, &to, team->size);
        if (in->buf == PRI_IN_PLACE) {
            write_pairs_in_place(s, &to);
        } else {
            pri_places_hold(s, &from, team->size);
            write_pairs(s, &from, &to);
        }
    }
    return pri_sched_run(s, request);
}
