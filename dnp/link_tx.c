/* SPDX-License-Identifier: BSD-3-Clause */
/* The sending side of a link. */
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "dnp/control.h"
#include "dnp/link.h"

void dnp_link_init(struct dnp_link *link, struct dnp_register_file *registers, unsigned index,
                   struct apelink_word *words, uint32_t size, uint64_t now)
{
    NI_ASSERT(ni_is_pow2(size) && size >= DNP_FIFO_MIN && size <= DNP_FIFO_MAX);
    *link = (struct dnp_link){.registers = registers, .index = index};
    link->rx.heard_at = now;
    link->tx.told_at = now;
    for (unsigned vc = 0; vc < DNP_VCS; vc++) {
        dnp_fifo_init(&link->rx.fifo[vc], words + (size_t)vc * size, size);
    }
}

bool dnp_link_room(struct dnp_link *link, uint8_t vc, uint32_t words)
{
    uint32_t thresholds = dnp_get(link->registers, DNP_REG_link_thresholds, 0);
    uint32_t there = dnp_link_outstanding(link, vc);

    if (there < DNP_FIELD_GET(thresholds, link_thresholds_yellow)) {
        link->tx.red[vc] = false;
    }
    if (there + words > DNP_FIELD_GET(thresholds, link_thresholds_red)) {
        link->tx.red[vc] = true;
    }
    return !link->tx.red[vc];
}

void dnp_link_begin(struct dnp_link *link, struct dnp_fifo *from, uint8_t vc, uint32_t words)
{
    NI_ASSERT(link->tx.from == NULL && words >= 2 && words <= dnp_fifo_ready(from));
    link->tx.from = from;
    link->tx.left = words;
    link->tx.vc = vc;
    link->tx.started = false;
}

/* Cycles between credits, as it is now. */
static uint64_t credit_period(const struct dnp_link *link)
{
    const struct dnp_link_tx *tx = &link->tx;
    uint32_t reg = dnp_get(link->registers, DNP_REG_link_credit, 0);
    uint64_t period = DNP_FIELD_GET(reg, link_credit_busy);
    bool changed = tx->spare != tx->told_spare;

    for (uint8_t vc = 0; vc < DNP_VCS; vc++) {
        changed = changed || dnp_link_taken(link, vc) != tx->told_taken[vc];
    }
    return changed ? period : period * DNP_FIELD_GET(reg, link_credit_idle);
}

uint64_t dnp_link_due(const struct dnp_link *link, uint64_t now)
{
    if (dnp_link_busy(link) || link->tx.after != DNP_AFTER_NONE) {
        return now;
    }
    return ni_max_u64(now, ni_max_u64(link->tx.told_at + credit_period(link), link->rx.shut_until));
}

/* Not before we take packets again: who hears us may send. */
static bool credit_due(const struct dnp_link *link, uint64_t now)
{
    return now - link->tx.told_at >= credit_period(link) && now >= link->rx.shut_until;
}

static struct apelink_word start_word(struct dnp_link *link)
{
    struct dnp_link_tx *tx = &link->tx;
    struct dnp_control start = {.kind = DNP_START, .vc = tx->vc, .words = (uint16_t)tx->left};

    start.sent[tx->vc] = tx->sent[tx->vc];
    tx->started = true;
    return dnp_control_pack(&start);
}

static struct apelink_word credit_word(struct dnp_link *link, uint64_t now)
{
    struct dnp_link_tx *tx = &link->tx;
    struct dnp_control credit = {.kind = DNP_CREDIT, .spare = tx->spare};

    for (uint8_t vc = 0; vc < DNP_VCS; vc++) {
        tx->told_taken[vc] = credit.taken[vc] = dnp_link_taken(link, vc);
        credit.sent[vc] = tx->sent[vc];
    }
    tx->told_spare = tx->spare;
    tx->told_at = now;
    return dnp_control_pack(&credit);
}

/* So many words of the packet are on the cable. */
static void words_left(struct dnp_link *link, uint32_t n)
{
    struct dnp_link_tx *tx = &link->tx;

    dnp_add64(link->registers, DNP_REG_link_sent_words, link->index, n);
    tx->left -= n;
    if (tx->left == 0) {
        tx->from = NULL;
        dnp_add64(link->registers, DNP_REG_link_sent_packets, link->index, 1);
    }
}

/* A word of the packet counts as sent when it leaves, as a literal when that is announced. */
static struct apelink_word packet_word(struct dnp_link *link)
{
    struct dnp_link_tx *tx = &link->tx;
    struct apelink_word word = dnp_fifo_take(tx->from);

    if (apelink_word_equal(word, DNP_MAGIC)) {
        tx->after = DNP_AFTER_LITERAL;
    } else {
        tx->sent[tx->vc]++;
    }
    words_left(link, 1);
    return word;
}

static struct apelink_word announced_word(struct dnp_link *link, uint64_t now)
{
    struct dnp_link_tx *tx = &link->tx;
    enum dnp_after_magic after = tx->after;

    tx->after = DNP_AFTER_NONE;
    if (after == DNP_AFTER_START) {
        return start_word(link);
    }
    if (after == DNP_AFTER_CREDIT) {
        return credit_word(link, now);
    }
    tx->sent[tx->vc]++;
    return dnp_control_pack(&(struct dnp_control){.kind = DNP_LITERAL});
}

bool dnp_link_send(struct dnp_link *link, uint64_t now, struct apelink_word *word)
{
    struct dnp_link_tx *tx = &link->tx;

    if (tx->after != DNP_AFTER_NONE) {
        *word = announced_word(link, now);
        return true;
    }
    if (credit_due(link, now)) {
        tx->after = DNP_AFTER_CREDIT;
    } else if (tx->from != NULL && tx->started) {
        *word = packet_word(link);
        return true;
    } else if (tx->from != NULL) {
        tx->after = DNP_AFTER_START;
    } else {
        return false;
    }
    *word = DNP_MAGIC;
    return true;
}

/* The words of a packet that leave now as they are, up to n: none is Magic, and no credit comes
 * between them. */
static uint32_t send_run(struct dnp_link *link, uint64_t now, struct apelink_word *words,
                         uint32_t n)
{
    struct dnp_link_tx *tx = &link->tx;
    const struct apelink_word *from;
    uint32_t run;

    if (tx->after != DNP_AFTER_NONE || tx->from == NULL || !tx->started || credit_due(link, now)) {
        return 0;
    }
    run = dnp_fifo_run(tx->from, (uint32_t)ni_min_u64(n, tx->left), &from);
    run = dnp_words_before_magic(from, run);
    memcpy(words, from, run * sizeof *words);
    dnp_fifo_skip(tx->from, run);
    words_left(link, run);
    tx->sent[tx->vc] = (uint16_t)(tx->sent[tx->vc] + run);
    return run;
}

uint32_t dnp_link_send_burst(struct dnp_link *link, uint64_t now, struct apelink_word *words,
                             uint32_t n)
{
    uint32_t count = 0, run;

    while (count < n) {
        run = send_run(link, now, words + count, n - count);
        if (run == 0) {
            run = dnp_link_send(link, now, &words[count]) ? 1 : 0;
        }
        if (run == 0) {
            break;
        }
        count += run;
    }
    return count;
}
