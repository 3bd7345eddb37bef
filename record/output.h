/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The file of JSON that holds the records of all ranks. It has its name when it is complete. */
struct record_output {
    FILE *file; /* NULL: it cannot be written, and all that follows does nothing */
    bool good;
    char name[1024], beside[1040];
};

/* Begin the file with the record of this process, rank 0 of its job. In its name %j is the number
 * of the job, %p this process's id. False if it cannot be written; errno and `beside` say why. */
bool record_output_begin(struct record_output *output, const char *name);

/* Add the record of the next rank: a copy of record_used() bytes of its file. */
void record_output_add(struct record_output *output, const char *memory, size_t size);

/* Add the record of a rank that has died, if it is in memory of this host. */
void record_output_add_file(struct record_output *output, uint32_t rank);

/* A rank's record has not come: the file will not be complete. */
void record_output_spoil(struct record_output *output);

/* End it. False if not all of it could be written: then there is none. */
bool record_output_end(struct record_output *output);

#endif
