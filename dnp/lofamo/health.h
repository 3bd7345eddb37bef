/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LOFAMO_HEALTH_H
#define DNP_LOFAMO_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/lofamo/fault.h"
#include "dnp/registers.h"

/*
 * What a card finds out about itself (APEnet+ 2.1.3.4). Each is looked at when dnp_watchdog is
 * written. Not thread-safe.
 */

/*
 * Errors of a link over the bytes that it has received. A window ends when there have been
 * link_sick's errors at link_sick's rate or more, which makes the link sick, or when its bytes have
 * come with fewer, which makes it normal. So a link that carries nothing stays what it is.
 */
struct dnp_link_health {
    uint64_t words; /* at the beginning of the window */
    uint32_t lost;
    uint32_t errors;
    bool sick;
};

void dnp_link_health_begin(struct dnp_link_health *health, const struct dnp_register_file *file,
                           unsigned link);

enum dnp_status dnp_link_health_look(struct dnp_link_health *health,
                                     const struct dnp_register_file *file, unsigned link,
                                     bool down);

/* Work that waits in the core, and something that changes whenever there is progress. */
struct dnp_core_work {
    bool waiting;
    uint64_t progress;
};

struct dnp_core_health {
    uint64_t progress;
    uint64_t since; /* in cycles: when there was progress, or nothing waited */
};

enum dnp_status dnp_core_health_look(struct dnp_core_health *health,
                                     const struct dnp_register_file *file,
                                     const struct dnp_core_work *work, uint64_t now);

/* The sensors against their thresholds: a fault word in which only they are. */
uint32_t dnp_sensors_look(const struct dnp_register_file *file);

/* Cycles of so many milliseconds, at least 1 of more than none. */
uint64_t dnp_cycles_of_ms(const struct dnp_register_file *file, uint32_t ms);

#endif
