/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the recorder and the PML: buffers in the memory of a GPU, for an Open MPI that does not
 * know of them. libcuda is asked, which is opened at run time; messages are counted by their size,
 * and passed on or refused.
 */
#include <dlfcn.h>
#include <inttypes.h>

#include "pml_hooks/pml_hooks_count.h"

/* As in cuda.h, whose values are fixed. */
enum { CU_SUCCESS = 0, CU_MEMORY_TYPE = 2, CU_IS_MANAGED = 8, CU_DEVICE_MEMORY = 2 };
typedef int pointer_attribute(void *value, int attribute, unsigned long long pointer);

enum policy { NO_POLICY, PASS, REFUSE };

static mca_pml_base_module_t below;
static pointer_attribute *ask;
static enum policy policy;

static bool policy_of(const char *name, enum policy *found)
{
    *found = name == NULL || name[0] == '\0' ? NO_POLICY
             : strcmp(name, "pass") == 0     ? PASS
             : strcmp(name, "refuse") == 0   ? REFUSE
                                             : NO_POLICY;
    return *found != NO_POLICY || name == NULL || name[0] == '\0';
}

bool pml_hooks_device_read(void)
{
    if (!policy_of(pml_hooks_params.device, &policy)) {
        if (OMPI_PROC_MY_NAME->vpid == 0) {
            opal_output(0, "pml_hooks_device: %s is none of pass and refuse",
                        pml_hooks_params.device);
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
                    "GPU: copy it to the host before, or take an Open MPI that knows of GPUs and "
                    "pml_hooks_device pass",
                    record_own.head->rank, what, bytes, buffer);
    }
}

/* Whether a buffer may be passed on: OMPI_SUCCESS or an error. */
static int judge(const void *buffer, size_t count, const struct ompi_datatype_t *type, bool is_send)
{
    struct record_head *head = record_own.head;
    uint64_t bytes = pml_hooks_bytes(count, type);

    if (bytes == 0 || !on_device((const char *)buffer + type->super.true_lb)) {
        return OMPI_SUCCESS;
    }
    (void)__atomic_fetch_add(is_send ? &head->device_sends_by_size[record_size_class(bytes)]
                                     : &head->device_receives_by_size[record_size_class(bytes)],
                             1, __ATOMIC_RELAXED);
    if (policy == PASS) {
        return OMPI_SUCCESS;
    }
    (void)__atomic_fetch_add(&head->device_refused, 1, __ATOMIC_RELAXED);
    say_once(buffer, bytes, is_send ? "sends" : "receives");
    return MPI_ERR_BUFFER;
}

/* ---- the functions ----------------------------------------------------------------------------
 */

static int device_isend_init(const void *buffer, size_t count, struct ompi_datatype_t *type,
                             int peer, int tag, mca_pml_base_send_mode_t mode,
                             struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    int rc = judge(buffer, count, type, true);

    return rc != OMPI_SUCCESS
               ? rc
               : below.pml_isend_init(buffer, count, type, peer, tag, mode, comm, request);
}

static int device_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                        int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                        struct ompi_request_t **request)
{
    int rc = judge(buffer, count, type, true);

    return rc != OMPI_SUCCESS
               ? rc
               : below.pml_isend(buffer, count, type, peer, tag, mode, comm, request);
}

static int device_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                       int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    int rc = judge(buffer, count, type, true);

    return rc != OMPI_SUCCESS ? rc : below.pml_send(buffer, count, type, peer, tag, mode, comm);
}

static int device_irecv_init(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                             int tag, struct ompi_communicator_t *comm,
                             struct ompi_request_t **request)
{
    int rc = judge(buffer, count, type, false);

    return rc != OMPI_SUCCESS ? rc
                              : below.pml_irecv_init(buffer, count, type, peer, tag, comm, request);
}

static int device_irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                        struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    int rc = judge(buffer, count, type, false);

    return rc != OMPI_SUCCESS ? rc : below.pml_irecv(buffer, count, type, peer, tag, comm, request);
}

static int device_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                       struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    int rc = judge(buffer, count, type, false);

    return rc != OMPI_SUCCESS ? rc : below.pml_recv(buffer, count, type, peer, tag, comm, status);
}

static int device_imrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                         struct ompi_message_t **message, struct ompi_request_t **request)
{
    int rc = judge(buffer, count, type, false);

    return rc != OMPI_SUCCESS ? rc : below.pml_imrecv(buffer, count, type, message, request);
}

static int device_mrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                        struct ompi_message_t **message, ompi_status_public_t *status)
{
    int rc = judge(buffer, count, type, false);

    return rc != OMPI_SUCCESS ? rc : below.pml_mrecv(buffer, count, type, message, status);
}

void pml_hooks_device_install(mca_pml_base_module_t *module)
{
    void *library;

    if (policy == NO_POLICY) {
        return;
    }
    library = dlopen(pml_hooks_params.device_library, RTLD_NOW | RTLD_LOCAL);
    ask = library != NULL ? (pointer_attribute *)dlsym(library, "cuPointerGetAttribute") : NULL;
    if (ask == NULL) {
        opal_output(0, "pml_hooks_device: %s; no buffer is taken for memory of a GPU", dlerror());
        return;
    }
    below = *module;
    module->pml_isend_init = device_isend_init;
    module->pml_isend = device_isend;
    module->pml_send = device_send;
    module->pml_irecv_init = device_irecv_init;
    module->pml_irecv = device_irecv;
    module->pml_recv = device_recv;
    module->pml_imrecv = device_imrecv;
    module->pml_mrecv = device_mrecv;
}
