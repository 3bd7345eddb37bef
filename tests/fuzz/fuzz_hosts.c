/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apelink_config.h"
#include "fuzz_input.h"
#include "tools/run.h"

/*
 * What prestorun and its agents tell each other (tools/run_frame.h), from agents, or a host above,
 * that say anything. The input begins with the side that listens; then come pieces: bytes as they
 * are, or frames of which only the content is anybody's choice. Nobody is believed what makes no
 * sense: prestorun ends the job once, all hosts of a link that lies are lost, and its count of
 * ranks that are left stays right; an agent ends. A job (START) that is understood makes sense.
 */

enum { HOSTS = 6, RANKS = 8, FANOUT = 2, HERE = 1 };

static int host_of[RANKS] = {0, 1, 1, 2, 3, 4, 5, 5};
static char *hosts[HOSTS] = {"here", "a", "b", "c", "d", "e"};
static const char key[] = "0123456789abcdef";
static char folder[] = "/tmp/fuzz_hosts.XXXXXX"; /* of records */
static char program[] = "prestorun", *launcher[] = {"launcher", NULL};
static int signals; /* that were passed on to ranks */

/* ---- what is not there ----------------------------------------------------------------------- */

/* Ranks start no others where there are several hosts. */
bool run_spawn_ask(struct run_job *job, struct run_rank *rank)
{
    (void)job;
    (void)rank;
    must(0, "no rank is started later");
    return false;
}

bool run_guard_tell_world(struct run_job *job, const struct run_world *world)
{
    (void)job;
    (void)world;
    must(0, "no rank is started later");
    return false;
}

void run_guard_kill(struct run_job *job, int rank, int count)
{
    (void)job;
    (void)rank;
    (void)count;
    must(0, "no rank is ended alone");
}

void run_guard_signal(struct run_job *job, int signal, pid_t but)
{
    (void)job;
    must(signal >= 1 && signal <= 64, "a signal is one");
    must(but >= 0, "nobody is passed over but a process group");
    signals++;
}

void run_tree_pass_over(struct run_job *job, pid_t pid)
{
    (void)job;
    (void)pid;
    must(0, "nothing is started");
}

_Noreturn void run_no_memory(void)
{
    must(0, "memory runs out");
    abort();
}

void run_signals_reset(void)
{
    must(0, "nothing becomes another program");
}

/* ---- scene ----------------------------------------------------------------------------------- */

struct scene {
    struct run_job job;
    struct run_app app;
    struct run_host known[HOSTS];
    struct run_link parent, links[FANOUT];
    int theirs[FANOUT + 2]; /* the other ends of links, of the parent, and of the input */
};

static int open_link(struct run_link *link, bool upwards)
{
    int ends[2];

    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0, "sockets");
    *link = (struct run_link){.in = ends[0], .out = dup(ends[0]), .upwards = upwards};
    must(link->out >= 0, "a descriptor");
    return ends[1];
}

/* Where a rank reads. */
static int open_input(struct run_input *input)
{
    int ends[2];

    must(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "a pipe");
    input->fd = ends[1];
    return ends[0];
}

