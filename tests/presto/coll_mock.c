/* SPDX-License-Identifier: BSD-3-Clause */
/* See coll_mock.h. */
#include "coll_mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll_cases.h"

enum { RANKS = COLL_CASE_RANKS, SHORT_BYTES = 200 };

struct message {
    struct ni_list link; /* in flight from a rank to another, or unexpected at the other */
    int source;
    struct pri_where where;
    size_t bytes;
    char *copy; /* NULL: long, the data is still the sender's */
    const void *buf;
    const struct pri_vec *vec;
    struct pri_request *request; /* the sender's, if not complete */
};

struct receive {
    struct ni_list link;
    struct pri_where where;
    void *buf;
    const struct pri_vec *vec;
    size_t bytes;
    struct pri_request *request;
};

static struct {
    struct pri_rank rank[RANKS];
    struct ni_list flight[RANKS][RANKS], unexpected[RANKS], posted[RANKS], tasks[RANKS];
    void (*stop[RANKS])(struct pri_rank *self, void *arg);
    void *stop_arg[RANKS];
    int ranks;
    uint64_t seed;
    size_t buffers, fail_in; /* fail_in: 0, none */
    bool failed;
} mock;

static void *get(size_t bytes)
{
    void *memory = malloc(bytes + 1);

    if (memory == NULL) {
        fprintf(stderr, "mock: no memory for %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

void mock_begin(int ranks, uint64_t seed)
{
    memset(&mock, 0, sizeof mock);
    mock.ranks = ranks;
    mock.seed = seed;
    for (int r = 0; r < ranks; r++) {
        mock.rank[r].rank = r;
        mock.rank[r].size = ranks;
        ni_list_init(&mock.tasks[r]);
        ni_list_init(&mock.unexpected[r]);
        ni_list_init(&mock.posted[r]);
        for (int s = 0; s < ranks; s++) {
            ni_list_init(&mock.flight[r][s]);
        }
    }
}

bool mock_end(void)
{
    bool clean = true;

    for (int r = 0; r < mock.ranks; r++) {
        clean = clean && ni_list_empty(&mock.unexpected[r]) && ni_list_empty(&mock.posted[r]) &&
                ni_list_empty(&mock.tasks[r]);
        for (int s = 0; s < mock.ranks; s++) {
            clean = clean && ni_list_empty(&mock.flight[r][s]);
        }
        if (mock.stop[r] != NULL) {
            mock.stop[r](&mock.rank[r], mock.stop_arg[r]);
        }
    }
    if (!clean || mock.buffers != 0) {
        fprintf(stderr, "mock: %s, %zu buffers are left\n",
                clean ? "all messages have arrived" : "messages or receives are left over",
                mock.buffers);
        return false;
    }
    return true;
}

void mock_fail(size_t nth)
{
    mock.fail_in = nth;
}

bool mock_failed(void)
{
    return mock.failed;
}

struct pri_rank *mock_rank(int rank)
{
    return &mock.rank[rank];
}

/* ---- messages -------------------------------------------------------------------------------- */

static void complete(struct pri_request *request, int error, int source)
{
    request->status.error = error;
    request->status.source = source;
    atomic_store_explicit(&request->state, PRI_REQ_DONE, memory_order_release);
}

/* A receive and a message that have met end; their memory, too. */
static void end(struct message *m, struct receive *r, int error)
{
    if (m->request != NULL) {
        complete(m->request, error, 0);
    }
    if (error == PRI_OK && m->bytes != r->bytes) {
        error = PRI_ERR_TRUNCATE;
    }
    complete(r->request, error, m->where.as);
    free(m);
    free(r);
}

static void hand_over(struct message *m, struct receive *r)
{
    size_t bytes = m->bytes < r->bytes ? m->bytes : r->bytes;
    char *data = m->copy;

    if (mock.fail_in != 0 && --mock.fail_in == 0) {
        mock.failed = true;
        free(data);
        end(m, r, PRI_ERR_NOMEM);
        return;
    }
    if (data == NULL) {
        data = get(m->bytes);
        if (m->vec != NULL) {
            m->vec->pack(m->vec, data, m->bytes);
        } else if (m->bytes > 0) {
            memcpy(data, m->buf, m->bytes);
        }
    }
    if (r->vec != NULL) {
        r->vec->unpack(r->vec, data, bytes);
    } else if (bytes > 0) {
        memcpy(r->buf, data, bytes);
    }
    free(data);
    end(m, r, PRI_OK);
}

static bool matches(const struct message *m, const struct receive *r)
{
    return m->source == r->where.peer && m->where.tag == r->where.tag &&
           m->where.context == r->where.context;
}

static void arrive(struct message *m)
{
    int to = m->where.peer;

    ni_list_remove(&m->link);
    for (struct ni_list *at = mock.posted[to].next; at != &mock.posted[to]; at = at->next) {
        struct receive *r = ni_container_of(at, struct receive, link);

        if (matches(m, r)) {
            ni_list_remove(at);
            hand_over(m, r);
            return;
        }
    }
    ni_list_push_back(&mock.unexpected[to], &m->link);
}

static int send_any(struct pri_rank *self, const void *buf, const struct pri_vec *vec, size_t bytes,
                    struct pri_where to, struct pri_request *request)
{
    struct message *m = get(sizeof *m);

    *m = (struct message){.source = self->rank,
                          .where = to,
                          .bytes = bytes,
                          .buf = buf,
                          .vec = vec,
                          .request = request};
    ni_list_init(&m->link);
    request->is_recv = false;
    request->state = PRI_REQ_PENDING;
    if (bytes <= SHORT_BYTES) {
        m->copy = get(bytes);
        if (vec != NULL) {
            vec->pack(vec, m->copy, bytes);
        } else if (bytes > 0) {
            memcpy(m->copy, buf, bytes);
        }
        if (coll_random(&mock.seed, 2) == 0) {
            complete(request, PRI_OK, 0);
            m->request = NULL;
        }
    }
    ni_list_push_back(&mock.flight[self->rank][to.peer], &m->link);
    return PRI_OK;
}

static int recv_any(struct pri_rank *self, void *buf, const struct pri_vec *vec, size_t bytes,
                    struct pri_where from, struct pri_request *request)
{
    struct receive *r = get(sizeof *r);
    struct ni_list *list = &mock.unexpected[self->rank];

    *r =
        (struct receive){.where = from, .buf = buf, .vec = vec, .bytes = bytes, .request = request};
    ni_list_init(&r->link);
    request->is_recv = true;
    request->state = PRI_REQ_PENDING;
    for (struct ni_list *at = list->next; at != list; at = at->next) {
        struct message *m = ni_container_of(at, struct message, link);

        if (matches(m, r)) {
            ni_list_remove(at);
            hand_over(m, r);
            return PRI_OK;
        }
    }
    ni_list_push_back(&mock.posted[self->rank], &r->link);
    return PRI_OK;
}

int pri_isend(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
              enum pri_mode mode, struct pri_request *request)
{
    (void)mode;
    return send_any(self, buf, NULL, bytes, to, request);
}

int pri_isendv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where to,
               enum pri_mode mode, struct pri_request *request)
{
    (void)mode;
    return send_any(self, NULL, vec, bytes, to, request);
}

int pri_irecv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
              struct pri_request *request)
{
    return recv_any(self, buf, NULL, bytes, from, request);
}

int pri_irecvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
               struct pri_where from, struct pri_request *request)
{
    return recv_any(self, NULL, vec, bytes, from, request);
}

