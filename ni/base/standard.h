/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_STANDARD_H
#define NI_BASE_STANDARD_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Standard input, output and error of the commands. The library itself leaves those of its program
 * alone, see descriptor.h. Inline, because some of the commands are not linked with it.
 */

/* Have /dev/null in place of those that the command was started without (daemons start programs
 * so), for whatever it opens next would take their numbers, which the programs that it starts would
 * then write to. False, having said why in the name of the command: there is no /dev/null. For the
 * beginning of main, before there are threads. */
static inline bool ni_standard_open(const char *command)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR | O_NOCTTY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0) {
        fprintf(stderr, "%s: /dev/null: %s\n", command, strerror(errno));
        return false;
    }
    (void)close(fd);
    return true;
}

/* Whether all that was printed has left the command. False, having said why in its name: standard
 * output is a full disk, or closed. The program that calls it is about to end with another status
 * than 0 then. */
static inline bool ni_standard_written(const char *command)
{
    if (fflush(stdout) != 0) {
        fprintf(stderr, "%s: cannot write to standard output: %s\n", command, strerror(errno));
        return false;
    }
    if (ferror(stdout)) {
        fprintf(stderr, "%s: cannot write to standard output: a part of it is lost\n", command);
        return false;
    }
    return true;
}

#endif
