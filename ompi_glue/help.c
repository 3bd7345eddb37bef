/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages for users, from help-mpi-btl-apelink.txt. */
#include "ompi_glue/component.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Two ways. What all processes find alike, the first of them on a node to come to it prints itself;
 * the others may be ended before they get so far. What some may find is given to Open MPI, with
 * which mpirun folds equal messages; but mpirun of 4.1 garbles or loses messages that several
 * processes send at once, so nothing goes that way on which a user depends.
 *
 * Open MPI looks for help files in its own data folder only, unless told of others. The file is
 * installed beside the component, so the component tells where it was loaded from. If the file is
 * not there (a build that was not installed, a lonely copy of the component), or for the first way,
 * the same text is taken from the component itself.
 */

/* Whether Open MPI finds the file; asked once. */
static bool file_found(void)
{
    static int found = -1;
    char folder[1024], path[1200];
    const char *slash;
    Dl_info info;

    if (found >= 0) {
        return found != 0;
    }
    found = 0;
    if (dladdr(ompi_glue_self()->version, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    slash = strrchr(info.dli_fname, '/');
    if (slash == NULL || (size_t)(slash - info.dli_fname) >= sizeof(folder)) {
        return false;
    }
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
    snprintf(path, sizeof(path), "%s/%s", folder, ompi_glue_self()->help_file);
    if (access(path, R_OK) == 0 && opal_show_help_add_dir(folder) == OPAL_SUCCESS) {
        found = 1;
    }
    return found != 0;
}

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
    *length = end != NULL ? (size_t)(end - start) : strlen(start);
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
    snprintf(framed, sizeof(framed), "%s%.*s\n%s", frame, (int)length, start, frame);
    snprintf(text, size, framed, opal_process_info.nodename, a, b, c);
}

/* Whether no process of this job on this node has said the text before: the first leaves a file of
 * that name in the job's folder, which Open MPI removes with the folder. Without a folder, yes. */
static bool first_to_say(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325ULL; /* FNV-1a */
    char path[1200];
    int fd;

    if (opal_process_info.job_session_dir == NULL) {
        return true;
    }
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
    }
    snprintf(path, sizeof(path), "%s/apelink-said-%016" PRIx64, opal_process_info.job_session_dir,
             hash);
    fd = open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno != EEXIST;
    }
    (void)close(fd);
    return true;
}

/* Not opal_show_vhelp: only this one's messages are folded by mpirun. */
void ompi_glue_help(const char *topic, const char *a, const char *b, const char *c)
{
    if (file_found()) {
        (void)opal_show_help(ompi_glue_self()->help_file, topic, true, opal_process_info.nodename,
                             a, b, c);
    } else {
        char text[4096];

        format(text, sizeof(text), topic, a, b, c);
        (void)fputs(text, stderr);
    }
}

void ompi_glue_help_once(const char *topic, const char *a, const char *b, const char *c)
{
    char text[4096];

    format(text, sizeof(text), topic, a, b, c);
    if (first_to_say(text)) {
        (void)fputs(text, stderr);
    }
}
