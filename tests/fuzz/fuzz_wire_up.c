/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz_input.h"
#include "tools/run.h"

/*
 * What ranks say to prestorun (core/wire_up.h), and ask it for, from ranks that say anything. The
 * input is a row of pieces: the number of a rank, how many bytes it says, and these; or what it
 * does otherwise. Pieces may be parts of messages. The guard starts what it is asked to, or not, as
 * the input says. prestorun may end the job, and then says so once; it never takes more than there
 * is, never waits, and as long as the job goes on, ranks that speak well get the table of
 * addresses.
 */

enum { RANKS = 3, SAYS_MOST = 0xf0, HELLO = 0xf0, ABORT, BYE, CLOSE, ASK, STARTED, READ, END };

static int ended; /* times that the job was ended */
static int asked; /* ranks that the guard is to start: one of each question that is open */
static int to_start[RANKS];

void run_end_all(struct run_job *job, int code, int signal)
{
    must(signal == SIGTERM && code >= 0 && code <= 255, "the job ends with a status that is one");
    ended += !job->over;
    job->over = true;
    job->code = code;
}

/* To the standard error of the fuzzer. */
void run_say(struct run_job *job, const char *format, ...)
{
    va_list arguments;

    (void)job;
    va_start(arguments, format);
    must(vfprintf(stderr, format, arguments) > 0, "what is said can be written");
    va_end(arguments);
}

/* There is one host. */
void run_up(struct run_job *job, enum run_frame_kind kind, int number, const void *data,
            size_t length)
{
    (void)job;
    (void)kind;
    (void)number;
    (void)data;
    (void)length;
    must(0, "there is no host above");
}

void run_down_all(struct run_job *job, enum run_frame_kind kind, int number, const void *data,
                  size_t length)
{
    (void)number;
    must(kind == RUN_FRAME_TABLE && data == job->worlds->table &&
             length == job->worlds->table_length,
         "only the table is for other hosts");
}

/* ---- the guard ------------------------------------------------------------------------------- */

bool run_guard_tell_world(struct run_job *job, const struct run_world *world)
{
    must(world->first + world->size == job->options.ranks, "its numbers are the last");
    errno = ENOMEM;
    return world->size % 2 == 1;
}

bool run_spawn_ask(struct run_job *job, struct run_rank *rank)
{
    (void)job;
    must(rank->app->command[0] != NULL, "what is started has a name");
    must(!rank->ended && rank->pid == 0, "it has not been started");
    errno = EMFILE;
    if (rank->number % 8 == 0) {
        return false;
    }
    must(asked < RANKS, "each rank asks for one thing at a time");
    to_start[asked++] = rank->number;
    return true;
}

void run_end_begun(struct run_job *job, struct run_rank *rank, pid_t pid)
{
    (void)job;
    must(rank->pid == pid, "it is known by its process");
}

void run_guard_kill(struct run_job *job, int rank, int count)
{
    must(count > 0, "some rank is ended");
    for (int i = rank; i < rank + count; i++) {
        must(i >= RANKS && (job->ranks[i].pid > 0 || job->ranks[i].ended),
             "what is ended has been started later");
    }
}

_Noreturn void run_no_memory(void)
{
    abort();
}

struct run_who run_who(const struct run_job *job, const struct run_rank *rank)
{
    struct run_who who;

    (void)job;
    (void)snprintf(who.text, sizeof(who.text), "%d", rank->number);
    return who;
}

struct scene {
    struct run_job job;
    struct run_app app;
    int host_of[RANKS];
    int theirs[RANKS]; /* -1: closed */
};

static void open_scene(struct scene *scene)
{
    memset(scene, 0, sizeof(*scene));
    ended = 0;
    asked = 0;
    scene->app.ranks = RANKS;
    scene->job.options.ranks = RANKS;
    scene->job.options.host_count = 1;
    scene->job.options.host_of = scene->host_of;
    scene->job.options.apps = &scene->app;
    run_open_ranks(&scene->job);
    for (int i = 0; i < RANKS; i++) {
        int ends[2];

        must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
             "sockets");
        scene->job.ranks[i].pid = 1;
        scene->job.ranks[i].wire = ends[0];
        scene->theirs[i] = ends[1];
    }
}

static void close_scene(struct scene *scene)
{
    for (int i = 0; i < RANKS; i++) {
        if (scene->job.ranks[i].wire >= 0) {
            close(scene->job.ranks[i].wire);
        }
        if (scene->theirs[i] >= 0) {
            close(scene->theirs[i]);
        }
    }
    run_serve_free(&scene->job);
    run_worlds_free(&scene->job);
    free(scene->job.ranks);
}

