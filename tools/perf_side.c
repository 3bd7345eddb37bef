/* SPDX-License-Identifier: BSD-3-Clause */
/* One NI and its only peer. */
#include "perf_side.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/bits.h"
#include "engine/drive/progress.h"

enum {
    PATIENCE = 20000, /* empty polls; half a millisecond, more than any wait on a quiet machine */
    PATIENCE_CROWD = 20, /* where sides share a core */
    SILENCE_S = 20,      /* without any event while one is awaited: the other side hangs */
};

/* ---- consumers ------------------------------------------------------------------------------- */

static void on_data(void *arg, const struct ni_message_info *message)
{
    struct perf_side *side = arg;

    if (NI_UNLIKELY(message->len > side->capacity)) {
        perf_fail("a message of %u bytes came; the longest one sent has %llu", message->len,
                  (unsigned long long)side->capacity);
    }
    /* As a user would, who cannot keep it in the ring. */
    memcpy(side->sink, message->data, message->len);
    side->received++;
}

static void on_control(void *arg, const struct ni_message_info *message)
{
    struct perf_side *side = arg;
    struct perf_control control;

    if (message->len != sizeof(control)) {
        perf_fail("a control message of %u bytes came instead of %zu", message->len,
                  sizeof(control));
    }
    memcpy(&control, message->data, sizeof(control));
    if (control.what == PERF_DONE || control.what == PERF_VERDICT) {
        side->answer = control;
    } else {
        side->todo = control;
    }
}

void perf_on_ack(void *arg, ni_status status, uint64_t value)
{
    struct perf_side *side = arg;

    if (NI_UNLIKELY(status != NI_OK)) {
        perf_fail("a transfer of %llu bytes failed: %s", (unsigned long long)side->size,
                  ni_status_text(status));
    }
    side->ack_value = value;
    side->completed++;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void check_status(ni_status status, const char *what)
{
    if (status != NI_OK) {
        perf_fail("%s: %s", what, ni_status_text(status));
    }
}

/* The word, the source and the sink, each on pages of its own, in one region. */
static void make_memory(struct perf_side *side, uint64_t capacity)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t each = ni_align_up(capacity, page);
    uint8_t *base;

    side->capacity = capacity;
    side->memory_len = page + 2 * each;
    base = mmap(NULL, side->memory_len, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (base == MAP_FAILED) {
        perf_fail("no memory for two buffers of %llu bytes in each process (%s): choose smaller "
                  "sizes with -m",
                  (unsigned long long)capacity, strerror(errno));
    }
    side->memory = base;
    side->word = (_Atomic uint64_t *)(void *)base;
    side->source = base + page;
    side->sink = base + page + each;
    memset(side->source, 1, each);
}

void perf_side_open(struct perf_side *side, struct ni_fabric *fabric, uint64_t capacity,
                    unsigned processes, unsigned cores)
{
    struct ni_open_attr attr = {.fabric = fabric,
                                .host_processes = processes,
                                .host_cores = cores,
                                .host_key = side->host_key};
    struct perf_hello *ours = &side->ours;
    struct ni_rkey key;

    side->patience = fabric == NULL && processes <= cores ? PATIENCE : PATIENCE_CROWD;
    make_memory(side, capacity);
    check_status(ni_open(&attr, &side->ni), "cannot open a network interface");
    check_status(ni_region_consumer(side->ni, on_data, side, 0, &key), "cannot make a queue");
    ours->data = key.handle;
    check_status(ni_region_consumer(side->ni, on_control, side, 0, &key), "cannot make a queue");
    ours->control = key.handle;
    check_status(
        ni_region_memory(side->ni, side->memory, side->memory_len, NI_ACCESS_ALL, &ours->memory),
        "cannot register memory");
    ours->word = (uintptr_t)side->word;
    ours->source = (uintptr_t)side->source;
    ours->sink = (uintptr_t)side->sink;
    ours->blob_len = ni_address(side->ni, ours->blob, sizeof(ours->blob));
}

void perf_side_connect(struct perf_side *side, const struct perf_hello *theirs)
{
    char why[256] = "";

    side->theirs = *theirs;
    if (!ni_reachable(side->ni, theirs->blob, theirs->blob_len, why, sizeof(why))) {
        perf_fail("the other side cannot be reached: %s", why);
    }
    check_status(ni_connect(side->ni, theirs->blob, theirs->blob_len, &side->peer),
                 "cannot connect to the other side");
}

void perf_side_close(struct perf_side *side)
{
    ni_close(side->ni);
    munmap(side->memory, side->memory_len);
}

void perf_side_reset(struct perf_side *side, const struct perf_cell *cell)
{
    side->received = side->replied = side->issued = side->completed = 0;
    side->rounds = side->rounds_done = 0;
    side->size = cell->size;
    side->window = cell->window;
    side->rewrite = cell->rewrite;
    side->late = false;
    side->deadline = ni_now_ns() + cell->limit_ns;
    side->empty = 0;
    side->todo.what = side->answer.what = PERF_NOTHING;
}

/* ---- waiting --------------------------------------------------------------------------------- */

void perf_rest(struct perf_side *side)
{
    enum { REST_EACH = 64, REST_US = 1000 };
    uint64_t now;
    ni_status status;

    if (side->waits && side->empty % REST_EACH != 0) {
        ni_relax(side->ni, side->empty, REST_US);
        return;
    }
    status = side->peer == NULL ? NI_OK : ni_peer_status(side->peer);
    if (status != NI_OK) {
        perf_fail("the other side is gone: %s", ni_status_text(status));
    }
    now = ni_now_ns();
    /* Events put empty back to zero, so this count tells a new silence from an old one. */
    if (side->empty == (side->waits ? REST_EACH : side->patience + 1)) {
        side->silent_since = now;
    } else if (now - side->silent_since > SILENCE_S * UINT64_C(1000000000)) {
        perf_fail("nothing has come for %d s while waiting for the other side", SILENCE_S);
    }
    side->late = now > side->deadline;
    if (side->waits) {
        ni_relax(side->ni, side->empty, REST_US);
    } else {
        sched_yield();
    }
}

/* ---- control --------------------------------------------------------------------------------- */

void perf_control_send(struct perf_side *side, const struct perf_control *control)
{
    ni_status status;

    while ((status = ni_message(side->ni, side->peer, side->theirs.control, 0, control,
                                sizeof(*control), control, 0)) != NI_OK) {
        if (status != NI_AGAIN) {
            perf_fail("cannot send to the other side: %s", ni_status_text(status));
        }
        /* Not perf_poll: a follower answers from within its step. */
        perf_progress(side);
        if (side->partner != NULL) {
            perf_progress(side->partner);
        }
    }
}

uint64_t perf_control_ask(struct perf_side *side, const struct perf_control *control)
{
    side->answer.what = PERF_NOTHING;
    perf_control_send(side, control);
    while (side->answer.what == PERF_NOTHING) {
        perf_poll(side);
    }
    return side->answer.count;
}

void perf_issue_failed(const struct perf_side *side, enum perf_op op, uint64_t size,
                       ni_status status)
{
    char peer[128] = "";

    (void)ni_peer_describe(side->peer, peer, sizeof(peer));
    perf_fail("%s of %llu bytes refused: %s (%s)", perf_op_names[op], (unsigned long long)size,
              ni_status_text(status), peer);
}
