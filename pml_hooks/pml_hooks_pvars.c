/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of MPI_T, there before anything is recorded; 0 while nothing is. Each handle of a sum
 * has a value of its own from when it is started: it is stopped, reset and written without a change
 * of the record or of another handle.
 */
#include "pml_hooks/pml_hooks.h"
#include "record/names.h"

enum kind { KIND_SUM, KIND_LEVEL, KIND_GREATEST };

/* Fields of the record that are variables, by their parts and names. What are lengths of time there
 * are seconds here, and so called: _time for _ticks. */
struct row {
    const char *field;
    enum kind kind;
    const char *help;
    unsigned at, values; /* of an array: from which one, how many; 0: all */
    const char *name;    /* if it is not that of the field */
};

#define SUM(field, help)                  \
    {                                     \
        field, KIND_SUM, help, 0, 0, NULL \
    }
#define LEVEL(field, help)                  \
    {                                       \
        field, KIND_LEVEL, help, 0, 0, NULL \
    }
#define GREATEST(field, help)                  \
    {                                          \
        field, KIND_GREATEST, help, 0, 0, NULL \
    }
#define PART(field, at, name, help)        \
    {                                      \
        field, KIND_SUM, help, at, 1, name \
    }

static const struct row of_process[] = {
    SUM("sends", "Messages sent by mode: synchronous, complete, buffered, ready, standard"),
    SUM("sends_blocking", "Messages sent by blocking calls"),
    SUM("sends_nonblocking", "Messages sent by nonblocking calls"),
    SUM("sends_persistent", "Messages sent by persistent requests"),
    SUM("receives_blocking", "Messages received by blocking calls"),
    SUM("receives_nonblocking", "Receives begun by nonblocking calls"),
    SUM("receives_persistent", "Receives begun by persistent requests"),
    SUM("receives_any_source", "Messages received from any source"),
    SUM("receives_matched", "Messages received after a matched probe"),
    SUM("receives_at_once", "Nonblocking receives whose message was there already"),
    SUM("receives_truncated", "Messages longer than their receive"),
    SUM("probes", "Blocking probes"),
    SUM("probes_nonblocking", "Nonblocking probes"),
    SUM("matched_probes", "Messages found by matched probes"),
    SUM("cancelled", "Operations that were cancelled"),
    SUM("failed", "Operations that ended with an error"),
    SUM("tests", "Calls that test requests"),
    SUM("waits", "Calls that wait for requests"),
    SUM("completed", "Operations that have ended"),
    SUM("wait_ticks", "Seconds in calls that wait"),
    SUM("span_ticks", "Seconds of nonblocking operations, from their start to their end"),
    SUM("span_wait_ticks", "Seconds in calls that waited for nonblocking operations"),
    SUM("window_calls", "Calls of one-sided communication that synchronise"),
    SUM("window_ticks", "Seconds in these, without those of wait_time"),
    SUM("faults_by_kind", "Faults injected: delay, error, reorder, truncate, stop, die"),
    SUM("deaths", "Processes of the job that have died"),
    SUM("deaths_asked", "Questions to the runtime for deaths on other hosts"),
    SUM("device_sends_by_size", "Messages sent from memory of a GPU, by powers of two of bytes"),
    SUM("device_receives_by_size", "Messages received there, by powers of two of bytes"),
    SUM("device_staged", "Messages that went through memory of the host for one of a GPU"),
    SUM("device_refused", "Messages that were refused for their buffer on a GPU"),
    SUM("peers_lost", "Messages of peers beyond pml_hooks_peers"),
    SUM("pending_lost", "Operations that could not be followed: too many at once"),
    SUM("samples", "How often the depths of queues were looked at"),
    SUM("posted_sum", "What posted_queue_now was each time: divided by samples the mean"),
    SUM("unexpected_sum", "What unexpected_queue_now was each time"),
    LEVEL("posted_queue_now", "Receives without a message; all bits: not known"),
    LEVEL("unexpected_queue_now", "Messages without a receive; all bits: not known"),
    GREATEST("posted_queue_greatest", "Most receives without a message; all bits: not known"),
    GREATEST("unexpected_queue_greatest", "Most messages without a receive, likewise"),
    LEVEL("clock_error", "Nanoseconds by which this host's clock may be told wrong"),
    SUM("clock_round_trips", "Messages to rank 0's host and back that have measured it"),
    LEVEL("slice_ticks", "Seconds of a slice of time"),
    LEVEL("slice_count", "Slices of time that are in use"),
};

/* Each has a value for each class: the program's own messages, then each kind of collective in the
 * order of record/names.h. */
static const struct row of_classes[] = {
    SUM("sent", "Messages sent, by class: the program's own, then each kind of collective"),
    SUM("sent_bytes", "Bytes sent, by class"),
    SUM("received", "Messages received, by class"),
    SUM("received_bytes", "Bytes received, by class"),
    SUM("wait_ticks", "Seconds in calls that wait, by class"),
};

