/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the recorder and the PML: what the schedule says happens before a call is passed on. */
#include "pml_hooks/pml_hooks_inject.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "record/clock.h"
#include "pml_hooks/pml_hooks_rules.h"

static struct pml_hooks_rules rules;
static mca_pml_base_module_t below;
static bool holding; /* a rule reorders */

bool pml_hooks_inject_read(void)
{
    const char *error = pml_hooks_rules_read(pml_hooks_params.inject, &rules);

    if (error != NULL && OMPI_PROC_MY_NAME->vpid == 0) {
        pml_hooks_help("bad-rules", error, "");
    }
    return error == NULL;
}

void pml_hooks_note_fault(const struct record_fault *fault)
{
    struct record_head *head = record_own.head;
    uint32_t index = __atomic_load_n(&head->fault_count, __ATOMIC_RELAXED);

    (void)__atomic_fetch_add(&head->faults_by_kind[fault->kind], 1, __ATOMIC_RELAXED);
    while (index < RECORD_FAULTS &&
           !__atomic_compare_exchange_n(&head->fault_count, &index, index + 1, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (index < RECORD_FAULTS) {
        record_own.faults[index] = *fault;
    }
}

/* ---- what is done -----------------------------------------------------------------------------
 */

/* What is left to do for the caller. */
struct outcome {
    int error;     /* to be returned instead of calling */
    bool truncate; /* receive no more than `room` bytes */
    uint64_t room;
    uint64_t overtaking; /* hold the send back until so many others have gone; 0: do not */
    struct record_fault held;
};

static void sleep_for(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* Said at once: a process that is stopped or killed does not come to its end. */
static void say_end(const struct record_fault *fault)
{
    const struct record_head *head = record_own.head;

    fprintf(stderr,
            "pml_hooks: rank %" PRIu32 " (pid %" PRIu32 ") %s: rule %" PRIu32
            " of pml_hooks_inject, operation %" PRIu64 "\n",
            head->rank, head->pid,
            fault->kind == RECORD_FAULT_DIE ? "is killed" : "stops, until it gets SIGCONT",
            fault->rule, fault->number);
}

static void act(const struct record_fault *fault, struct outcome *outcome)
{
    if (fault->kind != RECORD_FAULT_REORDER) { /* which counts when something has overtaken */
        pml_hooks_note_fault(fault);
    }
    switch (fault->kind) {
    case RECORD_FAULT_DELAY:
        sleep_for(fault->value);
        break;
    case RECORD_FAULT_ERROR:
        outcome->error = (int)fault->value;
        break;
    case RECORD_FAULT_REORDER:
        outcome->overtaking = fault->value;
        outcome->held = *fault;
        break;
    case RECORD_FAULT_TRUNCATE:
        outcome->truncate = true;
        outcome->room = fault->value;
        break;
    default:
        say_end(fault);
        (void)kill(getpid(), fault->kind == RECORD_FAULT_DIE ? SIGKILL : SIGSTOP);
    }
}

/* All rules for an operation that is about to begin. */
static struct outcome inject(unsigned op, struct ompi_communicator_t *comm, int peer, int tag)
{
    opal_process_name_t name = {OMPI_PROC_MY_NAME->jobid, OPAL_VPID_INVALID};
    struct outcome outcome = {.error = OMPI_SUCCESS};
    struct pml_hooks_operation operation = {
        .op = op,
        .of = tag >= 0 || tag == MPI_ANY_TAG ? PML_HOOKS_OF_PROGRAM : PML_HOOKS_OF_COLLECTIVES,
        .peer = -1,
        .tag = tag,
    };

    if (peer != MPI_ANY_SOURCE) {
        name = ompi_glue_peer_name(comm, peer);
        operation.peer = name.vpid;
    }
    for (size_t i = 0; i < rules.count && outcome.error == OMPI_SUCCESS; i++) {
        struct pml_hooks_rule *rule = &rules.rules[i];

        if (pml_hooks_rule_hits(&rules, i, pml_hooks_params.seed, OMPI_PROC_MY_NAME->vpid,
                                &operation)) {
            act(
                &(struct record_fault){
                    .kind = rule->action,
                    .rule = (uint32_t)i + 1,
                    .peer_job = name.jobid,
                    .peer = peer != MPI_ANY_SOURCE ? (int32_t)name.vpid : RECORD_ANY,
                    .tag = tag != MPI_ANY_TAG ? tag : RECORD_ANY,
                    .context = ompi_glue_comm_id(comm),
                    .number = atomic_load_explicit(&rule->seen, memory_order_relaxed),
                    .value = rule->value,
                    .at = record_stamp(),
                },
                &outcome);
        }
    }
    return outcome;
}

/* ---- the layer --------------------------------------------------------------------------------
 */

static int inject_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                        int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                        struct ompi_request_t **request)
{
    struct outcome outcome = inject(PML_HOOKS_OP_SEND, comm, peer, tag);
    int rc;

    if (outcome.error != OMPI_SUCCESS) {
        return outcome.error;
    }
    if (!holding) {
        return below.pml_isend(buffer, count, type, peer, tag, mode, comm, request);
    }
    pml_hooks_hold_before(comm, peer);
    if (outcome.overtaking > 0 && mode == MCA_PML_BASE_SEND_STANDARD &&
        pml_hooks_hold(buffer, count, type, peer, tag, comm, outcome.overtaking, &outcome.held)) {
        *request = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    rc = below.pml_isend(buffer, count, type, peer, tag, mode, comm, request);
    pml_hooks_hold_after(comm, peer);
    return rc;
}

static int inject_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                       int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    struct outcome outcome = inject(PML_HOOKS_OP_SEND, comm, peer, tag);
    int rc;

    if (outcome.error != OMPI_SUCCESS) {
        return outcome.error;
    }
    if (!holding) {
        return below.pml_send(buffer, count, type, peer, tag, mode, comm);
    }
    pml_hooks_hold_before(comm, peer);
    if (outcome.overtaking > 0 && mode == MCA_PML_BASE_SEND_STANDARD &&
        pml_hooks_hold(buffer, count, type, peer, tag, comm, outcome.overtaking, &outcome.held)) {
        return OMPI_SUCCESS;
    }
    rc = below.pml_send(buffer, count, type, peer, tag, mode, comm);
    pml_hooks_hold_after(comm, peer);
    return rc;
}

/* For how many elements there is room. */
static size_t room_for(const struct outcome *outcome, size_t count,
                       const struct ompi_datatype_t *type)
{
    size_t room =
        outcome->truncate && type->super.size > 0 ? outcome->room / type->super.size : count;

    return room < count ? room : count;
}

static int inject_irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                        struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    struct outcome outcome = inject(PML_HOOKS_OP_RECEIVE, comm, peer, tag);

    return outcome.error != OMPI_SUCCESS ? outcome.error
                                         : below.pml_irecv(buffer, room_for(&outcome, count, type),
                                                           type, peer, tag, comm, request);
}

static int inject_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                       struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    struct outcome outcome = inject(PML_HOOKS_OP_RECEIVE, comm, peer, tag);

    if (outcome.error != OMPI_SUCCESS) {
        return outcome.error;
    }
    pml_hooks_hold_release();
    return below.pml_recv(buffer, room_for(&outcome, count, type), type, peer, tag, comm, status);
}

