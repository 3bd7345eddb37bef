/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_BTL_APELINK_H
#define MCA_BTL_APELINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/ni.h>
#include <apeni/region.h>
#include <apeni/transfer.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/list.h"
#include "ompi_glue/component.h"
#include "ompi_glue/ompi_glue.h"

/*
 * The apelink BTL (APEnet+ 4.6, Table 10): Open MPI's byte transport over one network interface of
 * the core. A thin client: what it sends are messages to a QUEUE region of the peer, whose consumer
 * hands them to the layer above in place; puts, gets and atomics go to MEMORY regions.
 *
 * btl_apelink_*.c by verb:
 *   component  open, init, close, progress         sendi   the hot path out
 *   params     MCA parameters                      send    descriptors out, and those that wait
 *   module     function table, finalize            recv    the hot path in
 *   procs      add_procs, del_procs, dead peers    frag    alloc, free, prepare_src
 *   dump       state for people                    memory  register_mem, deregister_mem
 *   op         what rdma and atomic share          rdma    put, get, flush
 *   parts      messages too long for the link      atomic  atomic_op, atomic_fop, cswap
 *   nomem      how long there may be no memory
 *
 * Messages for users, misspelt parameters, statistics for MPI_T, and whether apelink was asked for:
 * ompi_glue/component.h.
 *
 * Life: Open MPI registers parameters (always), opens and initialises the component; init opens the
 * NI and publishes its address if apelink was asked for, else steps aside. add_procs connects, one
 * process or many at a time, at any time; progress polls from the first registration on, no
 * matter who sends. finalize closes the NI.
 *
 * Threads: with MPI_THREAD_MULTIPLE the NI is opened with NI_THREADS, free lists become atomic, and
 * what waits on an endpoint is under its lock. Without it nothing is locked. Lock order: an
 * endpoint's lock, then the module's. Neither is held while the layer above is called.
 */

/* ---- objects --------------------------------------------------------------------------------- */

/* A peer process, as add_procs returns it. */
struct mca_btl_base_endpoint_t {
    /* hot: sendi and send */
    struct ni_peer *peer;
    ni_handle queue;          /* the peer's QUEUE region */
    _Atomic uint32_t waiting; /* descriptors in pending; nothing may overtake them */
    /* cold */
    struct ni_list pending; /* mca_btl_apelink_frag_t, oldest first; under lock */
    struct ni_list busy;    /* in the module's busy list while waiting != 0; under its lock */
    struct ni_list all;     /* in the module's list; under its lock */
    opal_mutex_t lock;
    opal_proc_t *proc;
    _Atomic bool down; /* nothing more can be sent to it; relaxed, set once, while polling */
};
typedef struct mca_btl_base_endpoint_t mca_btl_apelink_endpoint_t;

/* Registration handle: what a peer needs to reach the region, plain data. handle 0: registered for
 * local use only, which needs nothing. */
struct mca_btl_base_registration_handle_t {
    struct ni_rkey rkey;
};

/* Descriptors come in three sizes, see mca_btl_apelink_alloc. */
enum mca_btl_apelink_frag_class {
    MCA_BTL_APELINK_FRAG_SMALL, /* control messages of ob1 */
    MCA_BTL_APELINK_FRAG_EAGER,
    MCA_BTL_APELINK_FRAG_MAX,
    MCA_BTL_APELINK_FRAG_CLASSES
};
enum { MCA_BTL_APELINK_SMALL_BYTES = 256 };

/* A descriptor. segments[0] is in its own buffer, segments[1], if any, in the user's. */
struct mca_btl_apelink_frag_t {
    mca_btl_base_descriptor_t base;
    mca_btl_base_segment_t segments[2];
    mca_btl_apelink_endpoint_t *endpoint;
    struct ni_list list; /* in endpoint->pending */
    opal_free_list_t *home;
    uint32_t reserve; /* bytes of segments[0] that precede user data, for alignment */
    uint32_t sent;    /* bytes that have left, of a message that goes in parts */
    mca_btl_base_tag_t tag;
    _Alignas(NI_CACHE_LINE) uint8_t buffer[];
};
typedef struct mca_btl_apelink_frag_t mca_btl_apelink_frag_t;
OBJ_CLASS_DECLARATION(mca_btl_apelink_frag_t);

