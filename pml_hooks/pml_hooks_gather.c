/* SPDX-License-Identifier: BSD-3-Clause */
/* At the end: the records of all ranks of MPI_COMM_WORLD become one file of JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pml_hooks/pml_hooks_survive.h"
#include "record/output.h"
#include "record/process.h"
#include "record/start.h"

/* Records travel with the tag of a collective: MPI_Gatherv, which this is. */
enum { TAG = MCA_COLL_BASE_TAG_GATHERV };

static int send_to_root(const void *data, size_t size)
{
    return pml_hooks_below.pml_send(data, size, &ompi_mpi_byte.dt, 0, TAG,
                                    MCA_PML_BASE_SEND_STANDARD, &ompi_mpi_comm_world.comm);
}

static int receive_from(int rank, void *data, size_t size)
{
    return pml_hooks_below.pml_recv(data, size, &ompi_mpi_byte.dt, rank, TAG,
                                    &ompi_mpi_comm_world.comm, MPI_STATUS_IGNORE);
}

/* Whether a rank has died: here, where its record stays in memory, or elsewhere, as its BTL has
 * said. */
static bool has_died(int rank)
{
    size_t size;
    const struct record_head *head = record_map(record_own.head->job, (uint32_t)rank, &size);
    bool stopped, died;

    if (pml_hooks_dead_find(ompi_glue_peer_name(&ompi_mpi_comm_world.comm, rank)) != NULL) {
        if (head != NULL) {
            (void)munmap((void *)(uintptr_t)head, size);
        }
        return true;
    }
    if (head == NULL) {
        return false;
    }
    died = head->state != RECORD_FINALIZED && !record_is_elsewhere(head) &&
           !record_process_lives(head, &stopped);
    (void)munmap((void *)(uintptr_t)head, size);
    return died;
}

static void send_record(void)
{
    uint64_t size = record_used();

    if (has_died(0)) {
        return;
    }
    if (send_to_root(&size, sizeof(size)) == OMPI_SUCCESS) {
        (void)send_to_root(record_own.head, size);
    }
}

/* One record of another rank into the file. Whatever happens, it is received. */
static void write_other(struct record_output *output, int rank)
{
    uint64_t size = 0;
    char *memory = NULL;

    if (has_died(rank)) {
        record_output_add_file(output, (uint32_t)rank);
        return;
    }
    if (receive_from(rank, &size, sizeof(size)) == OMPI_SUCCESS) {
        memory = malloc(size);
    }
    if (memory == NULL || receive_from(rank, memory, size) != OMPI_SUCCESS) {
        record_output_spoil(output);
    } else {
        record_output_add(output, memory, size);
    }
    free(memory);
}

static void write_all(void)
{
    struct record_output output;

    if (!record_output_begin(&output, pml_hooks_params.output)) {
        pml_hooks_help("output-lost", output.beside, strerror(errno));
    }
    for (int rank = 1; rank < ompi_comm_size(&ompi_mpi_comm_world.comm); rank++) {
        write_other(&output, rank);
    }
    if (!record_output_end(&output)) {
        opal_output(0, "pml_hooks_output: cannot write all of %s: %s", output.name,
                    strerror(errno));
    }
}

void pml_hooks_gather(void)
{
    if (pml_hooks_params.output == NULL || pml_hooks_params.output[0] == '\0') {
        record_stop();
        return;
    }
    if (ompi_comm_rank(&ompi_mpi_comm_world.comm) == 0) {
        write_all();
    } else {
        send_record();
    }
    record_stop();
}
