/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of model_dnp_lofamo. */
#include "lofamo_node.h"

#include <stdlib.h>
#include <string.h>

#include "dnp/sensors.h"

/* The card for one step: its time is such that what is to happen is due. */
struct card {
    struct dnp_register_file file;
    struct dnp_link link[DNP_LINKS];
    struct dnp_lofamo lofamo;
};

enum { WRITE_MS = 5, READ_MS = 8, MS = 1000, TIMEOUT = 50 * MS };

static const uint64_t NOW = 1000000;

static void make_file(struct dnp_register_file *file)
{
    dnp_registers_reset(file);
    dnp_sensors_reset(file);
    dnp_set(file, DNP_REG_link_timeout, 0, TIMEOUT);
    dnp_set(file, DNP_REG_fault_timer, 0, (uint32_t)READ_MS << 16 | WRITE_MS);
    dnp_set(file, DNP_REG_fault_mask, 0, 1);
}

/* The node as the card's own structures. */
static void unpack(struct card *card, const struct lofamo_node *node)
{
    static struct dnp_register_file file;

    if (dnp_get(&file, DNP_REG_fault_mask, 0) == 0) {
        make_file(&file);
    }
    card->file = file;
    dnp_set(&card->file, DNP_REG_host_watchdog, 0, node->host_watchdog);
    dnp_set(&card->file, DNP_REG_dnp_watchdog, 0, node->dnp_watchdog);
    dnp_set(&card->file, DNP_REG_fault_emulation, 0, node->emulation);
    dnp_lofamo_init(&card->lofamo, &card->file, card->link);
    card->lofamo.enabled = true;
    card->lofamo.read_at = card->lofamo.written_at = NOW;
    card->lofamo.watch = node->watch;
    card->lofamo.host = node->host;
    card->lofamo.card = node->card;
    card->lofamo.send = node->send;
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        card->link[i] = (struct dnp_link){.registers = &card->file, .index = i};
        card->link[i].rx.heard_at = NOW;
        if (i < LOFAMO_LINKS) {
            const struct lofamo_link *link = &node->link[i];

            dnp_set(&card->file, DNP_REG_link_up, i, link->down == 0);
            dnp_set(&card->file, DNP_REG_remote_fault, i, link->remote_fault);
            card->link[i].tx.spare = link->tx_spare;
            card->link[i].tx.told_spare = link->told;
            card->link[i].rx.spare = link->rx_spare;
            card->link[i].rx.spare_worst = link->rx_worst;
            card->link[i].rx.heard_at = link->down ? 0 : NOW;
            card->lofamo.lifama[i].waiting = link->waiting;
            card->lofamo.shown[i] = link->shown;
        }
    }
}

static void pack(struct lofamo_node *node, const struct card *card)
{
    node->host_watchdog = dnp_get(&card->file, DNP_REG_host_watchdog, 0);
    node->dnp_watchdog = dnp_get(&card->file, DNP_REG_dnp_watchdog, 0);
    node->watch = card->lofamo.watch;
    node->host = card->lofamo.host;
    node->card = card->lofamo.card;
    node->send = card->lofamo.send;
    node->found |= node->card;
    for (unsigned i = 0; i < LOFAMO_LINKS; i++) {
        struct lofamo_link *link = &node->link[i];

        link->remote_fault = dnp_get(&card->file, DNP_REG_remote_fault, i);
        link->tx_spare = card->link[i].tx.spare;
        link->told = card->link[i].tx.told_spare;
        link->rx_spare = card->link[i].rx.spare;
        link->rx_worst = card->link[i].rx.spare_worst;
        link->waiting = card->lofamo.lifama[i].waiting;
        link->shown = card->lofamo.shown[i];
        link->owed |= dnp_lofamo_message(&card->lofamo) & ~DNP_FAULT_VALID;
    }
}

static void host_puts(struct card *card, uint32_t offset, uint32_t value)
{
    if (dnp_registers_write(&card->file, offset, value) != NI_OK) {
        abort();
    }
}

void lofamo_node_init(struct lofamo_node *node)
{
    memset(node, 0, sizeof *node);
    lofamo_card_writes(node);
}

void lofamo_host_writes(struct lofamo_node *node)
{
    struct card card;

    unpack(&card, node);
    host_puts(&card, DNP_REG_host_watchdog, node->says | 1);
    pack(node, &card);
    node->host_wrote = 1;
}

void lofamo_host_reads(struct lofamo_node *node)
{
    struct card card;
    uint32_t word = node->dnp_watchdog;

    unpack(&card, node);
    dnp_watch_read(&node->host_watch, (word & 1) != 0, false);
    if ((word & 1) != 0) {
        node->known |= dnp_fault_of_card(word);
        host_puts(&card, DNP_REG_dnp_watchdog, ~1U);
        for (unsigned i = 0; i < LOFAMO_LINKS; i++) {
            if ((node->link[i].remote_fault & DNP_FAULT_VALID) != 0) {
                node->link[i].known |= node->link[i].remote_fault & ~DNP_FAULT_VALID;
                host_puts(&card, DNP_REG_remote_fault + 4 * i, ~DNP_FAULT_VALID);
            }
        }
    }
    pack(node, &card);
    node->card_wrote = 0;
}

static void step(struct card *card)
{
    static const struct dnp_core_work work;

    dnp_lofamo_step(&card->lofamo, &work, NOW);
}

void lofamo_card_reads(struct lofamo_node *node, bool late)
{
    struct card card;

    unpack(&card, node);
    card.lofamo.read_at = NOW - (uint64_t)(late ? 2 * READ_MS : READ_MS) * MS;
    step(&card);
    pack(node, &card);
    node->host_wrote = 0;
}

void lofamo_card_writes(struct lofamo_node *node)
{
    struct card card;

    unpack(&card, node);
    card.lofamo.written_at = NOW - (uint64_t)WRITE_MS * MS;
    step(&card);
    pack(node, &card);
    node->card_wrote = 1;
}

void lofamo_credit(struct lofamo_node *from, struct lofamo_node *to, unsigned link, bool lost)
{
    struct lofamo_link *left = &from->link[link], *arrives = &to->link[link ^ 1];

    left->told = left->tx_spare;
    if (!lost) {
        arrives->rx_spare = dnp_fault_message(left->tx_spare);
        arrives->rx_worst = dnp_fault_worst(arrives->rx_worst, arrives->rx_spare);
        arrives->arrived |= arrives->rx_spare & ~DNP_FAULT_VALID;
    }
}
