/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "pml_hooks/pml_hooks.h"

#ifndef PML_HOOKS_REPORT
#define PML_HOOKS_REPORT "apelink-report"
#endif

/* The defaults; Open MPI copies texts before it changes them. */
static char default_device_library[] = "libcuda.so.1";
static char default_output[] = "hooks.%j.json", default_directory[] = "/dev/shm",
            default_report[] = PML_HOOKS_REPORT;
struct pml_hooks_params pml_hooks_params = {.output = default_output,
                                            .directory = default_directory,
                                            .report = default_report,
                                            .peers = 16384,
                                            .hang_s = 60,
                                            .seed = 1,
                                            .record = 1,
                                            .device_library = default_device_library};

static int declare(const char *name, const char *help, mca_base_var_type_t type, void *storage)
{
    return mca_base_var_register("ompi", "pml", "hooks", name, help, type, NULL, 0, 0,
                                 OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY, storage);
}

/* The parameters, one a row. */
static const struct param_row {
    const char *name, *help;
    mca_base_var_type_t type;
    void *storage;
} rows[] = {
    {"enable",
     "Record what the program does with MPI, whatever PML carries it, and write it to the file "
     "pml_hooks_output in MPI_Finalize, for apelink-report",
     MCA_BASE_VAR_TYPE_BOOL, &pml_hooks_params.enable},
    {"output",
     "The file that rank 0 writes; %j is the number of the job, %p rank 0's process id; empty: "
     "none",
     MCA_BASE_VAR_TYPE_STRING, &pml_hooks_params.output},
    {"directory",
     "The folder where each process has its record while it runs: one in memory, the same for all "
     "processes of a host",
     MCA_BASE_VAR_TYPE_STRING, &pml_hooks_params.directory},
    {"peers",
     "The most peers of a process that have an entry of their own, 1 to 65534; memory is taken "
     "only "
     "for those that there are",
     MCA_BASE_VAR_TYPE_UNSIGNED_INT, &pml_hooks_params.peers},
    {"hang_s",
     "When nothing has completed in the job for so many seconds while somebody waits in MPI, print "
     "who "
     "waits for whom, and why; 0: never",
     MCA_BASE_VAR_TYPE_UNSIGNED_INT, &pml_hooks_params.hang_s},
    {"hang_abort", "End the job when that has been printed", MCA_BASE_VAR_TYPE_BOOL,
     &pml_hooks_params.hang_abort},
    {"survive",
     "Over pml ob1: have operations that wait for a process that has died end with MPI_ERR_OTHER, "
     "through the communicator's error handler; by itself with mpirun --enable-recovery",
     MCA_BASE_VAR_TYPE_BOOL, &pml_hooks_params.survive},
    {"report", "The program that prints it: apelink-report, by its path or its name in PATH",
     MCA_BASE_VAR_TYPE_STRING, &pml_hooks_params.report},
    {"inject",
     "Faults to inject, to test how the program takes them: rules ACTION[=VALUE]@CONDITION,... "
     "with "
     "semicolons between them, as in delay=2ms@rank=1,every=10;die@rank=2,nth=100; the actions are "
     "delay, error, reorder, truncate, stop and die",
     MCA_BASE_VAR_TYPE_STRING, &pml_hooks_params.inject},
    {"seed", "What the chances of pml_hooks_inject come from: the same seed gives the same faults",
     MCA_BASE_VAR_TYPE_UNSIGNED_INT, &pml_hooks_params.seed},
    {"device",
     "What becomes of messages whose buffer is memory of a GPU, in an Open MPI that does not know "
     "of GPUs: pass, stage through memory of the host, or refuse; counted each way; empty: nobody "
     "looks",
     MCA_BASE_VAR_TYPE_STRING, &pml_hooks_params.device},
    {"device_library", "The library that is asked whether a buffer is memory of a GPU",
     MCA_BASE_VAR_TYPE_STRING, &pml_hooks_params.device_library},
    {"signal",
     "A signal to a process that has it switch recording off, and on again: USR1, USR2 or a "
     "number; empty: none",
     MCA_BASE_VAR_TYPE_STRING, &pml_hooks_params.signal},
};

/* Whether mpirun lets the others live when a process dies: it passes its options on. */
static bool recovers(void)
{
    const char *value = getenv("OMPI_MCA_orte_enable_recovery");

    return value != NULL && (strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
}

int pml_hooks_register_params(void)
{
    int rc = OMPI_SUCCESS;

    pml_hooks_params.survive = recovers();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && rc >= 0; i++) {
        rc = declare(rows[i].name, rows[i].help, rows[i].type, rows[i].storage);
    }
    return rc < 0 ? rc : pml_hooks_register_switch();
}
