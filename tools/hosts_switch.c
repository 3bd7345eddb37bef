/* SPDX-License-Identifier: BSD-3-Clause */
/* The switch: makes the bridge and the hosts, then obeys. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosts.h"

#define HOST_NAMESPACES (CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC)

enum { LINE_MAX_ = 512, ANSWER_MAX = 32768 };

struct plant {
    const struct hosts_setup *setup;
    struct hosts_port ports[HOSTS_MAX];
};

struct answer {
    size_t length;
    char text[ANSWER_MAX];
};

static void say(struct answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct answer *answer, const char *format, ...)
{
    va_list arguments;
    size_t left = sizeof answer->text - answer->length;
    int length;

    va_start(arguments, format);
    length = vsnprintf(answer->text + answer->length, left, format, arguments);
    va_end(arguments);
    answer->length += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left - 1;
}

static void pipe_or_die(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        hosts_die("no pipe: %s", strerror(errno));
    }
}

static void start_host(struct plant *plant, unsigned number)
{
    struct hosts_port *port = &plant->ports[number - 1];
    int go[2], ready[2];
    char byte;

    pipe_or_die(go);
    pipe_or_die(ready);
    hosts_host_name(plant->setup, number, port->host);
    port->number = number;
    port->folder = plant->setup->folder;
    port->counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (port->counts == MAP_FAILED) {
        hosts_die("no memory");
    }
    port->pid = hosts_fork(HOST_NAMESPACES);
    if (port->pid == 0) {
        close(plant->setup->lock); /* it tells that the switch lives */
        close(go[1]);
        close(ready[0]);
        hosts_host(plant->setup, number, go[0], ready[1]);
    }
    close(go[0]);
    close(ready[1]);
    if (!hosts_port_connect(port) || write(go[1], "g", 1) != 1 || read(ready[0], &byte, 1) != 1 ||
        (!hosts_link_plain(&plant->setup->link) && !hosts_port_link(port, &plant->setup->link))) {
        hosts_die("host %s could not be made", port->host);
    }
    close(go[1]);
    close(ready[0]);
}

static void print_port(const struct hosts_port *port, struct answer *answer)
{
    char link[160];

    hosts_link_print(&port->link, link, sizeof link);
    say(answer, "%-12s 10.77.0.%-3u %-6s %s", port->host, port->number,
        port->pid == 0 ? "killed"
        : port->cut    ? "cut"
                       : "up",
        link);
    for (int i = 0; i < 2 && port->relay > 0; i++) {
        struct hosts_relay_counts *counts = &port->counts[i];

        say(answer, " %s passed=%" PRIu64 " lost=%" PRIu64 " full=%" PRIu64,
            i == 0 ? "from it:" : "to it:", counts->passed, counts->lost, counts->full);
    }
    say(answer, "\n");
}

static bool list(struct plant *plant, struct answer *answer)
{
    say(answer, "%s: host file %s/hostfile\n", plant->setup->name, plant->setup->folder);
    for (unsigned i = 0; i < plant->setup->count; i++) {
        say(answer, "  ");
        print_port(&plant->ports[i], answer);
    }
    return true;
}

static bool change_link(struct hosts_port *port, char *words, struct answer *answer)
{
    struct hosts_link link = port->link;
    char *state = NULL;

    for (char *word = strtok_r(words, " \n", &state); word != NULL;
         word = strtok_r(NULL, " \n", &state)) {
        const char *wrong = hosts_link_parse(&link, word);

        if (wrong != NULL) {
            say(answer, "%s: %s", word, wrong);
            return false;
        }
    }
    return hosts_port_link(port, &link);
}

static bool kill_host(struct hosts_port *port)
{
    int status;

    kill(port->pid, SIGKILL);
    /* Its last process has ended when this returns. Its interface goes with its namespace. */
    while (waitpid(port->pid, &status, 0) < 0 && errno == EINTR) {
    }
    port->pid = 0;
    return true;
}

static struct hosts_port *find_port(struct plant *plant, const char *host, struct answer *answer)
{
    for (unsigned i = 0; i < plant->setup->count; i++) {
        struct hosts_port *port = &plant->ports[i];

        if (strcmp(port->host, host) == 0 && port->pid != 0) {
            return port;
        }
        if (strcmp(port->host, host) == 0) {
            say(answer, "host %s was killed", host);
            return NULL;
        }
    }
    say(answer, "there is no host \"%s\"; the hosts are %s1 to %s%u", host, plant->setup->prefix,
        plant->setup->prefix, plant->setup->count);
    return NULL;
}

