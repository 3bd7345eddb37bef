/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/manager.c, dnp/lofamo/lifama.h, dnp/lofamo/watch.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lofamo_node.h"
#include "rounds.h"

/*
 * All states that fault managers of rings of two to four nodes can reach, with one fault in one of
 * them, at any moment, and in rings of two one fault in each: every order of what hosts and cards
 * do and of credits. In rings of two and three with one fault, one credit may be lost, or one host
 * and its card be stopped for a while. The only order that is kept is the mutual watchdog's
 * T_write < T_read: who lives writes between two reads. In each state:
 *
 *   - whatever is known to be wrong somewhere is so, or was
 *   - when everybody goes on, in whatever state, each node that is to know the fault does
 *
 *   model_dnp_lofamo [NODES FAULT [FAULT]]   explores one
 */

enum { NODES_MAX = 4, STATES_MAX = 1 << 23, DEPTH_MAX = 1 << 20, ROUNDS = 4 };

enum action {
    HOST_WRITES,
    HOST_READS,
    CARD_READS,
    CARD_WRITES,
    STALL,
    FAULT,
    HEAL,
    CREDIT,
    CREDIT_LOST = CREDIT + LOFAMO_LINKS,
    TIMEOUT = CREDIT_LOST + LOFAMO_LINKS,
    ACTIONS = TIMEOUT + LOFAMO_LINKS
};

static const char *const fault_name[LOFAMO_FAULTS] = {
    "none",
    "host stops",
    "service network broken",
    "service network broken for a while",
    "card stops",
    "host and card stop",
    "link cut",
    "core broken",
    "core broken for a while",
};

struct world {
    struct lofamo_node node[NODES_MAX];
    uint32_t mishaps; /* a lost credit, or a stall: of those there may be one */
};

struct frame {
    struct world world;
    unsigned next; /* the action that is tried next: node * ACTIONS + action */
};

struct model {
    unsigned nodes;
    uint32_t mishaps;
    uint8_t will[NODES_MAX]; /* the fault that each gets */
    struct frame *path;
    unsigned depth;
    uint64_t *seen; /* hashes of states, 0: none */
    uint64_t states, steps;
};

static void fail(const struct model *model, const struct world *world, const char *what)
{
    fprintf(stderr, "model_dnp_lofamo: %s, %u nodes\n", what, model->nodes);
    for (unsigned i = 0; i < model->depth; i++) {
        unsigned next = model->path[i].next - 1;

        fprintf(stderr, " %u.%u", next / ACTIONS, next % ACTIONS);
    }
    for (unsigned i = 0; i < model->nodes; i++) {
        const struct lofamo_node *node = &world->node[i];

        fprintf(stderr,
                "\nnode %u: %s, host %#x card %#x known %#x host_watchdog %#x "
                "dnp_watchdog %#x",
                i, fault_name[node->fault], node->host, node->card, node->known,
                node->host_watchdog, node->dnp_watchdog);
        for (unsigned link = 0; link < LOFAMO_LINKS; link++) {
            const struct lofamo_link *l = &node->link[link];

            fprintf(stderr,
                    "\n  link %u: tx %#x told %#x waiting %#x rx %#x worst %#x shown %#x "
                    "remote_fault %#x known %#x arrived %#x down %u",
                    link, l->tx_spare, l->told, l->waiting, l->rx_spare, l->rx_worst, l->shown,
                    l->remote_fault, l->known, l->arrived, l->down);
        }
    }
    fputs("\n", stderr);
    exit(1);
}

static unsigned neighbour(const struct model *model, unsigned node, unsigned link)
{
    return (node + (link == 0 ? 1 : model->nodes - 1)) % model->nodes;
}

/* Whether the cable at a link is cut: by the fault of this node, or by that of its neighbour. */
static bool cut(const struct model *model, const struct world *world, unsigned node, unsigned link)
{
    return world->node[link == 0 ? node : neighbour(model, node, link)].fault == LOFAMO_LINK_CUT;
}

