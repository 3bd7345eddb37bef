/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_H
#define OMPI_GLUE_H

/*
 * The only place that knows versions of Open MPI. Components include this header instead of Open
 * MPI's own and use the names below; nothing else in the project asks for a version.
 *
 *   name                          4.1 (BTL 3.1)                  5.0 (BTL 3.3)
 *   OMPI_GLUE_MODEX_ALL           OPAL_PMIX_GLOBAL               PMIX_GLOBAL
 *   ompi_glue_recv_t              descriptor, tag beside it      mca_btl_base_receive_descriptor_t
 *   ompi_glue_deliver             cbfunc(btl, tag, des, cbdata)  cbfunc(btl, &receive_descriptor)
 *   ompi_glue_node_peers          int32_t                        uint32_t
 *   ompi_glue_quirk_flags         atomic flags in the flag word  0
 *   ompi_glue_drain (drain.h)     needed                         nothing to wait for
 *   ompi_glue_check (check.h)     sizes of the running library   the same
 *   ompi_glue_get_bound (get_bound.h)  needed                    needed
 */

#include "opal_config.h"

#include "opal/class/opal_bitmap.h"
#include "opal/class/opal_free_list.h"
#include "opal/constants.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/btl/base/base.h"
#include "opal/mca/btl/base/btl_base_error.h"
#include "opal/mca/btl/btl.h"
#include "opal/runtime/opal.h"
#include "opal/runtime/opal_params.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"
#include "opal/util/show_help.h"

#if BTL_VERSION >= 330
#include "opal/mca/pmix/pmix-internal.h"
#include "opal/mca/threads/mutex.h"
#elif BTL_VERSION >= 310
#include "opal/mca/pmix/pmix.h"
#include "opal/threads/mutex.h"
#else
#error "Open MPI 4.1 or later is needed: its BTL interface is older than 3.1"
#endif

/*
 * Address blobs are published for all processes, not only for those of the same node: to a process
 * under another mpirun, with which MPI_Comm_connect makes one job of the two, only data of wide
 * scope is served, wherever it runs.
 */
#if BTL_VERSION >= 330
#define OMPI_GLUE_MODEX_ALL PMIX_GLOBAL
#else
#define OMPI_GLUE_MODEX_ALL OPAL_PMIX_GLOBAL
#endif

/* Processes of this job on this node, without this one; 0 or more. */
static inline unsigned ompi_glue_node_peers(void)
{
    long peers = (long)opal_process_info.num_local_peers;

    return peers > 0 ? (unsigned)peers : 0;
}

/* The node of a process, for messages. */
static inline const char *ompi_glue_node(const opal_proc_t *proc)
{
    const char *name = opal_get_proc_hostname(proc);

    return name != NULL ? name : "unknown";
}

/*
 * osc/rdma of 4.1 looks for two of the atomic capabilities in the word of the general flags, where
 * their bits mean nothing to anyone else. Setting them there is the only way to be asked for
 * 32-bit compare-and-swap. To be set after registration of the parameters, which do not know them.
 */
static inline uint32_t ompi_glue_quirk_flags(uint32_t atomic_flags)
{
#if BTL_VERSION >= 330
    (void)atomic_flags;
    return 0;
#else
    return atomic_flags & (MCA_BTL_ATOMIC_SUPPORTS_32BIT | MCA_BTL_ATOMIC_SUPPORTS_GLOB);
#endif
}

/* The function for an active message tag, or NULL if nobody takes such messages. */
static inline const mca_btl_active_message_callback_t *ompi_glue_handler(unsigned tag)
{
    const mca_btl_active_message_callback_t *handler;

    if (OPAL_UNLIKELY(tag >= MCA_BTL_TAG_MAX)) {
        return NULL;
    }
    handler = &mca_btl_base_active_message_trigger[tag];
    return OPAL_LIKELY(NULL != handler->cbfunc) ? handler : NULL;
}

/*
 * Hand a message to the layer above, in place: data is valid during the call only, and the callee
 * gets no ownership of anything. Of the descriptor only what receive callbacks read is set: it is
 * larger than a cache line, and this is the hot path of every message.
 */
static inline void ompi_glue_deliver(const mca_btl_active_message_callback_t *handler,
                                     struct mca_btl_base_module_t *btl,
                                     struct mca_btl_base_endpoint_t *endpoint, unsigned tag,
                                     const void *data, size_t len)
{
    mca_btl_base_segment_t segment;

    segment.seg_addr.pval = (void *)(uintptr_t)data;
    segment.seg_len = len;
#if BTL_VERSION >= 330
    const mca_btl_base_receive_descriptor_t message = {.endpoint = endpoint,
                                                       .des_segments = &segment,
                                                       .des_segment_count = 1,
                                                       .tag = (mca_btl_base_tag_t)tag,
                                                       .cbdata = handler->cbdata};

    handler->cbfunc(btl, &message);
#else
    mca_btl_base_descriptor_t message;

    (void)endpoint;
    message.des_segments = &segment;
    message.des_segment_count = 1;
    message.des_cbfunc = NULL;
    message.des_flags = 0;
    handler->cbfunc(btl, (mca_btl_base_tag_t)tag, &message, handler->cbdata);
#endif
}

#endif
