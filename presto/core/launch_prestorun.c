/* SPDX-License-Identifier: BSD-3-Clause */
/* A process started by prestorun: see wire_up.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apelink_config.h"
#include "core/launch.h"
#include "core/wire_up.h"

enum { PRI_FD_MAX = 1 << 20 };

/* cold->launch. */
struct wire {
    int fd;
    uint64_t key;
    unsigned cores;          /* that the ranks of this host share */
    unsigned hosts, on_host; /* hosts of the job, ranks on this one */
    pthread_mutex_t asking;  /* one question at a time */
};

static bool applies(void)
{
    return getenv("PRESTO_FD") != NULL;
}

static bool is_pipe(int fd)
{
    struct stat facts;

    return fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode);
}

/* A number that the environment gives; -1: none. */
static int descriptor_of(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long fd = text != NULL ? strtol(text, &end, 10) : -1;

    return fd >= 0 && fd <= PRI_FD_MAX && end != text && *end == '\0' ? (int)fd : -1;
}

/* ---- join ------------------------------------------------------------------------------------ */

static bool is_socket(int fd)
{
    struct stat facts;

    return fstat(fd, &facts) == 0 && S_ISSOCK(facts.st_mode);
}

static bool key_of(uint64_t *key)
{
    const char *text = getenv("PRESTO_KEY");
    char *end;

    if (text == NULL || strlen(text) != 16) {
        return false;
    }
    *key = strtoull(text, &end, 16);
    return *end == '\0';
}

/* Programs that this one starts are no ranks. What a rank prints is to be seen line by line, as in
 * a terminal, though it goes into a pipe; also what it has printed before, however it ends. */
static void settle(int fd)
{
    const int life = descriptor_of("PRESTO_LIFE");

    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)unsetenv("PRESTO_FD");
    if (life >= 0 && is_pipe(life)) {
        (void)close(life);
        (void)unsetenv("PRESTO_LIFE");
    }
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    (void)fflush(stdout);
}

/* Said once for all ranks. */
static bool can_reach_hosts(long rank)
{
#ifdef NI_HAVE_UCX
    (void)rank;
    return true;
#else
    if (rank == 0) {
        fprintf(stderr,
                "presto: the job has ranks on several hosts, which reach each other by UCX, and "
                "this was built without it: install UCX and its development files and configure "
                "anew, or start all ranks on one host\n");
    }
    return false;
#endif
}

static int join(struct pri_rank *self)
{
    struct wire *wire;
    long fd, rank, size, first, job, parent = -1, app, cores, hosts, on_host;
    uint64_t key;

    if (!pri_environment("PRESTO_FD", 0, PRI_FD_MAX, &fd) ||
        !pri_environment("PRESTO_SIZE", 1, PRI_MAX_RANKS, &size) ||
        !pri_environment("PRESTO_RANK", 0, size - 1, &rank) ||
        !pri_environment("PRESTO_FIRST", 0, PRI_MAX_RANKS - size, &first) ||
        !pri_environment("PRESTO_JOB", 0, INT_MAX, &job) ||
        (job > 0 && !pri_environment("PRESTO_PARENT", 0, PRI_MAX_RANKS - 1, &parent)) ||
        !pri_environment("PRESTO_APPNUM", 0, INT_MAX, &app) || !key_of(&key) ||
        !pri_environment("PRESTO_CORES", 1, INT_MAX, &cores) ||
        !pri_environment("PRESTO_HOSTS", 1, size, &hosts) ||
        !pri_environment("PRESTO_HOST_RANKS", 1, PRI_MAX_RANKS, &on_host) || !is_socket((int)fd)) {
        fprintf(stderr, "presto: the environment of prestorun is not complete, or the descriptor "
                        "PRESTO_FD is closed: start the program with prestorun, or without any "
                        "variable PRESTO_*\n");
        return PRI_ERR_START;
    }
    if (hosts > 1 && !can_reach_hosts(rank)) {
        return PRI_ERR_START;
    }
    wire = malloc(sizeof(*wire));
    if (wire == NULL) {
        return PRI_ERR_NOMEM;
    }
    *wire = (struct wire){.fd = (int)fd,
                          .key = key,
                          .cores = (unsigned)cores,
                          .hosts = (unsigned)hosts,
                          .on_host = (unsigned)on_host};
    self->cold->launch = wire;
    pthread_mutex_init(&wire->asking, NULL);
    self->rank = (int)(first + rank);
    self->first = (int)first;
    self->job = (int)job;
    self->size = (int)size;
    self->parent = (int)parent;
    self->app = (int)app;
    self->universe = (int)(hosts == 1 && cores > size ? cores : size);
    self->cold->slots = hosts == 1 ? PRI_MAX_RANKS : (int)size; /* more may come */
    settle(wire->fd);
    return PRI_OK;
}

