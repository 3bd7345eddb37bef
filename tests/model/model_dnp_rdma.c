/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/tx.c, dnp/rx.c, dnp/get.c, dnp/event.c, dnp/buffer.c. */
#include "dnp_torus.h"
#include "rounds.h"

/*
 * PUTs and GETs of all processes of a torus, against plain arrays of what each byte of memory must
 * be. A PUT changes what its target has when its event is there; a GET changes what its initiator
 * has when its event says that it is complete. At the end all memory must be as the arrays say, and
 * each operation must have ended once, on good cables with success.
 *
 *   model_dnp_rdma [SEED]   repeats one seed
 */

enum {
    SEEDS = 16,
    CYCLES = 12000,
    SETTLE = 120000,
    SLOTS = 8, /* of a page and more, in the half of memory that may be written */
    SLOT = HOST_SIZE / 2 / SLOTS,
    READABLE = HOST_BASE + HOST_SIZE / 2,
    OPS = 1 << 16,
    NODES_MAX = 8,
};

enum op_state { OP_POSTED, OP_DONE };

struct op {
    struct apelink_command command;
    uint32_t from, to; /* nodes */
    uint8_t port;
    bool bad; /* it must be refused */
    enum op_state state;
};

struct model {
    struct torus torus;
    uint64_t seed;
    uint8_t *expected[NODES_MAX][DNP_CHANNELS]; /* HOST_SIZE bytes each */
    bool *unknown[NODES_MAX][DNP_CHANNELS];     /* a GET that failed may have written some */
    bool slot_used[NODES_MAX][DNP_CHANNELS][SLOTS];
    struct op *op;
    uint32_t ops, put_done, get_done, failed;
    bool cables_bad;
};

static void must(const struct model *model, bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "model_dnp_rdma: %s (cycle %llu). Repeat with: model_dnp_rdma %llu\n", what,
                (unsigned long long)model->torus.now, (unsigned long long)model->seed);
        exit(1);
    }
}

static uint32_t below(struct model *model, uint32_t n)
{
    return (uint32_t)ni_rng_below(&model->torus.rng, n);
}

/* The slot in which an operation writes. */
static bool *slot_of(struct model *model, const struct op *op)
{
    bool get = op->command.header.operation == APELINK_GET;
    uint64_t address = get ? op->command.address : op->command.header.address;

    return &model->slot_used[get ? op->from : op->to][get ? op->port : op->command.header.port]
                            [(address - HOST_BASE) / SLOT];
}

static void post(struct model *model, uint32_t from, uint8_t port)
{
    struct op *op = &model->op[model->ops];
    uint64_t slot = HOST_BASE + (uint64_t)below(model, SLOTS) * SLOT;
    bool get = below(model, 3) == 0;
    uint32_t limit = get ? SLOT : APELINK_PAYLOAD_MAX;
    uint32_t len = below(model, 2) == 0 ? below(model, 64) : below(model, limit + 1);
    uint64_t source = READABLE + below(model, HOST_SIZE / 2 - limit);

    *op = (struct op){.from = from, .to = below(model, model->torus.nodes), .port = port};
    len += get && len == 0;
    slot += below(model, SLOT - len + 1);
    op->command.header.port = (uint8_t)below(model, DNP_CHANNELS);
    op->command.header.to = torus_place(&model->torus, op->to);
    op->command.header.operation = get ? APELINK_GET : APELINK_PUT;
    op->command.header.len = (uint16_t)(get ? 0 : len);
    op->command.header.address = get ? source : slot;
    op->command.address = get ? slot : source;
    op->command.len = len;
    op->command.footer.tag = op->command.data = model->ops;
    if (get && below(model, 16) == 0) {
        op->bad = true;
        op->command.header.address = HOST_BASE + HOST_SIZE - len / 2;
    }
    if (*slot_of(model, op) || model->ops == OPS ||
        !test_host_post(&model->torus.host[from], port, &op->command)) {
        return;
    }
    *slot_of(model, op) = true;
    model->ops++;
}

/* What an operation has done to memory. */
static void apply(struct model *model, const struct op *op)
{
    bool get = op->command.header.operation == APELINK_GET;
    uint32_t reader = get ? op->to : op->from, writer = get ? op->from : op->to;
    uint8_t read_port = get ? op->command.header.port : op->port;
    uint8_t write_port = get ? op->port : op->command.header.port;
    uint64_t source = get ? op->command.header.address : op->command.address;
    uint64_t to = get ? op->command.address : op->command.header.address;

    for (uint32_t i = 0; i < op->command.len; i++) {
        uint8_t byte = model->expected[reader][read_port][source + i - HOST_BASE];

        model->expected[writer][write_port][to + i - HOST_BASE] = byte;
        model->unknown[writer][write_port][to + i - HOST_BASE] = false;
        must(model, *test_host_byte(&model->torus.host[writer], write_port, to + i) == byte,
             "a byte is wrong when its event is there");
    }
}

static void fail_get(struct model *model, const struct op *op)
{
    for (uint32_t i = 0; i < op->command.len; i++) {
        model->unknown[op->from][op->port][op->command.address + i - HOST_BASE] = true;
    }
    model->failed++;
}

static void on_get(struct model *model, struct op *op, struct apelink_word first)
{
    unsigned code = (unsigned)(first.lo >> 4) & 0x7fff;

    must(model, op->state == OP_POSTED, "a GET that ended twice");
    op->state = OP_DONE;
    *slot_of(model, op) = false;
    if (code == 0) {
        must(model, !op->bad, "a GET from memory that is not registered");
        apply(model, op);
        model->get_done++;
        return;
    }
    must(model,
         (op->bad && code == (unsigned)-NI_ERR_ACCESS) || code == (unsigned)-NI_ERR_LIMIT ||
             (code == (unsigned)-NI_ERR_TIMEOUT &&
              (model->cables_bad ||
               dnp_get(&model->torus.card[op->to].registers, DNP_REG_get_dropped, 0) > 0)),
         "a GET that failed without a reason");
    fail_get(model, op);
}

