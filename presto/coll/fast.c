/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short blocking operations without a schedule. They send the very messages of the schedules, so
 * that one rank may do it this way and another, whose type is scattered in memory, the other.
 */
#include "coll/private.h"
#include "core/message.h"

static struct pri_where next_where(struct pri_team *team)
{
    return (struct pri_where){
        .as = team->rank, .tag = pri_coll_tag(team), .context = team->context};
}

static struct pri_where with(const struct pri_team *team, struct pri_where where, int rank)
{
    where.peer = pri_team_member(team, rank);
    return where;
}

static NI_COLD int note(struct pri_team *team, struct pri_where *where, int before, int error)
{
    if (pri_poisons(error)) {
        where->as = pri_poison(team->self, error);
    }
    return before != 0 ? before : error;
}

/* First error first; what is sent later says what has happened. */
static inline int first_of(struct pri_team *team, struct pri_where *where, int before, int error)
{
    return NI_LIKELY(error == 0) ? before : note(team, where, before, error);
}

static int send_to(struct pri_team *team, struct pri_where *where, const void *out, size_t bytes,
                   int to, int before)
{
    return first_of(team, where, before,
                    pri_send(team->self, out, bytes, with(team, *where, to), PRI_STANDARD));
}

static int recv_from(struct pri_team *team, struct pri_where *where, void *in, size_t bytes,
                     int from, int before)
{
    struct pri_status status;
    int error = pri_recv(team->self, in, bytes, with(team, *where, from), &status);

    if (NI_UNLIKELY(error == 0 && status.source < 0)) {
        error = pri_poisoned(team->self, status.source);
    }
    return first_of(team, where, before, error);
}

/* Send to one rank while receiving from another: what has left need not be waited for. */
static int exchange(struct pri_team *team, struct pri_where *where, const void *out, int to,
                    void *in, int from, size_t bytes, int before)
{
    struct pri_request request;
    int error, sent;

    if (NI_LIKELY(pri_send_short(team->self, out, bytes, with(team, *where, to)))) {
        return recv_from(team, where, in, bytes, from, before);
    }
    error = pri_irecv(team->self, in, bytes, with(team, *where, from), &request);
    sent = pri_send(team->self, out, bytes, with(team, *where, to), PRI_STANDARD);

    before = first_of(team, where, before, error != 0 ? error : pri_message_end(&request));
    return first_of(team, where, before, sent);
}

int pri_fast_barrier(struct pri_team *team)
{
    struct pri_where where = next_where(team);
    int error = 0;

    for (int ahead = 1; ahead < team->size; ahead <<= 1) {
        error = exchange(team, &where, NULL, pri_unturned(team, ahead, team->rank), NULL,
                         pri_unturned(team, team->size - ahead, team->rank), 0, error);
    }
    return error;
}

int pri_fast_bcast(struct pri_team *team, void *buf, size_t bytes, int root)
{
    struct pri_where where = next_where(team);
    int me = pri_turned(team, team->rank, root);
    int bit = 1, error = 0;

    while (bit < team->size && (me & bit) == 0) {
        bit <<= 1;
    }
    if (me != 0) {
        error = recv_from(team, &where, buf, bytes, pri_unturned(team, me - bit, root), 0);
    }
    for (bit >>= 1; bit > 0; bit >>= 1) {
        if (me + bit < team->size) {
            error = send_to(team, &where, buf, bytes, pri_unturned(team, me + bit, root), error);
        }
    }
    return error;
}

/* Two places for elements: what has been reduced so far, and what comes in. */
struct pair {
    char *now, *other;
    size_t count;
    struct pri_type *type;
    struct pri_op *op;
};

/* What came in is of ranks above this one, or below. */
static void pair_reduce(struct pair *p, bool above)
{
    if (above) {
        char *now = p->now;

        pri_op_apply(p->op, now, p->other, p->count, p->type);
        p->now = p->other;
        p->other = now;
    } else {
        pri_op_apply(p->op, p->other, p->now, p->count, p->type);
    }
}

/* See pri_write_allreduce_doubling. */
int pri_fast_allreduce(struct pri_team *team, const void *in, void *out, size_t count, size_t bytes,
                       struct pri_type *type, struct pri_op *op)
{
    _Alignas(64) char spare[PRI_FAST_BYTES];
    struct pri_where where = next_where(team);
    struct pair p = {out, spare, count, type, op};
    int rank = team->rank, error = 0;
    int whole = 1 << ni_ilog2((uint64_t)team->size), extra = team->size - whole;
    int me = rank < 2 * extra ? rank / 2 : rank - extra;

    if (in != PRI_IN_PLACE) {
        memcpy(out, in, bytes);
    }
    if (rank < 2 * extra && rank % 2 == 1) {
        error = send_to(team, &where, out, bytes, rank - 1, 0);
        return recv_from(team, &where, out, bytes, rank - 1, error);
    }
    if (rank < 2 * extra) {
        error = recv_from(team, &where, p.other, bytes, rank + 1, 0);
        pair_reduce(&p, true);
    }
    for (int bit = 1; bit < whole; bit <<= 1) {
        int it = me ^ bit;
        int peer = it < extra ? 2 * it : it + extra;

        error = exchange(team, &where, p.now, peer, p.other, peer, bytes, error);
        pair_reduce(&p, it > me);
    }
    if (rank < 2 * extra) {
        error = send_to(team, &where, p.now, bytes, rank + 1, error);
    }
    if (p.now != (char *)out) {
        memcpy(out, p.now, bytes);
    }
    return error;
}
