/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_H
#define TESTS_LINKS_SUITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/random.h"

/*
 * One suite for all links. A test is a list of cases; each case runs over each link of the table in
 * suite_links.c that can do what the case needs. Only the public interface is used.
 *
 * A case is code of a controller, which owns no NI, and functions that it has called at an NI:
 * suite_call(suite, i, fn, arg) runs fn where NI number i lives. That is either the controller's
 * own thread (all NIs in one thread: nothing moves but in suite_until and suite_turn), or a thread
 * or a process for each NI, which makes progress by itself while it is not called.
 *
 * All data that a case or its callbacks touch comes from suite_alloc: it has the same address
 * everywhere. What is read by another NI than the writer's, or by the controller while the NI is
 * not being called, has to be _Atomic.
 */

enum { SUITE_NIS = 8 };

enum suite_mode {
    SUITE_HERE,      /* all NIs in the controller's thread */
    SUITE_THREADS,   /* a thread for each */
    SUITE_PROCESSES, /* a process for each */
};

struct suite_link {
    const char *name;
    enum suite_mode mode;
    bool inproc;
    bool seeded;
    bool again; /* what a sanitizer sees here it sees in another row, too */
    bool far;   /* the link between hosts */
    /* There UCX has long payloads wait until they are asked for, as where there is RDMA. */
    bool asks;
    /* Both links: NIs of as many hosts. 2: the neighbours of each by number are on the other host;
     * 4: so many hosts with two NIs each; SUITE_NIS: each on its own. 0: one host. */
    unsigned hosts;
    /* Over the card: only where the environment variable SUITE_DEVICES names devices, which the NIs
     * use in turn. What is lost is sent again. */
    bool card;
    int copy;       /* inproc: enum ni_fabric_copy */
    unsigned flags; /* of ni_open_attr */
    /* Likewise. With an engine thread NIs move by themselves in any mode. */
    enum ni_placement placement;
    const char *params[4][2]; /* parameters to set; NULL ends */
};

extern const struct suite_link suite_links[];
extern const size_t suite_link_count;

struct suite;

struct suite_ni {
    struct suite *suite;
    unsigned index;
    struct ni *ni;                     /* where it lives only */
    struct ni_peer *peers[SUITE_NIS];  /* by index; NULL for itself */
    _Atomic uint32_t downs[SUITE_NIS]; /* times that the peer was reported down */
    _Atomic int down[SUITE_NIS];       /* with which status */
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
};

struct suite {
    const struct suite_link *link;
    const char *case_name;
    unsigned n;
    uint64_t seed;
    struct suite_ni *nis;
    struct ni_rng rng; /* the controller's */
    struct suite_private *private;
};

typedef void (*suite_fn)(struct suite_ni *ni, void *arg);

enum suite_needs {
    SUITE_NEEDS_NOTHING = 0,
    SUITE_NEEDS_KILL = 1,     /* suite_kill */
    SUITE_NEEDS_HERE = 2,     /* only where the controller decides when NIs make progress */
    SUITE_NEEDS_APART = 4,    /* only where they make it by themselves */
    SUITE_NEEDS_LOSS = 8,     /* only links that lose packets when they are told to */
    SUITE_NEEDS_ENGINE = 16,  /* only with engine threads */
    SUITE_NEEDS_READERS = 32, /* an NI that closes with much under way has peers that read */
    SUITE_NEEDS_EXEC = 128,   /* suite_exec */
    SUITE_NEEDS_RAILS = 64,   /* not between hosts, where UCX has but one lane for each peer */
};

struct suite_case {
    const char *name;
    unsigned n; /* NIs, all connected to each other */
    unsigned needs;
    void (*run)(struct suite *suite);
};

/* Whether the link between hosts is between these two. */
bool suite_is_far(const struct suite *suite, unsigned i, unsigned k);

/* Before suite_main: the cases run beside engine threads, too. Others do where a row is named
 * only. */
void suite_beside_engines(void);

/* Before suite_main: the cases run between hosts, too. As above. */
void suite_between_hosts(void);

/* Before suite_main: the cases run where some peers are on other hosts, too. As above. */
void suite_on_several_hosts(void);

/* Before suite_main: on every link long transfers go in packets of so many bytes (of 1 KiB at least
 * between hosts), over so many rails; with odd seeds they are completed by counters, with even ones
 * by resequencing. */
void suite_over_rails(const char *rails, const char *segment);

