/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/names.h"

#include "record/record.h"

/* Collectives in the order of Open MPI's tags, downwards from the first. */
static const char *const class_names[RECORD_CLASSES] = {"user",
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

static const char *const call_names[RECORD_CALL_KINDS] = {
    [RECORD_NOTHING] = "none",
    [RECORD_SEND] = "send",
    [RECORD_RECV] = "recv",
    [RECORD_PROBE] = "probe",
    [RECORD_MPROBE] = "mprobe",
    [RECORD_MRECV] = "mrecv",
    [RECORD_WAIT] = "wait",
    [RECORD_WAITANY] = "waitany",
    [RECORD_WAITALL] = "waitall",
    [RECORD_WAITSOME] = "waitsome",
    [RECORD_FINALIZE] = "finalize",
    [RECORD_WIN_CREATE] = "win_create",
    [RECORD_WIN_FREE] = "win_free",
    [RECORD_WIN_FENCE] = "win_fence",
    [RECORD_WIN_START] = "win_start",
    [RECORD_WIN_COMPLETE] = "win_complete",
    [RECORD_WIN_POST] = "win_post",
    [RECORD_WIN_WAIT] = "win_wait",
    [RECORD_WIN_LOCK] = "win_lock",
    [RECORD_WIN_UNLOCK] = "win_unlock",
    [RECORD_WIN_LOCK_ALL] = "win_lock_all",
    [RECORD_WIN_UNLOCK_ALL] = "win_unlock_all",
    [RECORD_WIN_FLUSH] = "win_flush",
    [RECORD_WIN_FLUSH_ALL] = "win_flush_all",
    [RECORD_WIN_FLUSH_LOCAL] = "win_flush_local",
    [RECORD_WIN_FLUSH_LOCAL_ALL] = "win_flush_local_all",
};

static const char *const fault_names[RECORD_FAULT_KINDS] = {
    [RECORD_FAULT_DELAY] = "delay",     [RECORD_FAULT_ERROR] = "error",
    [RECORD_FAULT_REORDER] = "reorder", [RECORD_FAULT_TRUNCATE] = "truncate",
    [RECORD_FAULT_STOP] = "stop",       [RECORD_FAULT_DIE] = "die",
};

const char *record_class_name(uint32_t class)
{
    return class < RECORD_CLASSES ? class_names[class] : "unknown";
}

const char *record_call_name(uint32_t call)
{
    return call < RECORD_CALL_KINDS ? call_names[call] : "unknown";
}

const char *record_fault_name(uint32_t kind)
{
    return kind < RECORD_FAULT_KINDS ? fault_names[kind] : "unknown";
}
