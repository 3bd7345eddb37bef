/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_ENDED_H
#define RECORD_ENDED_H

/*
 * What ends this process, as far as it sees that itself: it is noted in the record, as ended_by,
 * and takes its course.
 *
 * Begin to note signals that end a process and calls of exit. A signal is left alone if the program
 * has a function for it: one of the library that has the function `runtime` in it is not the
 * program's. End it before the record is closed.
 */
void record_ended_begin(void (*runtime)(void));
void record_ended_end(void);

#endif
