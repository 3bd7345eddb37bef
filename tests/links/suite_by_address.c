/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "suite.h"

/*
 * Regions with NI_ACCESS_BY_ADDRESS: what the region of a handle refuses another one allows that
 * contains the address and has the rights; nothing else does.
 */

enum { LONG = 200000, PIECES = 16, PIECE = 64, ROUNDS = 300 };

enum what { WRITE, QUIET, READ, FETCH, CSWAP, WHATS };

/* Memory of NI 1, and what NI 0 knows of it. */
struct world {
    uint8_t *memory;  /* LONG bytes, the region that stays */
    uint8_t *pieces;  /* PIECES of PIECE bytes, apart, whose regions come and go */
    uint8_t *scratch; /* NI 0's, LONG bytes */
    unsigned access;
    struct ni_rkey here, piece, given_up, plain;
    _Atomic uint64_t rounds;
    _Atomic bool stop;
};

struct attempt {
    struct world *world;
    enum what what;
    struct ni_remote where;
    size_t len;
    ni_status expected;
};

static void deregister_here(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_deregister(ni->ni, ((struct ni_rkey *)arg)->handle) == NI_OK);
}

static struct ni_rkey piece_of(struct suite *suite, struct world *world, unsigned i,
                               unsigned access)
{
    return suite_region(suite, 1, world->pieces + (size_t)i * 2 * PIECE, PIECE, access);
}

static struct world *new_world(struct suite *suite, unsigned access)
{
    struct world *world = suite_alloc(suite, sizeof(*world));

    world->memory = suite_alloc(suite, LONG);
    world->pieces = suite_alloc(suite, (size_t)PIECES * 2 * PIECE);
    world->scratch = suite_alloc(suite, LONG);
    world->access = access;
    world->given_up = piece_of(suite, world, 0, NI_ACCESS_ALL | NI_ACCESS_BY_ADDRESS);
    suite_call(suite, 1, deregister_here, &world->given_up);
    world->piece = piece_of(suite, world, 1, NI_ACCESS_ALL | NI_ACCESS_BY_ADDRESS);
    world->plain = piece_of(suite, world, 2, NI_ACCESS_ALL);
    world->here = suite_region(suite, 1, world->memory, LONG, access | NI_ACCESS_BY_ADDRESS);
    return world;
}

