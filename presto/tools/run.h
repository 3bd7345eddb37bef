/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_TOOLS_RUN_H
#define PRESTO_TOOLS_RUN_H

#include <getopt.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <apeni/ni.h>

#include "core/wire_up.h"
#include "tools/run_bind.h"
#include "tools/run_net.h"
#include "tools/run_world.h"

/*
 * prestorun: starts the ranks of a job, tells them each other's addresses, passes on what they
 * print and what signals it gets, and ends them all when one fails. By files:
 *
 *   run_options   the command line              run_wire     addresses
 *   run_values    their values                  run_help     what --help prints
 *   run_foreign   options of other launchers    run_output   what ranks print
 *   run_bind      processors                    run_loop     waiting, and time
 *   run_spawn     sockets and pipes of ranks    run_poll     what is waited for
 *   run_child     what a rank begins with       run_signals  what signals do to us
 *   run_guard     the ranks' parent             run_end      how ranks and the job end
 *   run_world     ranks that come later         run_serve    what ranks ask for
 *   run_numbers   numbers that ranks have       run_names    names that ranks publish
 *   run_tree      what ranks have started       run_report   the record of what ranks did
 *
 * On each other host an agent, prestorun itself, has the ranks' pipes, sockets and parent. It
 * decides nothing: what comes from its ranks it passes on to prestorun, and what that says to them.
 *
 *   run_place     which rank is on which host   run_frame    what hosts tell each other
 *   run_remote    how agents are started        run_record   records of ranks elsewhere
 *   run_launch    the agents are started        run_up       towards prestorun
 *   run_agent     an agent begins               run_down     towards the agents
 *   run_spec      what it is to do              run_input    standard input of a rank elsewhere
 *
 * Nothing is left behind, also if prestorun is killed: see run_guard.c. Programs that have joined
 * the job end with their sockets (core/launch_prestorun.c), also if both are killed at once.
 */

enum {
    RUN_MAX_RANKS = 4096,
    RUN_LINE_MAX = 65536,
    RUN_NOBODY = -1,
    RUN_ELSEWHERE = -2, /* instead of a descriptor: another host has it */
    RUN_FOREIGN_MAX = 40,
    RUN_FANOUT = 32, /* hosts that each starts itself, unless told otherwise */
};

/* A place in a list of hosts. */
struct run_slot {
    char *host;
    int slots;
};

struct run_slots {
    int count, next, taken; /* the next rank comes to slot[next], which has so many */
    struct run_slot *slot;
};

/* Some ranks of the job, which run one command. */
struct run_app {
    int number; /* MPI_APPNUM */
    int ranks;
    int per_host;            /* of -N; 0: not said */
    struct run_slots *slots; /* of --host or --hostfile, or those of the command before; NULL */
    char *folder;            /* where it begins, the whole path */
    int directory;           /* the same, opened; -1: it is here */
    size_t variable_count;
    const char **variables; /* NAME=VALUE */
    char **command;         /* NULL-terminated */
};

struct run_options {
    int app_count;
    struct run_app *apps; /* in the order of their ranks */
    int ranks;            /* of all */
    int reader;           /* rank that reads standard input; RUN_NOBODY */
    bool merge;
    bool tag_output;
    bool keep_going;
    bool verbose;
    enum run_bind bind;
    double timeout; /* seconds; 0: none */
    char *report;   /* the file for the record of what ranks do; NULL: none */
    bool by_node;   /* ranks one after the other on each host in turn */
    /* Host 0 is that of prestorun, whether it has ranks or not; all others have some. */
    int host_count;
    char **hosts;       /* [host_count] */
    int *host_of;       /* [ranks] */
    char **launcher;    /* words in front of a host's name, NULL-terminated */
    char *program;      /* prestorun on the other hosts */
    int fanout;         /* hosts that each starts itself */
    char **environment; /* NAME=VALUE for the ranks of other hosts, NULL-terminated */
};

/* One of a rank's two outputs. */
struct run_stream {
    int fd; /* -1: closed; RUN_ELSEWHERE */
    bool is_error;
    size_t used;
    char *data; /* [RUN_LINE_MAX], allocated when something comes */
};

/* Where what they print goes: our own output. */
struct run_sink {
    int fd;
    bool dead;                        /* nothing can be written there */
    const struct run_stream *unended; /* whose line has been written in part */
    size_t used, room;
    char *data; /* what waits to be taken */
};

