/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_H
#define PRESTO_H

#include <stddef.h>
#include <stdint.h>

/*
 * Presto: messages between the ranks of a job, thin and fast. The functions of APEnet+ Table 11,
 * which count in words, and what a user misses at once: byte counts, tags, wildcards, probes,
 * collectives, groups.
 *
 *   pr_mgr_t m;
 *   pr_init(&m); ... pr_send(m, 1, buf, n); ... pr_fini(m);
 *
 * A manager is this rank's view of a group of ranks; the one from pr_init is the whole job,
 * pr_split makes others. Ranks are numbered from 0 in each group; messages of different groups
 * never meet.
 *
 * A program is started by prestorun, by mpirun (or any PMIx launcher), alone (a job of one), or has
 * ranks that are threads: pr_threads(n), then n threads call pr_init.
 *
 * Errors: functions return PR_OK or one of PR_ERR_*; pr_error_string has the text. Nothing ends the
 * program. When a rank dies, operations that need it end with PR_ERR_PEER, also receives from any
 * source in groups that it is in; pr_get_failed_rank tells which it was. A collective operation
 * that misses it ends in all ranks that need its data, however indirectly, with PR_ERR_PEER, and in
 * none does it hang.
 *
 * Threads: a rank is used by one thread at a time, unless it was started with pr_init_thread and
 * PR_THREAD_MULTIPLE: then all functions may be called from any thread of the rank, but pr_init and
 * pr_fini; collectives of one manager, and one request, by one thread at a time.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- types ----------------------------------------------------------------------------------- */

typedef struct pr_mgr *pr_mgr_t;
typedef int pr_rank_t;
typedef uint32_t pr_word_t; /* the unit of Table 11's messages: 4 bytes */
typedef double pr_clock_t;  /* microseconds */
typedef double pr_time_t;   /* milliseconds */
typedef struct pr_req *pr_req_t;

#define PR_REQ_NULL ((pr_req_t)0) /* no request: complete at once */

enum pr_error {
    PR_PENDING = -1, /* pr_test: not complete yet */
    PR_OK = 0,
    PR_ERR_ARG = 1,        /* an argument that makes no sense */
    PR_ERR_RANK = 2,       /* no such rank in the group */
    PR_ERR_TAG = 3,        /* not 0 to PR_TAG_MAX, nor PR_ANY_TAG where that is allowed */
    PR_ERR_COUNT = 4,      /* more than memory can have */
    PR_ERR_BUFFER = 5,     /* NULL, but not empty */
    PR_ERR_REQUEST = 6,    /* not a request that can be used so */
    PR_ERR_TRUNCATE = 7,   /* the message was longer than the buffer, which has its beginning */
    PR_ERR_NOMEM = 8,      /* memory has run out, here or at the other side of the message */
    PR_ERR_PEER = 9,       /* the other rank has died or left */
    PR_ERR_FORKED = 10,    /* called in a child of fork() */
    PR_ERR_STATE = 11,     /* not initialised, or finished already */
    PR_ERR_START = 12,     /* pr_init: the reason was printed on stderr */
    PR_ERR_LIMIT = 13,     /* too many groups */
    PR_ERR_OP = 14,        /* no such type or operation */
    PR_ERR_COMM = 15,      /* not a manager */
    PR_ERR_IN_STATUS = 16, /* of several requests: see the status of each */
    PR_ERR_INTERN = 17,
    PR_ERR_MEMORY =
        18, /* a buffer of the message, here or there, is not memory: freed, or shorter than said */
    PR_ERR_REVOKED = 19, /* of communicators of MPI that a rank has revoked */
};

enum {
    PR_ANY_SOURCE = -1,
    PR_ANY_TAG = -1,
    PR_TAG_MAX = INT32_MAX,
    PR_UNDEFINED = -32766, /* color of pr_split: in no group */
};

struct pr_status {
    pr_rank_t source;
    int tag;
    int error;     /* enum pr_error */
    int cancelled; /* 1: by pr_cancel, nothing was received or sent */
    uint64_t bytes;
};

/* A static English text; never NULL, also for values out of range. Thread-safe. */
const char *pr_error_string(int error);

/* The first rank of the job (as the manager of pr_init counts) that is known to have died: *rank;
 * PR_ANY_SOURCE: none is. Thread-safe. */
