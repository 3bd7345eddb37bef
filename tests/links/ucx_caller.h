/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_UCX_CALLER_H
#define TESTS_LINKS_UCX_CALLER_H

#include <apeni/apeni.h>

#include "link/ucx/ucx.h"

/* Somebody who speaks to the ucx link of an NI by UCX alone, with or without the keys. */

enum { CALLER_JOB_KEY = 77, CALLER_LIMIT_S = 20 };

struct caller {
    ucp_worker_h worker;
    ucp_ep_h ep;
    struct ni *ni; /* whom it calls */
    struct ni_ucx_blob blob;
    struct ni_ucx_blob own;
    uint64_t token; /* that it got with a welcome */
    bool said_bye;
};

_Noreturn void caller_fail(const char *file, int line, const char *what);

#define CHECK(condition) ((condition) ? (void)0 : caller_fail(__FILE__, __LINE__, #condition))

uint64_t caller_stat(const struct ni *ni, const char *name);
/* Let both move. */
void caller_turn(struct caller *caller);
/* ... until a statistic of the NI has reached a value. */
void caller_until(struct caller *caller, const char *name, uint64_t value);

/* Connect to an NI, without a word. */
void caller_call(struct caller *caller, struct ni *ni);
void caller_hang_up(struct caller *caller);
/* Send an active message. Errors are the callee's doing: it may hang up on us. */
void caller_say(struct caller *caller, const void *header, size_t header_len, const void *data,
                size_t len);
struct ni_ucx_head caller_head(const struct caller *caller, enum ni_ucx_type type);
struct ni_ucx_hello caller_hello(const struct caller *caller, uint64_t key);
void caller_say_this_hello(struct caller *caller, const struct ni_ucx_hello *hello);
void caller_say_hello(struct caller *caller, uint64_t key, uint64_t job_key);
/* Connect as one of the job, until welcome. */
void caller_join(struct caller *caller, struct ni *ni);

/* An NI for callers of job CALLER_JOB_KEY. */
struct ni *caller_open_ni(void);
/* Whether it works still, for those that keep to the rules. */
void caller_check_usable(struct ni *ni);

#endif
