/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_WATCH_H
#define RECORD_WATCH_H

#include <stdbool.h>

/*
 * A thread that keeps the record's clocks, and sees when nothing moves in the job's processes of
 * this host while one of them is in a call that waits. Then one process has apelink-report say why,
 * on the standard error output, once for each time that nothing moves.
 */
struct record_watch {
    bool deaths;           /* say which processes of this host have died, and who waits for them */
    unsigned hang_s;       /* nothing has completed for so many seconds; 0: never speak */
    const char *who;       /* speaks */
    const char *hang_name; /* what hang_s is called where a user sets it */
    char *report;          /* the program that says it */
    const char *report_name; /* what report is called where a user sets it */
    void (*spoken)(void);    /* called when it has been said, in that thread; may be NULL */
    void (*each)(void);      /* called at each look, in that thread; may be NULL */
};

/* Begin and end to watch; the texts stay until the end. Between the two the record is open. */
void record_watch_begin(const struct record_watch *how);
void record_watch_end(void);

#endif
