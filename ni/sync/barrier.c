/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/barrier.h>

#include "engine/engine.h"

/*
 * Barriers on counters. All counters have reload values: each is armed for the next time before
 * anybody is told of this one, and no member comes twice before all have left once. In the flat
 * barrier one that has left may come again while another waits for the last of this time; its
 * addition then counts in place of that one, which counts the next time: a counter at zero has seen
 * as many additions as there are members times rounds, and nobody can be more than one round ahead.
 *
 * What we have to pass on may wait for room in a full lane. It is counted, so that nobody leaves
 * before it has: the member that it goes to has not passed without it, and so makes room. What else
 * waits to go there is not looked at, since one that has passed need not make any.
 */

enum {
    NI_LOOK_US = 1000,    /* another thread may make the progress that we wait for */
    NI_LOOK_MEMBERS = 16, /* tests between two looks for members that are gone */
};

struct ni_barrier {
    struct ni *ni;
    unsigned members, rank;
    unsigned arity; /* 0: flat */
    bool connected;
    uint32_t tests;
    uint64_t entered;        /* times */
    uint64_t left;           /* the time in which we left in any case: a member is gone */
    _Atomic uint64_t passed; /* times */
    _Atomic uint32_t held;   /* additions of ours that wait for room */
    struct ni_rkey up, down; /* flat: up is not used */
    ni_handle *chained;      /* counters behind `down` */
    unsigned chained_count;
    struct ni_peer **peers;   /* by member; NULL: at this NI */
    struct ni_rkey *counters; /* flat: by member */
};

static unsigned first_child(const struct ni_barrier *barrier)
{
    return (unsigned)ni_min_u64((uint64_t)barrier->arity * barrier->rank + 1, barrier->members);
}

static unsigned children(const struct ni_barrier *barrier)
{
    return (unsigned)ni_min_u64(barrier->arity, barrier->members - first_child(barrier));
}

/* A counter that is armed with -count each time. */
static ni_status make_counter(struct ni *ni, unsigned count, struct ni_rkey *rkey)
{
    struct ni_counter_setting setting = {.flags = NI_COUNTER_RELOAD, .reload = -(int64_t)count};
    ni_status status = ni_counter_create(ni, -(int64_t)count, rkey);

    return status == NI_OK ? ni_counter_set(ni, NULL, rkey, &setting, NULL) : status;
}

/* Every counter that there is. */
static void free_counters(struct ni_barrier *barrier)
{
    struct ni *ni = barrier->ni;

    if (barrier->up.handle != 0) {
        (void)ni_region_deregister(ni, barrier->up.handle);
    }
    if (barrier->down.handle != 0) {
        (void)ni_region_deregister(ni, barrier->down.handle);
    }
    for (unsigned i = 0; i < barrier->chained_count; i++) {
        (void)ni_region_deregister(ni, barrier->chained[i]);
    }
}

static void free_barrier(struct ni_barrier *barrier)
{
    free_counters(barrier);
    ni_free(barrier->chained);
    ni_free(barrier->peers);
    ni_free(barrier->counters);
    ni_free(barrier);
}

ni_status ni_barrier_create(struct ni *ni, unsigned members, unsigned rank, unsigned arity,
                            struct ni_barrier **made, struct ni_barrier_address *address)
{
    struct ni_barrier *barrier;
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    if (members == 0 || members > NI_BARRIER_MEMBERS || rank >= members) {
        return NI_ERR_INVALID;
    }
    barrier = ni_calloc(1, sizeof(*barrier));
    if (barrier == NULL) {
        return NI_ERR_NOMEM;
    }
    barrier->ni = ni;
    barrier->members = members;
    barrier->rank = rank;
    barrier->arity = arity == 0 && members > NI_BARRIER_FLAT ? NI_BARRIER_ARITY : arity;
    if (barrier->arity != 0) {
        status = make_counter(ni, 1 + children(barrier), &barrier->up);
    }
    if (status == NI_OK) {
        status = make_counter(ni, barrier->arity != 0 ? 1 : members, &barrier->down);
    }
    if (status != NI_OK) {
        free_barrier(barrier);
        return status;
    }
    *address = (struct ni_barrier_address){.up = barrier->up, .down = barrier->down};
    *made = barrier;
    return NI_OK;
}

/* ---- whom counters tell ---------------------------------------------------------------------- */