/* A Write of which only ni_flush hears. */
static ni_status quiet_write(struct suite_ni *ni, const struct attempt *a)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    ni_status status;

    while ((status = ni_write(ni->ni, ni->peers[1], a->world->scratch, a->len, &a->where, NULL)) ==
           NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
    while ((status = ni_flush(ni->ni, ni->peers[1], &ack)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    return (ni_status)atomic_load(&done.status);
}

static ni_status do_attempt(struct suite_ni *ni, const struct attempt *a)
{
    unsigned width = (unsigned)a->len;
    uint64_t old = 0, before = 0;
    ni_status status;

    switch (a->what) {
    case WRITE:
        return suite_write(ni, 1, a->world->scratch, a->len, &a->where);
    case QUIET:
        return quiet_write(ni, a);
    case READ:
        return suite_read(ni, 1, a->world->scratch, a->len, &a->where);
    case FETCH:
        return suite_fetch_op(ni, 1, NI_ATOMIC_ADD, width, 0, 0, &a->where, &old);
    default:
        status = suite_fetch_op(ni, 1, NI_ATOMIC_ADD, width, 0, 0, &a->where, &before);
        return status != NI_OK
                   ? status
                   : suite_fetch_op(ni, 1, NI_ATOMIC_CSWAP, width, before, before, &a->where, &old);
    }
}

static void attempt_here(struct suite_ni *ni, void *arg)
{
    static const char *const names[] = {"write", "quiet write", "read", "fetch", "cswap"};
    const struct attempt *a = arg;
    ni_status status;

    suite_fill(a->world->scratch, LONG, a->what == READ ? 2 : 1);
    status = do_attempt(ni, a);
    if (status != a->expected) {
        fprintf(stderr, "%s of %zu bytes: %s instead of %s\n", names[a->what], a->len,
                ni_status_name(status), ni_status_name(a->expected));
    }
    CHECK(status == a->expected);
}

static bool is_atomic(enum what what)
{
    return what == FETCH || what == CSWAP;
}

/* One attempt, and that the bytes have moved, or have not. Of a quiet one that is refused before it
 * leaves nobody hears. */
static void try(struct suite *suite, struct attempt *shared, struct attempt attempt)
{
    struct world *world = attempt.world;
    size_t len = is_atomic(attempt.what) ? 8 : attempt.len;
    bool moves = attempt.expected == NI_OK && !is_atomic(attempt.what);

    attempt.len = len;
    if (attempt.what == QUIET && attempt.expected != NI_OK) {
        return;
    }
    *shared = attempt;
    suite_fill(world->memory, LONG, 0);
    suite_call(suite, 0, attempt_here, shared);
    if (attempt.what == READ) {
        CHECK(suite_filled(world->memory, LONG, 0));
        CHECK(suite_filled(world->scratch, len, moves ? 0 : 2));
    } else {
        CHECK(suite_filled(world->memory, len, moves ? 1 : 0));
        CHECK(suite_filled(world->scratch, LONG, 1));
    }
}

static const size_t lens[] = {1, 4, 8, 48, 100, 4000, 9000, 70000, LONG};

/* With a handle and key. */
static void try_all(struct suite *suite, struct world *world, ni_handle handle, uint64_t key,
                    ni_status expected)
{
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));
    struct attempt attempt = {
        .world = world,
        .where = {.addr = (uintptr_t)world->memory, .handle = handle, .key = key},
        .expected = expected};

    for (unsigned what = WRITE; what < WHATS; what++) {
        attempt.what = (enum what)what;
        for (size_t i = 0; i < (is_atomic(attempt.what) ? 1 : NI_ARRAY_LENGTH(lens)); i++) {
            attempt.len = lens[i];
            try(suite, shared, attempt);
        }
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* By the handle of another region, of one that was given up, of one that never was. */
static void settled(struct suite *suite)
{
    struct world *world = new_world(suite, NI_ACCESS_ALL);

    CHECK(world->here.key == world->piece.key && world->here.key == world->given_up.key);
    CHECK(world->here.key != world->plain.key);
    try_all(suite, world, world->here.handle, world->here.key, NI_OK);
    try_all(suite, world, world->piece.handle, world->piece.key, NI_OK);
    try_all(suite, world, world->given_up.handle, world->given_up.key, NI_OK);
    try_all(suite, world, world->here.handle + 1000, world->here.key, NI_OK);
}

/* The key is what lets a peer in: that of a region without the bit is none, nor is a wrong one. */
static void strangers(struct suite *suite)
{
    struct world *world = new_world(suite, NI_ACCESS_ALL);

    try_all(suite, world, world->plain.handle, world->plain.key, NI_ERR_BOUNDS);
    try_all(suite, world, world->plain.handle, world->here.key, NI_ERR_KEY);
    try_all(suite, world, world->given_up.handle, world->plain.key, NI_ERR_REGION);
    try_all(suite, world, world->given_up.handle, 0, NI_ERR_REGION);
    try_all(suite, world, world->here.handle, world->here.key ^ 1, NI_ERR_KEY);
    try_all(suite, world, world->piece.handle, 0, NI_ERR_KEY);
}

/* Regions without the bit are reached by their own handle and key alone. */
static void not_asked_for(struct suite *suite)
{
    struct world *world = new_world(suite, NI_ACCESS_ALL);
    struct ni_rkey shared_key = world->here;

    suite_call(suite, 1, deregister_here, &world->here);
    world->here = suite_region(suite, 1, world->memory, LONG, NI_ACCESS_ALL);
    try_all(suite, world, world->here.handle, world->here.key, NI_OK);
    try_all(suite, world, shared_key.handle, shared_key.key, NI_ERR_REGION);
    try_all(suite, world, world->piece.handle, shared_key.key, NI_ERR_BOUNDS);
    try_all(suite, world, world->here.handle, shared_key.key, NI_ERR_KEY);
}

/* No region has all of the bytes, though two together have. */
static void halves(struct suite *suite)
{
    struct world *world = new_world(suite, NI_ACCESS_ALL);
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));
    unsigned access = NI_ACCESS_ALL | NI_ACCESS_BY_ADDRESS;
    struct attempt attempt = {.world = world,
                              .where = {.addr = (uintptr_t)world->memory,
                                        .handle = world->piece.handle,
                                        .key = world->piece.key},
                              .expected = NI_ERR_BOUNDS};

    suite_call(suite, 1, deregister_here, &world->here);
    (void)suite_region(suite, 1, world->memory, 50, access);
    (void)suite_region(suite, 1, world->memory + 50, LONG - 50, access);
    for (unsigned what = WRITE; what <= READ; what++) {
        attempt.what = (enum what)what;
        for (size_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
            attempt.len = lens[i];
            attempt.expected = lens[i] <= 50 ? NI_OK : NI_ERR_BOUNDS;
            try(suite, shared, attempt);
        }
    }
}