static _Noreturn void no_waiting(void)
{
    fprintf(stderr, "mock: a blocking call, but nobody else could go on\n");
    abort();
}

int pri_send(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
             enum pri_mode mode)
{
    (void)self, (void)buf, (void)bytes, (void)to, (void)mode;
    no_waiting();
}

int pri_recv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
             struct pri_status *status)
{
    (void)self, (void)buf, (void)bytes, (void)from, (void)status;
    no_waiting();
}

int pri_wait(struct pri_request *request)
{
    (void)request;
    no_waiting();
}

void pri_request_null(struct pri_rank *self, struct pri_request *request)
{
    memset(request, 0, sizeof *request);
    request->rank = self;
    request->state = PRI_REQ_DONE;
}

/* ---- progress -------------------------------------------------------------------------------- */

void pri_context_tell(const struct pri_rank *self, uint32_t context, char *text, size_t size)
{
    (void)self;
    snprintf(text, size, "communicator %u", (unsigned)context);
}

void pri_request_complete(struct pri_request *request)
{
    /* release, with the acquire in pri_done */
    atomic_store_explicit(&request->state, PRI_REQ_DONE, memory_order_release);
}

void pri_task_add(struct pri_rank *self, struct pri_task *task)
{
    ni_list_init(&task->link);
    ni_list_push_back(&mock.tasks[self->rank], &task->link);
}

static void advance_all(struct ni_list *tasks)
{
    struct ni_list *at = tasks->next;

    while (at != tasks) {
        struct pri_task *task = ni_container_of(at, struct pri_task, link);

        at = at->next;
        if (task->advance(task)) {
            ni_list_remove(&task->link);
            task->finished(task);
        }
    }
}

void mock_step(void)
{
    int from = (int)coll_random(&mock.seed, (unsigned)mock.ranks);

    for (int i = 0; i < mock.ranks; i++) {
        int to = (int)coll_random(&mock.seed, (unsigned)mock.ranks);
        struct ni_list *list = &mock.flight[from][to];

        if (!ni_list_empty(list)) {
            arrive(ni_container_of(list->next, struct message, link));
        }
    }
    advance_all(&mock.tasks[coll_random(&mock.seed, (unsigned)mock.ranks)]);
}

/* ---- what else the core does ----------------------------------------------------------------- */

/* Nobody dies here, and nobody receives from any source. */
int pri_context_members(struct pri_rank *self, uint32_t context, const int *ranks, int size)
{
    (void)self;
    (void)context;
    (void)ranks;
    (void)size;
    return PRI_OK;
}

int pri_lost(const struct pri_rank *self)
{
    (void)self;
    return -1;
}

void pri_lost_note(struct pri_rank *self, int rank)
{
    (void)self;
    (void)rank;
}

bool pri_context_revoked(struct pri_rank *self, uint32_t context)
{
    (void)self;
    (void)context;
    return false;
}

int pri_at_stop(struct pri_rank *self, void (*fn)(struct pri_rank *self, void *arg), void *arg)
{
    mock.stop[self->rank] = fn;
    mock.stop_arg[self->rank] = arg;
    return PRI_OK;
}

void *pri_buffer_get(struct pri_rank *self, size_t bytes)
{
    (void)self;
    mock.buffers++;
    return get(bytes);
}

void pri_buffer_put(struct pri_rank *self, void *buffer)
{
    (void)self;
    mock.buffers -= buffer != NULL;
    free(buffer);
}
