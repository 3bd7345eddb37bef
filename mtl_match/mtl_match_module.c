/* SPDX-License-Identifier: BSD-3-Clause */
/* The module: function table, beginning and end of life, progress. */
#include "mtl_match/mtl_match.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mtl_match/mtl_match_hot.h"

struct ompi_mtl_match_module ompi_mtl_match = {
    .super =
        {
            .mtl_max_contextid = INT_MAX,
            .mtl_max_tag = INT_MAX,
            .mtl_request_size =
                sizeof(struct ompi_mtl_match_request) - sizeof(struct mca_mtl_request_t),
            .mtl_add_procs = ompi_mtl_match_add_procs,
            .mtl_del_procs = ompi_mtl_match_del_procs,
            .mtl_finalize = ompi_mtl_match_finalize,
            .mtl_send = ompi_mtl_match_send,
            .mtl_isend = ompi_mtl_match_isend,
            .mtl_irecv = ompi_mtl_match_irecv,
            .mtl_iprobe = ompi_mtl_match_iprobe,
            .mtl_imrecv = ompi_mtl_match_imrecv,
            .mtl_improbe = ompi_mtl_match_improbe,
            .mtl_cancel = ompi_mtl_match_cancel,
            .mtl_add_comm = ompi_mtl_match_add_comm,
            .mtl_del_comm = ompi_mtl_match_del_comm,
        },
};

/* pml cm places a request behind its own part without looking at alignment. */
_Static_assert(_Alignof(struct ompi_mtl_match_request) <= sizeof(void *),
               "the request needs no more than the alignment of a pointer");

/* ---- open ------------------------------------------------------------------------------------ */

/* The portal: two handlers, an entry, descriptors of all memory. */
static int open_portal(struct ompi_mtl_match_module *module)
{
    uint32_t index;
    int rc = ni_portals_open(module->ni, NULL, NULL);

    if (rc == NI_OK) {
        rc = ni_eq_alloc_handler(module->ni, ompi_mtl_match_on_sent, module, &module->sent);
    }
    if (rc == NI_OK) {
        rc = ni_eq_alloc_handler(module->ni, ompi_mtl_match_on_received, module, &module->received);
    }
    if (rc == NI_OK) {
        rc = ni_pt_alloc(module->ni, NI_PT_UNEXPECTED, module->received, OMPI_MTL_MATCH_PT, &index);
    }
    for (int polls = false; polls <= true; polls++) {
        unsigned attended = polls ? NI_MD_ATTENDED : 0;

        module->sends[polls] = (struct ni_md){
            .length = SIZE_MAX,
            .options = NI_MD_SENT_BY_RESULT | NI_MD_UNTIL_MATCHED | attended,
            .eq = module->sent,
        };
        module->syncs[polls] = (struct ni_md){
            .length = SIZE_MAX,
            .options = NI_MD_EVENT_SEND_DISABLE | attended,
            .eq = module->sent,
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

static const char *open_ni(struct ompi_mtl_match_module *module)
{
    char *taken = ompi_glue_taken_cpus();
    struct ni_open_attr attr = {
        .flags = module->threads ? NI_THREADS : 0,
        .host_processes = ompi_glue_node_peers() + 1,
        .hosts = ompi_glue_hosts(),
        .taken_cpus = taken,
    };
    ni_status status = ni_open(&attr, &module->ni);

    free(taken);
    module->looks = looks_for(&attr);
    if (status != NI_OK) {
        module->ni = NULL;
        return ni_status_text(status);
    }
    if (open_portal(module) != NI_OK) {
        ni_close(module->ni);
        module->ni = NULL;
        return "no memory for the portal";
    }
    ni_on_peer_down(module->ni, ompi_mtl_match_peer_down, module);
    return NULL;
}

static int publish(const struct ompi_mtl_match_module *module)
{
    struct ompi_mtl_match_modex modex;
    size_t size = offsetof(struct ompi_mtl_match_modex, blob);
    int rc;

    memset(&modex, 0, sizeof(modex));
    modex.version = OMPI_MTL_MATCH_MODEX_VERSION;
    modex.blob_len = (uint32_t)ni_address(module->ni, modex.blob, sizeof(modex.blob));
    OPAL_MODEX_SEND(rc, OMPI_GLUE_MODEX_ALL, &mca_mtl_match_component.super.mtl_version, &modex,
                    size + modex.blob_len);
    return rc;
}

bool ompi_mtl_match_open(struct ompi_mtl_match_module *module, bool threads)
{
    const char *why;

    module->threads = threads;
    module->closing = false;
    ni_list_init(&module->endpoints);
    OBJ_CONSTRUCT(&module->lock, opal_mutex_t);
    why = open_ni(module);
    if (why == NULL && ompi_mtl_match_make_buffers(module) != OPAL_SUCCESS) {
        why = "no memory for buffers";
    }
    if (why == NULL && publish(module) != OPAL_SUCCESS) {
        why = "its address could not be published";
    }
    if (why == NULL) {
        return true;
    }
    ompi_glue_help("no-interface", why, "", "");
    if (module->ni != NULL) {
        (void)ompi_mtl_match_finalize(&module->super);
    } else {
        OBJ_DESTRUCT(&module->lock);
    }
    return false;
}

/* ---- progress -------------------------------------------------------------------------------- */

static int progress(void)
{
    return (int)ni_progress(ompi_mtl_match.ni);
}

static int progress_or_sleep(void)
{
    return (int)ni_progress_or_sleep(ompi_mtl_match.ni);
}

void ompi_mtl_match_run(struct ompi_mtl_match_module *module)
{
    module->progress = ni_may_sleep(module->ni) ? progress_or_sleep : progress;
    module->running = opal_progress_register(module->progress) == OPAL_SUCCESS;
}

/* ---- close ----------------------------------------------------------------------------------- */

int ompi_mtl_match_finalize(struct mca_mtl_base_module_t *mtl)
{
    struct ompi_mtl_match_module *module = (struct ompi_mtl_match_module *)mtl;

    if (module->ni == NULL) {
        return OMPI_SUCCESS;
    }
    module->closing = true;
    if (module->running) {
        (void)opal_progress_unregister(module->progress);
        module->running = false;
    }
    ompi_mtl_match_release_all(module);
    ni_close(module->ni);
    module->ni = NULL;
    ompi_mtl_match_free_buffers(module);
    OBJ_DESTRUCT(&module->lock);
    return OMPI_SUCCESS;
}
