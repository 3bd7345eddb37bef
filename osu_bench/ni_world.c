/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include "ni_world.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "letters.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* Without a core for each, a member that waits for others that do not run had better let them. */
enum { SPIN_ROOM = 20000, SPIN_CROWD = 3 };

struct control {
    _Atomic unsigned present; /* members that have their address here, and each one that met */
    uint8_t blob[NI_WORLD_MEMBERS][NI_BLOB_MAX];
    size_t blob_len[NI_WORLD_MEMBERS];
};

/* What a member begins with. */
struct start {
    const struct ni_world_settings *settings;
    ni_world_fn fn;
    struct ni_fabric *fabric;
    struct control *control;
    void *shared;
    unsigned rank;
    pthread_t thread;
    pid_t pid;
};

static const char *program = "ni_world";

void ni_world_must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "%s: %s: %s\n", program, what, ni_status_text(status));
        exit(1);
    }
}

static void must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s: %s\n", program, what, strerror(errno));
        exit(1);
    }
}

void ni_world_relax(const struct ni_world_member *member, unsigned looks)
{
    if (looks < (member->crowded ? SPIN_CROWD : SPIN_ROOM)) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    } else {
        sched_yield();
    }
}

/* ---- a member -------------------------------------------------------------------------------- */

void ni_world_meet(struct ni_world_member *member)
{
    struct control *control = member->control;
    /* Each member adds once each time, and none twice before all have. */
    unsigned before = atomic_fetch_add_explicit(&control->present, 1, memory_order_acq_rel);
    unsigned wanted = (before / member->members + 1) * member->members;

    while (atomic_load_explicit(&control->present, memory_order_acquire) < wanted) {
        if (ni_progress(member->ni) == 0) {
            sched_yield();
        }
    }
}

static void open_member(struct start *start, struct ni_world_member *member)
{
    unsigned members = start->settings->members;
    struct ni_open_attr attr = {.fabric = start->fabric, .host_processes = members};
    struct control *control = start->control;

    *member = (struct ni_world_member){.rank = start->rank,
                                       .members = members,
                                       .crowded = members > (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
                                       .shared = start->shared,
                                       .control = control};
    ni_world_must(ni_open(&attr, &member->ni), "open an NI");
    control->blob_len[member->rank] =
        ni_address(member->ni, control->blob[member->rank], NI_BLOB_MAX);
    ni_world_meet(member);
    for (unsigned i = 0; i < members; i++) {
        if (i != member->rank) {
            ni_world_must(
                ni_connect(member->ni, control->blob[i], control->blob_len[i], &member->peers[i]),
                "connect");
        }
    }
}

static void run_member(struct start *start)
{
    struct ni_world_member member;

    open_member(start, &member);
    ni_world_meet(&member);
    start->fn(&member);
    ni_world_meet(&member);
    ni_close(member.ni);
}

static void *thread_main(void *arg)
{
    run_member(arg);
    return NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void start_one(struct start *start)
{
    pid_t parent = getpid();

    if (!start->settings->processes) {
        errno = pthread_create(&start->thread, NULL, thread_main, start);
        must(errno == 0, "start a thread");
        return;
    }
    fflush(NULL);
    start->pid = fork();
    must(start->pid >= 0, "start a process");
    if (start->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) {
            run_member(start);
        }
        _exit(0);
    }
}

static bool end_one(struct start *start)
{
    int status = 0;

    if (!start->settings->processes) {
        return pthread_join(start->thread, NULL) == 0;
    }
    return waitpid(start->pid, &status, 0) == start->pid && status == 0;
}

static void *map_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    must(memory != MAP_FAILED, "get memory");
    return memory;
}

void ni_world_run(const struct ni_world_settings *settings, ni_world_fn fn)
{
    struct start starts[NI_WORLD_MEMBERS];
    struct control *control = map_shared(sizeof(*control));
    void *shared = map_shared(settings->shared);
    struct ni_fabric *fabric = NULL;
    bool good = true;

    program = settings->program;
    if (!settings->processes) {
        /* As much room as between processes: a write of 2000 bytes is 33 lines. */
        const struct ni_fabric_attr packets = {.ring_size = 32 << 10, .no_direct_copy = 1};

        ni_world_must(ni_fabric_create(&packets, &fabric), "make a fabric");
    }
    for (unsigned i = 0; i < settings->members; i++) {
        starts[i] = (struct start){.settings = settings,
                                   .fn = fn,
                                   .fabric = fabric,
                                   .control = control,
                                   .shared = shared,
                                   .rank = i};
        start_one(&starts[i]);
    }
    for (unsigned i = 0; i < settings->members; i++) {
        good = end_one(&starts[i]) && good;
    }
    if (!good) {
        fprintf(stderr, "%s: a member has failed\n", program);
        exit(1);
    }
    if (settings->result != NULL) {
        settings->result(shared, settings->arg);
    }
    ni_fabric_destroy(fabric);
    munmap(shared, settings->shared);
    munmap(control, sizeof(*control));
}

/* ---- options --------------------------------------------------------------------------------- */

static int set_count(struct ni_world_options *options, const char *text)
{
    unsigned long count;
    char *end;

    errno = 0;
    count = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *text == '-' || count < 1 ||
        count > options->most) {
        fprintf(stderr, "%s: -n '%s': wanted is a number from 1 to %u\n", options->program, text,
                options->most);
        return -1;
    }
    options->count = (unsigned)count;
    return 0;
}

static int set_members(struct ni_world_options *options, const char *text)
{
    options->threads = strcmp(text, "threads") == 0;
    options->processes = strcmp(text, "processes") == 0;
    if (options->threads || options->processes) {
        return 0;
    }
    fprintf(stderr, "%s: -m '%s': wanted is threads or processes\n", options->program, text);
    return -1;
}

static int parse_one(struct ni_world_options *options, int letter, char **argv)
{
    switch (letter) {
    case 'n':
        return set_count(options, optarg);
    case 'm':
        return set_members(options, optarg);
    case 'h':
        printf("Usage: %s [options]\n%s\n"
               "Options:\n"
               "  -n COUNT    repetitions, 1 to %u (default %u)\n"
               "  -m MEMBERS  threads or processes (default: both)\n"
               "  -h          this text\n"
               "  -v          name and version\n\n"
               "Exit status: 0; 1 for a wrong option, or a link that does not work here.\n",
               options->program, options->help, options->most, options->count);
        return 1;
    case 'v':
        printf("%s (apelink) %s\n", options->program, PACKAGE_VERSION);
        return 1;
    default:
        refuse_letter(options->program, argv);
        return -1;
    }
}

/* 0: go on; 1: end well; -1: end badly. */
static int parse_all(struct ni_world_options *options, int argc, char **argv)
{
    int letter, result = 0;

    while (result == 0 && (letter = next_letter(argc, argv, "n:m:hv")) != -1) {
        result = parse_one(options, letter, argv);
    }
    if (result == 0 && optind < argc) {
        fprintf(stderr, "%s: '%s' is not an option; try -h\n", options->program, argv[optind]);
        return -1;
    }
    return result;
}

int ni_world_main(struct ni_world_options *options, int argc, char **argv,
                  void (*run)(const struct ni_world_options *options, bool processes))
{
    int parsed = parse_all(options, argc, argv);

    if (parsed != 0) {
        return parsed < 0;
    }
    if (options->threads) {
        run(options, false);
    }
    if (options->processes) {
        run(options, true);
    }
    return 0;
}