static const struct row of_slices[] = {
    LEVEL("sent", "Messages sent, by slice of time"),
    LEVEL("sent_bytes", "Bytes sent, by slice of time"),
    LEVEL("received", "Messages received, by slice of time"),
    LEVEL("received_bytes", "Bytes received, by slice of time"),
    LEVEL("wait_ticks", "Seconds in calls that wait, by slice of time"),
};

/* Each has values for each rank of a communicator. */
static const struct row of_peers[] = {
    PART("sent", 0, NULL, "Messages of the program to each rank"),
    PART("sent_bytes", 0, NULL, "Bytes of the program to each rank"),
    PART("received", 0, NULL, "Messages of the program from each rank"),
    PART("received_bytes", 0, NULL, "Bytes of the program from each rank"),
    PART("sent", 1, "sent_internal", "Messages of collectives to each rank"),
    PART("sent_bytes", 1, "sent_bytes_internal", "Bytes of collectives to each rank"),
    PART("received", 1, "received_internal", "Messages of collectives from each rank"),
    PART("received_bytes", 1, "received_bytes_internal", "Bytes of collectives from each rank"),
    SUM("sent_by_size", "Messages to each rank, by powers of two of bytes"),
    SUM("received_by_size", "Messages from each rank, by powers of two of bytes"),
    LEVEL("sent_smallest", "Bytes of the smallest message to each rank"),
    GREATEST("sent_largest", "Bytes of the largest message to each rank"),
    LEVEL("received_smallest", "Bytes of the smallest message from each rank"),
    GREATEST("received_largest", "Bytes of the largest message from each rank"),
    SUM("received_any_source", "Messages of each rank that were received from any source"),
    SUM("send_wait_ticks", "Seconds of waiting for sends to each rank"),
    SUM("receive_wait_ticks", "Seconds of waiting for messages of each rank"),
    SUM("send_wait_internal_ticks", "Of these, in collectives"),
    SUM("receive_wait_internal_ticks", "Of these, in collectives"),
    SUM("late_sender_ticks", "Seconds of waiting until each rank sent"),
    SUM("late_sender_internal_ticks", "Of these, in collectives"),
    SUM("late_sender_error_ticks", "Seconds by which that may be wrong"),
    SUM("late_sender_known", "Waits of which it is known"),
    SUM("late_sender_unknown", "Waits of which it is not"),
    SUM("late_sender_inferred", "Waits of which it is inferred"),
    SUM("late_sender_internal", "Waits of which it is known, in collectives"),
    SUM("late_receiver_ticks", "Seconds of waiting until each rank began to receive"),
    SUM("late_receiver_internal_ticks", "Of these, in collectives"),
    SUM("late_receiver_error_ticks", "Seconds by which that may be wrong"),
    SUM("late_receiver_known", "Waits of which it is known"),
    SUM("late_receiver_unknown", "Waits of which it is not"),
    SUM("late_receiver_inferred", "Waits of which it is inferred"),
    SUM("late_receiver_internal", "Waits of which it is known, in collectives"),
};

#define ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])
static const struct {
    const char *part, *prefix;
    const struct row *rows;
    size_t count;
    unsigned entries; /* 0: one for each rank of the communicator to which a handle is bound */
} parts[] = {
    {"head", "", ROWS(of_process), 1},
    {"class", "classes_", ROWS(of_classes), RECORD_CLASSES},
    {"slice", "slices_", ROWS(of_slices), RECORD_SLICES},
    {"peer", "peers_", ROWS(of_peers), 0},
};

/* What is found of a row once, for its variable. */
static struct variable {
    const struct record_field *field;
    const struct record_part *part;
    unsigned entries;    /* as in parts */
    unsigned at, values; /* of each entry */
} variables[sizeof(of_process) / sizeof(of_process[0]) +
            sizeof(of_classes) / sizeof(of_classes[0]) + sizeof(of_slices) / sizeof(of_slices[0]) +
            sizeof(of_peers) / sizeof(of_peers[0])];

static bool is_time(const struct variable *variable)
{
    return variable->field->type == RECORD_TYPE_TICKS;
}

/* ---- reading: under the lock of MPI_T ---------------------------------------------------------
 */

/* Seconds of a tick: always the same, that a sum never becomes less. */
static double tick_seconds(void)
{
    uint64_t rate = record_own.head->ticks_per_second;

    return rate != 0 ? 1 / (double)rate : 1e-9;
}

static uint64_t number_at(const void *entry, const struct variable *variable, unsigned index)
{
    const char *at = (const char *)entry + variable->field->offset;

    if (variable->field->type == RECORD_TYPE_U32) {
        return RECORD_READ(((const uint32_t *)(const void *)at)[index]);
    }
    return RECORD_READ(((const uint64_t *)(const void *)at)[index]);
}

