/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/names.h"

#include "record/record.h"

/* Collectives in the order of Open MPI's tags, downwards from the first. */
static const char *const class_names[PML_HOOKS_CLASSES] = {"user",
                                                           "allgather",
                                                           "allgatherv",
                                                           "allreduce",
                                                           "alltoall",
                                                           "alltoallv",
                                                           "alltoallw",
                                                           "barrier",
                                                           "bcast",
                                                           "exscan",
                                                           "gather",
                                                           "gatherv",
                                                           "reduce",
                                                           "reduce_scatter",
                                                           "reduce_scatter_block",
                                                           "scan",
                                                           "scatter",
                                                           "scatterv",
                                                           "nonblocking collectives",
                                                           "neighbourhood collectives",
                                                           "other"};

static const char *const call_names[PML_HOOKS_CALL_KINDS] = {
    [PML_HOOKS_NOTHING] = "none",      [PML_HOOKS_SEND] = "send",
    [PML_HOOKS_RECV] = "recv",         [PML_HOOKS_PROBE] = "probe",
    [PML_HOOKS_MPROBE] = "mprobe",     [PML_HOOKS_MRECV] = "mrecv",
    [PML_HOOKS_WAIT] = "wait",         [PML_HOOKS_WAITANY] = "waitany",
    [PML_HOOKS_WAITALL] = "waitall",   [PML_HOOKS_WAITSOME] = "waitsome",
    [PML_HOOKS_FINALIZE] = "finalize",
};

static const char *const fault_names[PML_HOOKS_FAULT_KINDS] = {
    [PML_HOOKS_FAULT_DELAY] = "delay",     [PML_HOOKS_FAULT_ERROR] = "error",
    [PML_HOOKS_FAULT_REORDER] = "reorder", [PML_HOOKS_FAULT_TRUNCATE] = "truncate",
    [PML_HOOKS_FAULT_STOP] = "stop",       [PML_HOOKS_FAULT_DIE] = "die",
};

const char *pml_hooks_class_name(uint32_t class)
{
    return class < PML_HOOKS_CLASSES ? class_names[class] : "unknown";
}

const char *pml_hooks_call_name(uint32_t call)
{
    return call < PML_HOOKS_CALL_KINDS ? call_names[call] : "unknown";
}

const char *pml_hooks_fault_name(uint32_t kind)
{
    return kind < PML_HOOKS_FAULT_KINDS ? fault_names[kind] : "unknown";
}
