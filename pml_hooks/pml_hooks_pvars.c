/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of MPI_T, there before anything is recorded; 0 while nothing is. */
#include "pml_hooks/pml_hooks.h"

/* The head's numbers that are counters, by their names. */
static const struct pvar_row {
    const char *field, *help;
} rows[] = {
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

static const struct pml_hooks_field *field_of(const char *name)
{
    const struct pml_hooks_field *field = pml_hooks_parts()[0].fields;

    while (strcmp(field->name, name) != 0) {
        field++;
    }
    return field;
}

static int read_pvar(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    const struct pml_hooks_field *field = pvar->ctx;
    const char *head = (const char *)pml_hooks_record.head;

    (void)object;
    *(unsigned long long *)value =
        head != NULL ? *(const uint64_t *)(const void *)(head + field->offset) : 0;
    return OPAL_SUCCESS;
}

void pml_hooks_register_pvars(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)mca_base_pvar_register(
            "ompi", "pml", "hooks", rows[i].field, rows[i].help, OPAL_INFO_LVL_4,
            MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
            MCA_BASE_VAR_BIND_NO_OBJECT,
            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, read_pvar, NULL, NULL,
            (void *)(uintptr_t)field_of(rows[i].field));
    }
}
