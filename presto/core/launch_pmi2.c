/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process started by a launcher that speaks PMI-2: srun --mpi=pmi2, MPICH's mpiexec. No library
 * is needed: the launcher reads commands from a descriptor, PMI_FD, and answers each before the
 * next. A command is its length in six characters and then "cmd=NAME;KEY=VALUE;..." of that length,
 * where a semicolon in a value is doubled.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/launch.h"
#include "core/launch_pmi2.h"

enum {
    LENGTH_SIZE = 6, /* characters before a command */
    COMMAND_MAX = 8192,
    VALUE_MAX = 1024, /* of the launcher's table, with the byte behind it */
    PIECE = 480,      /* bytes of an address in one value, as two characters each */
    FD_LIMIT = 1 << 20
};

/* cold->launch. */
struct pmi_job {
    int fd;
    uint64_t key;
    char id[VALUE_MAX];
    unsigned hosts, on_host;
    char command[COMMAND_MAX]; /* the last answer, which ends with a 0 byte */
};

static bool applies(void)
{
    return getenv("PMI_FD") != NULL && getenv("PMI_RANK") != NULL && getenv("PMI_SIZE") != NULL;
}

static int complain(const char *what)
{
    fprintf(stderr,
            "presto: the launcher (srun --mpi=pmi2, mpiexec?) does not answer as PMI-2 "
            "wants it: %s\n",
            what);
    return PRI_ERR_START;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *from, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, from, length);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        from += n;
        length -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, char *to, size_t length)
{
    while (length > 0) {
        ssize_t n = read(fd, to, length);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        to += n;
        length -= (size_t)n;
    }
    return true;
}

/* The value of a key in the last answer, which has room for VALUE_MAX characters. */
static bool value_of(const struct pmi_job *job, const char *key, char *value)
{
    return pri_pmi2_value(job->command, key, value, VALUE_MAX);
}

/* Sends a command, "NAME;KEY=VALUE;...", whose values have no semicolons. */
static bool send_command(struct pmi_job *job, const char *format, va_list arguments)
{
    char text[LENGTH_SIZE + COMMAND_MAX], length[LENGTH_SIZE + 1];
    int n = vsnprintf(text + LENGTH_SIZE, COMMAND_MAX, format, arguments);

    if (n < 0 || n >= COMMAND_MAX) {
        return false;
    }
    (void)snprintf(length, sizeof(length), "%-6d", n);
    memcpy(text, length, LENGTH_SIZE);
    return write_all(job->fd, text, LENGTH_SIZE + (size_t)n);
}

/* The next command that the launcher sends. */
static bool read_command(struct pmi_job *job)
{
    char length[LENGTH_SIZE + 1] = "";
    long n;

    if (!read_all(job->fd, length, LENGTH_SIZE)) {
        return false;
    }
    n = strtol(length, NULL, 10);
    if (n < 1 || n >= COMMAND_MAX || !read_all(job->fd, job->command, (size_t)n)) {
        return false;
    }
    job->command[n] = '\0';
    return true;
}

/* Sends a command and reads its answer, which has to be good and of that name. */
static __attribute__((format(printf, 3, 4))) bool ask(struct pmi_job *job, const char *answer,
                                                      const char *format, ...)
{
    char name[VALUE_MAX], code[VALUE_MAX];
    va_list arguments;
    bool sent;

    va_start(arguments, format);
    sent = send_command(job, format, arguments);
    va_end(arguments);
    return sent && read_command(job) && value_of(job, "cmd", name) && strcmp(name, answer) == 0 &&
           (!value_of(job, "rc", code) || strtol(code, NULL, 10) == 0);
}

/* ---- join ------------------------------------------------------------------------------------ */

/* The first words are those of PMI-1, a line each. */
static int greet(struct pmi_job *job)
{
    static const char hello[] = "cmd=init pmi_version=2 pmi_subversion=0\n";
    char line[256];
    size_t n = 0;

    if (!write_all(job->fd, hello, sizeof(hello) - 1)) {
        return complain("it does not read");
    }
    while (n + 1 < sizeof(line) && read_all(job->fd, line + n, 1) && line[n] != '\n') {
        n++;
    }
    line[n] = '\0';
    if (strstr(line, "pmi_version=2") == NULL || strstr(line, "rc=0") == NULL) {
        return complain("it has another version of PMI; use srun --mpi=pmi2 or --mpi=pmix");
    }
    return PRI_OK;
}

