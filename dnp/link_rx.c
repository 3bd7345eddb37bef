/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiving side of a link. */
#include "base/bits.h"
#include "dnp/control.h"
#include "dnp/crc.h"
#include "dnp/link.h"
#include "dnp/lofamo/fault.h"
#include "driver/packet.h"

static void count(struct dnp_link *link, enum dnp_offset reg, uint32_t more)
{
    dnp_add(link->registers, reg, link->index, more);
}

uint16_t dnp_link_taken(const struct dnp_link *link, uint8_t vc)
{
    return (uint16_t)(link->rx.seen[vc] - dnp_fifo_held(&link->rx.fifo[vc]));
}

/* Whether no credit came for link_timeout. */
static bool missed(const struct dnp_link *link, uint64_t now)
{
    uint32_t timeout = dnp_get(link->registers, DNP_REG_link_timeout, 0);

    return timeout != 0 && now - link->rx.heard_at > timeout;
}

bool dnp_link_refuses(const struct dnp_link *link, uint64_t now)
{
    return missed(link, now) || now < link->rx.shut_until;
}

bool dnp_link_shut(const struct dnp_link *link, uint64_t now)
{
    return missed(link, now) || link->rx.opens;
}

/* The packet that arrives will not be one: `reg` says why. */
static void drop(struct dnp_link *link, enum dnp_offset reg)
{
    struct dnp_link_rx *rx = &link->rx;

    count(link, reg, 1);
    count(link, DNP_REG_link_lost_words, rx->words - rx->left);
    dnp_fifo_cancel(&rx->fifo[rx->vc]);
    rx->left = 0;
}

/* The other side had sent so many words on this channel before what comes now. */
static void catch_up(struct dnp_link *link, uint8_t vc, uint16_t sent)
{
    struct dnp_link_rx *rx = &link->rx;
    uint16_t missing = (uint16_t)(sent - rx->seen[vc]);

    if (missing == 0) {
        return;
    }
    if (rx->left > 0 && rx->vc == vc) {
        drop(link, DNP_REG_link_cut_packets);
    }
    if (missing <= INT16_MAX) { /* otherwise we saw more than was sent: words came twice */
        count(link, DNP_REG_link_lost_words, missing);
    }
    rx->seen[vc] = sent;
}

/* Whether the packet is as long as its header says. */
static bool consistent(const struct dnp_link_rx *rx)
{
    const struct dnp_fifo *fifo = &rx->fifo[rx->vc];
    struct apelink_header header;

    return apelink_header_unpack(fifo->word[fifo->ready & (fifo->size - 1)], &header) &&
           apelink_packet_words(header.len) == rx->words;
}

static void packet_end(struct dnp_link *link, struct apelink_word footer)
{
    struct dnp_link_rx *rx = &link->rx;

    if (!dnp_footer_sealed(footer, rx->crc)) {
        drop(link, DNP_REG_link_crc_errors);
    } else if (rx->full || !consistent(rx)) {
        drop(link, DNP_REG_link_bad_packets);
    } else {
        dnp_fifo_commit(&rx->fifo[rx->vc]);
        dnp_add64(link->registers, DNP_REG_link_packets, link->index, 1);
        dnp_add64(link->registers, DNP_REG_link_words, link->index, rx->words);
    }
}

static void packet_word(struct dnp_link *link, struct apelink_word word)
{
    struct dnp_link_rx *rx = &link->rx;
    struct dnp_fifo *fifo = &rx->fifo[rx->vc];

    if (rx->left == 0) {
        count(link, DNP_REG_link_stray_words, 1);
        return;
    }
    rx->seen[rx->vc]++;
    rx->left--;
    if (dnp_fifo_room(fifo) > 0) {
        dnp_fifo_put(fifo, word);
    } else {
        rx->full = true;
    }
    if (rx->left == 0) {
        packet_end(link, word);
    } else {
        rx->crc = dnp_crc(rx->crc, &word, 1);
    }
}