/* A put, get or atomic under way. */
struct mca_btl_apelink_op_t {
    opal_free_list_item_t super;
    mca_btl_base_rdma_completion_fn_t cbfunc; /* may be NULL */
    void *cbcontext;
    void *cbdata;
    mca_btl_apelink_endpoint_t *endpoint;
    void *local_address;
    mca_btl_base_registration_handle_t *local_handle;
    uint32_t width; /* fetching atomics: bytes of the result to store, else 0 */
    /* What it is to do, while it is held. */
    bool reads;
    size_t size;
    struct ni_remote remote;
};
typedef struct mca_btl_apelink_op_t mca_btl_apelink_op_t;
OBJ_CLASS_DECLARATION(mca_btl_apelink_op_t);

/* A registration is a free-list item that holds the handle. */
struct mca_btl_apelink_reg_t {
    opal_free_list_item_t super;
    mca_btl_base_registration_handle_t handle;
};
typedef struct mca_btl_apelink_reg_t mca_btl_apelink_reg_t;
OBJ_CLASS_DECLARATION(mca_btl_apelink_reg_t);

/* What a process publishes: its address and its queue. */
enum { MCA_BTL_APELINK_MODEX_VERSION = 1 };
struct mca_btl_apelink_modex_t {
    uint32_t version;
    uint32_t blob_len;
    struct ni_rkey queue;
    uint8_t blob[NI_BLOB_MAX];
};

/* The one module. */
struct mca_btl_apelink_module_t {
    mca_btl_base_module_t super;
    struct ni *ni; /* NULL unless open */
    bool threads;
    bool may_sleep;              /* progress that finds nothing for long does */
    bool closing;                /* peers that go away now are no news */
    _Atomic bool starved;        /* what was tried last found no memory */
    _Atomic bool unregistered;   /* ob1 waits for a registration, and may not try again */
    _Atomic uint32_t registered; /* pieces of memory of ob1's that a peer is to write to */
    /* What each poll has to look at: endpoints in busy, operations in held, 1 if unregistered. */
    _Atomic uint32_t pending;
    struct ni_list busy;      /* endpoints with descriptors that wait; under lock */
    struct ni_list endpoints; /* all; under lock */
    opal_mutex_t lock;
    struct ni_rkey queue;
    mca_btl_base_module_error_cb_fn_t error_cb;
    struct opal_proc_t *_Atomic namesake; /* of another host that has this one's name; or NULL */
    opal_free_list_t frags[MCA_BTL_APELINK_FRAG_CLASSES];
    opal_free_list_t ops;
    opal_free_list_t regs;
    opal_list_t held;             /* puts and gets that found no memory; under lock */
    struct ni_memory_wait starve; /* since when there has been none for anything; under lock */
    struct ni_list assemblies; /* messages that arrive in parts; the thread that polls has them */
    uint64_t unclaimed;        /* messages with a tag that nobody takes */
};
typedef struct mca_btl_apelink_module_t mca_btl_apelink_module_t;

struct mca_btl_apelink_component_t {
    mca_btl_base_component_t super;
    int enable;        /* enum ompi_glue_enable */
    unsigned frag_max; /* descriptors of each larger size */
    bool minmax;       /* offer atomic minimum and maximum, which are signed */
};
typedef struct mca_btl_apelink_component_t mca_btl_apelink_component_t;

OPAL_MODULE_DECLSPEC extern mca_btl_apelink_component_t mca_btl_apelink_component;
extern mca_btl_apelink_module_t mca_btl_apelink;

/* ---- component ------------------------------------------------------------------------------- */

/* Register all parameters. First of all: the glue learns whose copy it is. */
int mca_btl_apelink_register_params(void);

/* Hand the values to the core: MCA over environment over default. Reports what the core refuses,
 * values of the sizes that make no sense together, and misspelt names. False if anything was. */
bool mca_btl_apelink_apply_params(void);

/* Whether this run asked for apelink. */
bool mca_btl_apelink_wanted(void);