static bool number_of(const struct pmi_job *job, const char *key, long min, long max, int *number)
{
    char text[VALUE_MAX], *end;
    long n;

    if (!value_of(job, key, text)) {
        return false;
    }
    n = strtol(text, &end, 10);
    *number = (int)n;
    return end != text && *end == '\0' && n >= min && n <= max;
}

static int introduce(struct pri_rank *self, struct pmi_job *job, long rank, long size)
{
    const char *id = getenv("PMI_JOBID"); /* Slurm's, which wants to hear it */
    int told;

    if (!ask(job, "fullinit-response", "cmd=fullinit;%s%s%spmirank=%ld;threaded=FALSE;",
             id == NULL ? "" : "pmijobid=", id == NULL ? "" : id, id == NULL ? "" : ";", rank) ||
        !number_of(job, "rank", 0, size - 1, &self->rank) ||
        !number_of(job, "size", 1, PRI_MAX_RANKS, &told) || told != size) {
        return complain("it knows no such rank");
    }
    self->size = (int)size;
    if (number_of(job, "appnum", 0, size - 1, &told)) {
        self->app = told;
    }
    if (!ask(job, "job-getid-response", "cmd=job-getid;") || !value_of(job, "jobid", job->id)) {
        return complain("the job has no name");
    }
    job->key = pri_launch_key(job->id);
    return PRI_OK;
}

/* Which ranks are on this host. A launcher that does not say has put all on one. */
static int look_around(struct pri_rank *self, struct pmi_job *job)
{
    char mapping[COMMAND_MAX], found[VALUE_MAX]; /* one for ranks dealt out in turn is long */
    int *host;

    job->hosts = 1;
    job->on_host = (unsigned)self->size;
    if (!ask(job, "info-getjobattr-response", "cmd=info-getjobattr;key=PMI_process_mapping;")) {
        return complain("it has no attributes");
    }
    if (!value_of(job, "found", found) || strcmp(found, "TRUE") != 0) {
        return PRI_OK;
    }
    if (!pri_pmi2_value(job->command, "value", mapping, sizeof(mapping))) {
        return complain("PMI_process_mapping has no value");
    }
    host = calloc((unsigned)self->size, sizeof(*host));
    if (host == NULL) {
        return PRI_ERR_NOMEM;
    }
    if (!pri_pmi2_hosts(mapping, self->size, host, &job->hosts)) {
        free(host);
        return complain("PMI_process_mapping is no vector");
    }
    job->on_host = 0;
    for (int i = 0; i < self->size; i++) {
        job->on_host += host[i] == host[self->rank];
    }
    if (job->hosts > 1 && (self->cold->near = calloc((unsigned)self->size, sizeof(bool))) == NULL) {
        free(host);
        return PRI_ERR_NOMEM;
    }
    for (int i = 0; self->cold->near != NULL && i < self->size; i++) {
        self->cold->near[i] = host[i] == host[self->rank];
    }
    free(host);
    return PRI_OK;
}

static int join(struct pri_rank *self)
{
    struct pmi_job *job;
    long fd, rank, size;
    int error;

    if (!pri_environment("PMI_FD", 0, FD_LIMIT, &fd) ||
        !pri_environment("PMI_SIZE", 1, PRI_MAX_RANKS, &size) ||
        !pri_environment("PMI_RANK", 0, size - 1, &rank)) {
        return PRI_ERR_START;
    }
    job = calloc(1, sizeof(*job));
    if (job == NULL) {
        return PRI_ERR_NOMEM;
    }
    job->fd = (int)fd;
    /* Programs that this one starts are no ranks. */
    (void)fcntl(job->fd, F_SETFD, FD_CLOEXEC);
    (void)unsetenv("PMI_FD");
    (void)setenv(PRI_RANKS_CHILD, pri_slurm_step(), 1);
    error = greet(job);
    if (error == PRI_OK) {
        error = introduce(self, job, rank, size);
    }
    if (error == PRI_OK) {
        error = look_around(self, job);
    }
    if (error != PRI_OK) {
        (void)close(job->fd);
        free(job);
        return error;
    }
    self->cold->launch = job;
    return PRI_OK;
}