struct run_rank {
    int number;
    const struct run_app *app;
    int host, nth; /* of the ranks there, from 0 */
    pid_t pid;     /* 0: has ended, or is on another host */
    pid_t was;     /* its pid, for messages; 0: not known yet */
    bool ended;
    int wire; /* -1: closed; RUN_ELSEWHERE */
    bool hello, bye;
    bool recorded; /* its record has come from another host */
    uint32_t blob_length;
    uint8_t blob[NI_BLOB_MAX];
    struct run_world *world;
    uint64_t *knows; /* bits: ranks of other worlds, by number; NULL: none */
    int known_by;    /* ranks of other worlds, that live */
    size_t told;     /* bytes of the table that it has been sent */
    bool asks;       /* it waits for an answer */
    uint8_t *question, *reply;
    size_t question_length, reply_length, replied; /* bytes; of the reply, and sent of it */
    size_t got;                                    /* bytes of a message */
    uint8_t message[sizeof(struct pri_wire_head) + NI_BLOB_MAX];
    struct run_stream out, err;
};

/* What a rank inherits: its ends of socket and pipes. */
struct run_ends {
    int wire, out, err;
};

/* The ranks' parent, see run_guard.c. */
struct run_guard {
    int fd;      /* -1: there is none */
    pid_t pid;   /* 0: likewise */
    pid_t was;   /* its pid, for messages */
    pid_t group; /* process group of the ranks: prestorun's */
    int life;    /* a pipe's end: prestorun's to close, the guard's for the ranks to see that */
};

struct run_pids {
    pid_t *pid;
    size_t count, room;
};

struct run_job {
    struct run_options options;
    struct run_net net;
    char key[17];           /* of the job, in hexadecimal digits */
    int cores;              /* processors that the ranks of this host share */
    struct run_rank *ranks; /* [options.ranks]: more come to the end, where no other host is */
    struct run_world *worlds;
    /* Told of a world that is over, before its numbers are given again; NULL: nobody is. */
    void (*world_over)(const struct run_job *job, const struct run_world *world);
    struct run_name *names;
    struct run_guard guard;
    struct run_pids strangers;          /* children that are no ranks' */
    int alive, hellos, opened;          /* ranks: of all hosts, for an agent of its own */
    int numbers;                        /* that ranks may have at a time */
    int jobs;                           /* worlds that there have been */
    unsigned refused;                   /* messages of ranks that made no sense */
    bool over;                          /* ranks were told to end */
    bool killed;                        /* ranks were killed */
    int code;                           /* exit status */
    uint64_t kill_at_ns, timeout_at_ns; /* 0: never */
    uint64_t give_up_at_ns;             /* waiting for somebody to take the output; 0: never */
    struct run_sink sinks[2];           /* stdout, stderr */
    bool one_sink; /* they are the same pipe or terminal: only the first is used */
};

/* Say that memory has run out, before ranks are there, and exit. */
_Noreturn void run_no_memory(void);

/* Parse; prints help or what is wrong and exits if there is nothing to run. A single command has as
 * many ranks as processors unless it says otherwise. Keeps addresses of argv, and writes there. */
void run_options_parse(int argc, char **argv, int processors, struct run_options *options);
void run_options_free(struct run_options *options);
extern const char run_help[];

/* Values of options; what makes no sense is refused, with what is wanted. */
int run_value_number(const char *option, const char *text, int least, int most, const char *wanted);
int run_value_reader(const char *text);
double run_value_seconds(const char *text);
enum run_bind run_value_bind(const char *text);
/* The whole path of a file that was named from here, allocated. */
char *run_whole_path(const char *name);
/* Say what is wrong with an option (value may be empty), and exit. */
_Noreturn void run_options_refuse(const char *option, const char *value, const char *wanted);
/* The same of what the job does not depend on. Called as mpirun or mpiexec, by scripts that know no
 * Presto, it is ignored with a line. */
void run_options_doubt(const char *option, const char *value, const char *wanted);

/* Options of other launchers that prestorun lacks, for getopt, with NULL at the end; they have the
 * numbers from `first` on. */
void run_foreign_options(struct option to[RUN_FOREIGN_MAX + 1], int first);
/* The one with number first + i, with what is behind it from argv[behind] on; valued: a value is in
 * it already. Refuses it, or, if it is ignored, returns where the next word is. */
int run_foreign_option(int i, char **argv, int behind, bool valued);
/* Whether ranks are to be placed on the hosts in turn; refuses what is neither that nor one rank
 * after the other. */
