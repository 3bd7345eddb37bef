/* SPDX-License-Identifier: BSD-3-Clause */
/* What this host's fault manager knows. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault_page.h"
#include "info.h"

/* Why there is no page, for the user. */
static void complain(const char *path, ni_status status)
{
    if (status == NI_ERR_NOTFOUND) {
        fprintf(
            stderr,
            "apeni-info: there is no %s: apelink-hfm does not run here, or has no line \"page\" "
            "with this path\n",
            path);
    } else if (status == NI_ERR_ACCESS) {
        fprintf(stderr, "apeni-info: %s belongs neither to root nor to you, and is not believed\n",
                path);
    } else if (status == NI_ERR_PROTOCOL) {
        fprintf(stderr, "apeni-info: %s is no fault page of this version\n", path);
    } else {
        fprintf(stderr, "apeni-info: %s: %s\n", path, strerror(errno));
    }
}

static void print_text(const struct ni_fault_page *page, const struct ni_fault_about *about,
                       bool old)
{
    struct ni_fault_entry entry;
    unsigned normal = 0;

    printf("Faults\n  torus            %ux%ux%u, this is node %u\n", about->torus[0],
           about->torus[1], about->torus[2], about->self);
    if (old) {
        printf("  fault manager    does not run any more: what follows is old\n");
    } else if (about->master == UINT32_MAX) {
        printf("  master           none is heard: what follows may be old\n");
    } else {
        printf("  master           node %u\n", about->master);
    }
    for (uint32_t i = 0; i < about->nodes; i++) {
        if (!ni_fault_page_read(page, i, &entry)) {
            printf("  node %-11u cannot be read: its writer has died over it\n", i);
            continue;
        }
        if (ni_fault_entry_is_parted(&entry, UINT64_MAX)) {
            printf("  node %-11u its card has no way to this one's or back: %s\n", i, entry.parted);
        }
        if (entry.state == NI_FAULT_NORMAL) {
            normal++;
            continue;
        }
        printf("  node %-11u %s: %s (%s; by %s; seen otherwise %u.%03u ms before)\n", i,
               ni_fault_state_name(entry.state), entry.what, entry.host, entry.how,
               entry.unseen_us / 1000, entry.unseen_us % 1000);
    }
    printf("  normal           %u of %u nodes\n", normal, about->nodes);
}

static void print_json(const struct ni_fault_page *page, const struct ni_fault_about *about,
                       bool old)
{
    struct ni_fault_entry entry;

    printf("{\n  \"faults\": {\"torus\": [%u, %u, %u], \"self\": %u, \"old\": %s, \"master\": ",
           about->torus[0], about->torus[1], about->torus[2], about->self, old ? "true" : "false");
    printf(about->master == UINT32_MAX ? "null" : "%u", about->master);
    printf(", \"nodes\": [");
    for (uint32_t i = 0; i < about->nodes; i++) {
        if (!ni_fault_page_read(page, i, &entry)) {
            entry = (struct ni_fault_entry){.state = NI_FAULT_STATES};
        }
        printf(
            "%s\n    {\"state\": \"%s\", \"word\": %u, \"via\": %u, \"unseen_us\": %u, \"host\": ",
            i > 0 ? "," : "", ni_fault_state_name(entry.state), entry.word, entry.via,
            entry.unseen_us);
        info_print_json_string(entry.host);
        printf(", \"what\": ");
        info_print_json_string(entry.what);
        printf(", \"how\": ");
        info_print_json_string(entry.how);
        printf(", \"parted\": ");
        info_print_json_string(entry.parted);
        printf("}");
    }
    printf("]}\n}\n");
}

bool info_print_faults(const char *path, enum info_format format)
{
    struct ni_fault_page *page;
    struct ni_fault_about about;
    ni_status status = ni_fault_page_open(path != NULL ? path : NI_FAULT_PAGE_PATH, &page);
    bool old;

    if (status != NI_OK) {
        complain(path != NULL ? path : NI_FAULT_PAGE_PATH, status);
        return false;
    }
    ni_fault_page_about(page, &about);
    old = ni_now_ns() - about.beat_ns > NI_FAULT_BEAT_NS;
    (format == INFO_FORMAT_JSON ? print_json : print_text)(page, &about, old);
    ni_fault_page_close(page);
    return true;
}
