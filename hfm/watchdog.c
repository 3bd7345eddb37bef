/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's side of the mutual watchdog. */
#include "hfm/watchdog.h"

#include "base/assert.h"
#include "base/bits.h"

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

static bool read_card(const struct hfm_watchdog *watchdog, uint32_t offset, uint32_t *value)
{
    return watchdog->card->read(watchdog->card->arg, offset, value) == 0;
}

/* A card that does not take what is written is found at the next read. */
static void write_card(const struct hfm_watchdog *watchdog, uint32_t offset, uint32_t value)
{
    (void)watchdog->card->write(watchdog->card->arg, offset, value);
}

/* Make a register invalid whose first read is given. The card may have written in between, which a
 * second read finds. Returns the worse of both, as a fault word whose bit 0 is bit `low`; either
 * has all bits of both. */
static uint32_t take(const struct hfm_watchdog *watchdog, uint32_t offset, uint32_t valid,
                     unsigned low, uint32_t first, uint32_t *either)
{
    uint32_t second = first;

    write_card(watchdog, offset, ~valid);
    (void)read_card(watchdog, offset, &second);
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

/* Only those that fail, as dnp_watchdog says, or have failed: each register costs a call. */
static void read_neighbours(struct hfm_watchdog *watchdog, uint32_t dnp_watchdog,
                            const struct hfm_listener *listener)
{
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        uint32_t offset = (uint32_t)DNP_REG_remote_fault + 4 * link, word, either;
        bool fails = (dnp_watchdog & dnp_fault_neighbour(link)) != 0;

        if (watchdog->begun && !fails && watchdog->known[link] == 0) {
            continue;
        }
        if (read_card(watchdog, offset, &word) &&
            ((word & DNP_FAULT_VALID) != 0 || !watchdog->begun)) {
            word = take(watchdog, offset, DNP_FAULT_VALID, 0, word, &either);
            learn(watchdog, link, word & (DNP_FAULT_HOST | DNP_FAULT_CARD), listener);
        }
    }
}

static void look(struct hfm_watchdog *watchdog, bool late, const struct hfm_listener *listener)
{
    uint32_t word = 0, either;
    bool reached = read_card(watchdog, DNP_REG_dnp_watchdog, &word);
    bool valid = reached && DNP_FIELD_GET(word, dnp_watchdog_valid) != 0;

    dnp_watch_read(&watchdog->watch, valid, late);
    if (valid) {
        word = take(watchdog, DNP_REG_dnp_watchdog, 1, 1, word, &either);
        learn(watchdog, HFM_OWN, word & DNP_FAULT_CARD, listener);
        read_neighbours(watchdog, either, listener);
        watchdog->begun = true;
    } else if (watchdog->watch.lost && (watchdog->known[HFM_OWN] & HFM_CARD_LOST) == 0) {
        learn(watchdog, HFM_OWN, watchdog->known[HFM_OWN] | HFM_CARD_LOST, listener);
    }
}

void hfm_watchdog_step(struct hfm_watchdog *watchdog, uint64_t now,
                       const struct hfm_listener *listener)
{
    bool reads = now >= read_due(watchdog);
    uint64_t soon = reads ? watchdog->write_period / 4 : 0; /* one wake-up for both */

    if (now + soon >= write_due(watchdog)) {
        uint32_t word = DNP_FIELD_PUT(watchdog->host << 1, host_watchdog_valid, 1);

        write_card(watchdog, DNP_REG_host_watchdog,
                   DNP_FIELD_PUT(word, host_watchdog_send, watchdog->send));
        watchdog->written_at = now;
    }
    if (reads) {
        uint64_t late = now - read_due(watchdog);

        look(watchdog, late >= watchdog->read_period - watchdog->write_period, listener);
        watchdog->read_at = now;
    }
}