bool run_is_by_node(const char *text);
/* Places from a list of names, each perhaps with a number behind it; from a file of such lines. */
struct run_slots *run_slots_of_list(const char *option, const char *list);
struct run_slots *run_slots_of_file(const char *option, const char *name);
void run_slots_free(struct run_slots *slots);
/* How many ranks a command has if it does not say so; 0: it has to. */
int run_slots_ranks(const struct run_app *app);
/* Say on which host each rank is. */
void run_place_all(struct run_options *options);
void run_place_free(struct run_options *options);

/* How prestorun is started on other hosts: by a command line in front of the host's name, in a
 * folder DIRECTORY/bin. What is not said yet is as it is by default; and the ranks' environment
 * there. */
void run_remote_launcher(struct run_options *options, const char *command);
void run_remote_prefix(struct run_options *options, const char *directory);
void run_remote_complete(struct run_options *options);
void run_remote_free(struct run_options *options);

/* Ranks of the job, of which none has begun. */
void run_open_ranks(struct run_job *job);
void run_open_rank(struct run_job *job, int i, const struct run_app *app, int host,
                   struct run_world *world);
bool run_has_ranks(const struct run_job *job, int host);
/* Start the guard, the agents that are started from here, and the ranks of this host; false: said
 * why. */
bool run_spawn_all(struct run_job *job);
/* Have the guard start one more, and not wait for it; false: errno says why not. */
bool run_spawn_ask(struct run_job *job, struct run_rank *rank);

/* What --report's file is called for the world of this number, %j still in it. */
void run_child_report(char *name, size_t size, const char *pattern, int job);
/* Become a rank, a child of parent; or write the reason why not, an errno, to trouble (-1: say it)
 * and exit. */
_Noreturn void run_child(const struct run_job *job, const struct run_rank *rank,
                         const struct run_ends *ends, pid_t parent, int trouble);

/* What the guard does until prestorun closes its end of the socket (run_guarding.c). */
_Noreturn void run_guard_be(struct run_job *job, int fd);
/* Start the guard; false: said why. Then spawn for each rank, which returns its pid, or -1 with the
 * reason in errno, and when that is done, or has failed, watch. */
bool run_guard_open(struct run_job *job);
pid_t run_guard_spawn(struct run_job *job, int rank, const struct run_ends *ends);
void run_guard_watch(struct run_job *job);
/* From then on: it has to know the world first. run_serve_started is called later. False: errno. */
bool run_guard_tell_world(struct run_job *job, const struct run_world *world);
bool run_guard_ask(struct run_job *job, int rank, const struct run_ends *ends);
/* So many ranks from one on, and what they have started. */
void run_guard_kill(struct run_job *job, int rank, int count);
/* A signal for all ranks and what they have started, but for the process group `but` (0: none). */
void run_guard_signal(struct run_job *job, int signal, pid_t but);
/* Its socket can be read: take ends of ranks, or its own. */
void run_guard_read(struct run_job *job);
/* Collect children of our own that have ended. */
void run_guard_reap(struct run_job *job);
/* Kill what the ranks have left, and wait for the guard. */
void run_guard_close(struct run_job *job);

/* Before there are ranks: what is our child already, from before exec, is none of theirs. Nor is
 * pid, from pass_over on. */
void run_tree_begin(struct run_job *job);
void run_tree_pass_over(struct run_job *job, pid_t pid);
/* A signal for ranks, and for what they have started; those of the process group `but` have had it,
 * 0: nobody has. */
void run_tree_signal(const struct run_job *job, int signal, pid_t but);
/* Kill a process and what it has started. */
void run_tree_kill(const struct run_job *job, pid_t pid);
/* Whether a rank, or what one has started, is still there. */
bool run_tree_left(const struct run_job *job);
/* It has ended, and its pid means nothing any more. */
void run_tree_forget(struct run_job *job, pid_t pid);
/* Kill them, and wait for those that are ours. */
void run_tree_sweep(struct run_job *job);

/* A rank has said these bytes. */
void run_wire_take(struct run_job *job, struct run_rank *rank, const uint8_t *data, size_t length);
/* Have all ranks of a world on this host, and those that are started from here, sent the table. */
void run_wire_tell(struct run_job *job, struct run_world *world);
/* Something can be read from a rank's socket. */
void run_wire_read(struct run_job *job, struct run_rank *rank);
/* Whether it is to be called when something can be written there; it goes on with the table of
 * addresses. */