/* slow: nobody takes what ranks print. */
static void open_scene(struct scene *scene, bool agent, bool slow)
{
    struct run_job *job = &scene->job;
    const int here = agent ? HERE : 0;

    memset(scene, 0, sizeof(*scene));
    signals = 0;

    scene->app = (struct run_app){.ranks = RANKS, .directory = -1};
    job->options = (struct run_options){.app_count = 1,
                                        .apps = &scene->app,
                                        .ranks = RANKS,
                                        .reader = agent ? HERE : RANKS - 1,
                                        .host_count = HOSTS,
                                        .hosts = hosts,
                                        .host_of = host_of,
                                        .launcher = launcher,
                                        .program = program,
                                        .report = folder,
                                        .fanout = FANOUT};
    memcpy(job->key, key, sizeof(key));
    job->guard.fd = -1;
    job->net = (struct run_net){
        .here = here, .hosts = scene->known, .links = scene->links, .input.fd = -1};
    scene->theirs[FANOUT + 1] = -1;
    if (agent) {
        scene->theirs[FANOUT + 1] = open_input(&job->net.input);
    }
    for (int i = 0; i < HOSTS; i++) {
        scene->known[i].owed[0] = scene->known[i].owed[1] = RUN_WINDOW - 100;
    }
    job->net.credit[0] = job->net.credit[1] = RUN_WINDOW / 2;
    for (int i = 0; i < 2; i++) {
        job->sinks[i].fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        job->sinks[i].data = slow ? calloc(1, 1) : NULL;
        job->sinks[i].used = job->sinks[i].room = slow;
    }
    scene->theirs[FANOUT] = agent ? open_link(&scene->parent, true) : -1;
    job->net.parent = agent ? &scene->parent : NULL;
    for (int i = 0, size; i < FANOUT; i++) {
        int count = run_branch_size(&job->options, here);
        int first = run_branch(&job->options, here, count, i, &size);

        scene->theirs[i] = -1;
        if (first != 0) {
            scene->theirs[i] = open_link(&scene->links[i], false);
            scene->links[i].first = first;
            scene->links[i].count = size;
            job->net.link_count++;
        }
    }
    run_open_ranks(job);
}

/* Whole, and no larger than it said it was. */
static void check_record(const struct scene *scene, int rank)
{
    char name[256];
    struct stat facts;

    if (scene->job.ranks[rank].recorded) {
        (void)snprintf(name, sizeof(name), "%s/apelink-hooks.%u.%u.%d", folder, (unsigned)getuid(),
                       pri_job_number(strtoull(key, NULL, 16), 0), rank);
        must(stat(name, &facts) == 0 && facts.st_size <= 1 << 30, "a record has a size");
        (void)unlink(name);
    }
}

static void close_scene(struct scene *scene)
{
    struct run_job *job = &scene->job;

    for (int i = 0; i < FANOUT + 2; i++) {
        if (scene->theirs[i] >= 0) {
            close(scene->theirs[i]);
        }
    }
    for (int i = 0; i < job->net.link_count; i++) {
        run_link_close(&scene->links[i]);
    }
    if (job->net.parent != NULL) {
        run_link_close(job->net.parent);
    }
    for (int i = 0; i < RANKS; i++) {
        check_record(scene, i);
        free(job->ranks[i].out.data);
        free(job->ranks[i].err.data);
    }
    for (int i = 0; i < HOSTS; i++) {
        free(scene->known[i].identity);
    }
    for (int i = 0; i < 2; i++) {
        close(job->sinks[i].fd);
        free(job->sinks[i].data);
    }
    run_input_close(job);
    run_serve_free(job);
    run_worlds_free(job);
    free(job->ranks);
}