static bool credits_flow(const struct model *model, const struct world *world, unsigned from,
                         unsigned link)
{
    return !world->node[from].card_stopped && !cut(model, world, from, link);
}

static bool heals(uint8_t fault)
{
    return fault == LOFAMO_SERVICE_BROKEN_FOR_A_WHILE || fault == LOFAMO_CORE_BROKEN_FOR_A_WHILE;
}

static void strike(struct lofamo_node *node, enum lofamo_fault fault)
{
    node->fault = (uint8_t)fault;
    node->host_stopped = fault == LOFAMO_HOST_STOPS || fault == LOFAMO_ALL_STOPS;
    node->card_stopped = fault == LOFAMO_CARD_STOPS || fault == LOFAMO_ALL_STOPS;
    if (fault == LOFAMO_SERVICE_BROKEN || fault == LOFAMO_SERVICE_BROKEN_FOR_A_WHILE) {
        node->says = DNP_BROKEN << DNP_LOW_host_watchdog_service_network;
    }
    if (fault == LOFAMO_CORE_BROKEN || fault == LOFAMO_CORE_BROKEN_FOR_A_WHILE) {
        node->emulation = DNP_BROKEN << DNP_LOW_dnp_watchdog_core;
    }
}

/* What happens to one node; false: it cannot happen now. */
static bool local_action(const struct model *model, struct world *world, unsigned at,
                         enum action action)
{
    struct lofamo_node *node = &world->node[at];

    switch (action) {
    case HOST_WRITES:
        if (!node->host_stopped) {
            lofamo_host_writes(node);
        }
        return !node->host_stopped;
    case HOST_READS:
        if (node->host_stopped || !(node->card_wrote || node->card_stopped)) {
            return false;
        }
        lofamo_host_reads(node);
        return true;
    case CARD_READS:
        if (node->card_stopped || !(node->host_wrote || node->host_stopped)) {
            return false;
        }
        lofamo_card_reads(node, false);
        return true;
    case CARD_WRITES:
        if (!node->card_stopped) {
            lofamo_card_writes(node);
        }
        return !node->card_stopped;
    case STALL: /* both did nothing for a while, and the card reads first */
        if (node->card_stopped || world->mishaps == model->mishaps) {
            return false;
        }
        world->mishaps++;
        lofamo_card_reads(node, true);
        return true;
    case FAULT:
        if (node->fault != LOFAMO_NO_FAULT || model->will[at] == LOFAMO_NO_FAULT) {
            return false;
        }
        strike(node, (enum lofamo_fault)model->will[at]);
        return true;
    default: /* HEAL: no sooner than the card has heard of it */
        if (!heals(node->fault) || node->healed || (node->host | node->card) == 0) {
            return false;
        }
        node->healed = 1;
        node->says = node->emulation = 0;
        return true;
    }
}

static bool act(const struct model *model, struct world *world, unsigned at, unsigned action)
{
    struct lofamo_node *node = &world->node[at];
    unsigned link = (action - CREDIT) % LOFAMO_LINKS, other;

    if (action < CREDIT) {
        return local_action(model, world, at, (enum action)action);
    }
    other = neighbour(model, at, link);
    if (action >= TIMEOUT) {
        if (credits_flow(model, world, other, link ^ 1)) {
            return false;
        }
        node->link[link].down = 1;
        return true;
    }
    if (!credits_flow(model, world, at, link) ||
        (action >= CREDIT_LOST && world->mishaps == model->mishaps)) {
        return false;
    }
    world->mishaps += action >= CREDIT_LOST;
    lofamo_credit(node, &world->node[other], link, action >= CREDIT_LOST);
    return true;
}

/* What may be said about a node, given what happened to it: of its host, and of its card. */
static uint32_t host_cause(const struct lofamo_node *node)
{
    switch (node->fault) {
    case LOFAMO_HOST_STOPS:
    case LOFAMO_ALL_STOPS:
        return DNP_FAULT_HOST_LOST;
    case LOFAMO_SERVICE_BROKEN:
    case LOFAMO_SERVICE_BROKEN_FOR_A_WHILE:
        return DNP_BROKEN;
    default:
        return 0;
    }
}

