/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers come, go and die. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btl_apelink/btl_apelink_parts.h"

/* ---- endpoints ------------------------------------------------------------------------------- */

static void endpoint_begin(mca_btl_apelink_module_t *module, mca_btl_apelink_endpoint_t *endpoint,
                           struct opal_proc_t *proc, struct ni_peer *peer, ni_handle queue)
{
    endpoint->peer = peer;
    endpoint->queue = queue;
    endpoint->proc = proc;
    ni_list_init(&endpoint->pending);
    ni_list_init(&endpoint->busy);
    ni_list_init(&endpoint->all);
    OBJ_CONSTRUCT(&endpoint->lock, opal_mutex_t);
    mca_btl_apelink_lock(module, &module->lock);
    ni_list_push_back(&module->endpoints, &endpoint->all);
    mca_btl_apelink_unlock(module, &module->lock);
    ni_peer_set_user(peer, endpoint);
}

/* No callback uses it any more. */
static void endpoint_free(void *arg)
{
    mca_btl_apelink_endpoint_t *endpoint = arg;

    OBJ_DESTRUCT(&endpoint->lock);
    free(endpoint);
}

void mca_btl_apelink_endpoint_release(mca_btl_apelink_endpoint_t *endpoint)
{
    mca_btl_apelink_module_t *module = &mca_btl_apelink;

    mca_btl_apelink_fail_pending(endpoint, OPAL_SUCCESS);
    mca_btl_apelink_lock(module, &module->lock);
    ni_list_remove(&endpoint->all);
    mca_btl_apelink_unlock(module, &module->lock);
    if (ni_peer_user(endpoint->peer) == endpoint) {
        ni_peer_set_user(endpoint->peer, NULL);
    }
    /* bml/r2 gives back an endpoint that it has no use for under its lock, for which a callback in
     * another thread may wait. Without memory the endpoint stays. */
    (void)ni_leave(module->ni, endpoint->peer, endpoint_free, endpoint);
}

/* ---- add ------------------------------------------------------------------------------------- */

/* What the process has published, to be freed by the caller; NULL if it is nothing of ours. */
static struct mca_btl_apelink_modex_t *modex_of(const struct opal_proc_t *proc)
{
    struct mca_btl_apelink_modex_t *modex = NULL;
    size_t size = 0;
    int rc;

    OPAL_MODEX_RECV(rc, &mca_btl_apelink_component.super.btl_version, &proc->proc_name,
                    (void **)&modex, &size);
    if (rc != OPAL_SUCCESS || modex == NULL) {
        return NULL;
    }
    if (size < offsetof(struct mca_btl_apelink_modex_t, blob) ||
        modex->version != MCA_BTL_APELINK_MODEX_VERSION ||
        modex->blob_len > size - offsetof(struct mca_btl_apelink_modex_t, blob)) {
        free(modex);
        return NULL;
    }
    return modex;
}

/* Say why a process is not reached: to who asks, and to everyone if no other BTL can be meant
 * to. */
static NI_COLD void report_unreachable(const struct opal_proc_t *proc, const char *reason,
                                       bool tell)
{
    opal_output_verbose(10, opal_btl_base_framework.framework_output,
                        "btl:apelink: not used for %s: %s", OPAL_NAME_PRINT(proc->proc_name),
                        reason);
    if (tell && mca_btl_apelink_is_only_btl()) {
        ompi_glue_help("unreachable", OPAL_NAME_PRINT(proc->proc_name), reason, "");
    }
}

static ni_status endpoint_connect(mca_btl_apelink_module_t *module, struct opal_proc_t *proc,
                                  const struct mca_btl_apelink_modex_t *modex,
                                  mca_btl_apelink_endpoint_t **connected)
{
    mca_btl_apelink_endpoint_t *endpoint = calloc(1, sizeof(*endpoint));
    struct ni_peer *peer;
    ni_status status = NI_ERR_NOMEM;

    if (endpoint != NULL) {
        status = ni_connect(module->ni, modex->blob, modex->blob_len, &peer);
    }
    if (status != NI_OK) {
        free(endpoint);
        return status;
    }
    endpoint_begin(module, endpoint, proc, peer, modex->queue.handle);
    *connected = endpoint;
    return NI_OK;
}

/* Connect to a process if it can be reached. Whether it can, its address tells: the locality that
 * Open MPI knows is missing for processes of other jobs. */
static mca_btl_apelink_endpoint_t *connect_to(mca_btl_apelink_module_t *module,
                                              struct opal_proc_t *proc, bool tell)
{
    struct mca_btl_apelink_modex_t *modex = modex_of(proc);
    mca_btl_apelink_endpoint_t *endpoint = NULL;
    char reason[256] = "it does not use apelink";