static int inject_imrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                         struct ompi_message_t **message, struct ompi_request_t **request)
{
    struct outcome outcome =
        inject(PML_HOOKS_OP_RECEIVE, (*message)->comm, (*message)->peer, MPI_ANY_TAG);

    return outcome.error != OMPI_SUCCESS
               ? outcome.error
               : below.pml_imrecv(buffer, room_for(&outcome, count, type), type, message, request);
}

static int inject_mrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                        struct ompi_message_t **message, ompi_status_public_t *status)
{
    struct outcome outcome =
        inject(PML_HOOKS_OP_RECEIVE, (*message)->comm, (*message)->peer, MPI_ANY_TAG);

    return outcome.error != OMPI_SUCCESS
               ? outcome.error
               : below.pml_mrecv(buffer, room_for(&outcome, count, type), type, message, status);
}

/* A request that is used again keeps its buffer: it is delayed and the like, not truncated, and
 * nothing overtakes it. */
static int inject_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; i++) {
        struct ompi_communicator_t *comm;
        struct outcome outcome;
        int peer, tag;
        bool is_send;

        if (pml_hooks_persistent_of(requests[i], &comm, &peer, &tag, &is_send)) {
            outcome = inject(is_send ? PML_HOOKS_OP_SEND : PML_HOOKS_OP_RECEIVE, comm, peer, tag);
            if (outcome.error != OMPI_SUCCESS) {
                return outcome.error;
            }
        }
    }
    pml_hooks_hold_release();
    return below.pml_start(count, requests);
}

static int inject_del_comm(struct ompi_communicator_t *comm)
{
    pml_hooks_hold_release();
    return below.pml_del_comm(comm);
}

void pml_hooks_inject_install(mca_pml_base_module_t *module)
{
    below = *module;
    holding = false;
    for (size_t i = 0; i < rules.count; i++) {
        holding = holding || rules.rules[i].action == PML_HOOKS_REORDER;
    }
    pml_hooks_hold_begin(&below);
    module->pml_isend = inject_isend;
    module->pml_send = inject_send;
    module->pml_irecv = inject_irecv;
    module->pml_recv = inject_recv;
    module->pml_imrecv = inject_imrecv;
    module->pml_mrecv = inject_mrecv;
    module->pml_start = inject_start;
    module->pml_del_comm = inject_del_comm;
}

/* ---- the end ----------------------------------------------------------------------------------
 */

void pml_hooks_inject_end(void)
{
    const struct record_head *head = record_own.head;
    char text[256];
    size_t used = 0;
    uint64_t all = 0;

    pml_hooks_hold_end();
    for (uint32_t kind = 0; kind < PML_HOOKS_ACTIONS; kind++) {
        uint64_t count = head->faults_by_kind[kind];

        if (count > 0 && used < sizeof(text)) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %" PRIu64,
                                     all > 0 ? ", " : "", record_fault_name(kind), count);
        }
        all += count;
    }
    if (all > 0) {
        fprintf(stderr,
                "pml_hooks: rank %" PRIu32 ": %" PRIu64
                " faults were injected (%s; pml_hooks_seed %" PRIu64 ")\n",
                head->rank, all, text, (uint64_t)pml_hooks_params.seed);
    }
}
