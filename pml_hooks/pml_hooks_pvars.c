/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of MPI_T, there before anything is recorded; 0 while nothing is. Each handle has sums
 * of its own from when it is started: it is stopped, reset and written without a change of the
 * record or of another handle.
 */
#include "pml_hooks/pml_hooks.h"
#include "record/clock.h"

/* Numbers of the process, by their names in the head. */
static const struct pvar_row {
    const char *field, *help;
} numbers[] = {
    {"sends_blocking", "Messages sent by blocking calls"},
    {"sends_nonblocking", "Messages sent by nonblocking calls"},
    {"sends_persistent", "Messages sent by persistent requests"},
    {"receives_blocking", "Messages received by blocking calls"},
    {"receives_nonblocking", "Receives begun by nonblocking calls"},
    {"receives_persistent", "Receives begun by persistent requests"},
    {"receives_any_source", "Messages received from any source"},
    {"receives_matched", "Messages received after a matched probe"},
    {"receives_at_once", "Nonblocking receives whose message was there already"},
    {"receives_truncated", "Messages longer than their receive"},
    {"probes", "Blocking probes"},
    {"probes_nonblocking", "Nonblocking probes"},
    {"matched_probes", "Messages found by matched probes"},
    {"cancelled", "Operations that were cancelled"},
    {"failed", "Operations that ended with an error"},
    {"tests", "Calls that test requests"},
    {"waits", "Calls that wait for requests"},
    {"completed", "Operations that have ended"},
};

/* Lengths of time of the process, likewise. */
static struct time_row {
    const char *name;
    struct pvar_row of;
    const struct record_field *field;
    uint64_t ticks; /* of which these are the seconds: what has been read never becomes less */
    double seconds;
} times[] = {
    {.name = "wait_time", .of = {"wait_ticks", "Seconds in calls that wait"}},
    {.name = "span_time",
     .of = {"span_ticks", "Seconds of nonblocking operations, from their start to their end"}},
    {.name = "span_wait_time",
     .of = {"span_wait_ticks", "Seconds in calls that waited for nonblocking operations"}},
};

/* Numbers of each peer, of the program's own messages, by their names in its entry. */
static const struct pvar_row peers[] = {
    {"sent", "Messages of the program sent to each rank of a communicator"},
    {"sent_bytes", "Bytes of the program sent to each rank of a communicator"},
    {"received", "Messages of the program received from each rank of a communicator"},
    {"received_bytes", "Bytes of the program received from each rank of a communicator"},
};

/* The field of this name in a part of the record. */
static const struct record_field *field_of(const char *part_name, const char *name)
{
    const struct record_part *part = record_parts();
    const struct record_field *field;

    while (strcmp(part->name, part_name) != 0) {
        part++;
    }
    for (field = part->fields; strcmp(field->name, name) != 0; field++) {
    }
    return field;
}

static uint64_t value_at(const void *entry, const struct record_field *field)
{
    return __atomic_load_n((const uint64_t *)(const void *)((const char *)entry + field->offset),
                           __ATOMIC_RELAXED);
}

static int read_number(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    (void)object;
    *(unsigned long long *)value = pml_hooks_installed() ? value_at(record_own.head, pvar->ctx) : 0;
    return OPAL_SUCCESS;
}

/* Under the lock of MPI_T, as all of these. */
static int read_time(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    const struct record_head *head = record_own.head;
    struct time_row *row = pvar->ctx;

    (void)object;
    if (pml_hooks_installed()) {
        double passed = (double)(record_clock() - head->clock_start) * 1e-9;
        uint64_t ticks = value_at(head, row->field);

        row->seconds +=
            (double)(ticks - row->ticks) * passed / (double)(record_stamp() - head->stamp_start);
        row->ticks = ticks;
    }
    *(double *)value = row->seconds;
    return OPAL_SUCCESS;
}

/* How many ranks it has to talk to: those of the remote group, if there is one. */
static int peers_of(const struct ompi_communicator_t *comm)
{
    return comm->c_remote_group->grp_proc_count;
}

static int read_peers(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    struct ompi_communicator_t *comm = object;
    unsigned long long *values = value;

    if (ompi_mpi_state >= OMPI_MPI_STATE_FINALIZE_STARTED) {
        return OPAL_ERR_NOT_AVAILABLE; /* there are no communicators any more */
    }
    for (int rank = 0; rank < peers_of(comm); rank++) {
        const struct record_peer *peer = NULL;

        if (pml_hooks_installed()) {
            opal_process_name_t name = ompi_glue_peer_name(comm, rank);

            peer = record_peer_known(name.jobid, name.vpid);
        }
        values[rank] = peer != NULL ? value_at(peer, pvar->ctx) : 0;
    }
    return OPAL_SUCCESS;
}

/* How many values a handle has that is bound to a communicator. */
static int bind_peers(struct mca_base_pvar_t *pvar, mca_base_pvar_event_t event, void *object,
                      int *count)
{
    (void)pvar;
    if (event == MCA_BASE_PVAR_HANDLE_BIND) {
        *count = peers_of(object);
    }
    return OPAL_SUCCESS;
}

/* What is written is the sum of the handle, which Open MPI keeps. */
static int write_sum(struct mca_base_pvar_t *pvar, const void *value, void *object)
{
    (void)pvar, (void)value, (void)object;
    return OPAL_SUCCESS;
}

void pml_hooks_register_pvars(void)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        (void)mca_base_pvar_register("ompi", "pml", "hooks", numbers[i].field, numbers[i].help,
                                     OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_COUNTER,
                                     MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
                                     MCA_BASE_VAR_BIND_NO_OBJECT, 0, read_number, write_sum, NULL,
                                     (void *)(uintptr_t)field_of("head", numbers[i].field));
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        times[i].field = field_of("head", times[i].of.field);
        (void)mca_base_pvar_register("ompi", "pml", "hooks", times[i].name, times[i].of.help,
                                     OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_TIMER,
                                     MCA_BASE_VAR_TYPE_DOUBLE, NULL, MCA_BASE_VAR_BIND_NO_OBJECT, 0,
                                     read_time, write_sum, NULL, &times[i]);
    }
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "peers_%s", peers[i].field);
        (void)mca_base_pvar_register(
            "ompi", "pml", "hooks", name, peers[i].help, OPAL_INFO_LVL_4,
            MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
            MCA_BASE_VAR_BIND_MPI_COMM, 0, read_peers, write_sum, bind_peers,
            (void *)(uintptr_t)field_of("peer", peers[i].field));
    }
}