/* The one that contains the address must have the rights; of several any may. */
static void rights(struct suite *suite)
{
    struct world *world = new_world(suite, NI_ACCESS_READ);
    struct attempt *shared = suite_alloc(suite, sizeof(*shared));
    const ni_handle handles[] = {world->here.handle, world->piece.handle, world->given_up.handle};
    const ni_status refusals[] = {NI_ERR_ACCESS, NI_ERR_BOUNDS, NI_ERR_REGION};
    struct attempt attempt = {.world = world,
                              .where = {.addr = (uintptr_t)world->memory, .key = world->here.key}};

    for (int second = 0; second < 2; second++) {
        for (size_t h = 0; h < NI_ARRAY_LENGTH(handles); h++) {
            attempt.where.handle = handles[h];
            for (unsigned what = WRITE; what < WHATS; what++) {
                attempt.what = (enum what)what;
                attempt.expected =
                    what == READ || (second == 1 && !is_atomic(attempt.what)) ? NI_OK : refusals[h];
                for (size_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
                    attempt.len = lens[i];
                    try(suite, shared, attempt);
                }
            }
        }
        (void)suite_region(suite, 1, world->memory, LONG, NI_ACCESS_WRITE | NI_ACCESS_BY_ADDRESS);
    }
}

/* Bits that no other type of region has, and that are no access. */
static void mistakes_here(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct ni_rkey rkey;

    CHECK(ni_region_memory(ni->ni, world->scratch, 10, NI_ACCESS_BY_ADDRESS, &rkey) ==
          NI_ERR_INVALID);
    CHECK(ni_region_memory(ni->ni, world->scratch, 10, NI_ACCESS_BY_ADDRESS | 16, &rkey) ==
          NI_ERR_INVALID);
}

static void mistakes(struct suite *suite)
{
    suite_call(suite, 0, mistakes_here, new_world(suite, NI_ACCESS_ALL));
}

/* ---- while regions come and go --------------------------------------------------------------- */

/* As a window to which pieces are attached, by who polls in between. */
static void come_and_go(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    unsigned access = NI_ACCESS_ALL | NI_ACCESS_BY_ADDRESS;
    struct ni_rkey rkeys[PIECES];

    while (!atomic_load(&world->stop)) {
        for (unsigned i = 0; i < PIECES; i++) {
            CHECK(ni_region_memory(ni->ni, world->pieces + (size_t)i * 2 * PIECE, PIECE, access,
                                   &rkeys[i]) == NI_OK);
            suite_turn(ni);
        }
        for (unsigned i = 0; i < PIECES; i++) {
            CHECK(ni_region_deregister(ni->ni, rkeys[i].handle) == NI_OK);
        }
        suite_turn(ni);
        atomic_fetch_add(&world->rounds, 1);
    }
}

static void access_meanwhile(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct attempt attempt = {.world = world,
                              .where = {.addr = (uintptr_t)world->memory, .key = world->here.key},
                              .expected = NI_OK};

    for (unsigned round = 0; round < ROUNDS || atomic_load(&world->rounds) < 3; round++) {
        attempt.what = (enum what)(round % WHATS);
        attempt.len = is_atomic(attempt.what) ? 8 : lens[round % NI_ARRAY_LENGTH(lens)];
        /* Handles of pieces: the first indices, of all generations. */
        attempt.where.handle = world->given_up.handle + round % PIECES + (round / 7 << 20);
        CHECK(attempt.where.handle == world->plain.handle || do_attempt(ni, &attempt) == NI_OK);
    }
    atomic_store(&world->stop, true);
}

static void meanwhile(struct suite *suite)
{
    struct world *world = new_world(suite, NI_ACCESS_ALL);

    suite_begin(suite, 1, come_and_go, world);
    suite_begin(suite, 0, access_meanwhile, world);
    suite_end(suite, 0);
    suite_end(suite, 1);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"settled", 2, SUITE_NEEDS_NOTHING, settled},
        {"strangers", 2, SUITE_NEEDS_NOTHING, strangers},
        {"not_asked_for", 2, SUITE_NEEDS_NOTHING, not_asked_for},
        {"halves", 2, SUITE_NEEDS_NOTHING, halves},
        {"rights", 2, SUITE_NEEDS_NOTHING, rights},
        {"mistakes", 2, SUITE_NEEDS_NOTHING, mistakes},
        {"meanwhile", 2, SUITE_NEEDS_APART, meanwhile},
    };

    suite_beside_engines();
    suite_between_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