static uint32_t card_cause(const struct model *model, const struct world *world, unsigned at)
{
    const struct lofamo_node *node = &world->node[at];
    uint32_t cause = 0;

    if (node->fault == LOFAMO_CORE_BROKEN || node->fault == LOFAMO_CORE_BROKEN_FOR_A_WHILE) {
        cause |= DNP_BROKEN << DNP_LOW_remote_fault_core;
    }
    for (unsigned link = 0; link < LOFAMO_LINKS; link++) {
        if (!credits_flow(model, world, neighbour(model, at, link), link ^ 1)) {
            cause |= DNP_BROKEN << dnp_fault_link_low(link);
        }
    }
    return cause;
}

/* Nothing is said without a cause. */
static void check_causes(const struct model *model, const struct world *world)
{
    for (unsigned i = 0; i < model->nodes; i++) {
        const struct lofamo_node *node = &world->node[i];
        uint32_t card = card_cause(model, world, i);

        if ((node->host & ~host_cause(node)) != 0 || (node->watch.lost && !node->host_stopped)) {
            fail(model, world, "a card accuses its host without a cause");
        }
        if (((node->card | node->known | dnp_fault_of_card(node->dnp_watchdog)) & ~card) != 0 ||
            (node->host_watch.lost && !node->card_stopped)) {
            fail(model, world, "a card is accused without a cause");
        }
        for (unsigned link = 0; link < LOFAMO_LINKS; link++) {
            unsigned other = neighbour(model, i, link);
            uint32_t cause = host_cause(&world->node[other]) | card_cause(model, world, other);
            const struct lofamo_link *l = &node->link[link];

            if (((l->known | l->shown | l->arrived) & ~cause) != 0) {
                fail(model, world, "a neighbour is accused without a cause");
            }
        }
    }
}

/* Everybody who lives does everything once. */
static void one_round(const struct model *model, struct world *world)
{
    static const uint8_t order[] = {HOST_WRITES, CARD_READS, TIMEOUT,     TIMEOUT + 1, CARD_WRITES,
                                    CREDIT,      CREDIT + 1, CARD_WRITES, HOST_READS};

    for (unsigned step = 0; step < sizeof order; step++) {
        for (unsigned i = 0; i < model->nodes; i++) {
            (void)act(model, world, i, order[step]);
        }
    }
}

/* What somebody who lives does not know yet; NULL: nothing. */
static const char *unknown(const struct model *model, const struct world *world)
{
    for (unsigned i = 0; i < model->nodes; i++) {
        const struct lofamo_node *node = &world->node[i];

        if (node->host_stopped) {
            continue;
        }
        if (node->card_stopped) {
            if (!node->host_watch.lost) {
                return "a host does not know that its card has stopped";
            }
            continue;
        }
        if (((node->found | (heals(node->fault) ? 0 : card_cause(model, world, i))) &
             ~node->known) != 0) {
            return "a host does not know what its card suffers";
        }
        for (unsigned link = 0; link < LOFAMO_LINKS; link++) {
            unsigned from = neighbour(model, i, link);
            const struct lofamo_node *other = &world->node[from];
            uint32_t due = node->link[link].arrived;

            if (credits_flow(model, world, from, link ^ 1)) {
                due |= world->mishaps == 0 ? other->link[link ^ 1].owed : 0;
                due |= heals(other->fault) || host_cause(other) == 0
                           ? 0
                           : host_cause(other) | card_cause(model, world, from);
            }
            if ((due & ~node->link[link].known) != 0) {
                return "a host does not know what its neighbour suffers";
            }
        }
    }
    return NULL;
}

/* Each node that has to know of the faults of this state does when everybody has gone on. */
static void check_nothing_is_lost(const struct model *model, const struct world *before)
{
    struct world world = *before;
    const char *what = unknown(model, &world);

    for (unsigned i = 0; i < ROUNDS && what != NULL; i++) {
        one_round(model, &world);
        what = unknown(model, &world);
    }
    if (what != NULL) {
        fail(model, &world, what);
    }
}

