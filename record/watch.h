/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_WATCH_H
#define RECORD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A thread that keeps the record's clocks, and sees when nothing moves in the job's processes of
 * this host while one of them is in a call that waits. Then one process has apelink-report say why,
 * on the standard error output, once for each time that nothing moves.
 */

/* Whether nothing moves on the job's other hosts, as far as that can be asked. */
enum record_elsewhere { RECORD_ALL_STILL, RECORD_SOME_MOVE, RECORD_NOT_KNOWN };

/* Asked in the thread of the process that would speak: again and again as long as nothing has moved
 * on this host for hang_s seconds (`still`; whether somebody waits here), and once when something
 * has. RECORD_ALL_STILL: it speaks of all hosts, whose records have been added by record_watch_add;
 * RECORD_SOME_MOVE: it says nothing; RECORD_NOT_KNOWN: it speaks of this host, if somebody waits.
 */
typedef enum record_elsewhere (*record_elsewhere_fn)(bool still, bool waiting);

struct record_watch {
    bool deaths;           /* say which processes of this host have died, and who waits for them */
    unsigned hang_s;       /* nothing has completed for so many seconds; 0: never speak */
    const char *who;       /* speaks */
    const char *hang_name; /* what hang_s is called where a user sets it */
    char *report;          /* the program that says it */
    const char *report_name;       /* what report is called where a user sets it */
    void (*spoken)(void);          /* called when it has been said, in that thread; may be NULL */
    void (*each)(void);            /* called at each look, in that thread; may be NULL */
    record_elsewhere_fn elsewhere; /* NULL: all of the job is here */
    /* Called in that thread of the process that says so, for each that has died; may be NULL. */
    void (*died)(uint32_t rank);
};

/* Begin and end to watch; the texts stay until the end. Between the two the record is open. */
void record_watch_begin(const struct record_watch *how);
void record_watch_end(void);

/* For elsewhere(), in its thread: the records of this host as JSON, to be freed, NULL if they
 * cannot be had; and those of another one, as it has told them, for what is said next. */
char *record_watch_report(void);
bool record_watch_add(const char *text);

/* Whether a process of this job on this host lives and is not in MPI_Finalize. */
bool record_others_run(void);

#endif
