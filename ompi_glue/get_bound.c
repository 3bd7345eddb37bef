/* SPDX-License-Identifier: BSD-3-Clause */
#include "ompi_glue/get_bound.h"

#include <stdbool.h>

#include "ompi_glue/code_of.h"

#include "ompi/mca/pml/base/pml_base_request.h"

/* The beginning of ob1's fragment of a get or put, as far as it is needed. The header that it
 * holds is the largest of ob1's headers. */
#if OPAL_MAJOR_VERSION == 4 && OPAL_MINOR_VERSION == 1 && !OPAL_ENABLE_HETEROGENEOUS_SUPPORT
#define KNOWN_FRAGMENT 1
enum { OB1_HEADER = 56 };
struct ob1_fragment {
    opal_free_list_item_t super;
    void *bml;
    uint64_t header[OB1_HEADER / sizeof(uint64_t)];
    int state;
    size_t length;
    size_t remaining;
    void *request;
    uint32_t retries;
    void *callback;
    uint64_t offset; /* of this get in the message */
    void *local_address;
    void *local_handle;
    uint64_t remote_address;
};
#else
#define KNOWN_FRAGMENT 0
#endif

bool ompi_glue_is_of_ob1(mca_btl_base_rdma_completion_fn_t cbfunc)
{
    static const char *const names[] = {"mca_pml_ob1.", "mca_hook_apelink.", NULL};
    static struct ompi_glue_code_known known;

    return ompi_glue_is_code_of(&known, (uintptr_t)cbfunc, names);
}

#if KNOWN_FRAGMENT
/* Bytes of the message that the receive takes. Each request of a PML begins with the base. */
static size_t expected_bytes(const mca_pml_base_request_t *request)
{
    size_t expected = SIZE_MAX;

    (void)opal_convertor_get_packed_size(&request->req_convertor, &expected);
    return expected;
}
#endif

size_t ompi_glue_get_bound(void *local_address, uint64_t remote_address, size_t size,
                           mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext, void *cbdata)
{
#if KNOWN_FRAGMENT
    const struct ob1_fragment *fragment = cbdata;
    size_t expected;

    if (cbfunc == NULL || cbdata == NULL || !ompi_glue_is_of_ob1(cbfunc)) {
        return size;
    }
    if (fragment->bml != cbcontext || fragment->length != size ||
        fragment->local_address != local_address || fragment->remote_address != remote_address ||
        fragment->request == NULL) {
        return size;
    }
    expected = expected_bytes(fragment->request);
    if (OPAL_LIKELY(expected >= fragment->offset && size <= expected - fragment->offset)) {
        return size;
    }
    return expected > fragment->offset ? expected - fragment->offset : 0;
#else
    (void)local_address;
    (void)remote_address;
    (void)cbfunc;
    (void)cbcontext;
    (void)cbdata;
    return size;
#endif
}
