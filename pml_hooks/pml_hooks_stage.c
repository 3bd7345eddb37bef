/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of the host that stand for those of a GPU, and the requests that have one. */
#include "pml_hooks/pml_hooks_stage.h"

#include <dlfcn.h>

#include "opal/class/opal_hash_table.h"
#include "pml_hooks/pml_hooks_survive.h"

/* As in cuda.h, whose values are fixed. */
enum { CU_SUCCESS = 0, CU_CONTEXT = 1 };
typedef unsigned long long device_pointer;

static struct {
    int (*attribute)(void *value, int attribute, device_pointer pointer);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*to_host)(void *to, device_pointer from, size_t bytes);
    int (*to_device)(device_pointer to, const void *from, size_t bytes);
} cuda;

struct pml_hooks_stage {
    char *memory;
    ptrdiff_t gap; /* from where the buffer begins to its first byte */
    device_pointer device;
    size_t span; /* from its first byte to behind its last one */
    bool is_send, has_gaps, under_way;
    ompi_request_free_fn_t free_below; /* of its request */
};

bool pml_hooks_stage_open(void *library)
{
    *(void **)&cuda.attribute = dlsym(library, "cuPointerGetAttribute");
    *(void **)&cuda.push = dlsym(library, "cuCtxPushCurrent_v2");
    *(void **)&cuda.pop = dlsym(library, "cuCtxPopCurrent_v2");
    *(void **)&cuda.to_host = dlsym(library, "cuMemcpyDtoH_v2");
    *(void **)&cuda.to_device = dlsym(library, "cuMemcpyHtoD_v2");
    return cuda.attribute != NULL && cuda.push != NULL && cuda.pop != NULL &&
           cuda.to_host != NULL && cuda.to_device != NULL;
}

/* ---- buffers ----------------------------------------------------------------------------------
 */

struct pml_hooks_stage *pml_hooks_stage_new(const void *buffer, size_t count,
                                            const struct ompi_datatype_t *type, bool is_send)
{
    struct pml_hooks_stage *stage = calloc(1, sizeof(*stage));
    ptrdiff_t span;

    if (stage == NULL) {
        return NULL;
    }
    span = opal_datatype_span(&type->super, (int64_t)count, &stage->gap);
    stage->span = (size_t)span;
    stage->device = (uintptr_t)buffer + (device_pointer)stage->gap;
    stage->is_send = is_send;
    stage->has_gaps = !opal_datatype_is_contiguous_memory_layout(&type->super, (int32_t)count);
    stage->memory = malloc(stage->span);
    if (stage->memory == NULL) {
        free(stage);
        return NULL;
    }
    return stage;
}

void pml_hooks_stage_free(struct pml_hooks_stage *stage)
{
    free(stage->memory);
    free(stage);
}

void *pml_hooks_stage_buffer(const struct pml_hooks_stage *stage)
{
    return stage->memory - stage->gap;
}

/* Copy in the context that the memory is of: this thread may have another one, or none. */
static int copy(const struct pml_hooks_stage *stage, bool to_device, size_t bytes)
{
    void *context = NULL;
    int rc;

    if (cuda.attribute(&context, CU_CONTEXT, stage->device) != CU_SUCCESS ||
        cuda.push(context) != CU_SUCCESS) {
        return MPI_ERR_BUFFER;
    }
    rc = to_device ? cuda.to_device(stage->device, stage->memory, bytes)
                   : cuda.to_host(stage->memory, stage->device, bytes);
    (void)cuda.pop(&context);
    return rc == CU_SUCCESS ? OMPI_SUCCESS : MPI_ERR_BUFFER;
}

int pml_hooks_stage_begin(const struct pml_hooks_stage *stage)
{
    return stage->is_send || stage->has_gaps ? copy(stage, false, stage->span) : OMPI_SUCCESS;
}

int pml_hooks_stage_end(const struct pml_hooks_stage *stage, const ompi_status_public_t *status,
                        int error)
{
    size_t bytes = stage->has_gaps ? stage->span : status->_ucount;

    bytes = bytes < stage->span ? bytes : stage->span;
    if (stage->is_send || status->_cancelled != 0 || bytes == 0 ||
        (error != MPI_SUCCESS && error != MPI_ERR_TRUNCATE)) {
        return OMPI_SUCCESS;
    }
    return copy(stage, true, bytes);
}

static int end_request(const struct pml_hooks_stage *stage, const ompi_request_t *request)
{
    return pml_hooks_stage_end(stage, &request->req_status, request->req_status.MPI_ERROR);
}

/* ---- requests ---------------------------------------------------------------------------------
 */

static opal_mutex_t table_lock = OPAL_MUTEX_STATIC_INIT;
static opal_hash_table_t table; /* struct pml_hooks_stage by the request's address */
static bool table_made;

static bool put(const ompi_request_t *request, struct pml_hooks_stage *stage)
{
    bool done;

    OPAL_THREAD_LOCK(&table_lock);
    if (!table_made) {
        OBJ_CONSTRUCT(&table, opal_hash_table_t);
        table_made = opal_hash_table_init(&table, 64) == OPAL_SUCCESS;
    }
    done = table_made &&
           opal_hash_table_set_value_uint64(&table, (uintptr_t)request, stage) == OPAL_SUCCESS;
    OPAL_THREAD_UNLOCK(&table_lock);
    return done;
}

/* The stage of a request, NULL if it has none; it has none any longer if `take`. */
static struct pml_hooks_stage *find(const ompi_request_t *request, bool take)
{
    void *found = NULL;