    if (modex != NULL &&
        ompi_glue_correct_locality(module->ni, proc, modex->blob, modex->blob_len)) {
        atomic_store_explicit(&module->namesake, proc, memory_order_relaxed);
    }
    if (modex != NULL &&
        ni_reachable(module->ni, modex->blob, modex->blob_len, reason, sizeof(reason))) {
        ni_status status = endpoint_connect(module, proc, modex, &endpoint);

        snprintf(reason, sizeof(reason), "%s", ni_status_text(status));
    }
    free(modex);
    if (endpoint == NULL) {
        report_unreachable(proc, reason, tell);
    }
    return endpoint;
}

/*
 * Called for many processes or for one, with or without a bitmap, at any time. A process that
 * cannot be reached is no error; others may reach it.
 */
int mca_btl_apelink_add_procs(struct mca_btl_base_module_t *btl, size_t nprocs,
                              struct opal_proc_t **procs,
                              struct mca_btl_base_endpoint_t **endpoints,
                              struct opal_bitmap_t *reachable)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    const struct opal_proc_t *self = opal_proc_local_get();
    bool tell = true; /* of the first one that is not reached */

    for (size_t i = 0; i < nprocs; i++) {
        endpoints[i] = NULL;
        if (procs[i] == self) {
            continue; /* btl self does that */
        }
        endpoints[i] = connect_to(module, procs[i], tell);
        if (endpoints[i] == NULL) {
            tell = false;
        } else if (reachable != NULL) {
            int rc = opal_bitmap_set_bit(reachable, (int)i);

            if (rc != OPAL_SUCCESS) {
                return rc;
            }
        }
    }
    return OPAL_SUCCESS;
}

/* ---- go -------------------------------------------------------------------------------------- */

void mca_btl_apelink_show_links(mca_btl_apelink_module_t *module)
{
    struct ompi_glue_map map;

    ompi_glue_map_begin(&map);
    mca_btl_apelink_lock(module, &module->lock);
    for (NI_LIST_EACH(node, &module->endpoints)) {
        const mca_btl_apelink_endpoint_t *endpoint =
            ni_container_of(node, mca_btl_apelink_endpoint_t, all);

        ompi_glue_map_add(&map, &endpoint->proc->proc_name, endpoint->peer);
    }
    mca_btl_apelink_unlock(module, &module->lock);
    ompi_glue_map_end(&map);
    ompi_glue_show_memory(module->ni);
}

/* The array is left as it is: bml/r2 of 4.1 holds an endpoint in two arrays, and finds by comparing
 * that the second one needs no deletion. */
int mca_btl_apelink_del_procs(struct mca_btl_base_module_t *btl, size_t nprocs,
                              struct opal_proc_t **procs,
                              struct mca_btl_base_endpoint_t **endpoints)
{
    (void)procs;
    mca_btl_apelink_show_links((mca_btl_apelink_module_t *)btl);
    for (size_t i = 0; i < nprocs; i++) {
        if (endpoints[i] != NULL) {
            mca_btl_apelink_endpoint_release(endpoints[i]);
        }
    }
    return OPAL_SUCCESS;
}

NI_COLD void mca_btl_apelink_give_up(mca_btl_apelink_module_t *module,
                                     const mca_btl_apelink_endpoint_t *endpoint, opal_proc_t *lost,
                                     const char *topic, const char *what, ni_status status)
{
    /* With its host, if it was lost with that: node, what failed and how that is known. */
    const char *why = endpoint->peer != NULL && status == ni_peer_status(endpoint->peer)
                          ? ni_peer_reason(endpoint->peer)
                          : ni_status_text(status);
    char name[64], text[512];

    snprintf(name, sizeof(name), "%s", OPAL_NAME_PRINT(endpoint->proc->proc_name));
    ompi_glue_help(topic, name, why, ompi_glue_node(endpoint->proc));
    if (module->error_cb != NULL) {
        /* Used as a format by the code that aborts: no % in it. */
        snprintf(text, sizeof(text), "btl apelink: %s process %s (%s)", what, name, why);
        for (char *at = strchr(text, '%'); at != NULL; at = strchr(at, '%')) {
            *at = '/'; /* a name of a host, or what a fault manager says */
        }
        module->error_cb(&module->super, MCA_BTL_ERROR_FLAGS_FATAL, lost, text);
    }
}

/*
 * Called once per peer by the core, which is sure of it. A peer that has closed its interface in
 * good order is no error as long as nothing is to be sent to it.
 */
void mca_btl_apelink_peer_down(void *arg, struct ni_peer *peer, ni_status status)
{
    mca_btl_apelink_module_t *module = arg;
    mca_btl_apelink_endpoint_t *endpoint = ni_peer_user(peer);

    mca_btl_apelink_drop_parts(module, peer);
    if (endpoint == NULL || mca_btl_apelink_is_down(endpoint)) {
        return;
    }
    atomic_store_explicit(&endpoint->down, true, memory_order_relaxed);
    if (module->closing) {
        return;
    }
    if (status != NI_ERR_PEER_CLOSED) {
        mca_btl_apelink_give_up(module, endpoint, endpoint->proc, "peer-lost", "lost", status);
    }
    mca_btl_apelink_fail_pending(endpoint, mca_btl_apelink_error(status));
}
