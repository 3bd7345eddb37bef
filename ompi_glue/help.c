/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages for users. */
#include "ompi_glue/component.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Printed here, not by Open MPI's show_help: mpirun of 4.1, which is to fold what several processes
 * say alike, garbles or loses messages that arrive at once. So the first process of a node to come
 * to a text prints it, and the others, who may be ended before they get so far, need not.
 *
 * The text is part of the component: the file is not looked for at run time, and cannot be missing.
 */

/* The text of a topic: sets its length; NULL if there is no such topic. */
static const char *find_topic(const char *topic, size_t *length)
{
    char line[128];
    const char *start, *end;

    snprintf(line, sizeof(line), "\n[%s]\n", topic);
    start = strstr(ompi_glue_self()->help_text, line);
    if (start == NULL) {
        return NULL;
    }
    start += strlen(line);
    end = strstr(start, "\n[");
    *length = end != NULL ? (size_t)(end + 1 - start) : strlen(start);
    return start;
}

/* The text of a topic from our own copy, framed as Open MPI does. */
static void format(char *text, size_t size, const char *topic, const char *a, const char *b,
                   const char *c)
{
    static const char frame[] =
        "--------------------------------------------------------------------------\n";
    char framed[2048];
    size_t length = 0;
    const char *start = find_topic(topic, &length);

    if (start == NULL) {
        snprintf(text, size, "%s %s %s %s %s\n", ompi_glue_self()->help_file, topic, a, b, c);
        return;
    }
    snprintf(framed, sizeof(framed), "%s%.*s%s", frame, (int)length, start, frame);
    snprintf(text, size, framed, opal_process_info.nodename, a, b, c);
}

/* Whether no process under this mpirun on this node has said the text before: the first leaves a
 * file of that name in mpirun's folder, which mpirun removes with the folder. Not in the job's
 * folder in there, which goes when the first process of the job dies. Without a folder, yes. */
static bool first_to_say(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325ULL; /* FNV-1a */
    const char *job = opal_process_info.job_session_dir;
    const char *slash = job == NULL ? NULL : strrchr(job, '/');
    char path[1200];
    int fd;

    if (slash == NULL) {
        return true;
    }
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
    }
    snprintf(path, sizeof(path), "%.*s/apelink-said-%016" PRIx64, (int)(slash - job), job, hash);
    fd = open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno != EEXIST;
    }
    (void)close(fd);
    return true;
}

void ompi_glue_help(const char *topic, const char *a, const char *b, const char *c)
{
    char text[4096];

    format(text, sizeof(text), topic, a, b, c);
    if (first_to_say(text)) {
        (void)fputs(text, stderr);
    }
}