static void check(const struct scene *scene)
{
    const struct run_job *job = &scene->job;
    int left = 0;

    for (int i = 0; i < RANKS; i++) {
        const struct run_rank *rank = &job->ranks[i];

        left += job->net.parent == NULL && rank->host != 0 && !rank->ended;
        must(rank->got <= sizeof(rank->message), "no more is kept than there is room for");
        must(rank->out.used < RUN_LINE_MAX && rank->err.used < RUN_LINE_MAX, "lines have an end");
        must(rank->pid == 0, "no process of this host is taken for a rank of another");
    }
    must(left == job->alive, "it is known how many ranks are left");
    for (int i = 0; i < job->net.link_count; i++) {
        const struct run_link *link = &job->net.links[i];

        must(!link->broken || link->gone, "who makes no sense is not heard any more");
        for (int k = 0; link->gone && job->net.parent == NULL && k < link->count; k++) {
            must(job->net.hosts[link->first + k].lost, "who is behind it is lost");
        }
    }
    must(job->net.input.under_way <= RUN_WINDOW, "no more is said to be read than was sent");
    for (int i = 0; i < 2; i++) {
        must(job->net.credit[i] <= RUN_WINDOW, "no more is sent than is wanted");
        for (int k = 0; k < HOSTS; k++) {
            must(scene->known[k].owed[i] <= RUN_WINDOW, "no more is taken than may be sent");
        }
    }
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* The other side takes what it is sent, or it would fill up. */
static void drain(int fd)
{
    char data[4096];

    while (fd >= 0 && read(fd, data, sizeof(data)) > 0) {
        continue;
    }
}

/* How many ranks have begun that the link does not lead to. */
static int begun_elsewhere(const struct scene *scene, int which)
{
    const struct run_link *link = &scene->links[which % FANOUT];
    int begun = 0;

    for (int i = 0; i < RANKS; i++) {
        begun += scene->job.ranks[i].was != 0 &&
                 (host_of[i] < link->first || host_of[i] >= link->first + link->count);
    }
    return begun;
}

static void say(struct scene *scene, int which, const void *data, size_t length)
{
    struct run_job *job = &scene->job;
    const int before = begun_elsewhere(scene, which);

    if (scene->theirs[which] >= 0) {
        (void)!send(scene->theirs[which], data, length, MSG_NOSIGNAL);
    }
    if (which == FANOUT) {
        if (scene->parent.in >= 0) {
            run_down_read(job);
        }
    } else if (which < job->net.link_count && scene->links[which].in >= 0) {
        run_up_read(job, &scene->links[which]);
    }
    must(begun_elsewhere(scene, which) == before, "agents speak for their own ranks");
    run_launch_look(job);
    check(scene);
    if (job->net.parent == NULL) {
        run_down_turn(job);
    }
    for (int i = 0; i < FANOUT + 2; i++) {
        drain(scene->theirs[i]);
    }
    check(scene);
}

static void say_frame(struct scene *scene, int which, uint32_t kind, int8_t number,
                      const uint8_t *data, uint8_t length)
{
    uint8_t bytes[sizeof(struct run_frame_head) + UINT8_MAX];
    const struct run_frame_head head = {
        .kind = RUN_FRAME_HELLO + kind, .number = number, .length = length};

    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + sizeof(head), data, length);
    say(scene, which, bytes, sizeof(head) + length);
}

/* A frame whose number and length can be right. */
static void say_well(struct scene *scene, int which, const uint8_t head[4], const uint8_t *data)
{
    static const struct kind {
        enum run_frame_kind kind;
        int length; /* -1: any */
        bool rank;
    } kinds[] = {
        {RUN_FRAME_TABLE, -1, false}, {RUN_FRAME_SIGNAL, 0, false}, {RUN_FRAME_INPUT, -1, true},
        {RUN_FRAME_TAKEN, 8, false},  {RUN_FRAME_DEAD, 0, false},   {RUN_FRAME_OVER, 0, false},
        {RUN_FRAME_LAST, 0, false},   {RUN_FRAME_STARTED, 4, true}, {RUN_FRAME_SAID, -1, true},
        {RUN_FRAME_OUT, -1, true},    {RUN_FRAME_ERR, -1, true},    {RUN_FRAME_ENDED, 4, true},
        {RUN_FRAME_FED, 4, true},     {RUN_FRAME_EMPTY, 0, false},  {RUN_FRAME_TEXT, -1, false},
        {RUN_FRAME_LOST, -1, false},  {RUN_FRAME_RECORD, -1, true}};
    const struct kind *one =
        &kinds[which == FANOUT ? head[1] % 7 : 7 + head[1] % 10]; /* down, up */
    int number = head[2] % (one->rank ? RANKS : HOSTS);

    if (one->kind == RUN_FRAME_FED || one->kind == RUN_FRAME_INPUT) {
        number = scene->job.options.reader;
    } else if (one->kind == RUN_FRAME_SIGNAL) {
        number = head[2] % 80;
    }
    say_frame(scene, which, one->kind - RUN_FRAME_HELLO, (int8_t)number, data,
              one->length >= 0 ? (uint8_t)one->length : head[3]);
}

