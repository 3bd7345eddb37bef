/* SPDX-License-Identifier: BSD-3-Clause */
/* What the guard does: see run_guard.c. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run.h"
#include "tools/run_note.h"

enum {
    AGENT_MS = 15000,
    POLLS = 67, /* three, and of children that are to become programs those that began last */
};

/* A child that is to become its program. */
struct begun {
    struct begun *next;
    int trouble; /* it says there why it cannot */
    int rank;
    pid_t pid;
};

/* Its copy of the job has the pids of the ranks, and no guard. */
struct guard {
    struct run_job *job;
    int fd; /* towards prestorun */
    int children;
    bool watches;
    bool full; /* prestorun has to read before it can be told of `ended` */
    struct run_note ended;
    struct begun *begun;
};

static void close_ends(const struct run_ends *ends)
{
    (void)close(ends->wire);
    (void)close(ends->out);
    (void)close(ends->err);
}

/* The child has become its program, has ended, or cannot become it: then it is nobody's child any
 * more. Returns whether it is one. */
static bool settle(struct guard *guard, struct begun **place)
{
    struct begun *begun = *place;
    struct run_note answer = {
        .kind = RUN_NOTE_STARTED, .rank = begun->rank, .pid = begun->pid, .value = 0};
    int error;

    if (read(begun->trouble, &error, sizeof(error)) == (ssize_t)sizeof(error)) {
        (void)waitpid(begun->pid, NULL, 0);
        run_tree_forget(guard->job, begun->pid);
        answer.pid = -1;
        answer.value = error;
    }
    (void)close(begun->trouble);
    *place = begun->next;
    free(begun);
    (void)run_note_send(guard->fd, answer, NULL, 0);
    return answer.pid > 0;
}

static struct begun **find_begun(struct guard *guard, pid_t pid)
{
    struct begun **place = &guard->begun;

    while (*place != NULL && (*place)->pid != pid) {
        place = &(*place)->next;
    }
    return place;
}

/* A rank of a world: what comes before its program may take long, where a file system does not
 * answer, and others do not wait for that. -1: errno. */
static pid_t begin_rank(struct guard *guard, struct run_rank *rank, const struct run_ends *ends)
{
    struct begun *begun = malloc(sizeof(*begun));
    const pid_t self = getpid();
    int trouble[2] = {-1, -1};
    pid_t pid = begun == NULL || pipe2(trouble, O_CLOEXEC) != 0 ? -1 : fork();

    if (pid == 0) {
        (void)close(guard->fd);
        run_child(guard->job, rank, ends, self, trouble[1]);
    }
    if (pid < 0) {
        const int error = errno;

        if (trouble[0] >= 0) {
            (void)close(trouble[0]);
            (void)close(trouble[1]);
        }
        free(begun);
        errno = error;
        return -1;
    }
    (void)close(trouble[1]);
    *begun = (struct begun){guard->begun, trouble[0], rank->number, pid};
    guard->begun = begun;
    return pid;
}

static pid_t start_first(const struct guard *guard, const struct run_rank *rank,
                         const struct run_ends *ends)
{
    const pid_t self = getpid();
    const pid_t pid = fork();

    if (pid == 0) {
        (void)close(guard->fd);
        run_child(guard->job, rank, ends, self, -1);
    }
    return pid;
}

static void start_rank(struct guard *guard, const struct run_note *note,
                       const struct run_ends *ends)
{
    struct run_rank *rank = &guard->job->ranks[note->rank];
    struct run_note answer = {.kind = RUN_NOTE_STARTED, .rank = note->rank, .pid = -1};

    if (ends->wire >= 0) {
        answer.pid =
            guard->watches ? begin_rank(guard, rank, ends) : start_first(guard, rank, ends);
    }
    answer.value = ends->wire < 0 ? EMFILE : errno;
    close_ends(ends);
    rank->pid = answer.pid > 0 ? answer.pid : 0;
    if (answer.pid < 0 || !guard->watches) {
        (void)run_note_send(guard->fd, answer, NULL, 0);
    }
}

/* What ranks of a world are to do; who cannot read it cannot start them either. The numbers are
 * prestorun's, also behind a world that this one has not heard of, or had no memory for, and in the
 * place of one that is over. */
static void take_world(struct guard *guard, const struct run_note *note,
                       const struct run_ends *ends)
{
    const size_t length = (size_t)note->value;
    uint8_t *request = malloc(length + 1);

    if (request != NULL && pread(ends->wire, request, length, 0) == (ssize_t)length) {
        (void)run_world_add(guard->job, request, length, note->pid, note);
    }
    free(request);
    close_ends(ends);
}

static void kill_ranks(const struct guard *guard, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        if (guard->job->ranks[i].pid > 0) {
            run_tree_kill(guard->job, guard->job->ranks[i].pid);
        }
    }
}

