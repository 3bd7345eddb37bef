/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wild stores into the rings of queue pairs. The input is a program: each step stores a word of
 * some ring, as it comes or as part of a request that makes sense, or lets the NI look, or changes
 * targets and pairs. Whatever a request says, only memory that its owner registered is touched, on
 * either side, and of the rings what the NI may write; AddressSanitizer watches the rest. In the
 * end a pair that was left alone still works.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

enum { REGION = 1024, GUARD = 64, RING = 4, PAIRS = 2, STEPS = 256, WAIT = 100000 };

/* guard, region, guard */
struct side {
    uint8_t before[GUARD];
    uint8_t memory[REGION];
    uint8_t after[GUARD];
};

struct rings {
    uint8_t before[GUARD];
    struct ni_qp_request requests[RING];
    struct ni_qp_completion completions[RING];
    uint8_t between[GUARD];
    struct ni_qp_ends ends;
    uint8_t after[GUARD];
};

struct world {
    struct ni_fabric *fabric;
    struct ni *owner, *other;
    struct ni_peer *peer; /* the other, as the owner sees it */
    struct side *local, *remote;
    struct ni_rkey local_key, remote_key;
    struct rings *rings; /* PAIRS, and a sane one */
    ni_handle pair[PAIRS];
};

struct input {
    const uint8_t *data;
    size_t left;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_qp: %s\n", what);
        abort();
    }
}

static void take(struct input *in, void *to, size_t len)
{
    size_t have = len < in->left ? len : in->left;

    memset(to, 0, len);
    memcpy(to, in->data, have);
    in->data += have;
    in->left -= have;
}

static void quiet(enum ni_log_level level, const char *text, void *arg)
{
    (void)level;
    (void)text;
    (void)arg;
}

static void *new_guarded(size_t size)
{
    void *memory = aligned_alloc(64, size);

    must(memory != NULL, "memory");
    memset(memory, 0x5a, size);
    return memory;
}

static void check_guard(const uint8_t *guard)
{
    for (unsigned i = 0; i < GUARD; i++) {
        must(guard[i] == 0x5a, "memory that nobody registered");
    }
}

static struct ni_qp_attr attr_of(struct rings *rings, uint32_t unroll)
{
    return (struct ni_qp_attr){.requests = rings->requests,
                               .request_count = RING,
                               .completions = rings->completions,
                               .completion_count = RING,
                               .ends = &rings->ends,
                               .unroll = unroll};
}

static void open_pair(struct world *world, unsigned i)
{
    struct ni_qp_attr attr = attr_of(&world->rings[i], i == 0 ? 0 : 64);
    struct ni_rkey wrong = world->remote_key;
    uint16_t target;

    wrong.key++;
    must(ni_qp_create(world->owner, &attr, &world->pair[i]) == NI_OK, "create");
    must(ni_qp_target(world->owner, world->pair[i], world->peer, &world->remote_key, &target) ==
                 NI_OK &&
             ni_qp_target(world->owner, world->pair[i], world->peer, &wrong, &target) == NI_OK,
         "targets");
}

static void setup(struct world *world, int by_packets)
{
    struct ni_fabric_attr fabric = {.no_direct_copy = by_packets};
    struct ni_open_attr attr = {0};
    uint8_t blob[NI_BLOB_MAX];

    memset(world, 0, sizeof(*world));
    ni_log_set_sink(quiet, NULL);
    must(ni_fabric_create(&fabric, &world->fabric) == NI_OK, "fabric");
    attr.fabric = world->fabric;
    must(ni_open(&attr, &world->owner) == NI_OK && ni_open(&attr, &world->other) == NI_OK, "open");
    must(ni_connect(world->owner, blob, ni_address(world->other, blob, sizeof(blob)),
                    &world->peer) == NI_OK,
         "connect");
    world->local = new_guarded(sizeof(*world->local));
    world->remote = new_guarded(sizeof(*world->remote));
    world->rings = new_guarded((PAIRS + 1) * sizeof(*world->rings));
    must(ni_region_memory(world->owner, world->local->memory, REGION, NI_ACCESS_ALL,
                          &world->local_key) == NI_OK &&
             ni_region_memory(world->other, world->remote->memory, REGION, NI_ACCESS_ALL,
                              &world->remote_key) == NI_OK,
         "regions");
    for (unsigned i = 0; i < PAIRS; i++) {
        open_pair(world, i);
    }
}

static void move(struct world *world)
{
    (void)ni_progress(world->owner);
    (void)ni_progress(world->other);
}

