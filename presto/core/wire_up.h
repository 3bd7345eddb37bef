/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_WIRE_UP_H
#define PRESTO_CORE_WIRE_UP_H

#include <stdint.h>

/*
 * What a rank and prestorun tell each other, over a stream socket of which each rank inherits one
 * end. The environment says the rest:
 *
 *   PRESTO_FD     the rank's end, a number; taken out of the environment by the rank
 *   PRESTO_LIFE   the reading end of a pipe in which nothing comes but its end, that of prestorun;
 *                 likewise
 *   PRESTO_RANK   0 to PRESTO_SIZE - 1
 *   PRESTO_SIZE   ranks of the job
 *   PRESTO_FIRST  the number that the job's rank 0 has among all ranks of this prestorun
 *   PRESTO_JOB    the number of the job among those of this prestorun, from 0
 *   PRESTO_PARENT the number of the rank that has had the job started, if one has
 *   PRESTO_APPNUM number of the rank's command, from 0
 *   PRESTO_HOSTS  hosts that have ranks
 *   PRESTO_HOST_RANKS  ranks on this host
 *   PRESTO_CORES  processors that prestorun may use on this host, and the ranks there in all
 *   PRESTO_KEY    16 hexadecimal digits: the job's key
 *
 *   rank -> prestorun   HELLO  its address         when its interface is open
 *   prestorun -> rank   TABLE  all ranks           when all have said hello
 *   rank -> prestorun   BYE    nothing             its interface is closed in good order
 *   rank -> prestorun   ABORT  int32, its code     the job is to end
 *
 * A rank that has its table may ask, one question at a time; all ranks are on one host then:
 *
 *   rank -> prestorun   SPAWN  commands            more ranks are to be started
 *                       ASK    int32, a number     what address that rank has, and which it is
 *                       FORGET int32, numbers      the rank has forgotten what ASK has told of them
 *                       PUBLISH    name, value     strings, each with NUL at its end
 *                       UNPUBLISH, LOOKUP   name   likewise
 *                       KNOCK, ANSWERED     name   likewise
 *                       PART   bytes               of the question that comes behind it
 *   prestorun -> rank   ANSWER struct pri_wire_answer, and what was asked for: an address, a value
 *
 * The commands are strings, each with NUL at its end, and numbers decimal: of each its number
 * (MPI_APPNUM), ranks, folder, count of words, words. The answer to SPAWN comes when all have
 * joined. Such ranks have TABLE for those of their own job.
 *
 * A number is given to another rank when all of the job that had it have ended, and none that lives
 * has asked for it and not forgotten.
 *
 * KNOCK is LOOKUP by a rank that then asks the name's owner something, and says ANSWERED when it
 * has its answer. A name that is withdrawn before is not found any more, but stays until all have
 * theirs: the answer to UNPUBLISH says how many have not, and the owner asks anew until none is.
 *
 * Each message is this head and `length` bytes. TABLE has for each rank, in their order, the number
 * of its host, the length of its address (struct pri_wire_entry) and that. Beside answers it is all
 * that prestorun says. Both ends are of one version: prestorun and the library are installed
 * together.
 */
enum pri_wire_kind {
    PRI_WIRE_HELLO = 0x50520301, /* version 03, kinds from 01 */
    PRI_WIRE_TABLE,
    PRI_WIRE_BYE,
    PRI_WIRE_ABORT,
    PRI_WIRE_SPAWN,
    PRI_WIRE_ASK,
    PRI_WIRE_PUBLISH,
    PRI_WIRE_UNPUBLISH,
    PRI_WIRE_LOOKUP,
    PRI_WIRE_KNOCK,
    PRI_WIRE_ANSWERED,
    PRI_WIRE_PART,
    PRI_WIRE_FORGET,
    PRI_WIRE_ANSWER,
};

enum {
    PRI_WIRE_NUMBERS = 1 << 14, /* that ranks may have, of one prestorun */
    PRI_WIRE_QUESTION_MAX = 16 << 20,
};

enum pri_wire_status {
    PRI_WIRE_WELL,
    PRI_WIRE_NONE,   /* no rank of this number that is there; no such name */
    PRI_WIRE_TAKEN,  /* the name is published already */
    PRI_WIRE_LIMIT,  /* of numbers: so many are left, of how many (reason) */
    PRI_WIRE_FAILED, /* the command of this number cannot be started, for this reason */
    PRI_WIRE_ENDED,  /* it has ended without joining; the reason: its status, as wait has it */
    PRI_WIRE_NO_MEMORY,
};

struct pri_wire_answer {
    int32_t status; /* enum pri_wire_status */
    int32_t number; /* the first of new ranks; of the rank asked for, in its job; the owner of the
                       name; how many have knocked and have no answer */
    int32_t reason; /* an errno, or a status; the job of the rank asked for */
};

struct pri_wire_head {
    uint32_t kind;
    uint32_t length; /* bytes that follow */
};

struct pri_wire_entry {
    uint32_t host;   /* the same for ranks that share one, and only for them */
    uint32_t length; /* bytes of the address that follows */
};

/* The exit status of a job that a rank has ended with this code. A shell sees the low eight bits;
 * an aborted job is never a success. */
static inline int pri_exit_status(int code)
{
    return (code & 0xff) != 0 ? code & 0xff : 1;
}

_Static_assert(sizeof(struct pri_wire_head) == 8 && sizeof(struct pri_wire_entry) == 8,
               "no padding");

/* The number in its records of a job of this key, which has this number among those of its
 * launcher; not 0. */
static inline uint32_t pri_job_number(uint64_t key, int job)
{
    uint32_t number = (uint32_t)(key ^ key >> 32) + (uint32_t)job;

    return number != 0 ? number : 1;
}

#endif