/* False: prestorun is gone, or has closed its end. */
static bool obey(struct guard *guard)
{
    struct run_ends ends;
    struct run_note note;
    ssize_t n = run_note_receive(guard->fd, &note, &ends, MSG_DONTWAIT);

    if (n != (ssize_t)sizeof(note)) {
        return n < 0 && errno == EAGAIN;
    }
    if (note.kind == RUN_NOTE_SPAWN && guard->job->ranks[note.rank].world == NULL) {
        close_ends(&ends);
        note = (struct run_note){
            .kind = RUN_NOTE_STARTED, .rank = note.rank, .pid = -1, .value = ENOMEM};
        (void)run_note_send(guard->fd, note, NULL, 0);
    } else if (note.kind == RUN_NOTE_SPAWN) {
        start_rank(guard, &note, &ends);
    } else if (note.kind == RUN_NOTE_WATCH) {
        guard->watches = true;
    } else if (note.kind == RUN_NOTE_WORLD) {
        take_world(guard, &note, &ends);
    } else if (note.kind == RUN_NOTE_KILL) {
        kill_ranks(guard, note.rank, note.value);
    } else if (note.kind == RUN_NOTE_SIGNAL) {
        run_tree_signal(guard->job, note.value, note.pid);
    }
    return true;
}

/* A child that has ended, but for those of which prestorun hears that they could not be started.
 * False: there is none. */
static bool collect(struct guard *guard)
{
    siginfo_t info = {.si_pid = 0};
    struct begun **begun;
    int status = 0;

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
        return false;
    }
    begun = find_begun(guard, info.si_pid);
    if (*begun != NULL && !settle(guard, begun)) {
        return collect(guard);
    }
    (void)waitpid(info.si_pid, &status, 0);
    run_tree_forget(guard->job, info.si_pid);
    guard->ended = (struct run_note){.kind = RUN_NOTE_ENDED, .pid = info.si_pid, .value = status};
    return true;
}

/* Who has ended stays a zombie, whose pid nobody else gets, until prestorun can be told. */
static void tell_ends(struct guard *guard)
{
    for (;;) {
        if (!guard->full && !collect(guard)) {
            return;
        }
        guard->full =
            run_note_send(guard->fd, guard->ended, NULL, MSG_DONTWAIT) < 0 && errno == EAGAIN;
        if (guard->full) {
            return;
        }
    }
}

/* Those that have become their programs; each has its place behind the first three. */
static void settle_all(struct guard *guard, const struct pollfd *polls, nfds_t count)
{
    for (nfds_t i = 3; i < count; i++) {
        struct begun **place = &guard->begun;

        while (*place != NULL && (*place)->trouble != polls[i].fd) {
            place = &(*place)->next;
        }
        if (polls[i].revents != 0 && *place != NULL) {
            (void)settle(guard, place);
        }
    }
}

/* What is waited for; children for which there is no room are seen when they end, or later. */
static nfds_t list_polls(const struct guard *guard, struct pollfd polls[POLLS])
{
    const struct run_link *above = guard->job->net.parent;
    nfds_t count = 3;

    polls[0] = (struct pollfd){.fd = guard->fd, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = guard->children, .events = POLLIN};
    polls[2] = (struct pollfd){.fd = above != NULL ? above->in : -1, .events = POLLRDHUP};
    if (guard->full) {
        polls[0].events |= POLLOUT;
    }
    for (const struct begun *b = guard->begun; b != NULL && count < POLLS; b = b->next) {
        polls[count++] = (struct pollfd){.fd = b->trouble, .events = POLLIN};
    }
    return count;
}

static void watch(struct guard *guard)
{
    struct signalfd_siginfo info;
    struct pollfd polls[POLLS];
    bool well = true;

    while (well) {
        nfds_t count = list_polls(guard, polls);

        (void)poll(polls, count, -1);
        if (polls[1].revents != 0) {
            (void)!read(guard->children, &info, sizeof(info));
        }
        settle_all(guard, polls, count);
        if (polls[0].revents != 0) {
            well = obey(guard);
        }
        if (polls[2].revents != 0) {
            well = false; /* the agent sees it, too, unless it is stopped */
        }
        if (guard->watches) {
            tell_ends(guard);
        }
    }
}

/* An agent has as long to end as it gives those that it has started, and a bit. */
static void outlast_agent(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLRDHUP};
    const pid_t agent = getppid();

    if (poll(&one, 1, AGENT_MS) == 0) {
        (void)kill(agent, SIGKILL);
    }
}

/* Outside of the job's process group, which somebody may kill as a whole. No signal but SIGKILL
 * ends it. */
_Noreturn void run_guard_be(struct run_job *job, int fd)
{
    struct guard guard = {.job = job, .fd = fd};
    sigset_t all, child;

    (void)prctl(PR_SET_NAME, "presto-guard");
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)setpgid(0, 0);
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    guard.children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    job->strangers.count = 0;
    if (job->net.parent != NULL) {
        run_input_close(job); /* or the rank would never see its end */
    }
    if (guard.children >= 0) {
        watch(&guard);
    }
    run_tree_sweep(job);
    if (job->net.parent != NULL) {
        outlast_agent(fd);
    }
    _exit(0);
}