static void on_event(struct model *model, uint32_t node, uint8_t port,
                     const struct dnp_event *event)
{
    bool magic = (uint32_t)event->second.lo == 0xdad0dad0U;
    uint32_t index = (uint32_t)((magic ? event->first.lo : event->second.lo) >> 32);
    struct op *op = &model->op[index];

    must(model, index < model->ops, "an event of nothing");
    if (op->command.header.operation == APELINK_GET) {
        must(model, magic && op->from == node && op->port == port, "an event at another process");
        on_get(model, op, event->first);
    } else if (magic) {
        must(model, op->from == node && op->port == port, "an event at another process");
        must(model, (event->first.lo >> 4 & 0x7fff) == 0, "a PUT that failed");
    } else {
        must(model, op->to == node && op->command.header.port == port, "at another process");
        must(model, op->state == OP_POSTED, "a PUT that arrived twice");
        op->state = OP_DONE;
        *slot_of(model, op) = false;
        apply(model, op);
        model->put_done++;
    }
}

static void take_events(struct model *model)
{
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
            struct dnp_event event = {0};

            while (test_host_event(&model->torus.host[node], port, &event)) {
                on_event(model, node, port, &event);
            }
        }
    }
}

static void start(struct model *model, uint64_t seed)
{
    static const struct ni_torus shapes[] = {{{2, 2, 2}}, {{1, 1, 1}}, {{3, 1, 1}}, {{2, 3, 1}}};

    memset(model->slot_used, 0, sizeof model->slot_used);
    torus_init(&model->torus, shapes[seed % 4], seed);
    model->seed = seed;
    model->ops = model->put_done = model->get_done = model->failed = 0;
    model->cables_bad = seed / 4 % 2 == 1;
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        struct test_host *host = &model->torus.host[node];

        test_host_open(host);
        host->latest = seed / 8 % 2 == 1 ? 100 : 0;
        dnp_card_burst(&model->torus.card[node], seed % 3 == 0 ? 300 : 1);
        dnp_set(&model->torus.card[node].registers, DNP_REG_link_timeout, 0, 0);
        dnp_set(&model->torus.card[node].registers, DNP_REG_get_timeout, 0, 60000);
        for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
            test_host_register(host, port, HOST_BASE, HOST_SIZE / 2, NI_ACCESS_WRITE);
            test_host_register(host, port, READABLE, HOST_SIZE / 2, NI_ACCESS_READ);
            for (uint32_t i = 0; i < HOST_SIZE; i++) {
                uint8_t byte = (uint8_t)ni_rng_next(&model->torus.rng);

                model->expected[node][port][i] = *test_host_byte(host, port, HOST_BASE + i) = byte;
                model->unknown[node][port][i] = false;
            }
        }
    }
}

static void check_memory(const struct model *model)
{
    for (uint32_t node = 0; node < model->torus.nodes; node++) {
        for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
            for (uint32_t i = 0; i < HOST_SIZE; i++) {
                must(model,
                     model->unknown[node][port][i] ||
                         *test_host_byte(&model->torus.host[node], port, HOST_BASE + i) ==
                             model->expected[node][port][i],
                     "a byte that nobody wrote");
            }
        }
    }
}

static void run(struct model *model)
{
    for (int i = 0; i < CYCLES + SETTLE; i++) {
        if (i < CYCLES && below(model, 4) == 0) {
            post(model, below(model, model->torus.nodes), (uint8_t)below(model, DNP_CHANNELS));
        }
        model->torus.trouble = model->cables_bad && i < CYCLES ? 3000 : 0;
        if (!torus_cycle(&model->torus) && i > CYCLES + 70000) {
            break;
        }
        take_events(model);
    }
    for (uint32_t i = 0; i < model->ops; i++) {
        bool get = model->op[i].command.header.operation == APELINK_GET;

        must(model, model->op[i].state == OP_DONE || (!get && model->cables_bad),
             "an operation that did not end");
    }
    check_memory(model);
    must(model, model->put_done > 20 && model->get_done > 3, "hardly anything happened");
}

int main(int argc, char **argv)
{
    struct model *model = calloc(1, sizeof *model);
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 0, puts = 0, gets = 0, failed = 0;

    model->op = calloc(OPS + 1, sizeof *model->op);
    for (unsigned i = 0; i < NODES_MAX * DNP_CHANNELS; i++) {
        model->expected[i / DNP_CHANNELS][i % DNP_CHANNELS] = malloc(HOST_SIZE);
        model->unknown[i / DNP_CHANNELS][i % DNP_CHANNELS] = malloc(HOST_SIZE * sizeof(bool));
    }
    for (uint64_t seed = first; seed < (argc > 1 ? first + 1 : SEEDS); seed += test_rounds(1, 5)) {
        start(model, seed);
        run(model);
        torus_fini(&model->torus);
        puts += model->put_done;
        gets += model->get_done;
        failed += model->failed;
    }
    for (unsigned i = 0; i < NODES_MAX * DNP_CHANNELS; i++) {
        free(model->expected[i / DNP_CHANNELS][i % DNP_CHANNELS]);
        free(model->unknown[i / DNP_CHANNELS][i % DNP_CHANNELS]);
    }
    free(model->op);
    free(model);
    printf("%llu PUTs, %llu GETs, %llu GETs failed\n", (unsigned long long)puts,
           (unsigned long long)gets, (unsigned long long)failed);
    return 0;
}
