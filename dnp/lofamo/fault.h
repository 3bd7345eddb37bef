/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LOFAMO_FAULT_H
#define DNP_LOFAMO_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/limits.h"
#include "dnp/registers.h"

/*
 * What is known about a node's health, a fault word: fields of two bits, as in Table 6.
 *
 *    5 - 0   the host: service network, memory, peripheral      (host_watchdog, bits 6 - 1)
 *   25 - 6   the card: core, sensors, links from Z- to X+       (dnp_watchdog, bits 26 - 7)
 *   31       of a diagnostic message: there is one
 *
 * Pure functions.
 */

enum dnp_status {
    DNP_NORMAL = 0,
    DNP_SICK = 1,   /* of sensors: warning */
    DNP_BROKEN = 2, /* of sensors: alarm */
};

#define DNP_FAULT_HOST  0x0000003fU
#define DNP_FAULT_CARD  0x03ffffc0U
#define DNP_FAULT_VALID 0x80000000U

/* A host that does not write its register any more: all that it would tell of is broken (ours;
 * Table 6 has no bit for it). */
#define DNP_FAULT_HOST_LOST 0x0000002aU

/* Whether no field has the value 3, which no table has. */
static inline bool dnp_fault_makes_sense(uint32_t fault)
{
    return (fault & fault >> 1 & 0x55555555U & (DNP_FAULT_HOST | DNP_FAULT_CARD)) == 0;
}

/* Of each field the worse of two, of which none is 3. */
static inline uint32_t dnp_fault_worst(uint32_t a, uint32_t b)
{
    uint32_t broken = (a | b) & 0xaaaaaaaaU;

    return broken | ((a | b) & 0x55555555U & ~(broken >> 1));
}

static inline uint32_t dnp_fault_of_host(uint32_t host_watchdog)
{
    return host_watchdog >> 1 & DNP_FAULT_HOST;
}

static inline uint32_t dnp_fault_of_card(uint32_t dnp_watchdog)
{
    return dnp_watchdog >> 1 & DNP_FAULT_CARD;
}

/* What the spare bits of a credit say: a message without the bits that Table 6 does not name, or 0
 * if there is none. */
static inline uint32_t dnp_fault_message(uint32_t spare)
{
    return (spare & DNP_FAULT_VALID) != 0
               ? spare & (DNP_FAULT_VALID | DNP_FAULT_HOST | DNP_FAULT_CARD)
               : 0;
}

/* The field of a link in a fault word, and the bit of a neighbour in dnp_watchdog. */
static inline unsigned dnp_fault_link_low(unsigned link)
{
    return DNP_LOW_remote_fault_link_x_plus - 2 * link;
}

static inline uint32_t dnp_fault_neighbour(unsigned link)
{
    return 1U << (DNP_LOW_dnp_watchdog_neighbour_x_plus - link);
}

#endif
