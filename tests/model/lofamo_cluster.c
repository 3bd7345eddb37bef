/* SPDX-License-Identifier: BSD-3-Clause */
/* Cards and hosts in virtual time. */
#include "lofamo_cluster.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"

enum { WORDS = 1 << 16, MESSAGES = 1 << 16, RECORDS = 1 << 18, MS = 1000 };

static ni_status no_dma(void *arg, const struct dnp_dma *dma)
{
    (void)arg;
    (void)dma;
    return NI_ERR_ACCESS;
}

static void put(struct dnp_card *card, uint32_t offset, uint32_t value)
{
    if (dnp_registers_write(&card->registers, offset, value) != NI_OK) {
        abort();
    }
}

static void configure(struct cluster *cluster, uint32_t node)
{
    struct ni_torus_place at = ni_torus_at(&cluster->shape, node);
    const uint32_t *size = cluster->shape.size;
    struct dnp_card *card = &cluster->card[node];

    put(card, DNP_REG_board_torus, size[0] | size[1] << 10 | size[2] << 20);
    put(card, DNP_REG_board_place, at.at[0] | at.at[1] << 10 | at.at[2] << 20);
    put(card, DNP_REG_link_credit,
        (uint32_t)(CLUSTER_IDLE / CLUSTER_CREDIT) << 16 | CLUSTER_CREDIT);
    put(card, DNP_REG_link_timeout, CLUSTER_TIMEOUT);
    put(card, DNP_REG_fault_timer, (uint32_t)(CLUSTER_READ / MS) << 16 | CLUSTER_WRITE / MS);
    put(card, DNP_REG_fault_mask, 1);
}

static int read_card(void *arg, uint32_t offset, uint32_t *value)
{
    const struct dnp_card *card = arg;

    return dnp_registers_read(&card->registers, offset, value) == NI_OK ? 0 : -1;
}

static int write_card(void *arg, uint32_t offset, uint32_t value)
{
    put(arg, offset, value);
    return 0;
}