/* Whether this run has no other BTL that goes between hosts. */
bool mca_btl_apelink_is_only_network(void);

/* Whether this run has no other BTL at all, except for messages of a process to itself. */
bool mca_btl_apelink_is_only_btl(void);

/* The help file's text without its comments, made from it by the build. */
extern const char mca_btl_apelink_help_text[];

/* ---- module ---------------------------------------------------------------------------------- */

int mca_btl_apelink_add_procs(struct mca_btl_base_module_t *btl, size_t nprocs,
                              struct opal_proc_t **procs,
                              struct mca_btl_base_endpoint_t **endpoints,
                              struct opal_bitmap_t *reachable);
int mca_btl_apelink_del_procs(struct mca_btl_base_module_t *btl, size_t nprocs,
                              struct opal_proc_t **procs,
                              struct mca_btl_base_endpoint_t **endpoints);
/* Give up an endpoint and what waits on it. */
void mca_btl_apelink_endpoint_release(mca_btl_apelink_endpoint_t *endpoint);
/* Print by which links processes are reached, if that is wanted. */
void mca_btl_apelink_show_links(mca_btl_apelink_module_t *module);
/* Tell the user, by a topic of the help file, and the layer above, which ends the job, what has
 * happened to a process. lost: it; NULL: it may live, and nobody can go on without what has failed.
 */
void mca_btl_apelink_give_up(mca_btl_apelink_module_t *module,
                             const mca_btl_apelink_endpoint_t *endpoint, opal_proc_t *lost,
                             const char *topic, const char *what, ni_status status);
/* ni_peer_down_fn */
void mca_btl_apelink_peer_down(void *arg, struct ni_peer *peer, ni_status status);

mca_btl_base_descriptor_t *mca_btl_apelink_alloc(struct mca_btl_base_module_t *btl,
                                                 struct mca_btl_base_endpoint_t *endpoint,
                                                 uint8_t order, size_t size, uint32_t flags);
int mca_btl_apelink_free(struct mca_btl_base_module_t *btl, mca_btl_base_descriptor_t *descriptor);
mca_btl_base_descriptor_t *mca_btl_apelink_prepare_src(struct mca_btl_base_module_t *btl,
                                                       struct mca_btl_base_endpoint_t *endpoint,
                                                       struct opal_convertor_t *convertor,
                                                       uint8_t order, size_t reserve, size_t *size,
                                                       uint32_t flags);
int mca_btl_apelink_send(struct mca_btl_base_module_t *btl,
                         struct mca_btl_base_endpoint_t *endpoint,
                         mca_btl_base_descriptor_t *descriptor, mca_btl_base_tag_t tag);
int mca_btl_apelink_sendi(struct mca_btl_base_module_t *btl,
                          struct mca_btl_base_endpoint_t *endpoint,
                          struct opal_convertor_t *convertor, void *header, size_t header_size,
                          size_t payload_size, uint8_t order, uint32_t flags,
                          mca_btl_base_tag_t tag, mca_btl_base_descriptor_t **descriptor);

/* Send what waits, as far as there is room; returns the number of descriptors sent. */
unsigned mca_btl_apelink_send_pending(mca_btl_apelink_module_t *module);
/* Complete with an error, or with status OPAL_SUCCESS just drop, all that waits on an endpoint. */
void mca_btl_apelink_fail_pending(mca_btl_apelink_endpoint_t *endpoint, int status);

/* ni_consumer_fn: hands each message to the layer that registered its tag. */
void mca_btl_apelink_recv(void *arg, const struct ni_message_info *message);

mca_btl_base_registration_handle_t *mca_btl_apelink_register_mem(
    struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint, void *base,
    size_t size, uint32_t flags);
int mca_btl_apelink_deregister_mem(struct mca_btl_base_module_t *btl,
                                   mca_btl_base_registration_handle_t *handle);

int mca_btl_apelink_put(struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
                        void *local_address, uint64_t remote_address,
                        mca_btl_base_registration_handle_t *local_handle,
                        mca_btl_base_registration_handle_t *remote_handle, size_t size, int flags,
                        int order, mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                        void *cbdata);