int pr_get_failed_rank(pr_mgr_t m, pr_rank_t *rank);

/* ---- basic functions (Table 11) -------------------------------------------------------------- */

/* Join the job, once per process or, when ranks are threads, per thread; *m is the manager of all.
 * Waits for all ranks. PR_ERR_STATE: joined already; PR_ERR_START, PR_ERR_NOMEM: the reason was
 * printed on stderr. */
int pr_init(pr_mgr_t *m);
/* Leave it: waits for all ranks. m is the manager of pr_init; all others of the rank are freed with
 * it. */
int pr_fini(pr_mgr_t m);

int pr_get_num_procs(pr_mgr_t m, int *n_procs);
int pr_get_self_rank(pr_mgr_t m, pr_rank_t *rank);

/* A cycle counter, as microseconds since some moment; cheap, to be compared within a thread. */
int pr_get_clock(pr_mgr_t m, pr_clock_t *clk);
/* Its resolution: nanoseconds, at least 1. */
int pr_get_clock_res(pr_mgr_t m, int *clk_res);
/* The time of day: milliseconds since 1970, with a fraction. */
int pr_get_time(pr_mgr_t m, pr_time_t *tm);

/* ---- messages of words (Table 11) ------------------------------------------------------------ */

/* Blocking. A receive takes messages of up to nwords words. Tag 0. */
int pr_send(pr_mgr_t m, pr_rank_t dest, const pr_word_t *buf, size_t nwords);
int pr_recv(pr_mgr_t m, pr_rank_t src, pr_word_t *buf, size_t nwords);
/* From orig to all: each rank calls it. */
int pr_bcst(pr_mgr_t m, pr_rank_t orig, pr_word_t *buf, size_t nwords);

/* Not blocking: *r is the request, to be waited for, tested until complete, or freed. buf stays
 * as it is (receive: is not touched) until then. */
int pr_isend(pr_mgr_t m, pr_rank_t dest, const pr_word_t *buf, size_t nwords, pr_req_t *r);
int pr_irecv(pr_mgr_t m, pr_rank_t src, pr_word_t *buf, size_t nwords, pr_req_t *r);

/* Wait until it is complete, and free it: *r becomes PR_REQ_NULL. Returns how it ended. */
int pr_wait(pr_mgr_t m, pr_req_t *r);
/* All of r[n]; the first error. */
int pr_waitall(pr_mgr_t m, pr_req_t *r, size_t n);
/* PR_PENDING, or it is complete, as by pr_wait. Makes progress. */
int pr_test(pr_mgr_t m, pr_req_t *r);
/* Nobody will wait for it: it ends by itself. *r becomes PR_REQ_NULL. */
int pr_req_free(pr_mgr_t m, pr_req_t *r);

/* Wait until all ranks of the job have called it. Of the calling thread's rank. */
int pr_barrier(void);

/* ---- threads --------------------------------------------------------------------------------- */

enum pr_thread_level {
    PR_THREAD_SINGLE,
    PR_THREAD_FUNNELED,
    PR_THREAD_SERIALIZED,
    PR_THREAD_MULTIPLE,
};

/* pr_init, for a rank with threads. */
int pr_init_thread(pr_mgr_t *m, enum pr_thread_level level);

/* The ranks of the job will be the first n threads of this process that call pr_init: in the order
 * in which they come, or as numbered by pr_thread_rank. n is 1 to 4096. The environment variable
 * PRESTO_THREADS does the same. Where no other thread comes for 60 s, or as many as
 * PRESTO_THREADS_TIMEOUT_S says, pr_init gives up (PR_ERR_START). PR_ERR_STATE: there is a rank
 * already. */
int pr_threads(int n);
/* This thread will be that rank. */
int pr_thread_rank(pr_rank_t rank);

/* ---- messages of bytes, with tags ------------------------------------------------------------ */

/* As above. src may be PR_ANY_SOURCE, a receive's tag PR_ANY_TAG; st may be NULL. */
int pr_send_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes);
int pr_recv_bytes(pr_mgr_t m, pr_rank_t src, int tag, void *buf, size_t bytes,
                  struct pr_status *st);
