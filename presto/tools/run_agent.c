/* SPDX-License-Identifier: BSD-3-Clause */
/* An agent: prestorun on another host, started by prestorun or by another agent, which it speaks
 * with by its standard input and output. When these close, all ends here. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apelink_config.h"
#include "tools/run.h"

void run_identity(char *text, size_t size)
{
    char boot[64] = "", name[128] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (file != NULL) {
        (void)!fgets(boot, sizeof(boot), file);
        (void)fclose(file);
    }
    boot[strcspn(boot, "\n")] = '\0';
    (void)gethostname(name, sizeof(name) - 1);
    (void)snprintf(text, size, "%s %s", name, boot);
}

/* Away from standard input and output, which the ranks are not to have. False: said why. */
static bool open_parent(struct run_link *parent)
{
    int null;

    if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)) {
        fputs("prestorun: --agent is what prestorun on another host calls\n", stderr);
        return false;
    }
    *parent = (struct run_link){.in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
                                .out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
                                .upwards = true};
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (parent->in < 0 || parent->out < 0 || null < 0) {
        perror("prestorun: --agent");
        return false;
    }
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
    (void)close(null);
    (void)fcntl(parent->in, F_SETFL, O_NONBLOCK);
    (void)fcntl(parent->out, F_SETFL, O_NONBLOCK);
    return true;
}

static void say_hello(struct run_link *parent)
{
    char identity[200], text[RUN_TEXT_MAX + 1];
    int n;

    run_identity(identity, sizeof(identity));
    n = snprintf(text, sizeof(text), "%s%c%s", PACKAGE_VERSION, '\0', identity);
    run_link_send(parent, RUN_FRAME_HELLO, -1, text, (size_t)n + 1);
}

/* Wait for START; false: it does not come. */
static bool await_start(struct run_link *parent, struct run_frame *frame)
{
    while (!run_link_next(parent, frame)) {
        struct pollfd one = {.fd = parent->in, .events = POLLIN};

        (void)poll(&one, 1, -1);
        if (parent->broken || !run_link_read(parent)) {
            return false;
        }
    }
    return frame->head.kind == RUN_FRAME_START;
}

/* False: said why. */
static bool take_start(struct run_job *job, const struct run_frame *frame)
{
    uint8_t *start = malloc(frame->head.length);
    const char *wrong = "there is no memory";

    if (start != NULL) {
        memcpy(start, frame->data, frame->head.length);
        wrong = run_spec_unpack(job, start, frame->head.length);
    }
    job->net.start = start;
    job->net.start_length = frame->head.length;
    job->net.here = frame->head.number;
    if (wrong == NULL && (job->net.here < 1 || job->net.here >= job->options.host_count)) {
        wrong = "it is for no host";
    }
    if (wrong != NULL) {
        run_say(job, "prestorun: what is to be started is not understood: %s\n", wrong);
    }
    return wrong == NULL;
}

/* Those of commands that have ranks here. False: said why. */
static bool open_folders(struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        struct run_app *app = &job->options.apps[0];

        for (int first = 0; i >= first + app->ranks; app++) {
            first += app->ranks;
        }
        if (job->options.host_of[i] == job->net.here && app->directory < 0) {
            app->directory = open(app->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
            if (app->directory < 0) {
                run_say(job,
                        "prestorun: folder %.300s, where the ranks are to begin: %s; --wdir says "
                        "another\n",
                        app->folder, strerror(errno));
                return false;
            }
        }
    }
    return true;
}

static void set_environment(const struct run_options *options)
{
    for (char **variable = options->environment; *variable != NULL; variable++) {
        char *equals = strchr(*variable, '=');

        if (equals != NULL) {
            *equals = '\0';
            (void)setenv(*variable, equals + 1, 1);
            *equals = '=';
        }
    }
}

/* What is still to be said, for at most ten seconds. */
static void flush(struct run_link *parent)
{
    for (int i = 0; i < 1000 && run_link_waits(parent); i++) {
        struct pollfd one = {.fd = parent->out, .events = POLLOUT};

        (void)poll(&one, 1, 10);
        run_link_write(parent);
    }
}

static int work(struct run_job *job, int signals)
{
    const int reader = job->options.reader;
    char text[RUN_TEXT_MAX + 1];
    bool well;

    (void)snprintf(text, sizeof(text), "host %.100s cannot start its ranks",
                   job->options.hosts[job->net.here]);
    set_environment(&job->options);
    run_open_ranks(job);
    job->net.credit[0] = job->net.credit[1] = RUN_WINDOW;
    if (reader != RUN_NOBODY && job->options.host_of[reader] == job->net.here) {
        run_input_open(job);
    }
    run_tree_begin(job);
    well = open_folders(job) && run_spawn_all(job);
    if (well) {
        run_down_take(job); /* what came with the start */
        (void)run_loop(job, signals);
        if (job->net.parent->out >= 0) {
            run_record_send(job);
        }
    } else {
        run_up(job, RUN_FRAME_LOST, job->net.here, text, strlen(text));
        flush(job->net.parent);
        run_guard_close(job);
        run_launch_close(job);
    }
    flush(job->net.parent);
    return well ? 0 : 1;
}

static void close_job(struct run_job *job)
{
    for (int i = 0; job->ranks != NULL && i < job->options.ranks; i++) {
        free(job->ranks[i].out.data);
        free(job->ranks[i].err.data);
    }
    run_input_close(job);
    run_link_close(job->net.parent);
    run_worlds_free(job);
    free(job->ranks);
    free(job->strangers.pid);
    run_spec_free(job);
    free((uint8_t *)job->net.start);
}

int run_agent(void)
{
    struct run_link parent;
    struct run_job job = {.guard.fd = -1,
                          .net = {.parent = &parent, .input.fd = -1},
                          .sinks = {{.fd = -1}, {.fd = -1}}};
    struct run_frame frame;
    cpu_set_t set;
    int signals, code = 1;

    signals = run_signals_open(true);
    if (signals < 0 || !open_parent(&parent)) {
        return 1;
    }
    job.cores = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    say_hello(&parent);
    if (await_start(&parent, &frame) && take_start(&job, &frame)) {
        code = work(&job, signals);
    } else {
        flush(&parent);
    }
    close_job(&job);
    return code;
}