/* An agent begins with this. */
static void greet(struct scene *scene, int which, uint8_t name)
{
    char text[64];
    int n = snprintf(text, sizeof(text), "%s%chost %u", PACKAGE_VERSION, '\0', name);

    say_frame(scene, which, 0, -1, (const uint8_t *)text, (uint8_t)(n + 1));
}

static void step(struct scene *scene, struct input *in)
{
    uint8_t head[4], data[UINT8_MAX];
    int which;

    take(in, head, sizeof(head));
    which = scene->job.net.parent != NULL && head[0] % 4 == 0 ? FANOUT : head[0] % FANOUT;
    take(in, data, head[3]);
    switch (head[0] / 4 % 4) {
    case 0:
        say(scene, which, data, head[3]);
        break;
    case 1:
        greet(scene, which, head[1]);
        break;
    case 2:
        if (head[1] == 0 && scene->theirs[which] >= 0) {
            close(scene->theirs[which]);
            scene->theirs[which] = -1;
            say(scene, which, "", 0);
            break;
        }
        say_well(scene, which, head, data);
        break;
    default:
        say_frame(scene, which, head[1] % 26, (int8_t)head[2], data, head[3]);
    }
}

static void hear(struct input *in, bool agent, bool slow)
{
    static struct scene scene;

    open_scene(&scene, agent, slow);
    while (in->left > 0) {
        step(&scene, in);
    }
    must(agent || scene.job.over || scene.job.alive > 0 || scene.job.net.last,
         "prestorun knows when it is over");
    close_scene(&scene);
}

/* ---- the job --------------------------------------------------------------------------------- */

static void check_job(const struct run_job *job)
{
    struct run_bytes again = {0};
    int ranks = 0;

    for (int i = 0; i < job->options.app_count; i++) {
        ranks += job->options.apps[i].ranks;
        must(job->options.apps[i].command[0] != NULL, "there is something to run");
    }
    must(ranks == job->options.ranks && ranks >= 1 && ranks <= RUN_MAX_RANKS, "ranks are counted");
    for (int i = 0; i < ranks; i++) {
        must(job->options.host_of[i] >= 0 && job->options.host_of[i] < job->options.host_count,
             "each rank has a host");
    }
    must(strlen(job->key) == 16, "there is a key");
    must(run_spec_pack(job, &again), "it can be told again");
    free(again.data);
}

/* A job, of which the input changes bytes: each by where, and what is there then. */
static void understand(struct input *in)
{
    struct scene scene;
    struct run_job other = {0};
    struct run_bytes bytes = {0};

    open_scene(&scene, false, false);
    scene.app.folder = (char[]){"/"};
    scene.app.variables = (const char *[]){"A=1"};
    scene.app.variable_count = 1;
    scene.app.command = (char *[]){"sleep", "1", NULL};
    scene.job.options.environment = (char *[]){"B=2", "C=", NULL};
    scene.job.options.report = NULL;
    must(run_spec_pack(&scene.job, &bytes), "there is memory");
    while (in->left > 0) {
        uint8_t change[3];
        size_t at;

        take(in, change, sizeof(change));
        at = (size_t)(change[0] | change[1] << 8);
        if (at < bytes.used) {
            bytes.data[at] = change[2];
        } else if (change[2] % 8 == 0) {
            bytes.used -= bytes.used > 0 ? 1 : 0;
        }
    }
    if (run_spec_unpack(&other, bytes.data, bytes.used) == NULL) {
        check_job(&other);
    }
    run_spec_free(&other);
    free(bytes.data);
    close_scene(&scene);
}

static void remove_folder(void)
{
    (void)rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    static bool begun;
    uint8_t which;

    if (!begun) {
        must(mkdtemp(folder) != NULL && setenv("PRESTO_REPORT_DIRECTORY", folder, 1) == 0 &&
                 atexit(remove_folder) == 0,
             "a folder");
        begun = true;
    }
    take(&in, &which, 1);
    if (which % 3 == 0) {
        understand(&in);
    } else {
        hear(&in, which % 3 == 1, which / 3 % 2 == 1);
    }
    return 0;
}