int pr_isend_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes, pr_req_t *r);
int pr_irecv_bytes(pr_mgr_t m, pr_rank_t src, int tag, void *buf, size_t bytes, pr_req_t *r);
/* Complete when it has been received, or is being received. */
int pr_ssend_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes);
int pr_issend_bytes(pr_mgr_t m, pr_rank_t dest, int tag, const void *buf, size_t bytes,
                    pr_req_t *r);
/* Both at once: two ranks may do so with each other. The two buffers do not overlap. */
int pr_sendrecv_bytes(pr_mgr_t m, pr_rank_t dest, int send_tag, const void *send_buf,
                      size_t send_bytes, pr_rank_t src, int recv_tag, void *recv_buf,
                      size_t recv_bytes, struct pr_status *st);

/* pr_wait and pr_test with a status, which may be NULL; of a send only its error means
 * something. */
int pr_wait_status(pr_mgr_t m, pr_req_t *r, struct pr_status *st);
int pr_test_status(pr_mgr_t m, pr_req_t *r, struct pr_status *st);
/* Wait for one of r[n], which goes to *index; n: all are PR_REQ_NULL. */
int pr_waitany(pr_mgr_t m, pr_req_t *r, size_t n, size_t *index, struct pr_status *st);
/* Cancel a receive that has not matched, or a send whose message nobody has received; it is to be
 * waited for all the same, and status.cancelled tells. Of a send the wait ends when its receiver,
 * who is asked, has made progress, or is gone. Any other request goes on. */
int pr_cancel(pr_mgr_t m, pr_req_t *r);

/* Look for a message that could be received, without receiving it: st->bytes is its length. The
 * first waits for it, the second tells by *found. */
int pr_probe(pr_mgr_t m, pr_rank_t src, int tag, struct pr_status *st);
int pr_iprobe(pr_mgr_t m, pr_rank_t src, int tag, int *found, struct pr_status *st);

/* ---- collective functions -------------------------------------------------------------------- */

/* Each rank of m calls them, all in the same order, with the same lengths, types and roots. */

enum pr_type {
    PR_INT8,
    PR_UINT8,
    PR_INT16,
    PR_UINT16,
    PR_INT32,
    PR_UINT32,
    PR_INT64,
    PR_UINT64,
    PR_FLOAT,
    PR_DOUBLE,
    PR_WORD = PR_UINT32,
};

/* Bitwise and logical ones are for integers. */
enum pr_op { PR_SUM, PR_PROD, PR_MIN, PR_MAX, PR_LAND, PR_LOR, PR_LXOR, PR_BAND, PR_BOR, PR_BXOR };

/* pr_barrier of a group. */
int pr_group_barrier(pr_mgr_t m);
/* pr_bcst in bytes. */
int pr_bcast_bytes(pr_mgr_t m, pr_rank_t root, void *buf, size_t bytes);
/* Combine in[i] of all ranks, for each i below count: out, at the root, at all. in may be out.
 * PR_ERR_OP: there is no such type or operation, or they do not go together. */
int pr_reduce(pr_mgr_t m, pr_rank_t root, const void *in, void *out, size_t count,
              enum pr_type type, enum pr_op op);
int pr_allreduce(pr_mgr_t m, const void *in, void *out, size_t count, enum pr_type type,
                 enum pr_op op);
/* bytes of each rank, one behind the other in order of ranks: to the root, from the root, to
 * all. */
int pr_gather(pr_mgr_t m, pr_rank_t root, const void *in, size_t bytes, void *out);
int pr_scatter(pr_mgr_t m, pr_rank_t root, const void *in, void *out, size_t bytes);
int pr_allgather(pr_mgr_t m, const void *in, size_t bytes, void *out);
/* The i-th bytes of in go to rank i, whose out has ours in place of our rank. */
int pr_alltoall(pr_mgr_t m, const void *in, size_t bytes, void *out);

/* ---- groups ---------------------------------------------------------------------------------- */

/* Ranks with the same color make a group, in order of key, then of rank; *group is
 * NULL for PR_UNDEFINED. All ranks of m call it. */
int pr_split(pr_mgr_t m, int color, int key, pr_mgr_t *group);
/* All ranks of the group call it; not for the manager of pr_init. */
int pr_group_free(pr_mgr_t *group);

/* End the whole job. Its exit status has the low eight bits of code, or is 1 where these are 0.
 * Does not return. m may be NULL. */
int pr_abort(pr_mgr_t m, int code);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
