/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording on and off while the program runs: by the control variable record_own, and by a
 * signal. An operation is recorded if it began while recording was on, and then to its end; one
 * that began while it was off is not recorded at all.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "pml_hooks/pml_hooks.h"
#include "record/clock.h"

static struct sigaction action_before;
static int signal_number; /* whose action is ours, 0: none */

/* Each entry of a table that is exchanged here is one word, and good before and after. */
void pml_hooks_switch(bool on)
{
    struct record_head *head = record_own.head;

    if (on) {
        head->last_event = record_stamp();
        pml_hooks_pass_install(&mca_pml);
        pml_hooks_requests_install(&ompi_request_functions);
    } else {
        pml_hooks_number_install(&mca_pml);
        ompi_request_functions = pml_hooks_requests_below;
    }
    __atomic_store_n(&head->enabled, on, __ATOMIC_RELEASE);
}

static bool running(void)
{
    return pml_hooks_installed() && record_own.head->state == RECORD_RUNNING;
}

/* ---- the control variable ---------------------------------------------------------------------
 */

static const mca_base_var_enum_value_t values[] = {{0, "off"}, {1, "on"}, {0, NULL}};
static mca_base_var_enum_sfv_fn_t text_of;

/* Open MPI asks whether a new value is one of the list, for no text, before it stores it: this is
 * where a change is seen. */
static int take_value(mca_base_var_enum_t *self, const int value, char **text)
{
    int rc = text_of(self, value, text);

    if (rc != OPAL_SUCCESS || text != NULL) {
        return rc;
    }
    if (running()) {
        pml_hooks_switch(value != 0);
    } else if (value != 0 && ompi_mpi_state >= OMPI_MPI_STATE_INIT_COMPLETED) {
        return OPAL_ERR_NOT_AVAILABLE; /* nothing was opened in MPI_Init, or it is over */
    }
    return OPAL_SUCCESS;
}

int pml_hooks_register_switch(void)
{
    mca_base_var_enum_t *list = NULL;
    int rc = mca_base_var_enum_create("pml_hooks_record", values, &list);

    if (rc != OPAL_SUCCESS) {
        return rc;
    }
    text_of = list->string_from_value;
    list->string_from_value = take_value;
    rc = mca_base_var_register(
        "ompi", "pml", "hooks", "record",
        "Whether what begins now is recorded, if pml_hooks_enable is set: off or on; a control "
        "variable that can be changed while the program runs",
        MCA_BASE_VAR_TYPE_INT, list, 0, MCA_BASE_VAR_FLAG_SETTABLE, OPAL_INFO_LVL_4,
        MCA_BASE_VAR_SCOPE_LOCAL, &pml_hooks_params.record);
    OBJ_RELEASE(list);
    return rc < 0 ? rc : OPAL_SUCCESS;
}

/* ---- the signal -------------------------------------------------------------------------------
 */

static void on_signal(int number)
{
    (void)number;
    if (running()) {
        pml_hooks_params.record = record_own.head->enabled == 0;
        pml_hooks_switch(pml_hooks_params.record != 0);
    }
}

/* The number of a signal's name, 0 if it is none. */
static int number_of(const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);

    if (end != name) {
        return *end == '\0' && number > 0 && number < NSIG ? (int)number : 0;
    }
    name += strncmp(name, "SIG", 3) == 0 ? 3 : 0;
    return strcmp(name, "USR1") == 0 ? SIGUSR1 : strcmp(name, "USR2") == 0 ? SIGUSR2 : 0;
}

void pml_hooks_signal_begin(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    const char *name = pml_hooks_params.signal;
    int number;

    if (name == NULL || name[0] == '\0') {
        return;
    }
    number = number_of(name);
    if (number == 0) {
        pml_hooks_help("bad-signal", name, "");
        return;
    }
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &action_before) != 0 || action_before.sa_handler != SIG_DFL ||
        sigaction(number, &action, NULL) != 0) {
        pml_hooks_help("signal-taken", name, "");
        return;
    }
    signal_number = number;
}

void pml_hooks_signal_end(void)
{
    if (signal_number != 0) {
        (void)sigaction(signal_number, &action_before, NULL);
        signal_number = 0;
    }
}
