/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_WRITER_H
#define HFM_DAEMON_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hfm/config.h"

/*
 * Writes the log or the record on a thread of its own, with the ordinary priority: a disk that is
 * busy, or a reader of standard error that is late, must not hold up who tells what has happened,
 * nor the other of the two.
 *
 *   loop, card thread --put--> filling    writing --thread--> standard error, or the record
 *                                  ^--swap--^
 *
 * Lines come in their order; those for which there is no room are lost, which is logged. What is
 * still to be written when a daemon is killed is lost, too.
 */
struct hfm_writer {
    pthread_t thread;
    bool started;
    int wake;   /* eventfd: there is something to write */
    int record; /* -1: it is the log's */
    const struct hfm_config *config;
    pthread_mutex_t lock; /* of what follows */
    char *filling;
    size_t filled;
    unsigned lost;
    bool ends;

    char *writing; /* of the thread */
};

/* Start it. record: a file, which is the writer's now; -1: what is logged from now on goes to this
 * one, so before there are other threads that log. config has to stay. false: logged. */
bool hfm_writer_start(struct hfm_writer *writer, const struct hfm_config *config, int record);

/* A line of the record, with its end. */
void hfm_writer_record(struct hfm_writer *writer, const char *line);

/* The record was moved. If it cannot be opened anew the old one is written on. */
void hfm_writer_reopen(struct hfm_writer *writer);

/* Write what is left and end the thread; what is logged later is written at once. The record's
 * before the log's. false: it waits for a file, and uses *writer until the process ends. */
bool hfm_writer_stop(struct hfm_writer *writer);

/* The file of the record; -1: errno. */
int hfm_writer_open(const char *path);

#endif