/* The values of one entry, which may be NULL: 0. */
static void read_entry(const void *entry, const struct variable *variable, size_t number,
                       void *values)
{
    for (unsigned i = 0; i < variable->values; i++) {
        size_t index = number * variable->values + i;
        uint64_t found = entry != NULL ? number_at(entry, variable, variable->at + i) : 0;

        if (is_time(variable)) {
            ((double *)values)[index] = found != 0 ? (double)found * tick_seconds() : 0.0;
        } else {
            ((unsigned long long *)values)[index] = found;
        }
    }
}

static int read_own(const struct mca_base_pvar_t *pvar, void *values, void *object)
{
    const struct variable *variable = pvar->ctx;

    (void)object;
    for (size_t i = 0; i < variable->entries; i++) {
        read_entry(pml_hooks_installed() ? (const char *)record_own.head + variable->part->offset +
                                               i * variable->part->stride
                                         : NULL,
                   variable, i, values);
    }
    return OPAL_SUCCESS;
}

/* How many ranks it has to talk to: those of the remote group, if there is one. */
static int peers_of(const struct ompi_communicator_t *comm)
{
    return comm->c_remote_group->grp_proc_count;
}

static int read_peers(const struct mca_base_pvar_t *pvar, void *values, void *object)
{
    struct ompi_communicator_t *comm = object;

    if (ompi_mpi_state >= OMPI_MPI_STATE_FINALIZE_STARTED) {
        return OPAL_ERR_NOT_AVAILABLE; /* there are no communicators any more */
    }
    for (int rank = 0; rank < peers_of(comm); rank++) {
        const struct record_peer *peer = NULL;

        if (pml_hooks_installed()) {
            opal_process_name_t name = ompi_glue_peer_name(comm, rank);

            peer = record_peer_known(name.jobid, name.vpid);
        }
        read_entry(peer, pvar->ctx, (size_t)rank, values);
    }
    return OPAL_SUCCESS;
}

/* How many values a handle has. */
static int count_values(struct mca_base_pvar_t *pvar, mca_base_pvar_event_t event, void *object,
                        int *count)
{
    const struct variable *variable = pvar->ctx;

    if (event == MCA_BASE_PVAR_HANDLE_BIND) {
        *count = (variable->entries != 0 ? (int)variable->entries : peers_of(object)) *
                 (int)variable->values;
    }
    return OPAL_SUCCESS;
}

/* What is written is the sum of the handle, which Open MPI keeps. */
static int write_sum(struct mca_base_pvar_t *pvar, const void *value, void *object)
{
    (void)pvar, (void)value, (void)object;
    return OPAL_SUCCESS;
}

/* ---- registering ------------------------------------------------------------------------------
 */

static const struct record_part *part_named(const char *name)
{
    const struct record_part *part = record_parts();

    while (strcmp(part->name, name) != 0) {
        part++;
    }
    return part;
}

static const struct record_field *field_named(const struct record_part *part, const char *name)
{
    const struct record_field *field = part->fields;

    while (strcmp(field->name, name) != 0) {
        field++;
    }
    return field;
}

/* The name of a variable: _time for _ticks. */
static void name_of(char *name, size_t size, const char *prefix, const struct row *row)
{
    const char *text = row->name != NULL ? row->name : row->field;
    const char *ticks = strstr(text, "_ticks");

    (void)snprintf(name, size, "%s%.*s%s", prefix,
                   ticks != NULL ? (int)(ticks - text) : (int)strlen(text), text,
                   ticks != NULL ? "_time" : "");
}

static int class_of(enum kind kind, bool time)
{
    switch (kind) {
    case KIND_SUM:
        return time ? MCA_BASE_PVAR_CLASS_TIMER : MCA_BASE_PVAR_CLASS_COUNTER;
    case KIND_GREATEST:
        return MCA_BASE_PVAR_CLASS_HIGHWATERMARK;
    default:
        return MCA_BASE_PVAR_CLASS_LEVEL;
    }
}

static void add(const char *prefix, const struct row *row, struct variable *variable)
{
    bool of_ranks = variable->entries == 0, time = is_time(variable);
    char name[64];

    name_of(name, sizeof(name), prefix, row);
    (void)mca_base_pvar_register(
        "ompi", "pml", "hooks", name, row->help, OPAL_INFO_LVL_4, class_of(row->kind, time),
        time ? MCA_BASE_VAR_TYPE_DOUBLE : MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
        of_ranks ? MCA_BASE_VAR_BIND_MPI_COMM : MCA_BASE_VAR_BIND_NO_OBJECT,
        row->kind == KIND_SUM ? 0 : MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS,
        of_ranks ? read_peers : read_own, row->kind == KIND_SUM ? write_sum : NULL, count_values,
        variable);
}

void pml_hooks_register_pvars(void)
{
    struct variable *variable = variables;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const struct record_part *part = part_named(parts[i].part);

        for (size_t k = 0; k < parts[i].count; k++) {
            const struct row *row = &parts[i].rows[k];

            variable->part = part;
            variable->field = field_named(part, row->field);
            variable->entries = parts[i].entries;
            variable->at = row->at;
            variable->values = row->values != 0 ? row->values : (unsigned)variable->field->count;
            add(parts[i].prefix, row, variable++);
        }
    }
}
