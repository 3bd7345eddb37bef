/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <apeni/apeni.h>

#include "base/random.h"

/*
 * Two NIs, several threads on each: all of them put to both NIs, post entries, unlink, search,
 * claim and poll. Each put has a tag of its own that the other side posts an entry for, so in the
 * end every message has met its entry exactly once: on arrival, when the entry was posted, or
 * claimed. In half of the runs what is unexpected goes to buffers of an overflow list first, one of
 * them in pieces, as long as there are any.
 *
 *   portals_threads [MESSAGES]   of each thread
 */

enum {
    SIDES = 2,
    THREADS = 3,
    MESSAGES = 1500,
    LONGEST = 40000,
    WINDOW = 16,
    SLABS = 2,
    SLAB = 4 * LONGEST,
    PIECES = 50
};

#define CHECK(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))

static _Noreturn void failed(int line, const char *what)
{
    fprintf(stderr, "portals_threads: line %d: %s\n", line, what);
    abort();
}

struct side;

struct message {
    uint64_t *data, *room;
    uint32_t length;
    _Atomic int sent, acked, received;
};

struct worker {
    struct side *side;
    unsigned index;
    pthread_t thread;
    struct ni_rng rng;
    struct message *message; /* that it puts, to the other side's worker of the same index */
};

/* A buffer of the overflow list. */
struct slab {
    _Atomic bool free;
    uint8_t *memory;
    struct ni_iovec piece[PIECES];
    ni_me_handle handle;
};

struct side {
    struct slab slab[SLABS];
    struct ni *ni;
    struct ni_peer *peer;
    struct side *other;
    struct ni_eq *eq;
    struct ni_md md;
    struct worker worker[THREADS];
};

static struct side sides[SIDES];
static bool overflow; /* this run has overflow lists */
static unsigned messages = MESSAGES;
static _Atomic unsigned working;
static _Atomic uint64_t unlinked, claimed, spilled;

static void on_event(void *arg, const struct ni_event *event)
{
    struct message *message = event->user_ptr;
    struct slab *slab = event->user_ptr;

    (void)arg;
    CHECK(event->ni_fail_type == NI_NI_OK);
    switch (event->type) {
    case NI_EVENT_SEND:
        CHECK(atomic_fetch_add(&message->sent, 1) == 0);
        break;
    case NI_EVENT_ACK:
        CHECK(atomic_fetch_add(&message->acked, 1) == 0);
        break;
    case NI_EVENT_PUT:
    case NI_EVENT_PUT_OVERFLOW:
        CHECK(event->mlength == message->length);
        CHECK(message->length < 8 || *(const uint64_t *)event->start == event->hdr_data);
        atomic_fetch_add(&spilled, event->start != message->room);
        CHECK(atomic_fetch_add(&message->received, 1) == 0);
        break;
    case NI_EVENT_AUTO_UNLINK:
        CHECK(!atomic_load(&slab->free)); /* of no other entries */
        break;
    case NI_EVENT_AUTO_FREE:
        atomic_store(&slab->free, true);
        break;
    default:
        CHECK(false);
    }
}

static uint64_t bits_of(const struct worker *worker, unsigned i)
{
    return (uint64_t)worker->index << 32 | i;
}

static struct ni_me entry_of(struct worker *worker, unsigned i)
{
    struct message *message = &worker->side->other->worker[worker->index].message[i];

    return (struct ni_me){.start = message->room,
                          .length = LONGEST,
                          .match_bits = bits_of(worker, i),
                          .match_id =
                              i % 3 == 0 ? NI_INITIATOR_ANY : ni_peer_initiator(worker->side->peer),
                          .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE};
}

static void send(struct worker *worker, unsigned i)
{
    static const uint32_t lengths[] = {0, 8, 8, 32, 64, 3000, 20000, LONGEST};
    struct message *message = &worker->message[i];
    struct side *side = worker->side;

    message->length = lengths[ni_rng_below(&worker->rng, 8)];
    message->data = calloc(1, LONGEST);
    message->room = calloc(1, LONGEST);
    CHECK(message->data != NULL && message->room != NULL);
    *message->data = bits_of(worker, i);
    CHECK(ni_put(side->ni, &side->md, (uintptr_t)message->data, message->length,
                 i % 4 == 0 ? NI_ACK_REQ : NI_NO_ACK_REQ, side->peer, 0, bits_of(worker, i), 0,
                 message, bits_of(worker, i)) == NI_OK);
}