/* A pair that nothing wild was stored to does its work. */
static void check_sane(struct world *world)
{
    struct ni_qp_attr attr = attr_of(&world->rings[PAIRS], 64);
    struct ni_qp_work work = {.op = NI_QP_READ,
                              .cookie = 99,
                              .len = REGION,
                              .local = world->local->memory,
                              .remote = (uintptr_t)world->remote->memory};
    struct ni_qp_result result = {.status = NI_ERR_TIMEOUT};
    struct ni_qp qp;
    ni_handle handle;

    for (int i = 0; i < 100; i++) {
        move(world);
    }
    must(ni_qp_create(world->owner, &attr, &handle) == NI_OK &&
             ni_qp_target(world->owner, handle, world->peer, &world->remote_key, &work.target) ==
                 NI_OK,
         "sane pair");
    ni_qp_open(&qp, &attr);
    must(ni_qp_post(&qp, &work), "post");
    for (int i = 0; i < WAIT && !ni_qp_poll(&qp, &result); i++) {
        move(world);
    }
    must(result.status == NI_OK && result.cookie == 99 && result.value == REGION,
         "a sane request is not served");
}

static void teardown(struct world *world)
{
    ni_close(world->owner);
    ni_close(world->other);
    ni_fabric_destroy(world->fabric);
    check_guard(world->local->before);
    check_guard(world->local->after);
    check_guard(world->remote->before);
    check_guard(world->remote->after);
    for (unsigned i = 0; i <= PAIRS; i++) {
        check_guard(world->rings[i].before);
        check_guard(world->rings[i].between);
        check_guard(world->rings[i].after);
    }
    free(world->local);
    free(world->remote);
    free(world->rings);
}

/* Where memory of ours and of the peer's is, and some beside it. */
static uint64_t place(const struct side *side, uint16_t at)
{
    return (uintptr_t)side + at % sizeof(*side);
}

/* A request that makes more sense than the input can guess. */
static void store_request(struct world *world, struct input *in)
{
    struct {
        uint8_t which, op, flags, target, atomic, toggle;
        uint16_t len, local, remote;
        uint32_t cookie;
    } wild;
    struct ni_qp_request *request;
    uint64_t op;

    take(in, &wild, sizeof(wild));
    request = &world->rings[wild.which % PAIRS].requests[wild.which / PAIRS % RING];
    op = wild.op % 6;
    ni_qp_store(&request->word[1], op == NI_QP_READ || op == NI_QP_WRITE
                                       ? place(world->local, wild.local)
                                       : wild.local & 1);
    ni_qp_store(&request->word[2], op == NI_QP_NOP ? 0 : place(world->remote, wild.remote));
    ni_qp_store(&request->word[3], (wild.flags & 4) != 0 ? place(world->remote, wild.local)
                                   : op == NI_QP_ATOMIC  ? wild.cookie
                                                         : 0);
    ni_qp_store(&request->word[4], 0);
    ni_qp_store(&request->word[5],
                wild.cookie | (op == NI_QP_ATOMIC ? (uint64_t)(wild.atomic % 12) << 32 : 0));
    ni_qp_store(&request->word[6], 0);
    ni_qp_store(&request->word[7], 0);
    ni_qp_store(&request->word[0], (wild.toggle & 1) | op << 1 | (uint64_t)(wild.flags % 17) << 8 |
                                       (uint64_t)(wild.target % 3) << 16 |
                                       (op == NI_QP_ATOMIC ? UINT64_C(8) : wild.len % 1200) << 32);
}

static void store_word(struct world *world, struct input *in)
{
    uint8_t where[2];
    uint64_t value;
    struct rings *rings;

    take(in, where, sizeof(where));
    take(in, &value, sizeof(value));
    rings = &world->rings[where[0] % PAIRS];
    switch (where[0] / PAIRS % 4) {
    case 0:
        ni_qp_store(&rings->ends.polled, where[1] & 1 ? value : value % 16);
        break;
    case 1:
        ni_qp_store(&rings->ends.taken, value);
        break;
    case 2:
        ni_qp_store(&rings->completions[where[1] % RING].word[where[1] / RING % 2], value);
        break;
    default:
        ni_qp_store(&rings->requests[where[1] % RING].word[where[1] / RING % 8], value);
    }
}

static void act(struct world *world, uint8_t what)
{
    unsigned i = what >> 3 & 1;

    switch (what >> 4) {
    case 0:
        (void)ni_qp_poke(world->owner, world->pair[i]);
        break;
    case 1:
        (void)ni_qp_untarget(world->owner, world->pair[i], what & 1);
        break;
    case 2:
        must(ni_region_deregister(world->owner, world->pair[i]) == NI_OK, "deregister");
        open_pair(world, i);
        break;
    default:
        move(world);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct input in = {data, size};
    uint8_t first;

    take(&in, &first, 1);
    setup(&world, first & 1);
    for (unsigned step = 0; step < STEPS && in.left != 0; step++) {
        uint8_t what;

        take(&in, &what, 1);
        if ((what & 3) == 0) {
            act(&world, what);
        } else if ((what & 3) == 1) {
            store_word(&world, &in);
        } else {
            store_request(&world, &in);
        }
    }
    check_sane(&world);
    teardown(&world);
    return 0;
}
