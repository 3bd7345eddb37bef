/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between pml ob1 and its BTLs: an operation that fails because its peer has died is not told to
 * ob1, which would end the job. Its request stays as it is until it is ended from above.
 */
#include "pml_hooks/pml_hooks_survive.h"

#include "ompi/mca/bml/bml.h"
#include "ompi_glue/get_bound.h"
#include "opal/mca/btl/base/base.h"
#include "record/clock.h"

enum { MODULES = 64, FAILURES = 64 };
#define PATIENCE_NS UINT64_C(5000000000) /* until a failure without a death ends the job */

static struct guarded {
    mca_btl_base_module_t *module;
    mca_btl_base_module_send_fn_t send;
    mca_btl_base_module_put_fn_t put;
    mca_btl_base_module_get_fn_t get;
} guarded[MODULES];
static size_t guarded_count;

/* ---- failures ---------------------------------------------------------------------------------
 */

/* Where an operation has failed, and when the first did: until its peer is known to be dead. */
static struct failure {
    const struct mca_btl_base_endpoint_t *endpoint;
    uint64_t since;
} failures[FAILURES];
static uint32_t failure_count;
static opal_mutex_t failures_lock = OPAL_MUTEX_STATIC_INIT;

static void note_failure(const struct mca_btl_base_endpoint_t *endpoint)
{
    uint32_t i = 0;

    OPAL_THREAD_LOCK(&failures_lock);
    while (i < failure_count && failures[i].endpoint != endpoint) {
        i++;
    }
    if (i == failure_count && i < FAILURES) {
        failures[i] = (struct failure){endpoint, record_clock()};
        __atomic_store_n(&failure_count, i + 1, __ATOMIC_RELAXED);
    }
    OPAL_THREAD_UNLOCK(&failures_lock);
}

static bool has_endpoint(mca_bml_base_btl_array_t *array,
                         const struct mca_btl_base_endpoint_t *endpoint)
{
    for (size_t i = 0; i < mca_bml_base_btl_array_get_size(array); i++) {
        if (mca_bml_base_btl_array_get_index(array, i)->btl_endpoint == endpoint) {
            return true;
        }
    }
    return false;
}

/* Whether its peer is known to be dead. */
static bool is_of_dead(const struct mca_btl_base_endpoint_t *endpoint)
{
    uint32_t count = pml_hooks_dead_count();

    for (uint32_t i = 0; i < count; i++) {
        ompi_proc_t *proc = ompi_proc_find(&pml_hooks_dead_at(i)->name);
        mca_bml_base_endpoint_t *peer =
            proc != NULL ? proc->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_BML] : NULL;

        if (peer != NULL &&
            (has_endpoint(&peer->btl_eager, endpoint) || has_endpoint(&peer->btl_send, endpoint) ||
             has_endpoint(&peer->btl_rdma, endpoint))) {
            return true;
        }
    }
    return false;
}

