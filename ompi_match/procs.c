/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers come, go and die. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "ompi_match/hot.h"

/* ---- endpoints ------------------------------------------------------------------------------- */

/* peer NULL: ourselves. The lock is held. */
static void endpoint_begin(struct ompi_match_endpoint *endpoint, struct ompi_proc_t *proc,
                           struct ni_peer *peer)
{
    endpoint->peer = peer;
    endpoint->id = peer != NULL ? ni_peer_initiator(peer) : NI_INITIATOR_SELF;
    endpoint->proc = proc;
    ni_list_push_back(&ompi_match.endpoints, &endpoint->all);
    if (peer != NULL) {
        ni_peer_set_user(peer, endpoint);
    }
    ompi_glue_set_mtl_slot(proc, endpoint);
}

/* To the list of those that go. The lock is held: they are given up without it, since a callback
 * may wait for it. */
static void endpoint_part(struct ompi_match_endpoint *endpoint, struct ni_list *parted)
{
    ni_list_remove(&endpoint->all);
    ni_list_push_back(parted, &endpoint->all);
    ompi_glue_set_mtl_slot(endpoint->proc, NULL);
    if (endpoint->peer != NULL && ni_peer_user(endpoint->peer) == endpoint) {
        ni_peer_set_user(endpoint->peer, NULL);
    }
}

static void endpoints_free(struct ni_list *parted)
{
    struct ni_list *node;

    while ((node = ni_list_pop_front(parted)) != NULL) {
        struct ompi_match_endpoint *endpoint =
            ni_container_of(node, struct ompi_match_endpoint, all);

        if (endpoint->peer != NULL) {
            ni_disconnect(ompi_match.ni, endpoint->peer);
        }
        free(endpoint);
    }
}

/* ---- add ------------------------------------------------------------------------------------- */

/* What the process has published, to be freed by the caller; NULL if it is nothing of ours. */
static struct ompi_match_modex *modex_of(const opal_proc_t *proc)
{
    struct ompi_match_modex *modex = NULL;
    size_t size = 0;
    int rc;

    OPAL_MODEX_RECV(rc, &ompi_match_published, &proc->proc_name, (void **)&modex, &size);
    if (rc != OPAL_SUCCESS || modex == NULL) {
        return NULL;
    }
    if (size < offsetof(struct ompi_match_modex, blob) ||
        modex->version != OMPI_MATCH_MODEX_VERSION ||
        modex->blob_len > size - offsetof(struct ompi_match_modex, blob)) {
        free(modex);
        return NULL;
    }
    return modex;
}

/* modex NULL: to ourselves. The lock is held. */
static ni_status endpoint_connect(struct ompi_proc_t *proc, const struct ompi_match_modex *modex,
                                  struct ompi_match_endpoint **connected)
{
    struct ompi_match_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    struct ni_peer *peer = NULL;
    ni_status status = endpoint != NULL ? NI_OK : NI_ERR_NOMEM;

    if (status == NI_OK && modex != NULL) {
        status = ni_connect(ompi_match.ni, modex->blob, modex->blob_len, &peer);
    }
    if (status != NI_OK) {
        free(endpoint);
        return status;
    }
    endpoint_begin(endpoint, proc, peer);
    *connected = endpoint;
    return NI_OK;
}

/* Connect to a process; says why if it cannot be reached. The lock is held. */
static struct ompi_match_endpoint *connect_to(struct ompi_proc_t *proc)
{
    struct ompi_match_modex *modex;
    struct ompi_match_endpoint *endpoint = NULL;
    char reason[256] = "it uses neither the match MTL nor the match PML";

    if (&proc->super == opal_proc_local_get()) {
        (void)endpoint_connect(proc, NULL, &endpoint);
        return endpoint;
    }
    modex = modex_of(&proc->super);
    if (modex != NULL) {
        (void)ompi_glue_correct_locality(ompi_match.ni, &proc->super, modex->blob, modex->blob_len);
    }
    if (modex != NULL &&
        ni_reachable(ompi_match.ni, modex->blob, modex->blob_len, reason, sizeof(reason))) {
        ni_status status = endpoint_connect(proc, modex, &endpoint);

        snprintf(reason, sizeof(reason), "%s", ni_status_text(status));
    }
    free(modex);
    if (endpoint == NULL) {
        ompi_glue_help("unreachable", OPAL_NAME_PRINT(proc->super.proc_name), reason, "");
    }
    return endpoint;
}

struct ompi_match_endpoint *ompi_match_connect(struct ompi_proc_t *proc)
{
    struct ompi_match_endpoint *endpoint;

    opal_mutex_lock(&ompi_match.lock);
    endpoint = (struct ompi_match_endpoint *)ompi_glue_mtl_slot(proc);
    if (endpoint == NULL) {
        endpoint = connect_to(proc);
    }
    opal_mutex_unlock(&ompi_match.lock);
    return endpoint;
}

/* Windows of osc rdma go over a BTL beside this. What Open MPI says where none has them names no
 * remedy. */
static void check_windows(void)
{
    static const char *const without[] = {"self", "tcp", NULL};

    if (ompi_glue_names("osc", "rdma") && !ompi_glue_names("osc", "pt2pt") &&
        (ompi_glue_names_only("btl", without) ||
         (ompi_glue_several_hosts() && !ompi_glue_names("btl", "apelink")))) {
        ompi_glue_help("no-windows", "", "", "");
    }
}

