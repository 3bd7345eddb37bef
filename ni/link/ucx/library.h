/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_UCX_LIBRARY_H
#define NI_LINK_UCX_LIBRARY_H

#include <ucp/api/ucp.h>

#include <apeni/status.h>

/* UCX itself: loaded when it is first needed, one context for all NIs of the process. */

#define NI_UCX_CALLS(X)               \
    X(ucp_get_version)                \
    X(ucp_init_version)               \
    X(ucp_cleanup)                    \
    X(ucp_config_read)                \
    X(ucp_config_modify)              \
    X(ucp_config_release)             \
    X(ucp_worker_create)              \
    X(ucp_worker_destroy)             \
    X(ucp_worker_query)               \
    X(ucp_worker_release_address)     \
    X(ucp_worker_get_efd)             \
    X(ucp_worker_arm)                 \
    X(ucp_worker_progress)            \
    X(ucp_worker_set_am_recv_handler) \
    X(ucp_ep_create)                  \
    X(ucp_ep_flush_nbx)               \
    X(ucp_ep_close_nbx)               \
    X(ucp_am_send_nbx)                \
    X(ucp_am_recv_data_nbx)           \
    X(ucp_request_check_status)       \
    X(ucp_request_free)               \
    X(ucs_status_string)

/* UCX's functions, by their names. */
struct ni_ucx_calls {
#define NI_UCX_CALL(name) __typeof__(name) *name;
    NI_UCX_CALLS(NI_UCX_CALL)
#undef NI_UCX_CALL
};
extern struct ni_ucx_calls ni_ucx;

/* Load UCX and make the process's context, or count one more user. Logs errors. */
ni_status ni_ucx_library_get(ucp_context_h *context);
void ni_ucx_library_put(void);
/* Count one user less, of whom something stays with UCX's context. */
void ni_ucx_library_keep(void);
/* Links of the process, with those that linger. */
unsigned ni_ucx_library_users(void);

#endif
