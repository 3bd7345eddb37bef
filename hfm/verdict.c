/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault words in words. */
#include "hfm/verdict.h"

#include <stdio.h>

#include <apeni/torus.h>

#include "base/bits.h"
#include "hfm/watchdog.h"

static const char *const names[] = {"normal", "sick", "broken", "lost"};

static const struct {
    const char *name;
    unsigned low;
    const char *sick, *broken;
} fields[] = {
    {"service network", 0, "sick", "broken"}, {"memory", 2, "sick", "broken"},
    {"peripheral", 4, "sick", "broken"},      {"core", 6, "sick", "broken"},
    {"current", 8, "warning", "alarm"},       {"voltage", 10, "warning", "alarm"},
    {"temperature", 12, "warning", "alarm"},  {"link Z-", 14, "sick", "broken"},
    {"link Z+", 16, "sick", "broken"},        {"link Y-", 18, "sick", "broken"},
    {"link Y+", 20, "sick", "broken"},        {"link X-", 22, "sick", "broken"},
    {"link X+", 24, "sick", "broken"},
};

enum hfm_verdict hfm_verdict_of(uint32_t fault)
{
    if ((fault & HFM_GONE) != 0 || (fault & DNP_FAULT_HOST) == DNP_FAULT_HOST_LOST) {
        return (fault & HFM_ASKED) != 0 ? HFM_BROKEN : HFM_LOST;
    }
    if ((fault & (HFM_CARD_LOST | HFM_SILENT)) != 0 || (fault & 0x02aaaaaaU) != 0) {
        return HFM_BROKEN;
    }
    return fault != 0 ? HFM_SICK : HFM_NORMAL;
}

const char *hfm_verdict_name(enum hfm_verdict verdict)
{
    return names[verdict];
}

static size_t add(char *text, size_t size, size_t used, const char *what, const char *how)
{
    int added = snprintf(text + used, size - used, "%s%s%s%s", used > 0 ? ", " : "", what,
                         how[0] != '\0' ? " " : "", how);

    return ni_min_u64(used + (size_t)added, size - 1);
}

size_t hfm_fault_print(uint32_t fault, char *text, size_t size)
{
    size_t used = 0;
    bool lost = (fault & DNP_FAULT_HOST) == DNP_FAULT_HOST_LOST;

    text[0] = '\0';
    if ((fault & HFM_ASKED) != 0) {
        used = add(text, size, used, "daemon lost", "");
    }
    if ((fault & HFM_GONE) != 0 && (fault & HFM_ASKED) == 0) {
        used = add(text, size, used, "node gone", "");
    }
    if (lost && (fault & HFM_ASKED) == 0) {
        used = add(text, size, used, "host lost", "");
    }
    if ((fault & HFM_SILENT) != 0 && (fault & HFM_ASKED) == 0) {
        used = add(text, size, used, "daemon silent",
                   (fault & HFM_UNHEARD) != 0 ? "since the master began" : "");
    }
    if ((fault & HFM_LEFT) != 0) {
        used = add(text, size, used, "daemon stopped", "");
    }
    if ((fault & HFM_CARD_LOST) != 0) {
        used = add(text, size, used, "card lost", "");
    }
    for (unsigned i = lost ? 3 : 0; i < sizeof fields / sizeof fields[0]; i++) {
        unsigned status = fault >> fields[i].low & 3;

        if (status != DNP_NORMAL) {
            used = add(text, size, used, fields[i].name,
                       status == DNP_SICK ? fields[i].sick : fields[i].broken);
        }
    }
    return used > 0 ? used : add(text, size, used, "normal", "");
}

size_t hfm_path_print(uint32_t about, uint32_t via, unsigned subject, char *text, size_t size)
{
    int length;

    if (subject == HFM_SILENCE) {
        length = snprintf(text, size, "no ping heard by node %u over the service network", via);
    } else if (subject == HFM_OWN && via == about) {
        length =
            snprintf(text, size, "its own daemon: dnp_watchdog and host status, service network");
    } else if (subject == HFM_OWN) {
        length = snprintf(text, size, "no ping, and node %u by its links: dnp_watchdog", via);
    } else {
        length = snprintf(text, size, "node %u by its link %s: remote_fault[%u], service network",
                          via, ni_torus_direction_name((enum ni_torus_direction)subject), subject);
    }
    return ni_min_u64((size_t)length, size - 1);
}

size_t hfm_parted_print(const struct dnp_cable_end broken[2], char *text, size_t size)
{
    int length = snprintf(text, size, "cables are broken at %s of node %u and at %s of node %u",
                          ni_torus_direction_name(broken[0].link), broken[0].node,
                          ni_torus_direction_name(broken[1].link), broken[1].node);

    return ni_min_u64((size_t)length, size - 1);
}