static void packet_start(struct dnp_link *link, uint64_t now, const struct dnp_control *start)
{
    struct dnp_link_rx *rx = &link->rx;

    if (rx->left > 0) {
        drop(link, DNP_REG_link_cut_packets);
    }
    catch_up(link, start->vc, start->sent[start->vc]);
    rx->vc = start->vc;
    rx->left = rx->words = start->words;
    rx->crc = 0;
    rx->full = dnp_link_refuses(link, now);
}

static void credit(struct dnp_link *link, uint64_t now, const struct dnp_control *credit)
{
    for (uint8_t vc = 0; vc < DNP_VCS; vc++) {
        link->tx.taken[vc] = credit->taken[vc];
        catch_up(link, vc, credit->sent[vc]);
    }
    if (dnp_fault_makes_sense(credit->spare)) {
        link->rx.spare = dnp_fault_message(credit->spare);
        link->rx.spare_worst = dnp_fault_worst(link->rx.spare_worst, link->rx.spare);
    } else {
        count(link, DNP_REG_link_stray_words, 1);
    }
    if (missed(link, now)) {
        uint32_t timeout = dnp_get(link->registers, DNP_REG_link_timeout, 0);

        link->rx.shut_until = now + timeout / DNP_LINK_SHUT;
        link->rx.opens = true;
    } else if (now >= link->rx.shut_until) {
        link->rx.opens = false;
    }
    link->rx.heard_at = now;
    dnp_set(link->registers, DNP_REG_link_up, link->index, !link->rx.opens);
}

static void announced_word(struct dnp_link *link, uint64_t now, struct apelink_word word)
{
    struct dnp_control control;

    if (!dnp_control_unpack(word, &control)) {
        count(link, DNP_REG_link_stray_words, 1);
    } else if (control.kind == DNP_START) {
        packet_start(link, now, &control);
    } else if (control.kind == DNP_CREDIT) {
        credit(link, now, &control);
    } else {
        packet_word(link, DNP_MAGIC);
    }
}

void dnp_link_receive(struct dnp_link *link, uint64_t now, struct apelink_word word)
{
    bool announced = link->rx.magic;

    link->rx.magic = apelink_word_equal(word, DNP_MAGIC);
    if (link->rx.magic) {
        count(link, DNP_REG_link_stray_words, announced ? 1 : 0);
    } else if (announced) {
        announced_word(link, now, word);
    } else {
        packet_word(link, word);
    }
}

/* The words that are just the next ones of the packet that arrives, up to n: none is Magic, none
 * the last, and all have room. */
static uint32_t receive_run(struct dnp_link *link, const struct apelink_word *words, uint32_t n)
{
    struct dnp_link_rx *rx = &link->rx;
    struct dnp_fifo *fifo = &rx->fifo[rx->vc];

    if (rx->magic || rx->left <= 1) {
        return 0;
    }
    n = (uint32_t)ni_min_u64(n, ni_min_u64(rx->left - 1, dnp_fifo_room(fifo)));
    n = dnp_words_before_magic(words, n);
    dnp_fifo_put_run(fifo, words, n);
    rx->crc = dnp_crc(rx->crc, words, n);
    rx->seen[rx->vc] = (uint16_t)(rx->seen[rx->vc] + n);
    rx->left -= n;
    return n;
}

void dnp_link_receive_burst(struct dnp_link *link, uint64_t now, const struct apelink_word *words,
                            uint32_t n)
{
    while (n > 0) {
        uint32_t run = receive_run(link, words, n);

        if (run == 0) {
            dnp_link_receive(link, now, *words);
            run = 1;
        }
        words += run;
        n -= run;
    }
}

bool dnp_link_down(struct dnp_link *link, uint64_t now)
{
    bool down = missed(link, now);

    if (down) {
        dnp_set(link->registers, DNP_REG_link_up, link->index, 0);
    }
    return down;
}
