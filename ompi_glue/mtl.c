/* SPDX-License-Identifier: BSD-3-Clause */
#include "ompi_glue/mtl.h"

#include <stdio.h>

#include "ompi_glue/check.h"
#include "ompi_glue/code_of.h"

/* What pml cm keeps of a persistent send: the beginning is that of all requests of a pml. */
struct cm_send {
    struct {
        ompi_request_t request;
        int32_t complete;
        int32_t free_called;
        mca_pml_base_request_type_t type;
        struct ompi_communicator_t *comm;
        struct ompi_datatype_t *datatype;
        opal_convertor_t convertor;
    } base;
    mca_pml_base_send_mode_t mode;
    const void *address; /* the user's */
    size_t bytes;
    int32_t peer;
    int32_t tag;
    void *copy;
    bool blocking;
    mca_mtl_request_t mtl;
};

static const struct class_size {
    const opal_class_t *class;
    size_t size;
} class_sizes[] = {
    {&ompi_communicator_t_class, sizeof(ompi_communicator_t)},
    {&ompi_message_t_class, sizeof(ompi_message_t)},
    {&ompi_proc_t_class, sizeof(ompi_proc_t)},
    {&ompi_request_t_class, sizeof(ompi_request_t)},
    {&mca_pml_base_request_t_class, sizeof(mca_pml_base_request_t)},
};

bool ompi_glue_check_mtl(char *reason, size_t reason_size)
{
    for (size_t i = 0; i < sizeof(class_sizes) / sizeof(class_sizes[0]); i++) {
        const struct class_size *expected = &class_sizes[i];

        if (expected->class->cls_sizeof != expected->size) {
            snprintf(reason, reason_size, "%s has %zu bytes, the component was compiled for %zu",
                     expected->class->cls_name, expected->class->cls_sizeof, expected->size);
            return false;
        }
    }
    return ompi_glue_check(reason, reason_size);
}

void ompi_glue_renew_buffered(const struct mca_mtl_request_t *mtl_request,
                              struct opal_convertor_t *convertor, int peer, int tag)
{
    const struct cm_send *send = (const struct cm_send *)mtl_request->ompi_req;

    /* Where all these agree it is such a request. */
    if (&send->mtl == mtl_request && &send->base.convertor == convertor && send->peer == peer &&
        send->tag == tag && send->mode == MCA_PML_BASE_SEND_BUFFERED &&
        send->copy == convertor->pBaseBuf && send->base.datatype->super.size > 0) {
        const opal_datatype_t *type = &send->base.datatype->super;

        (void)opal_convertor_prepare_for_send(convertor, type, send->bytes / type->size,
                                              send->address);
    }
}

bool ompi_glue_of_window(const struct ompi_request_t *request)
{
    static const char *const names[] = {"mca_osc_", "libmpi.", NULL};
    static struct ompi_glue_code_known known;
    ompi_request_complete_fn_t callback = request->req_complete_cb;

    return callback != NULL && ompi_glue_is_code_of(&known, (uintptr_t)callback, names);
}

bool ompi_glue_has_peer(struct ompi_communicator_t *comm, const struct ompi_proc_t *proc)
{
    int size = ompi_group_size(comm->c_remote_group);

    for (int i = 0; i < size; i++) {
        if (ompi_comm_peer_lookup(comm, i) == proc) {
            return true;
        }
    }
    return false;
}