    OPAL_THREAD_LOCK(&table_lock);
    if (table_made) {
        (void)opal_hash_table_get_value_uint64(&table, (uintptr_t)request, &found);
        if (found != NULL && take) {
            (void)opal_hash_table_remove_value_uint64(&table, (uintptr_t)request);
        }
    }
    OPAL_THREAD_UNLOCK(&table_lock);
    return found;
}

/* Open MPI frees a request when it has told its end. The memory of one that goes on is left to the
 * PML. */
static int free_request(ompi_request_t **request)
{
    struct pml_hooks_stage *stage = find(*request, true);
    bool complete = REQUEST_COMPLETE(*request) && *request != pml_hooks_end_kept;
    int rc = OMPI_SUCCESS, rc_below;

    (*request)->req_free = stage->free_below;
    if (complete && stage->under_way && !(*request)->req_persistent) {
        rc = end_request(stage, *request);
    }
    rc_below = (*request)->req_free(request);
    if (complete) {
        pml_hooks_stage_free(stage);
    }
    return rc != OMPI_SUCCESS ? rc : rc_below;
}

static bool is_staged(const ompi_request_t *request)
{
    return request != NULL && request->req_free == free_request;
}

static bool attach(struct pml_hooks_stage *stage, ompi_request_t *request)
{
    if (!put(request, stage)) {
        return false;
    }
    stage->free_below = request->req_free;
    request->req_free = free_request;
    return true;
}

int pml_hooks_stage_follow(struct pml_hooks_stage *stage, int rc, ompi_request_t *request)
{
    stage->under_way = true;
    if (rc == OMPI_SUCCESS && !REQUEST_COMPLETE(request)) {
        if (attach(stage, request)) {
            return OMPI_SUCCESS;
        }
        ompi_request_wait_completion(request);
    }
    if (rc == OMPI_SUCCESS) {
        rc = end_request(stage, request);
    }
    pml_hooks_stage_free(stage);
    return rc;
}

int pml_hooks_stage_keep(struct pml_hooks_stage *stage, int rc, ompi_request_t *request)
{
    if (rc == OMPI_SUCCESS && !attach(stage, request)) {
        (void)ompi_request_free(&request);
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (rc != OMPI_SUCCESS) {
        pml_hooks_stage_free(stage);
    }
    return rc;
}

int pml_hooks_stage_start(mca_pml_base_module_start_fn_t start, ompi_request_t **request)
{
    ompi_request_t *old = *request;
    struct pml_hooks_stage *stage = is_staged(old) ? find(old, false) : NULL;
    int rc;

    if (stage == NULL) {
        return start(1, request);
    }
    rc = pml_hooks_stage_begin(stage);
    if (rc == OMPI_SUCCESS) {
        stage->under_way = true;
        rc = start(1, request);
    }
    /* The PML may put another request in its place, and free the old one when it has done. */
    if (rc == OMPI_SUCCESS && *request != old) {
        (void)find(old, true);
        old->req_free = stage->free_below;
        (void)attach(stage, *request);
    }
    return rc;
}

/* ---- the ends of requests that are used again -------------------------------------------------
 */

static ompi_request_fns_t below;

/* Calls that tell ends have returned `rc`: bring what has come to the GPU. */
static int told(size_t count, ompi_request_t **requests, int rc)
{
    for (size_t i = 0; i < count; i++) {
        struct pml_hooks_stage *stage;

        if (!is_staged(requests[i]) || !requests[i]->req_persistent ||
            requests[i]->req_state != OMPI_REQUEST_INACTIVE) {
            continue;
        }
        stage = find(requests[i], false);
        if (stage != NULL && stage->under_way) {
            int error = end_request(stage, requests[i]);

            stage->under_way = false;
            rc = rc == OMPI_SUCCESS ? error : rc;
        }
    }
    return rc;
}

static int stage_test(ompi_request_t **request, int *done, ompi_status_public_t *status)
{
    return told(1, request, below.req_test(request, done, status));
}

static int stage_test_any(size_t count, ompi_request_t **requests, int *index, int *done,
                          ompi_status_public_t *status)
{
    return told(count, requests, below.req_test_any(count, requests, index, done, status));
}

static int stage_test_all(size_t count, ompi_request_t **requests, int *done,
                          ompi_status_public_t *statuses)
{
    return told(count, requests, below.req_test_all(count, requests, done, statuses));
}

static int stage_test_some(size_t count, ompi_request_t **requests, int *done, int *indices,
                           ompi_status_public_t *statuses)
{
    return told(count, requests, below.req_test_some(count, requests, done, indices, statuses));
}

static int stage_wait(ompi_request_t **request, ompi_status_public_t *status)
{
    return told(1, request, below.req_wait(request, status));
}

static int stage_wait_any(size_t count, ompi_request_t **requests, int *index,
                          ompi_status_public_t *status)
{
    return told(count, requests, below.req_wait_any(count, requests, index, status));
}

static int stage_wait_all(size_t count, ompi_request_t **requests, ompi_status_public_t *statuses)
{
    return told(count, requests, below.req_wait_all(count, requests, statuses));
}

static int stage_wait_some(size_t count, ompi_request_t **requests, int *done, int *indices,
                           ompi_status_public_t *statuses)
{
    return told(count, requests, below.req_wait_some(count, requests, done, indices, statuses));
}

void pml_hooks_stage_install(ompi_request_fns_t *functions)
{
    below = *functions;
    *functions = (ompi_request_fns_t){
        .req_test = stage_test,
        .req_test_any = stage_test_any,
        .req_test_all = stage_test_all,
        .req_test_some = stage_test_some,
        .req_wait = stage_wait,
        .req_wait_any = stage_wait_any,
        .req_wait_all = stage_wait_all,
        .req_wait_some = stage_wait_some,
    };
}
