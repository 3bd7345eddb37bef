/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_VERDICT_H
#define HFM_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "dnp/way.h"

/* What fault words mean to people. */

enum hfm_verdict {
    HFM_NORMAL,
    HFM_SICK,   /* something works, but worse than it should */
    HFM_BROKEN, /* something does not work, or the daemon is not heard */
    HFM_LOST,   /* the host does not work any more: programs on it are lost */
    HFM_VERDICTS,
};

/* Of a fault word (dnp/lofamo/fault.h, hfm/watchdog.h). Pure. */
enum hfm_verdict hfm_verdict_of(uint32_t fault);
const char *hfm_verdict_name(enum hfm_verdict verdict);

/* Write such as "memory sick, link X+ broken", or "normal". Returns the length, cut to size - 1. */
size_t hfm_fault_print(uint32_t fault, char *text, size_t size);

/* Write how something became known, such as "node 3 by its link X+: remote_fault[0], service
 * network". subject: HFM_OWN, a link, or HFM_SILENCE. */
size_t hfm_path_print(uint32_t about, uint32_t via, unsigned subject, char *text, size_t size);

/* Write by which cables a ring is parted, such as "cables are broken at X+ of node 1 and at X- of
 * node 0". */
size_t hfm_parted_print(const struct dnp_cable_end broken[2], char *text, size_t size);

#endif