int ompi_match_add_procs(size_t nprocs, struct ompi_proc_t **procs)
{
    check_windows(); /* here the component has been chosen */
    for (size_t i = 0; i < nprocs; i++) {
        if (ompi_glue_mtl_slot(procs[i]) == NULL && ompi_match_connect(procs[i]) == NULL) {
            return OMPI_ERR_UNREACH;
        }
    }
    return OMPI_SUCCESS;
}

/* ---- go -------------------------------------------------------------------------------------- */

/* Before any goes; the lock is held. */
static void show_links(void)
{
    struct ompi_glue_map map;

    ompi_glue_map_begin(&map);
    for (NI_LIST_EACH(node, &ompi_match.endpoints)) {
        const struct ompi_match_endpoint *endpoint =
            ni_container_of(node, struct ompi_match_endpoint, all);

        ompi_glue_map_add(&map, &endpoint->proc->super.proc_name, endpoint->peer);
    }
    ompi_glue_map_end(&map);
    ompi_glue_show_memory(ompi_match.ni);
}

int ompi_match_del_procs(size_t nprocs, struct ompi_proc_t **procs)
{
    struct ni_list parted;

    ni_list_init(&parted);
    opal_mutex_lock(&ompi_match.lock);
    show_links();
    for (size_t i = 0; i < nprocs; i++) {
        struct ompi_match_endpoint *endpoint =
            (struct ompi_match_endpoint *)ompi_glue_mtl_slot(procs[i]);

        if (endpoint != NULL) {
            endpoint_part(endpoint, &parted);
        }
    }
    opal_mutex_unlock(&ompi_match.lock);
    endpoints_free(&parted);
    return OMPI_SUCCESS;
}

void ompi_match_release_all(void)
{
    struct ni_list parted;

    ni_list_init(&parted);
    opal_mutex_lock(&ompi_match.lock);
    show_links();
    while (!ni_list_empty(&ompi_match.endpoints)) {
        endpoint_part(ni_container_of(ompi_match.endpoints.next, struct ompi_match_endpoint, all),
                      &parted);
    }
    opal_mutex_unlock(&ompi_match.lock);
    endpoints_free(&parted);
}

/* ---- die ------------------------------------------------------------------------------------- */

static bool is_lost(const struct ompi_match_endpoint *endpoint)
{
    int down = atomic_load_explicit(&endpoint->down, memory_order_relaxed);

    return down != NI_OK && down != NI_ERR_PEER_CLOSED;
}

bool ompi_match_misses_peer(struct ompi_communicator_t *comm)
{
    bool misses = false;

    opal_mutex_lock(&ompi_match.lock);
    for (NI_LIST_EACH(node, &ompi_match.endpoints)) {
        const struct ompi_match_endpoint *endpoint =
            ni_container_of(node, struct ompi_match_endpoint, all);

        misses |= is_lost(endpoint) && ompi_glue_has_peer(comm, endpoint->proc);
    }
    opal_mutex_unlock(&ompi_match.lock);
    return misses;
}

/* Whether a posted receive can only wait in vain, now that the peer is lost: it names the peer, or
 * it takes any process of a communicator to which the peer belongs. */
static bool is_in_vain(void *arg, void *user_ptr, ni_initiator source)
{
    const struct ompi_match_endpoint *endpoint = arg;

    if (source != NI_INITIATOR_ANY) {
        return source == endpoint->id;
    }
    return is_lost(endpoint) &&
           ompi_glue_has_peer(ompi_match.calls->comm_of(user_ptr), endpoint->proc);
}

/*
 * Called once per peer by the core, which is sure of it. Sends under way end with an event of their
 * own. A peer that has closed its interface in good order is missed only by those who wait for it
 * by name.
 */
void ompi_match_peer_down(void *arg, struct ni_peer *peer, ni_status status)
{
    struct ompi_match_endpoint *endpoint = ni_peer_user(peer);

    (void)arg;
    if (ompi_match.closing || endpoint == NULL) {
        return;
    }
    /* Before the posted receives are gone through. One that is posted meanwhile either is among
     * them or finds this word and `lost` set, see irecv: both the search and the posting are under
     * the portal's lock. */
    atomic_store_explicit(&endpoint->down, (int)status, memory_order_relaxed);
    if (status != NI_ERR_PEER_CLOSED) {
        const mca_base_component_t *self = ompi_glue_self()->version;
        const char *name = OPAL_NAME_PRINT(endpoint->proc->super.proc_name);

        /* With its host, if it was lost with that: node, what failed and how that is known. */
        const char *why =
            status == ni_peer_status(peer) ? ni_peer_reason(peer) : ni_status_text(status);

        ompi_glue_help("peer-lost", name, why, ompi_glue_node(&endpoint->proc->super));
        /* Each process by itself, the text above only one of them. */
        opal_output(0, "%s %s: lost process %s (%s)", self->mca_type_name, self->mca_component_name,
                    name, why);
        ompi_match_told_lost();
    }
    (void)ni_me_fail(ompi_match.ni, OMPI_MATCH_PT, is_in_vain, endpoint);
}
