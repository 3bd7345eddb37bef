/* SPDX-License-Identifier: BSD-3-Clause */
/* What masters have done in a run. */
#include "master_history.h"

#include "base/bits.h"

enum { TERMS = 256 /* the last ones */ };

static struct {
    uint64_t term, at;
    uint32_t node;
} acted[TERMS];
static unsigned terms;
static uint64_t forgotten; /* what was before it */

void master_history_begin(void)
{
    terms = 0;
    forgotten = 0;
}

void master_history_forgets(uint64_t until)
{
    forgotten = until;
}

bool master_history_acts(uint32_t node, uint64_t term, uint64_t now)
{
    bool good = true;

    for (unsigned i = 0; i < ni_min_u64(terms, TERMS); i++) {
        good = good && (acted[i].term != term || acted[i].node == node || acted[i].at < forgotten);
    }
    acted[terms % TERMS].term = term;
    acted[terms % TERMS].at = now;
    acted[terms++ % TERMS].node = node;
    return good;
}

bool master_history_untold(uint32_t said, uint32_t told, uint32_t unsaid)
{
    for (unsigned low = 0; low < 26; low += 2) {
        unsigned s = said >> low & 3, t = told >> low & 3;

        if ((unsaid >> low & 3) == 0 && (t < (s & 2) || (s == 1 && t == 0))) {
            return true;
        }
    }
    return false;
}