/* Before suite_main: on every link NIs keep the times of so many packets. */
void suite_with_stamps(const char *packets);

/* Run the cases: PROGRAM [LINK [CASE [SEED]]]; "-" is any. Returns the exit status. */
int suite_main(int argc, char **argv, const struct suite_case *cases, size_t count);
/* The same, each case with seeds 1 to `seeds` unless one is given. */
int suite_main_seeds(int argc, char **argv, const struct suite_case *cases, size_t count,
                     uint64_t seeds);

/* Zeroed memory, aligned to a page, the same everywhere, until the case ends. */
void *suite_alloc(struct suite *suite, size_t size);

/* Run fn where NI number i lives, and wait until it has returned. */
void suite_call(struct suite *suite, unsigned i, suite_fn fn, void *arg);
/* Start it, and wait later: so that several NIs run at the same time (one after the other where
 * they share the controller's thread). */
void suite_begin(struct suite *suite, unsigned i, suite_fn fn, void *arg);
void suite_end(struct suite *suite, unsigned i);

/* Wait until all NIs together have made the condition true; a test that waits too long fails. */
void suite_until(struct suite *suite, bool (*condition)(void *arg), void *arg);
/* The same for a counter that others raise. */
void suite_until_count(struct suite *suite, const _Atomic uint64_t *count, uint64_t value);
/* Let everything move that can for a while; for checks that nothing more happens. */
void suite_rest(struct suite *suite);

/* Within a function that runs at an NI: let things move (all NIs, or this one if the others move
 * by themselves). Not within callbacks. */
void suite_turn(struct suite_ni *ni);

/* End an NI the hard way, as if its process had died. */
void suite_kill(struct suite *suite, unsigned i);
/* Have the process of an NI execute another program, which keeps the process's number and has
 * memory of its own, all zero, where that of suite_alloc was. It runs until suite_exec_end, which
 * fails the test if somebody has written to that memory. */
void suite_exec(struct suite *suite, unsigned i);
void suite_exec_end(struct suite *suite, unsigned i);
/* Close an NI in good order; it is not used any more, or opened again: then it has a new address
 * and is connected to nobody. */
void suite_close(struct suite *suite, unsigned i);
/* The same, for suite_begin. */
void suite_close_ni(struct suite_ni *ni, void *unused);
/* Stop the process of an NI, or let it go on. Not the process that calls. */
void suite_freeze(struct suite *suite, unsigned i, bool frozen);
void suite_open(struct suite *suite, unsigned i);

/* Value of a statistic of the NI, to be called where it lives. */
uint64_t suite_stat(const struct suite_ni *ni, const char *name);

_Noreturn void suite_fail(const char *file, int line, const char *what);

#define CHECK(condition) ((condition) ? (void)0 : suite_fail(__FILE__, __LINE__, #condition))

/* ---- helpers that many cases use ----------------------------------------------------------- */

/* Random bytes that follow from a seed. */
void suite_fill(void *data, size_t len, uint64_t seed);
bool suite_filled(const void *data, size_t len, uint64_t seed);

/* A MEMORY region of NI i. */
struct ni_rkey suite_region(struct suite *suite, unsigned i, void *base, size_t len,
                            unsigned access);

static inline struct ni_remote suite_remote(const void *addr, const struct ni_rkey *rkey)
{
    return (struct ni_remote){.addr = (uintptr_t)addr, .key = rkey->key, .handle = rkey->handle};
}

/* Counts completions and keeps the last one. */
struct suite_done {
    _Atomic uint64_t count;
    _Atomic int status;
    _Atomic uint64_t value;
};

struct ni_ack suite_ack(struct suite_done *done);

/* The operation's result where it was not accepted or after it has completed: calls ni_write and
 * so on until it is not NI_AGAIN, waits, and gives the completion's status and value. */
ni_status suite_write(struct suite_ni *ni, unsigned to, const void *src, size_t len,
                      const struct ni_remote *dst);
ni_status suite_read(struct suite_ni *ni, unsigned from, void *dst, size_t len,
                     const struct ni_remote *src);
ni_status suite_fetch_op(struct suite_ni *ni, unsigned to, enum ni_atomic_op op, unsigned width,
                         uint64_t operand, uint64_t compare, const struct ni_remote *dst,
                         uint64_t *old);
/* Send until it is not NI_AGAIN. */
ni_status suite_message(struct suite_ni *ni, unsigned to, ni_handle queue, uint16_t tag,
                        const void *data, size_t len);

#endif