static void *zeros(size_t n, size_t size)
{
    void *memory = ni_aligned_zero(NI_CACHE_LINE, n * size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

void cluster_init(struct cluster *cluster, struct ni_torus shape, uint64_t seed)
{
    uint32_t nodes = ni_torus_nodes(&shape);

    *cluster = (struct cluster){.shape = shape, .nodes = nodes, .no_memory = {no_dma, NULL}};
    cluster->card = zeros(nodes, sizeof *cluster->card);
    cluster->host = zeros(nodes, sizeof *cluster->host);
    cluster->card_stopped = zeros(nodes, sizeof *cluster->card_stopped);
    cluster->cut = zeros(nodes, sizeof *cluster->cut);
    cluster->due = zeros(nodes, sizeof *cluster->due);
    cluster->word = zeros(WORDS, sizeof *cluster->word);
    cluster->message = zeros(MESSAGES, sizeof *cluster->message);
    cluster->record = zeros(RECORDS, sizeof *cluster->record);
    ni_rng_seed(&cluster->rng, seed);
    cluster->now = 10 * CLUSTER_READ;
    for (uint32_t node = 0; node < nodes; node++) {
        struct cluster_host *host = &cluster->host[node];

        if (dnp_card_init(&cluster->card[node], DNP_FIFO_MIN, &cluster->no_memory, cluster->now) !=
            NI_OK) {
            abort();
        }
        configure(cluster, node);
        (void)dnp_card_step(&cluster->card[node], cluster->now);
        cluster->card[node].lofamo.read_at -= ni_rng_below(&cluster->rng, CLUSTER_READ);
        cluster->card[node].lofamo.written_at -= ni_rng_below(&cluster->rng, CLUSTER_WRITE);
        host->cluster = cluster;
        host->node = node;
        host->card = (struct hfm_card){read_card, write_card, &cluster->card[node], NULL};
        hfm_watchdog_init(&host->watchdog, &host->card, CLUSTER_WRITE, CLUSTER_READ, cluster->now);
        host->watchdog.read_at -= ni_rng_below(&cluster->rng, CLUSTER_READ);
        host->watchdog.written_at += ni_rng_below(&cluster->rng, CLUSTER_WRITE);
        put(&cluster->card[node], DNP_REG_host_watchdog, 1);
    }
}

void cluster_fini(struct cluster *cluster)
{
    for (uint32_t node = 0; node < cluster->nodes; node++) {
        dnp_card_fini(&cluster->card[node]);
    }
    free(cluster->card);
    free(cluster->host);
    free(cluster->card_stopped);
    free(cluster->cut);
    free(cluster->due);
    free(cluster->word);
    free(cluster->message);
    free(cluster->record);
}

static uint32_t neighbour(const struct cluster *cluster, uint32_t node, unsigned link)
{
    return ni_torus_neighbour(&cluster->shape, node, (enum ni_torus_direction)link);
}

static void note(struct cluster *cluster, enum cluster_kind kind, uint32_t node, uint32_t about,
                 uint32_t fault)
{
    if (cluster->records == RECORDS) {
        abort();
    }
    cluster->record[cluster->records++] =
        (struct cluster_record){cluster->now, kind, node, about, fault};
}

static void send_message(struct cluster *cluster, uint32_t from, uint32_t to, uint32_t about,
                         uint32_t fault)
{
    if (cluster->host[from].cut_off) {
        return;
    }
    if (cluster->message_end - cluster->message_first == MESSAGES) {
        abort();
    }
    cluster->message[cluster->message_end++ % MESSAGES] =
        (struct cluster_message){cluster->now + CLUSTER_SERVICE, to, from, about, fault};
}

/* A host has found something out. */
static void host_knows(struct cluster *cluster, uint32_t node, uint32_t about, uint32_t fault)
{
    note(cluster, CLUSTER_HOST_KNOWS, node, about, fault);
    send_message(cluster, node, 0, about, fault);
}

static void message_arrives(struct cluster *cluster, const struct cluster_message *message)
{
    if (cluster->host[message->to].stopped || cluster->host[message->to].cut_off) {
        return;
    }
    if (message->from == 0 && message->to != 0) {
        note(cluster, CLUSTER_ALL_KNOW, message->to, message->about, message->fault);
        return;
    }
    if (cluster_find(cluster, CLUSTER_MASTER_KNOWS, 0, message->about, message->fault) == NULL) {
        note(cluster, CLUSTER_MASTER_KNOWS, 0, message->about, message->fault);
        note(cluster, CLUSTER_ALL_KNOW, 0, message->about, message->fault);
        for (uint32_t node = 1; node < cluster->nodes; node++) {
            send_message(cluster, 0, node, message->about, message->fault);
        }
    }
}

static void on_change(void *arg, unsigned subject, uint32_t fault, uint32_t before)
{
    const struct cluster_host *host = arg;
    struct cluster *cluster = host->cluster;

    if ((fault & ~before) != 0) {
        host_knows(cluster, host->node,
                   subject == HFM_OWN ? host->node : neighbour(cluster, host->node, subject),
                   fault & ~before);
    }
}

static void send_word(struct cluster *cluster, uint32_t node, unsigned link,
                      struct apelink_word word)
{
    bool lost = cluster->lose != 0 && ni_rng_below(&cluster->rng, cluster->lose) == 0;

    if (cluster->cut[node][link] || lost) {
        return;
    }
    if (cluster->word_end - cluster->word_first == WORDS) {
        abort();
    }
    cluster->word[cluster->word_end++ % WORDS] = (struct cluster_word){
        cluster->now + CLUSTER_LATENCY, word, neighbour(cluster, node, link), link ^ 1};
}

static void card_works(struct cluster *cluster, uint32_t node)
{
    struct dnp_card *card = &cluster->card[node];
    uint32_t host = card->lofamo.host, shown[DNP_LINKS];

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        shown[link] = card->lofamo.shown[link];
    }
    (void)dnp_card_step(card, cluster->now);
    if ((card->lofamo.host & ~host) != 0) {
        note(cluster, CLUSTER_CARD_KNOWS, node, node, card->lofamo.host & ~host);
    }
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        uint32_t news = card->lofamo.shown[link] & ~shown[link];
        struct apelink_word word;

        if (news != 0) {
            note(cluster, CLUSTER_CARD_KNOWS, node, neighbour(cluster, node, link), news);
        }
        if (dnp_link_send(&card->link[link], cluster->now, &word)) {
            send_word(cluster, node, link, word);
        }
    }
}

static void set_due(struct cluster *cluster, uint32_t node)
{
    const struct dnp_card *card = &cluster->card[node];
    const struct cluster_host *host = &cluster->host[node];
    uint64_t due = UINT64_MAX;

    if (!host->stopped) {
        due = hfm_watchdog_due(&host->watchdog);
    }
    if (!cluster->card_stopped[node]) {
        due = ni_min_u64(due, dnp_lofamo_due(&card->lofamo));
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            due = ni_min_u64(due, dnp_link_due(&card->link[link], cluster->now + 1));
        }
    }
    cluster->due[node] = due;
}

/* All that happens in this cycle. */
static void cycle(struct cluster *cluster)
{
    while (cluster->word_first < cluster->word_end &&
           cluster->word[cluster->word_first % WORDS].at <= cluster->now) {
        struct cluster_word *word = &cluster->word[cluster->word_first++ % WORDS];

        if (!cluster->card_stopped[word->node]) {
            dnp_link_receive(&cluster->card[word->node].link[word->link], cluster->now, word->word);
        }
    }
    while (cluster->message_first < cluster->message_end &&
           cluster->message[cluster->message_first % MESSAGES].at <= cluster->now) {
        struct cluster_message message = cluster->message[cluster->message_first++ % MESSAGES];

        message_arrives(cluster, &message);
    }
    for (uint32_t node = 0; node < cluster->nodes; node++) {
        if (cluster->due[node] > cluster->now) {
            continue;
        }
        if (!cluster->host[node].stopped) {
            const struct hfm_listener listener = {on_change, &cluster->host[node]};

            hfm_watchdog_step(&cluster->host[node].watchdog, cluster->now, &listener);
        }
        if (!cluster->card_stopped[node]) {
            card_works(cluster, node);
        }
        set_due(cluster, node);
    }
}

