/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface: opened, published, polled, closed. */
#include "ompi_match/match.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi_glue/check.h"
#include "ompi_glue/drain.h"

struct ompi_match ompi_match;

/* Not the component that publishes, so that processes with different ones find each other. */
const mca_base_component_t ompi_match_published = {
    OPAL_MCA_BASE_VERSION_2_1_0("match", 1, 0, 0),
    .mca_component_name = "address",
    MCA_BASE_MAKE_VERSION(component, OMPI_MATCH_MODEX_VERSION, 0, 0),
};

/* ---- open ------------------------------------------------------------------------------------ */

/* The portal: two handlers, an entry, descriptors of all memory. */
static int open_portal(void)
{
    uint32_t index;
    int rc = ni_portals_open(ompi_match.ni, NULL, NULL);

    if (rc == NI_OK) {
        rc = ni_eq_alloc_handler(ompi_match.ni, ompi_match.calls->on_sent, NULL, &ompi_match.sent);
    }
    if (rc == NI_OK) {
        rc = ni_eq_alloc_handler(ompi_match.ni, ompi_match.calls->on_received, NULL,
                                 &ompi_match.received);
    }
    if (rc == NI_OK) {
        rc = ni_pt_alloc(ompi_match.ni, NI_PT_UNEXPECTED, ompi_match.received, OMPI_MATCH_PT,
                         &index);
    }
    for (int polls = false; polls <= true; polls++) {
        unsigned attended = polls ? NI_MD_ATTENDED : 0;

        ompi_match.sends[polls] = (struct ni_md){
            .length = SIZE_MAX,
            .options = NI_MD_SENT_BY_RESULT | NI_MD_UNTIL_MATCHED | attended,
            .eq = ompi_match.sent,
        };
        ompi_match.syncs[polls] = (struct ni_md){
            .length = SIZE_MAX,
            .options = NI_MD_EVENT_SEND_DISABLE | attended,
            .eq = ompi_match.sent,
        };
    }
    return rc;
}

/* Of a blocking receive: a line's way there and back, several times. One where others wait for the
 * core, or where polling takes as long as giving it to them. */
static unsigned looks_for(const struct ni_open_attr *attr)
{
    enum { LOOKS = 400 };
    bool crowded = attr->host_processes > (unsigned)sysconf(_SC_NPROCESSORS_ONLN);

    return crowded || attr->hosts > 1 ? 1 : LOOKS;
}

static const char *open_ni(void)
{
    char *taken = ompi_glue_taken_cpus();
    struct ni_open_attr attr = {
        .flags = ompi_match.threads ? NI_THREADS : 0,
        .host_processes = ompi_glue_node_peers() + 1,
        .hosts = ompi_glue_hosts(),
        .taken_cpus = taken,
    };
    ni_status status = ni_open(&attr, &ompi_match.ni);

    free(taken);
    ompi_match.looks = looks_for(&attr);
    if (status != NI_OK) {
        ompi_match.ni = NULL;
        return ni_status_text(status);
    }
    if (open_portal() != NI_OK) {
        ni_close(ompi_match.ni);
        ompi_match.ni = NULL;
        return "no memory for the portal";
    }
    ni_on_peer_down(ompi_match.ni, ompi_match_peer_down, NULL);
    return NULL;
}

static int publish(void)
{
    struct ompi_match_modex modex;
    size_t size = offsetof(struct ompi_match_modex, blob);
    int rc;

    memset(&modex, 0, sizeof(modex));
    modex.version = OMPI_MATCH_MODEX_VERSION;
    modex.blob_len = (uint32_t)ni_address(ompi_match.ni, modex.blob, sizeof(modex.blob));
    OPAL_MODEX_SEND(rc, OMPI_GLUE_MODEX_ALL, &ompi_match_published, &modex, size + modex.blob_len);
    return rc;
}

/* Says why if it fails. */
static bool open_all(void)
{
    const char *why;

    ompi_match.closing = false;
    ni_list_init(&ompi_match.endpoints);
    OBJ_CONSTRUCT(&ompi_match.lock, opal_mutex_t);
    why = open_ni();
    if (why == NULL && ompi_match_make_buffers() != OPAL_SUCCESS) {
        why = "no memory for buffers";
    }
    if (why == NULL && publish() != OPAL_SUCCESS) {
        why = "its address could not be published";
    }
    if (why == NULL) {
        return true;
    }
    ompi_glue_help("no-interface", why, "", "");
    if (ompi_match.ni != NULL) {
        ompi_match_close();
    } else {
        OBJ_DESTRUCT(&ompi_match.lock);
    }
    return false;
}

/* Reasons to step aside before anything is opened. */
static bool usable(void)
{
    char reason[256];

    if (!ompi_glue_check_mtl(reason, sizeof(reason))) {
        ompi_glue_help("wrong-version", ompi_glue_built_for(), reason, "");
        return false;
    }
    return ompi_glue_apply_params();
}

bool ompi_match_open(bool threads, const struct ompi_match_calls *calls)
{
    ompi_match.threads = threads;
    ompi_match.calls = calls;
    if (!usable() || !open_all()) {
        return false;
    }
    if (ompi_glue_several_hosts() && !ni_reaches_hosts(ompi_match.ni)) {
        ompi_glue_help("no-network", "", "", "");
        ompi_match_close();
        return false;
    }
    return true;
}

/* ---- progress -------------------------------------------------------------------------------- */

static int progress(void)
{
    return (int)ni_progress(ompi_match.ni);
}

static int progress_or_sleep(void)
{
    return (int)ni_progress_or_sleep(ompi_match.ni);
}

void ompi_match_run(void)
{
    ompi_match.progress = ni_may_sleep(ompi_match.ni) ? progress_or_sleep : progress;
    ompi_match.running = opal_progress_register(ompi_match.progress) == OPAL_SUCCESS;
}

/* ---- close ----------------------------------------------------------------------------------- */

void ompi_match_close(void)
{
    if (ompi_match.ni == NULL) {
        return;
    }
    ompi_match.closing = true;
    if (ompi_match.running) {
        (void)opal_progress_unregister(ompi_match.progress);
        ompi_match.running = false;
    }
    ompi_match_release_all();
    ni_close(ompi_match.ni);
    ompi_match.ni = NULL;
    ompi_match_free_buffers();
    OBJ_DESTRUCT(&ompi_match.lock);
    ompi_glue_drain();
}
