/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the recorder and the PML: buffers in the memory of a GPU, for an Open MPI that does not
 * know of them. libcuda is asked, which is opened at run time; messages are counted by their size,
 * and passed on, staged through memory of the host, or refused.
 */
#include <dlfcn.h>
#include <inttypes.h>

#include "pml_hooks/pml_hooks_count.h"
#include "pml_hooks/pml_hooks_stage.h"

/* As in cuda.h, whose values are fixed. */
enum { CU_SUCCESS = 0, CU_MEMORY_TYPE = 2, CU_IS_MANAGED = 8, CU_DEVICE_MEMORY = 2 };
typedef int pointer_attribute(void *value, int attribute, unsigned long long pointer);

enum policy { NO_POLICY, PASS, STAGE, REFUSE };

static mca_pml_base_module_t below;
static pointer_attribute *ask;
static enum policy policy;

static bool policy_of(const char *name, enum policy *found)
{
    *found = name == NULL || name[0] == '\0' ? NO_POLICY
             : strcmp(name, "pass") == 0     ? PASS
             : strcmp(name, "stage") == 0    ? STAGE
             : strcmp(name, "refuse") == 0   ? REFUSE
                                             : NO_POLICY;
    return *found != NO_POLICY || name == NULL || name[0] == '\0';
}

bool pml_hooks_device_read(void)
{
    if (!policy_of(pml_hooks_params.device, &policy)) {
        if (OMPI_PROC_MY_NAME->vpid == 0) {
            pml_hooks_help("bad-device", pml_hooks_params.device, "");
        }
        return false;
    }
    return true;
}

/* Memory that only a GPU can read; not what host and GPU share. */
static bool on_device(const void *buffer)
{
    unsigned type = 0, managed = 0;
    unsigned long long pointer = (uintptr_t)buffer;

    return buffer != NULL && ask(&type, CU_MEMORY_TYPE, pointer) == CU_SUCCESS &&
           type == CU_DEVICE_MEMORY &&
           !(ask(&managed, CU_IS_MANAGED, pointer) == CU_SUCCESS && managed != 0);
}

static void say_once(const void *buffer, size_t bytes, const char *what)
{
    static int said;

    if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) == 0) {
        opal_output(0,
                    "pml_hooks_device: rank %" PRIu32 " %s %zu bytes at %p, which is memory of a "
                    "GPU: take pml_hooks_device stage, or an Open MPI that knows of GPUs and "
                    "pml_hooks_device pass",
                    record_own.head->rank, what, bytes, buffer);
    }
}

/* A buffer of an operation that is about to begin: OMPI_SUCCESS, with a stage if it has to have
 * one, or an error. */
