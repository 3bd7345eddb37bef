/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's side of the mutual watchdog. */
#include "hfm/watchdog.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "driver/apelink_abi.h"

void hfm_watchdog_init(struct hfm_watchdog *watchdog, const struct hfm_card *card,
                       uint64_t write_period, uint64_t read_period, uint64_t now)
{
    NI_ASSERT(write_period > 0 && write_period < read_period);
    *watchdog = (struct hfm_watchdog){.card = card,
                                      .write_period = write_period,
                                      .read_period = read_period,
                                      .written_at = now - write_period,
                                      .read_at = now};
}

static uint64_t write_due(const struct hfm_watchdog *watchdog)
{
    return watchdog->written_at + watchdog->write_period;
}

static uint64_t read_due(const struct hfm_watchdog *watchdog)
{
    return watchdog->read_at + watchdog->read_period;
}

uint64_t hfm_watchdog_due(const struct hfm_watchdog *watchdog)
{
    return ni_min_u64(write_due(watchdog), read_due(watchdog));
}

static int reach(void *arg, struct apelink_item *item)
{
    const struct hfm_card *card = arg;

    return (item->flags & APELINK_ITEM_WRITE) != 0
               ? card->write(card->arg, item->offset, item->value)
               : card->read(card->arg, item->offset, &item->value);
}

/* Reach registers by one call, or by one each. Returns how many were reached. */
static uint32_t reach_all(const struct hfm_watchdog *watchdog, struct apelink_item *items,
                          uint32_t count)
{
    struct hfm_card card = *watchdog->card;
    struct apelink_list list = {.count = count};
    uint32_t done;

    if (card.list != NULL) {
        (void)card.list(card.arg, items, count, &done);
        return done;
    }
    memcpy(list.item, items, count * sizeof *items);
    (void)apelink_list_run(&list, reach, &card);
    memcpy(items, list.item, count * sizeof *items);
    return list.done;
}

enum { TAKES = 3 };

/* Read a register, and make it invalid if one of the bits that are wanted is set, or none is
 * wanted. The card may write in between, which a second read finds. */
static void put_take(struct apelink_item item[TAKES], uint32_t offset, uint32_t valid,
                     uint32_t wanted)
{
    item[0] = (struct apelink_item){.offset = offset, .wanted = wanted};
    item[1] = (struct apelink_item){.offset = offset, .value = ~valid, .flags = APELINK_ITEM_WRITE};
    item[2] = (struct apelink_item){.offset = offset};
}

/* What both reads have found, if there were two: the worse, as a fault word whose bit 0 is bit
 * `low`; either has all bits of both. */
static uint32_t taken(const struct apelink_item item[TAKES], uint32_t done, unsigned low,
                      uint32_t *either)
{
    uint32_t first = item[0].value, second = done == TAKES ? item[2].value : first;

    *either = first | second;
    return dnp_fault_worst(first >> low, second >> low);
}

static void learn(struct hfm_watchdog *watchdog, unsigned subject, uint32_t fault,
                  const struct hfm_listener *listener)
{
    uint32_t before = watchdog->known[subject];

    if (fault != before || !watchdog->begun) {
        watchdog->known[subject] = fault;
        listener->changed(listener->arg, subject, fault, before);
    }
}

/* Only those that fail, as dnp_watchdog says, or have failed: each costs a call. */
static void read_neighbours(struct hfm_watchdog *watchdog, uint32_t dnp_watchdog,
                            const struct hfm_listener *listener)
{
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        bool fails = (dnp_watchdog & dnp_fault_neighbour(link)) != 0;
        struct apelink_item item[TAKES];
        uint32_t done, word, either;

        if (watchdog->begun && !fails && watchdog->known[link] == 0) {
            continue;
        }
        put_take(item, (uint32_t)DNP_REG_remote_fault + 4 * link, DNP_FAULT_VALID,
                 watchdog->begun ? DNP_FAULT_VALID : 0);
        done = reach_all(watchdog, item, TAKES);
        if (done > 0 && ((item[0].value & DNP_FAULT_VALID) != 0 || !watchdog->begun)) {
            word = taken(item, done, 0, &either);
            learn(watchdog, link, word & (DNP_FAULT_HOST | DNP_FAULT_CARD), listener);
        }
    }
}

/* dnp_watchdog was asked for, and done of its items were. */
static void look(struct hfm_watchdog *watchdog, const struct apelink_item item[TAKES],
                 uint32_t done, bool late, const struct hfm_listener *listener)
{
    bool valid = done > 0 && DNP_FIELD_GET(item[0].value, dnp_watchdog_valid) != 0;
    uint32_t word, either;

    dnp_watch_read(&watchdog->watch, valid, late);
    if (valid) {
        word = taken(item, done, 1, &either);
        learn(watchdog, HFM_OWN, word & DNP_FAULT_CARD, listener);
        read_neighbours(watchdog, either, listener);
        watchdog->begun = true;
    } else if (watchdog->watch.lost && (watchdog->known[HFM_OWN] & HFM_CARD_LOST) == 0) {
        learn(watchdog, HFM_OWN, watchdog->known[HFM_OWN] | HFM_CARD_LOST, listener);
    }
}

/* dnp_watchdog was not valid. A card that is a program and has waited for a processor writes it as
 * soon as it has one, which the call has given it. */
static uint32_t look_again(const struct hfm_watchdog *watchdog, struct apelink_item item[TAKES])
{
    put_take(item, DNP_REG_dnp_watchdog, 1, 1);
    return reach_all(watchdog, item, TAKES);
}

static struct apelink_item host_status(const struct hfm_watchdog *watchdog)
{
    uint32_t word = DNP_FIELD_PUT(watchdog->host << 1, host_watchdog_valid, 1);

    return (struct apelink_item){.offset = DNP_REG_host_watchdog,
                                 .value = DNP_FIELD_PUT(word, host_watchdog_send, watchdog->send),
                                 .flags = APELINK_ITEM_WRITE};
}

void hfm_watchdog_step(struct hfm_watchdog *watchdog, uint64_t now,
                       const struct hfm_listener *listener)
{
    bool reads = now >= read_due(watchdog), writes;
    uint64_t soon = reads ? watchdog->write_period / 4 : 0; /* one wake-up for both */
    struct apelink_item item[1 + TAKES];
    uint32_t count = 0, before, done;

    writes = now + soon >= write_due(watchdog);
    if (writes) {
        item[count++] = host_status(watchdog);
        watchdog->written_at = now;
    }
    before = count;
    if (reads) {
        put_take(item + count, DNP_REG_dnp_watchdog, 1, 1);
        count += TAKES;
    }
    done = count > 0 ? reach_all(watchdog, item, count) : 0;
    if (reads && done == before + 1) {
        done = before + look_again(watchdog, item + before);
    }
    if (reads) {
        uint64_t late = now - read_due(watchdog);

        look(watchdog, item + before, done > before ? done - before : 0,
             late >= watchdog->read_period - watchdog->write_period, listener);
        watchdog->read_at = now;
    }
}

void hfm_watchdog_answered(struct hfm_watchdog *watchdog, uint64_t now, uint64_t answered)
{
    if (watchdog->read_at == now && answered - now > watchdog->write_period / 4) {
        watchdog->read_at = answered;
    }
}
