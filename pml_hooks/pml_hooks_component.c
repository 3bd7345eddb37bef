/* SPDX-License-Identifier: BSD-3-Clause */
/* From loading to MPI_Finalize. */
#include <stdio.h>
#include <unistd.h>

#include "pml_hooks/pml_hooks.h"
#include "pml_hooks/pml_hooks_ask.h"
#include "pml_hooks/pml_hooks_inject.h"
#include "record/start.h"

/* The functions of the PML and of requests as they were. */
static mca_pml_base_module_t original;
static ompi_request_fns_t original_requests;

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
    pml_hooks_help("not-recorded", text, "");
}

/* A value out of range; says so. */
static bool refused(void)
{
    if (pml_hooks_params.peers < 1 || pml_hooks_params.peers > 65534) {
        char text[16];

        (void)snprintf(text, sizeof(text), "%u", pml_hooks_params.peers);
        pml_hooks_help("bad-peers", text, "");
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
    if (pml_hooks_params.enable && !pml_hooks_device_read()) {
        return true;
    }
    if (!injecting()) {
        return false;
    }
    if (pml_hooks_params.enable) {
        return !pml_hooks_inject_read();
    }
    if (OMPI_PROC_MY_NAME->vpid == 0) {
        pml_hooks_help("not-enabled", "", "");
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

/* The reason why nothing moves has been printed. */
static void end_hanging(void)
{
    if (pml_hooks_params.hang_abort) {
        fprintf(stderr, "pml_hooks: the job is ended (pml_hooks_hang_abort)\n");
        (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
    }
}

static void watch_begin(void)
{
    record_elsewhere_fn elsewhere = pml_hooks_hosts_begin();
    bool several = pml_hooks_hosts_several();

    record_watch_begin(&(struct record_watch){
        .deaths = true,
        .hang_s = pml_hooks_params.hang_s,
        .who = "pml_hooks",
        .hang_name = "pml_hooks_hang_s",
        .report = pml_hooks_params.report,
        .report_name = "pml_hooks_report",
        .spoken = end_hanging,
        .each = several ? pml_hooks_news_look : NULL,
        .elsewhere = pml_hooks_params.hang_s > 0 ? elsewhere : NULL,
        .died = several ? pml_hooks_news_died : NULL,
    });
}

static const char *start(bool threads)
{
    return record_start(&(struct record_process){
        .directory = pml_hooks_params.directory,
        .job = OMPI_PROC_MY_NAME->jobid,
        .rank = OMPI_PROC_MY_NAME->vpid,
        .size = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm),
        .peers = pml_hooks_params.peers,
        .threads = threads,
        .host = opal_process_info.nodename,
        .below = mca_pml_base_selected_component.pmlm_version.mca_component_name,
    });
}

/* The end of MPI_Init: from here our functions stand for those of the PML and of requests. */
static void begin(int argc, char **argv, int requested, int *provided)
{
    const char *error;

    (void)argc, (void)argv, (void)requested;
    if (wrong()) {
        end_job();
    }
    if (!pml_hooks_params.enable || refused()) {
        return;
    }
    error = start(*provided == MPI_THREAD_MULTIPLE);
    if (error != NULL) {
        say(error);
        return;
    }
    pml_hooks_peers_forget();
    original = pml_hooks_below = mca_pml;
    original_requests = pml_hooks_requests_below = ompi_request_functions;
    pml_hooks_survive_install(&pml_hooks_below);
    if (injecting()) {
        pml_hooks_inject_install(&pml_hooks_below);
    }
    pml_hooks_device_install(&pml_hooks_below, &pml_hooks_requests_below);
    pml_hooks_switch(pml_hooks_params.record != 0);
    pml_hooks_signal_begin();
    pml_hooks_queues_begin();
    pml_hooks_windows_begin();
    pml_hooks_progress_begin();
    pml_hooks_ending_watch();
    watch_begin();
    pml_hooks_ask_begin(&original);
}

/* The begin of MPI_Finalize: what comes now is Open MPI's own. */
static void end(void)
{
    if (!pml_hooks_installed()) {
        return;
    }
    pml_hooks_signal_end();
    pml_hooks_windows_end();
    pml_hooks_progress_end();
    pml_hooks_ask_finish();
    record_watch_end();
    pml_hooks_ending_ignore();
    record_finish();
    pml_hooks_hosts_end();
    mca_pml = pml_hooks_below = original;
    ompi_request_functions = pml_hooks_requests_below = original_requests;
    if (injecting()) {
        pml_hooks_inject_end();
    }
    pml_hooks_survive_end();
    pml_hooks_gather();
    pml_hooks_ask_end();
}
