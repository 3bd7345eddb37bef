/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_TOOLS_RUN_WORLD_H
#define PRESTO_TOOLS_RUN_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/wire_up.h"

/*
 * Ranks that have an MPI_COMM_WORLD in common: those that prestorun begins with, and those that one
 * of the ranks has had started later (MPI_Comm_spawn). Their numbers follow each other.
 *
 * What such a rank asks for is served by run_serve.c; the guard has the same worlds, in its copy of
 * the job.
 */

struct run_job;
struct run_note;
struct run_rank;
struct run_app;

struct run_world {
    struct run_world *next;
    int job; /* its number among the worlds, from 0 */
    int first, size;
    int parent;     /* the rank that asked for it; RUN_NOBODY */
    int started;    /* of its ranks, of one that was asked for */
    bool failed;    /* not all have joined: the others are ended, and who asked knows */
    int hellos;     /* ranks that have joined */
    uint8_t *table; /* of addresses, when all are known */
    size_t table_length;
    struct run_app *apps; /* of one that was asked for */
    int app_count;
    char *request; /* what was asked, for the strings of apps */
    size_t request_length;
};

/* A rank that has looked a name up to ask its owner, and has no answer yet. */
struct run_knock {
    struct run_knock *next;
    int rank;
};

/* A name that a rank has published, and its value behind it. */
struct run_name {
    struct run_name *next;
    int owner;
    bool withdrawn; /* is there for those that have knocked alone */
    struct run_knock *knocks;
    const char *value; /* in text */
    char text[];
};

/* ---- run_world.c ----------------------------------------------------------------------------- */

/* That of the ranks that prestorun begins with. */
struct run_world *run_world_first(struct run_job *job);
/* One that a rank asks for (the bytes are copied), and its ranks, of which none has begun. place:
 * the numbers that it has; NULL: some that are free. NULL: it makes no sense, or (with errno
 * ENOMEM) there is no memory, or (EDQUOT) no numbers are left. */
struct run_world *run_world_add(struct run_job *job, const uint8_t *request, size_t length,
                                int parent, const struct run_note *place);
/* One that is in no list any more. */
void run_world_free(struct run_world *world);
void run_worlds_free(struct run_job *job);

/* ---- run_numbers.c --------------------------------------------------------------------------- */

/* Numbers are given again when the world that had them is over, and no rank that lives knows them:
 * each says what it forgets. */

/* Numbers for a world of this size: as run_world_add has them. False: there are not so many. */
bool run_numbers_find(struct run_job *job, struct run_world *world, const struct run_note *place);
/* How many there are one behind the other. */
int run_numbers_left(struct run_job *job);
/* A rank gets to know another; false: no memory. It forgets a number; all of them. */
bool run_numbers_learn(struct run_rank *who, struct run_rank *other);
void run_numbers_unlearn(struct run_job *job, struct run_rank *who, int number);
void run_numbers_unlearn_all(struct run_job *job, struct run_rank *who);

/* ---- run_serve.c ----------------------------------------------------------------------------- */

/* A rank asks for something. False: that makes no sense. */
bool run_serve_take(struct run_job *job, struct run_rank *rank, uint32_t kind, const uint8_t *data,
                    size_t length);
/* The guard has started a rank of a world that was asked for; or could not: pid is -1. */
void run_serve_started(struct run_job *job, int number, int pid, int error);
/* A rank has ended. Whether others, of before, do not depend on it: its world had not joined, and
 * who has asked for that is told. */
bool run_serve_ended(struct run_job *job, struct run_rank *rank, int status);
/* All ranks of a world have joined. */
void run_serve_joined(struct run_job *job, const struct run_world *world);
void run_serve_free(struct run_job *job);
/* Never waits; who has ended gets none. */
void run_serve_answer(struct run_job *job, struct run_rank *rank, struct pri_wire_answer what,
                      const void *data, size_t length);
void run_serve_status(struct run_job *job, struct run_rank *rank, enum pri_wire_status status);

/* ---- run_names.c ----------------------------------------------------------------------------- */

/* As run_serve_take: a name is published; another question about one. */
bool run_names_publish(struct run_job *job, struct run_rank *rank, const char *data, size_t length);
bool run_names_take(struct run_job *job, struct run_rank *rank, uint32_t kind, const char *data,
                    size_t length);
/* What a rank has published is gone with it, and so are its knocks. */
void run_names_forget(struct run_job *job, const struct run_rank *rank);
void run_names_free(struct run_job *job);

#endif
