/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_HOSTS_H
#define TOOLS_HOSTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Several hosts on one machine, made of namespaces.
 *
 * An instance is a tree of processes in a PID namespace of its own:
 *
 *   client        hosts run, hosts up: makes the state folder, starts the switch, waits for "ready"
 *     switch      first process of the outer PID namespace; in its network namespace are a bridge
 *                 and one port for each host; obeys hosts cut, heal, kill, link, ls, down
 *       host 1    first process of a PID namespace, with network, mount, UTS and IPC namespaces;
 *                 starts what hosts exec and mpirun's remote agent ask it for
 *         commands
 *       host 2
 *       relay     only for a host whose link has delay, jitter, loss or a rate
 *
 * Nothing is made outside of these namespaces but the state folder, and none of them is given a
 * name that could keep it alive. So the kernel cleans up: when the switch ends, however it ends,
 * all processes of its PID namespace are killed, and with the last of them go the namespaces and
 * their interfaces and mounts. The switch of "hosts run" is killed with the client. What can be
 * left is a folder; whether its switch lives is told by a lock, and the next command takes it away.
 */

enum { HOSTS_MAX = 64, HOSTS_NAME_MAX = 24, HOSTS_PATH_MAX = 96 };

/* Exit statuses of its own; otherwise that of the command, 128 + N if signal N ended it. */
enum { HOSTS_EXIT_OWN = 125, HOSTS_EXIT_CANNOT = 126, HOSTS_EXIT_NOT_FOUND = 127 };

/* What a link does to frames, each way. All zero: nothing, and there is no relay. */
struct hosts_link {
    uint64_t delay_ns;
    uint64_t jitter_ns; /* each frame is late by delay - jitter to delay + jitter, evenly spread */
    uint64_t bits_per_sec; /* 0: no limit */
    uint64_t seed;
    uint32_t loss_ppm; /* parts in a million, of frames */
    bool reorder; /* jitter may change the order of frames; otherwise they wait for each other */
};

struct hosts_setup {
    char name[HOSTS_NAME_MAX];
    char prefix[HOSTS_NAME_MAX]; /* of the hosts' names */
    unsigned count;
    unsigned slots; /* of the host file */
    struct hosts_link link;
    char folder[HOSTS_PATH_MAX]; /* of the state */
    int lock;                    /* held by the switch as long as it lives */
};

/* hosts.c */
/* Says what is wrong on standard error, and ends with HOSTS_EXIT_OWN. */
_Noreturn void hosts_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* hosts_fork.c */
/* fork with new namespaces (CLONE_NEW...). Dies if it cannot. */
pid_t hosts_fork(int namespaces);
/* fork, exec "ip -batch -" and let it read script. True: it succeeded; what it said is on standard
 * error otherwise. */
bool hosts_ip(const char *script);
void hosts_write_file(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* hosts_state.c */
/* Take away the folders of instances that are no more. */
void hosts_sweep(void);
/* Make setup->folder and take setup->lock. Dies if the name is in use. */
void hosts_state_create(struct hosts_setup *setup);
void hosts_state_remove(const char *folder);
/* The folder of the instance with this name; NULL: of $APELINK_HOSTS, or of the only one there is.
 * Dies, saying what there is, if there is none. */
void hosts_state_find(const char *name, char folder[HOSTS_PATH_MAX]);
/* Calls each with the folder of every instance that lives; returns how many. */
unsigned hosts_state_each(void (*each)(const char *folder, void *context), void *context);
bool hosts_name_ok(const char *name);

/* hosts_link.c */
/* Read delay=10ms, jitter=2ms, loss=1%, rate=100M, seed=7, reorder=yes, or clear. Returns NULL, or
 * what is wrong; *link is changed only if all is well. */
const char *hosts_link_parse(struct hosts_link *link, const char *word);
/* As the words that hosts_link_parse reads. */
void hosts_link_print(const struct hosts_link *link, char *text, size_t size);
bool hosts_link_plain(const struct hosts_link *link);

struct hosts_relay_counts {
    _Atomic uint64_t passed, lost, full; /* full: the queue of frames under way was */
};

/* hosts_host.c: the first process of a host. go: read until end of file before the network is set
 * up. ready: closed when it is, after a byte. */
_Noreturn void hosts_host(const struct hosts_setup *setup, unsigned number, int go, int ready);
void hosts_host_name(const struct hosts_setup *setup, unsigned number, char *name);

/* hosts_jobs.c: a host's commands. Serves the socket for ever. */
_Noreturn void hosts_jobs(int listener);

/* hosts_switch.c. Writes a byte to ready when all hosts are there. stay: outlive the client. */
_Noreturn void hosts_switch(const struct hosts_setup *setup, bool stay, int ready);
/* What stays lets go of the client's input and output when it is ready: of a terminal, and of pipes
 * whose readers wait for their end. It has the log of the state folder instead. */
void hosts_leave_client(const char *folder);

/* hosts_port.c: the ports of the switch. */
struct hosts_port {
    char host[HOSTS_NAME_MAX + 4];
    unsigned number;
    const char *folder; /* of the state */
    pid_t pid;          /* of the host's first process; 0: it was killed */
    pid_t relay;        /* 0: there is none; -1: it has ended, which no relay should */
    bool cut;
    struct hosts_link link;
    struct hosts_relay_counts *counts; /* two, shared with the relay */
};
bool hosts_port_connect(const struct hosts_port *port);
bool hosts_port_cut(struct hosts_port *port, bool cut);
bool hosts_port_link(struct hosts_port *port, const struct hosts_link *link);

/* hosts_relay.c: pass frames between two interfaces of this network namespace until killed, by the
 * port's link; its counts are of frames from the first, and from the second. */
_Noreturn void hosts_relay(const char *a, const char *b, const struct hosts_port *port);

/* hosts_client.c */
int hosts_start(struct hosts_setup *setup, bool stay, pid_t *pid);
/* Run a command on a host, with our standard input and output. own_environment: with the host's
 * environment, which is that of hosts run or up and what the host has set; otherwise with ours and
 * what the host has set. Returns the exit status. */
int hosts_exec(const char *folder, const char *host, char **argv, bool own_environment);
/* Send a line to the switch, print its answer; false: it refused. */
bool hosts_ask(const char *folder, const char *line);
/* End an instance and wait until all of its processes are gone. */
void hosts_down(const char *folder);

/* hosts_message.c: sockets of the state folder, and what goes over them. */
int hosts_listen(const char *folder, const char *name);
/* -1, errno set: nobody listens. */
int hosts_connect(const char *folder, const char *name);
bool hosts_send_fds(int socket, const int *fds, unsigned count);
bool hosts_receive_fds(int socket, int *fds, unsigned count);

#endif
