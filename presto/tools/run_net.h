/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_TOOLS_RUN_NET_H
#define PRESTO_TOOLS_RUN_NET_H

#include "tools/run_frame.h"

/* A job on several hosts: prestorun's side, and that of the agents on the other hosts. */

struct run_job;
struct run_options;
struct run_rank;

/* What prestorun knows of a host that has an agent. */
struct run_host {
    bool heard;     /* its HELLO has come */
    bool empty;     /* no rank, and nothing of one, is left */
    bool lost;      /* nothing more comes from there */
    char *identity; /* by which it says which machine it is */
    size_t owed[2]; /* bytes of output of its ranks that are not acknowledged yet */
};

/* Standard input of a rank on another host than prestorun's. */
struct run_input {
    bool ended;             /* prestorun: all of it has been read, or the rank has ended */
    size_t under_way;       /* prestorun: bytes that the agent has not written yet */
    int fd;                 /* agent: the pipe to the rank; -1: there is none */
    struct run_bytes bytes; /* agent: for the pipe */
};

/* The other hosts. */
struct run_net {
    int here;                /* number of this host */
    struct run_link *parent; /* of an agent; NULL: this is prestorun */
    int link_count;
    struct run_link *links; /* to the hosts that are started from here */
    struct run_host *hosts; /* [options.host_count], of prestorun */
    const uint8_t *start;   /* the job, as it is sent on */
    size_t start_length;
    size_t credit[2];       /* agent: bytes of output that may be sent */
    bool empty;             /* agent: it has said so */
    bool closing;           /* an agent: it was told to end */
    bool last;              /* no rank of the job is left, and the agents know */
    uint64_t abandon_at_ns; /* hosts that have not answered by then are lost; 0: never */
    struct run_input input;
};

/* The hosts that host `first` starts itself, of the `count` that begin with it: the i-th is the
 * first of *count_i. 0: there are fewer. */
int run_branch(const struct run_options *options, int first, int count, int i, int *count_i);
/* How many hosts begin with this one: itself and all that are reached by it. */
int run_branch_size(const struct run_options *options, int host);

/* The job for agents; false: no memory. The same in the other direction: options and the job's key
 * from what came, which has to stay; NULL, or what is wrong with it. */
bool run_spec_pack(const struct run_job *job, struct run_bytes *bytes);
const char *run_spec_unpack(struct run_job *job, uint8_t *data, size_t length);
void run_spec_free(struct run_job *job);

/* Start the agents. False: there is no memory, which has been said. */
bool run_launch_all(struct run_job *job);
/* A child has ended, perhaps one that runs an agent. */
void run_launch_ended(struct run_job *job, pid_t pid, int status);
/* Do without the agents that have not answered yet, or without any. */
void run_launch_drop(struct run_job *job, bool all);
/* Whether links have closed or are broken: their hosts are lost when what runs the agent has ended.
 */
void run_launch_look(struct run_job *job);
/* Milliseconds until that has to be called again; -1: not at all. */
int run_launch_patience(const struct run_job *job);
/* Have the agents end, with all that is left on their hosts. */
void run_launch_close(struct run_job *job);

/* prestorun on another host: answers prestorun, and does what that says. Its exit status. */
int run_agent(void);
/* By what a host can be told from all others. */
void run_identity(char *text, size_t size);

/* Something has come from below. */
void run_up_read(struct run_job *job, struct run_link *link);
/* Send a frame up, from an agent. */
void run_up(struct run_job *job, enum run_frame_kind kind, int number, const void *data,
            size_t length);
/* Whether an agent may send more of what its ranks say. */
bool run_up_has_room(const struct run_job *job);
/* Nothing is left on this host: say so, once. */
void run_up_empty(struct run_job *job);
/* The hosts of a link are lost. NULL: that is no news. */
void run_up_lost(struct run_job *job, struct run_link *link, const char *message);

/* Something has come from above; something has, and was read. */
void run_down_read(struct run_job *job);
void run_down_take(struct run_job *job);
/* For all agents that were started from here, and theirs. */
void run_down_all(struct run_job *job, enum run_frame_kind kind, int number, const void *data,
                  size_t length);
/* Towards one host. */
void run_down_to(struct run_job *job, int host, enum run_frame_kind kind, int number,
                 const void *data, size_t length);
/* prestorun: acknowledge what has been written, and say that the last rank has ended. */
void run_down_turn(struct run_job *job);

/* An agent sends the records that its ranks have left; prestorun takes a piece, false: it makes no
 * sense. */
void run_record_send(struct run_job *job);
bool run_record_take(struct run_job *job, struct run_rank *rank, const struct run_frame *frame);

/* prestorun reads standard input for a rank of another host; -1: not now. */
int run_input_fd(const struct run_job *job);
void run_input_read(struct run_job *job);
/* An agent has the pipe of such a rank, and what came for it; -1: nothing waits. */
void run_input_open(struct run_job *job);
void run_input_take(struct run_job *job, const uint8_t *data, size_t length);
int run_input_waits_for(const struct run_job *job);
void run_input_write(struct run_job *job);
void run_input_close(struct run_job *job);

#endif
