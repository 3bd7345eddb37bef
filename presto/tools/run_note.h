/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_TOOLS_RUN_NOTE_H
#define PRESTO_TOOLS_RUN_NOTE_H

#include <sys/types.h>

/* What prestorun and the guard tell each other: see run_guard.c. */

struct run_ends;

enum run_note_kind {
    RUN_NOTE_SPAWN,
    RUN_NOTE_WATCH,
    RUN_NOTE_WORLD,
    RUN_NOTE_SIGNAL,
    RUN_NOTE_KILL,
    RUN_NOTE_STARTED,
    RUN_NOTE_ENDED
};

struct run_note {
    enum run_note_kind kind;
    int rank;
    pid_t pid;
    int value;
    int job; /* of a world */
};

/* A note, with descriptors unless ends is NULL; the same three times will do. Returns what sendmsg
 * does. */
ssize_t run_note_send(int fd, struct run_note note, const struct run_ends *ends, int flags);
/* Returns what recvmsg does: 0 when the other end is closed. Ends are -1 if none came. */
ssize_t run_note_receive(int fd, struct run_note *note, struct run_ends *ends, int flags);

#endif
