/* SPDX-License-Identifier: BSD-3-Clause */
/* At the end: the records of all ranks of MPI_COMM_WORLD become one file of JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pml_hooks/pml_hooks.h"

/* Records travel with the tag of a collective: MPI_Gatherv, which this is. */
enum { TAG = MCA_COLL_BASE_TAG_GATHERV };

/* How much of the record is in use, in bytes. */
static uint64_t used_size(void)
{
    return pml_hooks_record_peers_at() +
           pml_hooks_record.head->peer_count * sizeof(struct pml_hooks_peer);
}

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

static void send_record(void)
{
    uint64_t size = used_size();

    if (send_to_root(&size, sizeof(size)) == OMPI_SUCCESS) {
        (void)send_to_root(pml_hooks_record.head, size);
    }
}

/* The name of the file: the parameter with its %j and %p. */
static void make_name(char *name, size_t size)
{
    size_t used = 0;

    for (const char *at = pml_hooks_params.output; *at != '\0' && used + 1 < size; at++) {
        uint32_t value =
            at[0] == '%' && at[1] == 'j' ? OMPI_PROC_MY_NAME->jobid : (uint32_t)getpid();

        if (at[0] == '%' && (at[1] == 'j' || at[1] == 'p')) {
            used += (size_t)snprintf(name + used, size - used, "%" PRIu32, value);
            at++;
        } else {
            name[used++] = *at;
        }
    }
    name[used < size ? used : size - 1] = '\0';
}

/* One record of another rank into the file; false if there is no memory for it. Whatever happens,
 * it is received. */
static bool write_other(FILE *file, int rank)
{
    uint64_t size = 0;
    char *memory;

    if (receive_from(rank, &size, sizeof(size)) != OMPI_SUCCESS) {
        return false;
    }
    memory = malloc(size);
    if (memory == NULL || receive_from(rank, memory, size) != OMPI_SUCCESS) {
        free(memory);
        return false;
    }
    if (file != NULL) {
        fputs(",\n", file);
        pml_hooks_json_record(file, memory, size);
    }
    free(memory);
    return true;
}

/* Names that numbers in the records stand for. */
static void write_names(FILE *file, const char *key, const char *(*name)(uint32_t), uint32_t count)
{
    fprintf(file, "\"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s\"%s\"", i > 0 ? ", " : "", name(i));
    }
    fputs("],\n", file);
}

/* The head of the file, and the record of rank 0. */
static void write_own(FILE *file)
{
    const struct pml_hooks_head *head = pml_hooks_record.head;

    fprintf(file,
            "{\"format\": \"apelink-hooks\", \"version\": %d, \"job\": %" PRIu32
            ", \"size\": %" PRIu32 ",\n",
            PML_HOOKS_VERSION, head->job, head->size);
    write_names(file, "call_kinds", pml_hooks_call_name, PML_HOOKS_CALL_KINDS);
    write_names(file, "tag_classes", pml_hooks_class_name, PML_HOOKS_CLASSES);
    write_names(file, "fault_kinds", pml_hooks_fault_name, PML_HOOKS_FAULT_KINDS);
    fputs("\"ranks\": [\n", file);
    pml_hooks_json_record(file, (const char *)head, used_size());
}

static void write_all(void)
{
    char name[1024], beside[1040];
    FILE *file;
    bool good = true;

    make_name(name, sizeof(name));
    (void)snprintf(beside, sizeof(beside), "%s.part", name);
    file = fopen(beside, "we");
    if (file == NULL) {
        opal_output(0, "pml_hooks_output: cannot write %s: %s; the record of this job is lost",
                    beside, strerror(errno));
    } else {
        write_own(file);
    }
    for (int rank = 1; rank < ompi_comm_size(&ompi_mpi_comm_world.comm); rank++) {
        good = write_other(file, rank) && good;
    }
    if (file == NULL) {
        return;
    }
    fputs("\n]}\n", file);
    good = !ferror(file) && good;
    if (fclose(file) != 0 || !good || rename(beside, name) != 0) {
        opal_output(0, "pml_hooks_output: cannot write all of %s: %s", name, strerror(errno));
        (void)unlink(beside);
    }
}

void pml_hooks_gather(void)
{
    if (ompi_comm_rank(&ompi_mpi_comm_world.comm) == 0) {
        write_all();
    } else {
        send_record();
    }
    pml_hooks_record.head->state = PML_HOOKS_FINALIZED;
    pml_hooks_peers_close();
    (void)unlink(pml_hooks_record.path);
}