void pml_hooks_btl_look(void)
{
    bool in_vain = false;

    if (__atomic_load_n(&failure_count, __ATOMIC_RELAXED) == 0) {
        return;
    }
    OPAL_THREAD_LOCK(&failures_lock);
    for (uint32_t i = 0; i < failure_count;) {
        if (is_of_dead(failures[i].endpoint)) {
            failures[i] = failures[failure_count - 1];
            __atomic_store_n(&failure_count, failure_count - 1, __ATOMIC_RELAXED);
            continue;
        }
        in_vain = in_vain || record_clock() - failures[i].since >= PATIENCE_NS;
        i++;
    }
    OPAL_THREAD_UNLOCK(&failures_lock);
    if (in_vain) {
        opal_output(0, "pml_hooks: a BTL has failed whose peer is not known to be dead; the job is "
                       "ended");
        (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
    }
}

/* ---- modules ----------------------------------------------------------------------------------
 */

static const struct guarded *guarded_of(const mca_btl_base_module_t *module)
{
    size_t i = 0;

    while (guarded[i].module != module) {
        i++;
    }
    return &guarded[i];
}

/* ---- sends ------------------------------------------------------------------------------------
 */

/* What stands in a descriptor in the place of which ours does. */
struct sending {
    mca_btl_base_completion_fn_t callback;
    void *data;
};

static void give_back(mca_btl_base_descriptor_t *descriptor, struct sending *sending)
{
    descriptor->des_cbfunc = sending->callback;
    descriptor->des_cbdata = sending->data;
    free(sending);
}

/* A BTL may tell the same failure again: tcp does when it cannot connect anew. */
static void failed_before(mca_btl_base_module_t *module, struct mca_btl_base_endpoint_t *endpoint,
                          mca_btl_base_descriptor_t *descriptor, int status)
{
    (void)module, (void)endpoint, (void)descriptor, (void)status;
}

static void sent(mca_btl_base_module_t *module, struct mca_btl_base_endpoint_t *endpoint,
                 mca_btl_base_descriptor_t *descriptor, int status)
{
    give_back(descriptor, descriptor->des_cbdata);
    if (status == OPAL_SUCCESS) {
        descriptor->des_cbfunc(module, endpoint, descriptor, status);
    } else {
        descriptor->des_cbfunc = failed_before;
        note_failure(endpoint);
    }
}

static int guarded_send(mca_btl_base_module_t *module, struct mca_btl_base_endpoint_t *endpoint,
                        mca_btl_base_descriptor_t *descriptor, mca_btl_base_tag_t tag)
{
    mca_btl_base_module_send_fn_t send = guarded_of(module)->send;
    struct sending *sending = descriptor->des_cbfunc != NULL ? malloc(sizeof(*sending)) : NULL;
    uint32_t flags = descriptor->des_flags;
    int rc;

    if (sending == NULL) {
        return send(module, endpoint, descriptor, tag);
    }
    *sending = (struct sending){descriptor->des_cbfunc, descriptor->des_cbdata};
    descriptor->des_cbfunc = sent;
    descriptor->des_cbdata = sending;
    rc = send(module, endpoint, descriptor, tag);
    if (rc < 0 && rc != OPAL_ERR_RESOURCE_BUSY) {
        give_back(descriptor, sending);
    } else if (rc == 1 && (flags & MCA_BTL_DES_SEND_ALWAYS_CALLBACK) == 0) {
        /* It is sent, and nobody is called back; the descriptor may have been freed. */
        if ((flags & MCA_BTL_DES_FLAGS_BTL_OWNERSHIP) == 0) {
            give_back(descriptor, sending);
        } else {
            free(sending);
        }
    }
    return rc;
}

/* ---- puts and gets ----------------------------------------------------------------------------
 */

struct moving {
    mca_btl_base_rdma_completion_fn_t callback;
    void *context, *data;
};

/* Whether ob1 goes another way, or tries again. */
static bool is_for_ob1(int status)
{
    return status >= OPAL_SUCCESS || status == OPAL_ERR_NOT_AVAILABLE ||
           status == OPAL_ERR_NOT_SUPPORTED || status == OPAL_ERR_OUT_OF_RESOURCE ||
           status == OPAL_ERR_TEMP_OUT_OF_RESOURCE || status == OPAL_ERR_RESOURCE_BUSY;
}

static void moved(mca_btl_base_module_t *module, struct mca_btl_base_endpoint_t *endpoint,
                  void *address, struct mca_btl_base_registration_handle_t *handle, void *context,
                  void *unused, int status)
{
    struct moving moving = *(struct moving *)context;

    (void)unused;
    free(context);
    if (is_for_ob1(status)) {
        moving.callback(module, endpoint, address, handle, moving.context, moving.data, status);
    } else {
        note_failure(endpoint);
    }
}

/* What a put or get returns that has been started with this. */
static int started(struct moving *moving, const struct mca_btl_base_endpoint_t *endpoint, int rc)
{
    if (rc != OPAL_SUCCESS && rc != OPAL_ERR_RESOURCE_BUSY) {
        free(moving);
    }
    if (!is_for_ob1(rc)) {
        note_failure(endpoint);
        return OPAL_SUCCESS;
    }
    return rc;
}

/* Whose failures are kept from whom started them. osc/rdma, which has no callback for some, hears
 * of its own: its BTL ends the job, since nothing waits for them by a request. */
static bool is_guarded(mca_btl_base_rdma_completion_fn_t callback)
{
    return callback != NULL && ompi_glue_is_of_ob1(callback);
}

static int guarded_put(mca_btl_base_module_t *module, struct mca_btl_base_endpoint_t *endpoint,
                       void *address, uint64_t remote,
                       struct mca_btl_base_registration_handle_t *handle,
                       struct mca_btl_base_registration_handle_t *remote_handle, size_t size,
                       int flags, int order, mca_btl_base_rdma_completion_fn_t callback,
                       void *context, void *data)
{
    mca_btl_base_module_put_fn_t put = guarded_of(module)->put;
    struct moving *moving;

    if (!is_guarded(callback)) {
        return put(module, endpoint, address, remote, handle, remote_handle, size, flags, order,
                   callback, context, data);
    }
    moving = malloc(sizeof(*moving));
    if (moving == NULL) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    *moving = (struct moving){callback, context, data};
    return started(moving, endpoint,
                   put(module, endpoint, address, remote, handle, remote_handle, size, flags, order,
                       moved, moving, NULL));
}

/* A BTL that looks into ob1's fragment for the end of the receiver's buffer does not find it. */
static int guarded_get(mca_btl_base_module_t *module, struct mca_btl_base_endpoint_t *endpoint,
                       void *address, uint64_t remote,
                       struct mca_btl_base_registration_handle_t *handle,
                       struct mca_btl_base_registration_handle_t *remote_handle, size_t size,
                       int flags, int order, mca_btl_base_rdma_completion_fn_t callback,
                       void *context, void *data)
{
    mca_btl_base_module_get_fn_t get = guarded_of(module)->get;
    struct moving *moving;

    if (!is_guarded(callback)) {
        return get(module, endpoint, address, remote, handle, remote_handle, size, flags, order,
                   callback, context, data);
    }
    size = ompi_glue_get_bound(address, remote, size, callback, context, data);
    if (size == 0) {
        callback(module, endpoint, address, handle, context, data, OPAL_SUCCESS);
        return OPAL_SUCCESS;
    }
    moving = malloc(sizeof(*moving));
    if (moving == NULL) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    *moving = (struct moving){callback, context, data};
    return started(moving, endpoint,
                   get(module, endpoint, address, remote, handle, remote_handle, size, flags, order,
                       moved, moving, NULL));
}

/* ---- begin and end ----------------------------------------------------------------------------
 */

/* A BTL has lost a peer. */
static void lost(struct mca_btl_base_module_t *btl, int32_t flags, opal_proc_t *process, char *text)
{
    (void)btl;
    if ((flags & (MCA_BTL_ERROR_FLAGS_FATAL | MCA_BTL_ERROR_FLAGS_NONFATAL)) == 0) {
        return;
    }
    if (process == NULL) {
        opal_output(0, "pml_hooks: %s; the job is ended", text != NULL ? text : "a BTL has failed");
        (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
    } else if (pml_hooks_dead_add(process->proc_name) && guarded_count > 0) {
        opal_output(0, "pml_hooks: rank %u is lost: %s", process->proc_name.vpid,
                    text != NULL ? text : "its BTL says so");
    }
}

void pml_hooks_btl_install(void)
{
    mca_btl_base_selected_module_t *selected;

    guarded_count = 0;
    OPAL_LIST_FOREACH(selected, &mca_btl_base_modules_initialized, mca_btl_base_selected_module_t)
    {
        mca_btl_base_module_t *module = selected->btl_module;

        if (guarded_count == MODULES) {
            break;
        }
        guarded[guarded_count++] =
            (struct guarded){module, module->btl_send, module->btl_put, module->btl_get};
        module->btl_send = guarded_send;
        module->btl_put = module->btl_put != NULL ? guarded_put : NULL;
        module->btl_get = module->btl_get != NULL ? guarded_get : NULL;
    }
    if (mca_bml.bml_register_error != NULL) {
        (void)mca_bml.bml_register_error(lost);
    }
}

void pml_hooks_btl_remove(void)
{
    for (size_t i = 0; i < guarded_count; i++) {
        guarded[i].module->btl_send = guarded[i].send;
        guarded[i].module->btl_put = guarded[i].put;
        guarded[i].module->btl_get = guarded[i].get;
    }
    guarded_count = 0;
}