static uint64_t hash(const struct world *world)
{
    const unsigned char *bytes = (const unsigned char *)world;
    uint64_t value = 0xcbf29ce484222325U;

    for (size_t i = 0; i < sizeof *world; i += 4) {
        uint32_t word;

        memcpy(&word, bytes + i, 4);
        value = (value ^ word) * 0x9e3779b97f4a7c15U;
        value ^= value >> 29;
    }
    return value | 1;
}

/* Whether a state is new; it is not from now on. */
static bool is_new(struct model *model, const struct world *world)
{
    uint64_t value = hash(world);
    size_t at = (size_t)(value >> 8) % STATES_MAX;

    while (model->seen[at] != 0) {
        if (model->seen[at] == value) {
            return false;
        }
        at = (at + 1) % STATES_MAX;
    }
    model->seen[at] = value;
    if (++model->states > STATES_MAX / 4 * 3) {
        fail(model, world, "more states than there is room for");
    }
    return true;
}

static void enter(struct model *model, const struct world *world)
{
    if (!is_new(model, world)) {
        return;
    }
    check_causes(model, world);
    check_nothing_is_lost(model, world);
    if (model->depth == DEPTH_MAX) {
        fail(model, world, "a path is longer than there is room for");
    }
    model->path[model->depth++] = (struct frame){.world = *world};
}

static void explore(struct model *model, unsigned nodes, const uint8_t will[NODES_MAX])
{
    struct world world;

    model->nodes = nodes;
    model->mishaps = will[1] == LOFAMO_NO_FAULT && (nodes == 2 || (nodes == 3 && !heals(will[0])));
    memcpy(model->will, will, NODES_MAX);
    memset(model->seen, 0, STATES_MAX * sizeof *model->seen);
    model->states = model->steps = 0;
    memset(&world, 0, sizeof world);
    for (unsigned i = 0; i < nodes; i++) {
        lofamo_node_init(&world.node[i]);
    }
    enter(model, &world);
    while (model->depth > 0) {
        struct frame *frame = &model->path[model->depth - 1];
        unsigned next = frame->next++;

        if (next == nodes * ACTIONS) {
            model->depth--;
            continue;
        }
        world = frame->world;
        if (act(model, &world, next / ACTIONS, next % ACTIONS)) {
            model->steps++;
            enter(model, &world);
        }
    }
    printf("%u nodes, %s, %s: %llu states, %llu steps\n", nodes, fault_name[will[0]],
           fault_name[will[1]], (unsigned long long)model->states,
           (unsigned long long)model->steps);
}

int main(int argc, char **argv)
{
    struct model model = {0};

    model.path = malloc(DEPTH_MAX * sizeof *model.path);
    model.seen = malloc(STATES_MAX * sizeof *model.seen);
    if (model.path == NULL || model.seen == NULL) {
        abort();
    }
    if (argc > 2) {
        uint8_t will[NODES_MAX] = {(uint8_t)atoi(argv[2]), (uint8_t)(argc > 3 ? atoi(argv[3]) : 0)};

        explore(&model, (unsigned)atoi(argv[1]), will);
    }
    for (unsigned nodes = 2; nodes <= test_rounds(NODES_MAX, NODES_MAX - 1) && argc <= 2; nodes++) {
        for (uint8_t fault = 0; fault < LOFAMO_FAULTS; fault++) {
            explore(&model, nodes, (uint8_t[NODES_MAX]){fault});
        }
    }
    /* Nodes of a ring of two are alike; faults that heal are explored alone. */
    for (uint8_t a = 1; a < LOFAMO_FAULTS && argc <= 2; a++) {
        for (uint8_t b = 1; b <= a; b++) {
            if (!heals(a) && !heals(b)) {
                explore(&model, 2, (uint8_t[NODES_MAX]){a, b});
            }
        }
    }
    free(model.path);
    free(model.seen);
    return 0;
}
