/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>

#include "base/bits.h"
#include "suite.h"

/*
 * Random traffic of everybody with everybody, against a model so plain that it cannot be wrong:
 * the initiator of an operation knows what the target's memory must hold, because each part of it
 * has one initiator.
 *
 *   cells      memory that one initiator writes and reads back
 *   words      atomic additions by all, whose sum is known at the end
 *   counters   the same by Writes to COUNTER regions
 *   messages   numbered, in order, contents that follow from the number
 *   changing   a region that its owner withdraws and offers again: a read gives what belongs there
 *              or is refused
 *
 * Wrong keys are tried in between; nothing may come of it.
 */

enum { CELLS = 6, CELL = 70000, STEPS = 6, BURSTS = 150, CHANGING = 500, SEEDS = 3 };

enum cell_state { IDLE, WRITING, READING, REFUSED };

struct cell {
    uint8_t *remote, *local; /* CELL bytes; local is the copy that is sent or received */
    size_t len;              /* bytes that the remote memory surely holds */
    uint64_t seed;
    size_t next_len; /* under way */
    uint64_t next_seed;
    enum cell_state state;
    struct suite_done done;
};

/* What NI i has to do with NI j. */
struct pair {
    struct cell cells[CELLS];
    struct ni_rkey memory;           /* of NI j, for NI i */
    _Atomic uint32_t sent, received; /* messages; the controller looks at them, too */
    uint64_t added, counted;
    struct suite_done adds, counts, reads;
    uint64_t adds_started, counts_started, reads_started;
    uint8_t *changing; /* what NI i reads from NI j's changing region */
    bool reading;
};

/* One NI. */
struct party {
    struct suite_ni *ni;
    struct ni_rng rng;
    struct pair pairs[SUITE_NIS];
    _Atomic uint64_t word;
    struct ni_rkey word_rkey, counter, queue;
    uint8_t changing[CHANGING];
    _Atomic uint64_t changing_handle, changing_key; /* as offered last */
    struct ni_rkey changing_rkey;
    bool offered, lossy;
    int64_t counter_value;
    uint64_t pending;
};

struct message {
    uint32_t number, from;
};