static void describe(struct pri_rank *self, struct ni_open_attr *attr)
{
    const struct pmi_job *job = self->cold->launch;

    attr->host_processes = job->on_host;
    attr->hosts = job->hosts;
    attr->job_key = job->key;
}

/* ---- exchange -------------------------------------------------------------------------------- */

/* An address in pieces that are no longer than the launcher's values may be: two characters a
 * byte, behind the length of all of it. */
static bool publish(struct pmi_job *job, int rank, const struct pri_blob *mine)
{
    for (uint32_t at = 0; at < mine->length || at == 0; at += PIECE) {
        const uint32_t behind = mine->length - at < PIECE ? mine->length : at + PIECE;
        char text[2 * PIECE + 1] = "";

        for (uint32_t i = at; i < behind; i++) {
            (void)snprintf(text + 2 * (i - at), 3, "%02x", mine->bytes[i]);
        }
        if (!ask(job, "kvs-put-response", "cmd=kvs-put;key=presto-%d-%u;value=%u:%s;", rank,
                 at / PIECE, mine->length, text)) {
            return false;
        }
    }
    return true;
}

static bool read_piece(const char *text, struct pri_blob *blob, uint32_t at)
{
    char *from;
    const unsigned long length = strtoul(text, &from, 10);

    if (*from++ != ':' || length > NI_BLOB_MAX || strlen(from) % 2 != 0 ||
        at + strlen(from) / 2 > length) {
        return false;
    }
    blob->length = (uint32_t)length;
    for (; *from != '\0'; from += 2) {
        unsigned byte;

        if (sscanf(from, "%2x", &byte) != 1) {
            return false;
        }
        blob->bytes[at++] = (uint8_t)byte;
    }
    return true;
}

static bool look_up(struct pmi_job *job, int rank, struct pri_blob *blob)
{
    char text[VALUE_MAX], found[VALUE_MAX];

    for (uint32_t at = 0; at < blob->length || at == 0; at += PIECE) {
        if (!ask(job, "kvs-get-response", "cmd=kvs-get;jobid=%s;srcid=%d;key=presto-%d-%u;",
                 job->id, rank, rank, at / PIECE) ||
            (value_of(job, "found", found) && strcmp(found, "TRUE") != 0) ||
            !value_of(job, "value", text) || !read_piece(text, blob, at)) {
            return false;
        }
    }
    return true;
}

static int exchange(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all)
{
    struct pmi_job *job = self->cold->launch;

    if (!publish(job, self->rank, mine)) {
        return complain("it does not take an address");
    }
    if (!ask(job, "kvs-fence-response", "cmd=kvs-fence;")) {
        return complain("the exchange of addresses has failed");
    }
    all[self->rank] = *mine;
    for (int rank = 0; rank < self->size; rank++) {
        if (rank != self->rank && !look_up(job, rank, &all[rank])) {
            return complain("it lacks a rank's address");
        }
    }
    return PRI_OK;
}

/* ---- end ------------------------------------------------------------------------------------- */

static void leave(struct pri_rank *self, bool orderly)
{
    struct pmi_job *job = self->cold->launch;

    if (orderly) {
        (void)ask(job, "finalize-response", "cmd=finalize;");
    }
    (void)close(job->fd);
    free(job);
}

static __attribute__((format(printf, 2, 3))) void tell(struct pmi_job *job, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)send_command(job, format, arguments);
    va_end(arguments);
}

static void end(struct pri_rank *self, int status)
{
    tell(self->cold->launch, "cmd=abort;isworld=TRUE;msg=pr_abort with code %d;", status);
}

const struct pri_launcher pri_launch_pmi2 = {
    .launch = PRI_LAUNCH_PMI2,
    .applies = applies,
    .join = join,
    .describe = describe,
    .exchange = exchange,
    .leave = leave,
    .abort = end,
};