int mca_btl_apelink_get(struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
                        void *local_address, uint64_t remote_address,
                        mca_btl_base_registration_handle_t *local_handle,
                        mca_btl_base_registration_handle_t *remote_handle, size_t size, int flags,
                        int order, mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                        void *cbdata);
int mca_btl_apelink_flush(struct mca_btl_base_module_t *btl,
                          struct mca_btl_base_endpoint_t *endpoint);

int mca_btl_apelink_atomic_op(struct mca_btl_base_module_t *btl,
                              struct mca_btl_base_endpoint_t *endpoint, uint64_t remote_address,
                              mca_btl_base_registration_handle_t *remote_handle,
                              mca_btl_base_atomic_op_t op, uint64_t operand, int flags, int order,
                              mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                              void *cbdata);
int mca_btl_apelink_atomic_fop(struct mca_btl_base_module_t *btl,
                               struct mca_btl_base_endpoint_t *endpoint, void *local_address,
                               uint64_t remote_address,
                               mca_btl_base_registration_handle_t *local_handle,
                               mca_btl_base_registration_handle_t *remote_handle,
                               mca_btl_base_atomic_op_t op, uint64_t operand, int flags, int order,
                               mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext,
                               void *cbdata);
int mca_btl_apelink_atomic_cswap(
    struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
    void *local_address, uint64_t remote_address, mca_btl_base_registration_handle_t *local_handle,
    mca_btl_base_registration_handle_t *remote_handle, uint64_t compare, uint64_t value, int flags,
    int order, mca_btl_base_rdma_completion_fn_t cbfunc, void *cbcontext, void *cbdata);

void mca_btl_apelink_dump(struct mca_btl_base_module_t *btl,
                          struct mca_btl_base_endpoint_t *endpoint, int verbose);

/* ---- want of memory -------------------------------------------------------------------------- */

/* Something was tried in vain once more for want of memory, NI_ERR_NOMEM. Where all that was tried
 * has been so for memory_wait_ms the job ends, with `what` before the name of the process, of the
 * endpoint or, if that is NULL, our own. True: it is over. */
NI_COLD bool mca_btl_apelink_starves(mca_btl_apelink_module_t *module,
                                     const mca_btl_apelink_endpoint_t *endpoint, const char *what);

/* Something found memory. */
static inline void mca_btl_apelink_fed(mca_btl_apelink_module_t *module)
{
    if (NI_UNLIKELY(atomic_load_explicit(&module->starved, memory_order_relaxed))) {
        atomic_store_explicit(&module->starved, false, memory_order_relaxed);
    }
}

/* ob1 found no memory to register some of its own. */
NI_COLD void mca_btl_apelink_unregistered(mca_btl_apelink_module_t *module);
/* It has found some since. */
NI_COLD void mca_btl_apelink_registered(mca_btl_apelink_module_t *module);
/* Once in each round of progress while ob1 waits for that. */
NI_COLD void mca_btl_apelink_look_at_unregistered(mca_btl_apelink_module_t *module);

/* ---- helpers --------------------------------------------------------------------------------- */

/* The OPAL error for a status of the core. */
int mca_btl_apelink_error(ni_status status);

static inline void mca_btl_apelink_lock(const mca_btl_apelink_module_t *module, opal_mutex_t *lock)
{
    if (NI_UNLIKELY(module->threads)) {
        opal_mutex_lock(lock);
    }
}

static inline void mca_btl_apelink_unlock(const mca_btl_apelink_module_t *module,
                                          opal_mutex_t *lock)
{
    if (NI_UNLIKELY(module->threads)) {
        opal_mutex_unlock(lock);
    }
}

static inline bool mca_btl_apelink_is_down(const mca_btl_apelink_endpoint_t *endpoint)
{
    return atomic_load_explicit(&endpoint->down, memory_order_relaxed);
}

/* Whether descriptors wait on the endpoint. Relaxed: a thread sees its own, and between threads
 * there is no order to keep. */
static inline bool mca_btl_apelink_waits(const mca_btl_apelink_endpoint_t *endpoint)
{
    return atomic_load_explicit(&endpoint->waiting, memory_order_relaxed) != 0;
}

#endif