/* One to a counter, here where peer is NULL. */
static struct ni_notice notice_to(struct ni_peer *peer, const struct ni_rkey *counter)
{
    return (struct ni_notice){
        .at = peer != NULL ? NI_AT_PEER : NI_AT_COUNTER,
        .width = sizeof(int64_t),
        .peer = peer,
        .where = {.key = counter->key, .handle = counter->handle},
        .value = 1,
    };
}

static void pass(void *arg, ni_status status, uint64_t value)
{
    struct ni_barrier *barrier = arg;

    (void)status;
    (void)value;
    /* No two at a time: until we have seen the last one, and entered again, the counter lacks an
     * addition. Pairs with the acquire load in has_passed. The barrier may be freed from then
     * on. */
    atomic_store_explicit(&barrier->passed,
                          atomic_load_explicit(&barrier->passed, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* The last of its notifications, behind those of others. */
static ni_status tell_us(struct ni_barrier *barrier, const struct ni_rkey *counter)
{
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = pass, .arg = barrier};

    return ni_counter_notify(barrier->ni, counter->handle, &ack);
}

/* One more counter of ours, to be told by the last one. */
static ni_status chain(struct ni_barrier *barrier, struct ni_rkey *counter)
{
    ni_status status = make_counter(barrier->ni, 1, counter);

    if (counter->handle != 0) {
        barrier->chained[barrier->chained_count++] = counter->handle;
    }
    return status;
}

/* `down`, and those chained to it, tell the members directly below, then us. */
static ni_status connect_down(struct ni_barrier *barrier,
                              const struct ni_barrier_address *addresses)
{
    unsigned child = first_child(barrier), left = children(barrier);
    struct ni_rkey counter = barrier->down;
    ni_status status = NI_OK;

    for (;;) {
        struct ni_counter_setting setting = {.flags = NI_COUNTER_NOTICES};
        struct ni_rkey next = {.handle = 0};

        while (left != 0 && setting.count < NI_COUNTER_NOTIFICATIONS - 1) {
            setting.notices[setting.count++] =
                notice_to(barrier->peers[child], &addresses[child].down);
            child++;
            left--;
        }
        if (left != 0) {
            status = chain(barrier, &next);
            setting.notices[setting.count++] = notice_to(NULL, &next);
        }
        if (status == NI_OK) {
            status = ni_counter_set(barrier->ni, NULL, &counter, &setting, NULL);
        }
        if (status == NI_OK) {
            status = ni_counter_hold(barrier->ni, counter.handle, &barrier->held);
        }
        if (status != NI_OK || left == 0) {
            return status == NI_OK ? tell_us(barrier, &counter) : status;
        }
        counter = next;
    }
}

static ni_status connect_up(struct ni_barrier *barrier, const struct ni_barrier_address *addresses)
{
    struct ni_counter_setting setting = {.flags = NI_COUNTER_NOTICES, .count = 1};
    unsigned parent = barrier->rank != 0 ? (barrier->rank - 1) / barrier->arity : 0;

    setting.notices[0] = barrier->rank == 0
                             ? notice_to(NULL, &barrier->down)
                             : notice_to(barrier->peers[parent], &addresses[parent].up);
    return ni_counter_set(barrier->ni, NULL, &barrier->up, &setting, NULL);
}

static ni_status connect_flat(struct ni_barrier *barrier,
                              const struct ni_barrier_address *addresses)
{
    barrier->counters = ni_calloc(barrier->members, sizeof(barrier->counters[0]));
    if (barrier->counters == NULL) {
        return NI_ERR_NOMEM;
    }
    for (unsigned i = 0; i < barrier->members; i++) {
        barrier->counters[i] = addresses[i].down;
    }
    return tell_us(barrier, &barrier->down);
}

static ni_status connect_tree(struct ni_barrier *barrier,
                              const struct ni_barrier_address *addresses)
{
    ni_status status;

    barrier->chained = ni_calloc(1 + children(barrier) / (NI_COUNTER_NOTIFICATIONS - 1),
                                 sizeof(barrier->chained[0]));
    if (barrier->chained == NULL) {
        return NI_ERR_NOMEM;
    }
    status = connect_down(barrier, addresses);
    return status == NI_OK ? connect_up(barrier, addresses) : status;
}

ni_status ni_barrier_connect(struct ni_barrier *barrier, struct ni_peer *const *peers,
                             const struct ni_barrier_address *addresses)
{
    ni_status status;

    if (peers == NULL || addresses == NULL) {
        return NI_ERR_INVALID;
    }
    if (barrier->peers != NULL) {
        return NI_ERR_EXISTS;
    }
    barrier->peers = ni_calloc(barrier->members, sizeof(barrier->peers[0]));
    if (barrier->peers == NULL) {
        return NI_ERR_NOMEM;
    }
    for (unsigned i = 0; i < barrier->members; i++) {
        barrier->peers[i] = i != barrier->rank ? peers[i] : NULL;
    }
    status =
        barrier->arity != 0 ? connect_tree(barrier, addresses) : connect_flat(barrier, addresses);
    barrier->connected = status == NI_OK;
    return status;
}

/* ---- entering and leaving -------------------------------------------------------------------- */

static bool has_passed(const struct ni_barrier *barrier)
{
    return atomic_load_explicit(&barrier->passed, memory_order_acquire) == barrier->entered;
}

/* Pairs with the release by the thread that sent the last one, and does not touch the barrier any
 * more. */
static bool holds_nothing(const struct ni_barrier *barrier)
{
    return atomic_load_explicit(&barrier->held, memory_order_acquire) == 0;
}

/* In this order: what is held is counted before we are told that all have come. */
static bool may_leave(const struct ni_barrier *barrier)
{
    return has_passed(barrier) && (holds_nothing(barrier) || barrier->left == barrier->entered);
}

static ni_status enter_flat(struct ni_barrier *barrier)
{
    ni_status status = NI_OK;

    /* Those that have a way to go first. */
    for (unsigned i = 0; i < barrier->members; i++) {
        if (barrier->peers[i] != NULL) {
            const struct ni_rkey *counter = &barrier->counters[i];
            const struct ni_remote where = {.key = counter->key, .handle = counter->handle};
            ni_status one =
                ni_word_post(barrier->peers[i], &where, 1, sizeof(int64_t), &barrier->held);

            status = status == NI_OK ? one : status;
        }
    }
    for (unsigned i = 0; i < barrier->members; i++) {
        if (barrier->peers[i] == NULL) {
            ni_status one = ni_counter_add(barrier->ni, barrier->counters[i].handle, 1);

            status = status == NI_OK ? one : status;
        }
    }
    return status;
}

ni_status ni_barrier_enter(struct ni_barrier *barrier)
{
    if (ni_usable(barrier->ni) != NI_OK) {
        return ni_usable(barrier->ni);
    }
    if (!barrier->connected || !may_leave(barrier)) {
        return NI_ERR_INVALID;
    }
    barrier->entered++;
    return barrier->arity == 0 ? enter_flat(barrier)
                               : ni_counter_add(barrier->ni, barrier->up.handle, 1);
}

/* What is wrong with a member, if anything is that keeps others from passing. Then they may have
 * given up, and make room no more. */
static ni_status look_at_barrier_members(struct ni_barrier *barrier)
{
    ni_status failure = ni_usable(barrier->ni);

    for (unsigned i = 0; i < barrier->members; i++) {
        ni_status status = barrier->peers[i] != NULL ? ni_peer_status(barrier->peers[i]) : NI_OK;

        if (failure == NI_OK && status != NI_ERR_PEER_CLOSED) {
            failure = status;
        }
    }
    if (failure != NI_OK && has_passed(barrier)) {
        barrier->left = barrier->entered;
    }
    return failure;
}

ni_status ni_barrier_test(struct ni_barrier *barrier)
{
    ni_status status = NI_OK;

    if (may_leave(barrier)) {
        return NI_OK;
    }
    (void)ni_progress(barrier->ni);
    if (!may_leave(barrier) && barrier->tests++ % NI_LOOK_MEMBERS == 0) {
        status = look_at_barrier_members(barrier);
    }
    return may_leave(barrier) ? NI_OK : (status == NI_OK ? NI_INPROGRESS : status);
}

ni_status ni_barrier_wait(struct ni_barrier *barrier)
{
    ni_status status = NI_OK;

    while (!may_leave(barrier) && status == NI_OK) {
        (void)ni_wait(barrier->ni, NI_LOOK_US);
        if (barrier->tests++ % NI_LOOK_MEMBERS == 0) {
            status = look_at_barrier_members(barrier);
        }
    }
    return may_leave(barrier) ? NI_OK : status;
}

/* ---- the end --------------------------------------------------------------------------------- */

void ni_barrier_free(struct ni_barrier *barrier)
{
    if (barrier == NULL) {
        return;
    }
    while (ni_usable(barrier->ni) == NI_OK && !holds_nothing(barrier)) {
        (void)ni_wait(barrier->ni, NI_LOOK_US);
    }
    free_barrier(barrier);
}
