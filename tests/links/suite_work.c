/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_work.h"

enum kind { WRITE, READ, FETCH, ENQUEUE, COUNT, KINDS };

static enum kind kind_of(unsigned i)
{
    return (enum kind)(i % KINDS);
}

static size_t len_of(unsigned i)
{
    return i % 3 == 0 ? WORK_LONG : i % 3 == 1 ? 100 : 20000;
}

static void consume(void *arg, const struct ni_message_info *message)
{
    (void)message;
    atomic_fetch_add(&((struct work *)arg)->consumed, 1);
}

static void open_regions(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;

    CHECK(ni_region_memory(ni->ni, work->remote, (size_t)WORK_OPS * WORK_LONG, NI_ACCESS_ALL,
                           &work->memory) == NI_OK);
    CHECK(ni_region_consumer(ni->ni, consume, work, 0, &work->queue) == NI_OK);
    CHECK(ni_counter_create(ni->ni, 0, &work->counter) == NI_OK);
}

struct work *work_new(struct suite *suite, unsigned to)
{
    struct work *work = suite_alloc(suite, sizeof(*work));

    work->local = suite_alloc(suite, (size_t)WORK_OPS * WORK_LONG);
    work->remote = suite_alloc(suite, (size_t)WORK_OPS * WORK_LONG);
    work->to = to;
    for (unsigned i = 0; i < WORK_OPS; i++) {
        uint8_t *local = work->local + (size_t)i * WORK_LONG;

        if (kind_of(i) == WRITE) {
            suite_fill(local, len_of(i), i);
        } else if (kind_of(i) == READ) {
            suite_fill(work->remote + (size_t)i * WORK_LONG, len_of(i), i);
        }
    }
    suite_call(suite, to, open_regions, work);
    return work;
}

ni_status work_start_op(struct suite_ni *ni, struct work *work, unsigned i,
                        const struct ni_ack *ack)
{
    uint8_t *local = work->local + (size_t)i * WORK_LONG;
    uint8_t *remote = work->remote + (size_t)i * WORK_LONG;
    struct ni_remote where = suite_remote(remote, &work->memory);
    struct ni_peer *peer = ni->peers[work->to];

    switch (kind_of(i)) {
    case WRITE:
        return ni_write(ni->ni, peer, local, len_of(i), &where, ack);
    case READ:
        return ni_read(ni->ni, peer, local, len_of(i), &where, ack);
    case FETCH:
        return ni_fetch_op(ni->ni, peer, NI_ATOMIC_ADD, 8, 1, 0, &where, ack);
    case ENQUEUE:
        return ni_enqueue(ni->ni, peer, &work->queue, local, 50, ack);
    default:
        return ni_counter_add_remote(ni->ni, peer, &work->counter, 1, ack);
    }
}

/* A completion that starts a fetch, to a peer that may just have died. */
static void start_another(void *arg, ni_status status, uint64_t value)
{
    struct work *work = arg;
    struct suite_done *done = &work->ops[0].done;

    (void)value;
    atomic_store(&done->status, status);
    if (atomic_fetch_add(&done->count, 1) == 0) {
        struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = start_another, .arg = work};

        atomic_fetch_add(&work->refused, work_start_op(work->ni, work, FETCH, &ack) != NI_OK);
    }
}

void work_start(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;
    struct ni_ack flushed = suite_ack(&work->flush);
    ni_status gone = ni_peer_status(ni->peers[work->to]);

    work->ni = ni;
    for (unsigned i = 0; i < WORK_OPS; i++) {
        struct ni_ack ack = suite_ack(&work->ops[i].done);
        ni_status status;

        if (work->again && i == 0) {
            ack = (struct ni_ack){.kind = NI_ACK_CALL, .fn = start_another, .arg = work};
        }
        status = work_start_op(ni, work, i, &ack);
        CHECK(status == gone || status == NI_AGAIN);
        work->ops[i].accepted = status == NI_OK;
    }
    CHECK(ni_flush(ni->ni, ni->peers[work->to], &flushed) == NI_OK);
}

bool work_is_done(void *arg)
{
    struct work *work = arg;

    for (int i = 0; i < WORK_OPS; i++) {
        if (work->ops[i].accepted && atomic_load(&work->ops[i].done.count) == 0) {
            return false;
        }
    }
    return atomic_load(&work->flush.count) != 0;
}

/* What an operation that succeeded has left behind. */
static bool is_there(const struct work *work, unsigned i)
{
    const uint8_t *local = work->local + (size_t)i * WORK_LONG;
    const uint8_t *remote = work->remote + (size_t)i * WORK_LONG;
    uint64_t word;

    switch (kind_of(i)) {
    case WRITE:
        return suite_filled(remote, len_of(i), i);
    case READ:
        return suite_filled(local, len_of(i), i);
    case FETCH:
        memcpy(&word, remote, sizeof(word));
        return word == 1 || work->again;
    default:
        return true;
    }
}

unsigned work_check(struct suite *suite, struct work *work, ni_status expected)
{
    unsigned failed = 0;

    suite_until(suite, work_is_done, work);
    suite_rest(suite);
    for (unsigned i = 0; i < WORK_OPS; i++) {
        const struct work_op *op = &work->ops[i];
        ni_status status = (ni_status)atomic_load(&op->done.status);

        CHECK(atomic_load(&op->done.count) == op->accepted || (work->again && i == 0));
        CHECK(status == NI_OK || status == expected);
        CHECK(!op->accepted || status != NI_OK || is_there(work, i));
        failed += status == expected;
    }
    CHECK(atomic_load(&work->flush.count) == 1);
    return failed;
}
