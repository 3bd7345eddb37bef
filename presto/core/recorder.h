/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_RECORDER_H
#define PRESTO_CORE_RECORDER_H

#include "core/rank.h"

/*
 * The record of what a rank does (record/), which apelink-report reads: made if the environment
 * variable PRESTO_REPORT names a file. Of a rank that is a process of its own; there is one record
 * in a process.
 *
 * While there is none, nothing of this runs. A rank that is recorded (pri_rank.recorded) has other
 * values where short ways look for theirs, so that they are not taken:
 *
 *   send   direct has no interface: each goes by way of start() in send.c, and receives are posted
 *   post   direct is down, and rare is not 0: each receive that is not over when it has been posted
 *          is looked at by pri_recv_look
 *   end    the events of messages have handlers here
 *   wait   relax, the step of each loop that waits, is one here
 *
 *   recorder.c        from the environment to the file
 *   recorder_count.c  messages
 *   recorder_wait.c   what a thread waits for
 *   recorder_hosts.c  what ranks of different hosts ask each other, and the clocks of these
 */

/* Read the environment; false: a value makes no sense, which has been said. */
bool pri_recorder_read(struct pri_rank *self);

/* Begin, if it is asked for: before the rank has sent or received anything. job_key is the same for
 * all ranks of the job, and for no other job. Where there can be no record, it says why, and the
 * rank runs as if none had been asked for. */
void pri_recorder_start(struct pri_rank *self, uint64_t job_key);

/* A rank of another job under the same launcher is known from now on by this number: `rank` in that
 * job. cold->knowing is held. */
void pri_recorder_meet(const struct pri_rank *self, int number, int job, int rank);

/* All that the program does has been done: MPI_Finalize has been called. */
void pri_recorder_leave(struct pri_rank *self);

/* ---- messages -------------------------------------------------------------------------------- */

/* A message is about to be sent. The request is for words only. */
void pri_recorder_send(struct pri_rank *self, size_t bytes, struct pri_where to, enum pri_mode mode,
                       bool blocking, struct pri_request *request);
/* It has left: no event follows. */
void pri_recorder_sent(struct pri_request *request);
/* A receive has been posted, and has not ended; of a message that a probe has claimed: it is about
 * to be. */
void pri_recorder_post(struct pri_request *request, bool claimed);
/* A request ends without an event: a receive that is cancelled or in vain, a send that has failed.
 */
void pri_recorder_drop(struct pri_request *request, bool cancelled);
/* A send has been cancelled. */
void pri_recorder_cancelled(void);

/* Handlers of events, which do what pri_on_sent and pri_on_received do, too. */
void pri_recorder_on_sent(void *arg, const struct ni_event *event);
void pri_recorder_on_received(void *arg, const struct ni_event *event);

/* ---- waiting --------------------------------------------------------------------------------- */

/* pri_rank.relax of a rank that is recorded. */
void pri_recorder_relax(struct pri_rank *self, unsigned *spins, pri_tell_fn tell,
                        const void *object);
/* A wait has come to a rest. */
void pri_recorder_lasts(struct pri_rank *self, pri_tell_fn tell, const void *object);

/* ---- other hosts ----------------------------------------------------------------------------- */

/* All ranks of the job are known: have waits for those of other hosts asked about. Waits a moment
 * for the clocks of the hosts to be measured. */
void pri_recorder_hosts_begin(struct pri_rank *self);
/* The last answers are waited for, but not for long. */
void pri_recorder_hosts_finish(struct pri_rank *self);
/* Somebody asks, or answers. */
void pri_recorder_on_control(struct pri_rank *self, const struct ni_event *event,
                             enum pri_control what);
/* A blocking send has been started, which as a rule makes no progress: now and then it does, so
 * that those who ask are answered. */
void pri_recorder_hosts_sent(struct pri_rank *self);

/* Between the files of the recorder. */

/* To be called by who waits, when that stamp is over. */
extern _Atomic uint64_t pri_recorder_next_look;
void pri_recorder_hosts_look(struct pri_rank *self, uint64_t now);

/* The record begins: those of the job with this key are peers of this number. */
void pri_recorder_peers(const struct pri_rank *self, uint64_t job_key);

/* A message as the record has it. */
struct pri_recorded {
    struct record_peer *peer; /* NULL: any */
    uint64_t number;          /* of a send, among those to the peer; 0: it is not known */
    uint64_t bytes;           /* likewise */
    uint32_t class, context;
    int32_t tag;
    bool is_recv;
};
struct pri_recorded pri_recorded_of(int peer, uint32_t context, int tag, bool is_recv);
/* The same of a send that has begun, and has not ended. */
struct pri_recorded pri_recorded_send(const struct pri_request *request);

/* How long this thread has waited until now, in ticks that have not been counted. */
uint64_t pri_recorder_waiting(uint64_t now);
/* The thread does something else than waiting: what it has waited for has come. */
void pri_recorder_wait_over(void);
/* A request, of this message, has ended now; a wait for it, in this thread, does no
 * more. */
void pri_recorder_wait_ended(const struct pri_request *request, const struct pri_recorded *message,
                             uint64_t now);
/* The program has made a call, and is out of it. */
void pri_recorder_note_call(uint32_t kind, const struct pri_recorded *message, uint64_t bytes,
                            uint64_t now);
/* At times, by another thread: calls of which nothing has been heard lately are over. */
void pri_recorder_look(void);

#endif
