/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_BENCH_NI_WORLD_H
#define OSU_BENCH_NI_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/apeni.h>

/*
 * Members for benchmarks of the NI without MPI: threads over the link inproc, or processes over
 * shm, each with an NI of its own that is connected to all others, and memory that all share.
 * Threads, too, exchange packets: nobody writes to the memory of another, of whom one would not
 * know then when and in which order.
 */

enum { NI_WORLD_MEMBERS = 16 };

struct ni_world_member {
    struct ni *ni;
    struct ni_peer *peers[NI_WORLD_MEMBERS]; /* NULL: this one */
    unsigned rank, members;
    bool crowded;  /* more members than cores: waiting gives the core away early */
    void *shared;  /* all members', at the same address; zeroed */
    void *control; /* of ni_world.c */
};

typedef void (*ni_world_fn)(struct ni_world_member *member);

struct ni_world_settings {
    const char *program; /* for messages */
    unsigned members;
    bool processes; /* instead of threads */
    size_t shared;  /* bytes */
    /* Read before the members end: what they left in the shared memory. NULL is allowed. */
    void (*result)(const void *shared, void *arg);
    void *arg;
};

/* Run fn in all members. Ends the program with a sentence if one has failed. */
void ni_world_run(const struct ni_world_settings *settings, ni_world_fn fn);

/* Wait for all members here, making progress. Not timed: by plain shared memory. */
void ni_world_meet(struct ni_world_member *member);

/* What a waiter does after so many looks in vain: spin, then give the core away; as ni_wait
 * does. */
void ni_world_relax(const struct ni_world_member *member, unsigned looks);

/* End the program with a sentence unless status is NI_OK. */
void ni_world_must(ni_status status, const char *what);

/* Options of the programs: -n COUNT, -m threads|processes, -h, -v. */
struct ni_world_options {
    const char *program, *help;
    unsigned count, most; /* -n: default, and the largest */
    bool threads, processes;
};

/* All of a program: read its options, then run for threads, for processes or for both, as they say.
 * Returns the exit status. */
int ni_world_main(struct ni_world_options *options, int argc, char **argv,
                  void (*run)(const struct ni_world_options *options, bool processes));

#endif