/* Post, and perhaps take back and post again. */
static void receive(struct worker *worker, unsigned i)
{
    struct message *message = &worker->side->other->worker[worker->index].message[i];
    struct ni_me me = entry_of(worker, i);
    struct ni *ni = worker->side->ni;
    struct ni_event event;
    ni_me_handle handle;

    if (ni_rng_below(&worker->rng, 4) == 0 &&
        ni_me_probe(ni, 0, &me, NI_SEARCH_DELETE, &event) == NI_OK) {
        atomic_fetch_add(&claimed, 1);
        CHECK(event.hdr_data == bits_of(worker, i));
        CHECK(ni_unexpected_receive(ni, event.unexpected, &me, message) == NI_OK);
        return;
    }
    CHECK(ni_me_append(ni, 0, &me, NI_PRIORITY_LIST, message, &handle) == NI_OK);
    if (ni_rng_below(&worker->rng, 3) == 0 && ni_me_unlink(ni, handle) == NI_OK) {
        atomic_fetch_add(&unlinked, 1);
        CHECK(ni_me_append(ni, 0, &me, NI_PRIORITY_LIST, message, NULL) == NI_OK);
    }
}

/* Append what is free. Pieces hold whole words, as messages do. */
static void append_slabs(struct side *side)
{
    for (unsigned i = 0; i < SLABS; i++) {
        struct slab *slab = &side->slab[i];
        bool is_free = true;
        const struct ni_me me = {
            .start = i == 0 ? (void *)slab->piece : slab->memory,
            .length = i == 0 ? PIECES : SLAB,
            .ignore_bits = UINT64_MAX,
            .match_id = NI_INITIATOR_ANY,
            .min_free = LONGEST,
            .options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL | NI_ME_EVENT_COMM_DISABLE |
                       (i == 0 ? NI_ME_IOVEC : 0U),
        };

        if (atomic_compare_exchange_strong(&slab->free, &is_free, false)) {
            CHECK(ni_me_append(side->ni, 0, &me, NI_OVERFLOW_LIST, slab, &slab->handle) == NI_OK);
        }
    }
}

static void make_slabs(struct side *side)
{
    for (unsigned i = 0; i < SLABS; i++) {
        struct slab *slab = &side->slab[i];

        slab->memory = calloc(1, SLAB);
        CHECK(slab->memory != NULL);
        for (unsigned n = 0; n < PIECES; n++) {
            slab->piece[n] = (struct ni_iovec){slab->memory + n * (SLAB / PIECES), SLAB / PIECES};
        }
        atomic_store(&slab->free, true);
    }
}

/* All has been matched: what is not free is linked. */
static void free_slabs(struct side *side)
{
    for (unsigned i = 0; i < SLABS; i++) {
        struct slab *slab = &side->slab[i];

        CHECK(atomic_load(&slab->free) || ni_me_unlink(side->ni, slab->handle) == NI_OK);
        free(slab->memory);
    }
}

static bool ended(const struct worker *worker, unsigned i)
{
    const struct message *message = &worker->message[i];

    return atomic_load(&message->sent) == 1 && atomic_load(&message->received) == 1 &&
           (i % 4 != 0 || atomic_load(&message->acked) == 1);
}

/* The other side's worker has made its message i, of which we use the room. */
static bool made(const struct worker *worker, unsigned i, _Atomic unsigned *others)
{
    (void)worker;
    return atomic_load(others) > i;
}

