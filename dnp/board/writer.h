/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_WRITER_H
#define DNP_BOARD_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
struct board_record {
    int file;
    const char *path, *owner; /* whose its folder has to be for it to be opened anew */
};

struct board_writer {
    pthread_t thread;
    bool started;
    int wake; /* eventfd: there is something to write */
    const char *program;
    struct board_record record; /* file -1: it is the log's */
    pthread_mutex_t lock;       /* of what follows */
    char *filling;
    size_t filled;
    unsigned lost;
    bool ends;

    char *writing; /* of the thread */
};

/* Start it. record: a file, which is the writer's now; NULL: what is logged from now on goes to
 * this one, so before there are other threads that log. Texts have to stay. false: logged, by the
 * name of the program. */
bool board_writer_start(struct board_writer *writer, const char *program,
                        const struct board_record *record);

/* A line of the record, with its end. */
void board_writer_record(struct board_writer *writer, const char *line);

/* The record was moved. If it cannot be opened anew the old one is written on. */
void board_writer_reopen(struct board_writer *writer);

/* Write what is left and end the thread; what is logged later is written at once. The record's
 * before the log's. false: it waits for a file, and uses *writer until the process ends. */
bool board_writer_stop(struct board_writer *writer);

/* The file of the record; -1: errno. */
int board_writer_open(const char *path);

#endif