static int prepare(const void *buffer, size_t count, const struct ompi_datatype_t *type,
                   bool is_send, struct pml_hooks_stage **stage)
{
    struct record_head *head = record_own.head;
    uint64_t bytes = pml_hooks_bytes(count, type);

    *stage = NULL;
    if (bytes == 0 || !on_device((const char *)buffer + type->super.true_lb)) {
        return OMPI_SUCCESS;
    }
    (void)__atomic_fetch_add(is_send ? &head->device_sends_by_size[record_size_class(bytes)]
                                     : &head->device_receives_by_size[record_size_class(bytes)],
                             1, __ATOMIC_RELAXED);
    if (policy == STAGE) {
        (void)__atomic_fetch_add(&head->device_staged, 1, __ATOMIC_RELAXED);
        *stage = pml_hooks_stage_new(buffer, count, type, is_send);
        return *stage != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (policy == PASS) {
        return OMPI_SUCCESS;
    }
    (void)__atomic_fetch_add(&head->device_refused, 1, __ATOMIC_RELAXED);
    say_once(buffer, bytes, is_send ? "sends" : "receives");
    return MPI_ERR_BUFFER;
}

/* The same, and the stage has what the operation needs. */
static int begin(const void *buffer, size_t count, const struct ompi_datatype_t *type, bool is_send,
                 struct pml_hooks_stage **stage)
{
    int rc = prepare(buffer, count, type, is_send, stage);

    if (rc == OMPI_SUCCESS && *stage != NULL) {
        rc = pml_hooks_stage_begin(*stage);
        if (rc != OMPI_SUCCESS) {
            pml_hooks_stage_free(*stage);
            *stage = NULL;
        }
    }
    return rc;
}

/* What the PML gets. */
static void *place(const struct pml_hooks_stage *stage, const void *buffer)
{
    return stage != NULL ? pml_hooks_stage_buffer(stage) : (void *)(uintptr_t)buffer;
}

/* A blocking receive has ended. */
static int finish(struct pml_hooks_stage *stage, int rc, const ompi_status_public_t *status)
{
    int error = pml_hooks_stage_end(stage, status, rc);

    pml_hooks_stage_free(stage);
    return rc == OMPI_SUCCESS ? error : rc;
}

/* ---- the functions ----------------------------------------------------------------------------
 */

static int device_isend_init(const void *buffer, size_t count, struct ompi_datatype_t *type,
                             int peer, int tag, mca_pml_base_send_mode_t mode,
                             struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    struct pml_hooks_stage *stage;
    int rc = prepare(buffer, count, type, true, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = below.pml_isend_init(place(stage, buffer), count, type, peer, tag, mode, comm, request);
    return stage == NULL ? rc : pml_hooks_stage_keep(stage, rc, *request);
}

static int device_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                        int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                        struct ompi_request_t **request)
{
    struct pml_hooks_stage *stage;
    int rc = begin(buffer, count, type, true, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = below.pml_isend(place(stage, buffer), count, type, peer, tag, mode, comm, request);
    return stage == NULL ? rc : pml_hooks_stage_follow(stage, rc, *request);
}

static int device_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                       int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    struct pml_hooks_stage *stage;
    int rc = begin(buffer, count, type, true, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = below.pml_send(place(stage, buffer), count, type, peer, tag, mode, comm);
    if (stage != NULL) {
        pml_hooks_stage_free(stage);
    }
    return rc;
}

static int device_irecv_init(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                             int tag, struct ompi_communicator_t *comm,
                             struct ompi_request_t **request)
{
    struct pml_hooks_stage *stage;
    int rc = prepare(buffer, count, type, false, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = below.pml_irecv_init(place(stage, buffer), count, type, peer, tag, comm, request);
    return stage == NULL ? rc : pml_hooks_stage_keep(stage, rc, *request);
}

static int device_irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                        struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    struct pml_hooks_stage *stage;
    int rc = begin(buffer, count, type, false, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = below.pml_irecv(place(stage, buffer), count, type, peer, tag, comm, request);
    return stage == NULL ? rc : pml_hooks_stage_follow(stage, rc, *request);
}

static int device_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                       struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    ompi_status_public_t own;
    struct pml_hooks_stage *stage;
    int rc = begin(buffer, count, type, false, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    status = status == MPI_STATUS_IGNORE ? &own : status;
    rc = below.pml_recv(place(stage, buffer), count, type, peer, tag, comm, status);
    return stage == NULL ? rc : finish(stage, rc, status);
}

static int device_imrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                         struct ompi_message_t **message, struct ompi_request_t **request)
{
    struct pml_hooks_stage *stage;
    int rc = begin(buffer, count, type, false, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = below.pml_imrecv(place(stage, buffer), count, type, message, request);
    return stage == NULL ? rc : pml_hooks_stage_follow(stage, rc, *request);
}

static int device_mrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                        struct ompi_message_t **message, ompi_status_public_t *status)
{
    ompi_status_public_t own;
    struct pml_hooks_stage *stage;
    int rc = begin(buffer, count, type, false, &stage);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    status = status == MPI_STATUS_IGNORE ? &own : status;
    rc = below.pml_mrecv(place(stage, buffer), count, type, message, status);
    return stage == NULL ? rc : finish(stage, rc, status);
}

static int device_start(size_t count, ompi_request_t **requests)
{
    int rc = OMPI_SUCCESS;

    for (size_t i = 0; i < count && rc == OMPI_SUCCESS; i++) {
        rc = pml_hooks_stage_start(below.pml_start, &requests[i]);
    }
    return rc;
}

void pml_hooks_device_install(mca_pml_base_module_t *module, ompi_request_fns_t *functions)
{
    void *library;

    if (policy == NO_POLICY) {
        return;
    }
    library = dlopen(pml_hooks_params.device_library, RTLD_NOW | RTLD_LOCAL);
    ask = library != NULL ? (pointer_attribute *)dlsym(library, "cuPointerGetAttribute") : NULL;
    if (ask == NULL) {
        pml_hooks_help("no-device-library", dlerror(), "");
        return;
    }
    if (policy == STAGE) {
        if (!pml_hooks_stage_open(library)) {
            pml_hooks_help("cannot-stage", pml_hooks_params.device_library, "");
            return;
        }
        pml_hooks_stage_install(functions);
    }
    below = *module;
    module->pml_start = device_start;
    module->pml_isend_init = device_isend_init;
    module->pml_isend = device_isend;
    module->pml_send = device_send;
    module->pml_irecv_init = device_irecv_init;
    module->pml_irecv = device_irecv;
    module->pml_recv = device_recv;
    module->pml_imrecv = device_imrecv;
    module->pml_mrecv = device_mrecv;
}