static _Atomic unsigned progress[SIDES][THREADS];

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct side *side = worker->side;
    unsigned own = (unsigned)(side - sides), sent = 0, got = 0, done = 0;
    _Atomic unsigned *others = &progress[1 - own][worker->index];

    while (done < messages || got < messages) {
        if (sent < messages && sent < done + WINDOW) {
            send(worker, sent++);
            atomic_store(&progress[own][worker->index], sent);
        }
        if (overflow) {
            append_slabs(side);
        }
        if (got < messages && made(worker, got, others)) {
            receive(worker, got++);
        }
        ni_progress(side->ni);
        while (done < sent && ended(worker, done)) {
            free(worker->message[done].data);
            free(worker->message[done].room);
            done++;
        }
        if (ni_rng_below(&worker->rng, 16) == 0) {
            sched_yield();
        }
    }
    atomic_fetch_sub(&working, 1);
    while (atomic_load(&working) != 0) {
        ni_progress(side->ni);
        sched_yield();
    }
    return NULL;
}

static void open_side(struct side *side, struct ni_fabric *fabric)
{
    struct ni_open_attr attr = {.flags = NI_THREADS, .fabric = fabric};
    uint32_t index;

    CHECK(ni_open(&attr, &side->ni) == NI_OK);
    CHECK(ni_portals_open(side->ni, NULL, NULL) == NI_OK);
    CHECK(ni_eq_alloc_handler(side->ni, on_event, side, &side->eq) == NI_OK);
    CHECK(ni_pt_alloc(side->ni, NI_PT_UNEXPECTED, side->eq, 0, &index) == NI_OK);
    side->md = (struct ni_md){.length = SIZE_MAX, .eq = side->eq};
    side->other = &sides[1 - (side - sides)];
}

static void run(int no_direct_copy)
{
    struct ni_fabric_attr attr = {.no_direct_copy = no_direct_copy};
    struct ni_fabric *fabric;
    uint8_t blob[NI_BLOB_MAX];

    CHECK(ni_fabric_create(&attr, &fabric) == NI_OK);
    for (unsigned i = 0; i < SIDES; i++) {
        open_side(&sides[i], fabric);
        if (overflow) {
            make_slabs(&sides[i]);
        }
    }
    atomic_store(&working, SIDES * THREADS);
    for (unsigned i = 0; i < SIDES; i++) {
        CHECK(ni_connect(sides[i].ni, blob, ni_address(sides[1 - i].ni, blob, sizeof(blob)),
                         &sides[i].peer) == NI_OK);
        for (unsigned j = 0; j < THREADS; j++) {
            struct worker *worker = &sides[i].worker[j];

            *worker = (struct worker){.side = &sides[i], .index = j};
            ni_rng_seed(&worker->rng, i * THREADS + j + 1);
            worker->message = calloc(messages, sizeof(*worker->message));
            CHECK(worker->message != NULL);
            atomic_store(&progress[i][j], 0);
        }
    }
    for (unsigned i = 0; i < SIDES * THREADS; i++) {
        struct worker *worker = &sides[i / THREADS].worker[i % THREADS];

        CHECK(pthread_create(&worker->thread, NULL, work, worker) == 0);
    }
    for (unsigned i = 0; i < SIDES * THREADS; i++) {
        CHECK(pthread_join(sides[i / THREADS].worker[i % THREADS].thread, NULL) == 0);
    }
    for (unsigned i = 0; i < SIDES; i++) {
        CHECK(ni_stat_read(sides[i].ni, ni_stat_find("match_unexpected")) == 0);
        CHECK(ni_stat_read(sides[i].ni, ni_stat_find("match_posted")) == 0);
        if (overflow) {
            free_slabs(&sides[i]);
        }
        ni_close(sides[i].ni);
    }
    for (unsigned i = 0; i < SIDES * THREADS; i++) {
        free(sides[i / THREADS].worker[i % THREADS].message);
    }
    ni_fabric_destroy(fabric);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        messages = (unsigned)strtoul(argv[1], NULL, 0);
    }
    for (int i = 0; i < 4; i++) {
        overflow = i >= 2;
        run(i % 2);
        CHECK(overflow || atomic_load(&spilled) == 0);
    }
    CHECK(messages < MESSAGES || atomic_load(&spilled) != 0);
    printf("%llu entries unlinked, %llu messages claimed, %llu from an overflow list\n",
           (unsigned long long)atomic_load(&unlinked), (unsigned long long)atomic_load(&claimed),
           (unsigned long long)atomic_load(&spilled));
    return 0;
}
