/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_WATCHDOG_H
#define HFM_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/lofamo/fault.h"
#include "dnp/lofamo/watch.h"
#include "hfm/card.h"

/*
 * The host's side of the mutual watchdog: the host watchdog and the DNP watchdog of Table 7.
 *
 *   each T_write   host's status --> host_watchdog, made valid
 *   each T_read    dnp_watchdog --valid?--> what the card and its neighbours suffer, or card lost
 *
 * What was read is made invalid, so that the card knows that it has been seen; so is remote_fault,
 * which acknowledges it. A card that cannot be reached at all is lost like one that does not write.
 * What is not valid is read once more at once: the card may be a program that was only late.
 *
 * A function of its state, the registers and the time, which is in any unit. Not thread-safe.
 */

/* Of whom something is known: the own node, or a neighbour's by a link. */
enum { HFM_OWN = DNP_LINKS, HFM_SUBJECTS, HFM_SILENCE = HFM_SUBJECTS };

/* In a fault word. Of a card that does not write its register any more the other fields are what
 * they were. */
#define HFM_ASKED      0x80000000U /* its kernel is asked whether the host lives, or says so */
#define HFM_CARD_LOST  0x40000000U
#define HFM_SILENT     0x20000000U /* its daemon is not heard over the service network */
#define HFM_GONE       0x10000000U /* neither is anything else of the node */
#define HFM_LEFT       0x08000000U /* its daemon has ended as it was told: nobody watches it */
#define HFM_UNHEARD    0x04000000U /* and was not, since the master began */
#define HFM_FAULT_OURS (HFM_ASKED | HFM_CARD_LOST | HFM_SILENT | HFM_GONE | HFM_LEFT | HFM_UNHEARD)

/* Of each field the worse of two fault words. */
static inline uint32_t hfm_fault_worst(uint32_t a, uint32_t b)
{
    return dnp_fault_worst(a & ~HFM_FAULT_OURS, b & ~HFM_FAULT_OURS) | ((a | b) & HFM_FAULT_OURS);
}

struct hfm_watchdog {
    const struct hfm_card *card;
    uint64_t write_period, read_period;
    uint64_t written_at, read_at;
    struct dnp_watch watch;
    bool begun;                   /* something valid has been read */
    uint32_t host;                /* status of the host, a fault word, to be written */
    bool send;                    /* neighbours are to be told, too */
    uint32_t known[HFM_SUBJECTS]; /* fault words */
};

/* Who hears of changes: what is known now, and what was before; and once, at the first read of a
 * card that writes, of everything, changed or not. Not called again from within. */
struct hfm_listener {
    void (*changed)(void *arg, unsigned subject, uint32_t fault, uint32_t before);
    void *arg;
};

/* write_period < read_period, neither 0: those of fault_timer. The card has to stay. The first
 * write is due at once, the first read a read_period later. */
void hfm_watchdog_init(struct hfm_watchdog *watchdog, const struct hfm_card *card,
                       uint64_t write_period, uint64_t read_period, uint64_t now);

/* When there is something to do. */
uint64_t hfm_watchdog_due(const struct hfm_watchdog *watchdog);

/* Do what is due. */
void hfm_watchdog_step(struct hfm_watchdog *watchdog, uint64_t now,
                       const struct hfm_listener *listener);

/* The card has answered the step at `now` only at `answered`: what it is late by counts until it is
 * read next, or it would be read again before it has to have written. */
void hfm_watchdog_answered(struct hfm_watchdog *watchdog, uint64_t now, uint64_t answered);

#endif