bool run_wire_waits(const struct run_job *job, const struct run_rank *rank);
void run_wire_write(struct run_job *job, struct run_rank *rank);
/* Read all that is there. */
void run_wire_drain(struct run_job *job, struct run_rank *rank);

/* Where output goes; before there is any. */
void run_output_open(struct run_job *job);
void run_output_close(struct run_job *job);
/* A message of our own, of up to 511 bytes; behind what the ranks have said. */
void run_say(struct run_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether something waits to be taken; the descriptor of stdout (0) or stderr (1) if something
 * waits for that, else -1. */
bool run_output_waits(const struct run_job *job);
int run_output_waits_for(const struct run_job *job, int which);
/* Write what is taken now of what waits. */
void run_output_write(struct run_job *job);
/* Nobody will take what waits, or what comes. */
void run_output_give_up(struct run_job *job);
/* Whether something may be read from a stream: it is open, and all before it is written. */
bool run_output_takes(const struct run_job *job, const struct run_stream *stream);
/* Whether nothing of an output waits to be taken, or ever will be. */
bool run_output_is_written(const struct run_job *job, bool is_error);
/* A rank has printed these bytes; none: that was the end. */
void run_output_take(struct run_job *job, struct run_rank *rank, struct run_stream *stream,
                     const uint8_t *data, size_t length);
/* No more comes. */
void run_output_end(struct run_job *job, struct run_rank *rank, struct run_stream *stream);
/* Something can be read; everything is to be written that is there. */
void run_output_read(struct run_job *job, struct run_rank *rank, struct run_stream *stream);
void run_output_flush(struct run_job *job, struct run_rank *rank, struct run_stream *stream);
/* Whether part of a line waits for its end, and for nothing else. */
bool run_output_is_partial(const struct run_job *job, const struct run_stream *stream);

/* A rank's number, pid and, if there are several, host, for messages. */
struct run_who {
    char text[160];
};
struct run_who run_who(const struct run_job *job, const struct run_rank *rank);
/* A process of this host has ended, perhaps a rank. */
void run_end_of(struct run_job *job, pid_t pid, int status);
/* A rank has begun, or ended. */
void run_end_begun(struct run_job *job, struct run_rank *rank, pid_t pid);
void run_end_rank(struct run_job *job, struct run_rank *rank, int status);
/* The host, and the count - 1 behind it, are gone, and the ranks there; the message says why, NULL:
 * it is no news. */
void run_end_hosts(struct run_job *job, int first, int count, const char *message);
/* The guard has been killed, and so have the ranks. */
void run_end_without_guard(struct run_job *job);
/* The job has failed, with this exit code: end all ranks by a signal (0: they have had it), and
 * kill them 2 s later. The first one to call it says so. */
void run_end_all(struct run_job *job, int code, int signal);
/* The same, as somebody does not want to wait: output that nobody takes is given up 2 s later. */
void run_end_soon(struct run_job *job, int code, int signal);
void run_end_kill(struct run_job *job);
/* A signal for all ranks, and for what they have started. */
void run_end_signal(struct run_job *job, int signal);
/* The same for those that have not had it from the terminal, which signals our process group. */
void run_end_signal_others(struct run_job *job, int signal);

/* A world is over. Where no rank 0 has come to its end to write the file, have the records that its
 * ranks have left in memory written there. */
void run_report_end(const struct run_job *job, const struct run_world *world);

/* Have signals come through a descriptor, from here on; for an agent, only of its children's end.
 * -1: said why. */
int run_signals_open(bool agent);
/* One has come. */
void run_signals_take(struct run_job *job, int signals);
/* What a rank begins with: those that are passed on end it unless it wants otherwise. */
void run_signals_reset(void);

/* What is waited for, each with what is to be done then. */
struct run_polls {
    nfds_t used, room;
    struct pollfd *fd;
    struct run_seat {
        void (*serve)(struct run_job *job, void *what, short events);
        void *what;
    } * seat;
};
bool run_polls_open(struct run_polls *polls, const struct run_job *job);
void run_polls_close(struct run_polls *polls);
/* All that there is to wait for now. */
void run_polls_list(struct run_job *job, int *signals, struct run_polls *polls);

/* Until all is over, nothing of the ranks is left, and what they said is written; the exit
 * status. */
int run_loop(struct run_job *job, int signals);

#endif