static void describe(struct pri_rank *self, struct ni_open_attr *attr)
{
    const struct wire *wire = self->cold->launch;

    attr->host_processes = wire->on_host;
    attr->hosts = wire->hosts;
    attr->host_cores = wire->cores;
    attr->job_key = wire->key;
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool write_all(int fd, const void *data, size_t length)
{
    const uint8_t *from = data;

    while (length > 0) {
        ssize_t n = send(fd, from, length, MSG_NOSIGNAL);

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

static bool read_all(int fd, void *data, size_t length)
{
    uint8_t *to = data;

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

static bool tell(const struct wire *wire, enum pri_wire_kind kind, const void *data,
                 uint32_t length)
{
    uint8_t message[sizeof(struct pri_wire_head) + NI_BLOB_MAX];
    const struct pri_wire_head head = {.kind = kind, .length = length};

    memcpy(message, &head, sizeof(head));
    memcpy(message + sizeof(head), data, length);
    return write_all(wire->fd, message, sizeof(head) + length);
}

/* A rank's host and address. */
static bool read_entry(int fd, uint32_t *host, struct pri_blob *blob)
{
    struct pri_wire_entry entry;

    if (!read_all(fd, &entry, sizeof(entry)) || entry.length > NI_BLOB_MAX) {
        return false;
    }
    *host = entry.host;
    blob->length = entry.length;
    return read_all(fd, blob->bytes, blob->length);
}

/* ---- the end of prestorun -------------------------------------------------------------------- */

static bool is_wire(int fd)
{
    int domain = 0;
    socklen_t length = sizeof(domain);

    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
}

/* Have the kernel kill this process when prestorun ends, whatever the process does then: it sends
 * the signal that is chosen here when something comes, which in a pipe that nobody writes to is the
 * end alone. Whom prestorun has started itself is killed likewise; this is for what a shell stands
 * before. The program's threads and handlers are its own, and nobody is left who could be told. All
 * ranks have inherited the same open file, which tells one of them: so it is opened anew. */
static void end_with_prestorun(int life)
{
    char name[sizeof("/proc/self/fd/") + 3 * sizeof(int)], byte;
    int fd;

    snprintf(name, sizeof(name), "/proc/self/fd/%d", life);
    fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return; /* there is no /proc */
    }
    (void)fcntl(fd, F_SETOWN, getpid());
    (void)fcntl(fd, F_SETSIG, SIGKILL);
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
    if (read(fd, &byte, sizeof(byte)) == 0) {
        (void)raise(SIGKILL); /* it had ended before that */
    }
}

/* A program may compute for long before it joins, or never do: it is watched from its first
 * moment, and so is a child of it that joins in its place. */
static __attribute__((constructor)) void watch(void)
{
    const int wire = descriptor_of("PRESTO_FD"), life = descriptor_of("PRESTO_LIFE");

    if (wire >= 0 && is_wire(wire) && life >= 0 && is_pipe(life)) {
        end_with_prestorun(life);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Which ranks are on this host; where all are, nobody asks. */
static void find_near(struct pri_rank *self, const uint32_t *hosts)
{
    for (int i = 0; self->cold->near != NULL && i < self->size; i++) {
        self->cold->near[i] = hosts[i] == hosts[self->rank - self->first];
    }
}

static bool read_table(struct pri_rank *self, int fd, uint32_t *hosts, struct pri_blob *all)
{
    struct pri_wire_head head = {0, 0};
    bool well = read_all(fd, &head, sizeof(head)) && head.kind == PRI_WIRE_TABLE;

    for (int i = 0; well && i < self->size; i++) {
        well = read_entry(fd, &hosts[i], &all[i]);
    }
    return well;
}

static int exchange(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all)
{
    const struct wire *wire = self->cold->launch;
    uint32_t *hosts = calloc((size_t)self->size, sizeof(*hosts));
    bool well;

    if (wire->hosts > 1) {
        self->cold->near = calloc((size_t)self->size, sizeof(*self->cold->near));
    }
    if (hosts == NULL || (wire->hosts > 1 && self->cold->near == NULL)) {
        free(hosts);
        return PRI_ERR_NOMEM;
    }
    well = tell(wire, PRI_WIRE_HELLO, mine->bytes, mine->length) &&
           read_table(self, wire->fd, hosts, all);
    find_near(self, hosts);
    free(hosts);
    if (!well) {
        fprintf(stderr,
                "presto: rank %d has lost prestorun, or that is of another version than the "
                "library: use the prestorun that was installed with it\n",
                self->rank);
    }
    return well ? PRI_OK : PRI_ERR_START;
}

/* ---- questions ------------------------------------------------------------------------------- */

static bool put_question(const struct wire *wire, uint32_t kind, const uint8_t *question,
                         size_t length)
{
    bool well = true;

    for (; well && length > NI_BLOB_MAX; question += NI_BLOB_MAX, length -= NI_BLOB_MAX) {
        well = tell(wire, PRI_WIRE_PART, question, NI_BLOB_MAX);
    }
    return well && tell(wire, (enum pri_wire_kind)kind, question, (uint32_t)length);
}

static bool read_answer(int fd, struct pri_answer *answer)
{
    struct pri_wire_head head;

    if (!read_all(fd, &head, sizeof(head)) || head.kind != PRI_WIRE_ANSWER ||
        head.length < sizeof(answer->what) ||
        head.length - sizeof(answer->what) > sizeof(answer->bytes) ||
        !read_all(fd, &answer->what, sizeof(answer->what))) {
        return false;
    }
    answer->length = (uint32_t)(head.length - sizeof(answer->what));
    return read_all(fd, answer->bytes, answer->length);
}

static int ask(struct pri_rank *self, uint32_t kind, const void *question, size_t length,
               struct pri_answer *answer)
{
    struct wire *wire = self->cold->launch;
    bool well;

    pthread_mutex_lock(&wire->asking);
    well = put_question(wire, kind, question, length) && read_answer(wire->fd, answer);
    pthread_mutex_unlock(&wire->asking);
    return well ? PRI_OK : PRI_ERR_START;
}

/* ---- end ------------------------------------------------------------------------------------- */

static void leave(struct pri_rank *self, bool orderly)
{
    struct wire *wire = self->cold->launch;

    if (orderly) {
        (void)tell(wire, PRI_WIRE_BYE, "", 0);
    }
    (void)close(wire->fd);
    pthread_mutex_destroy(&wire->asking);
    free(wire);
}

static void end(struct pri_rank *self, int status)
{
    const struct wire *wire = self->cold->launch;
    int32_t word = status;

    (void)tell(wire, PRI_WIRE_ABORT, &word, sizeof(word));
}

const struct pri_launcher pri_launch_prestorun = {
    .launch = PRI_LAUNCH_PRESTORUN,
    .applies = applies,
    .join = join,
    .describe = describe,
    .exchange = exchange,
    .ask = ask,
    .leave = leave,
    .abort = end,
};