void cluster_run(struct cluster *cluster, uint64_t cycles)
{
    uint64_t end = cluster->now + cycles;

    while (cluster->now < end) {
        uint64_t next = end;

        cycle(cluster);
        for (uint32_t node = 0; node < cluster->nodes; node++) {
            next = ni_min_u64(next, cluster->due[node]);
        }
        if (cluster->word_first < cluster->word_end) {
            next = ni_min_u64(next, cluster->word[cluster->word_first % WORDS].at);
        }
        if (cluster->message_first < cluster->message_end) {
            next = ni_min_u64(next, cluster->message[cluster->message_first % MESSAGES].at);
        }
        cluster->now = ni_max_u64(next, cluster->now + 1);
    }
}

void cluster_strike(struct cluster *cluster, uint32_t node, enum cluster_fault fault)
{
    struct cluster_host *host = &cluster->host[node];
    uint32_t other = neighbour(cluster, node, NI_TORUS_X_PLUS);

    note(cluster, CLUSTER_HAPPENS, node, node, fault);
    switch (fault) {
    case CLUSTER_HOST_STOPS:
        host->stopped = true;
        break;
    case CLUSTER_CARD_STOPS:
        cluster->card_stopped[node] = true;
        break;
    case CLUSTER_ALL_STOPS:
        host->stopped = true;
        cluster->card_stopped[node] = true;
        break;
    case CLUSTER_SERVICE_BROKEN:
        host->cut_off = true;
        host->watchdog.host = DNP_BROKEN << DNP_LOW_remote_fault_service_network;
        break;
    case CLUSTER_LINK_CUT:
        cluster->cut[node][NI_TORUS_X_PLUS] = cluster->cut[other][NI_TORUS_X_MINUS] = true;
        break;
    default:
        dnp_set(&cluster->card[node].registers, DNP_REG_sensor_board_temperature, 0, 150000);
        break;
    }
}

const struct cluster_record *cluster_find(const struct cluster *cluster, enum cluster_kind kind,
                                          uint32_t node, uint32_t about, uint32_t fault)
{
    uint32_t missing = fault;

    for (size_t i = 0; i < cluster->records; i++) {
        const struct cluster_record *record = &cluster->record[i];

        if (record->kind == kind && record->node == node && record->about == about) {
            missing &= ~record->fault;
            if (missing == 0) {
                return record;
            }
        }
    }
    return NULL;
}

/* What one fault of a node is reason to say about that node or about its neighbour. */
static uint32_t cause_of(const struct cluster *cluster, const struct cluster_record *fault,
                         uint32_t about)
{
    bool dead = fault->fault == CLUSTER_CARD_STOPS || fault->fault == CLUSTER_ALL_STOPS;
    uint32_t cause = 0;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        bool cut = fault->fault == CLUSTER_LINK_CUT &&
                   ((fault->about == about && link == NI_TORUS_X_PLUS) ||
                    (neighbour(cluster, fault->about, NI_TORUS_X_PLUS) == about &&
                     link == NI_TORUS_X_MINUS));

        if (cut || (dead && neighbour(cluster, about, link) == fault->about)) {
            cause |= DNP_BROKEN << dnp_fault_link_low(link);
        }
    }
    if (fault->about != about) {
        return cause;
    }
    switch (fault->fault) {
    case CLUSTER_HOST_STOPS:
        return cause | DNP_FAULT_HOST_LOST;
    case CLUSTER_SERVICE_BROKEN:
        return cause | DNP_BROKEN << DNP_LOW_remote_fault_service_network;
    case CLUSTER_TOO_HOT:
        return cause | DNP_BROKEN << DNP_LOW_remote_fault_temperature;
    case CLUSTER_CARD_STOPS:
        return cause | HFM_CARD_LOST;
    default:
        return cause;
    }
}

uint32_t cluster_cause(const struct cluster *cluster, uint32_t about, size_t end)
{
    uint32_t cause = 0;

    for (size_t i = 0; i < end; i++) {
        if (cluster->record[i].kind == CLUSTER_HAPPENS) {
            cause |= cause_of(cluster, &cluster->record[i], about);
        }
    }
    return cause;
}

const struct cluster_record *cluster_without_cause(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->records; i++) {
        const struct cluster_record *record = &cluster->record[i];

        if (record->kind != CLUSTER_HAPPENS &&
            (record->fault & ~cluster_cause(cluster, record->about, i)) != 0) {
            return record;
        }
    }
    return NULL;
}