/* False: the answer says why not, if it is known. */
static bool obey(struct plant *plant, char *line, struct answer *answer)
{
    char *words = line;
    char *verb = strsep(&words, " \n");
    char *host = words != NULL ? strsep(&words, " \n") : NULL;
    struct hosts_port *port;

    if (strcmp(verb, "ls") == 0) {
        return list(plant, answer);
    }
    if (strcmp(verb, "down") == 0) {
        _exit(0);
    }
    port = find_port(plant, host != NULL ? host : "", answer);
    if (port == NULL) {
        return false;
    }
    if (strcmp(verb, "cut") == 0 || strcmp(verb, "heal") == 0) {
        return hosts_port_cut(port, *verb == 'c');
    }
    if (strcmp(verb, "kill") == 0) {
        return kill_host(port);
    }
    if (strcmp(verb, "link") == 0) {
        return change_link(port, words != NULL ? words : verb + strlen(verb), answer);
    }
    say(answer, "unknown command \"%s\"", verb);
    return false;
}

static void serve(struct plant *plant, int listener)
{
    static struct answer answer;
    struct timeval patience = {.tv_sec = 5};
    char line[LINE_MAX_];
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    if (client < 0) {
        return;
    }
    /* A client writes its line at once; one that does not must not stop the others. */
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    ssize_t length = recv(client, line, sizeof line - 1, 0);

    if (length > 0) {
        line[length] = '\0';
        answer.length = 1; /* the first character is the verdict */
        bool good = obey(plant, line, &answer);

        if (!good && answer.length == 1) {
            say(&answer, "the switch could not do it; see %s/log", plant->setup->folder);
        }
        answer.text[0] = good ? '+' : '-';
        if (send(client, answer.text, answer.length, MSG_NOSIGNAL) < 0) {
            perror("apelink-hosts: answer");
        }
    }
    close(client);
}

/* Hosts and relays that have ended without being told to. */
static void reap(struct plant *plant)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (unsigned i = 0; i < plant->setup->count; i++) {
            struct hosts_port *port = &plant->ports[i];

            if (port->pid == pid) {
                port->pid = 0;
            } else if (port->relay == pid) {
                fprintf(stderr, "apelink-hosts: the relay of %s has ended\n", port->host);
                port->relay = -1;
            }
        }
    }
}

static void make_plant(struct plant *plant)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("proc", "/proc", "proc", 0, NULL) != 0) {
        hosts_die("cannot mount /proc: %s; a container may need to be privileged for this",
                  strerror(errno));
    }
    if (access("/proc/sys/net/ipv6", F_OK) == 0) {
        hosts_write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    }
    if (!hosts_ip("link add br0 type bridge\nlink set br0 up\n")) {
        hosts_die("cannot make a bridge; the kernel needs CONFIG_BRIDGE and CONFIG_VETH");
    }
    for (unsigned number = 1; number <= plant->setup->count; number++) {
        start_host(plant, number);
    }
}

void hosts_leave_client(const char *folder)
{
    char path[HOSTS_PATH_MAX + 8];

    snprintf(path, sizeof path, "%s/log", folder);

    int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    dup2(null, STDIN_FILENO);
    dup2(log >= 0 ? log : null, STDOUT_FILENO);
    dup2(log >= 0 ? log : null, STDERR_FILENO);
    close(log);
    close(null);
}

_Noreturn void hosts_switch(const struct hosts_setup *setup, bool stay, int ready)
{
    static struct plant plant;
    sigset_t child;
    int signals, listener;

    plant.setup = setup;
    if (!stay) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    setsid(); /* what a terminal sends to its foreground is for the client alone */
    make_plant(&plant);
    listener = hosts_listen(setup->folder, "control");
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    hosts_leave_client(setup->folder);
    if (write(ready, "r", 1) != 1) {
        _exit(HOSTS_EXIT_OWN); /* the client is gone */
    }
    close(ready);
    for (;;) {
        struct pollfd polled[2] = {{signals, POLLIN, 0}, {listener, POLLIN, 0}};
        struct signalfd_siginfo info;

        if (poll(polled, 2, -1) > 0 && polled[1].revents != 0) {
            serve(&plant, listener);
        }
        while (read(signals, &info, sizeof info) > 0) {
        }
        reap(&plant);
    }
}