static void on_message(void *arg, const struct ni_message_info *info)
{
    struct party *party = arg;
    struct message message;
    struct pair *pair;

    CHECK(info->len >= sizeof(message));
    memcpy(&message, info->data, sizeof(message));
    pair = &party->pairs[message.from];
    CHECK(message.number == pair->received);
    CHECK(suite_filled((const uint8_t *)info->data + sizeof(message), info->len - sizeof(message),
                       message.number));
    pair->received++;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint64_t below(struct party *party, uint64_t n)
{
    return ni_rng_below(&party->rng, n);
}

/* Whether the operation was accepted; what else it may say depends on the faults that are armed. */
static bool accepted(const struct party *party, ni_status status)
{
    CHECK(status == NI_OK || status == NI_AGAIN || (party->lossy && status == NI_ERR_NOMEM));
    return status == NI_OK;
}

/* The completion of a cell's operation: is it as the model says? */
static void settle_cell(const struct party *party, struct cell *cell)
{
    ni_status status = (ni_status)atomic_load(&cell->done.status);

    if (cell->state == IDLE || atomic_load(&cell->done.count) == 0) {
        return;
    }
    CHECK(atomic_load(&cell->done.count) == 1);
    atomic_store(&cell->done.count, 0);
    if (cell->state == REFUSED) {
        CHECK(status == NI_ERR_KEY);
    } else if (status != NI_OK) {
        CHECK(party->lossy && status == NI_ERR_NOMEM);
        cell->len = cell->state == WRITING ? 0 : cell->len;
    } else if (cell->state == READING) {
        CHECK(suite_filled(cell->local, cell->next_len, cell->seed));
    } else {
        cell->len = cell->next_len;
        cell->seed = cell->next_seed;
    }
    cell->state = IDLE;
}

static void step_cell(struct party *party, unsigned to, struct pair *pair)
{
    struct cell *cell = &pair->cells[below(party, CELLS)];
    struct ni_remote where = suite_remote(cell->remote, &pair->memory);
    struct ni_ack ack = suite_ack(&cell->done);
    struct suite_ni *ni = party->ni;
    ni_status status;

    settle_cell(party, cell);
    if (cell->state != IDLE) {
        return;
    }
    cell->state = below(party, 2) == 0 ? WRITING : READING;
    if (below(party, 12) == 0) {
        cell->state = REFUSED;
        where.key ^= 4;
    }
    if (cell->state == READING) {
        cell->next_len = cell->len;
        memset(cell->local, 0x33, cell->len);
        status = ni_read(ni->ni, ni->peers[to], cell->local, cell->next_len, &where, &ack);
    } else {
        cell->next_len = below(party, CELL + 1) >> below(party, 14);
        cell->next_seed = ni_rng_next(&party->rng);
        suite_fill(cell->local, cell->next_len, cell->next_seed);
        status = ni_write(ni->ni, ni->peers[to], cell->local, cell->next_len, &where, &ack);
    }
    if (!accepted(party, status)) {
        CHECK(atomic_load(&cell->done.count) == 0);
        cell->state = IDLE;
    }
}

static void step_message(struct party *party, struct party *other, struct pair *pair)
{
    static const uint32_t maxima[] = {40, 300, 2000, 9000};
    struct message message = {.number = pair->sent, .from = party->ni->index};
    uint8_t data[9000];
    size_t len = below(party, maxima[below(party, 4)]);
    struct suite_ni *ni = party->ni;

    suite_fill(data, len, message.number);
    if (accepted(party, ni_message(ni->ni, ni->peers[other->ni->index], other->queue.handle, 0,
                                   &message, sizeof(message), data, len))) {
        pair->sent++;
    }
}

static void step_add(struct party *party, struct party *other, struct pair *pair)
{
    struct ni_remote where = suite_remote((void *)&other->word, &other->word_rkey);
    struct ni_ack ack = suite_ack(&pair->adds);
    uint64_t value = below(party, 1000);
    struct suite_ni *ni = party->ni;

    /* A sum that could not be added cannot be told from one that was: only without losses. */
    if (!party->lossy && accepted(party, ni_fetch_op(ni->ni, ni->peers[other->ni->index],
                                                     NI_ATOMIC_ADD, 8, value, 0, &where, &ack))) {
        pair->added += value;
        pair->adds_started++;
    }
}

static void step_count(struct party *party, struct party *other, struct pair *pair)
{
    struct ni_ack ack = suite_ack(&pair->counts);
    uint64_t value = below(party, 1000);
    struct suite_ni *ni = party->ni;

    if (!party->lossy &&
        accepted(party, ni_counter_add_remote(ni->ni, ni->peers[other->ni->index], &other->counter,
                                              (int64_t)value, &ack))) {
        pair->counted += value;
        pair->counts_started++;
    }
}

/* Read what the other side may be withdrawing just now. */
static void step_changing(struct party *party, struct party *other, struct pair *pair)
{
    struct ni_remote where = {.addr = (uintptr_t)other->changing,
                              .key = atomic_load(&other->changing_key),
                              .handle = (ni_handle)atomic_load(&other->changing_handle)};
    struct ni_ack ack = suite_ack(&pair->reads);
    struct suite_ni *ni = party->ni;

    if (pair->reading && atomic_load(&pair->reads.count) == pair->reads_started) {
        ni_status status = (ni_status)atomic_load(&pair->reads.status);

        pair->reading = false;
        CHECK(status == NI_OK || status == NI_ERR_REGION || status == NI_ERR_KEY ||
              (party->lossy && status == NI_ERR_NOMEM));
        CHECK(status != NI_OK || suite_filled(pair->changing, CHANGING, 1234));
    }
    if (!pair->reading) {
        memset(pair->changing, 0, CHANGING);
        pair->reading = accepted(party, ni_read(ni->ni, ni->peers[other->ni->index], pair->changing,
                                                CHANGING, &where, &ack));
        pair->reads_started += pair->reading;
    }
}

static void change(struct party *party)
{
    if (party->offered) {
        CHECK(ni_region_deregister(party->ni->ni, party->changing_rkey.handle) == NI_OK);
        party->offered = false;
    } else {
        ni_status status = ni_region_memory(party->ni->ni, party->changing, CHANGING,
                                            NI_ACCESS_READ, &party->changing_rkey);

        if (accepted(party, status)) {
            atomic_store(&party->changing_key, party->changing_rkey.key);
            atomic_store(&party->changing_handle, party->changing_rkey.handle);
            party->offered = true;
        }
    }
}

/* Some random steps of one NI. */
static void burst(struct suite_ni *ni, void *arg)
{
    struct party *parties = arg, *party = &parties[ni->index];

    for (int i = 0; i < STEPS; i++) {
        unsigned to = (ni->index + 1 + (unsigned)below(party, ni->suite->n - 1)) % ni->suite->n;
        struct pair *pair = &party->pairs[to];

        switch (below(party, 8)) {
        case 0:
            step_add(party, &parties[to], pair);
            break;
        case 1:
            step_count(party, &parties[to], pair);
            break;
        case 2:
            step_changing(party, &parties[to], pair);
            break;
        case 3:
            change(party);
            break;
        case 4:
        case 5:
            step_message(party, &parties[to], pair);
            break;
        default:
            step_cell(party, to, pair);
        }
        if (below(party, 3) == 0) {
            (void)ni_progress(ni->ni);
        }
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void open_party(struct suite_ni *ni, void *arg)
{
    struct party *party = (struct party *)arg + ni->index;

    party->ni = ni;
    ni_rng_seed(&party->rng, ni->suite->seed * 100 + ni->index);
    suite_fill(party->changing, CHANGING, 1234);
    CHECK(ni_region_memory(ni->ni, (void *)&party->word, 8, NI_ACCESS_ATOMIC, &party->word_rkey) ==
          NI_OK);
    CHECK(ni_counter_create(ni->ni, 1, &party->counter) == NI_OK);
    CHECK(ni_region_consumer(ni->ni, on_message, party, 0, &party->queue) == NI_OK);
}

static struct party *open_parties(struct suite *suite)
{
    struct party *parties = suite_alloc(suite, SUITE_NIS * sizeof(*parties));

    for (unsigned i = 0; i < suite->n; i++) {
        for (unsigned j = 0; j < suite->n; j++) {
            struct pair *pair = &parties[i].pairs[j];
            uint8_t *remote = suite_alloc(suite, (size_t)CELLS * CELL);
            uint8_t *local = suite_alloc(suite, (size_t)CELLS * CELL);

            pair->changing = suite_alloc(suite, CHANGING);
            for (size_t c = 0; i != j && c < CELLS; c++) {
                pair->cells[c].remote = remote + c * CELL;
                pair->cells[c].local = local + c * CELL;
            }
            if (i != j) {
                pair->memory = suite_region(suite, j, remote, (size_t)CELLS * CELL, NI_ACCESS_ALL);
            }
        }
        suite_call(suite, i, open_party, parties);
    }
    return parties;
}

/* Operations whose completion has not been told. Another thread may end them, and tell of them a
 * moment later. */
static uint64_t untold(const struct pair *pair)
{
    uint64_t count = pair->adds_started - atomic_load(&pair->adds.count) + pair->counts_started -
                     atomic_load(&pair->counts.count) + pair->reads_started -
                     atomic_load(&pair->reads.count);

    for (int c = 0; c < CELLS; c++) {
        count += pair->cells[c].state != IDLE;
    }
    return count;
}

/* Whether everything that this NI started has completed; settles its cells. */
static void look(struct suite_ni *ni, void *arg)
{
    struct party *party = (struct party *)arg + ni->index;

    party->pending = suite_stat(ni, "pending_ops");
    for (unsigned to = 0; to < ni->suite->n; to++) {
        struct pair *pair = &party->pairs[to];

        for (int c = 0; to != ni->index && c < CELLS; c++) {
            settle_cell(party, &pair->cells[c]);
        }
        party->pending += untold(pair);
    }
}

/* When all is quiet: until then others may add to it. */
static void look_at_counter(struct suite_ni *ni, void *arg)
{
    struct party *party = (struct party *)arg + ni->index;

    CHECK(ni_counter_read(ni->ni, party->counter.handle, &party->counter_value) == NI_OK);
}

static bool is_quiet(struct suite *suite, struct party *parties)
{
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, look, parties);
        if (parties[i].pending != 0) {
            return false;
        }
    }
    for (unsigned i = 0; i < suite->n; i++) {
        for (unsigned j = 0; j < suite->n; j++) {
            if (parties[i].pairs[j].sent != parties[j].pairs[i].received) {
                return false;
            }
        }
    }
    return true;
}

static void check_pair(struct pair *pair)
{
    CHECK(atomic_load(&pair->adds.count) == pair->adds_started);
    CHECK(atomic_load(&pair->counts.count) == pair->counts_started);
    CHECK(atomic_load(&pair->reads.count) == pair->reads_started);
    for (int c = 0; c < CELLS; c++) {
        CHECK(pair->cells[c].state == IDLE);
        CHECK(suite_filled(pair->cells[c].remote, pair->cells[c].len, pair->cells[c].seed));
    }
}

static void check_parties(struct suite *suite, struct party *parties)
{
    for (unsigned j = 0; j < suite->n; j++) {
        uint64_t added = 0, counted = 1;

        suite_call(suite, j, look_at_counter, parties);
        for (unsigned i = 0; i < suite->n; i++) {
            if (i != j) {
                check_pair(&parties[i].pairs[j]);
            }
            added += parties[i].pairs[j].added;
            counted += parties[i].pairs[j].counted;
            CHECK(atomic_load(&suite->nis[j].downs[i]) == 0);
        }
        CHECK(atomic_load(&parties[j].word) == added);
        CHECK((uint64_t)parties[j].counter_value == counted);
    }
}

static void run(struct suite *suite, struct party *parties, unsigned bursts)
{
    /* All at once where they live apart, in random order where they do not. */
    for (unsigned b = 0; b < bursts; b++) {
        unsigned first = (unsigned)ni_rng_below(&suite->rng, suite->n);

        for (unsigned i = 0; i < suite->n; i++) {
            suite_begin(suite, (first + i) % suite->n, burst, parties);
        }
        for (unsigned i = 0; i < suite->n; i++) {
            suite_end(suite, i);
        }
    }
}

static void finish(struct suite *suite, struct party *parties)
{
    while (!is_quiet(suite, parties)) {
        suite_rest(suite);
    }
    check_parties(suite, parties);
}

static void traffic(struct suite *suite)
{
    struct party *parties = open_parties(suite);

    run(suite, parties, BURSTS);
    finish(suite, parties);
}

/* Rings that claim to be full, packets that come late and twice. */
static void traffic_with_faults(struct suite *suite)
{
    struct party *parties = open_parties(suite);

    ni_fault_arm_random(NI_FAULT_FULL, 50000, suite->seed);
    if (suite->link->inproc) {
        ni_fault_arm_random(NI_FAULT_DELAY, 10000, suite->seed);
        ni_fault_arm_random(NI_FAULT_DUP, 50000, suite->seed);
    }
    run(suite, parties, BURSTS);
    ni_fault_reset();
    finish(suite, parties);
}

/* Allocations that fail, once everybody knows everybody: an error of the call, or of the
 * operation, and nothing else. */
static void traffic_without_memory(struct suite *suite)
{
    struct party *parties = open_parties(suite);

    run(suite, parties, BURSTS / 5);
    finish(suite, parties);
    for (unsigned i = 0; i < suite->n; i++) {
        parties[i].lossy = true;
    }
    ni_fault_arm_random(NI_FAULT_ALLOC, 30000, suite->seed);
    run(suite, parties, BURSTS);
    ni_fault_reset();
    finish(suite, parties);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"traffic_of_two", 2, 0, traffic},
        {"traffic_of_three", 3, 0, traffic},
        {"traffic_of_eight", 8, 0, traffic},
        {"traffic_with_faults", 4, SUITE_NEEDS_HERE, traffic_with_faults},
        {"traffic_without_memory", 3, SUITE_NEEDS_HERE, traffic_without_memory},
    };

    suite_beside_engines();
    return suite_main_seeds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), SEEDS);
}