static void check(const struct scene *scene)
{
    int hellos = 0;

    for (int i = 0; i < RANKS; i++) {
        const struct run_rank *rank = &scene->job.ranks[i];

        hellos += rank->hello;
        must(rank->got <= sizeof(rank->message), "no more is kept than there is room for");
        must(rank->blob_length <= sizeof(rank->blob), "no address is longer than one can be");
        must(rank->told <= rank->world->table_length, "no more is sent than the table");
    }
    must(hellos == scene->job.hellos, "each rank joins once");
    must(ended == scene->job.over, "the job ends once");
    must((scene->job.worlds->table != NULL) == (hellos == RANKS),
         "the table is sent when all have joined");
    must(scene->job.refused == 0 || scene->job.over, "what is refused ends the job");
}

static void say(struct scene *scene, int i, const void *data, size_t length)
{
    if (scene->theirs[i] >= 0) {
        (void)!send(scene->theirs[i], data, length, MSG_NOSIGNAL);
    }
    if (scene->job.ranks[i].wire >= 0) {
        run_wire_drain(&scene->job, &scene->job.ranks[i]);
    }
    check(scene);
}

static void say_message(struct scene *scene, int i, uint32_t kind, const void *data,
                        uint32_t length)
{
    uint8_t message[sizeof(struct pri_wire_head) + 256];
    const struct pri_wire_head head = {.kind = kind, .length = length};

    memcpy(message, &head, sizeof(head));
    memcpy(message + sizeof(head), data, length);
    say(scene, i, message, sizeof(head) + length);
}

/* One that was started later, before its world has joined. */
static void end_one(struct run_job *job, unsigned nth, int status)
{
    const unsigned later = (unsigned)(job->options.ranks - RANKS);
    struct run_rank *rank = later > 0 ? &job->ranks[RANKS + nth % later] : NULL;

    if (rank != NULL && rank->pid > 0) {
        rank->pid = 0;
        rank->ended = true;
        job->alive--;
        must(run_serve_ended(job, rank, status), "it has not joined");
        must(rank->world->failed && rank->wire < 0, "its world comes to nothing");
    }
}

static void step(struct scene *scene, struct input *in)
{
    uint8_t who, what, data[256];
    int i;

    take(in, &who, 1);
    take(in, &what, 1);
    i = who % RANKS;
    if (what < SAYS_MOST) {
        take(in, data, what);
        say(scene, i, data, what);
        return;
    }
    take(in, data, 4);
    switch (what) {
    case HELLO:
        say_message(scene, i, PRI_WIRE_HELLO, data, 4);
        break;
    case ABORT:
        say_message(scene, i, PRI_WIRE_ABORT, data, 4);
        break;
    case ASK:
        take(in, &what, 1);
        what %= sizeof(data);
        take(in, data, what);
        say_message(scene, i, PRI_WIRE_ABORT + 1 + data[0] % 9, data + 1, what > 0 ? what - 1 : 0);
        break;
    case STARTED:
        if (asked > 0) {
            run_serve_started(&scene->job, to_start[--asked], data[0] % 8 == 0 ? -1 : 1, ENOENT);
        }
        check(scene);
        break;
    case END:
        end_one(&scene->job, data[0], data[1]);
        check(scene);
        break;
    case BYE:
        say_message(scene, i, PRI_WIRE_BYE, data, 0);
        break;
    case CLOSE:
        if (scene->theirs[i] >= 0) {
            close(scene->theirs[i]);
            scene->theirs[i] = -1;
        }
        say(scene, i, "", 0);
        break;
    default:
        if (scene->theirs[i] >= 0) {
            (void)!read(scene->theirs[i], data, sizeof(data));
        }
        run_wire_write(&scene->job, &scene->job.ranks[i]);
        check(scene);
    }
}

/* A rank that is there, and of whose messages none is incomplete, joins; then all get the table. */
static void go_on(struct scene *scene)
{
    for (int i = 0; i < RANKS; i++) {
        const struct run_rank *rank = &scene->job.ranks[i];

        if (!rank->hello && rank->wire >= 0 && scene->theirs[i] >= 0 && rank->got == 0 &&
            !scene->job.over) {
            say_message(scene, i, PRI_WIRE_HELLO, "address", 7);
            must(rank->hello, "a rank that speaks well joins");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    static struct scene scene;

    open_scene(&scene);
    while (in.left > 0) {
        step(&scene, &in);
    }
    go_on(&scene);
    close_scene(&scene);
    return 0;
}
