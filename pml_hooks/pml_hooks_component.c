/* SPDX-License-Identifier: BSD-3-Clause */
/* From loading to MPI_Finalize. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "pml_hooks/pml_hooks.h"
#include "record/clock.h"
#include "pml_hooks/pml_hooks_inject.h"

/* The functions of the PML as they were. */
static mca_pml_base_module_t original;

static int component_register(void);
static void begin(int argc, char **argv, int requested, int *provided);
static void end(void);

/*
 * A component of the framework "hook". That is open before any PML is looked for, so that one
 * parameter is enough whatever `pml` says, and calls us when MPI_Init has done everything else.
 */
ompi_hook_base_component_t mca_hook_apelink_component = {
    .hookm_version =
        {
            OMPI_HOOK_BASE_VERSION_1_0_0,
            .mca_component_name = "apelink",
            MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                  OMPI_RELEASE_VERSION),
            .mca_register_component_params = component_register,
        },
    .hookm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .hookm_mpi_init_bottom = begin,
    .hookm_mpi_finalize_top = end,
};

static int component_register(void)
{
    int rc = pml_hooks_register_params();

    if (rc < 0) {
        return rc;
    }
    /* Variables of MPI_T refer to this code as long as MPI_T lives: it stays loaded. */
    (void)mca_base_component_repository_retain_component("hook", "apelink");
    pml_hooks_register_pvars();
    return OMPI_SUCCESS;
}

static void say(const char *text)
{
    opal_output(0, "pml_hooks: %s; nothing is recorded", text);
}

/* A value out of range; says so. */
static bool refused(void)
{
    if (pml_hooks_params.peers < 1 || pml_hooks_params.peers > 65534) {
        opal_output(0, "pml_hooks_peers: %u is not 1 to 65534; nothing is recorded",
                    pml_hooks_params.peers);
        return true;
    }
    return false;
}

static bool injecting(void)
{
    return pml_hooks_params.inject != NULL && pml_hooks_params.inject[0] != '\0';
}

/* Parameters for testing, without which the program must not run as if all were well; says so. */
static bool wrong(void)
{
    if (!injecting()) {
        return false;
    }
    if (pml_hooks_params.enable) {
        return !pml_hooks_inject_read();
    }
    if (OMPI_PROC_MY_NAME->vpid == 0) {
        opal_output(0, "pml_hooks_inject does nothing without -mca pml_hooks_enable 1");
    }
    return true;
}

/* Rank 0 has said why. The others give it time: their end would be its end, too. */
static void end_job(void)
{
    enum { PATIENCE_S = 5 };

    if (OMPI_PROC_MY_NAME->vpid != 0) {
        (void)sleep(PATIENCE_S);
    }
    (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
}

static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = from != NULL ? strnlen(from, size - 1) : 0;

    memcpy(to, from, length);
    to[length] = '\0';
}

/* Two clocks read together. */
static void read_clocks(uint64_t *clock, uint64_t *stamp)
{
    *clock = pml_hooks_clock();
    *stamp = pml_hooks_stamp();
}

static void fill_head(void)
{
    struct pml_hooks_head *head = pml_hooks_record.head;
    const char *slash = strrchr(program_invocation_name, '/');
    struct timespec now;

    head->version = PML_HOOKS_VERSION;
    head->threads = pml_hooks_threads;
    head->enabled = 1;
    head->state = PML_HOOKS_RUNNING;
    head->job = OMPI_PROC_MY_NAME->jobid;
    head->rank = OMPI_PROC_MY_NAME->vpid;
    head->size = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm);
    head->pid = (uint32_t)getpid();
    (void)pml_hooks_process_state(head->pid, &head->process_start);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    head->start_seconds = (uint64_t)now.tv_sec;
    head->start_nanoseconds = (uint64_t)now.tv_nsec;
    read_clocks(&head->clock_start, &head->stamp_start);
    head->clock_last = head->clock_start;
    head->stamp_last = head->stamp_start;
    head->last_event = head->stamp_start;
    head->call_count = pml_hooks_threads ? 0 : 1;
    head->class_count = PML_HOOKS_CLASSES;
    pml_hooks_record.calls[0].thread = pml_hooks_threads ? 0 : head->pid;
    copy_text(head->host, sizeof(head->host), opal_process_info.nodename);
    copy_text(head->program, sizeof(head->program),
              slash != NULL ? slash + 1 : program_invocation_name);
    copy_text(head->pml, sizeof(head->pml),
              mca_pml_base_selected_component.pmlm_version.mca_component_name);
    /* Readers take the record for complete from here. */
    __atomic_store_n(&head->magic, PML_HOOKS_MAGIC, __ATOMIC_RELEASE);
}

/* The end of MPI_Init: from here our functions stand for those of the PML and of requests. */
static void begin(int argc, char **argv, int requested, int *provided)
{
    enum { FIRST_SLICE = 24 }; /* 2^24 ticks: some milliseconds */
    const char *error;

    (void)argc, (void)argv, (void)requested;
    if (wrong()) {
        end_job();
    }
    if (!pml_hooks_params.enable || refused()) {
        return;
    }
    error = pml_hooks_record_open(pml_hooks_params.directory, OMPI_PROC_MY_NAME->jobid,
                                  OMPI_PROC_MY_NAME->vpid, pml_hooks_params.peers);
    if (error != NULL) {
        say(error);
        return;
    }
    pml_hooks_threads = *provided == MPI_THREAD_MULTIPLE;
    fill_head();
    pml_hooks_slices_begin(FIRST_SLICE);
    pml_hooks_peers_forget();
    original = pml_hooks_below = mca_pml;
    pml_hooks_requests_below = ompi_request_functions;
    if (injecting()) {
        pml_hooks_inject_install(&pml_hooks_below);
    }
    pml_hooks_pass_install(&mca_pml);
    pml_hooks_requests_install(&ompi_request_functions);
    pml_hooks_watch_begin();
}

/* The begin of MPI_Finalize: what comes now is Open MPI's own. */
static void end(void)
{
    struct pml_hooks_head *head = pml_hooks_record.head;

    if (head == NULL) {
        return;
    }
    pml_hooks_watch_end();
    head->end_stamp = pml_hooks_stamp();
    head->state = PML_HOOKS_FINALIZING;
    read_clocks(&head->clock_last, &head->stamp_last);
    pml_hooks_slice_next(head->stamp_last);
    mca_pml = pml_hooks_below = original;
    ompi_request_functions = pml_hooks_requests_below;
    if (injecting()) {
        pml_hooks_inject_end();
    }
    pml_hooks_gather();
}
