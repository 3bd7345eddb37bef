/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LOFAMO_WATCH_H
#define DNP_LOFAMO_WATCH_H

#include <stdbool.h>

/*
 * One direction of the mutual watchdog (APEnet+ 2.1.3.3): the owner of a register writes it and
 * makes it valid each T_write, the other side reads it and makes it invalid each T_read, which is
 * longer. What is invalid at a read has not been written since the last one: the owner is lost.
 *
 *   alive --invalid--> lost          lost --valid--> alive
 *   alive --invalid, but this read is late--> alive, once
 *
 * A reader that is late has perhaps been stopped together with the owner; so it accuses nobody at a
 * read that is late, unless the one before has been excused already (ours).
 */
struct dnp_watch {
    bool lost;
    bool excused;
};

/* A read found the register valid or not. late: it came later than T_read by T_read - T_write or
 * more. */
static inline void dnp_watch_read(struct dnp_watch *watch, bool valid, bool late)
{
    bool excuse = !valid && late && !watch->excused && !watch->lost;

    watch->lost = !valid && !excuse;
    watch->excused = excuse;
}

#endif
